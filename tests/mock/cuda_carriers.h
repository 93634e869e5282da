/*
 * What carries an external object into the mock driver, and an allocation out of it, on the system that the mock is built for.
 *
 * On Linux it is a file descriptor, which the driver closes when it took it. On Windows it is an NT handle, of which the driver keeps a
 * duplicate, or the name of an object, which the driver opens, or a global number that holds nothing. What is kept is let go with the object.
 *
 * Tests on Windows read:
 *   mock_kept              handles that the driver has made for itself and not closed
 *   mock_name              the last name, as far as it goes
 */
struct win32 { void *handle; const void *name; };
union handle { int fd; struct win32 win32; const void *nv_sci; };
_Static_assert(sizeof(union handle) == sizeof(((CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *)0)->handle), "as cuda.h has it, without a name");
_Static_assert(sizeof(union handle) == sizeof(((CUDA_EXTERNAL_MEMORY_HANDLE_DESC *)0)->handle), "as cuda.h has it, without a name");

enum carrier { NO_SUCH_TYPE, BY_FD, BY_OPEN_FD, BY_NT_HANDLE, BY_NUMBER, BY_NV_SCI };

/* By type of handle: of a semaphore from 1 to 10, of memory from 1 to 9. */
static const enum carrier semaphore_carriers[] = {
    NO_SUCH_TYPE, BY_FD, BY_NT_HANDLE, BY_NUMBER, BY_NT_HANDLE, BY_NT_HANDLE, BY_NV_SCI, BY_NT_HANDLE, BY_NUMBER, BY_FD, BY_NT_HANDLE,
};
static const enum carrier memory_carriers[] = {
    NO_SUCH_TYPE, BY_FD, BY_NT_HANDLE, BY_NUMBER, BY_NT_HANDLE, BY_NT_HANDLE, BY_NT_HANDLE, BY_NUMBER, BY_NV_SCI, BY_OPEN_FD,
};

#ifdef _WIN32

#include <windows.h>

int mock_kept = 0;
uint16_t mock_name[64];

static status keep(HANDLE made, void **kept) {
    if (made == NULL) return INVALID_HANDLE;
    mock_kept++;
    *kept = made;
    return SUCCESS;
}

static status keep_duplicate(HANDLE handle, void **kept) {
    HANDLE made = NULL, here = GetCurrentProcess();
    if (!DuplicateHandle(here, handle, here, &made, 0, FALSE, DUPLICATE_SAME_ACCESS)) made = NULL;
    return keep(made, kept);
}

static void let_go(void *kept) {
    if (kept == NULL) return;
    if (!CloseHandle(kept)) abort();
    mock_kept--;
}

/* Every object that has a name is an event here. */
static status keep_named(const uint16_t *name, void **kept) {
    size_t length = 0;
    while (length < sizeof mock_name / sizeof *mock_name - 1 && name[length] != 0) length++;
    memcpy(mock_name, name, length * sizeof *name);
    mock_name[length] = 0;
    return keep(OpenEventW(EVENT_MODIFY_STATE, FALSE, (const WCHAR *)name), kept);
}

static status take(enum carrier carrier, const union handle *handle, void **kept) {
    const struct win32 *win32 = &handle->win32;
    switch (carrier) {
    case BY_NT_HANDLE:
        if ((win32->handle == NULL) == (win32->name == NULL)) return INVALID_VALUE;
        return win32->name == NULL ? keep_duplicate(win32->handle, kept) : keep_named(win32->name, kept);
    case BY_NUMBER: return win32->handle == NULL || win32->name != NULL ? INVALID_VALUE : SUCCESS;
    case BY_NV_SCI: return handle->nv_sci == NULL ? INVALID_VALUE : SUCCESS;
    default: return NOT_SUPPORTED;
    }
}

static void closed_on_failure(enum carrier carrier, const union handle *handle) { (void)carrier, (void)handle; }

/* For 2 an NT handle, for 4 a number. */
static status give_allocation(unsigned type, void *out) {
    if (type == 4) {
        *(unsigned *)out = 0x40000042;
        return SUCCESS;
    }
    if (type != 2) return INVALID_VALUE;
    *(HANDLE *)out = CreateEventW(NULL, FALSE, FALSE, NULL);
    return *(HANDLE *)out == NULL ? OPERATING_SYSTEM : SUCCESS;
}

static status take_allocation(unsigned type, void *carried, void **kept) {
    if (type == 4) return carried == (void *)(uintptr_t)0x40000042 ? SUCCESS : INVALID_VALUE;
    return type == 2 ? keep_duplicate(carried, kept) : INVALID_VALUE;
}

#else

#include <fcntl.h>

static void let_go(void *kept) { (void)kept; }

/* As driver 580.159 takes it on Linux. */
static status take(enum carrier carrier, const union handle *handle, void **kept) {
    (void)kept;
    switch (carrier) {
    case BY_FD:
    case BY_OPEN_FD:
        if (!zero((const unsigned char *)handle + sizeof(int), sizeof *handle - sizeof(int))) return INVALID_VALUE;
        if (handle->fd < 0 || fcntl(handle->fd, F_GETFD) == -1) return UNKNOWN;
        if (carrier == BY_FD) close(handle->fd);
        return SUCCESS;
    case BY_NV_SCI: return handle->nv_sci == NULL ? INVALID_VALUE : SUCCESS;
    default: return NOT_SUPPORTED;
    }
}

/* Driver 580 closes the descriptor of memory that it does not recognise, and of no other. */
static void closed_on_failure(enum carrier carrier, const union handle *handle) {
    if (carrier == BY_FD) close(handle->fd);
}

/* For 1 a file descriptor. */
static status give_allocation(unsigned type, void *out) {
    int ends[2];
    if (type != 1) return INVALID_VALUE;
    if (pipe(ends) != 0) return OPERATING_SYSTEM;
    close(ends[1]);
    *(int *)out = ends[0];
    return SUCCESS;
}

static status take_allocation(unsigned type, void *carried, void **kept) {
    (void)kept;
    return type == 1 && fcntl((int)(uintptr_t)carried, F_GETFD) != -1 ? SUCCESS : INVALID_VALUE;
}

#endif
