/*
 * Events of the mock ICD, and what every command for a queue ends with.
 *
 * Included by icd.c alone. An event that waits for a file descriptor is complete as soon as that can be read.
 */

static cl_event new_event(cl_context context, cl_command_queue queue, cl_command_type type) {
    cl_event event = calloc(1, sizeof *event);
    enlist(&event->base, &dispatch, EVENT, context->base.platform);
    event->context = context;
    context->base.references++;
    event->queue = queue;
    if (queue != NULL) queue->base.references++;
    event->type = type;
    return event;
}

/* The arguments that every command for a queue ends with, and whether they are good. */
static cl_int check_wait_list(cl_uint count, const cl_event *events) {
    objects_argument("event_wait_list", count, events);
    if ((events == NULL) != (count == 0)) return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < count; i++) {
        if (find(events[i], EVENT) == NULL) return CL_INVALID_EVENT_WAIT_LIST;
        if (events[i]->status < 0) return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    return CL_SUCCESS;
}

/* Ends a command for a queue, which waits for the `pending` file descriptors. */
static cl_int end_enqueued(cl_int code, cl_command_queue queue, cl_command_type type, unsigned pending_count, const int *pending,
                           cl_event *event) {
    name("event");
    put(event == NULL ? "NULL" : "wanted");
    if (code != CL_SUCCESS) {
        if (event != NULL && mock_garbage) *event = (cl_event)(uintptr_t)0xBADBAD8;
        return end(code);
    }
    for (unsigned i = 0; i < pending_count && queue->pending_count < MOST_PENDING; i++) {
        queue->pending[queue->pending_count++] = duplicate(pending[i]);
    }
    if (event != NULL) {
        *event = mock_gives_nothing ? NULL : new_event(queue->context, queue, type);
        for (unsigned i = 0; *event != NULL && i < pending_count; i++) (*event)->pending[i] = duplicate(pending[i]);
        if (*event != NULL) (*event)->pending_count = pending_count;
    }
    return end(CL_SUCCESS);
}

cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *events, cl_event *event) {
    begin("clEnqueueMarkerWithWaitList");
    object_argument("command_queue", queue);
    cl_int code = check_wait_list(count, events);
    if (find(queue, QUEUE) == NULL) code = CL_INVALID_COMMAND_QUEUE;
    cl_int failure = scripted("clEnqueueMarkerWithWaitList");
    return end_enqueued(failure != CL_SUCCESS ? failure : code, queue, CL_COMMAND_MARKER, 0, NULL, event);
}

cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int *errcode_ret) {
    begin("clCreateUserEvent");
    object_argument("context", context);
    cl_int code = scripted("clCreateUserEvent");
    if (code == CL_SUCCESS && find(context, CONTEXT) == NULL) code = CL_INVALID_CONTEXT;
    if (code != CL_SUCCESS) return end_with(NULL, code, errcode_ret);
    cl_event event = new_event(context, NULL, CL_COMMAND_USER);
    event->status = CL_SUBMITTED;
    return end_with(event, CL_SUCCESS, errcode_ret);
}

cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int status) {
    begin("clSetUserEventStatus");
    object_argument("event", event);
    argument("status", "%d", status);
    cl_int code = scripted("clSetUserEventStatus");
    cl_event found = find(event, EVENT);
    if (code == CL_SUCCESS && found == NULL) code = CL_INVALID_EVENT;
    if (code == CL_SUCCESS) found->status = status;
    return end(code);
}

cl_int CL_API_CALL clRetainEvent(cl_event event) { return retain("clRetainEvent", event, EVENT, CL_INVALID_EVENT); }

cl_int CL_API_CALL clReleaseEvent(cl_event event) {
    cl_int code;
    cl_event found = to_release("clReleaseEvent", event, EVENT, CL_INVALID_EVENT, &code);
    if (found != NULL && unreference(&found->base)) {
        drop_all(found->pending, &found->pending_count);
        if (found->queue != NULL) release_queue(found->queue);
        release_context(found->context);
        free(found);
    }
    return end(code);
}

static cl_int status_of(cl_event event, int patience) {
    settle(event->pending, &event->pending_count, patience);
    return event->pending_count > 0 ? CL_SUBMITTED : event->status;
}

cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info what, size_t room, void *out, size_t *size_ret) {
    begin("clGetEventInfo");
    object_argument("event", event);
    argument("param_name", "0x%x", what);
    cl_int code = scripted("clGetEventInfo");
    cl_event found = find(event, EVENT);
    if (code == CL_SUCCESS && found == NULL) code = CL_INVALID_EVENT;
    if (code != CL_SUCCESS) return end(refuse_query(code, room, out, size_ret));
    cl_int status = status_of(found, 0);
    switch (what) {
    case CL_EVENT_COMMAND_QUEUE: code = answer(&found->queue, sizeof found->queue, room, out, size_ret); break;
    case CL_EVENT_CONTEXT: code = answer(&found->context, sizeof found->context, room, out, size_ret); break;
    case CL_EVENT_COMMAND_TYPE: code = answer(&found->type, sizeof found->type, room, out, size_ret); break;
    case CL_EVENT_COMMAND_EXECUTION_STATUS: code = answer(&status, sizeof status, room, out, size_ret); break;
    case CL_EVENT_REFERENCE_COUNT: code = answer_reference_count(&found->base, room, out, size_ret); break;
    default: code = CL_INVALID_VALUE;
    }
    return end(code);
}

cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event *events) {
    begin("clWaitForEvents");
    objects_argument("events", count, events);
    cl_int code = scripted("clWaitForEvents");
    if (code == CL_SUCCESS && (count == 0 || events == NULL)) code = CL_INVALID_VALUE;
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++) {
        if (find(events[i], EVENT) == NULL) code = CL_INVALID_EVENT;
        else if (status_of(events[i], PATIENCE) < 0) code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    return end(code);
}
