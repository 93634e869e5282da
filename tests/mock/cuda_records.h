/*
 * The records that external objects are described by, as far as the mock driver looks into them. `cuda_records.c` compares them with
 * NVIDIA's header.
 */
#include <stddef.h>

struct win32 { void *handle; const void *name; };
union handle { int fd; struct win32 win32; const void *nv_sci; };

struct semaphore_descriptor { unsigned type; union handle handle; unsigned flags; unsigned reserved[16]; };
struct memory_descriptor { unsigned type; union handle handle; unsigned long long size; unsigned flags; unsigned reserved[16]; };
struct buffer_descriptor { unsigned long long offset; unsigned long long size; unsigned flags; unsigned reserved[16]; };
struct array_descriptor { size_t width, height, depth; unsigned format, channels, flags; };
struct mipmapped_descriptor { unsigned long long offset; struct array_descriptor array; unsigned levels; unsigned reserved[16]; };
struct signal_parameters {
    struct {
        unsigned long long fence;
        union { void *fence; unsigned long long reserved; } nv_sci;
        unsigned long long key;
        unsigned reserved[12];
    } params;
    unsigned flags;
    unsigned reserved[16];
};
struct wait_parameters {
    struct {
        unsigned long long fence;
        union { void *fence; unsigned long long reserved; } nv_sci;
        struct { unsigned long long key; unsigned timeout; } mutex;
        unsigned reserved[10];
    } params;
    unsigned flags;
    unsigned reserved[16];
};

_Static_assert(sizeof(struct semaphore_descriptor) == 96, "as cuda.h has it");
_Static_assert(sizeof(struct memory_descriptor) == 104, "as cuda.h has it");
_Static_assert(sizeof(struct buffer_descriptor) == 88, "as cuda.h has it");
_Static_assert(sizeof(struct mipmapped_descriptor) == 120, "as cuda.h has it");
_Static_assert(sizeof(struct signal_parameters) == 144, "as cuda.h has it");
_Static_assert(sizeof(struct wait_parameters) == 144, "as cuda.h has it");
