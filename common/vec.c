/* Growth of arrays (common/vec.h); the functions are called once per doubling of the capacity. */
#include "common/vec.h"

#include "common/arena.h"
#include "common/memory.h"

#include <limits.h>
#include <string.h>

/* Elements of the first allocation. In arenas most arrays are operands of a value of the IR. */
enum { FIRST_OF_HEAP = 8, FIRST_IN_ARENA = 4 };

/* Twice the capacity, and at least `least`. */
static unsigned larger_capacity(unsigned cap, size_t least)
{
    size_t wanted = 2 * (size_t)cap > least ? 2 * (size_t)cap : least;

    if (wanted > UINT_MAX)
        memory_or_exit(NULL);
    return (unsigned)wanted;
}

void *vec_grow(void *data, unsigned *cap, size_t size, size_t least)
{
    *cap = larger_capacity(*cap, least > FIRST_OF_HEAP ? least : FIRST_OF_HEAP);
    return memory_or_exit(reallocarray(data, *cap, size));
}

void *vec_resize_in(struct arena *a, const void *data, unsigned *cap, size_t size, unsigned wanted)
{
    void *copy = arena_alloc(a, size * wanted);

    if (*cap)
        memcpy(copy, data, size * *cap);
    *cap = wanted;
    return copy;
}

void *vec_grow_in(struct arena *a, const void *data, unsigned *cap, size_t size)
{
    return vec_resize_in(a, data, cap, size, larger_capacity(*cap, FIRST_IN_ARENA));
}
