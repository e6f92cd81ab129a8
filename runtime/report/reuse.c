/*
 * Reuse distances: how many other lines were used between two uses of a line. Uses are numbered. A
 * tree of sums (Fenwick) marks the number of the last use of each line, so that the lines used
 * since a number are a sum.
 *
 * Bounds      memory: MAX_USES uses; later ones do not count
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/report/internal.h"

enum { MAX_USES = 1 << 17, FIRST_LINES = 1 << 10 };

struct last_use {
    uint64_t line;
    uint32_t use; /* from 1 on; 0: the place is free */
};

struct report_reuser {
    struct report_reuse result;
    uint32_t uses;
    uint32_t tree[MAX_USES + 1];
    struct last_use *lines; /* hash table */
    size_t count, capacity;
};

struct report_reuser *report_reuser_new(void)
{
    struct report_reuser *u = xcalloc(1, sizeof(*u));

    u->capacity = FIRST_LINES;
    u->lines = xcalloc(u->capacity, sizeof(*u->lines));
    return u;
}

static struct last_use *look_up(struct last_use *lines, size_t capacity, uint64_t line)
{
    size_t at = (size_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (capacity - 1);

    while (lines[at].use && lines[at].line != line)
        at = (at + 1) & (capacity - 1);
    return &lines[at];
}

static void grow_lines(struct report_reuser *u)
{
    size_t capacity = 2 * u->capacity;
    struct last_use *lines = xcalloc(capacity, sizeof(*lines));

    for (size_t i = 0; i < u->capacity; i++)
        if (u->lines[i].use)
            *look_up(lines, capacity, u->lines[i].line) = u->lines[i];
    free(u->lines);
    u->lines = lines;
    u->capacity = capacity;
}

static void mark_use(struct report_reuser *u, uint32_t use)
{
    for (uint32_t i = use; i <= MAX_USES; i += i & -i)
        u->tree[i]++;
}

/* Marks `to` in place of `from`. Above the place where their ways in the tree meet, which is
 * MAX_USES, a power of two, at the latest, no sum changes. */
static void move_mark(struct report_reuser *u, uint32_t from, uint32_t to)
{
    while (from != to) {
        if (from < to) {
            u->tree[from]--;
            from += from & -from;
        } else {
            u->tree[to]++;
            to += to & -to;
        }
    }
}

/* The number of marked uses up to `use`. */
static uint32_t count_marked(const struct report_reuser *u, uint32_t use)
{
    uint32_t sum = 0;

    for (uint32_t i = use; i; i -= i & -i)
        sum += u->tree[i];
    return sum;
}

void report_reuser_touch(struct report_reuser *u, uint64_t line)
{
    struct last_use *l;

    if (u->uses == MAX_USES)
        return;
    if (2 * u->count >= u->capacity)
        grow_lines(u);
    l = look_up(u->lines, u->capacity, line);
    u->uses++;
    if (l->use) {
        uint32_t distance = (uint32_t)u->count - count_marked(u, l->use);

        u->result.by_distance[distance ? 32 - __builtin_clz(distance) : 0]++;
        move_mark(u, l->use, u->uses);
    } else {
        u->count++;
        u->result.first_uses++;
        l->line = line;
        mark_use(u, u->uses);
    }
    l->use = u->uses;
}

const struct report_reuse *report_reuser_result(const struct report_reuser *u)
{
    return &u->result;
}

void report_reuser_free(struct report_reuser *u)
{
    free(u->lines);
    free(u);
}
