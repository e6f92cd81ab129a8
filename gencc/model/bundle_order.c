/*
 * The order of grains. Every path from the first to the last grain must store each bit of a whole
 * number of stages once, and literal bits must distinguish the alternatives for the next grain.
 */
#include "gencc/model/bundle_internal.h"

#include <string.h>

enum { MAX_PATHS = 4096 }; /* limit; formats in use have some tens of paths */

/* ---- links ----------------------------------------------------------------------------------- */

static struct bundle_grain *find_grain(const struct bundle_builder *b, const char *name)
{
    vec_for_each (&b->c->grains, q)
        if (!strcmp((*q)->name, name))
            return *q;
    return NULL;
}

static void link_after(struct bundle_builder *b, struct bundle_grain *q,
                       const struct ast_param *name)
{
    struct bundle_grain *before = find_grain(b, name->name);
    struct name_guess guess = {.wrong = name->name};

    vec_for_each (&b->c->grains, it)
        name_guess_offer(&guess, (*it)->name);
    if (!before)
        diag_unknown(b->d, name->pos, &guess, "unknown grain \"%s\"", guess.wrong);
    else if (before->end)
        diag_error(b->d, name->pos, "only constants come after \"%s\", which has %%end",
                   before->name);
    else
        vec_push_in(b->a, &before->next, q);
}

static void link_constants(struct bundle_builder *b, struct bundle_grain *q)
{
    if (!q->end)
        diag_error(b->d, q->pos, "constants \"%s\" need an %%end, 0 where more follow", q->name);
    if (!q->position)
        diag_error(b->d, q->pos, "constants \"%s\" need a table of positions", q->name);
    if (!q->held_constants)
        diag_error(b->d, q->pos, "\"%s\" holds no constants", q->name);
    vec_push_in(b->a, &b->c->constants, q);
}

static void link_grains(struct bundle_builder *b)
{
    vec_for_each (&b->c->grains, it) {
        struct bundle_grain *q = *it;

        if (q->position && q->ast->order != AST_GRAIN_CONSTANTS)
            diag_error(b->d, q->ast->position_pos, "only constants have positions");
        if (q->ast->order == AST_GRAIN_FIRST)
            vec_push_in(b->a, &b->c->first, q);
        else if (q->ast->order == AST_GRAIN_CONSTANTS)
            link_constants(b, q);
        vec_for_each (&q->ast->after, name)
            link_after(b, q, name);
    }
}

/* ---- alternatives ---------------------------------------------------------------------------- */

static void check_alternatives(struct bundle_builder *b, struct bundle_grain *const *at,
                               unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < i; k++) {
            u128 common = at[i]->mask & at[k]->mask;

            if ((at[i]->value ^ at[k]->value) & common)
                continue;
            diag_error(b->d, at[i]->ast->picture_pos,
                       "no literal bit distinguishes grain \"%s\" from \"%s\", which may be in the "
                       "same place",
                       at[i]->name, at[k]->name);
            diag_note(b->d, at[k]->ast->picture_pos, "the other is here");
        }
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Bits stored by the grains of a path so far */
struct stored {
    u128 header;
    u128 block[BUNDLE_MAX_STAGES];
    u128 word[BUNDLE_MAX_STAGES][BUNDLE_MAX_UNITS];
    u128 constant[BUNDLE_MAX_CONSTANTS];
};

struct walk {
    struct bundle_builder *b;
    unsigned paths;
    bool failed;
};

static u128 *bits_of(struct stored *s, const struct bundle_piece *p)
{
    switch (p->what) {
    case BUNDLE_HEADER:
        return &s->header;
    case BUNDLE_BLOCK:
        return &s->block[p->number];
    case BUNDLE_UNIT:
        return &s->word[p->number][p->unit];
    case BUNDLE_CONSTANT:
        return &s->constant[p->number];
    default:
        return NULL;
    }
}

static bool store_pieces(struct walk *w, struct stored *s, const struct bundle_grain *q)
{
    vec_for_each (&q->pieces, p) {
        u128 mask = low_bits(p->width) << p->low;
        u128 *bits = bits_of(s, p);

        if (!bits)
            continue;
        if (*bits & mask) {
            diag_error(w->b->d, p->pos, "these bits are stored twice on a way to grain \"%s\"",
                       q->name);
            return false;
        }
        *bits |= mask;
    }
    return true;
}

static const char *bits_text(struct arena *a, u128 missing)
{
    unsigned low = 0, high;

    while (!(missing >> low & 1))
        low++;
    high = low;
    while (high < 127 && missing >> (high + 1) & 1)
        high++;
    return arena_printf(a, "[%u..%u]", high, low);
}

/* Reports missing bits of a block, word or constant; returns whether it is complete. */
static bool check_complete(struct walk *w, const struct bundle_grain *q, u128 stored, u128 all,
                           const char *part)
{
    if (stored == all)
        return true;
    diag_error(w->b->d, q->pos, "at the end of grain \"%s\" the bits %s of \"%s\" are missing",
               q->name, bits_text(w->b->a, all & ~stored), part);
    return false;
}

static bool stage_begun(const struct bundle *c, const struct stored *s, unsigned stage)
{
    u128 any = s->block[stage];

    for (unsigned u = 0; u < c->units.len; u++)
        any |= s->word[stage][u];
    return any != 0;
}

static bool check_stage(struct walk *w, const struct bundle_grain *q, const struct stored *s,
                        unsigned stage)
{
    const struct bundle *c = w->b->c;
    bool ok = check_complete(w, q, s->block[stage], low_bits(c->block->width),
                             arena_printf(w->b->a, "block%u", stage));

    for (unsigned u = 0; u < c->units.len && ok; u++)
        ok = check_complete(w, q, s->word[stage][u], low_bits(c->units.data[u].bits),
                            arena_printf(w->b->a, "%s%u", c->units.data[u].name, stage));
    return ok;
}

/* Counts the stages and constants of a bundle that ends with `q`; returns false after reporting
 * incomplete ones. */
static bool count_stored(struct walk *w, struct bundle_grain *q, const struct stored *s,
                         unsigned *stages, unsigned *constants)
{
    const struct bundle *c = w->b->c;
    u128 all = low_bits(c->constant_high + 1) & ~low_bits(c->constant_low);

    *stages = *constants = 0;
    for (unsigned i = 0; i < c->max_stages; i++)
        if (stage_begun(c, s, i))
            *stages = i + 1;
    for (unsigned i = 0; i < c->max_constants; i++)
        if (s->constant[i])
            *constants = i + 1;
    if (!check_complete(w, q, s->header, low_bits(c->header->width), "header"))
        return false;
    for (unsigned i = 0; i < *stages; i++)
        if (!check_stage(w, q, s, i))
            return false;
    for (unsigned i = 0; i < *constants; i++)
        if (!check_complete(w, q, s->constant[i], all, arena_printf(w->b->a, "constant%u", i)))
            return false;
    if (*stages)
        return true;
    diag_error(w->b->d, q->pos, "grain \"%s\" ends a bundle without a stage", q->name);
    return false;
}

static void end_path(struct walk *w, struct bundle_grain *q, const struct stored *s, bool before)
{
    unsigned stages, constants;

    if (!count_stored(w, q, s, &stages, &constants)) {
        w->failed = true;
    } else if (before && (stages != q->stages || constants != q->constants)) {
        diag_error(w->b->d, q->pos,
                   "grain \"%s\" ends bundles of %u stages and %u constants, and of %u and %u",
                   q->name, q->stages, q->constants, stages, constants);
        w->failed = true;
    } else {
        q->stages = stages;
        q->constants = constants;
    }
}

/* Follows all paths from `q`. A path that returns to a grain stores its bits twice, or has no bits;
 * MAX_PATHS stops it. */
static void follow_paths(struct walk *w, struct bundle_grain *q, struct stored s)
{
    bool before = q->reached;

    q->reached = true;
    if (w->failed)
        return;
    if (w->paths++ == MAX_PATHS) {
        diag_error(w->b->d, q->pos, "there are too many ways to grain \"%s\"", q->name);
        w->failed = true;
    } else if (!store_pieces(w, &s, q)) {
        w->failed = true;
    } else if (q->end) {
        end_path(w, q, &s, before);
    } else if (!q->next.len) {
        diag_error(w->b->d, q->pos, "nothing comes after grain \"%s\", which has no %%end",
                   q->name);
        w->failed = true;
    }
    vec_for_each (&q->next, n)
        follow_paths(w, *n, s);
}

/* ---- constants ------------------------------------------------------------------------------- */

/* Whether a bundle of `stages` stages can have `count` constants before a further grain of
 * constants. */
static bool count_possible(const struct bundle_builder *b, unsigned stages, unsigned count)
{
    vec_for_each (&b->c->grains, it) {
        const struct bundle_grain *q = *it;

        if (q->reached && q->end && q->stages == stages && q->constants == count &&
            q->ast->order != AST_GRAIN_CONSTANTS)
            return true;
    }
    vec_for_each (&b->c->constants, q)
        vec_for_each (&(*q)->ast->positions, r)
            if (r->stages == stages && r->first + (*q)->held_constants == count &&
                r->first < count && count_possible(b, stages, r->first))
                return true;
    return false;
}

static void check_row(struct bundle_builder *b, const struct bundle_grain *q,
                      const struct ast_position *r)
{
    if (r->key >> q->position->width)
        diag_error(b->d, r->pos, "%u does not fit into field \"%s\", which has %u bits", r->key,
                   q->position->name, q->position->width);
    else if (r->first + q->held_constants > b->c->max_constants)
        diag_error(b->d, r->pos,
                   "a bundle has at most %u constants; these would be number %u to %u",
                   b->c->max_constants, r->first, r->first + q->held_constants - 1);
    else if (!count_possible(b, r->stages, r->first))
        diag_error(b->d, r->pos, "a bundle of %u stage%s never has %u constant%s at this place",
                   r->stages, r->stages == 1 ? "" : "s", r->first, r->first == 1 ? "" : "s");
    vec_for_each (&q->ast->positions, old) {
        if (old == r)
            break;
        if (old->key == r->key)
            diag_error(b->d, r->pos, "the position %u is given twice", r->key);
        else if (old->first == r->first && old->stages == r->stages)
            diag_error(b->d, r->pos, "constant %u of %u stages has two positions", r->first,
                       r->stages);
    }
}

/* Constants in a grain of constants must be complete. */
static void check_held(struct bundle_builder *b, const struct bundle_grain *q)
{
    struct walk w = {b, 0, false};
    struct stored s = {0};
    u128 all = low_bits(b->c->constant_high + 1) & ~low_bits(b->c->constant_low);

    vec_for_each (&q->pieces, p)
        if (p->what == BUNDLE_HEADER || p->what == BUNDLE_BLOCK || p->what == BUNDLE_UNIT)
            diag_error(b->d, p->pos, "\"%s\" holds constants only", q->name);
    if (!store_pieces(&w, &s, q))
        return;
    for (unsigned i = 0; i < q->held_constants; i++)
        check_complete(&w, q, s.constant[i], all, arena_printf(b->a, "constant%u", i));
}

void order_grains(struct bundle_builder *b)
{
    struct walk w = {b, 0, false};
    unsigned errors = b->d->errors;

    link_grains(b);
    if (b->d->errors != errors)
        return;
    if (!b->c->first.len && b->c->strings.len && !b->c->grains.len)
        return;
    if (!b->c->first.len) {
        diag_error(b->d, b->ast->pos, "no grain is the first of a bundle");
        return;
    }
    check_alternatives(b, b->c->first.data, b->c->first.len);
    check_alternatives(b, b->c->constants.data, b->c->constants.len);
    vec_for_each (&b->c->grains, q)
        check_alternatives(b, (*q)->next.data, (*q)->next.len);
    vec_for_each (&b->c->first, q)
        follow_paths(&w, *q, (struct stored){0});
    vec_for_each (&b->c->constants, q) {
        (*q)->reached = true;
        check_held(b, *q);
        vec_for_each (&(*q)->ast->positions, r)
            check_row(b, *q, r);
    }
    vec_for_each (&b->c->grains, q)
        if (!(*q)->reached && !w.failed)
            diag_error(b->d, (*q)->pos, "no bundle has the grain \"%s\"", (*q)->name);
}
