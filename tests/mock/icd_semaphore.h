/*
 * Semaphores of the mock ICD, over real file descriptors: an eventfd stands in for a sync file and for an opaque descriptor.
 *
 * Included by icd.c alone. What has a payload is a descriptor that can be read once it is signalled. Importing a sync fd keeps a duplicate
 * of it until a wait or an export consumes it; an opaque descriptor is shared by all who import it, so that the two sides see each other.
 */

enum {
    SEMAPHORE_CONTEXT = 0x2039, SEMAPHORE_REFERENCE_COUNT = 0x203A, SEMAPHORE_PROPERTIES = 0x203B, SEMAPHORE_PAYLOAD = 0x203C,
    SEMAPHORE_TYPE = 0x203D, SEMAPHORE_EXPORT_TYPES = 0x203F, SEMAPHORE_TYPE_BINARY = 1, SEMAPHORE_DEVICES = 0x2053,
    SEMAPHORE_EXPORTABLE = 0x2054,
    SEMAPHORE_OPAQUE_FD = 0x2055, SEMAPHORE_WIN32 = 0x2056, SEMAPHORE_WIN32_KMT = 0x2057, SEMAPHORE_SYNC_FD = 0x2058,
    SEMAPHORE_D3D12_FENCE = 0x2059, SEMAPHORE_WIN32_NAME = 0x2068,
    COMMAND_WAIT = 0x2042, COMMAND_SIGNAL = 0x2043,
    INVALID_SEMAPHORE = -1142,
};

struct _cl_semaphore_khr {
    struct object base;
    cl_context context;
    cl_ulong properties[LONGEST_LIST];
    size_t property_words;
    cl_ulong type, handle_type, payload;
    cl_ulong export_types[LONGEST_LIST], devices[LONGEST_LIST];
    size_t export_count, device_count;
    int shared; /* the payload of a semaphore that is shared by reference; else -1 */
    int pending; /* what was imported and not waited for; else -1 */
};

static const cl_ulong semaphore_lists[] = {SEMAPHORE_EXPORT_TYPES, SEMAPHORE_DEVICES, 0};

static int is_semaphore_handle(cl_ulong key) {
    return (key >= SEMAPHORE_OPAQUE_FD && key <= SEMAPHORE_D3D12_FENCE) || key == SEMAPHORE_WIN32_NAME;
}

/* Reads a list into a semaphore. It refuses what no driver could work with, and leaves the rest to the checker that it serves. */
static cl_int read_semaphore_properties(const cl_ulong *list, struct _cl_semaphore_khr *into, cl_ulong *handle) {
    if (list == NULL || list[0] == 0) return CL_INVALID_VALUE;
    for (size_t at = 0; list[at] != 0;) {
        cl_ulong key = list[at++];
        if (key == SEMAPHORE_TYPE) {
            into->type = list[at++];
        } else if (key == SEMAPHORE_EXPORT_TYPES) {
            while (list[at] != 0) into->export_types[into->export_count++] = list[at++];
            at++;
        } else if (key == SEMAPHORE_DEVICES) {
            while (list[at] != 0) into->devices[into->device_count++] = list[at++];
            at++;
        } else if (is_semaphore_handle(key)) {
            into->handle_type = key;
            *handle = list[at++];
        } else {
            return CL_INVALID_PROPERTY;
        }
    }
    return into->type == 0 ? CL_INVALID_VALUE : CL_SUCCESS;
}

/* The code by which a descriptor is refused. */
static cl_int check_fd(cl_ulong handle_type, int fd, cl_int invalid) {
    if (handle_type == SEMAPHORE_SYNC_FD && fd == -1) return CL_SUCCESS;
    return is_open(fd) ? CL_SUCCESS : invalid;
}

static int carries_semaphore_fd(cl_ulong handle_type) {
    return handle_type == SEMAPHORE_SYNC_FD || handle_type == SEMAPHORE_OPAQUE_FD;
}

/* Puts what was imported into the semaphore: −1 is a payload that is signalled already. */
static void import_fd(struct _cl_semaphore_khr *semaphore, int fd) {
    if (semaphore->handle_type == SEMAPHORE_OPAQUE_FD) {
        semaphore->shared = take(fd);
        return;
    }
    if (semaphore->pending >= 0) close(semaphore->pending);
    semaphore->pending = fd == -1 ? eventfd(1, EFD_CLOEXEC) : take(fd);
}

static cl_semaphore_khr create_semaphore(unsigned platform, cl_context context, const cl_ulong *list, cl_int *errcode_ret) {
    const char *command = "clCreateSemaphoreWithPropertiesKHR";
    struct _cl_semaphore_khr made_of = {.shared = -1, .pending = -1};
    cl_ulong handle = 0;
    begin(command);
    object_argument("context", context);
    words_argument("sema_props", list_length(list, semaphore_lists), list);
    cl_int failure = scripted(command);
    cl_int code = read_semaphore_properties(list, &made_of, &handle);
    if (find(context, CONTEXT) == NULL) code = CL_INVALID_CONTEXT;
    else if (is_foreign(platform, &context->base)) code = CL_INVALID_OPERATION;
    int fd = carries_semaphore_fd(made_of.handle_type) ? (int)handle : -1;
    if (code == CL_SUCCESS && carries_semaphore_fd(made_of.handle_type)) code = check_fd(made_of.handle_type, fd, CL_INVALID_PROPERTY);
    if (code == CL_SUCCESS && made_of.handle_type == SEMAPHORE_WIN32_NAME) put_name(handle);
    if (failure != CL_SUCCESS) {
        if (code == CL_SUCCESS && fd >= 0 && mock_closes_on_failure) close(fd);
        code = failure;
    }
    int shared = -1;
    cl_ulong type = made_of.handle_type;
    if (code == CL_SUCCESS && (type == SEMAPHORE_WIN32 || type == SEMAPHORE_D3D12_FENCE || type == SEMAPHORE_WIN32_NAME))
        code = take_windows(handle, type == SEMAPHORE_WIN32_NAME, &shared);
    if (code != CL_SUCCESS) return end_with(NULL, code, errcode_ret);
    if (mock_gives_nothing) {
        if (fd >= 0) close(fd);
        if (shared >= 0) close(shared);
        return end_with(NULL, CL_SUCCESS, errcode_ret);
    }
    cl_semaphore_khr semaphore = malloc(sizeof *semaphore);
    *semaphore = made_of;
    semaphore->shared = shared;
    enlist(&semaphore->base, &dispatch, SEMAPHORE, platform);
    semaphore->context = context;
    context->base.references++;
    semaphore->property_words = list_length(list, semaphore_lists);
    memcpy(semaphore->properties, list, semaphore->property_words * sizeof *list);
    if (carries_semaphore_fd(semaphore->handle_type)) import_fd(semaphore, fd);
    if (semaphore->shared < 0 && semaphore->pending < 0) semaphore->shared = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return end_with(semaphore, CL_SUCCESS, errcode_ret);
}

static int is_signaled(cl_semaphore_khr semaphore) {
    return is_ready(semaphore->pending >= 0 ? semaphore->pending : semaphore->shared, 0);
}

/* What a wait does to the payload, and an export of a copy. */
static void consume(cl_semaphore_khr semaphore) {
    uint64_t count;
    if (semaphore->pending >= 0) {
        close(semaphore->pending);
        semaphore->pending = -1;
        if (semaphore->shared < 0) semaphore->shared = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    } else if (is_ready(semaphore->shared, 0) && read(semaphore->shared, &count, sizeof count) < 0) {
        abort();
    }
}

static void signal_payload(cl_semaphore_khr semaphore) {
    const uint64_t one = 1;
    if (semaphore->pending >= 0) consume(semaphore);
    if (!is_ready(semaphore->shared, 0) && write(semaphore->shared, &one, sizeof one) < 0) abort();
}

static cl_int enqueue(unsigned platform, const char *command, cl_command_type type, cl_command_queue queue, cl_uint count,
                      const cl_semaphore_khr *semaphores, const cl_ulong *payloads, cl_uint wait_count, const cl_event *wait_list,
                      cl_event *event) {
    begin(command);
    object_argument("command_queue", queue);
    objects_argument("sema_objects", count, semaphores);
    words_argument("sema_payload_list", count, payloads);
    cl_int code = check_wait_list(wait_count, wait_list);
    if (count == 0 || semaphores == NULL) code = CL_INVALID_VALUE;
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++) {
        cl_semaphore_khr found = find(semaphores[i], SEMAPHORE);
        if (found == NULL) code = INVALID_SEMAPHORE;
        else if (is_foreign(platform, &found->base)) code = CL_INVALID_OPERATION;
        else if (found->handle_type == SEMAPHORE_D3D12_FENCE && payloads == NULL) code = CL_INVALID_VALUE;
    }
    cl_command_queue found = find(queue, QUEUE);
    if (found == NULL) code = CL_INVALID_COMMAND_QUEUE;
    else if (is_foreign(platform, &found->base)) code = CL_INVALID_OPERATION;
    cl_int failure = scripted(command);
    if (failure != CL_SUCCESS) code = failure;
    int pending[MOST_PENDING];
    unsigned pending_count = 0;
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++) {
        cl_semaphore_khr semaphore = semaphores[i];
        if (payloads != NULL) semaphore->payload = payloads[i];
        if (type == COMMAND_SIGNAL) signal_payload(semaphore);
        else if (semaphore->pending >= 0 && !is_ready(semaphore->pending, 0) && pending_count < MOST_PENDING)
            pending[pending_count++] = duplicate(semaphore->pending);
        if (type == COMMAND_WAIT) consume(semaphore);
    }
    code = end_enqueued(code, queue, type, pending_count, pending, event);
    drop_all(pending, &pending_count);
    return code;
}

static cl_int semaphore_info(unsigned platform, cl_semaphore_khr semaphore, cl_uint what, size_t room, void *out, size_t *size_ret) {
    const char *command = "clGetSemaphoreInfoKHR";
    begin(command);
    object_argument("semaphore", semaphore);
    argument("param_name", "0x%x", what);
    cl_int code = scripted(command);
    cl_semaphore_khr found = find(semaphore, SEMAPHORE);
    if (code == CL_SUCCESS && found == NULL) code = INVALID_SEMAPHORE;
    else if (code == CL_SUCCESS && is_foreign(platform, &found->base)) code = CL_INVALID_OPERATION;
    if (code != CL_SUCCESS) return end(refuse_query(code, room, out, size_ret));
    cl_uint number = what == SEMAPHORE_TYPE ? (cl_uint)found->type : found->export_count > 0;
    cl_ulong payload = found->handle_type == SEMAPHORE_D3D12_FENCE ? found->payload : (cl_ulong)is_signaled(found);
    cl_uint types[LONGEST_LIST];
    cl_device_id devices[LONGEST_LIST];
    for (size_t i = 0; i < found->export_count; i++) types[i] = (cl_uint)found->export_types[i];
    for (size_t i = 0; i < found->device_count; i++) devices[i] = (cl_device_id)(uintptr_t)found->devices[i];
    size_t device_count = found->device_count;
    if (device_count == 0) {
        device_count = found->context->device_count;
        memcpy(devices, found->context->devices, device_count * sizeof *devices);
    }
    switch (what) {
    case SEMAPHORE_CONTEXT: code = answer(&found->context, sizeof found->context, room, out, size_ret); break;
    case SEMAPHORE_REFERENCE_COUNT: code = answer_reference_count(&found->base, room, out, size_ret); break;
    case SEMAPHORE_PROPERTIES: code = answer(found->properties, found->property_words * sizeof *found->properties, room, out, size_ret); break;
    case SEMAPHORE_TYPE:
    case SEMAPHORE_EXPORTABLE: code = answer(&number, sizeof number, room, out, size_ret); break;
    case SEMAPHORE_PAYLOAD: code = answer(&payload, sizeof payload, room, out, size_ret); break;
    case SEMAPHORE_EXPORT_TYPES: code = answer(types, found->export_count * sizeof *types, room, out, size_ret); break;
    case SEMAPHORE_DEVICES: code = answer(devices, device_count * sizeof *devices, room, out, size_ret); break;
    default: code = CL_INVALID_VALUE;
    }
    return end(code);
}

static cl_int retain_semaphore(unsigned platform, cl_semaphore_khr semaphore) {
    begin("clRetainSemaphoreKHR");
    object_argument("semaphore", semaphore);
    cl_int code = scripted("clRetainSemaphoreKHR");
    cl_semaphore_khr found = find(semaphore, SEMAPHORE);
    if (code == CL_SUCCESS && found == NULL) code = INVALID_SEMAPHORE;
    else if (code == CL_SUCCESS && is_foreign(platform, &found->base)) code = CL_INVALID_OPERATION;
    if (code == CL_SUCCESS) found->base.references++;
    return end(code);
}

static cl_int release_semaphore(unsigned platform, cl_semaphore_khr semaphore) {
    cl_int code;
    cl_semaphore_khr found = to_release("clReleaseSemaphoreKHR", semaphore, SEMAPHORE, INVALID_SEMAPHORE, &code);
    if (found != NULL && is_foreign(platform, &found->base)) return end(CL_INVALID_OPERATION);
    if (found != NULL && unreference(&found->base)) {
        if (found->shared >= 0) close(found->shared);
        if (found->pending >= 0) close(found->pending);
        release_context(found->context);
        free(found);
    }
    return end(code);
}

static cl_int export_semaphore(unsigned platform, cl_semaphore_khr semaphore, cl_device_id device, cl_uint type, size_t room,
                               void *out, size_t *size_ret) {
    const char *command = "clGetSemaphoreHandleForTypeKHR";
    begin(command);
    object_argument("sema_object", semaphore);
    object_argument("device", device);
    argument("handle_type", "0x%x", type);
    argument("handle_size", "%zu", room);
    argument("handle_ptr", out == NULL ? "NULL" : "set");
    cl_int code = scripted(command);
    cl_semaphore_khr found = find(semaphore, SEMAPHORE);
    int may = 0;
    for (size_t i = 0; found != NULL && i < found->export_count; i++) may |= found->export_types[i] == type;
    int is_fd = carries_semaphore_fd(type);
    size_t size = is_fd ? sizeof(int) : type == SEMAPHORE_WIN32_KMT ? sizeof(uint32_t) : sizeof(void *);
    if (code != CL_SUCCESS) return end(refuse_query(code, room, out, size_ret));
    if (found == NULL) return end(INVALID_SEMAPHORE);
    if (is_foreign(platform, &found->base)) return end(CL_INVALID_OPERATION);
    if (find(device, DEVICE) == NULL || !has_device(found->context, device)) return end(CL_INVALID_DEVICE);
    if (!may || (out != NULL && room < size)) return end(CL_INVALID_VALUE);
    if (size_ret != NULL) *size_ret = mock_handle_size != 0 ? (size_t)mock_handle_size : size;
    if (out == NULL) return end(CL_SUCCESS);
    if (!is_fd) {
        const uint32_t global = 0x1000 + found->base.number;
        void *const handle = type == SEMAPHORE_WIN32_KMT ? NULL : give_windows(found->shared, found->base.number);
        memcpy(out, type == SEMAPHORE_WIN32_KMT ? (const void *)&global : &handle, size);
        return end(CL_SUCCESS);
    }
    int fd = -1;
    if (type == SEMAPHORE_OPAQUE_FD) {
        fd = duplicate(found->shared);
    } else {
        int signaled = is_signaled(found);
        if (!signaled || !mock_exports_minus_one) {
            fd = found->pending >= 0 ? duplicate(found->pending) : eventfd(signaled ? 1 : 0, EFD_CLOEXEC);
        }
        consume(found);
    }
    if (mock_exported_number != INT_MIN) {
        if (fd >= 0) close(fd);
        fd = mock_exported_number;
    }
    memcpy(out, &fd, sizeof fd);
    return end(CL_SUCCESS);
}

static cl_int reimport(unsigned platform, cl_semaphore_khr semaphore, const cl_ulong *properties, int fd) {
    const char *command = "clReImportSemaphoreSyncFdKHR";
    begin(command);
    object_argument("sema_object", semaphore);
    words_argument("reimport_props", list_length(properties, (const cl_ulong[]){0}), properties);
    argument("fd", "%d", fd);
    cl_int failure = scripted(command), code = CL_SUCCESS;
    cl_semaphore_khr found = find(semaphore, SEMAPHORE);
    if (found == NULL || found->handle_type != SEMAPHORE_SYNC_FD) code = INVALID_SEMAPHORE;
    else if (is_foreign(platform, &found->base)) code = CL_INVALID_OPERATION;
    else code = check_fd(SEMAPHORE_SYNC_FD, fd, CL_INVALID_VALUE);
    if (failure != CL_SUCCESS) {
        if (code == CL_SUCCESS && fd >= 0 && mock_closes_on_failure) close(fd);
        return end(failure);
    }
    if (code == CL_SUCCESS) import_fd(found, fd);
    return end(code);
}
