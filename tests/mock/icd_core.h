/*
 * The core of the mock ICD: contexts and queues, as far as commands of extensions need them.
 *
 * Included by icd.c alone.
 */
enum { MOST_DEVICES = 2, MOST_PLATFORMS = 2, MOST_PENDING = 16 };

struct _cl_device_id {
    struct object base;
    int index;
};

struct _cl_platform_id {
    struct object base;
    struct _cl_device_id devices[MOST_DEVICES];
};

struct _cl_context {
    struct object base;
    cl_device_id devices[MOST_DEVICES];
    cl_uint device_count;
};

struct _cl_command_queue {
    struct object base;
    cl_context context;
    cl_device_id device;
    int pending[MOST_PENDING]; /* what commands of it wait for */
    unsigned pending_count;
};

struct _cl_event {
    struct object base;
    cl_context context;
    cl_command_queue queue; /* NULL for a user event */
    cl_command_type type;
    cl_int status;
    int pending[MOST_PENDING];
    unsigned pending_count;
};

/* Forgets what can be read by now. Waits for the rest, if it has patience. */
static void settle(int *pending, unsigned *count, int patience) {
    unsigned left = 0;
    for (unsigned i = 0; i < *count; i++) {
        if (is_ready(pending[i], patience)) close(pending[i]);
        else pending[left++] = pending[i];
    }
    *count = left;
}

static void drop_all(int *pending, unsigned *count) {
    for (unsigned i = 0; i < *count; i++) close(pending[i]);
    *count = 0;
}

/* Contexts. */

static struct _cl_platform_id platforms[MOST_PLATFORMS];
static const cl_icd_dispatch dispatch;

cl_context CL_API_CALL clCreateContext(const cl_context_properties *properties, cl_uint num_devices, const cl_device_id *devices,
                                       void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user_data,
                                       cl_int *errcode_ret) {
    (void)notify, (void)user_data;
    begin("clCreateContext");
    size_t words = 0;
    while (properties != NULL && properties[words] != 0) words += 2;
    argument("properties", "%zu words", properties == NULL ? 0 : words + 1);
    objects_argument("devices", num_devices, devices);
    cl_int code = scripted("clCreateContext");
    if (code == CL_SUCCESS && (devices == NULL || num_devices == 0 || num_devices > MOST_DEVICES)) code = CL_INVALID_VALUE;
    for (cl_uint i = 0; code == CL_SUCCESS && i < num_devices; i++) {
        if (find(devices[i], DEVICE) == NULL || devices[i]->base.platform != devices[0]->base.platform) code = CL_INVALID_DEVICE;
    }
    if (code != CL_SUCCESS) return end_with(NULL, code, errcode_ret);
    cl_context context = calloc(1, sizeof *context);
    enlist(&context->base, &dispatch, CONTEXT, devices[0]->base.platform);
    memcpy(context->devices, devices, num_devices * sizeof *devices);
    context->device_count = num_devices;
    return end_with(context, CL_SUCCESS, errcode_ret);
}

static void release_context(cl_context context) {
    if (unreference(&context->base)) free(context);
}

static cl_int retain(const char *command, void *handle, enum kind kind, cl_int invalid) {
    begin(command);
    object_argument(kind_names[kind], handle);
    cl_int code = scripted(command);
    struct object *object = find(handle, kind);
    if (code == CL_SUCCESS && object == NULL) code = invalid;
    if (code == CL_SUCCESS) object->references++;
    return end(code);
}

/* The object that a command releases, or NULL with the code by which it fails. */
static void *to_release(const char *command, void *handle, enum kind kind, cl_int invalid, cl_int *code) {
    begin(command);
    object_argument(kind_names[kind], handle);
    *code = scripted(command);
    void *object = find(handle, kind);
    if (*code == CL_SUCCESS && object == NULL) *code = invalid;
    return *code == CL_SUCCESS ? object : NULL;
}

cl_int CL_API_CALL clRetainContext(cl_context context) { return retain("clRetainContext", context, CONTEXT, CL_INVALID_CONTEXT); }

cl_int CL_API_CALL clReleaseContext(cl_context context) {
    cl_int code;
    cl_context found = to_release("clReleaseContext", context, CONTEXT, CL_INVALID_CONTEXT, &code);
    if (found != NULL) release_context(found);
    return end(code);
}

static cl_int answer_reference_count(const struct object *object, size_t room, void *out, size_t *size_ret) {
    cl_uint count = object->references;
    return answer(&count, sizeof count, room, out, size_ret);
}

cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info what, size_t room, void *out, size_t *size_ret) {
    begin("clGetContextInfo");
    object_argument("context", context);
    argument("param_name", "0x%x", what);
    cl_int code = scripted("clGetContextInfo");
    cl_context found = find(context, CONTEXT);
    if (code == CL_SUCCESS && found == NULL) code = CL_INVALID_CONTEXT;
    if (code != CL_SUCCESS) return end(refuse_query(code, room, out, size_ret));
    switch (what) {
    case CL_CONTEXT_REFERENCE_COUNT: code = answer_reference_count(&found->base, room, out, size_ret); break;
    case CL_CONTEXT_NUM_DEVICES: code = answer(&found->device_count, sizeof found->device_count, room, out, size_ret); break;
    case CL_CONTEXT_DEVICES: code = answer(found->devices, found->device_count * sizeof *found->devices, room, out, size_ret); break;
    case CL_CONTEXT_PROPERTIES: code = answer(NULL, 0, room, out, size_ret); break;
    default: code = CL_INVALID_VALUE;
    }
    return end(code);
}

/* Queues. */

static int has_device(cl_context context, cl_device_id device) {
    for (cl_uint i = 0; i < context->device_count; i++) {
        if (context->devices[i] == device) return 1;
    }
    return 0;
}

cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                const cl_queue_properties *properties, cl_int *errcode_ret) {
    begin("clCreateCommandQueueWithProperties");
    object_argument("context", context);
    object_argument("device", device);
    size_t words = 0;
    while (properties != NULL && properties[words] != 0) words += 2;
    words_argument("properties", words + 1, properties);
    cl_int code = scripted("clCreateCommandQueueWithProperties");
    if (code == CL_SUCCESS && find(context, CONTEXT) == NULL) code = CL_INVALID_CONTEXT;
    if (code == CL_SUCCESS && (find(device, DEVICE) == NULL || !has_device(context, device))) code = CL_INVALID_DEVICE;
    if (code != CL_SUCCESS) return end_with(NULL, code, errcode_ret);
    cl_command_queue queue = calloc(1, sizeof *queue);
    enlist(&queue->base, &dispatch, QUEUE, context->base.platform);
    queue->context = context;
    queue->device = device;
    context->base.references++;
    return end_with(queue, CL_SUCCESS, errcode_ret);
}

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                                                  cl_int *errcode_ret) {
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    return clCreateCommandQueueWithProperties(context, device, list, errcode_ret);
}

cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue queue) {
    return retain("clRetainCommandQueue", queue, QUEUE, CL_INVALID_COMMAND_QUEUE);
}

static void release_queue(cl_command_queue queue) {
    if (!unreference(&queue->base)) return;
    drop_all(queue->pending, &queue->pending_count);
    release_context(queue->context);
    free(queue);
}

cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue) {
    cl_int code;
    cl_command_queue found = to_release("clReleaseCommandQueue", queue, QUEUE, CL_INVALID_COMMAND_QUEUE, &code);
    if (found != NULL) release_queue(found);
    return end(code);
}

cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info what, size_t room, void *out,
                                         size_t *size_ret) {
    begin("clGetCommandQueueInfo");
    object_argument("queue", queue);
    argument("param_name", "0x%x", what);
    cl_int code = scripted("clGetCommandQueueInfo");
    cl_command_queue found = find(queue, QUEUE);
    if (code == CL_SUCCESS && found == NULL) code = CL_INVALID_COMMAND_QUEUE;
    if (code != CL_SUCCESS) return end(refuse_query(code, room, out, size_ret));
    switch (what) {
    case CL_QUEUE_CONTEXT: code = answer(&found->context, sizeof found->context, room, out, size_ret); break;
    case CL_QUEUE_DEVICE: code = answer(&found->device, sizeof found->device, room, out, size_ret); break;
    case CL_QUEUE_REFERENCE_COUNT: code = answer_reference_count(&found->base, room, out, size_ret); break;
    default: code = CL_INVALID_VALUE;
    }
    return end(code);
}

/* Waits for as long as a test may take; a command that is never to be done is a test that failed. */
enum { PATIENCE = 20000 };

static cl_int finish(const char *command, cl_command_queue queue, int patience) {
    begin(command);
    object_argument("queue", queue);
    cl_int code = scripted(command);
    cl_command_queue found = find(queue, QUEUE);
    if (code == CL_SUCCESS && found == NULL) code = CL_INVALID_COMMAND_QUEUE;
    if (code == CL_SUCCESS) {
        settle(found->pending, &found->pending_count, patience);
        if (patience > 0 && found->pending_count > 0) code = CL_OUT_OF_RESOURCES;
    }
    return end(code);
}

cl_int CL_API_CALL clFlush(cl_command_queue queue) { return finish("clFlush", queue, 0); }
cl_int CL_API_CALL clFinish(cl_command_queue queue) { return finish("clFinish", queue, PATIENCE); }
