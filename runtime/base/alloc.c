/* Allocation that ends the program when the host has no memory. */
#include "runtime/base/alloc.h"

#include "common/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *xcalloc(size_t count, size_t size)
{
    return memory_or_exit(calloc(count ? count : 1, size ? size : 1));
}

void *xalloc_apart(size_t size)
{
    enum { APART = 128 }; /* two cache lines, since hosts fetch them in pairs */
    size_t whole = (size + APART - 1) / APART * APART;

    return memset(memory_or_exit(aligned_alloc(APART, whole ? whole : APART)), 0, size);
}

void *xrealloc(void *old, size_t count, size_t size)
{
    return memory_or_exit(reallocarray(old, count ? count : 1, size ? size : 1));
}

char *xstrdup(const char *text)
{
    return memory_or_exit(strdup(text));
}
