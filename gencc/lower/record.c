/*
 * Structures: their types, and their values, which consist of leaves.
 */
#include "gencc/lower/internal.h"

#include <string.h>

enum { MAX_LEAVES = 4096 }; /* structures of structures of two are 2^n values */

/* ---- types ----------------------------------------------------------------------------------- */

static const struct record *find_record(struct fn *fn, const char *name);

/* The structure of a member's type. The word `struct` may be left out, as in published models. */
static const struct record *member_record(struct fn *fn, const struct ast_type *t)
{
    if (t->kind != AST_TYPE_NAMED || lower_type_format(fn, t))
        return NULL;
    return find_record(fn, t->name);
}

static void add_leaves(struct fn *fn, struct record *r, const struct record_member *m)
{
    if (m->record)
        vec_for_each (&m->record->leaves, t)
            vec_push_in(fn->lo->arena, &r->leaves, *t);
    else
        vec_push_in(fn->lo->arena, &r->leaves, m->type);
}

static bool member_is_twice(struct fn *fn, const struct record *r, const struct ast_param *p)
{
    vec_for_each (&r->members, m) {
        if (strcmp(m->name, p->name))
            continue;
        diag_error(fn->lo->diag, p->pos, "struct '%s' has two members '%s'", r->ast->name, p->name);
        return true;
    }
    return false;
}

static void add_member(struct fn *fn, struct record *r, const struct ast_param *p)
{
    struct record_member m = {.name = p->name, .first = r->leaves.len};

    if (member_is_twice(fn, r, p))
        return;
    m.record = member_record(fn, p->type);
    m.is_bool = lower_is_bool(p->type);
    m.format = lower_type_format(fn, p->type);
    if (m.record && !m.record->complete) {
        diag_error(fn->lo->diag, p->pos, "struct '%s' would hold itself", m.record->ast->name);
        return;
    }
    if (m.record && r->leaves.len + m.record->leaves.len > MAX_LEAVES) {
        diag_error(fn->lo->diag, p->pos, "struct '%s' has more than %d values in it", r->ast->name,
                   MAX_LEAVES);
        return;
    }
    if (!m.record && !lower_type(fn, p->type, &m.type))
        return;
    if (!m.record && ir_is_void(m.type)) {
        diag_error(fn->lo->diag, p->pos, "a member cannot be void");
        return;
    }
    add_leaves(fn, r, &m);
    vec_push_in(fn->lo->arena, &r->members, m);
}

static struct record *make_record(struct fn *fn, const struct ast_struct *s)
{
    struct record *r = arena_new(fn->lo->arena, struct record);

    r->ast = s;
    vec_push_in(fn->lo->arena, &fn->lo->records, r);
    vec_for_each (&s->members, p)
        add_member(fn, r, p);
    r->complete = true;
    return r;
}

static const struct record *find_record(struct fn *fn, const char *name)
{
    vec_for_each (&fn->lo->records, r)
        if (!strcmp((*r)->ast->name, name))
            return *r;
    vec_for_each (&fn->lo->isa->ast->structs, s)
        if (!strcmp(s->name, name))
            return make_record(fn, s);
    return NULL;
}

const struct record *lower_record(struct fn *fn, const struct ast_type *t)
{
    const struct binding *bind;
    struct def_entry *e;

    if (t->kind != AST_TYPE_NAMED)
        return NULL;
    if (t->is_struct)
        return lower_type_format(fn, t) ? NULL : find_record(fn, t->name);
    bind = fn_binding(fn, t->name);
    if (bind || !fn->lo->isa->ast->structs.len || !lower_has(fn->lo, AST_TYPEDEF, t->name))
        return NULL;
    e = lower_find(fn->lo, AST_TYPEDEF, t->name);
    return lower_record(fn, e->def->type);
}

static void check_name(struct lower *lo, const struct ast_struct *s)
{
    vec_for_each (&lo->isa->ast->structs, other) {
        if (other >= s)
            break;
        if (strcmp(other->name, s->name))
            continue;
        diag_error(lo->diag, s->pos, "struct '%s' is defined twice", s->name);
        diag_note(lo->diag, other->pos, "the first definition is here");
    }
    if (name_map_get(&lo->isa->format_names, s->name))
        diag_error(lo->diag, s->pos, "'%s' is a format, whose words are of type struct %s", s->name,
                   s->name);
}

void lower_records(struct lower *lo)
{
    struct fn nobody = {.lo = lo};

    vec_for_each (&lo->isa->ast->structs, s) {
        check_name(lo, s);
        find_record(&nobody, s->name);
    }
}

void record_misplaced(struct fn *fn, const struct record *r, struct src_pos pos)
{
    diag_error(fn->lo->diag, pos,
               "expected a scalar or vector, found struct %s; structures are assigned, passed to "
               "helpers and returned as a whole",
               r->ast->name);
}

/* ---- members --------------------------------------------------------------------------------- */

static const struct record_member *find_member(const struct record *r, const char *name)
{
    vec_for_each (&r->members, m)
        if (!strcmp(m->name, name))
            return m;
    return NULL;
}

static void unknown_member(struct fn *fn, const struct record *r, const struct ast_expr *e)
{
    struct name_guess g = {.wrong = e->name};

    vec_for_each (&r->members, m)
        name_guess_offer(&g, m->name);
    diag_unknown(fn->lo->diag, e->pos, &g, "struct '%s' has no member '%s'", r->ast->name, e->name);
}

const char *record_leaf_name(struct fn *fn, const char *whole, const struct record *r, unsigned i)
{
    const struct record_member *m = &r->members.data[0];

    vec_for_each (&r->members, it)
        if (it->first <= i)
            m = it;
    whole = arena_printf(fn->lo->arena, "%s.%s", whole, m->name);
    return m->record ? record_leaf_name(fn, whole, m->record, i - m->first) : whole;
}

void fn_declare_record(struct fn *fn, struct scope_var *v, const struct record *r,
                       struct src_pos pos)
{
    v->record = r;
    v->leaves = arena_alloc(fn->lo->arena, (r->leaves.len + 1) * sizeof(*v->leaves));
    for (unsigned i = 0; i < r->leaves.len; i++)
        v->leaves[i] =
            ir_var_new(fn->func, record_leaf_name(fn, v->name, r, i), r->leaves.data[i], pos);
}

struct scope_var *fn_place(struct fn *fn, const struct ast_expr *e)
{
    struct scope_var *whole = e->kind == AST_MEMBER ? fn_place(fn, e->a) : NULL, *part;
    const struct record_member *m =
        whole && whole->record ? find_member(whole->record, e->name) : NULL;

    if (e->kind == AST_NAME)
        return fn_var(fn, e->name);
    if (!m)
        return NULL;
    part = arena_new(fn->lo->arena, struct scope_var);
    part->name = arena_printf(fn->lo->arena, "%s.%s", whole->name, m->name);
    part->pos = whole->pos;
    part->is_bool = m->is_bool;
    part->format = m->format;
    part->record = m->record;
    part->leaves = whole->leaves + m->first;
    if (!m->record)
        part->var = whole->leaves[m->first];
    return part;
}

struct rv record_member(struct fn *fn, struct rv whole, const struct ast_expr *e)
{
    const struct record_member *m;

    if (!whole.ok)
        return whole;
    if (!whole.record) {
        diag_error(fn->lo->diag, e->pos,
                   "only 'inst', structures and words of a format have members: inst.field");
        return rv_error();
    }
    m = find_member(whole.record, e->name);
    if (!m) {
        unknown_member(fn, whole.record, e);
        return rv_error();
    }
    if (!m->record)
        return rv_value(whole.leaves[m->first]);
    return (struct rv){.ok = true, .record = m->record, .leaves = whole.leaves + m->first};
}

/* ---- values ---------------------------------------------------------------------------------- */

static struct rv new_value(struct fn *fn, const struct record *r)
{
    return (struct rv){
        .ok = true,
        .record = r,
        .leaves = arena_alloc(fn->lo->arena, (r->leaves.len + 1) * sizeof(struct ir_value *))};
}

struct rv record_read(struct fn *fn, const struct scope_var *v)
{
    struct rv r;

    if (!v->record)
        return rv_value(ir_var_read(&fn->b, v->var));
    r = new_value(fn, v->record);
    for (unsigned i = 0; i < v->record->leaves.len; i++)
        r.leaves[i] = ir_var_read(&fn->b, v->leaves[i]);
    return r;
}

void record_write(struct fn *fn, const struct scope_var *v, struct ir_value *const *leaves)
{
    for (unsigned i = 0; i < v->record->leaves.len; i++)
        ir_var_write(&fn->b, v->leaves[i], leaves[i]);
}

/* Lowers {a, b}: one value per member. */
static struct rv lower_members(struct fn *fn, const struct ast_expr *e, const struct record *want)
{
    struct rv out = new_value(fn, want);

    if (e->args.len != want->members.len) {
        diag_error(fn->lo->diag, e->pos, "struct %s has %u members, found %u values",
                   want->ast->name, want->members.len, e->args.len);
        return rv_error();
    }
    for (unsigned i = 0; i < e->args.len; i++) {
        const struct record_member *m = &want->members.data[i];
        struct rv r = m->record ? lower_record_as(fn, e->args.data[i], m->record)
                                : lower_expr_as(fn, e->args.data[i], m->type);

        if (!r.ok)
            return r;
        if (m->record)
            memcpy(out.leaves + m->first, r.leaves, m->record->leaves.len * sizeof(*r.leaves));
        else
            out.leaves[m->first] = m->is_bool ? fn_flag(fn, r.v) : r.v;
    }
    return out;
}

struct rv lower_record_as(struct fn *fn, const struct ast_expr *e, const struct record *want)
{
    struct rv r;

    if (e->kind == AST_VECTOR)
        return lower_members(fn, e, want);
    r = lower_value(fn, e);
    if (!r.ok || r.record == want)
        return r;
    diag_error(fn->lo->diag, e->pos, "type mismatch: expected struct %s, found %s%s",
               want->ast->name, r.record ? "struct " : "",
               r.record             ? r.record->ast->name
               : r.is_literal       ? "a number"
               : ir_is_void(r.type) ? "no value"
                                    : type_text(fn, r.type));
    return rv_error();
}
