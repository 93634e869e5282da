/* Stands in for the C library's header of this name: all that CUDA's headers take from it. */
#pragma once
typedef __SIZE_TYPE__ size_t;
typedef __WCHAR_TYPE__ wchar_t;
#define NULL ((void *)0)
