/*
 * Allocation that does not return NULL. A host without memory for our own bookkeeping cannot go
 * on, so these end the program with one clear line and status 2. Sizes that a guest or a file
 * chooses must be bounded before they come here; guest RAM itself is mapped in runtime/mem, where
 * failure is an ordinary error.
 */
#ifndef RUNTIME_BASE_ALLOC_H
#define RUNTIME_BASE_ALLOC_H

#include <stddef.h>

/* `count` zeroed elements of `size` bytes; release with free(). */
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));

/* `size` zeroed bytes that share no cache line with other memory, nor a line that the host fetches along with one of theirs, so
 * that threads may write what stands beside each other; release with free(). */
void *xalloc_apart(size_t size) __attribute__((malloc, returns_nonnull));

/* realloc() to `count` elements of `size` bytes; new elements are not zeroed. */
void *xrealloc(void *old, size_t count, size_t size) __attribute__((returns_nonnull));

/* A copy of the string; release with free(). */
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));

#endif
