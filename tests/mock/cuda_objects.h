/*
 * What the mock driver keeps: objects, of which a handle that is not alive is refused; devices; contexts, a stack for each thread; streams.
 */
int mock_alive = 0;
int mock_without = 0;
int mock_pool_handle_types = 0xf;
int mock_capturing = 0;
int mock_retained = 0;

/* An object of the driver. A handle to something that is not alive is refused, as far as a mock can tell without following it. */
struct object {
    unsigned magic;
    unsigned type;
    unsigned long long size;
    /* Where it lies on the device, if it does. */
    unsigned long long address;
    void *kept;
};
/* What the driver keeps of what an object was imported from. */
static void let_go(void *kept);

static struct object *objects[4096];

static void *make(unsigned magic, unsigned type, unsigned long long size) {
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        if (objects[i] != NULL) continue;
        struct object *object = calloc(1, sizeof *object);
        if (object == NULL) abort();
        *object = (struct object){magic, type, size, 0, NULL};
        mock_alive++;
        return objects[i] = object;
    }
    return NULL;
}

/* The same with addresses of its own, which no other object gets, and one page between. */
static struct object *make_at_an_address(unsigned magic, unsigned type, unsigned long long size) {
    enum { PAGE = 1 << 21 };
    static unsigned long long next = 0x700000000000;
    struct object *object = make(magic, type, size);
    if (object == NULL) return NULL;
    object->address = next;
    next += (size + 2 * PAGE - 1) / PAGE * PAGE + PAGE;
    return object;
}

static struct object *find_object(const void *handle, unsigned magic) {
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        if (objects[i] != NULL && objects[i] == handle && objects[i]->magic == magic) return objects[i];
    }
    return NULL;
}

/* The object of this sort that has all of these bytes of the device. */
static struct object *find_range(unsigned magic, unsigned long long address, unsigned long long size) {
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        struct object *object = objects[i];
        if (object == NULL || object->magic != magic || address < object->address) continue;
        if (address - object->address <= object->size && size <= object->size - (address - object->address)) return object;
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

COMMAND(cuDeviceGet)(CUdevice *device, int ordinal) {
    QUIET(cuDeviceGet);
    MAY_FAIL_WITH(device, 77, 0);
    if (ordinal < 0 || ordinal > 1) return INVALID_DEVICE;
    *device = ordinal;
    return SUCCESS;
}

COMMAND(cuDeviceGetCount)(int *count) {
    QUIET(cuDeviceGetCount);
    MAY_FAIL_WITH(count, 77, 0);
    *count = 2;
    return SUCCESS;
}

COMMAND(cuDeviceGetName)(char *name, int length, CUdevice device) {
    QUIET(cuDeviceGetName);
    MAY_FAIL_WITH(name, '?', 0);
    snprintf(name, (size_t)length, "Mock %d", device);
    return SUCCESS;
}

/* The second form tells instances of one device apart, of which the mock has none. */
static status uuid_of(CUuuid *uuid, CUdevice device, const char *variant) {
    QUIET(cuDeviceGetUuid);
    MAY_FAIL_WITH(uuid->bytes, 0x5a, 0);
    mock_last = variant;
    for (int i = 0; i < 16; i++) uuid->bytes[i] = (char)(0xf0 * device + i);
    return SUCCESS;
}

COMMAND(cuDeviceGetUuid)(CUuuid *uuid, CUdevice device) { return uuid_of(uuid, device, "cuDeviceGetUuid"); }
COMMAND(cuDeviceGetUuid_v2)(CUuuid *uuid, CUdevice device) { return uuid_of(uuid, device, "cuDeviceGetUuid_v2"); }

COMMAND(cuDeviceGetLuid)(char *luid, unsigned *mask, CUdevice device) {
    QUIET(cuDeviceGetLuid);
    MAY_FAIL_WITH(luid, 0x5a, 0);
    memset(luid, 0x80 + device, 8);
    *mask = 1;
    return SUCCESS;
}

COMMAND(cuDeviceGetAttribute)(int *value, CUdevice_attribute attribute, CUdevice device) {
    QUIET(cuDeviceGetAttribute);
    (void)device;
    MAY_FAIL_WITH(value, 77, 0);
#ifdef UNKNOWN_RESULT
    return UNKNOWN_RESULT;
#endif
    /* Attributes that came with CUDA 12.5 and later. */
    if (attribute > 134 && DRIVER_VERSION < 12050) return INVALID_VALUE;
    const int is = attribute == CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES ? mock_pool_handle_types : 42;
    *value = (int)attribute == mock_without ? 0 : is;
    return SUCCESS;
}

/* Contexts: a stack for each thread, of which the top is current. */
struct contexts { CUcontext stack[16]; int depth; };

#ifdef _WIN32
#include <windows.h>

/* mingw's own variables of a thread are gone before the program's destructors at the end of the thread, which call the driver. */
static DWORD contexts_slot;
__attribute__((constructor)) static void loaded(void) { contexts_slot = TlsAlloc(); }

static struct contexts *of_thread(void) {
    struct contexts *contexts = TlsGetValue(contexts_slot);
    if (contexts != NULL) return contexts;
    contexts = calloc(1, sizeof *contexts);
    if (contexts == NULL || !TlsSetValue(contexts_slot, contexts)) abort();
    return contexts;
}
#else
static struct contexts *of_thread(void) {
    static _Thread_local struct contexts contexts;
    return &contexts;
}
#endif

static CUcontext current(void) {
    const struct contexts *contexts = of_thread();
    return contexts->depth > 0 ? contexts->stack[contexts->depth - 1] : NULL;
}
#define NEEDS_CONTEXT do { if (current() == NULL) return INVALID_CONTEXT; } while (0)

COMMAND(cuDevicePrimaryCtxRetain)(CUcontext *context, CUdevice device) {
    WATCHED(cuDevicePrimaryCtxRetain);
    MAY_FAIL_WITH(context, (CUcontext)0xdead, NULL);
    mock_retained++;
    *context = (CUcontext)(uintptr_t)(0xc0 + device);
    return SUCCESS;
}

COMMAND(cuDevicePrimaryCtxRelease_v2)(CUdevice device) {
    WATCHED(cuDevicePrimaryCtxRelease);
    (void)device;
    MAY_FAIL;
    mock_retained--;
    return SUCCESS;
}

COMMAND(cuCtxCreate_v4)(CUcontext *context, CUctxCreateParams *parameters, unsigned flags, CUdevice device) {
    QUIET(cuCtxCreate);
    (void)parameters, (void)flags, (void)device;
    MAY_FAIL_WITH(context, (CUcontext)0xdead, NULL);
    mock_last = "cuCtxCreate_v4";
    *context = (CUcontext)0x10;
    return SUCCESS;
}

COMMAND(cuCtxPushCurrent_v2)(CUcontext context) {
    QUIET(cuCtxPushCurrent);
    MAY_FAIL;
    struct contexts *contexts = of_thread();
    if (contexts->depth == 16) return INVALID_VALUE;
    contexts->stack[contexts->depth++] = context;
    return SUCCESS;
}

COMMAND(cuCtxPopCurrent_v2)(CUcontext *context) {
    QUIET(cuCtxPopCurrent);
    MAY_FAIL_WITH(context, (CUcontext)0xdead, NULL);
    NEEDS_CONTEXT;
    struct contexts *contexts = of_thread();
    *context = contexts->stack[--contexts->depth];
    return SUCCESS;
}

COMMAND(cuCtxGetCurrent)(CUcontext *context) {
    QUIET(cuCtxGetCurrent);
    MAY_FAIL_WITH(context, (CUcontext)0xdead, NULL);
    *context = current();
    return SUCCESS;
}

COMMAND(cuCtxGetDevice)(CUdevice *device) {
    QUIET(cuCtxGetDevice);
    MAY_FAIL_WITH(device, 77, 0);
    NEEDS_CONTEXT;
    *device = (int)((uintptr_t)current() - 0xc0);
    return SUCCESS;
}

/* One public name and two signatures. */
COMMAND(cuCtxSynchronize)(void) {
    QUIET(cuCtxSynchronize);
    MAY_FAIL;
    mock_last = "cuCtxSynchronize";
    return SUCCESS;
}

COMMAND(cuCtxSynchronize_v2)(CUcontext context) {
    QUIET(cuCtxSynchronize);
    (void)context;
    MAY_FAIL;
    mock_last = "cuCtxSynchronize_v2";
    return SUCCESS;
}

static status synchronize(CUstream stream) {
    WATCHED(cuStreamSynchronize);
    (void)stream;
    MAY_FAIL;
    return SUCCESS;
}

COMMAND(cuStreamSynchronize)(CUstream stream) { return synchronize(stream); }
COMMAND(cuStreamSynchronize_ptsz)(CUstream stream) { return synchronize(stream); }

/* A stream is a number here; its id is another. */
static status stream_id(CUstream stream, unsigned long long *id) {
    QUIET(cuStreamGetId);
    MAY_FAIL_WITH(id, 77, 0);
    *id = (unsigned long long)(uintptr_t)stream * 1000;
    return SUCCESS;
}

COMMAND(cuStreamGetId)(CUstream stream, unsigned long long *id) { return stream_id(stream, id); }
COMMAND(cuStreamGetId_ptsz)(CUstream stream, unsigned long long *id) { return stream_id(stream, id); }

static status is_capturing(CUstream stream, CUstreamCaptureStatus *state) {
    QUIET(cuStreamIsCapturing);
    (void)stream;
    MAY_FAIL_WITH(state, CU_STREAM_CAPTURE_STATUS_INVALIDATED, CU_STREAM_CAPTURE_STATUS_NONE);
    *state = mock_capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return SUCCESS;
}

COMMAND(cuStreamIsCapturing)(CUstream stream, CUstreamCaptureStatus *state) { return is_capturing(stream, state); }
COMMAND(cuStreamIsCapturing_ptsz)(CUstream stream, CUstreamCaptureStatus *state) { return is_capturing(stream, state); }

/* Two functions of one name and nearly one signature: the first has 32-bit sizes and needs a context. */
COMMAND(cuMemAlloc)(unsigned *address, unsigned size) {
    QUIET(cuMemAlloc);
    (void)size;
    MAY_FAIL_WITH(address, 0xdead, 0);
    mock_last = "cuMemAlloc";
    return INVALID_CONTEXT;
}

COMMAND(cuMemAlloc_v2)(CUdeviceptr *address, size_t size) {
    QUIET(cuMemAlloc);
    MAY_FAIL_WITH(address, 0xdead, 0);
    mock_last = "cuMemAlloc_v2";
    *address = 0x1000 + size;
    return SUCCESS;
}

COMMAND(cuMemcpy)(CUdeviceptr to, CUdeviceptr from, size_t size) {
    QUIET(cuMemcpy);
    (void)to, (void)from, (void)size;
    MAY_FAIL;
    mock_last = "cuMemcpy";
    return SUCCESS;
}

COMMAND(cuMemcpy_ptds)(CUdeviceptr to, CUdeviceptr from, size_t size) {
    QUIET(cuMemcpy);
    (void)to, (void)from, (void)size;
    MAY_FAIL;
    mock_last = "cuMemcpy_ptds";
    return SUCCESS;
}
