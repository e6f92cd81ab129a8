/* The input as a file, for loaders that take a path. */
#ifndef TESTS_FUZZ_FUZZ_FILE_H
#define TESTS_FUZZ_FUZZ_FILE_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

/* Calls load() with the name of a file of these bytes, which is gone afterwards. Returns 0. */
static inline int fuzz_file(const uint8_t *data, size_t size, void (*load)(const char *path))
{
    int fd = memfd_create("input", 0);
    char path[64];

    if (fd < 0)
        return 0;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (write(fd, data, size) == (ssize_t)size)
        load(path);
    close(fd);
    return 0;
}

#endif
