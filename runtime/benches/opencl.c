/*
 * An OpenCL library that does nothing: every call succeeds at once, so that a benchmark measures what comes before it.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static int platform, device, object;

int32_t clGetPlatformIDs(uint32_t room, void **list, uint32_t *count) {
    if (room > 0 && list != NULL) list[0] = &platform;
    if (count != NULL) *count = 1;
    return 0;
}

static int32_t text(const char *value, size_t room, void *out, size_t *size) {
    size_t length = strlen(value) + 1;
    if (out != NULL && room >= length) memcpy(out, value, length);
    if (size != NULL) *size = length;
    return 0;
}

int32_t clGetPlatformInfo(void *of, uint32_t what, size_t room, void *out, size_t *size) {
    (void)of;
    if (what == 0x0904) return text("cl_khr_semaphore cl_khr_external_semaphore cl_khr_external_semaphore_sync_fd", room, out, size);
    return text("OpenCL 3.0 nothing", room, out, size);
}

int32_t clGetDeviceIDs(void *of, uint64_t type, uint32_t room, void **list, uint32_t *count) {
    (void)of, (void)type;
    if (room > 0 && list != NULL) list[0] = &device;
    if (count != NULL) *count = 1;
    return 0;
}

/* The handle types that it imports: sync files. */
int32_t clGetDeviceInfo(void *of, uint32_t what, size_t room, void *out, size_t *size) {
    const uint32_t sync_fd = 0x2058;
    (void)of;
    if (what != 0x204D) return text("", room, out, size);
    if (out != NULL && room >= sizeof sync_fd) memcpy(out, &sync_fd, sizeof sync_fd);
    if (size != NULL) *size = sizeof sync_fd;
    return 0;
}

void *clCreateContext(const intptr_t *properties, uint32_t count, void *const *devices, void *notify, void *data, int32_t *error) {
    (void)properties, (void)count, (void)devices, (void)notify, (void)data;
    *error = 0;
    return &object;
}

void *clCreateCommandQueue(void *context, void *of, uint64_t properties, int32_t *error) {
    (void)context, (void)of, (void)properties;
    *error = 0;
    return &object;
}

int32_t clReleaseContext(void *context) { return (void)context, 0; }
int32_t clReleaseCommandQueue(void *queue) { return (void)queue, 0; }

static void *create_semaphore(void *context, const uint64_t *properties, int32_t *error) {
    (void)context, (void)properties;
    *error = 0;
    return &object;
}

static int32_t release_semaphore(void *semaphore) { return (void)semaphore, 0; }

static int32_t enqueue(void *queue, uint32_t count, void *const *semaphores, const uint64_t *payloads, uint32_t waits,
                       void *const *list, void **event) {
    (void)queue, (void)count, (void)semaphores, (void)payloads, (void)waits, (void)list;
    if (event != NULL) *event = &object;
    return 0;
}

void *clGetExtensionFunctionAddressForPlatform(void *of, const char *name) {
    (void)of;
    if (strcmp(name, "clCreateSemaphoreWithPropertiesKHR") == 0) return (void *)create_semaphore;
    if (strcmp(name, "clReleaseSemaphoreKHR") == 0) return (void *)release_semaphore;
    if (strcmp(name, "clEnqueueSignalSemaphoresKHR") == 0) return (void *)enqueue;
    if (strcmp(name, "clEnqueueWaitSemaphoresKHR") == 0) return (void *)enqueue;
    return NULL;
}
