/*
 * The solver: a depth-first search over bits of the instruction word. Demands are propagated
 * backwards (bits.h); where that is stuck, values of few bits are tried.
 */
#include "gencc/asm/solve/solve.h"
#include "gencc/disasm/text.h"

#include <stdlib.h>

enum {
    TRY_BITS = 16,        /* fields of at most this many bits together are enumerated … */
    NUMBER_BITS = 18,     /* … or of this many for a number, values near 0 first */
    CHOICE_BITS = 6,      /* a condition of at most this many bits is enumerated first … */
    FEW_BITS = 2,         /* … or of this many where a table is possible */
    DEPTH = 16,           /* depth of operands that are searched for such a condition */
    LOOKS = 1 << 16,      /* number of operands that are searched for it */
    TABLE_FROM_BITS = 5,  /* results for more bits than this are kept in a table */
    MAX_TRIALS = 1 << 18, /* evaluations per line and form */
    FREE_TRIALS = 256,    /* values of fields that no demand constrains */
    STEPS = 20000,        /* values visited while reasoning about one state */
};

struct inverse_row {
    int64_t value;
    uint32_t combination; /* values of the varying bits, packed */
};
struct inverse {
    u128 fields; /* bits of the word that vary */
    unsigned count;
    struct inverse_row *rows; /* sorted by value */
};

/* ---- trying values --------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const struct inverse_row *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->combination < y->combination ? -1 : x->combination > y->combination;
}

/* Whether the conditions hold that depend only on `fields`. The conditions are of the same asm line
 * as the expression. So a table of the expression may omit values that break them. */
static bool conditions_hold(const struct solver *s, u128 fields, u128 word)
{
    for (unsigned i = 0; i < s->count && !s->limit; i++) {
        const struct demand *d = &s->demands[i];

        if (d->any_nonzero && !(d->expr->depends & ~fields) && !d->expr->uses_decode &&
            !demand_met(s->text, s->form, d, word))
            return false;
    }
    return true;
}

/* Tabulates an expression over at most TRY_BITS bits; the rest of the word is `base`. */
static struct inverse *make_inverse(struct solver *s, struct word_expr *e, u128 base)
{
    struct inverse *inv = arena_new(s->text->arena, struct inverse);
    unsigned n = count_bits(e->depends);

    inv->fields = e->depends;
    inv->rows = arena_alloc(s->text->arena, sizeof(*inv->rows) << n);
    for (uint32_t c = 0; c < (uint32_t)1 << n; c++) {
        u128 word = (base & ~inv->fields) | bits_scatter(c, inv->fields);
        int64_t value;

        if (conditions_hold(s, inv->fields, word) &&
            word_expr_value(s->text, s->form, e, word, &value))
            inv->rows[inv->count++] = (struct inverse_row){value, c};
    }
    if (inv->count)
        qsort(inv->rows, inv->count, sizeof(*inv->rows), by_value);
    return inv;
}

/* Set of demands that are met and whose bits are all known. */
struct met {
    uint64_t bits[SOLVE_MAX_DEMANDS / 64];
};

static bool search_word(struct solver *s, struct knowledge k, struct met met);

/* Continues the search with the `open` bits of the word set to `value`. */
static bool search_with(struct solver *s, const struct knowledge *k, const struct met *met,
                        u128 open, u128 value)
{
    struct knowledge next = *k;

    return bits_learn(&next.word, (struct bits){open, value & open}) && search_word(s, next, *met);
}

/* Tries the rows of the table that meet the demand and agree with the known bits. */
static bool try_table(struct solver *s, const struct knowledge *k, const struct met *met,
                      const struct demand *d, const struct inverse *inv)
{
    bool exact = (uint64_t)d->want.mask == UINT64_MAX;
    unsigned first = 0, high = inv->count;

    while (exact && first < high) {
        unsigned mid = (first + high) / 2;

        if (inv->rows[mid].value < (int64_t)d->want.value)
            first = mid + 1;
        else
            high = mid;
    }
    for (unsigned i = first; i < inv->count && s->trials_left; i++) {
        uint64_t differs = (uint64_t)inv->rows[i].value ^ (uint64_t)d->want.value;

        if (exact && differs)
            break;
        if (differs & (uint64_t)d->want.mask)
            continue;
        s->trials_left--;
        if (search_with(s, k, met, inv->fields,
                        bits_scatter(inv->rows[i].combination, inv->fields)))
            return true;
    }
    return false;
}

/* Tries all values of the `open` bits. `d`, if given, depends on no other unknown bits. */
static bool try_values(struct solver *s, const struct knowledge *k, const struct met *met,
                       const struct demand *d, u128 open)
{
    unsigned n = count_bits(open);

    for (uint32_t c = 0; c < (uint32_t)1 << n && s->trials_left; c++) {
        u128 value = bits_scatter(n <= TRY_BITS ? c : c & 1 ? ~(c >> 1) : c >> 1, open);

        s->trials_left--;
        if (d && !demand_met(s->text, s->form, d, k->word.value | value))
            continue;
        if (search_with(s, k, met, open, value))
            return true;
    }
    return false;
}

/* ---- search ---------------------------------------------------------------------------------- */

static enum bits_outcome apply_demand(struct solver *s, struct knowledge *k, const struct demand *d)
{
    enum bits_outcome o = BITS_STUCK;

    if (!(d->expr->depends & ~k->word.mask) && !d->expr->uses_decode)
        return demand_met(s->text, s->form, d, k->word.value) ? BITS_DONE : BITS_IMPOSSIBLE;
    if (!d->expr->ret)
        return BITS_STUCK;
    if (!d->any_nonzero)
        return bits_want(k, d->expr->ret, d->want);
    /* A condition that is 0 or 1. */
    if (ir_value_range(d->expr->ret).max == 1)
        o = bits_want(k, d->expr->ret, (struct bits){UINT64_MAX, 1});
    return o;
}

/* Bits of the word that a value depends on through its operands. */
static u128 value_depends(const struct ir_value *v, unsigned depth, unsigned *looks)
{
    u128 all = 0;

    if (!*looks)
        return ~(u128)0;
    --*looks;
    if (v->op == IR_FIELD && !v->field->computed)
        return field_mask(v->field);
    if (v->op == IR_FIELD || v->op == IR_WORD || v->op == IR_PHI || !depth)
        return ~(u128)0;
    vec_for_each (&v->ops, op) {
        all |= value_depends(*op, depth - 1, looks);
    }
    return all;
}

/* Few unknown bits that decide a choice or a shift amount in an expression; 0: none. Operands with
 * several uses are visited once per use. *looks limits all visits. */
static u128 deciding_bits(struct knowledge *k, const struct ir_value *v, unsigned depth,
                          unsigned *looks)
{
    u128 open;

    if (!v || !depth || !*looks)
        return 0;
    --*looks;
    if (v->op == IR_SELECT) {
        open = value_depends(v->ops.data[0], DEPTH, looks) & ~k->word.mask;
        if (open && count_bits(open) <= CHOICE_BITS)
            return open;
    }
    if ((v->op == IR_SHL || v->op == IR_SHR || v->op == IR_ROR || v->op == IR_ROL)) {
        open = value_depends(v->ops.data[1], DEPTH, looks) & ~k->word.mask;
        if (open && count_bits(open) <= CHOICE_BITS)
            return open;
    }
    vec_for_each (&v->ops, op) {
        open = deciding_bits(k, *op, depth - 1, looks);
        if (open)
            return open;
    }
    return 0;
}

static bool try_all_values(struct solver *s, const struct knowledge *k, u128 open)
{
    for (uint32_t c = 0; c < (uint32_t)1 << count_bits(open) && s->trials_left; c++)
        if (s->judge(s->opaque, k->word.value | bits_scatter(c, open)) == SOLVE_YES)
            return true;
    return false;
}

static bool try_free(struct solver *s, const struct knowledge *k)
{
    u128 free = 0;
    unsigned n;

    vec_for_each (&s->form->instr->format->fields, f) {
        if (!(*f)->computed)
            free |= field_mask(*f);
    }
    free &= ~k->word.mask;
    if ((free & s->tried) && count_bits(free & s->tried) <= TRY_BITS)
        return try_all_values(s, k, free & s->tried);
    n = count_bits(free);
    for (uint32_t c = 0; s->trials_left && c < FREE_TRIALS && (n >= 32 || c < (uint32_t)1 << n);
         c++) {
        if (s->judge(s->opaque, k->word.value | bits_scatter(c, free)) == SOLVE_YES)
            return true;
    }
    return false;
}

/* Enumerates an unsettled demand. A table is fast to search but slow to make, so a choice of a few
 * bits is enumerated first. */
static bool branch_on_demand(struct solver *s, struct knowledge *k, const struct met *met,
                             const struct demand *d)
{
    struct word_expr *e = d->expr;
    u128 open = e->depends & ~k->word.mask, few;
    unsigned looks = LOOKS;
    bool tabled = !d->any_nonzero && !e->uses_decode && count_bits(e->depends) <= TRY_BITS;

    if (count_bits(open) <= TABLE_FROM_BITS)
        return try_values(s, k, met, d, open);
    few = deciding_bits(k, e->ret, DEPTH, &looks);
    if (few && count_bits(few) <= (tabled ? FEW_BITS : CHOICE_BITS))
        return try_values(s, k, met, NULL, few);
    if (tabled) {
        struct inverse **kept = s->limit && e->shared ? e->shared : &e->inverse;

        if (!*kept)
            *kept = make_inverse(s, e, k->word.value);
        return try_table(s, k, met, d, *kept);
    }
    return count_bits(open) <= NUMBER_BITS && try_values(s, k, met, d, open);
}

static bool is_met(const struct met *met, unsigned i)
{
    return met->bits[i / 64] >> i % 64 & 1;
}

static bool search_word(struct solver *s, struct knowledge k, struct met met)
{
    const struct demand *stuck;
    u128 before;

    if (!s->trials_left)
        return false;
    do {
        stuck = NULL;
        before = k.word.mask;
        k.steps = STEPS;
        for (unsigned i = 0; i < s->count; i++) {
            const struct demand *d = &s->demands[i];
            u128 open = d->expr->depends & ~k.word.mask;

            if (is_met(&met, i))
                continue;
            switch (apply_demand(s, &k, d)) {
            case BITS_IMPOSSIBLE:
                return false;
            case BITS_DONE:
                if (!open && !d->expr->uses_decode)
                    met.bits[i / 64] |= (uint64_t)1 << i % 64;
                break;
            case BITS_STUCK:
                if (open && (!stuck || (!d->any_nonzero && stuck->any_nonzero) ||
                             (d->any_nonzero == stuck->any_nonzero &&
                              count_bits(open) < count_bits(stuck->expr->depends & ~k.word.mask))))
                    stuck = d;
                break;
            }
        }
    } while (k.word.mask != before);
    if (!stuck)
        return try_free(s, &k);
    return branch_on_demand(s, &k, &met, stuck);
}

bool solve_form(struct solver *s, struct form *form)
{
    u128 above = isa_context_bits(s->text->isa, 0xff);
    u128 context = isa_context_bits(s->text->isa, s->text->context);

    s->form = form;
    s->trials_left = s->limit ? s->limit : MAX_TRIALS;
    vec_for_each (&form->patterns, p) {
        struct knowledge k = {.word = {p->mask | above, p->value | context},
                              .decode = lower_decode(form)};

        /* the pattern may be of other contexts only */
        if ((p->value ^ context) & p->mask & above)
            continue;
        if (bits_learn(&k.word, s->start) && search_word(s, k, (struct met){{0}}))
            return true;
    }
    return false;
}
