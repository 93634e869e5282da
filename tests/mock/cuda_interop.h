/*
 * The part of the mock driver that other APIs share objects with: external semaphores and memory, contexts, shared allocations.
 *
 * It does what a real driver does that a caller can get wrong: it closes a file descriptor that it was given as soon as the import
 * succeeded, looks at every byte of a descriptor, reserved ones too, refuses what is not alive, and answers with the codes that driver
 * 580.159 answers with. What it was given last is kept byte for byte.
 *
 * While it runs, tests set these variables:
 *   mock_fail_<command>    the code by which the command fails, after it has looked at its arguments as if it succeeded; -1 for success
 *                          without an object
 *   mock_garbage           non-zero: outputs are written although the command fails
 *   mock_without           an attribute of devices that is 0; every other one is 42
 *   mock_capturing         non-zero: streams are being captured
 *
 * and read these:
 *   mock_log               every command that was called, in order, each with ';' after it
 *   mock_calls             how many
 *   mock_descriptor        the last descriptor, as far as it goes
 *   mock_alive             objects that were made and not destroyed
 *   mock_value             the last value that was signalled or waited for
 *   mock_timeout           the last time that was to be waited at most
 */
#include <stdio.h>

#include "cuda_records.h"

enum { INVALID_CONTEXT = 201, INVALID_HANDLE = 400, OPERATING_SYSTEM = 304, NOT_SUPPORTED = 801, UNKNOWN = 999 };

char mock_log[1 << 16];
unsigned mock_log_length = 0;
unsigned mock_calls = 0;
int mock_garbage = 0;
int mock_without = 0;
int mock_capturing = 0;
int mock_alive = 0;
unsigned char mock_descriptor[144];
uint64_t mock_value = 0;
unsigned mock_timeout = 0;

static void note(const char *command) {
    size_t length = strlen(command);
    mock_calls++;
    if (mock_log_length + length + 2 > sizeof mock_log) mock_log_length = 0;
    memcpy(mock_log + mock_log_length, command, length);
    mock_log_length += (unsigned)length;
    mock_log[mock_log_length++] = ';';
    mock_log[mock_log_length] = 0;
}

static int zero(const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        if (at[i] != 0) return 0;
    }
    return 1;
}

/* An object of the driver. A handle to something that is not alive is refused, as far as a mock can tell without following it. */
struct object { unsigned magic; unsigned type; unsigned long long size; void *kept; };
/* What the driver keeps of what an object was imported from. */
static void let_go(void *kept);
enum { SEMAPHORE = 0x5e3a, MEMORY = 0x3e30, BUFFER = 0xb0ff, ARRAY = 0xa44a };
static struct object *objects[4096];

static void *make(unsigned magic, unsigned type, unsigned long long size) {
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        if (objects[i] != NULL) continue;
        struct object *object = calloc(1, sizeof *object);
        if (object == NULL) abort();
        *object = (struct object){magic, type, size, NULL};
        mock_alive++;
        return objects[i] = object;
    }
    return NULL;
}

static struct object *find_object(const void *handle, unsigned magic) {
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        if (objects[i] != NULL && objects[i] == handle && objects[i]->magic == magic) return objects[i];
    }
    return NULL;
}

static status unmake(const void *handle, unsigned magic) {
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        if (objects[i] == NULL || objects[i] != handle || objects[i]->magic != magic) continue;
        let_go(objects[i]->kept);
        free(objects[i]);
        objects[i] = NULL;
        mock_alive--;
        return SUCCESS;
    }
    return INVALID_HANDLE;
}

/* What a command does that was told to fail: -1 is success without an object. */
#define TOLD_TO_FAIL(command, out, garbage) \
    do { \
        if (mock_fail_##command != 0) { \
            if (mock_garbage) *(out) = garbage; \
            if (mock_fail_##command == -1) { *(out) = 0; return SUCCESS; } \
            return (status)mock_fail_##command; \
        } \
    } while (0)

/* Contexts: a stack for each thread, of which the top is current. */
static _Thread_local void *stack[16];
static _Thread_local int depth = 0;
int mock_fail_cuCtxPushCurrent = 0;
int mock_retained = 0;

static void *current(void) { return depth > 0 ? stack[depth - 1] : NULL; }
#define NEEDS_CONTEXT do { if (current() == NULL) return INVALID_CONTEXT; } while (0)

status cuDeviceGet(int *device, int ordinal) {
    if (ordinal < 0 || ordinal > 1) return 101;
    *device = ordinal;
    return SUCCESS;
}

status cuDeviceGetCount(int *count) {
    *count = 2;
    return SUCCESS;
}

status cuDeviceGetName(char *name, int length, int device) {
    snprintf(name, (size_t)length, "Mock %d", device);
    return SUCCESS;
}

status cuDeviceGetUuid_v2(unsigned char *uuid, int device) {
    for (int i = 0; i < 16; i++) uuid[i] = (unsigned char)(0xf0 * device + i);
    return SUCCESS;
}

status cuDeviceGetLuid(char *luid, unsigned *mask, int device) {
    memset(luid, 0x80 + device, 8);
    *mask = 1;
    return SUCCESS;
}

status cuDevicePrimaryCtxRetain(void **context, int device) {
    note("cuDevicePrimaryCtxRetain");
    mock_retained++;
    *context = (void *)(uintptr_t)(0xc0 + device);
    return SUCCESS;
}

status cuDevicePrimaryCtxRelease_v2(int device) {
    (void)device;
    note("cuDevicePrimaryCtxRelease");
    mock_retained--;
    return SUCCESS;
}

status cuCtxPushCurrent_v2(void *context) {
    if (mock_fail_cuCtxPushCurrent != 0) return (status)mock_fail_cuCtxPushCurrent;
    if (depth == 16) return INVALID_VALUE;
    stack[depth++] = context;
    return SUCCESS;
}

status cuCtxPopCurrent_v2(void **context) {
    NEEDS_CONTEXT;
    *context = stack[--depth];
    return SUCCESS;
}

status cuCtxGetCurrent(void **context) {
    *context = current();
    return SUCCESS;
}

status cuCtxGetDevice(int *device) {
    NEEDS_CONTEXT;
    *device = (int)((uintptr_t)current() - 0xc0);
    return SUCCESS;
}

status cuStreamSynchronize(void *stream) {
    (void)stream;
    note("cuStreamSynchronize");
    return SUCCESS;
}

/* A stream is a number here; its id is another. */
status cuStreamGetId(void *stream, unsigned long long *id) {
    *id = (unsigned long long)(uintptr_t)stream * 1000;
    return SUCCESS;
}

status cuStreamIsCapturing(void *stream, unsigned *state) {
    (void)stream;
    *state = mock_capturing ? 1 : 0;
    return SUCCESS;
}

#include "cuda_carriers.h"

int mock_fail_cuImportExternalSemaphore = 0;
int mock_fail_cuDestroyExternalSemaphore = 0;
int mock_fail_cuSignalExternalSemaphoresAsync = 0;
int mock_fail_cuWaitExternalSemaphoresAsync = 0;

#ifndef WITHOUT_cuImportExternalSemaphore
status cuImportExternalSemaphore(void **semaphore, const struct semaphore_descriptor *descriptor) {
    note("cuImportExternalSemaphore");
    NEEDS_CONTEXT;
    memcpy(mock_descriptor, descriptor, sizeof *descriptor);
    TOLD_TO_FAIL(cuImportExternalSemaphore, semaphore, (void *)0xdead);
    if (descriptor->type < 1 || descriptor->type > 10) return INVALID_VALUE;
    /* The four bytes after the type, and those at the end, are padding, and zero in what a careful caller sends. */
    if (descriptor->flags != 0 || !zero(descriptor->reserved, sizeof descriptor->reserved)) return INVALID_VALUE;
    void *kept = NULL;
    status taken = take(semaphore_carriers[descriptor->type], &descriptor->handle, &kept);
    if (taken != SUCCESS) return taken;
    struct object *made = make(SEMAPHORE, descriptor->type, 0);
    made->kept = kept;
    *semaphore = made;
    return SUCCESS;
}
#endif

#ifndef WITHOUT_cuDestroyExternalSemaphore
status cuDestroyExternalSemaphore(void *semaphore) {
    note("cuDestroyExternalSemaphore");
    if (mock_fail_cuDestroyExternalSemaphore != 0) return (status)mock_fail_cuDestroyExternalSemaphore;
    NEEDS_CONTEXT;
    return unmake(semaphore, SEMAPHORE);
}
#endif

#ifndef WITHOUT_cuSignalExternalSemaphoresAsync
static status signal_all(void *const *semaphores, const struct signal_parameters *parameters, unsigned count) {
    note("cuSignalExternalSemaphoresAsync");
    if (count == 0) return SUCCESS;
    NEEDS_CONTEXT;
    if (mock_fail_cuSignalExternalSemaphoresAsync != 0) return (status)mock_fail_cuSignalExternalSemaphoresAsync;
    for (unsigned i = 0; i < count; i++) {
        const struct signal_parameters *one = &parameters[i];
        memcpy(mock_descriptor, one, sizeof *one);
        struct object *object = find_object(semaphores[i], SEMAPHORE);
        if (object == NULL) return INVALID_HANDLE;
        if (one->flags != 0 && object->type != 6) return INVALID_VALUE;
        if (!zero(one->reserved, sizeof one->reserved) || !zero(one->params.reserved, sizeof one->params.reserved)) return INVALID_VALUE;
        mock_value = object->type == 7 || object->type == 8 ? one->params.key : one->params.fence;
    }
    return SUCCESS;
}

status cuSignalExternalSemaphoresAsync(void *const *semaphores, const struct signal_parameters *parameters, unsigned count, void *stream) {
    (void)stream;
    mock_last = "cuSignalExternalSemaphoresAsync";
    return signal_all(semaphores, parameters, count);
}

status cuSignalExternalSemaphoresAsync_ptsz(
    void *const *semaphores, const struct signal_parameters *parameters, unsigned count, void *stream) {
    (void)stream;
    mock_last = "cuSignalExternalSemaphoresAsync_ptsz";
    return signal_all(semaphores, parameters, count);
}
#endif

#ifndef WITHOUT_cuWaitExternalSemaphoresAsync
status cuWaitExternalSemaphoresAsync(void *const *semaphores, const struct wait_parameters *parameters, unsigned count, void *stream) {
    (void)stream;
    note("cuWaitExternalSemaphoresAsync");
    NEEDS_CONTEXT;
    if (mock_fail_cuWaitExternalSemaphoresAsync != 0) return (status)mock_fail_cuWaitExternalSemaphoresAsync;
    for (unsigned i = 0; i < count; i++) {
        const struct wait_parameters *one = &parameters[i];
        memcpy(mock_descriptor, one, sizeof *one);
        struct object *object = find_object(semaphores[i], SEMAPHORE);
        if (object == NULL) return INVALID_HANDLE;
        if (one->flags != 0 && object->type != 6) return INVALID_VALUE;
        if (!zero(one->reserved, sizeof one->reserved) || !zero(one->params.reserved, sizeof one->params.reserved)) return INVALID_VALUE;
        mock_value = object->type == 7 || object->type == 8 ? one->params.mutex.key : one->params.fence;
        mock_timeout = one->params.mutex.timeout;
    }
    return SUCCESS;
}
#endif

/* A semaphore that somebody else imported, of any type. */
void *mock_semaphore(unsigned type) { return make(SEMAPHORE, type, 0); }

/* The memory that somebody else imported, of any type. */
void *mock_memory(unsigned type, unsigned long long size) { return make(MEMORY, type, size); }

int mock_fail_cuImportExternalMemory = 0;
int mock_fail_cuExternalMemoryGetMappedBuffer = 0;
int mock_fail_cuExternalMemoryGetMappedMipmappedArray = 0;
int mock_fail_cuDestroyExternalMemory = 0;
int mock_fail_cuMemFree = 0;

status cuImportExternalMemory(void **memory, const struct memory_descriptor *descriptor) {
    note("cuImportExternalMemory");
    NEEDS_CONTEXT;
    memcpy(mock_descriptor, descriptor, sizeof *descriptor);
    if (mock_fail_cuImportExternalMemory == 999 && descriptor->type == 1) closed_on_failure(BY_FD, &descriptor->handle);
    TOLD_TO_FAIL(cuImportExternalMemory, memory, (void *)0xdead);
    if (descriptor->type < 1 || descriptor->type > 9 || descriptor->size == 0) return INVALID_VALUE;
    if ((descriptor->flags & ~1u) != 0 || !zero(descriptor->reserved, sizeof descriptor->reserved)) return INVALID_VALUE;
    void *kept = NULL;
    status taken = take(memory_carriers[descriptor->type], &descriptor->handle, &kept);
    if (taken != SUCCESS) return taken;
    struct object *made = make(MEMORY, descriptor->type, descriptor->size);
    made->kept = kept;
    *memory = made;
    return SUCCESS;
}

#ifndef WITHOUT_cuDestroyExternalMemory
status cuDestroyExternalMemory(void *memory) {
    note("cuDestroyExternalMemory");
    if (mock_fail_cuDestroyExternalMemory != 0) return (status)mock_fail_cuDestroyExternalMemory;
    NEEDS_CONTEXT;
    return unmake(memory, MEMORY);
}
#endif

status cuExternalMemoryGetMappedBuffer(uint64_t *address, void *memory, const struct buffer_descriptor *descriptor) {
    note("cuExternalMemoryGetMappedBuffer");
    NEEDS_CONTEXT;
    memcpy(mock_descriptor, descriptor, sizeof *descriptor);
    TOLD_TO_FAIL(cuExternalMemoryGetMappedBuffer, address, 0xdead);
    struct object *object = find_object(memory, MEMORY);
    if (object == NULL) return INVALID_HANDLE;
    if (descriptor->flags != 0 || !zero(descriptor->reserved, sizeof descriptor->reserved)) return INVALID_VALUE;
    if (descriptor->offset + descriptor->size > object->size) return INVALID_VALUE;
    *address = (uint64_t)(uintptr_t)make(BUFFER, 0, descriptor->size);
    return SUCCESS;
}

#ifndef WITHOUT_cuMemFree_v2
status cuMemFree_v2(uint64_t address) {
    note("cuMemFree");
    if (mock_fail_cuMemFree != 0) return (status)mock_fail_cuMemFree;
    NEEDS_CONTEXT;
    return unmake((void *)(uintptr_t)address, BUFFER) == SUCCESS ? SUCCESS : INVALID_VALUE;
}
#endif

status cuExternalMemoryGetMappedMipmappedArray(void **array, void *memory, const struct mipmapped_descriptor *descriptor) {
    note("cuExternalMemoryGetMappedMipmappedArray");
    NEEDS_CONTEXT;
    memcpy(mock_descriptor, descriptor, sizeof *descriptor);
    TOLD_TO_FAIL(cuExternalMemoryGetMappedMipmappedArray, array, (void *)0xdead);
    if (find_object(memory, MEMORY) == NULL) return INVALID_HANDLE;
    if (!zero(descriptor->reserved, sizeof descriptor->reserved)) return INVALID_VALUE;
    *array = make(ARRAY, 0, descriptor->levels);
    return SUCCESS;
}

status cuMipmappedArrayGetLevel(void **level, void *array, unsigned number) {
    struct object *object = find_object(array, ARRAY);
    if (object == NULL) return INVALID_HANDLE;
    if (number >= object->size) return INVALID_VALUE;
    *level = (char *)array + 1 + number;
    return SUCCESS;
}

status cuMipmappedArrayDestroy(void *array) {
    note("cuMipmappedArrayDestroy");
    NEEDS_CONTEXT;
    return unmake(array, ARRAY);
}

/* Allocations that are shared, and what processes share by bytes. */
struct properties {
    unsigned type, handle_types;
    struct { unsigned type; int id; } location;
    void *win32;
    unsigned char flags[8];
};
_Static_assert(sizeof(struct properties) == 32, "as cuda.h has it");

enum { ALLOCATION = 0xa110, OPENED = 0x09e4, EVENT = 0xe7e4 };

status cuMemCreate(uint64_t *handle, size_t size, const struct properties *properties, unsigned long long flags) {
    note("cuMemCreate");
    memcpy(mock_descriptor, properties, sizeof *properties);
    if (flags != 0 || size == 0 || properties->type != 1 || properties->location.type != 1) return INVALID_VALUE;
    *handle = (uint64_t)(uintptr_t)make(ALLOCATION, properties->handle_types, size);
    return SUCCESS;
}

status cuMemRelease(uint64_t handle) {
    note("cuMemRelease");
    return unmake((void *)(uintptr_t)handle, ALLOCATION) == SUCCESS ? SUCCESS : INVALID_VALUE;
}

status cuMemImportFromShareableHandle(uint64_t *handle, void *carried, unsigned type) {
    note("cuMemImportFromShareableHandle");
    void *kept = NULL;
    if (type != 8) {
        status taken = take_allocation(type, carried, &kept);
        if (taken != SUCCESS) return taken;
    } else if (carried == NULL || *(unsigned char *)carried != 0xfa) {
        return INVALID_VALUE;
    }
    struct object *made = make(ALLOCATION, type, 1);
    made->kept = kept;
    *handle = (uint64_t)(uintptr_t)made;
    return SUCCESS;
}

struct ipc { char bytes[64]; };

status cuIpcGetMemHandle(struct ipc *handle, uint64_t address) {
    note("cuIpcGetMemHandle");
    memset(handle, 0x3e, sizeof *handle);
    return address == 0 ? INVALID_VALUE : SUCCESS;
}

status cuIpcOpenMemHandle_v2(uint64_t *address, struct ipc handle, unsigned flags) {
    note("cuIpcOpenMemHandle");
    NEEDS_CONTEXT;
    if (flags != 1 || handle.bytes[63] != 0x3e) return INVALID_VALUE;
    *address = (uint64_t)(uintptr_t)make(OPENED, 0, 0);
    return SUCCESS;
}

status cuIpcCloseMemHandle(uint64_t address) {
    note("cuIpcCloseMemHandle");
    NEEDS_CONTEXT;
    return unmake((void *)(uintptr_t)address, OPENED) == SUCCESS ? SUCCESS : INVALID_VALUE;
}

status cuIpcGetEventHandle(struct ipc *handle, void *event) {
    note("cuIpcGetEventHandle");
    memset(handle, 0x4e, sizeof *handle);
    return event == NULL ? INVALID_HANDLE : SUCCESS;
}

status cuIpcOpenEventHandle(void **event, struct ipc handle) {
    note("cuIpcOpenEventHandle");
    NEEDS_CONTEXT;
    if (handle.bytes[63] != 0x4e) return INVALID_HANDLE;
    *event = make(EVENT, 0, 0);
    return SUCCESS;
}

status cuEventDestroy_v2(void *event) {
    note("cuEventDestroy");
    NEEDS_CONTEXT;
    return unmake(event, EVENT);
}
