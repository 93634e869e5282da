/* Stands in for EGL's header: the types that cudaEGL.h names. */
#pragma once
typedef int EGLint;
