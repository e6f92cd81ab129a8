/*
 * Counts calls of accept4(), for tests that a server without descriptors does not try all the time. The test's program
 * is linked with -Wl,--wrap=accept4.
 */
#ifndef TESTS_DEV_ACCEPTS_H
#define TESTS_DEV_ACCEPTS_H

#include <sys/socket.h>

/* How often the server tried to accept a client. */
static unsigned accepts;

int __real_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
    __atomic_add_fetch(&accepts, 1, __ATOMIC_RELAXED);
    return __real_accept4(fd, address, len, flags);
}

static unsigned accepted(void)
{
    return __atomic_load_n(&accepts, __ATOMIC_RELAXED);
}

#endif
