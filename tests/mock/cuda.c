/*
 * A CUDA driver for tests: the commands that external objects need, and the ways in which real drivers differ.
 *
 * What it is, is settled when it is compiled:
 *   CUDA_H="cuda.h"        NVIDIA's header, where it is at hand: every function below is then compiled against its real declaration. Without
 *                          it `cuda_declarations.h`, which is made of this project's facts, declares the same.
 *   DRIVER_VERSION=12040   what cuDriverGetVersion says, and the newest version that cuGetProcAddress takes
 *   STUB                   every command fails with 34, as the toolkit's stub does
 *   STUB_INIT              only cuInit does
 *   WITHOUT_<symbol>       neither exported nor given out, whichever symbol it is
 *   VERSION_FAILS=999      cuDriverGetVersion fails with this code
 *   UNKNOWN_RESULT=12345   cuDeviceGetAttribute fails with this code
 *   ONE_THREAD             no lock: for benchmarks, which a lock's barrier would be most of
 *   GARBAGE                cuGetProcAddress leaves an address behind where it finds nothing
 *
 * While it runs, tests set these variables, between calls:
 *   mock_fail_<command>    the code by which a command fails (all have one, by public name), after it has been noted; -1 for success without
 *                          an object
 *   mock_garbage           non-zero: outputs are written although the command fails
 *   mock_without           an attribute of devices that is 0; every other one is 42, but for the next
 *   mock_pool_handle_types the types of handles by which devices share pools (attribute 119): four at first
 *   mock_capturing         non-zero: streams are being captured
 *
 * and read these:
 *   mock_last              the variant that was called last, for tests that want to know which one they got
 *   mock_log               every command that was called, in order, each with ';' after it
 *   mock_calls             how many
 *   mock_descriptor        the last descriptor, as far as it goes
 *   mock_unclean           descriptors with a byte that is not zero where nothing belongs: padding, reserved words, other members of a union
 *   mock_alive             objects that were made and not destroyed
 *   mock_value             the last value that was signalled or waited for
 *   mock_timeout           the last time that was to be waited at most
 *   mock_queries           how often cuGetProcAddress was asked, and by which version and flags last: mock_last_version, mock_last_flags
 *
 * Threads may call it at once: each command holds one lock.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* NVIDIA's own switch for declaring old variants and those for each thread's own default stream, under their exported names. */
#define __CUDA_API_VERSION_INTERNAL
#ifdef CUDA_H
#include CUDA_H
#else
#include "cuda_declarations.h"
#endif

#include "cuda_commands.h"

#ifndef DRIVER_VERSION
#define DRIVER_VERSION 13050
#endif

typedef CUresult status;

#define CODE(name, code) static const status name __attribute__((unused)) = code
CODE(SUCCESS, CUDA_SUCCESS);
CODE(INVALID_VALUE, CUDA_ERROR_INVALID_VALUE);
CODE(STUB_LIBRARY, CUDA_ERROR_STUB_LIBRARY);
CODE(INVALID_DEVICE, CUDA_ERROR_INVALID_DEVICE);
CODE(INVALID_CONTEXT, CUDA_ERROR_INVALID_CONTEXT);
CODE(OPERATING_SYSTEM, CUDA_ERROR_OPERATING_SYSTEM);
CODE(INVALID_HANDLE, CUDA_ERROR_INVALID_HANDLE);
CODE(NOT_FOUND, CUDA_ERROR_NOT_FOUND);
CODE(NOT_SUPPORTED, CUDA_ERROR_NOT_SUPPORTED);
CODE(UNKNOWN, CUDA_ERROR_UNKNOWN);

enum { LEGACY = CU_GET_PROC_ADDRESS_LEGACY_STREAM, PER_THREAD = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, BOTH = LEGACY | PER_THREAD };

#ifdef STUB
#define STUB_FAILS return STUB_LIBRARY
#else
#define STUB_FAILS ((void)0)
#endif

/*
 * LACKS(symbol) is 1 where the driver was compiled with WITHOUT_<symbol>, which makes it 1, and SYMBOL(symbol) is then a name that nobody
 * looks for.
 */
#define SECOND(first, second, ...) second
#define PROBE(probe) SECOND(probe, 0, 0)
#define IS_ONE_1 0, 1
#define PASTE(a, b) a##b
#define LACKS_BY(value) PROBE(PASTE(IS_ONE_, value))
#define LACKS(symbol) LACKS_BY(WITHOUT_##symbol)
#define SYMBOL_0(symbol) symbol
#define SYMBOL_1(symbol) absent_##symbol
#define SYMBOL_BY(lacks, symbol) PASTE(SYMBOL_, lacks)(symbol)
#define SYMBOL(symbol) SYMBOL_BY(LACKS(symbol), symbol)

/* A command of the driver that is called by name through the table at the end. */
#define COMMAND(symbol) CUresult CUDAAPI SYMBOL(symbol)

#define VARIANT(name, version, streams, symbol) int mock_fail_##name;
VARIANTS
#undef VARIANT

const char *mock_last = "";
unsigned mock_queries = 0;
int mock_last_version = 0;
uint64_t mock_last_flags = 0;
char mock_log[1 << 16];
unsigned mock_calls = 0;
int mock_garbage = 0;
int mock_unclean = 0;
unsigned char mock_descriptor[144];

static unsigned log_length = 0;
static atomic_flag lock = ATOMIC_FLAG_INIT;

__attribute__((unused)) static int take_lock(void) {
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {}
    return 0;
}

__attribute__((unused)) static void give_lock(const int *taken) {
    (void)taken;
    atomic_flag_clear_explicit(&lock, memory_order_release);
}

/* Held until the command returns. */
#ifdef ONE_THREAD
#define LOCKED ((void)0)
#else
#define LOCKED __attribute__((cleanup(give_lock))) int locked = take_lock(); (void)locked
#endif

static void note(const char *command) {
    size_t length = strlen(command);
    mock_calls++;
    if (log_length + length + 2 > sizeof mock_log) log_length = 0;
    memcpy(mock_log + log_length, command, length);
    log_length += (unsigned)length;
    mock_log[log_length++] = ';';
    mock_log[log_length] = 0;
}

static void keep_descriptor(const void *descriptor, size_t size) {
    memcpy(mock_descriptor, descriptor, size < sizeof mock_descriptor ? size : sizeof mock_descriptor);
}

static int zero(const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        if (at[i] != 0) return 0;
    }
    return 1;
}

/* Whether a descriptor is, in each of its bytes, the one that has only what belongs into it. */
static int clean(const void *descriptor, const void *expected, size_t size) {
    if (memcmp(descriptor, expected, size) == 0) return 1;
    mock_unclean++;
    return 0;
}

/* How every command begins: WATCHED ones are in the log, QUIET ones are not. */
#define QUIET(name) LOCKED; STUB_FAILS; const int told = mock_fail_##name
#define WATCHED(name) LOCKED; STUB_FAILS; note(#name); const int told = mock_fail_##name

/* What a command does that was told to fail; one with an output that is an object may be told to give none. */
#define MAY_FAIL do { if (told != 0) return told == -1 ? SUCCESS : (status)told; } while (0)
#define MAY_FAIL_WITH(out, garbage, nothing) \
    do { \
        if (told != 0) { \
            if (mock_garbage) *(out) = (garbage); \
            if (told == -1) { *(out) = (nothing); return SUCCESS; } \
            return (status)told; \
        } \
    } while (0)

/* Unloading a driver is what a loader must never do; at the end of the process the system does. */
__attribute__((destructor)) static void unloaded(void) {
    static const char text[] = "mock driver unloaded\n";
    if (getenv("CLCU_TEST_TASK") != NULL && write(2, text, sizeof text - 1) < 0) abort();
}

COMMAND(cuDriverGetVersion)(int *version) {
    QUIET(cuDriverGetVersion);
    MAY_FAIL;
#ifdef VERSION_FAILS
    return VERSION_FAILS;
#endif
    if (version == NULL) return INVALID_VALUE;
    *version = DRIVER_VERSION;
    return SUCCESS;
}

COMMAND(cuInit)(unsigned flags) {
    QUIET(cuInit);
    MAY_FAIL;
#ifdef STUB_INIT
    return STUB_LIBRARY;
#endif
    mock_last = "cuInit";
    return flags == 0 ? SUCCESS : INVALID_VALUE;
}

#include "cuda_objects.h"
#include "cuda_carriers.h"
#include "cuda_interop.h"
#include "cuda_sharing.h"
#include "cuda_graph.h"

struct variant {
    const char *name;
    int version;
    unsigned streams;
    void *function;
};

static const struct variant variants[] = {
#define VARIANT(name, version, streams, symbol) {#name, version, streams, LACKS(symbol) ? NULL : (void *)SYMBOL(symbol)},
    VARIANTS
#undef VARIANT
};

/*
 * The newest variant that is not newer than what is asked for. A version beyond the driver's is refused outright. Where nothing is
 * found, the second form succeeds, with a null address and the outcome (driver 580.159), and the first form fails.
 */
static status find(const char *name, void **function, int version, cuuint64_t flags, CUdriverProcAddressQueryResult *outcome) {
    LOCKED;
    const struct variant *best = NULL;
    int known = 0;
    mock_queries++;
    mock_last_version = version;
    mock_last_flags = flags;
#ifdef GARBAGE
    *function = (void *)0xdead;
#else
    *function = NULL;
#endif
    STUB_FAILS;
    if (version > DRIVER_VERSION) return INVALID_VALUE;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        const struct variant *variant = &variants[i];
        if (variant->function == NULL || strcmp(variant->name, name) != 0 || (variant->streams & flags) == 0) continue;
        if (variant->version > DRIVER_VERSION) continue;
        known = 1;
        if (variant->version <= version && (best == NULL || variant->version > best->version)) best = variant;
    }
    *outcome = best ? CU_GET_PROC_ADDRESS_SUCCESS : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    if (best != NULL) *function = best->function;
    return SUCCESS;
}

COMMAND(cuGetProcAddress_v2)(const char *name, void **function, int version, cuuint64_t flags, CUdriverProcAddressQueryResult *outcome) {
    return find(name, function, version, flags, outcome);
}

COMMAND(cuGetProcAddress)(const char *name, void **function, int version, cuuint64_t flags) {
    CUdriverProcAddressQueryResult outcome = CU_GET_PROC_ADDRESS_SUCCESS;
    status result = find(name, function, version, flags, &outcome);
    return result == SUCCESS && outcome != CU_GET_PROC_ADDRESS_SUCCESS ? NOT_FOUND : result;
}
