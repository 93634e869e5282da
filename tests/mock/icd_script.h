/*
 * What tests tell the mock ICD to do, and what it tells them: scripted failures, the journal of calls, the objects that are alive.
 *
 * Included by icd.c alone.
 */
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Non-zero: a command that fails by script writes garbage to every output, the object that it returns among them. */
int mock_garbage = 0;
/* Non-zero: a command that fails by script does not write errcode_ret. */
int mock_silent = 0;
/* Non-zero: what creates an object reports success and gives none. */
int mock_gives_nothing = 0;
/* Non-zero: an import that fails by script has closed the file descriptor that it was given. */
int mock_closes_on_failure = 0;
/* Non-zero: a sync fd that is exported from a semaphore that is signalled is -1. */
int mock_exports_minus_one = 0;
/* A number that an export of a file descriptor gives, whatever it refers to; INT_MIN for what was exported. */
int mock_exported_number = INT_MIN;
/* What is added to each size that a query reports. */
int mock_size_error = 0;
/* The size of a handle that an export reports; 0 for the right one. */
int mock_handle_size = 0;
/* How often a function of one platform was called with an object of another. */
int mock_mixed_up = 0;
/* Non-zero: calls are not written down, so that a test may make many. */
int mock_quiet = 0;

/* One lock for all: held while a command runs. Commands do not call each other. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Objects. */

enum kind { PLATFORM, DEVICE, CONTEXT, QUEUE, EVENT, MEMORY, SEMAPHORE, KINDS };
static const char *const kind_names[KINDS] = {"platform", "device", "context", "queue", "event", "memory", "semaphore"};

/* How every object begins. The loader reads the first member, and loaders of a later version may write the second. */
struct object {
    const cl_icd_dispatch *dispatch;
    void *dispatch_data;
    enum kind kind;
    unsigned platform;
    unsigned number;
    unsigned references;
    struct object *next;
};

static struct object *alive = NULL;
static unsigned made[KINDS];
/* Objects that were made and not destroyed, by kind. */
int mock_alive[KINDS];

static void enlist(struct object *object, const cl_icd_dispatch *dispatch, enum kind kind, unsigned platform) {
    *object = (struct object){dispatch, NULL, kind, platform, ++made[kind], 1, alive};
    alive = object;
    mock_alive[kind]++;
}

/* The object behind a handle, if it is alive. The handle is not followed before that is known. */
static void *find(const void *handle, enum kind kind) {
    for (struct object *object = alive; object != NULL; object = object->next) {
        if (object == handle) return object->kind == kind ? object : NULL;
    }
    return NULL;
}

/* Whether that was the last reference: the object is then out of the list, and the caller frees it. */
static int unreference(struct object *object) {
    if (--object->references > 0) return 0;
    struct object **at = &alive;
    while (*at != object) at = &(*at)->next;
    *at = object->next;
    mock_alive[object->kind]--;
    return 1;
}

/* The journal: a line a call, "command(name=value, …) = code". Objects are named by kind and number, lists of words in hexadecimal. */

static char *journal = NULL;
static size_t journal_length = 0, journal_room = 0;
static int journal_first_argument = 0;

static void vput(const char *format, va_list values) {
    va_list again;
    va_copy(again, values);
    int length = vsnprintf(NULL, 0, format, values);
    if (journal_length + (size_t)length + 1 > journal_room) {
        journal_room = (journal_length + (size_t)length + 1) * 2;
        journal = realloc(journal, journal_room);
        if (journal == NULL) abort();
    }
    vsnprintf(journal + journal_length, (size_t)length + 1, format, again);
    journal_length += (size_t)length;
    va_end(again);
}

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...) {
    if (mock_quiet) return;
    va_list values;
    va_start(values, format);
    vput(format, values);
    va_end(values);
}

static void begin(const char *command) {
    pthread_mutex_lock(&lock);
    journal_first_argument = 1;
    put("%s(", command);
}

static void name(const char *parameter) {
    put("%s%s=", journal_first_argument ? "" : ", ", parameter);
    journal_first_argument = 0;
}

__attribute__((format(printf, 2, 3))) static void argument(const char *parameter, const char *format, ...) {
    if (mock_quiet) return;
    name(parameter);
    va_list values;
    va_start(values, format);
    vput(format, values);
    va_end(values);
}

static void put_object(const void *handle) {
    for (struct object *object = alive; object != NULL; object = object->next) {
        if (object == handle) {
            put("%s%u", kind_names[object->kind], object->number);
            return;
        }
    }
    if (handle == NULL) put("NULL");
    else put("%p", handle);
}

static void object_argument(const char *parameter, const void *handle) {
    name(parameter);
    put_object(handle);
}

static void objects_argument(const char *parameter, cl_uint count, const void *handles) {
    name(parameter);
    if (handles == NULL) {
        put("NULL");
        return;
    }
    put("[");
    for (cl_uint i = 0; i < count; i++) {
        put("%s", i == 0 ? "" : ", ");
        put_object(((void *const *)handles)[i]);
    }
    put("]");
}

static void words_argument(const char *parameter, size_t count, const cl_ulong *words) {
    name(parameter);
    if (words == NULL) {
        put("NULL");
        return;
    }
    put("[");
    for (size_t i = 0; i < count; i++) put("%s0x%llx", i == 0 ? "" : ", ", (unsigned long long)words[i]);
    put("]");
}

static cl_int end(cl_int code) {
    put(") = %d\n", code);
    pthread_mutex_unlock(&lock);
    return code;
}

static void *end_with(void *object, cl_int code, cl_int *errcode_ret) {
    if (code == CL_SUCCESS && mock_gives_nothing) object = NULL;
    if (errcode_ret != NULL && (code == CL_SUCCESS || !mock_silent)) *errcode_ret = code;
    if (code != CL_SUCCESS) object = mock_garbage ? (void *)(uintptr_t)0xBADBAD8 : NULL;
    end(code);
    return object;
}

/* Every call so far. The text is good until the next call. */
const char *mock_journal(void) { return journal == NULL ? "" : journal; }

void mock_clear_journal(void) {
    journal_length = 0;
    if (journal != NULL) journal[0] = 0;
}

/* Failures. */

static struct failure { char command[64]; cl_int code; unsigned after, times; } failures[64];

/* `command` fails with `code`, after it has worked `after` times, `times` times; 0 for ever. The code CL_SUCCESS takes it back. */
void mock_fail(const char *command, cl_int code, unsigned after, unsigned times) {
    struct failure *place = NULL;
    for (size_t i = sizeof failures / sizeof *failures; i-- > 0;) {
        if (failures[i].command[0] == 0 && place == NULL) place = &failures[i];
        if (strcmp(failures[i].command, command) == 0) {
            place = &failures[i];
            break;
        }
    }
    if (place == NULL) abort();
    *place = (struct failure){.code = code, .after = after, .times = times};
    if (code != CL_SUCCESS) snprintf(place->command, sizeof place->command, "%s", command);
}

/* The code by which a command shall fail now, or CL_SUCCESS. */
static cl_int scripted(const char *command) {
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        struct failure *failure = &failures[i];
        if (strcmp(failure->command, command) != 0) continue;
        if (failure->after > 0) {
            failure->after--;
            return CL_SUCCESS;
        }
        cl_int code = failure->code;
        if (failure->times == 1) failure->command[0] = 0;
        else if (failure->times > 1) failure->times--;
        return code;
    }
    return CL_SUCCESS;
}

/* Queries. */

static cl_int answer(const void *value, size_t length, size_t room, void *out, size_t *size_ret) {
    if (out != NULL && room < length) return CL_INVALID_VALUE;
    if (out != NULL && length > 0) memcpy(out, value, length);
    if (size_ret != NULL) *size_ret = length + (size_t)(ptrdiff_t)mock_size_error;
    return CL_SUCCESS;
}

static cl_int answer_text(const char *text, size_t room, void *out, size_t *size_ret) {
    return answer(text, strlen(text) + 1, room, out, size_ret);
}

/* A query that fails. */
static cl_int refuse_query(cl_int code, size_t room, void *out, size_t *size_ret) {
    if (mock_garbage) {
        if (out != NULL) memset(out, 0xAB, room);
        if (size_ret != NULL) *size_ret = SIZE_MAX - 7;
    }
    return code;
}

/* Answers that tests set: by platform, device (-1 for the platform itself) and parameter. A code other than CL_SUCCESS refuses. */
static struct set_answer { unsigned platform; int device; cl_uint parameter; cl_int code; size_t length; char value[512]; } answers[128];

void mock_answer(unsigned platform, int device, cl_uint parameter, cl_int code, const void *value, size_t length) {
    struct set_answer *free_one = NULL;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct set_answer *one = &answers[i];
        if (one->parameter == 0) {
            if (free_one == NULL) free_one = one;
        } else if (one->platform == platform && one->device == device && one->parameter == parameter) {
            free_one = one;
            break;
        }
    }
    if (free_one == NULL || length > sizeof free_one->value) abort();
    *free_one = (struct set_answer){.platform = platform, .device = device, .parameter = parameter, .code = code, .length = length};
    if (length > 0) memcpy(free_one->value, value, length);
}

static const struct set_answer *set_answer(unsigned platform, int device, cl_uint parameter) {
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        const struct set_answer *one = &answers[i];
        if (one->parameter == parameter && one->platform == platform && one->device == device) return one;
    }
    return NULL;
}
