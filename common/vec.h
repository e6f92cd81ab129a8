/*
 * Typed growable arrays in an arena:  VEC(struct foo *) foos;  vec_push(arena, &foos, f);
 */
#ifndef COMMON_VEC_H
#define COMMON_VEC_H

#include "common/arena.h"

#include <string.h>

#define VEC(type)             \
    struct {                  \
        type *at;             \
        unsigned count, room; \
    }

/* Appends `value`. The array grows by doubling; the old copy stays in the arena. */
#define vec_push(arena, v, value)                                              \
    do {                                                                       \
        if ((v)->count == (v)->room)                                           \
            (v)->at = vec_grow((arena), (v)->at, sizeof *(v)->at, &(v)->room); \
        (v)->at[(v)->count++] = (value);                                       \
    } while (0)

/* Makes room for `n` elements in total, before that many are pushed. */
#define vec_reserve(arena, v, n)                                                      \
    do {                                                                              \
        if ((n) > (v)->room)                                                          \
            (v)->at = vec_resize((arena), (v)->at, sizeof *(v)->at, &(v)->room, (n)); \
    } while (0)

/* Visits each element: in vec_for_each(&foos, f), `f` points to the element. */
#define vec_for_each(v, it) \
    for (__typeof__((v)->at + 0) it = (v)->at; it && it < (v)->at + (v)->count; it++)

static inline void *vec_resize(struct arena *a, void *old, size_t elem, unsigned *room,
                               unsigned bigger)
{
    void *p = arena_alloc(a, elem * bigger);

    if (*room)
        memcpy(p, old, elem * *room);
    *room = bigger;
    return p;
}

static inline void *vec_grow(struct arena *a, void *old, size_t elem, unsigned *room)
{
    /* Starts with 4: most arrays are operands of a value. */
    return vec_resize(a, old, elem, room, *room ? *room * 2 : 4);
}

#endif
