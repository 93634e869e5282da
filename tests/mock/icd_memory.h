/*
 * Memory of the mock ICD: buffers and images, imported from handles or not, and what acquires and releases them.
 *
 * Included by icd.c alone. A file descriptor that is imported is closed at once, and a duplicate of it kept: its number is the driver's.
 */

enum {
    MEMORY_OPAQUE_FD = 0x2060, MEMORY_WIN32 = 0x2061, MEMORY_WIN32_KMT = 0x2062, MEMORY_DMA_BUF = 0x2067, MEMORY_WIN32_NAME = 0x2069,
    MEMORY_ANDROID = 0x2070, MEMORY_DEVICES = 0x2051,
    COMMAND_ACQUIRE = 0x2047, COMMAND_RELEASE = 0x2048,
};

enum { LONGEST_LIST = 64 };

struct _cl_mem {
    struct object base;
    cl_context context;
    cl_mem_object_type type;
    cl_mem_flags flags;
    size_t size;
    cl_mem_properties properties[LONGEST_LIST];
    size_t property_words;
    cl_ulong handle_type; /* 0 for memory that is not imported */
    int kept;             /* the payload's number, or -1 */
    int acquired;
};

/* How many words a property list has, terminator included: `list_keys` are the properties whose value is a list with a zero at its end. */
static size_t list_length(const cl_ulong *list, const cl_ulong *list_keys) {
    size_t at = 0;
    if (list == NULL) return 0;
    while (at < LONGEST_LIST && list[at] != 0) {
        int is_list = 0;
        for (const cl_ulong *key = list_keys; *key != 0; key++) is_list |= *key == list[at];
        at++;
        if (!is_list) at++;
        else while (at < LONGEST_LIST && list[at++] != 0) {}
    }
    return at < LONGEST_LIST ? at + 1 : LONGEST_LIST;
}

/* What every import does with a file descriptor that it was given. */
static int take(int fd) {
    int own = duplicate(fd);
    close(fd);
    return own;
}

static int is_memory_handle(cl_ulong key) {
    switch (key) {
    case MEMORY_OPAQUE_FD: case MEMORY_WIN32: case MEMORY_WIN32_KMT: case MEMORY_DMA_BUF: case MEMORY_WIN32_NAME: case MEMORY_ANDROID:
        return 1;
    default: return 0;
    }
}

/* The code by which a list is refused; else what is in it. The last of several handles counts. */
static cl_int read_memory_properties(const cl_mem_properties *list, cl_ulong *handle_type, cl_ulong *handle) {
    *handle_type = 0;
    for (size_t at = 0; list != NULL && list[at] != 0;) {
        cl_ulong key = list[at++];
        if (key == MEMORY_DEVICES) {
            while (list[at] != 0) {
                if (find((void *)(uintptr_t)list[at++], DEVICE) == NULL) return CL_INVALID_DEVICE;
            }
            at++;
        } else if (is_memory_handle(key)) {
            if (*handle_type != 0) return CL_INVALID_PROPERTY;
            *handle_type = key;
            *handle = list[at++];
        } else {
            return CL_INVALID_PROPERTY;
        }
    }
    return CL_SUCCESS;
}

static int carries_fd(cl_ulong handle_type) { return handle_type == MEMORY_OPAQUE_FD || handle_type == MEMORY_DMA_BUF; }

/* The name behind a pointer, which is followed: ASCII of UTF-16, up to its zero. */
static void put_name(cl_ulong handle) {
    const uint16_t *unit = (const uint16_t *)(uintptr_t)handle;
    name("name");
    put("\"");
    for (; *unit != 0; unit++) put(*unit < 128 ? "%c" : "\\u%04x", *unit);
    put("\"");
}

static cl_mem create_memory(const char *command, cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                            cl_mem_object_type type, size_t size, cl_int *errcode_ret) {
    cl_ulong handle_type = 0, handle = 0;
    cl_int failure = scripted(command);
    cl_int code = read_memory_properties(properties, &handle_type, &handle);
    if (find(context, CONTEXT) == NULL) code = CL_INVALID_CONTEXT;
    if (code == CL_SUCCESS && handle_type == MEMORY_WIN32_NAME) put_name(handle);
    if (code == CL_SUCCESS && carries_fd(handle_type) && !is_open((int)handle)) code = CL_INVALID_PROPERTY;
    if (failure != CL_SUCCESS) {
        if (code == CL_SUCCESS && carries_fd(handle_type) && mock_closes_on_failure) close((int)handle);
        code = failure;
    }
    int kept = -1;
    if (code == CL_SUCCESS && (handle_type == MEMORY_WIN32 || handle_type == MEMORY_WIN32_NAME))
        code = take_windows(handle, handle_type == MEMORY_WIN32_NAME, &kept);
    if (code != CL_SUCCESS) return end_with(NULL, code, errcode_ret);
    if (carries_fd(handle_type)) kept = take((int)handle);
    if (mock_gives_nothing) {
        if (kept >= 0) close(kept);
        return end_with(NULL, CL_SUCCESS, errcode_ret);
    }
    cl_mem memory = calloc(1, sizeof *memory);
    enlist(&memory->base, &dispatch, MEMORY, context->base.platform);
    memory->context = context;
    context->base.references++;
    memory->type = type;
    memory->flags = flags;
    memory->size = handle_type == MEMORY_ANDROID ? 4096 : size;
    memory->property_words = list_length(properties, (const cl_ulong[]){MEMORY_DEVICES, 0});
    if (memory->property_words > 0) memcpy(memory->properties, properties, memory->property_words * sizeof *properties);
    memory->handle_type = handle_type;
    memory->kept = kept;
    return end_with(memory, CL_SUCCESS, errcode_ret);
}

static void memory_arguments(const char *command, cl_context context, const cl_mem_properties *properties, cl_mem_flags flags) {
    begin(command);
    object_argument("context", context);
    words_argument("properties", list_length(properties, (const cl_ulong[]){MEMORY_DEVICES, 0}), properties);
    argument("flags", "0x%llx", (unsigned long long)flags);
}

cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                                size_t size, void *host_ptr, cl_int *errcode_ret) {
    const char *command = "clCreateBufferWithProperties";
    memory_arguments(command, context, properties, flags);
    argument("size", "%zu", size);
    argument("host_ptr", host_ptr == NULL ? "NULL" : "set");
    return create_memory(command, context, properties, flags, CL_MEM_OBJECT_BUFFER, size, errcode_ret);
}

cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret) {
    memory_arguments("clCreateBuffer", context, NULL, flags);
    argument("size", "%zu", size);
    argument("host_ptr", host_ptr == NULL ? "NULL" : "set");
    return create_memory("clCreateBuffer", context, NULL, flags, CL_MEM_OBJECT_BUFFER, size, errcode_ret);
}

cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                               const cl_image_format *format, const cl_image_desc *desc, void *host_ptr,
                                               cl_int *errcode_ret) {
    const char *command = "clCreateImageWithProperties";
    memory_arguments(command, context, properties, flags);
    if (format == NULL) argument("image_format", "NULL");
    else argument("image_format", "{0x%x, 0x%x}", format->image_channel_order, format->image_channel_data_type);
    if (desc == NULL) argument("image_desc", "NULL");
    else
        argument("image_desc", "{0x%x, %zu, %zu, %zu, %zu, %zu, %zu, %u, %u, %p}", desc->image_type, desc->image_width,
                 desc->image_height, desc->image_depth, desc->image_array_size, desc->image_row_pitch, desc->image_slice_pitch,
                 desc->num_mip_levels, desc->num_samples, (void *)desc->mem_object);
    argument("host_ptr", host_ptr == NULL ? "NULL" : "set");
    cl_mem_object_type type = desc == NULL ? CL_MEM_OBJECT_IMAGE2D : desc->image_type;
    size_t size = desc == NULL ? 0 : desc->image_row_pitch * desc->image_height;
    return create_memory(command, context, properties, flags, type, size, errcode_ret);
}

cl_int CL_API_CALL clRetainMemObject(cl_mem memory) { return retain("clRetainMemObject", memory, MEMORY, CL_INVALID_MEM_OBJECT); }

cl_int CL_API_CALL clReleaseMemObject(cl_mem memory) {
    cl_int code;
    cl_mem found = to_release("clReleaseMemObject", memory, MEMORY, CL_INVALID_MEM_OBJECT, &code);
    if (found != NULL && unreference(&found->base)) {
        if (found->kept >= 0) close(found->kept);
        release_context(found->context);
        free(found);
    }
    return end(code);
}

cl_int CL_API_CALL clGetMemObjectInfo(cl_mem memory, cl_mem_info what, size_t room, void *out, size_t *size_ret) {
    begin("clGetMemObjectInfo");
    object_argument("memory", memory);
    argument("param_name", "0x%x", what);
    cl_int code = scripted("clGetMemObjectInfo");
    cl_mem found = find(memory, MEMORY);
    if (code == CL_SUCCESS && found == NULL) code = CL_INVALID_MEM_OBJECT;
    if (code != CL_SUCCESS) return end(refuse_query(code, room, out, size_ret));
    switch (what) {
    case CL_MEM_TYPE: code = answer(&found->type, sizeof found->type, room, out, size_ret); break;
    case CL_MEM_FLAGS: code = answer(&found->flags, sizeof found->flags, room, out, size_ret); break;
    case CL_MEM_SIZE: code = answer(&found->size, sizeof found->size, room, out, size_ret); break;
    case CL_MEM_CONTEXT: code = answer(&found->context, sizeof found->context, room, out, size_ret); break;
    case CL_MEM_REFERENCE_COUNT: code = answer_reference_count(&found->base, room, out, size_ret); break;
    case CL_MEM_PROPERTIES:
        code = answer(found->properties, found->property_words * sizeof *found->properties, room, out, size_ret);
        break;
    default: code = CL_INVALID_VALUE;
    }
    return end(code);
}

/* Functions of an extension: each platform has its own, and they know whose they are. */

static int is_foreign(unsigned platform, const struct object *object) {
    if (object->platform == platform) return 0;
    mock_mixed_up++;
    return 1;
}

static cl_int transfer_memory(unsigned platform, const char *command, cl_command_type type, cl_command_queue queue, cl_uint count,
                              const cl_mem *memory, cl_uint wait_count, const cl_event *wait_list, cl_event *event) {
    begin(command);
    object_argument("command_queue", queue);
    objects_argument("mem_objects", count, memory);
    cl_int code = check_wait_list(wait_count, wait_list);
    if ((memory == NULL) != (count == 0)) code = CL_INVALID_VALUE;
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++) {
        cl_mem found = find(memory[i], MEMORY);
        if (found == NULL || found->handle_type == 0) code = CL_INVALID_MEM_OBJECT;
        else if (is_foreign(platform, &found->base)) code = CL_INVALID_OPERATION;
    }
    cl_command_queue found = find(queue, QUEUE);
    if (found == NULL) code = CL_INVALID_COMMAND_QUEUE;
    else if (is_foreign(platform, &found->base)) code = CL_INVALID_OPERATION;
    cl_int failure = scripted(command);
    if (failure != CL_SUCCESS) code = failure;
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++) memory[i]->acquired += type == COMMAND_ACQUIRE ? 1 : -1;
    return end_enqueued(code, queue, type, 0, NULL, event);
}

/* How often memory was acquired and not released. */
int mock_acquired(cl_mem memory) {
    cl_mem found = find(memory, MEMORY);
    return found == NULL ? -1 : found->acquired;
}
