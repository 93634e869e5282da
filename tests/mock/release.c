/*
 * A CUDA driver that exports exactly the commands of one release, whose facts a file of rows gives:
 *   RELEASE=12040          what cuDriverGetVersion says, and the newest version that cuGetProcAddress takes
 *   ROWS="file"            SYMBOL(cuInit) for each exported symbol, VARIANT(cuInit, 2000, 3, cuInit) for each that cuGetProcAddress gives
 *
 * Most commands do nothing and succeed: what they take is left where it is, which every calling convention of this system allows.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned int status;

enum { SUCCESS = 0, INVALID_VALUE = 1, NOT_FOUND = 500 };

#define SYMBOL(symbol) \
    status symbol(void) { return SUCCESS; }
#define VARIANT(name, version, flags, symbol)
#include ROWS
#undef SYMBOL
#undef VARIANT

status cuDriverGetVersion(int *version) {
    *version = RELEASE;
    return SUCCESS;
}

status cuDeviceGetCount(int *count) {
    *count = 1;
    return SUCCESS;
}

struct variant {
    const char *name;
    int version;
    uint64_t flags;
    void *function;
};

static status find(const char *name, void **function, int version, uint64_t flags);

/* The headers of 12.0 and later declare the second form alone. */
#if RELEASE < 12000
status cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) {
    status result = find(name, function, version, flags);
    return result == SUCCESS && *function == NULL ? NOT_FOUND : result;
}
#else
status cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, unsigned *outcome) {
    status result = find(name, function, version, flags);
    if (outcome != NULL) *outcome = *function == NULL;
    return result;
}
#endif

static const struct variant variants[] = {
#define SYMBOL(symbol)
#define VARIANT(name, version, flags, symbol) {#name, version, flags, (void *)(uintptr_t)&symbol},
#include ROWS
};

/* The newest variant that is not newer than what is asked for; a version beyond the driver's is refused. */
static status find(const char *name, void **function, int version, uint64_t flags) {
    const struct variant *best = NULL;
    *function = NULL;
    if (version > RELEASE) return INVALID_VALUE;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        const struct variant *one = &variants[i];
        if (strcmp(one->name, name) != 0 || (one->flags & flags) == 0 || one->version > version) continue;
        if (best == NULL || one->version > best->version) best = one;
    }
    if (best != NULL) *function = best->function;
    return SUCCESS;
}
