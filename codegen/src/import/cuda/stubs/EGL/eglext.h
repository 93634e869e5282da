/* Stands in for EGL's header of extensions: the types that cudaEGL.h names. */
#pragma once
typedef void *EGLImageKHR;
typedef void *EGLStreamKHR;
typedef void *EGLSyncKHR;
