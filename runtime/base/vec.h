/*
 * Growable arrays: VEC(T) is a struct with `data`, `len` and `cap`. A zeroed one is empty.
 *
 *     VEC(struct event *) heap = {0};
 *     vec_push(&heap, e);
 *     for (size_t i = 0; i < heap.len; i++) use(heap.data[i]);
 *     vec_free(&heap);
 */
#ifndef RUNTIME_BASE_VEC_H
#define RUNTIME_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>

#include "runtime/base/alloc.h"

#define VEC(T)           \
    struct {             \
        T *data;         \
        size_t len, cap; \
    }

/* Makes room for one more element; pointers into the old data become invalid. */
#define vec_reserve_one(v)                                                 \
    do {                                                                   \
        if ((v)->len == (v)->cap) {                                        \
            (v)->cap = (v)->cap ? 2 * (v)->cap : 8;                        \
            (v)->data = xrealloc((v)->data, (v)->cap, sizeof(*(v)->data)); \
        }                                                                  \
    } while (0)

/* Makes room for `n` more elements; pointers into the old data become invalid. */
#define vec_reserve(v, n)                                                  \
    do {                                                                   \
        if ((v)->cap - (v)->len < (n)) {                                   \
            (v)->cap = 2 * (v)->cap + (n);                                 \
            (v)->data = xrealloc((v)->data, (v)->cap, sizeof(*(v)->data)); \
        }                                                                  \
    } while (0)

/* Appends one element. */
#define vec_push(v, ...)                       \
    do {                                       \
        vec_reserve_one(v);                    \
        (v)->data[(v)->len++] = (__VA_ARGS__); \
    } while (0)

/* Releases the storage and makes the vector empty. */
#define vec_free(v)              \
    do {                         \
        free((v)->data);         \
        (v)->data = NULL;        \
        (v)->len = (v)->cap = 0; \
    } while (0)

/* Iterates over pointers to the elements. The test for NULL avoids arithmetic on it (C11
 * 6.5.6p8). */
#define vec_for_each(v, item) \
    for ((item) = (v)->data; (item) && (item) < (v)->data + (v)->len; (item)++)

#endif
