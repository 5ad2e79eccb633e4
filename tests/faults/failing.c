// Makes one call of the system fail, for tests: preload it (LD_PRELOAD), then fault_arm() says which call, and how.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NOTHING, WRITES, ALLOCATIONS, THREADS };
enum { SHORT = -1 };  // in the place of an errno: write half of what was asked for
static volatile size_t least = 4096;  // smaller allocations are those of the interpreter itself

static volatile int kind = NOTHING, error_number = 0;
static volatile long at = -1, calls = 0;

// The call with the number `number` fails with `error`; -1: none, they are only counted.
void fault_arm(int what, long number, int error) {
    at = number;
    error_number = error;
    calls = 0;
    kind = what;
}

// Allocations of fewer bytes do not fail.
void fault_least(size_t size) { least = size; }

// How many calls there were since the last fault_arm.
long fault_disarm(void) {
    kind = NOTHING;
    return calls;
}

static int fails(int what) { return kind == what && __sync_fetch_and_add(&calls, 1) == at; }

// Standard streams and sockets are not what is tested.
static int is_file(int descriptor) {
    struct stat status;
    return descriptor > 2 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int descriptor, const void* data, size_t size) {
    REAL(write);
    if (kind == WRITES && is_file(descriptor) && fails(WRITES)) {
        if (error_number == SHORT) return real(descriptor, data, size > 1 ? size / 2 : size);
        errno = error_number;
        return -1;
    }
    return real(descriptor, data, size);
}

int fsync(int descriptor) {
    REAL(fsync);
    if (kind == WRITES && error_number != SHORT && error_number != EINTR && fails(WRITES)) {
        errno = error_number;
        return -1;
    }
    return real(descriptor);
}

int linkat(int from, const char* old, int to, const char* new, int flags) {
    REAL(linkat);
    if (kind == WRITES && error_number != SHORT && error_number != EINTR && fails(WRITES)) {
        errno = error_number;
        return -1;
    }
    return real(from, old, to, new, flags);
}

int rename(const char* from, const char* to) {
    REAL(rename);
    if (kind == WRITES && error_number != SHORT && error_number != EINTR && fails(WRITES)) {
        errno = error_number;
        return -1;
    }
    return real(from, to);
}

// dlsym itself may allocate, so these come from the C library by their other names.
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) {
    if (kind == ALLOCATIONS && size >= least && fails(ALLOCATIONS)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
    if (kind == ALLOCATIONS && count && size >= least / count && fails(ALLOCATIONS)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_calloc(count, size);
}

void* realloc(void* old, size_t size) {
    if (kind == ALLOCATIONS && size >= least && fails(ALLOCATIONS)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(old, size);
}

int posix_memalign(void** out, size_t alignment, size_t size) {
    if (kind == ALLOCATIONS && size >= least && fails(ALLOCATIONS)) return ENOMEM;
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

void* aligned_alloc(size_t alignment, size_t size) {
    if (kind == ALLOCATIONS && size >= least && fails(ALLOCATIONS)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_memalign(alignment, size);
}

void* mmap(void* address, size_t size, int protection, int flags, int descriptor, off_t offset) {
    REAL(mmap);
    if (kind == ALLOCATIONS && descriptor >= 0 && fails(ALLOCATIONS)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return real(address, size, protection, flags, descriptor, offset);
}

// From the call with the number `number` on, no thread can be started.
int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*start)(void*), void* given) {
    REAL(pthread_create);
    if (kind == THREADS && __sync_fetch_and_add(&calls, 1) >= at && at >= 0) return error_number;
    return real(thread, how, start, given);
}
