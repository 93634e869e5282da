/* Stands in for OpenGL's header: the types that cudaGL.h names. */
#pragma once
typedef unsigned int GLenum;
typedef unsigned int GLuint;
