/*
 * Builds decision trees, one per word width. A node switches on a range of bits; a candidate that
 * does not test a bit is copied to both children. Subtrees with the same candidates and remaining
 * tests are shared.
 */
#include "gencc/model/internal.h"

#include <stdlib.h>

enum { MAX_SWITCH_BITS = 8, MAX_NODES = 1 << 20 };

struct candidate {
    struct form *form;
    struct pattern rest; /* tests that remain */
};

struct work {
    struct arena *a;
    unsigned width;
    unsigned nodes;
    struct name_map known; /* nodes by the text of their candidates, for sharing */
};

/* ---- choosing the bits ----------------------------------------------------------------------- */

struct window {
    unsigned shift, width;
    double score;
};

/* Score of a switch on a window: bits tested, minus the cost of candidates that must be copied. */
static double score_window(const struct candidate *c, unsigned count, unsigned shift,
                           unsigned width)
{
    u128 mask = low_bits(width) << shift;
    u128 ones = 0, zeros = 0;
    double tested = 0, copies = 0;

    for (unsigned i = 0; i < count; i++) {
        unsigned bits = count_bits(c[i].rest.mask & mask);

        tested += bits;
        copies += 1u << (width - bits);
        ones |= c[i].rest.value & mask;
        zeros |= c[i].rest.mask & ~c[i].rest.value & mask;
    }
    if (!(ones & zeros)) /* all candidates agree, so nothing is distinguished */
        return -1;
    tested /= count;
    copies /= count;
    return tested - 0.5 * (copies - 1) - width * 0.01 + count_bits(ones & zeros) * 0.1;
}

static bool excludes_from(const struct candidate *c, u128 mask)
{
    vec_for_each (&c->rest.nots, n)
        if (n->mask == mask)
            return true;
    return false;
}

/* Whether every candidate tests all bits of a range or excludes one value of it, and both kinds
 * exist. All values that no candidate tests have the same subtree, so the switch copies nothing. */
static bool tells_excluded(const struct candidate *c, unsigned count, u128 mask)
{
    unsigned excluding = 0, testing = 0;

    for (unsigned i = 0; i < count; i++) {
        bool tests = (c[i].rest.mask & mask) == mask;

        testing += tests;
        excluding += !tests && excludes_from(&c[i], mask);
    }
    return testing && excluding && excluding + testing == count;
}

/* The range of bits of some candidate's first exclusion, if switching on it is worthwhile; else of
 * width 0. */
static struct window excluded_window(const struct candidate *c, unsigned count)
{
    const struct candidate *first = c, *end = c + count;
    unsigned shift = 0, width;
    u128 mask;

    while (first < end && !first->rest.nots.len)
        first++;
    if (first == end)
        return (struct window){0};
    mask = first->rest.nots.data[0].mask;
    width = count_bits(mask);
    while (!(mask >> shift & 1))
        shift++;
    if (width > MAX_SWITCH_BITS || mask >> shift != low_bits(width) ||
        !tells_excluded(c, count, mask))
        return (struct window){0};
    return (struct window){shift, width, 0};
}

static struct window choose_window(const struct work *w, const struct candidate *c, unsigned count)
{
    struct window best = excluded_window(c, count);
    u128 tested = 0;

    if (best.width)
        return best;
    best.score = -1e9;
    for (unsigned i = 0; i < count; i++)
        tested |= c[i].rest.mask;
    for (unsigned shift = 0; shift < w->width; shift++) {
        if (!(tested >> shift & 1))
            continue;
        for (unsigned width = 1; width <= MAX_SWITCH_BITS && shift + width <= w->width; width++) {
            struct window n = {shift, width, score_window(c, count, shift, width)};

            if (n.score > best.score && n.score > -1)
                best = n;
            else if (n.score == -1 && !best.width)
                best = (struct window){shift, 1, -1e8};
        }
    }
    return best;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Whether the pattern excludes every value of some range of bits. */
static bool excludes_all(const struct pattern *p)
{
    vec_for_each (&p->nots, n) {
        unsigned bits = count_bits(n->mask), values = 0;

        vec_for_each (&p->nots, other) {
            bool seen = other->mask != n->mask;

            for (const struct bit_test *k = p->nots.data; k < other && !seen; k++)
                seen = k->mask == other->mask && k->value == other->value;
            values += !seen;
        }
        if (bits < 32 && values == 1u << bits)
            return true;
    }
    return false;
}

/* Removes tests that the known bits of the word decide. Returns false if the candidate cannot
 * match. */
static bool reduce_candidate(struct arena *a, struct candidate *c, u128 mask, u128 value)
{
    struct pattern from = c->rest;

    if ((from.value ^ value) & from.mask & mask)
        return false;
    c->rest.mask &= ~mask;
    c->rest.value &= ~mask;
    c->rest.nots.len = c->rest.nots.cap = 0;
    c->rest.nots.data = NULL;
    vec_for_each (&from.nots, n) {
        if ((n->value ^ value) & n->mask & mask)
            continue;
        if (!(n->mask & ~mask))
            return false;
        vec_push_in(a, &c->rest.nots, ((struct bit_test){n->mask & ~mask, n->value & ~mask}));
    }
    return !excludes_all(&c->rest);
}

static bool accepts_all(const struct candidate *c)
{
    return !c->rest.mask && !c->rest.nots.len && form_unconditional(c->form);
}

static struct decode_node *new_node(struct work *w, int kind)
{
    struct decode_node *n = arena_new(w->a, struct decode_node);

    n->kind = kind;
    w->nodes++;
    return n;
}

static struct decode_node *make_leaf(struct work *w, const struct candidate *c, unsigned count)
{
    struct decode_node *n = new_node(w, count ? DECODE_LEAF : DECODE_FAIL);

    for (unsigned i = 0; i < count; i++) {
        vec_push_in(w->a, &n->forms, c[i].form);
        vec_push_in(w->a, &n->tests, c[i].rest);
    }
    return n;
}

static const char *candidates_text(struct arena *a, const struct candidate *c, unsigned count)
{
    size_t room = 1;
    size_t used = 0;
    char *text;

    for (unsigned i = 0; i < count; i++)
        room += 80 + c[i].rest.nots.len * 70u;
    text = arena_alloc(a, room);
    for (unsigned i = 0; i < count; i++) {
        const struct pattern *p = &c[i].rest;

        used += (size_t)snprintf(text + used, room - used, "%u:%llx%016llx=%llx%016llx;",
                                 c[i].form->index, (unsigned long long)(p->mask >> 64),
                                 (unsigned long long)p->mask, (unsigned long long)(p->value >> 64),
                                 (unsigned long long)p->value);
        vec_for_each (&p->nots, n)
            used += (size_t)snprintf(
                text + used, room - used, "!%llx%016llx=%llx%016llx",
                (unsigned long long)(n->mask >> 64), (unsigned long long)n->mask,
                (unsigned long long)(n->value >> 64), (unsigned long long)n->value);
    }
    return text;
}

static struct decode_node *build_node(struct work *w, const struct candidate *c, unsigned count);

static struct decode_node *build_switch(struct work *w, const struct candidate *c, unsigned count,
                                        struct window window)
{
    struct decode_node *n = new_node(w, DECODE_SWITCH);
    struct candidate *part = arena_alloc(w->a, count * sizeof(*part));
    u128 mask = low_bits(window.width) << window.shift;
    bool alike = true;

    n->shift = window.shift;
    n->width = window.width;
    n->children = arena_alloc(w->a, sizeof(*n->children) << window.width);
    for (unsigned v = 0; v < 1u << window.width; v++) {
        unsigned left = 0;

        for (unsigned i = 0; i < count; i++) {
            struct candidate one = c[i];

            if (!reduce_candidate(w->a, &one, mask, (u128)v << window.shift))
                continue;
            part[left++] = one;
            if (accepts_all(&one))
                break;
        }
        n->children[v] = build_node(w, part, left);
        alike = alike && n->children[v] == n->children[0];
    }
    return alike ? n->children[0] : n;
}

static struct decode_node *build_node(struct work *w, const struct candidate *c, unsigned count)
{
    const char *key = candidates_text(w->a, c, count);
    struct decode_node *n = name_map_get(&w->known, key);
    struct window window;

    if (n)
        return n;
    window = count > 1 ? choose_window(w, c, count) : (struct window){0};
    if (!window.width || w->nodes > MAX_NODES)
        n = make_leaf(w, c, count);
    else
        n = build_switch(w, c, count, window);
    name_map_put(w->a, &w->known, key, n);
    return n;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int most_special_first(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    unsigned na = count_bits(a->rest.mask), nb = count_bits(b->rest.mask);

    if (na != nb)
        return na > nb ? -1 : 1;
    if (a->rest.nots.len != b->rest.nots.len)
        return a->rest.nots.len > b->rest.nots.len ? -1 : 1;
    if (a->form->index != b->form->index)
        return a->form->index < b->form->index ? -1 : 1;
    return 0;
}

static int by_number(const void *x, const void *y)
{
    unsigned a = *(const unsigned *)x, b = *(const unsigned *)y;

    return a < b ? -1 : a > b;
}

static void find_widths(struct isa_builder *ib)
{
    vec_for_each (&ib->isa->forms, f) {
        unsigned width = (*f)->instr->format->width, i = 0;

        while (i < ib->isa->widths.len && ib->isa->widths.data[i] != width)
            i++;
        if (i == ib->isa->widths.len)
            vec_push_in(ib->b->a, &ib->isa->widths, width);
    }
    if (ib->isa->widths.len)
        qsort(ib->isa->widths.data, ib->isa->widths.len, sizeof(*ib->isa->widths.data), by_number);
}

static struct decode_node *build_tree(struct isa_builder *ib, unsigned width)
{
    struct work w = {.a = ib->b->a, .width = width};
    VEC(struct candidate) all = {0};

    vec_for_each (&ib->isa->forms, f)
        if ((*f)->instr->format->width == width)
            vec_for_each (&(*f)->patterns, p)
                vec_push_in(w.a, &all, ((struct candidate){*f, *p}));
    if (all.len)
        qsort(all.data, all.len, sizeof(*all.data), most_special_first);
    return build_node(&w, all.data, all.len);
}

void build_trees(struct isa_builder *ib)
{
    find_widths(ib);
    vec_for_each (&ib->isa->widths, w)
        vec_push_in(ib->b->a, &ib->isa->trees, build_tree(ib, *w));
}
