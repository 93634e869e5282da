/*
 * What carries a payload in the mock ICD: something that is signalled or not, can be waited for, and has a number. On Linux it is a file
 * descriptor; on Windows an event, in a table of which the numbers are places, behind the names that Linux has for the same.
 *
 * Included by icd.c alone.
 */
#ifdef _WIN32

enum { EFD_CLOEXEC = 0, EFD_NONBLOCK = 0, MOST_EVENTS = 4096 };

static HANDLE events[MOST_EVENTS];

/* Handles that the driver has made for itself and not closed. */
int mock_kept = 0;

/* The number of a handle, which is the driver's from now on; -1 for none. */
static int keep(HANDLE handle) {
    if (handle == NULL) return -1;
    for (int number = 0; number < MOST_EVENTS; number++) {
        if (events[number] != NULL) continue;
        events[number] = handle;
        mock_kept++;
        return number;
    }
    abort();
}

static int close(int number) {
    if (!CloseHandle(events[number])) abort();
    events[number] = NULL;
    mock_kept--;
    return 0;
}

static HANDLE duplicate_handle(HANDLE handle) {
    HANDLE copy = NULL, here = GetCurrentProcess();
    return DuplicateHandle(here, handle, here, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS) ? copy : NULL;
}

static int eventfd(unsigned signaled, int flags) {
    (void)flags;
    return keep(CreateEventW(NULL, TRUE, signaled != 0, NULL));
}

static int is_ready(int number, int patience) {
    return WaitForSingleObject(events[number], patience < 0 ? INFINITE : (DWORD)patience) == WAIT_OBJECT_0;
}

static int duplicate(int number) { return keep(duplicate_handle(events[number])); }

static long long read(int number, void *count, size_t size) {
    (void)count;
    return ResetEvent(events[number]) ? (long long)size : -1;
}

static long long write(int number, const void *count, size_t size) {
    (void)count;
    return SetEvent(events[number]) ? (long long)size : -1;
}

/* There are no file descriptors that could be imported. */
static int is_open(int fd) { return (void)fd, 0; }

/* What the driver keeps of an NT handle, or of what has a name. */
static cl_int take_windows(uint64_t handle, int is_name, int *kept) {
    void *at = (void *)(uintptr_t)handle;
    *kept = keep(is_name ? OpenEventW(EVENT_MODIFY_STATE | SYNCHRONIZE, FALSE, at) : duplicate_handle(at));
    return *kept < 0 ? CL_INVALID_PROPERTY : CL_SUCCESS;
}

/* A new handle, which is the application's. */
static void *give_windows(int number, unsigned object) { return (void)object, duplicate_handle(events[number]); }

#else

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int is_ready(int fd, int patience) {
    struct pollfd one = {fd, POLLIN, 0};
    return poll(&one, 1, patience) == 1 && (one.revents & POLLIN) != 0;
}

static int duplicate(int fd) {
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (copy < 0) abort();
    return copy;
}

static int is_open(int fd) { return fcntl(fd, F_GETFD) != -1; }

/* A platform of Linux that is told to take Windows handles follows none, and gives a number that stands for one. */
static cl_int take_windows(uint64_t handle, int is_name, int *kept) { return (void)handle, (void)is_name, (void)kept, CL_SUCCESS; }
static void *give_windows(int number, unsigned object) { return (void)number, (void *)(uintptr_t)(0x1000 + object); }

#endif
