/*
 * An OpenCL library for tests: what an ICD loader exports, over platforms of its own.
 *
 * What it is, is settled when it is compiled:
 *   PLATFORMS=0|1|2              how many platforms there are (2 unless told otherwise)
 *   NULL_ENTRY                   the list of platforms begins with a null one
 *   LIST_FAILS=-6                clGetPlatformIDs fails with this code
 *   EXTENSIONS_0, EXTENSIONS_1   what the platforms list, as C strings
 *   DEVICE_EXTENSIONS_0, ..._1   what their one device lists
 *   ANSWERS_TO_EVERYTHING        a pointer is handed out for every name, as some loaders do
 *   WITHOUT_<symbol>             not exported
 *   VENDOR                       exports clGetPlatformInfo and clGetExtensionFunctionAddress alone, and has no other function of
 *                                the core by that either, as NVIDIA's own library does (580.159)
 *
 * The types are written by hand, as far as calls need them.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef PLATFORMS
#define PLATFORMS 2
#endif
#ifndef EXTENSIONS_0
#define EXTENSIONS_0 "cl_khr_icd cl_khr_semaphore cl_khr_external_semaphore cl_khr_external_semaphore_sync_fd"
#endif
#ifndef EXTENSIONS_1
#define EXTENSIONS_1 "cl_khr_icd cl_khr_semaphore cl_khr_external_semaphore cl_khr_external_semaphore_sync_fd"
#endif
#ifndef DEVICE_EXTENSIONS_0
#define DEVICE_EXTENSIONS_0 EXTENSIONS_0
#endif
#ifndef DEVICE_EXTENSIONS_1
#define DEVICE_EXTENSIONS_1 EXTENSIONS_1
#endif
#ifdef VENDOR
#define EXPORTED static
#else
#define EXPORTED
#endif

enum {
    SUCCESS = 0,
    DEVICE_NOT_FOUND = -1,
    INVALID_VALUE = -30,
    INVALID_PLATFORM = -32,
    INVALID_DEVICE = -33,
    INVALID_OPERATION = -59,
    PLATFORM_NOT_FOUND = -1001,
};

struct device {
    const char *extensions;
};

struct platform {
    const char *name;
    const char *extensions;
    struct device device;
};

static struct platform platforms[2] = {
    {"Mock platform A", EXTENSIONS_0, {DEVICE_EXTENSIONS_0}},
    {"Mock platform B", EXTENSIONS_1, {DEVICE_EXTENSIONS_1}},
};

/* How often the list was asked for. */
unsigned mock_lists = 0;

EXPORTED int32_t clGetPlatformIDs(uint32_t room, struct platform **list, uint32_t *count) {
    uint32_t n = 0;
    struct platform *all[3];
    mock_lists++;
#ifdef LIST_FAILS
    return LIST_FAILS;
#endif
#ifdef NULL_ENTRY
    all[n++] = NULL;
#endif
    for (int i = 0; i < PLATFORMS; i++) all[n++] = &platforms[i];
    if (n == 0) return PLATFORM_NOT_FOUND;
    if ((room == 0) != (list == NULL) || (list == NULL && count == NULL)) return INVALID_VALUE;
    for (uint32_t i = 0; i < n && i < room; i++) list[i] = all[i];
    if (count != NULL) *count = n;
    return SUCCESS;
}

static int32_t text(const char *value, size_t room, void *out, size_t *size) {
    size_t length = strlen(value) + 1;
    if (out != NULL && room < length) return INVALID_VALUE;
    if (out != NULL) memcpy(out, value, length);
    if (size != NULL) *size = length;
    return SUCCESS;
}

int32_t clGetPlatformInfo(struct platform *platform, uint32_t what, size_t room, void *out, size_t *size) {
    if (platform == NULL) return INVALID_PLATFORM;
    switch (what) {
    case 0x0901: return text("OpenCL 3.0 mock", room, out, size);
    case 0x0902: return text(platform->name, room, out, size);
    case 0x0904: return text(platform->extensions, room, out, size);
    default: return INVALID_VALUE;
    }
}

/* Every type of device, in a bit field of 64 bits, has its low 32 bits set and no other. */
#ifndef WITHOUT_clGetDeviceIDs
EXPORTED int32_t clGetDeviceIDs(struct platform *platform, uint64_t type, uint32_t room, struct device **list, uint32_t *count) {
    if (platform == NULL) return INVALID_PLATFORM;
    if (type != 0xFFFFFFFF) return -31;
    if (room > 0 && list != NULL) list[0] = &platform->device;
    if (count != NULL) *count = 1;
    return SUCCESS;
}
#endif

EXPORTED int32_t clGetDeviceInfo(struct device *device, uint32_t what, size_t room, void *out, size_t *size) {
    if (device == NULL) return INVALID_DEVICE;
    return what == 0x1030 ? text(device->extensions, room, out, size) : INVALID_VALUE;
}

#ifndef WITHOUT_clCreateBufferWithProperties
EXPORTED void *clCreateBufferWithProperties(void *context, const uint64_t *properties, uint64_t flags, size_t size, void *host,
                                            int32_t *error) {
    (void)context, (void)properties, (void)flags, (void)size, (void)host;
    if (error != NULL) *error = INVALID_OPERATION;
    return NULL;
}
#endif

/* What the platforms have for an extension differs, and says whose it is. It is not exported. */
static int32_t retain_a(void *semaphore) { return semaphore == (void *)0xA ? SUCCESS : INVALID_OPERATION; }
static int32_t retain_b(void *semaphore) { return semaphore == (void *)0xB ? SUCCESS : INVALID_OPERATION; }
static int32_t reimport_a(void *semaphore, uint64_t *properties, int fd) {
    (void)properties, (void)fd;
    return semaphore == (void *)0xA ? SUCCESS : INVALID_OPERATION;
}
static int32_t reimport_b(void *semaphore, uint64_t *properties, int fd) {
    (void)properties, (void)fd;
    return semaphore == (void *)0xB ? SUCCESS : INVALID_OPERATION;
}
static int32_t refuse(void) { return INVALID_OPERATION; }

static void *function_of(int second, const char *name) {
    if (strcmp(name, "clRetainSemaphoreKHR") == 0) return second ? (void *)retain_b : (void *)retain_a;
    if (strcmp(name, "clReImportSemaphoreSyncFdKHR") == 0) return second ? (void *)reimport_b : (void *)reimport_a;
#ifdef ANSWERS_TO_EVERYTHING
    return (void *)refuse;
#else
    (void)refuse;
    return NULL;
#endif
}

#ifndef WITHOUT_clGetExtensionFunctionAddressForPlatform
EXPORTED void *clGetExtensionFunctionAddressForPlatform(struct platform *platform, const char *name) {
    return platform == NULL || name == NULL ? NULL : function_of(platform == &platforms[1], name);
}
#endif

#ifdef VENDOR
void *clGetExtensionFunctionAddress(const char *name) {
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0) return (void *)clGetPlatformIDs;
    return function_of(0, name);
}
#endif
