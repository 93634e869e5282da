/*
 * `bcryptprimitives.dll`, which Wine 8 lacks: the one function of it that Rust's standard library asks for random bytes, by the one that has
 * been in Windows for longer.
 */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(void *bytes, ULONG length);

BOOL WINAPI ProcessPrng(BYTE *bytes, SIZE_T length) {
    return SystemFunction036(bytes, (ULONG)length);
}
