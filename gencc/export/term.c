/*
 * Making terms; see term.h.
 */
#include "gencc/export/term.h"

#include <string.h>

/* ---- the table ------------------------------------------------------------------------------- */

static uint64_t hash_step(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t hash_of(const struct term *x)
{
    uint64_t h = hash_step(x->kind, (uint64_t)x->value ^ (uint64_t)(x->value >> 64));

    h = hash_step(h, (uint64_t)x->sort.kind << 32 ^ x->sort.bits ^ x->sort.index_bits << 16);
    for (const char *c = x->head; c && *c; c++)
        h = hash_step(h, (unsigned char)*c);
    for (unsigned i = 0; i < x->n; i++)
        h = hash_step(h, x->args[i]->id);
    return h;
}

static bool is_same(const struct term *x, const struct term *y)
{
    if (x->kind != y->kind || x->value != y->value || x->n != y->n ||
        memcmp(&x->sort, &y->sort, sizeof(x->sort)) || !x->head != !y->head)
        return false;
    if (x->head && strcmp(x->head, y->head))
        return false;
    return !x->n || !memcmp(x->args, y->args, x->n * sizeof(*x->args));
}

/* The place of an equal term, or the free one. */
static unsigned *place_of(struct terms *t, const struct term *x)
{
    unsigned at = (unsigned)hash_of(x) & (t->table_size - 1);

    while (t->table[at] && !is_same(t->all.data[t->table[at] - 1], x))
        at = (at + 1) & (t->table_size - 1);
    return &t->table[at];
}

static void grow_table(struct terms *t)
{
    t->table_size = t->table_size ? 2 * t->table_size : 1024;
    t->table = arena_alloc(t->arena, t->table_size * sizeof(*t->table));
    vec_for_each (&t->all, x)
        *place_of(t, *x) = (*x)->id + 1;
}

static const struct term *keep(struct terms *t, const struct term *x)
{
    const struct term **args;
    struct term *copy;
    unsigned *place;

    if (2 * (t->all.len + 1) > t->table_size)
        grow_table(t);
    place = place_of(t, x);
    if (*place)
        return t->all.data[*place - 1];
    copy = arena_new(t->arena, struct term);
    *copy = *x;
    copy->id = t->all.len;
    copy->head = x->head ? arena_strdup(t->arena, x->head) : NULL;
    if (x->n) {
        args = arena_alloc(t->arena, x->n * sizeof(struct term *));
        memcpy(args, x->args, x->n * sizeof(struct term *));
        copy->args = args;
    }
    vec_push_in(t->arena, &t->all, copy);
    *place = copy->id + 1;
    return copy;
}

/* ---- leaves and operations ------------------------------------------------------------------- */

const struct term *term_number(struct terms *t, unsigned bits, u128 value)
{
    return keep(t, &(struct term){.kind = TERM_NUMBER,
                                  .sort = sort_bits(bits),
                                  .value = value & low_bits(bits)});
}

const struct term *term_bool(struct terms *t, bool value)
{
    return keep(t, &(struct term){.kind = TERM_NUMBER, .sort = sort_bool(), .value = value});
}

const struct term *term_input(struct terms *t, const char *name, struct sort sort)
{
    return keep(t, &(struct term){.kind = TERM_INPUT, .sort = sort, .head = name});
}

const struct term *term_apply(struct terms *t, const char *name, struct sort sort, unsigned n,
                              const struct term *const *args)
{
    enum term_kind kind = n ? TERM_APPLIED : TERM_INPUT;

    return keep(t, &(struct term){.kind = kind, .sort = sort, .head = name, .n = n, .args = args});
}

const struct term *term_op(struct terms *t, const char *head, struct sort sort, unsigned n,
                           const struct term *const *args)
{
    return keep(t,
                &(struct term){.kind = TERM_OP, .sort = sort, .head = head, .n = n, .args = args});
}

const struct term *term_op1(struct terms *t, const char *head, struct sort sort,
                            const struct term *x)
{
    return term_op(t, head, sort, 1, &x);
}

const struct term *term_op2(struct terms *t, const char *head, const struct term *x,
                            const struct term *y)
{
    return term_op(t, head, x->sort, 2, (const struct term *[]){x, y});
}

const struct term *term_test(struct terms *t, const char *head, const struct term *x,
                             const struct term *y)
{
    return term_op(t, head, sort_bool(), 2, (const struct term *[]){x, y});
}

/* ---- Booleans -------------------------------------------------------------------------------- */

static bool is_op(const struct term *x, const char *head)
{
    return x->kind == TERM_OP && !strcmp(x->head, head);
}

const struct term *term_not(struct terms *t, const struct term *x)
{
    if (x->kind == TERM_NUMBER)
        return term_bool(t, !x->value);
    return is_op(x, "not") ? x->args[0] : term_op1(t, "not", sort_bool(), x);
}

const struct term *term_and(struct terms *t, const struct term *x, const struct term *y)
{
    if (x->kind == TERM_NUMBER)
        return x->value ? y : x;
    if (y->kind == TERM_NUMBER)
        return y->value ? x : y;
    if (x == y)
        return x;
    return x == term_not(t, y) ? term_bool(t, false) : term_test(t, "and", x, y);
}

const struct term *term_or(struct terms *t, const struct term *x, const struct term *y)
{
    if (x->kind == TERM_NUMBER)
        return x->value ? x : y;
    if (y->kind == TERM_NUMBER)
        return y->value ? y : x;
    if (x == y)
        return x;
    if (x == term_not(t, y))
        return term_bool(t, true);
    /* Both sides of a branch meet again. */
    if (is_op(x, "and") && is_op(y, "and") && x->args[0] == y->args[0])
        return term_and(t, x->args[0], term_or(t, x->args[1], y->args[1]));
    return term_test(t, "or", x, y);
}

const struct term *term_ite(struct terms *t, const struct term *c, const struct term *x,
                            const struct term *y)
{
    if (c->kind == TERM_NUMBER)
        return c->value ? x : y;
    if (x == y)
        return x;
    if (x->sort.kind == SORT_BOOL) {
        if (x->kind == TERM_NUMBER)
            return x->value ? term_or(t, c, y) : term_and(t, term_not(t, c), y);
        if (y->kind == TERM_NUMBER)
            return y->value ? term_or(t, term_not(t, c), x) : term_and(t, c, x);
    }
    if (is_op(c, "not"))
        return term_ite(t, c->args[0], y, x);
    return term_op(t, "ite", x->sort, 3, (const struct term *[]){c, x, y});
}

const struct term *term_equal(struct terms *t, const struct term *x, const struct term *y)
{
    if (x == y)
        return term_bool(t, true);
    if (x->kind == TERM_NUMBER && y->kind == TERM_NUMBER)
        return term_bool(t, x->value == y->value);
    if (x->kind == TERM_NUMBER)
        return term_equal(t, y, x);
    /* (= (ite c 1 0) 0) */
    if (y->kind == TERM_NUMBER && is_op(x, "ite") && x->args[1]->kind == TERM_NUMBER &&
        x->args[2]->kind == TERM_NUMBER)
        return term_ite(t, x->args[0], term_equal(t, x->args[1], y), term_equal(t, x->args[2], y));
    return term_test(t, "=", x, y);
}

/* ---- bits ------------------------------------------------------------------------------------ */

const struct term *term_extract(struct terms *t, const struct term *x, unsigned low, unsigned bits)
{
    char head[40];

    if (!low && bits == x->sort.bits)
        return x;
    if (x->kind == TERM_NUMBER)
        return term_number(t, bits, x->value >> low);
    if (is_op(x, "concat")) {
        unsigned at = x->args[1]->sort.bits;

        if (low >= at)
            return term_extract(t, x->args[0], low - at, bits);
        if (low + bits <= at)
            return term_extract(t, x->args[1], low, bits);
    }
    snprintf(head, sizeof(head), "(_ extract %u %u)", low + bits - 1, low);
    return term_op1(t, head, sort_bits(bits), x);
}

const struct term *term_concat(struct terms *t, const struct term *high, const struct term *low)
{
    unsigned bits = high->sort.bits + low->sort.bits;

    if (high->kind == TERM_NUMBER && low->kind == TERM_NUMBER && bits <= 128)
        return term_number(t, bits, high->value << low->sort.bits | low->value);
    return term_op(t, "concat", sort_bits(bits), 2, (const struct term *[]){high, low});
}

const struct term *term_resize(struct terms *t, const struct term *x, unsigned bits, bool is_signed)
{
    char head[40];

    if (bits <= x->sort.bits)
        return term_extract(t, x, 0, bits);
    if (x->kind == TERM_NUMBER && bits <= 128) {
        u128 sign = (u128)1 << (x->sort.bits - 1);

        return term_number(t, bits, is_signed ? (x->value ^ sign) - sign : x->value);
    }
    snprintf(head, sizeof(head), "(_ %s_extend %u)", is_signed ? "sign" : "zero",
             bits - x->sort.bits);
    return term_op1(t, head, sort_bits(bits), x);
}

const struct term *term_nonzero(struct terms *t, const struct term *x)
{
    return term_not(t, term_equal(t, x, term_number(t, x->sort.bits, 0)));
}

const struct term *term_from_bool(struct terms *t, const struct term *c, unsigned bits)
{
    return term_ite(t, c, term_number(t, bits, 1), term_number(t, bits, 0));
}
