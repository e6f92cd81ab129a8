/*
 * Accesses of global memory beside the kernel's buffers, and misaligned ones.
 *
 * Only the area of a buffer is judged: the driver rounds a buffer up to pages, and nothing else
 * lies in these. Memory that no argument names, as the driver's own, is not judged.
 */
#include "runtime/check/internal.h"

static bool is_in(uint64_t va, uint64_t from, uint64_t bytes)
{
    return va - from < bytes;
}

const struct check_buffer *check_buffer_of(const struct check *c, uint64_t va)
{
    for (size_t i = 0; i < c->buffer_count; i++)
        if (is_in(va, c->buffers[i].va, c->buffers[i].bytes))
            return &c->buffers[i];
    return NULL;
}

static bool is_uniform(const struct check *c, uint64_t va)
{
    vec_for_each (&c->job->uniforms, u)
        if (is_in(va, u->va, u->bytes))
            return true;
    return false;
}

const struct check_buffer *check_buffer_beside(const struct check *c, uint64_t va)
{
    if (check_buffer_of(c, va) || is_uniform(c, va))
        return NULL;
    for (size_t i = 0; i < c->buffer_count; i++)
        if (is_in(va, c->buffers[i].area_va, c->buffers[i].area_bytes))
            return &c->buffers[i];
    return NULL;
}

/* The alignment that an access needs: that of its elements, of which the largest are words. Stores
 * to local memory need none, since Mesa joins adjacent bytes there at any address. */
static unsigned alignment_of(const struct check_access *a)
{
    unsigned lowest = a->bytes & -a->bytes;

    if (a->memory == CHECK_LOCAL && a->store && !a->at.atomic)
        return 1;
    return lowest < 4 ? lowest : 4;
}

static bool is_beside(const struct check *c, uint64_t va, uint32_t bytes)
{
    return check_buffer_beside(c, va) || check_buffer_beside(c, va + bytes - 1);
}

/* Whether one buffer holds all lanes, in order of their addresses. */
static bool is_inside(const struct check *c, const struct timing_touch *t)
{
    uint64_t first, last;
    const struct check_buffer *b;

    if (t->shape > TIMING_SIDE)
        return false;
    first = timing_touch_at(t, (unsigned)__builtin_ctz(t->lanes));
    last = timing_touch_at(t, 31 - (unsigned)__builtin_clz(t->lanes)) + t->bytes - 1;
    b = check_buffer_of(c, first);
    return b && last >= first && is_in(last, b->va, b->bytes);
}

void check_buffers_touch(struct check *c, const struct timing_touch *t, unsigned row,
                         const struct check_moment *now, bool apart)
{
    struct check_access a = {.at = *now,
                             .memory = check_memory_of(t->access),
                             .store = check_is_store(t->access),
                             .bytes = t->bytes};
    bool inside = a.memory != CHECK_GLOBAL || !c->buffer_count || is_inside(c, t);
    unsigned align = apart ? alignment_of(&a) : 1;

    if (inside && align == 1)
        return;
    for (uint32_t left = t->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);

        a.at.item = (uint16_t)(row * c->trace->row_width + lane);
        a.address = timing_touch_at(t, lane);
        if (!inside && is_beside(c, a.address, a.bytes))
            check_add(c, CHECK_OUTSIDE, &a, NULL);
        if (a.address & (align - 1))
            check_add(c, CHECK_MISALIGNED, &a, NULL);
    }
}
