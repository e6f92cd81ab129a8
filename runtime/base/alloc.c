/* Allocation that ends the program when the host has no memory. */
#include "runtime/base/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *or_exit(void *memory)
{
    if (!memory) {
        fputs("error: the host has no memory left\n", stderr);
        exit(2);
    }
    return memory;
}

void *xcalloc(size_t count, size_t size)
{
    return or_exit(calloc(count ? count : 1, size ? size : 1));
}

void *xalloc_apart(size_t size)
{
    enum { APART = 128 }; /* two cache lines, since hosts fetch them in pairs */
    size_t whole = (size + APART - 1) / APART * APART;

    return memset(or_exit(aligned_alloc(APART, whole ? whole : APART)), 0, size);
}

void *xrealloc(void *old, size_t count, size_t size)
{
    return or_exit(reallocarray(old, count ? count : 1, size ? size : 1));
}

char *xstrdup(const char *text)
{
    return or_exit(strdup(text));
}
