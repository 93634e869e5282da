/*
 * The part of the mock driver that other APIs share objects with: external semaphores and memory.
 *
 * It does what a real driver does that a caller can get wrong: it closes a file descriptor that it was given as soon as the import
 * succeeded, looks at every byte of a descriptor, reserved ones and padding too, refuses what is not alive, and answers with the codes that
 * driver 580.159 answers with. What it was given last is kept byte for byte.
 */
enum { SEMAPHORE = 0x5e3a, MEMORY = 0x3e30, BUFFER = 0xb0ff, ARRAY = 0xa44a };
enum { NV_SCI_SYNC = 6, KEYED_MUTEX = 7, KEYED_MUTEX_KMT = 8 };

uint64_t mock_value = 0;
unsigned mock_timeout = 0;

/* What a descriptor of this carrier holds of its handle: nothing but what the carrier is read from. */
static union handle only(enum carrier carrier, const void *given) {
    union handle all, only;
    memcpy(&all, given, sizeof all);
    memset(&only, 0, sizeof only);
    switch (carrier) {
    case BY_FD:
    case BY_OPEN_FD: only.fd = all.fd; break;
    case BY_NV_SCI: only.nv_sci = all.nv_sci; break;
    default: only.win32 = all.win32; break;
    }
    return only;
}

static int clean_semaphore(const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *given, const union handle *handle) {
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC expected;
    memset(&expected, 0, sizeof expected);
    expected.type = given->type;
    expected.flags = given->flags;
    memcpy(&expected.handle, handle, sizeof *handle);
    return clean(given, &expected, sizeof expected);
}

COMMAND(cuImportExternalSemaphore)(CUexternalSemaphore *semaphore, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *descriptor) {
    WATCHED(cuImportExternalSemaphore);
    NEEDS_CONTEXT;
    keep_descriptor(descriptor, sizeof *descriptor);
    MAY_FAIL_WITH(semaphore, (CUexternalSemaphore)0xdead, NULL);
    if (descriptor->type < 1 || descriptor->type > 10 || descriptor->flags != 0) return INVALID_VALUE;
    enum carrier carrier = semaphore_carriers[descriptor->type];
    union handle handle = only(carrier, &descriptor->handle);
    if (!clean_semaphore(descriptor, &handle)) return INVALID_VALUE;
    void *kept = NULL;
    status taken = take(carrier, &handle, &kept);
    if (taken != SUCCESS) return taken;
    struct object *made = make(SEMAPHORE, descriptor->type, 0);
    made->kept = kept;
    *semaphore = (CUexternalSemaphore)made;
    return SUCCESS;
}

COMMAND(cuDestroyExternalSemaphore)(CUexternalSemaphore semaphore) {
    WATCHED(cuDestroyExternalSemaphore);
    MAY_FAIL;
    NEEDS_CONTEXT;
    return unmake(semaphore, SEMAPHORE);
}

/* Whether one semaphore of a call may be signalled so. */
static status signal_one(CUexternalSemaphore semaphore, const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *given) {
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS expected;
    keep_descriptor(given, sizeof *given);
    struct object *object = find_object(semaphore, SEMAPHORE);
    if (object == NULL) return INVALID_HANDLE;
    if (given->flags != 0 && object->type != NV_SCI_SYNC) return INVALID_VALUE;
    memset(&expected, 0, sizeof expected);
    expected.flags = given->flags;
    switch (object->type) {
    case NV_SCI_SYNC: expected.params.nvSciSync.fence = given->params.nvSciSync.fence; break;
    case KEYED_MUTEX:
    case KEYED_MUTEX_KMT: expected.params.keyedMutex.key = mock_value = given->params.keyedMutex.key; break;
    default: expected.params.fence.value = mock_value = given->params.fence.value; break;
    }
    return clean(given, &expected, sizeof expected) ? SUCCESS : INVALID_VALUE;
}

/* Whether one semaphore of a call may be waited for so. */
static status wait_one(CUexternalSemaphore semaphore, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *given) {
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS expected;
    keep_descriptor(given, sizeof *given);
    struct object *object = find_object(semaphore, SEMAPHORE);
    if (object == NULL) return INVALID_HANDLE;
    if (given->flags != 0 && object->type != NV_SCI_SYNC) return INVALID_VALUE;
    memset(&expected, 0, sizeof expected);
    expected.flags = given->flags;
    switch (object->type) {
    case NV_SCI_SYNC: expected.params.nvSciSync.fence = given->params.nvSciSync.fence; break;
    case KEYED_MUTEX:
    case KEYED_MUTEX_KMT:
        expected.params.keyedMutex.key = mock_value = given->params.keyedMutex.key;
        expected.params.keyedMutex.timeoutMs = mock_timeout = given->params.keyedMutex.timeoutMs;
        break;
    default: expected.params.fence.value = mock_value = given->params.fence.value; break;
    }
    return clean(given, &expected, sizeof expected) ? SUCCESS : INVALID_VALUE;
}

static status signal_all(
    const CUexternalSemaphore *semaphores, const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *parameters, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        status one = signal_one(semaphores[i], &parameters[i]);
        if (one != SUCCESS) return one;
    }
    return SUCCESS;
}

static status wait_all(
    const CUexternalSemaphore *semaphores, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *parameters, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        status one = wait_one(semaphores[i], &parameters[i]);
        if (one != SUCCESS) return one;
    }
    return SUCCESS;
}

static status signal_on_stream(const CUexternalSemaphore *semaphores, const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *parameters,
    unsigned count, const char *variant) {
    WATCHED(cuSignalExternalSemaphoresAsync);
    mock_last = variant;
    if (count == 0) return SUCCESS;
    NEEDS_CONTEXT;
    MAY_FAIL;
    return signal_all(semaphores, parameters, count);
}

COMMAND(cuSignalExternalSemaphoresAsync)(const CUexternalSemaphore *semaphores, const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *parameters,
    unsigned count, CUstream stream) {
    (void)stream;
    return signal_on_stream(semaphores, parameters, count, "cuSignalExternalSemaphoresAsync");
}

COMMAND(cuSignalExternalSemaphoresAsync_ptsz)(const CUexternalSemaphore *semaphores,
    const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *parameters, unsigned count, CUstream stream) {
    (void)stream;
    return signal_on_stream(semaphores, parameters, count, "cuSignalExternalSemaphoresAsync_ptsz");
}

static status wait_on_stream(
    const CUexternalSemaphore *semaphores, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *parameters, unsigned count) {
    WATCHED(cuWaitExternalSemaphoresAsync);
    NEEDS_CONTEXT;
    MAY_FAIL;
    return wait_all(semaphores, parameters, count);
}

COMMAND(cuWaitExternalSemaphoresAsync)(const CUexternalSemaphore *semaphores, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *parameters,
    unsigned count, CUstream stream) {
    (void)stream;
    return wait_on_stream(semaphores, parameters, count);
}

COMMAND(cuWaitExternalSemaphoresAsync_ptsz)(const CUexternalSemaphore *semaphores, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *parameters,
    unsigned count, CUstream stream) {
    (void)stream;
    return wait_on_stream(semaphores, parameters, count);
}

/* A semaphore that somebody else imported, of any type. */
void *mock_semaphore(unsigned type);
void *mock_semaphore(unsigned type) {
    LOCKED;
    return make(SEMAPHORE, type, 0);
}

/* The memory that somebody else imported, of any type. */
void *mock_memory(unsigned type, unsigned long long size);
void *mock_memory(unsigned type, unsigned long long size) {
    LOCKED;
    return make(MEMORY, type, size);
}

static int clean_memory(const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *given, const union handle *handle) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC expected;
    memset(&expected, 0, sizeof expected);
    expected.type = given->type;
    expected.size = given->size;
    expected.flags = given->flags;
    memcpy(&expected.handle, handle, sizeof *handle);
    return clean(given, &expected, sizeof expected);
}

COMMAND(cuImportExternalMemory)(CUexternalMemory *memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *descriptor) {
    WATCHED(cuImportExternalMemory);
    NEEDS_CONTEXT;
    keep_descriptor(descriptor, sizeof *descriptor);
    int known = descriptor->type >= 1 && descriptor->type <= 9;
    enum carrier carrier = known ? memory_carriers[descriptor->type] : NO_SUCH_TYPE;
    union handle handle = only(carrier, &descriptor->handle);
    if ((status)told == UNKNOWN && descriptor->type == 1) closed_on_failure(carrier, &handle);
    MAY_FAIL_WITH(memory, (CUexternalMemory)0xdead, NULL);
    if (!known || descriptor->size == 0) return INVALID_VALUE;
    if ((descriptor->flags & ~CUDA_EXTERNAL_MEMORY_DEDICATED) != 0 || !clean_memory(descriptor, &handle)) return INVALID_VALUE;
    void *kept = NULL;
    status taken = take(carrier, &handle, &kept);
    if (taken != SUCCESS) return taken;
    struct object *made = make(MEMORY, descriptor->type, descriptor->size);
    made->kept = kept;
    *memory = (CUexternalMemory)made;
    return SUCCESS;
}

COMMAND(cuDestroyExternalMemory)(CUexternalMemory memory) {
    WATCHED(cuDestroyExternalMemory);
    MAY_FAIL;
    NEEDS_CONTEXT;
    return unmake(memory, MEMORY);
}

COMMAND(cuExternalMemoryGetMappedBuffer)(
    CUdeviceptr *address, CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *descriptor) {
    WATCHED(cuExternalMemoryGetMappedBuffer);
    NEEDS_CONTEXT;
    keep_descriptor(descriptor, sizeof *descriptor);
    MAY_FAIL_WITH(address, 0xdead, 0);
    struct object *object = find_object(memory, MEMORY);
    if (object == NULL) return INVALID_HANDLE;
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC expected;
    memset(&expected, 0, sizeof expected);
    expected.offset = descriptor->offset;
    expected.size = descriptor->size;
    if (!clean(descriptor, &expected, sizeof expected)) return INVALID_VALUE;
    if (descriptor->offset + descriptor->size > object->size) return INVALID_VALUE;
    *address = make_at_an_address(BUFFER, 0, descriptor->size)->address;
    return SUCCESS;
}

COMMAND(cuExternalMemoryGetMappedMipmappedArray)(
    CUmipmappedArray *array, CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *descriptor) {
    WATCHED(cuExternalMemoryGetMappedMipmappedArray);
    NEEDS_CONTEXT;
    keep_descriptor(descriptor, sizeof *descriptor);
    MAY_FAIL_WITH(array, (CUmipmappedArray)0xdead, NULL);
    if (find_object(memory, MEMORY) == NULL) return INVALID_HANDLE;
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC expected;
    memset(&expected, 0, sizeof expected);
    expected.offset = descriptor->offset;
    expected.arrayDesc = descriptor->arrayDesc;
    expected.numLevels = descriptor->numLevels;
    if (!clean(descriptor, &expected, sizeof expected)) return INVALID_VALUE;
    *array = make(ARRAY, 0, descriptor->numLevels);
    return SUCCESS;
}

COMMAND(cuMipmappedArrayGetLevel)(CUarray *level, CUmipmappedArray array, unsigned number) {
    QUIET(cuMipmappedArrayGetLevel);
    MAY_FAIL_WITH(level, (CUarray)0xdead, NULL);
    struct object *object = find_object(array, ARRAY);
    if (object == NULL) return INVALID_HANDLE;
    if (number >= object->size) return INVALID_VALUE;
    *level = (CUarray)((char *)array + 1 + number);
    return SUCCESS;
}

COMMAND(cuMipmappedArrayDestroy)(CUmipmappedArray array) {
    WATCHED(cuMipmappedArrayDestroy);
    MAY_FAIL;
    NEEDS_CONTEXT;
    return unmake(array, ARRAY);
}
