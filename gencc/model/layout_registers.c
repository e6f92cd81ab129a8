/*
 * Builds blocks of registers: places, access, fields.
 */
#include "gencc/model/layout_internal.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_OFFSET = 1 << 24, MAX_INSTANCES = 256 };

static bool check_repeat(struct layouts *l, const struct ast_repeat *r, unsigned *count,
                         unsigned *stride, unsigned least)
{
    *count = r->given ? r->count : 1;
    *stride = r->has_stride ? r->stride : least;
    if (!r->given)
        return false;
    if (!*count || *count > MAX_INSTANCES) {
        diag_error(l->diag, r->pos, "registers repeat 1 to %u times", MAX_INSTANCES);
        *count = 1;
    }
    if (*stride % 4 || !*stride || *stride > MAX_OFFSET / MAX_INSTANCES) {
        diag_error(l->diag, r->pos, "registers are a multiple of 4 bytes apart, at most %u",
                   MAX_OFFSET / MAX_INSTANCES);
        *stride = 4;
    }
    return true;
}

/* ---- fields of registers --------------------------------------------------------------------- */

static bool check_reg_field(struct layouts *l, const struct lay_register *r,
                            const struct ast_reg_field *a)
{
    if (!a->width || a->width > 32) {
        diag_error(l->diag, a->width_pos, "a field of a register has 1 to 32 bits");
        return false;
    }
    if (a->bit + a->width > 32 || a->bit > 31) {
        diag_error(l->diag, a->place_pos, "field \"%s\" ends beyond bit 31", a->name);
        return false;
    }
    vec_for_each (&r->fields, o) {
        if (strcmp(o->name, a->name) == 0)
            diag_error(l->diag, a->pos, "register \"%s\" has field \"%s\" twice", r->name, a->name);
        else if (o->bit < a->bit + a->width && a->bit < o->bit + o->width)
            diag_error(l->diag, a->pos, "field \"%s\" overlaps field \"%s\"", a->name, o->name);
        else
            continue;
        diag_note(l->diag, o->ast->pos, "\"%s\" is here", o->name);
        return false;
    }
    return true;
}

static void add_reg_field(struct layouts *l, struct lay_register *r, const struct ast_reg_field *a)
{
    struct lay_reg_field f = {.ast = a, .name = a->name, .bit = a->bit, .width = a->width};

    if (!check_reg_field(l, r, a))
        return;
    if (a->type) {
        struct name_guess guess = {.wrong = a->type};

        f.enumeration = name_map_get(&l->enum_names, a->type);
        vec_for_each (&l->enums, e)
            name_guess_offer(&guess, (*e)->name);
        if (!f.enumeration)
            diag_unknown(l->diag, a->type_pos, &guess, "unknown enumeration \"%s\"", guess.wrong);
    }
    layout_c_name(l, a->pos, arena_printf(l->arena, "%s_%s", r->name, a->name));
    layout_c_name(l, a->pos, arena_printf(l->arena, "%s_%s_shift", r->name, a->name));
    vec_push_in(l->arena, &r->fields, f);
}

/* ---- registers ------------------------------------------------------------------------------- */

static void set_access(struct layouts *l, struct lay_register *r)
{
    static const struct {
        const char *name;
        unsigned access;
    } known[] = {{"ro", REG_READ}, {"wo", REG_WRITE}, {"rw", REG_READ | REG_WRITE}};

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(known[i].name, r->ast->access) == 0)
            r->access = known[i].access;
    if (!r->access)
        diag_error(l->diag, r->ast->access_pos, "access is ro, wo or rw, not \"%s\"",
                   r->ast->access);
}

/* Sets count and stride. A repeated register in a repeated block is an error: it would need two
 * indices. */
static void set_instances(struct layouts *l, struct lay_block *b, struct lay_register *r)
{
    const struct ast_register *a = r->ast;

    r->repeated = check_repeat(l, &a->repeat, &r->count, &r->stride, 4);
    r->offset = b->base + a->offset;
    if (a->offset % 4 || a->offset > MAX_OFFSET) {
        diag_error(l->diag, a->place_pos, "a register begins at a multiple of 4 bytes below %#x",
                   MAX_OFFSET);
        r->offset = b->base;
    }
    if (!b->repeated)
        return;
    if (r->repeated)
        diag_error(l->diag, a->pos, "\"%s\" repeats already with its block \"%s\"", a->name,
                   b->name);
    if (a->offset >= b->stride)
        diag_error(l->diag, a->place_pos, "\"%s\" is beyond the %u bytes of one \"%s\"", a->name,
                   b->stride, b->name);
    r->repeated = true;
    r->count = b->count;
    r->stride = b->stride;
}

static void add_register(struct layouts *l, struct lay_block *b, const struct ast_register *a)
{
    struct lay_register *r = arena_new(l->arena, struct lay_register);
    struct lay_register *old = name_map_put(l->arena, &l->register_names, a->name, r);

    r->ast = a;
    r->name = a->name;
    r->block = b;
    set_access(l, r);
    set_instances(l, b, r);
    if (old) {
        diag_error(l->diag, a->pos, "register \"%s\" is declared twice", a->name);
        diag_note(l->diag, old->ast->pos, "the first declaration is here");
        return;
    }
    layout_c_name(l, a->pos, a->name);
    if (r->repeated && !b->repeated)
        layout_c_name(l, a->pos, arena_printf(l->arena, "%s_count", a->name));
    vec_for_each (&a->fields, f)
        add_reg_field(l, r, f);
    vec_push_in(l->arena, &l->registers, r);
}

static void add_block(struct layouts *l, const struct ast_registers *a)
{
    struct lay_block *b = arena_new(l->arena, struct lay_block);

    b->ast = a;
    b->name = a->name;
    b->base = a->base;
    b->repeated = check_repeat(l, &a->repeat, &b->count, &b->stride, 0);
    if (a->base % 4 || a->base > MAX_OFFSET) {
        diag_error(l->diag, a->pos,
                   "a block of registers begins at a multiple of 4 bytes below %#x", MAX_OFFSET);
        b->base = 0;
    }
    if (!a->registers.len)
        diag_error(l->diag, a->pos, "block \"%s\" has no registers", a->name);
    layout_c_name(l, a->pos, arena_printf(l->arena, "%s_base", a->name));
    vec_push_in(l->arena, &l->blocks, b);
    vec_for_each (&a->registers, r)
        add_register(l, b, r);
}

/* ---- overlap --------------------------------------------------------------------------------- */

struct instance {
    unsigned offset;
    const struct lay_register *reg;
};

static int by_offset(const void *x, const void *y)
{
    const struct instance *a = x, *b = y;

    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (a->reg->ast->pos.line != b->reg->ast->pos.line)
        return a->reg->ast->pos.line < b->reg->ast->pos.line ? -1 : 1;
    return 0;
}

static void check_places(struct layouts *l)
{
    VEC(struct instance) all = {0};
    const struct lay_register *told = NULL;

    vec_for_each (&l->registers, r)
        for (unsigned i = 0; i < (*r)->count; i++) {
            struct instance one = {(*r)->offset + i * (*r)->stride, *r};

            vec_push_in(l->arena, &all, one);
        }
    if (all.len)
        qsort(all.data, all.len, sizeof(*all.data), by_offset);
    for (unsigned i = 1; i < all.len; i++) {
        const struct lay_register *a = all.data[i - 1].reg, *b = all.data[i].reg;

        if (all.data[i].offset != all.data[i - 1].offset || b == told)
            continue;
        diag_error(l->diag, b->ast->pos, "register \"%s\" is at %#x, where \"%s\" is", b->name,
                   all.data[i].offset, a->name);
        diag_note(l->diag, a->ast->pos, "\"%s\" is here", a->name);
        told = b;
    }
}

static int register_order(const void *x, const void *y)
{
    const struct lay_register *a = *(struct lay_register *const *)x;
    const struct lay_register *b = *(struct lay_register *const *)y;

    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

void layouts_registers(struct layouts *l)
{
    vec_for_each (&l->ast->blocks, a)
        add_block(l, *a);
    check_places(l);
    if (l->registers.len)
        qsort(l->registers.data, l->registers.len, sizeof(*l->registers.data), register_order);
}
