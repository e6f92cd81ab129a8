/*
 * Allocation that does not return NULL. Without memory for its own bookkeeping the program cannot
 * continue, so these functions end it with one line and status 2. Callers must bound sizes that a
 * guest or a file chooses. Guest RAM is mapped in runtime/mem, where failure is an ordinary error.
 */
#ifndef RUNTIME_BASE_ALLOC_H
#define RUNTIME_BASE_ALLOC_H

#include <stddef.h>

/* `count` zeroed elements of `size` bytes; release with free(). */
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));

/* `size` zeroed bytes at a multiple of `align`, a power of two of at least sizeof(void *); release
 * with free(). For types whose alignment is larger than that of xcalloc()'s memory. */
void *xalloc_aligned(size_t align, size_t size) __attribute__((malloc, returns_nonnull));

/* `size` zeroed bytes that share no pair of cache lines, which hosts fetch together, with other
 * memory, so that threads may write to neighbouring allocations at full speed; release with
 * free(). */
void *xalloc_apart(size_t size) __attribute__((malloc, returns_nonnull));

/* realloc() to `count` elements of `size` bytes; new elements are not zeroed. */
void *xrealloc(void *old, size_t count, size_t size) __attribute__((returns_nonnull));

/* A copy of the string; release with free(). */
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));

#endif
