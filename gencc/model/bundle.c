/*
 * Builds bundles: formats, units and limits; and tables, which become helpers.
 */
#include "gencc/model/bundle_internal.h"

#include <string.h>

/* ---- tables ---------------------------------------------------------------------------------- */

/* Makes a helper of a column: a switch over the key that returns 0 for keys without a row. */
static void add_column(struct isa_builder *ib, const struct ast_table *t, unsigned column)
{
    struct arena *a = ib->b->a;
    struct src_pos pos = t->columns.data[column].pos;
    struct ast_expr *key = ast_new_expr(a, AST_NAME, t->key_pos);
    struct ast_stmt *all = ast_new_stmt(a, AST_SWITCH, key, pos);
    struct ast_def *d = ast_new_helper(a, t->columns.data[column].name, IR_T_U32, all, pos);

    key->name = t->key;
    all->depth = 3;
    vec_for_each (&t->rows, r) {
        struct ast_stmt *one = ast_new_stmt(a, AST_CASE, NULL, r->pos);

        if (column >= r->values.len)
            continue;
        one->depth = 2;
        one->labels.data = r->keys.data;
        one->labels.len = r->keys.len;
        vec_push_in(
            a, &one->body,
            ast_new_stmt(a, AST_RETURN, r->values.data[column], r->values.data[column]->pos));
        vec_push_in(a, &all->body, one);
    }
    vec_push_in(a, &d->body->body, ast_new_stmt(a, AST_RETURN, ast_new_expr(a, AST_INT, pos), pos));
    ast_add_param(a, d, t->key, IR_T_U32);
    vec_push_in(a, &ib->isa->defs, d);
}

static void check_keys(struct isa_builder *ib, const struct ast_table *t)
{
    struct name_map seen = {0};

    vec_for_each (&t->rows, r)
        vec_for_each (&r->keys, k) {
            const struct ast_expr *old;
            const char *text;
            u128 v;

            if (!const_bits(ib->b, ib, *k, 32, "a key", &v))
                continue;
            text = arena_printf(ib->b->a, "%llu", (unsigned long long)v);
            old = name_map_put(ib->b->a, &seen, text, *k);
            if (!old)
                continue;
            diag_error(ib->b->d, (*k)->pos, "table \"%s\" has the key %s twice", t->name, text);
            diag_note(ib->b->d, old->pos, "the first is here");
        }
}

static void build_table(struct isa_builder *ib, const struct ast_table *t)
{
    vec_for_each (&t->rows, r)
        if (r->values.len != t->columns.len)
            diag_error(ib->b->d, r->pos, "this row has %u value%s, table \"%s\" has %u column%s",
                       r->values.len, r->values.len == 1 ? "" : "s", t->name, t->columns.len,
                       t->columns.len == 1 ? "" : "s");
    if (!t->rows.len)
        diag_error(ib->b->d, t->pos, "table \"%s\" has no rows", t->name);
    check_keys(ib, t);
    for (unsigned i = 0; i < t->columns.len; i++)
        add_column(ib, t, i);
}

void build_tables(struct isa_builder *ib)
{
    vec_for_each (&ib->ast->tables, t)
        build_table(ib, *t);
}

/* ---- modifiers ------------------------------------------------------------------------------- */

static struct field *field_named(const struct bundle_grain *q, const char *name)
{
    vec_for_each (&q->fields, f)
        if (!strcmp((*f)->name, name))
            return *f;
    return NULL;
}

static void add_modifier(struct bundle_builder *b, struct bundle_grain *q,
                         const struct ast_bundle_modifier *m)
{
    struct bundle_modifier out = {m->constant, NULL};
    struct ast_def *d;

    if (m->constant >= q->held_constants) {
        diag_error(b->d, m->pos, "grain \"%s\" holds no constant %u", q->name, m->constant);
        return;
    }
    out.helper = arena_printf(b->a, "modifier_%s_%u", q->name, m->constant);
    d = bundle_helper(b, out.helper, IR_T_U8, m->value);
    vec_for_each (&q->fields, f)
        ast_add_param(b->a, d, (*f)->name, (*f)->type);
    for (unsigned i = 0; i < q->held_constants; i++)
        ast_add_param(b->a, d, arena_printf(b->a, "constant%u", i), IR_T_U64);
    vec_push_in(b->a, &q->modifiers, out);
}

/* Resolves the table of positions and the modifiers, after all fields of grains are known. */
static void finish_grain(struct bundle_builder *b, struct bundle_grain *q)
{
    if (q->ast->position) {
        struct name_guess guess = {.wrong = q->ast->position};

        q->position = field_named(q, q->ast->position);
        vec_for_each (&q->fields, f)
            name_guess_offer(&guess, (*f)->name);
        if (!q->position)
            diag_unknown(b->d, q->ast->position_pos, &guess, "unknown field \"%s\"", guess.wrong);
    }
    vec_for_each (&q->ast->modifiers, m)
        add_modifier(b, q, m);
}

/* ---- formats, units, limits ------------------------------------------------------------------ */

static struct format *find_format(struct bundle_builder *b, const char *name, struct src_pos pos,
                                  const char *what)
{
    struct name_guess guess = {.wrong = name};
    struct format *f;

    if (!name) { /* a format without bits */
        f = arena_new(b->a, struct format);
        f->name = what;
        f->pos = b->ast->pos;
        return f;
    }
    f = name_map_get(&b->ib->isa->format_names, name);
    vec_for_each (&b->ib->isa->formats, it)
        name_guess_offer(&guess, (*it)->name);
    if (!f)
        diag_unknown(b->d, pos, &guess, "unknown format \"%s\"", guess.wrong);
    else
        f->used = true;
    if (f && f->width > 64)
        diag_error(b->d, pos, "the %s has %u bits; at most 64 are allowed", what, f->width);
    return f && f->width <= 64 ? f : NULL;
}

static void add_unit(struct bundle_builder *b, const struct ast_bundle_unit *ast)
{
    static const char *const taken[] = {"block", "header", "constant", "end"};
    struct bundle_unit u = {ast->pos, ast->name, ast->mark, ast->isa, 0};
    struct name_guess guess = {.wrong = ast->isa};
    const struct isa *isa = model_isa(b->ib->b->m, ast->isa);

    for (unsigned i = 0; i < sizeof(taken) / sizeof(*taken); i++)
        if (!strcmp(taken[i], u.name))
            diag_error(b->d, u.pos, "a unit cannot be called \"%s\": grains mean something else",
                       u.name);
    vec_for_each (&b->c->units, old)
        if (!strcmp(old->name, u.name))
            diag_error(b->d, u.pos, "unit \"%s\" is declared twice", u.name);
    vec_for_each (&b->ib->b->m->isas, it)
        if (!(*it)->ast->bundle)
            name_guess_offer(&guess, (*it)->name);
    if (!isa || isa->ast->bundle)
        diag_unknown(b->d, ast->isa_pos, &guess, "unknown ISA \"%s\"", guess.wrong);
    else
        u.bits = isa->fetch_bits;
    vec_push_in(b->a, &b->c->units, u);
}

static unsigned check_limit(struct bundle_builder *b, struct src_pos pos, unsigned n, unsigned max,
                            const char *what)
{
    if (pos.file && n <= max)
        return n;
    diag_error(b->d, pos.file ? pos : b->ast->pos, "a bundle has %s %u %s",
               pos.file ? "at most" : "1 to", max, what);
    return max;
}

/* Sets the registers that are counted per program. By default these are all, one slot each. */
static void check_registers(struct bundle_builder *b)
{
    const struct ast_bundle *ast = b->ast;
    unsigned slots = b->ib->b->m->state_bytes / 4;

    b->c->registers = ast->registers_pos.file ? ast->registers : slots;
    b->c->register_slots = ast->registers_pos.file ? ast->register_slots : 1;
    if (!b->c->registers || !b->c->register_slots)
        diag_error(b->d, ast->registers_pos, "a program has registers, and each of them slots");
    else if (b->c->registers > slots / b->c->register_slots)
        diag_error(b->d, ast->registers_pos, "there are %u slots of registers", slots);
}

static void check_bundle(struct bundle_builder *b)
{
    const struct ast_bundle *ast = b->ast;

    b->c->max_stages = check_limit(b, ast->stages_pos, ast->stages, BUNDLE_MAX_STAGES, "stages");
    b->c->grain_bits = ast->grains_pos.file ? ast->grain_bits : BUNDLE_GRAIN_BITS;
    b->c->parts = ast->parts_pos.file ? ast->parts : 1;
    b->c->results_after = ast->results_after;
    b->c->open = ast->open ? ast->open : "";
    b->c->close = ast->close ? ast->close : "";
    if (b->c->grain_bits % 8 || b->c->grain_bits < 8 || b->c->grain_bits > BUNDLE_GRAIN_BITS)
        diag_error(b->d, ast->grains_pos, "a grain has whole bytes, %d bits at most",
                   BUNDLE_GRAIN_BITS);
    if (!b->c->parts || b->c->parts > BUNDLE_MAX_PARTS)
        diag_error(b->d, ast->parts_pos, "an instruction has 1 to %d parts", BUNDLE_MAX_PARTS);
    if (b->c->results_after > 1)
        diag_error(b->d, ast->results_pos, "results are in place after 0 stages or 1");
    check_registers(b);
    if (ast->constants_pos.file)
        b->c->max_constants =
            check_limit(b, ast->constants_pos, ast->constants, BUNDLE_MAX_CONSTANTS, "constants");
    b->c->constant_high = ast->constant_high;
    b->c->constant_low = ast->constant_low;
    if (ast->constant_high > 63 || ast->constant_low > ast->constant_high)
        diag_error(b->d, ast->constants_pos, "a constant's bits are [high..low], 63 at most");
    if (!b->c->units.len || b->c->units.len > BUNDLE_MAX_UNITS)
        diag_error(b->d, ast->pos, "a bundle has 1 to %d units, not %u", BUNDLE_MAX_UNITS,
                   b->c->units.len);
    if (!b->ib->b->m->is_lane && !b->ib->b->incomplete)
        diag_error(b->d, ast->pos, "bundles belong to an architecture with ac_lane_regspace");
    vec_for_each (&b->ib->ast->instrs, i)
        diag_error(b->d, (*i)->pos, "an ISA with ac_bundle has no instructions of its own");
}

/* Adds a field of the block that the assembler decides before others. */
static void add_decided(struct bundle_builder *b, const struct ast_param *name)
{
    struct name_guess guess = {.wrong = name->name};
    struct field *f = format_field(b->c->block, name->name);

    vec_for_each (&b->c->block->fields, it)
        if (!(*it)->computed)
            name_guess_offer(&guess, (*it)->name);
    if (!f || f->computed)
        diag_unknown(b->d, name->pos, &guess, "unknown field of the block \"%s\"", guess.wrong);
    else
        vec_push_in(b->a, &b->c->decided, f);
}

static struct field *header_field(struct bundle_builder *b, const char *name, struct src_pos pos)
{
    struct name_guess guess = {.wrong = name};
    struct field *f = format_field(b->c->header, name);

    vec_for_each (&b->c->header->fields, it)
        name_guess_offer(&guess, (*it)->name);
    if (f && !f->computed)
        return f;
    diag_unknown(b->d, pos, &guess, "unknown field of the header \"%s\"", guess.wrong);
    return NULL;
}

static void add_follow(struct bundle_builder *b, const struct ast_follow *ast)
{
    struct bundle_follow f = {header_field(b, ast->field, ast->pos),
                              header_field(b, ast->of, ast->of_pos), ast->last};

    if (!f.field || !f.next_field)
        return;
    vec_for_each (&b->c->follows, old)
        if (old->field == f.field)
            diag_error(b->d, ast->pos, "what \"%s\" follows is given twice", ast->field);
    if (f.next_field->width > f.field->width)
        diag_error(b->d, ast->of_pos, "\"%s\" has %u bits, \"%s\" only %u", ast->of,
                   f.next_field->width, ast->field, f.field->width);
    if (f.field->width < 32 && f.last >> f.field->width)
        diag_error(b->d, ast->last_pos, "%u does not fit into the %u bits of \"%s\"", ast->last,
                   f.field->width, ast->field);
    vec_push_in(b->a, &b->c->follows, f);
}

void build_bundle(struct isa_builder *ib)
{
    struct bundle_builder b = {ib, ib->b->a, ib->b->d, ib->ast->bundle, NULL};
    unsigned errors = b.d->errors;

    b.c = ib->isa->bundle = arena_new(b.a, struct bundle);
    b.c->pos = b.ast->pos;
    b.c->isa = ib->isa;
    b.c->name = b.ast->name ? b.ast->name : "bundle";
    b.c->stage_name = b.ast->stage_name ? b.ast->stage_name : "stage";
    b.c->header = find_format(&b, b.ast->header, b.ast->header_pos, "header");
    b.c->block = find_format(&b, b.ast->block, b.ast->block_pos, "block");
    vec_for_each (&b.ast->units, u)
        add_unit(&b, u);
    check_bundle(&b);
    if (b.d->errors != errors)
        return;
    vec_for_each (&b.ast->decided, f)
        add_decided(&b, f);
    vec_for_each (&b.ast->follows, f)
        add_follow(&b, f);
    build_grains(&b);
    if (!ib->b->incomplete) {
        build_strings(&b);
        vec_for_each (&b.c->grains, q)
            finish_grain(&b, *q);
        if (b.d->errors == errors)
            order_grains(&b);
    }
    declare_texts(&b);
    build_texts(&b);
}
