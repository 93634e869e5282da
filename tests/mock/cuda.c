/*
 * A CUDA driver for tests: a few commands, and the ways in which real drivers differ.
 *
 * What it is, is settled when it is compiled:
 *   DRIVER_VERSION=12040   what cuDriverGetVersion says, and the newest version that cuGetProcAddress takes
 *   STUB                   every command fails with 34, as the toolkit's stub does
 *   STUB_INIT              only cuInit does
 *   WITHOUT_<symbol>       neither exported nor given out
 *   VERSION_FAILS=999      cuDriverGetVersion fails with this code
 *   UNKNOWN_RESULT=12345   cuDeviceGetAttribute fails with this code
 *   GARBAGE                cuGetProcAddress leaves an address behind where it finds nothing
 *
 *
 * The types are written by hand, as far as calls need them: every status is an `unsigned int`, every handle a pointer. External objects
 * are in `cuda_interop.h`.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef DRIVER_VERSION
#define DRIVER_VERSION 13050
#endif

typedef unsigned int status;

enum { SUCCESS = 0, INVALID_VALUE = 1, STUB_LIBRARY = 34, NOT_FOUND = 500 };
enum { LEGACY = 1, PER_THREAD = 2 };

#ifdef STUB
#define STUB_FAILS return STUB_LIBRARY
#else
#define STUB_FAILS ((void)0)
#endif

extern int mock_without;

/* What was called last, for tests that want to know which variant they got. */
const char *mock_last = "";
/* The queries that cuGetProcAddress was asked, and by which flags and version it was asked last. */
unsigned mock_queries = 0;
int mock_last_version = 0;
uint64_t mock_last_flags = 0;

/* Unloading a driver is what a loader must never do; at the end of the process the system does. */
__attribute__((destructor)) static void unloaded(void) {
    static const char text[] = "mock driver unloaded\n";
    if (getenv("CLCU_TEST_TASK") != NULL && write(2, text, sizeof text - 1) < 0) abort();
}

status cuDriverGetVersion(int *version) {
    STUB_FAILS;
#ifdef VERSION_FAILS
    return VERSION_FAILS;
#endif
    if (version == NULL) return INVALID_VALUE;
    *version = DRIVER_VERSION;
    return SUCCESS;
}

#ifndef WITHOUT_cuInit
status cuInit(unsigned flags) {
    STUB_FAILS;
#ifdef STUB_INIT
    return STUB_LIBRARY;
#endif
    mock_last = "cuInit";
    return flags == 0 ? SUCCESS : INVALID_VALUE;
}
#endif

#ifndef WITHOUT_cuDeviceGetAttribute
status cuDeviceGetAttribute(int *value, unsigned attribute, int device) {
    (void)device;
#ifdef UNKNOWN_RESULT
    return UNKNOWN_RESULT;
#endif
    /* Attributes that came with CUDA 12.5 and later. */
    if (attribute > 134 && DRIVER_VERSION < 12050) return INVALID_VALUE;
    *value = (int)attribute == mock_without ? 0 : 42;
    return SUCCESS;
}
#endif

/* Two functions of one name and one signature: the first has 32-bit sizes and needs a context. */
status cuMemAlloc(unsigned *address, unsigned size) {
    (void)address, (void)size;
    mock_last = "cuMemAlloc";
    return 201;
}

#ifndef WITHOUT_cuMemAlloc_v2
status cuMemAlloc_v2(uint64_t *address, size_t size) {
    mock_last = "cuMemAlloc_v2";
    *address = 0x1000 + size;
    return SUCCESS;
}
#endif

/* One public name and two signatures. */
status cuCtxSynchronize(void) {
    mock_last = "cuCtxSynchronize";
    return SUCCESS;
}

#ifndef WITHOUT_cuCtxSynchronize_v2
status cuCtxSynchronize_v2(void *context) {
    (void)context;
    mock_last = "cuCtxSynchronize_v2";
    return SUCCESS;
}
#endif

#ifndef WITHOUT_cuCtxCreate_v4
status cuCtxCreate_v4(void **context, void *parameters, unsigned flags, int device) {
    (void)parameters, (void)flags, (void)device;
    mock_last = "cuCtxCreate_v4";
    *context = (void *)0x10;
    return SUCCESS;
}
#endif

status cuMemcpy(uint64_t to, uint64_t from, size_t size) {
    (void)to, (void)from, (void)size;
    mock_last = "cuMemcpy";
    return SUCCESS;
}

status cuMemcpy_ptds(uint64_t to, uint64_t from, size_t size) {
    (void)to, (void)from, (void)size;
    mock_last = "cuMemcpy_ptds";
    return SUCCESS;
}

#include "cuda_interop.h"

/*
 * Gives out what its type says, through a pointer to nothing in particular: for 1 a file descriptor, for 8 the 64 bytes of a fabric handle.
 */
status cuMemExportToShareableHandle(void *handle_out, uint64_t handle, unsigned type, unsigned long long flags) {
    struct object *object = find_object((void *)(uintptr_t)handle, ALLOCATION);
    if (handle_out == NULL || flags != 0) return INVALID_VALUE;
    /* One of the types that it was made for. Tests of the look-up of commands have no allocation. */
    if (object != NULL && (object->type & type) == 0) return INVALID_VALUE;
    if (type == 8) {
        memset(handle_out, 0xfa, 64);
        return SUCCESS;
    }
    return give_allocation(type, handle_out);
}

struct variant {
    const char *name;
    int version;
    uint64_t flags;
    void *function;
};

static const struct variant variants[] = {
#ifndef WITHOUT_cuInit
    {"cuInit", 2000, LEGACY | PER_THREAD, cuInit},
#endif
    {"cuDriverGetVersion", 2020, LEGACY | PER_THREAD, cuDriverGetVersion},
#ifndef WITHOUT_cuDeviceGetAttribute
    {"cuDeviceGetAttribute", 2000, LEGACY | PER_THREAD, cuDeviceGetAttribute},
#endif
    {"cuMemAlloc", 2000, LEGACY | PER_THREAD, cuMemAlloc},
#ifndef WITHOUT_cuMemAlloc_v2
    {"cuMemAlloc", 3020, LEGACY | PER_THREAD, cuMemAlloc_v2},
#endif
    {"cuCtxSynchronize", 2000, LEGACY | PER_THREAD, cuCtxSynchronize},
#ifndef WITHOUT_cuCtxSynchronize_v2
    {"cuCtxSynchronize", 13000, LEGACY | PER_THREAD, cuCtxSynchronize_v2},
#endif
#ifndef WITHOUT_cuCtxCreate_v4
    {"cuCtxCreate", 12050, LEGACY | PER_THREAD, cuCtxCreate_v4},
#endif
    {"cuMemcpy", 4000, LEGACY, cuMemcpy},
    {"cuMemcpy", 7000, PER_THREAD, cuMemcpy_ptds},
#ifndef WITHOUT_cuSignalExternalSemaphoresAsync
    {"cuSignalExternalSemaphoresAsync", 10000, LEGACY, cuSignalExternalSemaphoresAsync},
    {"cuSignalExternalSemaphoresAsync", 10000, PER_THREAD, cuSignalExternalSemaphoresAsync_ptsz},
#endif
    {"cuMemExportToShareableHandle", 10020, LEGACY | PER_THREAD, cuMemExportToShareableHandle},
};

/*
 * The newest variant that is not newer than what is asked for. A version beyond the driver's is refused outright. Where nothing is
 * found, the second form succeeds, with a null address and the outcome (driver 580.159), and the first form fails.
 */
static status find(const char *name, void **function, int version, uint64_t flags, unsigned *outcome) {
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
        if (strcmp(variant->name, name) != 0 || (variant->flags & flags) == 0) continue;
        if (variant->version > DRIVER_VERSION) continue;
        known = 1;
        if (variant->version <= version && (best == NULL || variant->version > best->version)) best = variant;
    }
    *outcome = best ? 0 : known ? 2 : 1;
    if (best != NULL) *function = best->function;
    return SUCCESS;
}

#ifndef WITHOUT_cuGetProcAddress_v2
status cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, unsigned *outcome) {
    return find(name, function, version, flags, outcome);
}
#endif

#ifndef WITHOUT_cuGetProcAddress
status cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) {
    unsigned outcome = 0;
    status result = find(name, function, version, flags, &outcome);
    return result == SUCCESS && outcome != 0 ? NOT_FOUND : result;
}
#endif
