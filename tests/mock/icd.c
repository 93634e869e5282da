/*
 * An OpenCL driver for tests: an installable client driver, with the layout by which ICD loaders tell whose an object is. It can also be
 * opened without a loader: it exports what it has of the core.
 *
 * It has platforms with functions of their own for each extension, devices, contexts, queues, events, memory and semaphores, over real
 * file descriptors. Like a real driver it closes a descriptor that it was given once the import succeeded, and leaves it open otherwise.
 *
 * What it is and what it does is told while it runs, before or between calls. Variables:
 *   mock_platform_count    1 or 2 platforms, or none
 *   mock_device_count      1 or 2 devices on each
 *   mock_null_entries      so many entries of the list of platforms come first and are null
 *   mock_list_fails        the code by which the list of platforms fails
 *   mock_hands_out         non-zero: a pointer is handed out for every name, as some loaders and drivers do
 * and those of icd_script.h, which also has the functions mock_fail, mock_answer, mock_journal and mock_clear_journal.
 *
 * The header of the ICD layout is Debian's (opencl-c-headers); what is newer than it is written here as numbers.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#define _GNU_SOURCE
#include <CL/cl_icd.h>

#ifdef _WIN32
#include <windows.h>
/* Windows has a type of this name. */
#define CONTEXT CONTEXT_OBJECT
#endif

#include "icd_script.h"

#include "icd_payload.h"

#include "icd_core.h"

#include "icd_event.h"

#include "icd_memory.h"

#include "icd_semaphore.h"

int mock_platform_count = 1;
int mock_device_count = 1;
int mock_null_entries = 0;
int mock_list_fails = 0;
int mock_hands_out = 0;

/* Queries of platforms and devices. */

enum {
    PLATFORM_SEMAPHORE_TYPES = 0x2036, PLATFORM_SEMAPHORE_IMPORT = 0x2037, PLATFORM_SEMAPHORE_EXPORT = 0x2038,
    PLATFORM_MEMORY_IMPORT = 0x2044,
    DEVICE_SEMAPHORE_IMPORT = 0x204D, DEVICE_SEMAPHORE_EXPORT = 0x204E, DEVICE_SEMAPHORE_TYPES = 0x204C,
    DEVICE_MEMORY_IMPORT = 0x204F, DEVICE_LINEAR_IMAGES = 0x2052,
    PLATFORM_SUFFIX = 0x0920,
};

#ifdef _WIN32
static const char extensions[] = "cl_khr_icd cl_khr_semaphore cl_khr_external_semaphore cl_khr_external_semaphore_win32 "
                                 "cl_khr_external_semaphore_dx_fence cl_khr_external_memory cl_khr_external_memory_win32";
static const cl_uint semaphores[] = {SEMAPHORE_WIN32, SEMAPHORE_WIN32_KMT, SEMAPHORE_D3D12_FENCE, SEMAPHORE_WIN32_NAME},
                     memories[] = {MEMORY_WIN32, MEMORY_WIN32_KMT, MEMORY_WIN32_NAME}, linear[] = {MEMORY_WIN32};
#else
static const char extensions[] =
    "cl_khr_icd cl_khr_semaphore cl_khr_external_semaphore cl_khr_external_semaphore_sync_fd cl_khr_external_semaphore_opaque_fd "
    "cl_khr_external_memory cl_khr_external_memory_opaque_fd cl_khr_external_memory_dma_buf";
static const cl_uint semaphores[] = {SEMAPHORE_OPAQUE_FD, SEMAPHORE_SYNC_FD}, memories[] = {MEMORY_OPAQUE_FD, MEMORY_DMA_BUF},
                     linear[] = {MEMORY_DMA_BUF};
#endif

static cl_int list_of(cl_uint what, size_t room, void *out, size_t *size_ret) {
    static const cl_uint semaphore_types[] = {SEMAPHORE_TYPE_BINARY};
    switch (what) {
    case PLATFORM_SEMAPHORE_TYPES:
    case DEVICE_SEMAPHORE_TYPES: return answer(semaphore_types, sizeof semaphore_types, room, out, size_ret);
    case PLATFORM_SEMAPHORE_IMPORT:
    case PLATFORM_SEMAPHORE_EXPORT:
    case DEVICE_SEMAPHORE_IMPORT:
    case DEVICE_SEMAPHORE_EXPORT: return answer(semaphores, sizeof semaphores, room, out, size_ret);
    case PLATFORM_MEMORY_IMPORT:
    case DEVICE_MEMORY_IMPORT: return answer(memories, sizeof memories, room, out, size_ret);
    case DEVICE_LINEAR_IMAGES: return answer(linear, sizeof linear, room, out, size_ret);
    default: return CL_INVALID_VALUE;
    }
}

/* What a test has set; else what every platform says. */
static cl_int query(const char *command, unsigned platform, int device, cl_uint what, size_t room, void *out, size_t *size_ret,
                    cl_int (*usual)(unsigned, int, cl_uint, size_t, void *, size_t *)) {
    cl_int code = scripted(command);
    const struct set_answer *set = set_answer(platform, device, what);
    if (code == CL_SUCCESS && set != NULL) code = set->code;
    if (code != CL_SUCCESS) return refuse_query(code, room, out, size_ret);
    if (set != NULL) return answer(set->value, set->length, room, out, size_ret);
    return usual(platform, device, what, room, out, size_ret);
}

static cl_int usual_of_platform(unsigned platform, int device, cl_uint what, size_t room, void *out, size_t *size_ret) {
    (void)device;
    switch (what) {
    case CL_PLATFORM_PROFILE: return answer_text("FULL_PROFILE", room, out, size_ret);
    case CL_PLATFORM_VERSION: return answer_text("OpenCL 3.0 mock", room, out, size_ret);
    case CL_PLATFORM_NAME: return answer_text(platform == 0 ? "Mock platform A" : "Mock platform B", room, out, size_ret);
    case CL_PLATFORM_VENDOR: return answer_text("clcu", room, out, size_ret);
    case CL_PLATFORM_EXTENSIONS: return answer_text(extensions, room, out, size_ret);
    case PLATFORM_SUFFIX: return answer_text(platform == 0 ? "MOCKA" : "MOCKB", room, out, size_ret);
    default: return list_of(what, room, out, size_ret);
    }
}

static cl_int usual_of_device(unsigned platform, int device, cl_uint what, size_t room, void *out, size_t *size_ret) {
    const cl_device_type type = CL_DEVICE_TYPE_GPU;
    const cl_platform_id owner = &platforms[platform];
    const cl_bool yes = CL_TRUE;
    const cl_ulong most = (cl_ulong)1 << 40;
    switch (what) {
    case CL_DEVICE_TYPE: return answer(&type, sizeof type, room, out, size_ret);
    case CL_DEVICE_NAME: return answer_text(device == 0 ? "Mock device 0" : "Mock device 1", room, out, size_ret);
    case CL_DEVICE_VENDOR: return answer_text("clcu", room, out, size_ret);
    case CL_DRIVER_VERSION: return answer_text("1", room, out, size_ret);
    case CL_DEVICE_VERSION: return answer_text("OpenCL 3.0 mock", room, out, size_ret);
    case CL_DEVICE_EXTENSIONS: return answer_text(extensions, room, out, size_ret);
    case CL_DEVICE_PLATFORM: return answer(&owner, sizeof owner, room, out, size_ret);
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_IMAGE_SUPPORT: return answer(&yes, sizeof yes, room, out, size_ret);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return answer(&most, sizeof most, room, out, size_ret);
    default: return list_of(what, room, out, size_ret);
    }
}

cl_int CL_API_CALL clGetPlatformIDs(cl_uint room, cl_platform_id *list, cl_uint *count_ret) {
    begin("clGetPlatformIDs");
    argument("num_entries", "%u", room);
    if (mock_list_fails != 0) return end(mock_list_fails);
    cl_uint count = (cl_uint)(mock_null_entries + mock_platform_count);
    if (count == 0) return end(-1001);
    if ((room == 0) != (list == NULL) || (list == NULL && count_ret == NULL)) return end(CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count && i < room; i++) {
        list[i] = i < (cl_uint)mock_null_entries ? NULL : &platforms[i - (cl_uint)mock_null_entries];
    }
    if (count_ret != NULL) *count_ret = count;
    return end(CL_SUCCESS);
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t room, void *out, size_t *size_ret) {
    begin("clGetPlatformInfo");
    object_argument("platform", platform);
    argument("param_name", "0x%x", what);
    if (find(platform, PLATFORM) == NULL) return end(CL_INVALID_PLATFORM);
    return end(query("clGetPlatformInfo", platform->base.platform, -1, what, room, out, size_ret, usual_of_platform));
}

cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *list, cl_uint *count_ret) {
    begin("clGetDeviceIDs");
    object_argument("platform", platform);
    argument("device_type", "0x%llx", (unsigned long long)type);
    cl_int code = scripted("clGetDeviceIDs");
    if (code == CL_SUCCESS && find(platform, PLATFORM) == NULL) code = CL_INVALID_PLATFORM;
    /* A bit field of 64 bits, of which "all" is the low 32. */
    if (code == CL_SUCCESS && (type >> 32 != 0 || type == 0)) code = CL_INVALID_DEVICE_TYPE;
    if (code == CL_SUCCESS && (type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)) == 0) code = CL_DEVICE_NOT_FOUND;
    if (code != CL_SUCCESS) return end(code);
    for (int i = 0; i < mock_device_count && (cl_uint)i < room && list != NULL; i++) list[i] = &platform->devices[i];
    if (count_ret != NULL) *count_ret = (cl_uint)mock_device_count;
    return end(CL_SUCCESS);
}

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *out, size_t *size_ret) {
    begin("clGetDeviceInfo");
    object_argument("device", device);
    argument("param_name", "0x%x", what);
    if (find(device, DEVICE) == NULL) return end(CL_INVALID_DEVICE);
    return end(query("clGetDeviceInfo", device->base.platform, device->index, what, room, out, size_ret, usual_of_device));
}

/* Functions of extensions: each platform has its own. */

#define FAMILY(P)                                                                                                                   \
    static cl_semaphore_khr CL_API_CALL create_##P(cl_context context, const cl_ulong *list, cl_int *errcode_ret) {                 \
        return create_semaphore(P, context, list, errcode_ret);                                                                     \
    }                                                                                                                               \
    static cl_int CL_API_CALL signal_##P(cl_command_queue queue, cl_uint count, const cl_semaphore_khr *semaphores,                 \
                                         const cl_ulong *payloads, cl_uint waits, const cl_event *list, cl_event *event) {          \
        return enqueue(P, "clEnqueueSignalSemaphoresKHR", COMMAND_SIGNAL, queue, count, semaphores, payloads, waits, list, event);  \
    }                                                                                                                               \
    static cl_int CL_API_CALL wait_##P(cl_command_queue queue, cl_uint count, const cl_semaphore_khr *semaphores,                   \
                                       const cl_ulong *payloads, cl_uint waits, const cl_event *list, cl_event *event) {            \
        return enqueue(P, "clEnqueueWaitSemaphoresKHR", COMMAND_WAIT, queue, count, semaphores, payloads, waits, list, event);      \
    }                                                                                                                               \
    static cl_int CL_API_CALL info_##P(cl_semaphore_khr semaphore, cl_uint what, size_t room, void *out, size_t *size_ret) {        \
        return semaphore_info(P, semaphore, what, room, out, size_ret);                                                             \
    }                                                                                                                               \
    static cl_int CL_API_CALL retain_##P(cl_semaphore_khr semaphore) { return retain_semaphore(P, semaphore); }                     \
    static cl_int CL_API_CALL release_##P(cl_semaphore_khr semaphore) { return release_semaphore(P, semaphore); }                   \
    static cl_int CL_API_CALL export_##P(cl_semaphore_khr semaphore, cl_device_id device, cl_uint type, size_t room, void *out,     \
                                         size_t *size_ret) {                                                                        \
        return export_semaphore(P, semaphore, device, type, room, out, size_ret);                                                   \
    }                                                                                                                               \
    static cl_int CL_API_CALL reimport_##P(cl_semaphore_khr semaphore, cl_ulong *list, int fd) {                                    \
        return reimport(P, semaphore, list, fd);                                                                                    \
    }                                                                                                                               \
    static cl_int CL_API_CALL acquire_memory_##P(cl_command_queue queue, cl_uint count, const cl_mem *memory, cl_uint waits,        \
                                                 const cl_event *list, cl_event *event) {                                           \
        return transfer_memory(P, "clEnqueueAcquireExternalMemObjectsKHR", COMMAND_ACQUIRE, queue, count, memory, waits, list,      \
                               event);                                                                                              \
    }                                                                                                                               \
    static cl_int CL_API_CALL release_memory_##P(cl_command_queue queue, cl_uint count, const cl_mem *memory, cl_uint waits,        \
                                                 const cl_event *list, cl_event *event) {                                           \
        return transfer_memory(P, "clEnqueueReleaseExternalMemObjectsKHR", COMMAND_RELEASE, queue, count, memory, waits, list,      \
                               event);                                                                                              \
    }
FAMILY(0)
FAMILY(1)

static cl_int refuse(void) { return CL_INVALID_OPERATION; }

static const struct { const char *name; void *of_platform[MOST_PLATFORMS]; } family[] = {
    {"clCreateSemaphoreWithPropertiesKHR", {(void *)create_0, (void *)create_1}},
    {"clEnqueueSignalSemaphoresKHR", {(void *)signal_0, (void *)signal_1}},
    {"clEnqueueWaitSemaphoresKHR", {(void *)wait_0, (void *)wait_1}},
    {"clGetSemaphoreInfoKHR", {(void *)info_0, (void *)info_1}},
    {"clRetainSemaphoreKHR", {(void *)retain_0, (void *)retain_1}},
    {"clReleaseSemaphoreKHR", {(void *)release_0, (void *)release_1}},
    {"clGetSemaphoreHandleForTypeKHR", {(void *)export_0, (void *)export_1}},
    {"clReImportSemaphoreSyncFdKHR", {(void *)reimport_0, (void *)reimport_1}},
    {"clEnqueueAcquireExternalMemObjectsKHR", {(void *)acquire_memory_0, (void *)acquire_memory_1}},
    {"clEnqueueReleaseExternalMemObjectsKHR", {(void *)release_memory_0, (void *)release_memory_1}},
};

static char lacking[256];

/* No platform has the function of this name, whatever it lists. */
void mock_lacks(const char *function) { snprintf(lacking, sizeof lacking, "%s", function); }

void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *function) {
    if (find(platform, PLATFORM) == NULL || strcmp(function, lacking) == 0) return NULL;
    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        if (strcmp(function, family[i].name) == 0) return family[i].of_platform[platform->base.platform];
    }
    return mock_hands_out ? (void *)refuse : NULL;
}

/* Loaders ask by this for what they need to find the platforms. */
void *CL_API_CALL clGetExtensionFunctionAddress(const char *function) {
    if (strcmp(function, "clIcdGetPlatformIDsKHR") == 0) return (void *)clGetPlatformIDs;
    if (strcmp(function, "clGetPlatformInfo") == 0) return (void *)clGetPlatformInfo;
    return NULL;
}

static const cl_icd_dispatch dispatch = {
    .clGetPlatformIDs = clGetPlatformIDs,
    .clGetPlatformInfo = clGetPlatformInfo,
    .clGetDeviceIDs = clGetDeviceIDs,
    .clGetDeviceInfo = clGetDeviceInfo,
    .clCreateContext = clCreateContext,
    .clRetainContext = clRetainContext,
    .clReleaseContext = clReleaseContext,
    .clGetContextInfo = clGetContextInfo,
    .clCreateCommandQueue = clCreateCommandQueue,
    .clCreateCommandQueueWithProperties = clCreateCommandQueueWithProperties,
    .clRetainCommandQueue = clRetainCommandQueue,
    .clReleaseCommandQueue = clReleaseCommandQueue,
    .clGetCommandQueueInfo = clGetCommandQueueInfo,
    .clCreateBuffer = clCreateBuffer,
    .clCreateBufferWithProperties = clCreateBufferWithProperties,
    .clCreateImageWithProperties = clCreateImageWithProperties,
    .clRetainMemObject = clRetainMemObject,
    .clReleaseMemObject = clReleaseMemObject,
    .clGetMemObjectInfo = clGetMemObjectInfo,
    .clWaitForEvents = clWaitForEvents,
    .clGetEventInfo = clGetEventInfo,
    .clRetainEvent = clRetainEvent,
    .clReleaseEvent = clReleaseEvent,
    .clCreateUserEvent = clCreateUserEvent,
    .clSetUserEventStatus = clSetUserEventStatus,
    .clEnqueueMarkerWithWaitList = clEnqueueMarkerWithWaitList,
    .clFlush = clFlush,
    .clFinish = clFinish,
    .clGetExtensionFunctionAddress = clGetExtensionFunctionAddress,
    .clGetExtensionFunctionAddressForPlatform = clGetExtensionFunctionAddressForPlatform,
};

__attribute__((constructor)) static void set_up(void) {
    for (unsigned p = 0; p < MOST_PLATFORMS; p++) {
        enlist(&platforms[p].base, &dispatch, PLATFORM, p);
        for (int d = 0; d < MOST_DEVICES; d++) {
            enlist(&platforms[p].devices[d].base, &dispatch, DEVICE, p);
            platforms[p].devices[d].index = d;
        }
    }
}
