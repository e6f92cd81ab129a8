/*
 * Counts calls of accept4(), to test that a server without free descriptors does not retry all the
 * time. The test's program is linked with -Wl,--wrap=accept4.
 */
#ifndef TESTS_DEV_ACCEPTS_H
#define TESTS_DEV_ACCEPTS_H

#include <sys/socket.h>

/* Number of attempts to accept a client. */
static unsigned accepts;

/* The linker's names of the C library's function and of the one that replaces it. */
int __real_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
    __atomic_add_fetch(&accepts, 1, __ATOMIC_RELAXED);
    return __real_accept4(fd, address, len, flags);
}

static unsigned accept_count(void)
{
    return __atomic_load_n(&accepts, __ATOMIC_RELAXED);
}

#endif
