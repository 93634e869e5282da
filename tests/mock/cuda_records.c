/*
 * Compares the mock driver's records with those of NVIDIA's header, which CUDA_H names. It is never linked.
 */
#include "cuda_records.h"
#include CUDA_H

#define SAME(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), "the mock's record is cuda.h's")
#define PLACE(ours, member, theirs, name) _Static_assert(offsetof(ours, member) == offsetof(theirs, name), "the mock's member is cuda.h's")
SAME(struct semaphore_descriptor, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC);
SAME(struct memory_descriptor, CUDA_EXTERNAL_MEMORY_HANDLE_DESC);
SAME(struct buffer_descriptor, CUDA_EXTERNAL_MEMORY_BUFFER_DESC);
SAME(struct mipmapped_descriptor, CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC);
SAME(struct signal_parameters, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS);
SAME(struct wait_parameters, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS);
PLACE(struct semaphore_descriptor, handle, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, handle);
PLACE(struct semaphore_descriptor, flags, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, flags);
PLACE(struct memory_descriptor, size, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, size);
PLACE(struct memory_descriptor, flags, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, flags);
PLACE(struct signal_parameters, params.key, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, params.keyedMutex.key);
PLACE(struct signal_parameters, flags, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, flags);
PLACE(struct wait_parameters, params.mutex.timeout, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, params.keyedMutex.timeoutMs);
PLACE(struct wait_parameters, flags, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, flags);
