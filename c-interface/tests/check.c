/*
 * The checker from C: a descriptor that breaks the rules of its handle type, right ones, property lists, and every way to call it wrong.
 *
 * The records are written by hand, as a program has them from its own headers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clcu_check.h"

typedef struct {
    unsigned type;
    union {
        int fd;
        struct {
            void *handle;
            const void *name;
        } win32;
        const void *nv_sci_sync;
    } handle;
    unsigned flags;
    unsigned reserved[16];
} semaphore_descriptor;

enum { OPAQUE_FD = 1, OPAQUE_WIN32 = 2, OPAQUE_WIN32_KMT = 3 };

static int failures = 0;

static void expect_at(int line, int holds, const char *what) {
    if (!holds) {
        failures++;
        printf("check.c:%d: %s\n", line, what);
    }
}
#define EXPECT(condition) expect_at(__LINE__, (condition), #condition)

static const char *const NAME = "CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC";

static clcu_result *checked(const clcu_context *context, const semaphore_descriptor *descriptor) {
    clcu_result *result = NULL;
    clcu_status status = clcu_check_record(context, NAME, descriptor, sizeof *descriptor, &result);
    EXPECT(status == CLCU_OK);
    if (status != CLCU_OK) exit(1);
    return result;
}

/* Whether a rule whose id ends like this is broken. */
static int breaks(const clcu_result *result, const char *end) {
    for (size_t i = 0; i < clcu_result_violation_count(result); i++) {
        clcu_violation violation;
        EXPECT(clcu_result_violation(result, i, &violation) == CLCU_OK);
        size_t length = strlen(violation.rule), tail = strlen(end);
        if (length >= tail && strcmp(violation.rule + length - tail, end) == 0) return 1;
    }
    return 0;
}

static size_t count_of(clcu_result *result) {
    size_t count = clcu_result_violation_count(result);
    clcu_result_free(result);
    return count;
}

static semaphore_descriptor zeroed(unsigned type) {
    semaphore_descriptor descriptor;
    memset(&descriptor, 0, sizeof descriptor);
    descriptor.type = type;
    return descriptor;
}

/* A11: handle and name are alternatives, and a KMT handle has no name. */
static void descriptors(void) {
    int object = 0;
    const uint16_t name[] = {'a', 0};
    semaphore_descriptor descriptor = zeroed(OPAQUE_WIN32);

    clcu_result *neither = checked(NULL, &descriptor);
    EXPECT(breaks(neither, "OPAQUE_WIN32/exactly-one"));
    clcu_violation violation;
    EXPECT(clcu_result_violation(neither, 0, &violation) == CLCU_OK);
    EXPECT(strcmp(violation.rule, "cuda/CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC/OPAQUE_WIN32/exactly-one") == 0);
    EXPECT(strcmp(violation.field, "handle.win32.handle handle.win32.name") == 0);
    EXPECT(strlen(violation.found) > 0 && strlen(violation.wanted) > 0);
    EXPECT(clcu_result_violation(neither, 1, &violation) == CLCU_OUT_OF_RANGE);
    EXPECT(count_of(neither) == 1);

    descriptor.handle.win32.handle = &object;
    descriptor.handle.win32.name = name;
    clcu_result *both = checked(NULL, &descriptor);
    EXPECT(breaks(both, "OPAQUE_WIN32/exactly-one"));
    clcu_result_free(both);

    descriptor.handle.win32.name = NULL;
    EXPECT(count_of(checked(NULL, &descriptor)) == 0);
    descriptor.handle.win32.handle = NULL;
    descriptor.handle.win32.name = name;
    EXPECT(count_of(checked(NULL, &descriptor)) == 0);

    descriptor = zeroed(OPAQUE_WIN32_KMT);
    descriptor.handle.win32.handle = &object;
    EXPECT(count_of(checked(NULL, &descriptor)) == 0);
    descriptor.handle.win32.name = name;
    EXPECT(count_of(checked(NULL, &descriptor)) > 0);

    /* Several faults come at once. */
    descriptor = zeroed(OPAQUE_FD);
    descriptor.handle.fd = -1;
    descriptor.reserved[15] = 7;
    EXPECT(count_of(checked(NULL, &descriptor)) == 2);
    descriptor.handle.fd = 3;
    descriptor.reserved[15] = 0;
    EXPECT(count_of(checked(NULL, &descriptor)) == 0);

    /* No alignment is needed. */
    unsigned char bytes[sizeof descriptor + 1];
    memcpy(bytes + 1, &descriptor, sizeof descriptor);
    clcu_result *result = NULL;
    EXPECT(clcu_check_record(NULL, NAME, bytes + 1, sizeof descriptor, &result) == CLCU_OK);
    EXPECT(count_of(result) == 0);
}

static void waivers_and_facts(void) {
    clcu_context *context = NULL;
    EXPECT(clcu_context_new(&context) == CLCU_OK);
    semaphore_descriptor descriptor = zeroed(OPAQUE_WIN32);
    EXPECT(clcu_context_waive(context, "cuda/CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC/OPAQUE_WIN32/exactly-one") == CLCU_OK);
    EXPECT(count_of(checked(context, &descriptor)) == 0);
    EXPECT(clcu_context_waive(context, "cuda/no-such-rule") == CLCU_UNKNOWN_NAME);

    /* Which semaphore a signal is for decides what it must hold: without the fact, rules come back as not checked. */
    unsigned char signal[144] = {0};
    signal[72] = 0x80; /* a flag that no signal has */
    clcu_result *result = NULL;
    EXPECT(clcu_check_record(NULL, "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS", signal, sizeof signal, &result) == CLCU_OK);
    clcu_undecided undecided;
    EXPECT(clcu_result_violation_count(result) == 0 && clcu_result_not_checked_count(result) == 2);
    EXPECT(clcu_result_not_checked(result, 0, &undecided) == CLCU_OK);
    EXPECT(strcmp(undecided.missing, "semaphore_handle_type") == 0 && strcmp(undecided.field, "flags") == 0);
    EXPECT(clcu_result_not_checked(result, 2, &undecided) == CLCU_OUT_OF_RANGE);
    clcu_result_free(result);
    EXPECT(clcu_context_number(context, "semaphore_handle_type", OPAQUE_FD) == CLCU_OK);
    EXPECT(clcu_check_record(context, "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS", signal, sizeof signal, &result) == CLCU_OK);
    EXPECT(clcu_result_violation_count(result) == 1 && breaks(result, "SIGNAL_PARAMS/flags-zero"));
    clcu_result_free(result);

    const uint64_t types[] = {1, 2};
    const char *const extensions[] = {"cl_khr_semaphore"};
    EXPECT(clcu_context_set(context, "export_types", types, 2) == CLCU_OK);
    EXPECT(clcu_context_set(context, "import_types", NULL, 0) == CLCU_OK);
    EXPECT(clcu_context_extensions(context, extensions, 1) == CLCU_OK);
    EXPECT(clcu_context_platform(context, "linux") == CLCU_OK);
    EXPECT(clcu_context_version(context, 13, 5) == CLCU_OK);
    EXPECT(clcu_context_number(context, "context_device_count", 1) == CLCU_OK);

    EXPECT(clcu_context_number(context, "context_device_count", UINT64_MAX) == CLCU_WRONG_KIND);
    EXPECT(clcu_context_number(context, "export_types", 1) == CLCU_WRONG_KIND);
    EXPECT(clcu_context_set(context, "semaphore_type", types, 2) == CLCU_WRONG_KIND);
    EXPECT(clcu_context_number(context, "weather", 1) == CLCU_UNKNOWN_NAME);
    EXPECT(clcu_context_platform(context, "amiga") == CLCU_UNKNOWN_NAME);
    EXPECT(clcu_context_number(context, "\xff", 1) == CLCU_NOT_TEXT);
    clcu_context_free(context);
}

static void property_lists(void) {
    const char *const command = "clCreateSemaphoreWithPropertiesKHR";
    enum { TYPE = 0x203D, BINARY = 1 };
    const uint64_t list[] = {TYPE, BINARY, 0};
    clcu_result *result = NULL;
    EXPECT(clcu_check_property_list(NULL, command, "sema_props", list, 3, &result) == CLCU_OK);
    EXPECT(count_of(result) == 0);

    /* Not terminated: nothing is read beyond what was given. */
    uint64_t *unterminated = malloc(2 * sizeof *unterminated);
    unterminated[0] = TYPE;
    unterminated[1] = BINARY;
    EXPECT(clcu_check_property_list(NULL, command, "sema_props", unterminated, 2, &result) == CLCU_OK);
    EXPECT(breaks(result, "sema_props-list-terminated"));
    clcu_result_free(result);
    free(unterminated);

    const uint64_t twice[] = {TYPE, BINARY, TYPE, BINARY, 0};
    EXPECT(clcu_check_property_list(NULL, command, "sema_props", twice, 5, &result) == CLCU_OK);
    EXPECT(count_of(result) > 0);
    /* No list at all, which this command does not take. */
    EXPECT(clcu_check_property_list(NULL, command, "sema_props", NULL, 0, &result) == CLCU_OK);
    EXPECT(count_of(result) > 0);
    /* What the rest of the call would have to be is not asked here. */
    const intptr_t context[] = {0};
    EXPECT(clcu_check_property_list(NULL, "clCreateContext", "properties", context, 1, &result) == CLCU_OK);
    EXPECT(count_of(result) == 0);

    EXPECT(clcu_check_property_list(NULL, command, "properties", list, 3, &result) == CLCU_UNKNOWN_NAME);
    EXPECT(clcu_check_property_list(NULL, "clFinish", "sema_props", list, 3, &result) == CLCU_UNKNOWN_NAME);
    EXPECT(clcu_check_property_list(NULL, NULL, "sema_props", list, 3, &result) == CLCU_NULL_ARGUMENT);
    EXPECT(clcu_check_property_list(NULL, command, "sema_props", list, 3, NULL) == CLCU_NULL_ARGUMENT);
}

static void messages(void) {
    semaphore_descriptor descriptor = zeroed(OPAQUE_FD);
    descriptor.handle.fd = -1;
    clcu_result *result = checked(NULL, &descriptor);
    size_t needed = 0;
    EXPECT(clcu_result_message(result, 0, NULL, 0, &needed) == CLCU_BUFFER_TOO_SMALL);
    EXPECT(needed > 20 && needed < 1000);
    char *whole = malloc(needed);
    EXPECT(clcu_result_message(result, 0, whole, needed, NULL) == CLCU_OK);
    EXPECT(strlen(whole) + 1 == needed && strstr(whole, "handle.fd: found -1") == whole);
    EXPECT(strstr(whole, "[cuda/CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC/OPAQUE_FD/") != NULL);
    for (size_t size = 1; size < needed; size++) {
        char *small = malloc(size);
        size_t again = 0;
        EXPECT(clcu_result_message(result, 0, small, size, &again) == CLCU_BUFFER_TOO_SMALL);
        EXPECT(again == needed && strlen(small) < size && strncmp(small, whole, strlen(small)) == 0);
        free(small);
    }
    EXPECT(clcu_result_message(result, 0, NULL, 10, NULL) == CLCU_NULL_ARGUMENT);
    EXPECT(clcu_result_message(result, 1, whole, needed, NULL) == CLCU_OUT_OF_RANGE);
    free(whole);
    clcu_result_free(result);
}

static void null_arguments(void) {
    semaphore_descriptor descriptor = zeroed(OPAQUE_FD);
    clcu_result *result = (clcu_result *)&descriptor;
    clcu_violation violation;
    clcu_undecided undecided;
    EXPECT(clcu_check_record(NULL, NULL, &descriptor, sizeof descriptor, &result) == CLCU_NULL_ARGUMENT);
    EXPECT(clcu_check_record(NULL, NAME, NULL, sizeof descriptor, &result) == CLCU_NULL_ARGUMENT);
    EXPECT(clcu_check_record(NULL, NAME, &descriptor, sizeof descriptor, NULL) == CLCU_NULL_ARGUMENT);
    EXPECT(clcu_check_record(NULL, NAME, &descriptor, sizeof descriptor - 1, &result) == CLCU_WRONG_SIZE);
    EXPECT(clcu_check_record(NULL, "CUDA_NO_SUCH_DESC", &descriptor, sizeof descriptor, &result) == CLCU_UNKNOWN_NAME);
    EXPECT(clcu_check_record(NULL, "\xc3", &descriptor, sizeof descriptor, &result) == CLCU_NOT_TEXT);
    EXPECT(result == (clcu_result *)&descriptor); /* a call that fails writes nothing */

    EXPECT(clcu_context_new(NULL) == CLCU_NULL_ARGUMENT);
    EXPECT(clcu_context_number(NULL, "semaphore_type", 1) == CLCU_NULL_ARGUMENT);
    EXPECT(clcu_context_waive(NULL, "x") == CLCU_NULL_ARGUMENT);
    EXPECT(clcu_result_violation(NULL, 0, &violation) == CLCU_NULL_ARGUMENT);
    EXPECT(clcu_result_not_checked(NULL, 0, &undecided) == CLCU_NULL_ARGUMENT);
    EXPECT(clcu_result_message(NULL, 0, NULL, 0, NULL) == CLCU_NULL_ARGUMENT);
    EXPECT(clcu_result_violation_count(NULL) == 0 && clcu_result_not_checked_count(NULL) == 0);
    EXPECT(clcu_rule_at(0, NULL) == CLCU_NULL_ARGUMENT && clcu_rule_find(NULL, NULL) == CLCU_NULL_ARGUMENT);
    clcu_context_free(NULL);
    clcu_result_free(NULL);
}

static void tables(void) {
    int found = 0;
    for (size_t i = 0; i < clcu_record_count(); i++) {
        clcu_record record;
        EXPECT(clcu_record_at(i, &record) == CLCU_OK && record.size > 0 && record.align > 0);
        if (strcmp(record.other_names, NAME) == 0) {
            found++;
            EXPECT(record.size == sizeof(semaphore_descriptor) && strcmp(record.api, "cuda") == 0);
        }
    }
    EXPECT(found == 1);
    found = 0;
    for (size_t i = 0; i < clcu_handle_type_count(); i++) {
        clcu_handle_type type;
        EXPECT(clcu_handle_type_at(i, &type) == CLCU_OK);
        if (strcmp(type.name, "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD") == 0) {
            found++;
            EXPECT(strcmp(type.kind, "semaphore") == 0 && strcmp(type.owner_on_success, "driver") == 0);
            EXPECT(type.has_value && type.value == OPAQUE_FD && strcmp(type.members, "handle.fd") == 0);
            EXPECT(strcmp(type.exported_size, "never") == 0 && strcmp(type.opencl, "CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR") == 0);
        }
        if (strcmp(type.name, "CL_SEMAPHORE_HANDLE_SYNC_FD_KHR") == 0) {
            found++;
            EXPECT(type.has_special_value && type.special_value == -1);
        }
    }
    EXPECT(found == 2);
    clcu_handle_type type;
    EXPECT(clcu_handle_type_at(clcu_handle_type_count(), &type) == CLCU_OUT_OF_RANGE);
    size_t index = 0;
    clcu_rule rule;
    EXPECT(clcu_rule_find("cuda/CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC/OPAQUE_WIN32/exactly-one", &index) == CLCU_OK);
    EXPECT(clcu_rule_at(index, &rule) == CLCU_OK && rule.checkable && strcmp(rule.document, "cuda.h") == 0);
    EXPECT(strcmp(rule.id, "cuda/CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC/OPAQUE_WIN32/exactly-one") == 0);
    EXPECT(clcu_rule_find("nothing", &index) == CLCU_UNKNOWN_NAME);
    EXPECT(clcu_rule_count() > 1000 && clcu_rule_at(clcu_rule_count(), &rule) == CLCU_OUT_OF_RANGE);
    EXPECT(strlen(clcu_status_text(CLCU_WRONG_SIZE)) > 0 && strlen(clcu_status_text(-5)) > 0);
    EXPECT(strlen(clcu_version()) > 0);
}

int main(void) {
    descriptors();
    waivers_and_facts();
    property_lists();
    messages();
    null_arguments();
    tables();
    printf("%d failures\n", failures);
    return failures != 0;
}
