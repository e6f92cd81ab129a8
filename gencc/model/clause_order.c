/*
 * The order of quadwords: every way from the first to the last stores each bit of a whole number of
 * tuples once, and what comes next is told by literal bits.
 */
#include "gencc/model/clause_internal.h"

enum { MAX_PATHS = 4096 }; /* looked at; a clause's formats have some tens */

/* ---- links ----------------------------------------------------------------------------------- */

static struct clause_quadword *find(const struct clause_builder *b, const char *name)
{
    vec_for_each (&b->c->quadwords, q)
        if (!strcmp((*q)->name, name))
            return *q;
    return NULL;
}

static void link_after(struct clause_builder *b, struct clause_quadword *q,
                       const struct ast_param *name)
{
    struct clause_quadword *before = find(b, name->name);
    struct name_guess guess = {.wrong = name->name};

    vec_for_each (&b->c->quadwords, it)
        name_guess_offer(&guess, (*it)->name);
    if (!before)
        report_unknown(b->d, name->pos, "quadword", &guess);
    else if (before->end)
        diag_error(b->d, name->pos, "only constants come after \"%s\", which has %%end",
                   before->name);
    else
        vec_push(b->a, &before->next, q);
}

static void link_constants(struct clause_builder *b, struct clause_quadword *q)
{
    if (!q->end)
        diag_error(b->d, q->pos, "constants \"%s\" need an %%end, 0 where more follow", q->name);
    if (!q->position)
        diag_error(b->d, q->pos, "constants \"%s\" need a table of positions", q->name);
    if (!q->held)
        diag_error(b->d, q->pos, "\"%s\" holds no constants", q->name);
    vec_push(b->a, &b->c->constants, q);
}

static void link_quadwords(struct clause_builder *b)
{
    vec_for_each (&b->c->quadwords, it) {
        struct clause_quadword *q = *it;

        if (q->position && q->ast->order != AST_QUADWORD_CONSTANTS)
            diag_error(b->d, q->ast->position_pos, "only constants have positions");
        if (q->ast->order == AST_QUADWORD_FIRST)
            vec_push(b->a, &b->c->first, q);
        else if (q->ast->order == AST_QUADWORD_CONSTANTS)
            link_constants(b, q);
        vec_for_each (&q->ast->after, name)
            link_after(b, q, name);
    }
}

/* ---- alternatives ---------------------------------------------------------------------------- */

static void check_alternatives(struct clause_builder *b, struct clause_quadword *const *at,
                               unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < i; k++) {
            u128 common = at[i]->mask & at[k]->mask;

            if ((at[i]->value ^ at[k]->value) & common)
                continue;
            diag_error(b->d, at[i]->ast->picture_pos,
                       "no literal bit tells quadword \"%s\" from \"%s\", which may stand in the "
                       "same place",
                       at[i]->name, at[k]->name);
            diag_note(b->d, at[k]->ast->picture_pos, "the other is here");
        }
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* The bits that the quadwords so far store. */
struct stored {
    uint64_t header;
    uint64_t block[CLAUSE_MAX_TUPLES];
    uint64_t word[CLAUSE_MAX_TUPLES][CLAUSE_MAX_UNITS];
    uint64_t constant[CLAUSE_MAX_CONSTANTS];
};

struct walk {
    struct clause_builder *b;
    unsigned paths;
    bool failed;
};

static uint64_t *bits_of(struct stored *s, const struct clause_piece *p)
{
    switch (p->what) {
    case CLAUSE_HEADER:
        return &s->header;
    case CLAUSE_BLOCK:
        return &s->block[p->number];
    case CLAUSE_UNIT:
        return &s->word[p->number][p->unit];
    case CLAUSE_CONSTANT:
        return &s->constant[p->number];
    default:
        return NULL;
    }
}

static bool store(struct walk *w, struct stored *s, const struct clause_quadword *q)
{
    vec_for_each (&q->pieces, p) {
        uint64_t mask = (uint64_t)(low_bits(p->width) << p->low);
        uint64_t *bits = bits_of(s, p);

        if (!bits)
            continue;
        if (*bits & mask) {
            diag_error(w->b->d, p->pos, "these bits are stored twice on a way to quadword \"%s\"",
                       q->name);
            return false;
        }
        *bits |= mask;
    }
    return true;
}

static const char *bits_text(struct arena *a, uint64_t missing)
{
    unsigned low = (unsigned)__builtin_ctzll(missing), high = low;

    while (high < 63 && missing >> (high + 1) & 1)
        high++;
    return arena_printf(a, "[%u..%u]", high, low);
}

/* Reports bits of a part that are not stored. */
static bool complete(struct walk *w, const struct clause_quadword *q, uint64_t stored, uint64_t all,
                     const char *part)
{
    if (stored == all)
        return true;
    diag_error(w->b->d, q->pos, "at the end of quadword \"%s\" the bits %s of \"%s\" are missing",
               q->name, bits_text(w->b->a, all & ~stored), part);
    return false;
}

static uint64_t ones(unsigned bits)
{
    return (uint64_t)low_bits(bits);
}

static bool tuple_begun(const struct clause *c, const struct stored *s, unsigned tuple)
{
    uint64_t any = s->block[tuple];

    for (unsigned u = 0; u < c->units.count; u++)
        any |= s->word[tuple][u];
    return any != 0;
}

static bool check_tuple(struct walk *w, const struct clause_quadword *q, const struct stored *s,
                        unsigned tuple)
{
    const struct clause *c = w->b->c;
    bool ok = complete(w, q, s->block[tuple], ones(c->block->width),
                       arena_printf(w->b->a, "block%u", tuple));

    for (unsigned u = 0; u < c->units.count && ok; u++)
        ok = complete(w, q, s->word[tuple][u], ones(c->units.at[u].bits),
                      arena_printf(w->b->a, "%s%u", c->units.at[u].name, tuple));
    return ok;
}

/* Tuples and constants that a clause ended by `q` has; false after reporting incomplete ones. */
static bool count_stored(struct walk *w, struct clause_quadword *q, const struct stored *s,
                         unsigned *tuples, unsigned *constants)
{
    const struct clause *c = w->b->c;
    uint64_t all = ones(c->constant_high + 1) & ~ones(c->constant_low);

    *tuples = *constants = 0;
    for (unsigned i = 0; i < c->max_tuples; i++)
        if (tuple_begun(c, s, i))
            *tuples = i + 1;
    for (unsigned i = 0; i < c->max_constants; i++)
        if (s->constant[i])
            *constants = i + 1;
    if (!complete(w, q, s->header, ones(c->header->width), "header"))
        return false;
    for (unsigned i = 0; i < *tuples; i++)
        if (!check_tuple(w, q, s, i))
            return false;
    for (unsigned i = 0; i < *constants; i++)
        if (!complete(w, q, s->constant[i], all, arena_printf(w->b->a, "constant%u", i)))
            return false;
    if (*tuples)
        return true;
    diag_error(w->b->d, q->pos, "quadword \"%s\" ends a clause without a tuple", q->name);
    return false;
}

static void end_path(struct walk *w, struct clause_quadword *q, const struct stored *s, bool before)
{
    unsigned tuples, constants;

    if (!count_stored(w, q, s, &tuples, &constants)) {
        w->failed = true;
    } else if (before && (tuples != q->tuples || constants != q->constants)) {
        diag_error(w->b->d, q->pos,
                   "quadword \"%s\" ends clauses of %u tuples and %u constants, and of %u and %u",
                   q->name, q->tuples, q->constants, tuples, constants);
        w->failed = true;
    } else {
        q->tuples = tuples;
        q->constants = constants;
    }
}

/* A way that comes back to a quadword stores its bits twice, or has none: counted by paths. */
static void follow(struct walk *w, struct clause_quadword *q, struct stored s)
{
    bool before = q->reached;

    q->reached = true;
    if (w->failed)
        return;
    if (w->paths++ == MAX_PATHS) {
        diag_error(w->b->d, q->pos, "there are too many ways to quadword \"%s\"", q->name);
        w->failed = true;
    } else if (!store(w, &s, q)) {
        w->failed = true;
    } else if (q->end) {
        end_path(w, q, &s, before);
    } else if (!q->next.count) {
        diag_error(w->b->d, q->pos, "nothing comes after quadword \"%s\", which has no %%end",
                   q->name);
        w->failed = true;
    }
    vec_for_each (&q->next, n)
        follow(w, *n, s);
}

/* ---- constants ------------------------------------------------------------------------------- */

/* Whether a clause of so many tuples can have `count` constants when a quadword of more follows. */
static bool count_possible(const struct clause_builder *b, unsigned tuples, unsigned count)
{
    vec_for_each (&b->c->quadwords, it) {
        const struct clause_quadword *q = *it;

        if (q->reached && q->end && q->tuples == tuples && q->constants == count &&
            q->ast->order != AST_QUADWORD_CONSTANTS)
            return true;
    }
    vec_for_each (&b->c->constants, q)
        vec_for_each (&(*q)->ast->positions, r)
            if (r->tuples == tuples && r->first + (*q)->held == count && r->first < count &&
                count_possible(b, tuples, r->first))
                return true;
    return false;
}

static void check_row(struct clause_builder *b, const struct clause_quadword *q,
                      const struct ast_position *r)
{
    if (r->key >> q->position->width)
        diag_error(b->d, r->pos, "%u does not fit into field \"%s\", which has %u bits", r->key,
                   q->position->name, q->position->width);
    else if (r->first + q->held > b->c->max_constants)
        diag_error(b->d, r->pos,
                   "a clause has at most %u constants; these would be number %u to %u",
                   b->c->max_constants, r->first, r->first + q->held - 1);
    else if (!count_possible(b, r->tuples, r->first))
        diag_error(b->d, r->pos, "a clause of %u tuple%s never has %u constant%s at this place",
                   r->tuples, r->tuples == 1 ? "" : "s", r->first, r->first == 1 ? "" : "s");
    vec_for_each (&q->ast->positions, old) {
        if (old == r)
            break;
        if (old->key == r->key)
            diag_error(b->d, r->pos, "the position %u stands twice", r->key);
        else if (old->first == r->first && old->tuples == r->tuples)
            diag_error(b->d, r->pos, "constant %u of %u tuples has two positions", r->first,
                       r->tuples);
    }
}

/* Constants of a quadword of more are whole. */
static void check_held(struct clause_builder *b, const struct clause_quadword *q)
{
    struct walk w = {b, 0, false};
    struct stored s = {0};
    uint64_t all = ones(b->c->constant_high + 1) & ~ones(b->c->constant_low);

    vec_for_each (&q->pieces, p)
        if (p->what == CLAUSE_HEADER || p->what == CLAUSE_BLOCK || p->what == CLAUSE_UNIT)
            diag_error(b->d, p->pos, "\"%s\" holds constants only", q->name);
    if (!store(&w, &s, q))
        return;
    for (unsigned i = 0; i < q->held; i++)
        complete(&w, q, s.constant[i], all, arena_printf(b->a, "constant%u", i));
}

void order_quadwords(struct clause_builder *b)
{
    struct walk w = {b, 0, false};
    unsigned errors = b->d->errors;

    link_quadwords(b);
    if (b->d->errors != errors)
        return;
    if (!b->c->first.count) {
        diag_error(b->d, b->ast->pos, "no quadword is the first of a clause");
        return;
    }
    check_alternatives(b, b->c->first.at, b->c->first.count);
    check_alternatives(b, b->c->constants.at, b->c->constants.count);
    vec_for_each (&b->c->quadwords, q)
        check_alternatives(b, (*q)->next.at, (*q)->next.count);
    vec_for_each (&b->c->first, q)
        follow(&w, *q, (struct stored){0});
    vec_for_each (&b->c->constants, q) {
        (*q)->reached = true;
        check_held(b, *q);
        vec_for_each (&(*q)->ast->positions, r)
            check_row(b, *q, r);
    }
    vec_for_each (&b->c->quadwords, q)
        if (!(*q)->reached && !w.failed)
            diag_error(b->d, (*q)->pos, "no clause has the quadword \"%s\"", (*q)->name);
}
