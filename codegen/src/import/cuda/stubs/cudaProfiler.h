/* Stands in for a header that NVIDIA's package of headers leaves out, though cudaProfilerTypedefs.h includes it. */
#pragma once
#include <cuda.h>
typedef int CUoutput_mode;
