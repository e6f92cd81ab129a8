/*
 * Conditions on the word as constraints of SLEIGH's patterns.
 */
#include "gencc/export/sleigh.h"
#include "gencc/ir/pass.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_BITS = 11, MAX_TRIED = 16, MAX_CUBES = 64 };

const char sl_never[] = "never";

const char *sl_constraint(struct sl_form *f, u128 mask, u128 value)
{
    const char *text = "";

    for (unsigned at = f->width; at-- > 0;) {
        unsigned low = at;

        if (!(mask >> at & 1))
            continue;
        while (low && mask >> (low - 1) & 1)
            low--;
        /* A field that begins in the fixed bits is shown by its own name. */
        vec_for_each (&f->form->instr->format->fields, it) {
            unsigned end = (*it)->lsb + (*it)->width;

            if (!(*it)->computed && end == at + 1 && (*it)->lsb > low)
                low = (*it)->lsb;
        }
        text = arena_printf(f->s->arena, "%s & %s=0x%" PRIx64, text,
                            sl_field(f, low, at - low + 1, NULL),
                            (uint64_t)(value >> low & low_bits(at - low + 1)));
        at = low;
    }
    return text;
}

/* ---- sets of words --------------------------------------------------------------------------- */

/* The number of a word among those that sl_spread() makes of the bits */
static unsigned gather(u128 bits, u128 word)
{
    unsigned n = 0;

    for (unsigned i = 0; bits; bits &= bits - 1, i++)
        n |= (unsigned)((word & (bits & -bits)) != 0) << i;
    return n;
}

/* What a value is for all its bits; NULL if these are too many, or not known. As paths through a
 * function share conditions, it is computed once. */
static const struct sl_truth *truth_of(struct sl_form *f, const struct ir_value *v)
{
    struct sl_truth t = {.value = v};
    u128 got;

    vec_for_each (&f->truths, known)
        if (known->value == v)
            return known->of ? known : NULL;
    if (sl_depends(f, v, &t.bits) && count_bits(t.bits) <= MAX_BITS) {
        t.of = arena_alloc(f->s->arena, (size_t)1 << count_bits(t.bits));
        for (unsigned n = 0; n < 1u << count_bits(t.bits); n++)
            t.of[n] = !sl_evaluate(f, v, sl_spread(f, t.bits, n), &got) ? SL_UNKNOWN : got != 0;
    }
    vec_push_in(f->s->arena, &f->truths, t);
    return t.of ? &f->truths.data[f->truths.len - 1] : NULL;
}

/* The words for which all conditions hold */
struct cubes {
    struct sl_form *f;
    const struct sl_condition *of;
    unsigned n;
    u128 bits;
    uint8_t *held; /* for each value of the bits, as of sl_spread(): whether they hold */
    unsigned count;
    const char *text;
};

/* The words whose upper `fixed` of the bits are those of word `first` */
static void add_cube(struct cubes *c, unsigned first, unsigned fixed)
{
    u128 mask = c->bits;
    const char *one;

    for (unsigned open = count_bits(c->bits) - fixed; open; open--)
        mask &= mask - 1;
    one = sl_constraint(c->f, mask, sl_spread(c->f, c->bits, first) & mask);
    /* Without the leading " & " */
    c->text = arena_printf(c->f->s->arena, "%s%s(%s)", c->text, c->count ? " | " : "",
                           strlen(one) > 3 ? one + 3 : one);
    c->count++;
}

/* Whether all conditions hold for word number n: 0 or 1; SL_UNKNOWN: this cannot be computed. *next
 * receives the number of the next word that can be otherwise: what a condition does not read does
 * not change it. */
static unsigned holds(const struct cubes *c, unsigned n, unsigned *next)
{
    u128 word = sl_spread(c->f, c->bits, n);

    *next = n + 1;
    for (unsigned i = 0; i < c->n; i++) {
        const struct sl_truth *t = truth_of(c->f, c->of[i].value);
        unsigned got = t ? t->of[gather(t->bits, word)] : SL_UNKNOWN;

        if (got == SL_UNKNOWN)
            return got;
        if (got == c->of[i].sense)
            continue;
        if (t->bits)
            *next = (n | gather(c->bits, (t->bits & -t->bits) - 1)) + 1;
        else
            *next = 1u << count_bits(c->bits);
        return 0;
    }
    return 1;
}

/* Tries all words. False: this cannot be computed. */
static bool try_all(struct cubes *c)
{
    unsigned all = 1u << count_bits(c->bits), next, hit;

    c->held = arena_alloc(c->f->s->arena, all);
    for (unsigned n = 0; n < all; n = next) {
        hit = holds(c, n, &next);
        if (hit == SL_UNKNOWN)
            return false;
        memset(c->held + n, (int)hit, next - n);
    }
    return true;
}

/* Splits the words from number `first` on, which agree in `fixed` upper bits, until all of each
 * part agree. Returns false if there are too many parts. */
static bool split(struct cubes *c, unsigned first, unsigned fixed)
{
    unsigned words = 1u << (count_bits(c->bits) - fixed), half = words / 2;

    if (memchr(c->held + first, !c->held[first], words))
        return split(c, first, fixed + 1) && split(c, first + half, fixed + 1);
    if (c->held[first])
        add_cube(c, first, fixed);
    return c->count <= MAX_CUBES;
}

static const char *by_cubes(struct sl_form *f, const struct sl_condition *of, unsigned n, u128 bits)
{
    struct cubes c = {f, of, n, bits, NULL, 0, ""};

    if (count_bits(bits) > MAX_BITS || !try_all(&c))
        return NULL;
    if (!memchr(c.held, !c.held[0], (size_t)1 << count_bits(bits)))
        return c.held[0] ? "" : sl_never;
    return split(&c, 0, 0) ? arena_printf(f->s->arena, " & (%s)", c.text) : NULL;
}

/* ---- by structure ---------------------------------------------------------------------------- */

static bool is_truth(const struct ir_value *v)
{
    return v->op >= IR_EQ && v->op <= IR_GE && v->type.lanes == 1;
}

/* The bits that a value can have set */
static u128 possible(const struct ir_value *v)
{
    return ~ir_value_range(v).zeros & low_bits(v->type.bits);
}

/* Whether the value is an exclusive or of its bits' parts: then what it is for each bit of the word
 * alone tells what it is for all. */
static bool is_linear(const struct sl_form *f, const struct ir_value *v)
{
    const struct ir_value *x = v->ops.len ? v->ops.data[0] : NULL;

    switch (v->op) {
    case IR_FIELD:
        x = v->field->computed ? sl_computed(f, v->field) : NULL;
        return !v->field->computed || (x && is_linear(f, x));
    case IR_CONVERT:
        return ir_is_int(x->type) && is_linear(f, x);
    case IR_SHL:
    case IR_SHR:
        return ir_is_const(v->ops.data[1]) && is_linear(f, x);
    case IR_AND:
        return ir_is_const(v->ops.data[1]) && is_linear(f, x);
    case IR_OR:
    case IR_ADD:
        return !(possible(x) & possible(v->ops.data[1])) && is_linear(f, x) &&
               is_linear(f, v->ops.data[1]);
    case IR_XOR:
        return is_linear(f, x) && is_linear(f, v->ops.data[1]);
    default:
        return v->op == IR_CONST && !v->imm;
    }
}

/* Finds the only word bits for which a linear value is `wanted`. False: there is none, or
 * several. */
static bool solve(struct sl_form *f, const struct ir_value *v, u128 bits, u128 wanted, u128 *word)
{
    u128 rows[128], from[128], rest = wanted;
    unsigned n = 0;

    *word = 0;
    for (unsigned i = 0; i < f->width; i++) {
        u128 image, of = (u128)1 << i;

        if (!(bits >> i & 1))
            continue;
        if (!sl_evaluate(f, v, f->value | of, &image))
            return false;
        for (unsigned k = 0; k < n; k++)
            if ((image ^ rows[k]) < image) {
                image ^= rows[k];
                of ^= from[k];
            }
        if (!image)
            return false;
        rows[n] = image;
        from[n++] = of;
    }
    for (bool again = true; again;) {
        again = false;
        for (unsigned k = 0; k < n; k++)
            if ((rest ^ rows[k]) < rest) {
                rest ^= rows[k];
                *word ^= from[k];
                again = true;
            }
    }
    return !rest;
}

/* Bits of the word that comparisons have fixed */
struct fixed {
    u128 mask, value;
};

/* A comparison of many bits with a number. That they differ is left to the constructors for which
 * they do not: those are more special, and Ghidra prefers them. sl_never: other comparisons fix
 * these bits otherwise. */
static const char *compared(struct sl_form *f, const struct ir_value *v, bool sense,
                            struct fixed *fixed)
{
    u128 bits, word;

    if ((v->op != IR_EQ && v->op != IR_NE) || !ir_is_const(v->ops.data[1]) ||
        !is_linear(f, v->ops.data[0]) || !sl_depends(f, v->ops.data[0], &bits) || f->value & bits ||
        !solve(f, v->ops.data[0], bits, v->ops.data[1]->imm, &word))
        return NULL;
    if ((v->op == IR_EQ) != sense)
        return "";
    if ((word ^ fixed->value) & bits & fixed->mask)
        return sl_never;
    fixed->mask |= bits;
    fixed->value |= word;
    return sl_constraint(f, bits, word);
}

static const struct ir_value *result_of(const struct ir_func *f)
{
    return f->blocks.len == 1 && f->blocks.data[0]->last->op == IR_RET
               ? f->blocks.data[0]->last->ops.data[0]
               : NULL;
}

typedef VEC(struct sl_condition) condition_list;

/* Adds the parts of a conjunction. */
static void add_parts(struct sl_form *f, struct sl_condition c, condition_list *out)
{
    const struct ir_value *v = c.value           ? c.value
                               : f->form->decode ? result_of(f->form->decode)
                                                 : NULL;
    u128 bits;

    if (sl_depends(f, c.value, &bits) && count_bits(bits) <= MAX_BITS) {
        vec_push_in(f->s->arena, out, c);
    } else if (v && v->op == (c.sense ? IR_AND : IR_OR) && v->type.lanes == 1 &&
               ir_value_range(v->ops.data[0]).max <= 1 && ir_value_range(v->ops.data[1]).max <= 1) {
        add_parts(f, (struct sl_condition){v->ops.data[0], c.sense}, out);
        add_parts(f, (struct sl_condition){v->ops.data[1], c.sense}, out);
    } else {
        vec_push_in(f->s->arena, out, ((struct sl_condition){v, c.sense}));
    }
}

/* The conditions in `of` that depend on few bits together, from number *at on */
static const char *small_group(struct sl_form *f, const condition_list *of, unsigned *at)
{
    condition_list group = {0};
    u128 all = 0, bits;

    for (; *at < of->len; ++*at) {
        const struct sl_condition *c = &of->data[*at];

        if (!sl_depends(f, c->value, &bits) || count_bits(bits | all) > MAX_BITS)
            break;
        all |= bits;
        vec_push_in(f->s->arena, &group, *c);
    }
    return by_cubes(f, group.data, group.len, all);
}

/* Whether two comparisons of the same value with the same number cannot both hold. */
static bool contradict(const struct sl_condition *x, const struct sl_condition *y)
{
    const struct ir_value *a = x->value, *b = y->value;

    if (!a || !b || (a->op != IR_EQ && a->op != IR_NE) || (b->op != IR_EQ && b->op != IR_NE))
        return false;
    return a->ops.data[0] == b->ops.data[0] && ir_is_const(a->ops.data[1]) &&
           ir_is_const(b->ops.data[1]) && a->ops.data[1]->imm == b->ops.data[1]->imm &&
           ((a->op == IR_EQ) == x->sense) != ((b->op == IR_EQ) == y->sense);
}

/* Whether some word has all conditions, as far as trying all bits of the small ones can tell. */
static bool is_possible(struct sl_form *f, const condition_list *of)
{
    condition_list tried = {0};
    struct cubes c = {.f = f};
    const struct sl_truth *t;
    unsigned next;

    vec_for_each (of, it) {
        for (const struct sl_condition *other = of->data; other != it; other++)
            if (contradict(it, other))
                return false;
        t = truth_of(f, it->value);
        if (!t || count_bits(c.bits | t->bits) > MAX_TRIED)
            continue;
        c.bits |= t->bits;
        vec_push_in(f->s->arena, &tried, *it);
    }
    c.of = tried.data;
    c.n = tried.len;
    for (unsigned n = 0; n < 1u << count_bits(c.bits); n = next)
        if (holds(&c, n, &next))
            return true;
    return false;
}

const char *sl_conditions(struct sl_form *f, const struct sl_condition *of, unsigned n)
{
    condition_list parts = {0};
    struct fixed fixed = {0};
    const char *all = "";
    u128 bits;

    for (unsigned i = 0; i < n; i++)
        add_parts(f, of[i], &parts);
    if (n > 1 && !is_possible(f, &parts))
        return sl_never;
    for (unsigned i = 0; i < parts.len;) {
        const struct sl_condition *c = &parts.data[i];
        const char *one;

        if (sl_depends(f, c->value, &bits) && count_bits(bits) <= MAX_BITS) {
            one = small_group(f, &parts, &i);
        } else {
            one = c->value && is_truth(c->value) ? compared(f, c->value, c->sense, &fixed) : NULL;
            i++;
        }
        if (!one || one == sl_never)
            return one;
        all = arena_printf(f->s->arena, "%s%s", all, one);
    }
    return all;
}

const char *sl_condition(struct sl_form *f, const struct ir_value *v, bool sense)
{
    return sl_conditions(f, &(struct sl_condition){v, sense}, 1);
}
