/*
 * Growable arrays: VEC(T) is a struct with `data`, `len` and `cap`. A zeroed one is empty.
 *
 *     VEC(struct event *) heap = {0};
 *     vec_push(&heap, e);
 *     vec_for_each (&heap, it)
 *         use(*it);
 *     vec_free(&heap);
 *
 * An array's memory comes from the heap, or from an arena by the functions that end in _in. Those
 * leave the old copy in the arena when the array grows, and the arena frees all. One array is grown
 * by one kind only. It has fewer than 2^32 elements; one more ends the program, as a lack of memory
 * does.
 */
#ifndef COMMON_VEC_H
#define COMMON_VEC_H

#include <stddef.h>
#include <stdlib.h>

struct arena;

#define VEC(T)             \
    struct {               \
        T *data;           \
        unsigned len, cap; \
    }

/* Make room for one more element, or for `n` in total; pointers into the old data become
 * invalid. */
#define vec_reserve_one(v)                                                                        \
    do {                                                                                          \
        if ((v)->len == (v)->cap)                                                                 \
            (v)->data = vec_grow((v)->data, &(v)->cap, sizeof(*(v)->data), (size_t)(v)->len + 1); \
    } while (0)
#define vec_reserve(v, n)                                                        \
    do {                                                                         \
        if ((v)->cap < (n))                                                      \
            (v)->data = vec_grow((v)->data, &(v)->cap, sizeof(*(v)->data), (n)); \
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

/* Makes room for `n` elements in total, in the arena, before that many are pushed. */
#define vec_reserve_in(arena, v, n)                                                            \
    do {                                                                                       \
        if ((n) > (v)->cap)                                                                    \
            (v)->data = vec_resize_in((arena), (v)->data, &(v)->cap, sizeof(*(v)->data), (n)); \
    } while (0)

/* Appends `value`, in the arena. */
#define vec_push_in(arena, v, ...)                                                      \
    do {                                                                                \
        if ((v)->len == (v)->cap)                                                       \
            (v)->data = vec_grow_in((arena), (v)->data, &(v)->cap, sizeof(*(v)->data)); \
        (v)->data[(v)->len++] = (__VA_ARGS__);                                          \
    } while (0)

/* Visits each element: in vec_for_each (&foos, f), `f` points to the element. The test for NULL
 * avoids arithmetic on it (C11 6.5.6p8). */
#define vec_for_each(v, it) \
    for (__typeof__((v)->data + 0) it = (v)->data; it && it < (v)->data + (v)->len; it++)

/* Double the capacity *cap of an array of elements of `size` bytes, vec_grow() at least to `least`;
 * return its new storage. */
void *vec_grow(void *data, unsigned *cap, size_t size, size_t least);
void *vec_grow_in(struct arena *a, const void *data, unsigned *cap, size_t size);

/* Sets the capacity *cap to `wanted`, which is not less. */
void *vec_resize_in(struct arena *a, const void *data, unsigned *cap, size_t size, unsigned wanted);

#endif
