/*
 * What CUDA itself shares between processes, in the mock driver: allocations and where they are mapped, pools, ranges of addresses, memory and
 * events by 64 bytes, multicast objects and logical endpoints.
 *
 * Bytes that stand for a handle are of one value for each sort, so that those of another sort are refused.
 */
enum { ALLOCATION = 0xa110, RESERVATION = 0x4e5e, MAPPING = 0x3a99, POOL = 0x9001, POOLED = 0x900a, OPENED = 0x09e4, EVENT_OBJECT = 0xe7e4 };
enum { GRANULARITY = 4096, FABRIC = CU_MEM_HANDLE_TYPE_FABRIC };

/* The last access that was set, and for which device. */
unsigned mock_access = 0;
int mock_access_device = -1;

static int clean_properties(const CUmemAllocationProp *given) {
    CUmemAllocationProp expected;
    memset(&expected, 0, sizeof expected);
    expected.type = given->type;
    expected.requestedHandleTypes = given->requestedHandleTypes;
    expected.location = given->location;
    expected.win32HandleMetaData = given->win32HandleMetaData;
    return clean(given, &expected, sizeof expected);
}

COMMAND(cuMemGetAllocationGranularity)(
    size_t *granularity, const CUmemAllocationProp *properties, CUmemAllocationGranularity_flags option) {
    QUIET(cuMemGetAllocationGranularity);
    MAY_FAIL_WITH(granularity, 77, 0);
    if (option > 1 || !clean_properties(properties)) return INVALID_VALUE;
    *granularity = GRANULARITY;
    return SUCCESS;
}

COMMAND(cuMemCreate)(
    CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *properties, unsigned long long flags) {
    WATCHED(cuMemCreate);
    keep_descriptor(properties, sizeof *properties);
    MAY_FAIL_WITH(handle, 0xdead, 0);
    if (flags != 0 || size == 0 || properties->type != 1 || properties->location.type != 1) return INVALID_VALUE;
    if (!clean_properties(properties)) return INVALID_VALUE;
    *handle = (uintptr_t)make(ALLOCATION, properties->requestedHandleTypes, size);
    return SUCCESS;
}

COMMAND(cuMemRelease)(CUmemGenericAllocationHandle handle) {
    WATCHED(cuMemRelease);
    MAY_FAIL;
    return unmake((void *)(uintptr_t)handle, ALLOCATION) == SUCCESS ? SUCCESS : INVALID_VALUE;
}

/* Through a pointer to nothing in particular: for a fabric handle 64 bytes, else what the system has for the type. */
static status give(void *out, unsigned type) {
    if (out == NULL) return INVALID_VALUE;
    if (type != FABRIC) return give_allocation(type, out);
    memset(out, 0xfa, sizeof(CUmemFabricHandle));
    return SUCCESS;
}

static status take_shared(unsigned type, void *carried, void **kept) {
    if (type != FABRIC) return take_allocation(type, carried, kept);
    return carried != NULL && *(unsigned char *)carried == 0xfa ? SUCCESS : INVALID_VALUE;
}

COMMAND(cuMemExportToShareableHandle)(
    void *out, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type, unsigned long long flags) {
    QUIET(cuMemExportToShareableHandle);
    MAY_FAIL;
    /* One of the types that it was made for. Tests of the look-up of commands have no allocation. */
    const struct object *object = find_object((void *)(uintptr_t)handle, ALLOCATION);
    if (flags != 0 || (object != NULL && (object->type & type) == 0)) return INVALID_VALUE;
    return give(out, type);
}

COMMAND(cuMemImportFromShareableHandle)(CUmemGenericAllocationHandle *handle, void *carried, CUmemAllocationHandleType type) {
    WATCHED(cuMemImportFromShareableHandle);
    void *kept = NULL;
    MAY_FAIL_WITH(handle, 0xdead, 0);
    if (take_shared(type, carried, &kept) != SUCCESS) return INVALID_VALUE;
    struct object *made = make(ALLOCATION, type, 1 << 30);
    made->kept = kept;
    *handle = (uintptr_t)made;
    return SUCCESS;
}

COMMAND(cuMemAddressReserve)(CUdeviceptr *address, size_t size, size_t alignment, CUdeviceptr hint, unsigned long long flags) {
    WATCHED(cuMemAddressReserve);
    (void)alignment, (void)hint;
    MAY_FAIL_WITH(address, 0xdead, 0);
    if (size == 0 || size % GRANULARITY != 0 || flags != 0) return INVALID_VALUE;
    *address = make_at_an_address(RESERVATION, 0, size)->address;
    return SUCCESS;
}

COMMAND(cuMemAddressFree)(CUdeviceptr address, size_t size) {
    WATCHED(cuMemAddressFree);
    MAY_FAIL;
    struct object *reservation = find_range(RESERVATION, address, size);
    if (reservation == NULL || reservation->address != address || reservation->size != size) return INVALID_VALUE;
    /* What is mapped goes first. */
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        const struct object *mapping = objects[i];
        if (mapping != NULL && mapping->magic == MAPPING && mapping->address - address < size) return INVALID_VALUE;
    }
    return unmake(reservation, RESERVATION);
}

COMMAND(cuMemMap)(
    CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags) {
    WATCHED(cuMemMap);
    MAY_FAIL;
    struct object *allocation = find_object((void *)(uintptr_t)handle, ALLOCATION);
    if (allocation == NULL || flags != 0 || size == 0 || size % GRANULARITY != 0 || offset + size > allocation->size) return INVALID_VALUE;
    if (find_range(RESERVATION, address, size) == NULL) return INVALID_VALUE;
    struct object *mapping = make(MAPPING, 0, size);
    mapping->address = address;
    return SUCCESS;
}

COMMAND(cuMemSetAccess)(CUdeviceptr address, size_t size, const CUmemAccessDesc *descriptors, size_t count) {
    WATCHED(cuMemSetAccess);
    MAY_FAIL;
    if (find_range(MAPPING, address, size) == NULL || count == 0) return INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        if (descriptors[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE) return INVALID_VALUE;
        mock_access = descriptors[i].flags;
        mock_access_device = descriptors[i].location.id;
    }
    return SUCCESS;
}

COMMAND(cuMemUnmap)(CUdeviceptr address, size_t size) {
    WATCHED(cuMemUnmap);
    MAY_FAIL;
    struct object *mapping = find_range(MAPPING, address, size);
    if (mapping == NULL || mapping->address != address || mapping->size != size) return INVALID_VALUE;
    return unmake(mapping, MAPPING);
}

COMMAND(cuMemGetHandleForAddressRange)(
    void *handle, CUdeviceptr address, size_t size, CUmemRangeHandleType type, unsigned long long flags) {
    WATCHED(cuMemGetHandleForAddressRange);
    MAY_FAIL;
    if (handle == NULL || type != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD || flags > 1) return INVALID_VALUE;
    if (find_range(MAPPING, address, size) == NULL && find_range(POOLED, address, size) == NULL) return INVALID_VALUE;
    return give_allocation(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, handle);
}

COMMAND(cuMemPoolCreate)(CUmemoryPool *pool, const CUmemPoolProps *properties) {
    WATCHED(cuMemPoolCreate);
    keep_descriptor(properties, sizeof *properties);
    MAY_FAIL_WITH(pool, (CUmemoryPool)0xdead, NULL);
    CUmemPoolProps expected;
    memset(&expected, 0, sizeof expected);
    expected.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    expected.handleTypes = properties->handleTypes;
    expected.location = properties->location;
    expected.win32SecurityAttributes = properties->win32SecurityAttributes;
    expected.maxSize = properties->maxSize;
    if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !clean(properties, &expected, sizeof expected)) return INVALID_VALUE;
    *pool = (CUmemoryPool)make(POOL, properties->handleTypes, 0);
    return SUCCESS;
}

COMMAND(cuMemPoolDestroy)(CUmemoryPool pool) {
    WATCHED(cuMemPoolDestroy);
    MAY_FAIL;
    return unmake(pool, POOL) == SUCCESS ? SUCCESS : INVALID_VALUE;
}

COMMAND(cuMemPoolExportToShareableHandle)(
    void *out, CUmemoryPool pool, CUmemAllocationHandleType type, unsigned long long flags) {
    WATCHED(cuMemPoolExportToShareableHandle);
    MAY_FAIL;
    struct object *object = find_object(pool, POOL);
    if (object == NULL || (object->type & type) == 0 || flags != 0) return INVALID_VALUE;
    return give(out, type);
}

COMMAND(cuMemPoolImportFromShareableHandle)(
    CUmemoryPool *pool, void *carried, CUmemAllocationHandleType type, unsigned long long flags) {
    WATCHED(cuMemPoolImportFromShareableHandle);
    void *kept = NULL;
    MAY_FAIL_WITH(pool, (CUmemoryPool)0xdead, NULL);
    if (flags != 0 || take_shared(type, carried, &kept) != SUCCESS) return INVALID_VALUE;
    struct object *made = make(POOL, 0, 0);
    made->kept = kept;
    *pool = (CUmemoryPool)made;
    return SUCCESS;
}

/* One that was imported, which no type of handle is requested of, gives no memory. */
static status allocate(CUdeviceptr *address, size_t size, CUmemoryPool pool) {
    WATCHED(cuMemAllocFromPoolAsync);
    NEEDS_CONTEXT;
    MAY_FAIL_WITH(address, 0xdead, 0);
    struct object *object = find_object(pool, POOL);
    if (object == NULL || object->type == 0 || size == 0) return INVALID_VALUE;
    *address = make_at_an_address(POOLED, 0, size)->address;
    return SUCCESS;
}

COMMAND(cuMemAllocFromPoolAsync)(CUdeviceptr *address, size_t size, CUmemoryPool pool, CUstream stream) {
    (void)stream;
    return allocate(address, size, pool);
}

COMMAND(cuMemAllocFromPoolAsync_ptsz)(CUdeviceptr *address, size_t size, CUmemoryPool pool, CUstream stream) {
    (void)stream;
    return allocate(address, size, pool);
}

COMMAND(cuMemPoolExportPointer)(CUmemPoolPtrExportData *data, CUdeviceptr address) {
    WATCHED(cuMemPoolExportPointer);
    MAY_FAIL_WITH(data->reserved, 0x5a, 0);
    if (find_range(POOLED, address, 1) == NULL) return INVALID_VALUE;
    memset(data, 0x94, sizeof *data);
    return SUCCESS;
}

COMMAND(cuMemPoolImportPointer)(CUdeviceptr *address, CUmemoryPool pool, CUmemPoolPtrExportData *data) {
    WATCHED(cuMemPoolImportPointer);
    MAY_FAIL_WITH(address, 0xdead, 0);
    if (find_object(pool, POOL) == NULL || data->reserved[63] != 0x94) return INVALID_VALUE;
    *address = make_at_an_address(POOLED, 0, 64)->address;
    return SUCCESS;
}

/* Of buffers that external memory is mapped to, and of memory of a pool. */
COMMAND(cuMemFree_v2)(CUdeviceptr address) {
    WATCHED(cuMemFree);
    MAY_FAIL;
    NEEDS_CONTEXT;
    struct object *buffer = find_range(BUFFER, address, 0), *pooled = find_range(POOLED, address, 0);
    if (buffer != NULL && buffer->address == address) return unmake(buffer, BUFFER);
    return pooled != NULL && pooled->address == address ? unmake(pooled, POOLED) : INVALID_VALUE;
}

COMMAND(cuMulticastCreate)(CUmemGenericAllocationHandle *handle, const CUmulticastObjectProp *properties) {
    WATCHED(cuMulticastCreate);
    keep_descriptor(properties, sizeof *properties);
    MAY_FAIL_WITH(handle, 0xdead, 0);
    if (properties->numDevices == 0 || properties->size == 0 || properties->flags != 0) return INVALID_VALUE;
    *handle = (uintptr_t)make(ALLOCATION, (unsigned)properties->handleTypes, properties->size);
    return SUCCESS;
}

COMMAND(cuMulticastGetGranularity)(size_t *granularity, const CUmulticastObjectProp *properties, CUmulticastGranularity_flags option) {
    WATCHED(cuMulticastGetGranularity);
    MAY_FAIL_WITH(granularity, 77, 0);
    if (properties->flags != 0 || option > 1) return INVALID_VALUE;
    *granularity = GRANULARITY;
    return SUCCESS;
}

COMMAND(cuLogicalEndpointExport)(void *handle, CUlogicalEndpointId id, CUlogicalEndpointIpcHandleType type) {
    WATCHED(cuLogicalEndpointExport);
    MAY_FAIL;
    if (handle == NULL || id == 0 || type != CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_FABRIC) return INVALID_VALUE;
    memset(handle, 0x1e, sizeof(CUlogicalEndpointFabricHandle));
    return SUCCESS;
}

COMMAND(cuLogicalEndpointImport)(CUlogicalEndpointId id, const void *handle, CUlogicalEndpointIpcHandleType type) {
    WATCHED(cuLogicalEndpointImport);
    MAY_FAIL;
    if (id == 0 || type != CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_FABRIC) return INVALID_VALUE;
    return handle != NULL && *(const unsigned char *)handle == 0x1e ? SUCCESS : INVALID_VALUE;
}

COMMAND(cuIpcGetMemHandle)(CUipcMemHandle *handle, CUdeviceptr address) {
    WATCHED(cuIpcGetMemHandle);
    MAY_FAIL_WITH(handle->reserved, 0x5a, 0);
    memset(handle, 0x3e, sizeof *handle);
    return address == 0 ? INVALID_VALUE : SUCCESS;
}

COMMAND(cuIpcOpenMemHandle_v2)(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags) {
    WATCHED(cuIpcOpenMemHandle);
    MAY_FAIL_WITH(address, 0xdead, 0);
    NEEDS_CONTEXT;
    if (flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS || handle.reserved[63] != 0x3e) return INVALID_VALUE;
    *address = make_at_an_address(OPENED, 0, 0)->address;
    return SUCCESS;
}

COMMAND(cuIpcCloseMemHandle)(CUdeviceptr address) {
    WATCHED(cuIpcCloseMemHandle);
    MAY_FAIL;
    NEEDS_CONTEXT;
    struct object *opened = find_range(OPENED, address, 0);
    return opened == NULL ? INVALID_VALUE : unmake(opened, OPENED);
}

COMMAND(cuIpcGetEventHandle)(CUipcEventHandle *handle, CUevent event) {
    WATCHED(cuIpcGetEventHandle);
    MAY_FAIL_WITH(handle->reserved, 0x5a, 0);
    memset(handle, 0x4e, sizeof *handle);
    return event == NULL ? INVALID_HANDLE : SUCCESS;
}

COMMAND(cuIpcOpenEventHandle)(CUevent *event, CUipcEventHandle handle) {
    WATCHED(cuIpcOpenEventHandle);
    MAY_FAIL_WITH(event, (CUevent)0xdead, NULL);
    NEEDS_CONTEXT;
    if (handle.reserved[63] != 0x4e) return INVALID_HANDLE;
    *event = make(EVENT_OBJECT, 0, 0);
    return SUCCESS;
}

COMMAND(cuEventDestroy_v2)(CUevent event) {
    WATCHED(cuEventDestroy);
    MAY_FAIL;
    NEEDS_CONTEXT;
    return unmake(event, EVENT_OBJECT);
}
