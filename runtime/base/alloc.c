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

void *xalloc_aligned(size_t align, size_t size)
{
    size_t whole = (size + align - 1) / align * align;

    return memset(memory_or_exit(aligned_alloc(align, whole ? whole : align)), 0, size);
}

void *xalloc_apart(size_t size)
{
    enum { APART = 128 }; /* two cache lines, since hosts fetch them in pairs */

    return xalloc_aligned(APART, size);
}

void *xrealloc(void *old, size_t count, size_t size)
{
    return memory_or_exit(reallocarray(old, count ? count : 1, size ? size : 1));
}

char *xstrdup(const char *text)
{
    return memory_or_exit(strdup(text));
}
