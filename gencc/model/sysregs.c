/*
 * Builds system registers: their encoding space, codes, access rights and storage.
 */
#include "gencc/model/internal.h"

#include <stdlib.h>
#include <string.h>

enum { NO_LEVEL = 255, MAX_CODE_BITS = 32 };

static void build_space(struct builder *b)
{
    const struct ast_sysreg_space *a = &b->ast->sysregs;
    struct sysreg_space *s = &b->m->sysreg_space;

    s->name = a->name;
    vec_for_each (&a->fields, f) {
        vec_push_in(b->a, &s->fields, f->name);
        vec_push_in(b->a, &s->widths, f->width);
        if (!f->width || f->width > MAX_CODE_BITS)
            diag_error(b->d, f->pos, "field \"%s\" has 1 to 32 bits", f->name);
        else
            s->width += f->width;
    }
    if (s->width > MAX_CODE_BITS)
        diag_error(b->d, a->pos, "the codes of system registers have %u bits; at most %u fit",
                   s->width, MAX_CODE_BITS);
}

/* ---- one declaration ------------------------------------------------------------------------- */

struct declaration {
    struct builder *b;
    struct isa_builder *ib;
    struct sysreg *r;
    const struct ast_def *def;
    bool want_storage, is_const;
};

static bool has_text(const struct declaration *c, const struct ast_property *p)
{
    if (p->value && p->value->kind == AST_STRING)
        return true;
    diag_error(c->b->d, p->pos, "\"%s\" is a string", p->name);
    return false;
}

static uint64_t number_property(const struct declaration *c, const struct ast_property *p,
                                unsigned bits)
{
    u128 v = 0;

    if (!p->value || p->value->kind == AST_STRING)
        diag_error(c->b->d, p->pos, "\"%s\" is a number", p->name);
    else
        const_bits(c->b, c->ib, p->value, bits, arena_printf(c->b->a, "\"%s\"", p->name), &v);
    return (uint64_t)v;
}

static void access_error(const struct declaration *c, const struct ast_property *p)
{
    diag_error(c->b->d, p->value->pos,
               "bad access string; expected levels with r, w or rw, as in \"el0:r el1:rw\"");
}

/* Reads "el0:r el1:rw": the lowest level that may read, and the lowest that may write. */
static void set_access(const struct declaration *c, const struct ast_property *p)
{
    const char *at;

    if (!has_text(c, p))
        return;
    c->r->read_level[0] = c->r->write_level[0] = NO_LEVEL;
    for (at = p->value->name; *at;) {
        unsigned level;
        const char *rights;

        if (*at == ' ') {
            at++;
            continue;
        }
        if (strncmp(at, "el", 2) != 0 || at[2] < '0' || at[2] > '3' || at[3] != ':') {
            access_error(c, p);
            return;
        }
        level = (unsigned)(at[2] - '0');
        for (rights = at += 4; *at == 'r' || *at == 'w'; at++) {
            uint8_t *lowest = *at == 'r' ? c->r->read_level : c->r->write_level;

            if (level < *lowest)
                *lowest = (uint8_t)level;
        }
        if (at == rights || (*at && *at != ' ')) {
            access_error(c, p);
            return;
        }
    }
}

static void set_type(struct declaration *c, const struct ast_property *p)
{
    struct ir_type t;

    if (!p->type)
        diag_error(c->b->d, p->pos, "\"type\" is a type");
    else if (!resolve_type(c->b, c->ib, p->type, &t))
        return;
    else if (t.base != IR_UINT || t.bits > 64 || ir_is_vector(t))
        diag_error(c->b->d, p->type->pos, "a system register is uint8, uint16, uint32 or uint64");
    else
        c->r->type = t;
}

static void set_body(const struct declaration *c, const struct ast_property *p,
                     const struct ast_stmt **body)
{
    if (p->body)
        *body = p->body;
    else
        diag_error(c->b->d, p->pos, "\"%s\" is a block: %s { … }", p->name, p->name);
}

static void unknown_property(const struct declaration *c, const struct ast_property *p)
{
    static const char *const known[] = {"type",    "reset", "mask", "access", "ends_block",
                                        "storage", "const", "read", "write"};
    struct name_guess guess = {.wrong = p->name};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        name_guess_offer(&guess, known[i]);
    diag_unknown(c->b->d, p->pos, &guess, "unknown property \"%s\"", guess.wrong);
}

static void set_property(struct declaration *c, const struct ast_property *p)
{
    if (strcmp(p->name, "type") == 0)
        set_type(c, p);
    else if (strcmp(p->name, "access") == 0)
        set_access(c, p);
    else if (strcmp(p->name, "ends_block") == 0)
        c->r->ends_block = number_property(c, p, 1);
    else if (strcmp(p->name, "storage") == 0)
        c->want_storage = number_property(c, p, 1);
    else if (strcmp(p->name, "const") == 0)
        c->is_const = number_property(c, p, 1);
    else if (strcmp(p->name, "read") == 0)
        set_body(c, p, &c->r->read);
    else if (strcmp(p->name, "write") == 0)
        set_body(c, p, &c->r->write);
    else if (strcmp(p->name, "reset") != 0 && strcmp(p->name, "mask") != 0)
        unknown_property(c, p);
}

/* Sets reset and mask. They must fit the type, so they are read after it. */
static void set_values(struct declaration *c)
{
    c->r->mask = (uint64_t)low_bits(c->r->type.bits);
    vec_for_each (&c->def->properties, p) {
        if (strcmp(p->name, "reset") == 0)
            c->r->reset = number_property(c, p, c->r->type.bits);
        else if (strcmp(p->name, "mask") == 0)
            c->r->mask = number_property(c, p, c->r->type.bits);
    }
    if (c->is_const)
        c->r->mask = 0;
}

static void set_code(struct declaration *c)
{
    const struct sysreg_space *s = &c->b->m->sysreg_space;

    if (c->def->encoding.len != s->fields.len) {
        diag_error(c->b->d, c->def->pos,
                   "system register \"%s\" has %u encoding fields; ac_sysreg_space has %u",
                   c->def->name, c->def->encoding.len, s->fields.len);
        return;
    }
    for (unsigned i = 0; i < s->fields.len; i++) {
        const char *what = arena_printf(c->b->a, "field \"%s\"", s->fields.data[i]);
        unsigned width = s->widths.data[i] > MAX_CODE_BITS ? 1 : s->widths.data[i];
        u128 v;

        const_bits(c->b, c->ib, c->def->encoding.data[i], width, what, &v);
        vec_push_in(c->b->a, &c->r->enc, (uint32_t)v);
        c->r->code = (uint32_t)((uint64_t)c->r->code << width | (uint32_t)v);
    }
}

static void declare_sysreg(struct isa_builder *ib, const struct ast_def *def)
{
    struct builder *b = ib->b;
    struct sysreg *r = arena_new(b->a, struct sysreg);
    struct declaration c = {.b = b, .ib = ib, .r = r, .def = def};
    struct sysreg *old = name_map_get(&b->m->sysreg_names, def->name);
    uint32_t isa = UINT32_C(1) << ib->isa->index % 32;

    if (old && !(old->isas & isa) && src_same_place(old->pos, def->pos)) {
        old->isas |= isa;
        return;
    }
    name_map_put(b->a, &b->m->sysreg_names, def->name, r);
    r->name = def->name;
    r->isas = isa;
    r->pos = def->pos;
    r->broken = def->broken;
    r->type = IR_T_U64;
    r->read_level[0] = r->write_level[0] = 1;
    if (old) {
        diag_error(b->d, def->pos, "system register \"%s\" is declared twice", def->name);
        diag_note(b->d, old->pos, "the first declaration is here");
        return;
    }
    set_code(&c);
    vec_for_each (&def->properties, p)
        set_property(&c, p);
    set_values(&c);
    r->has_storage = !r->read || c.want_storage;
    vec_push_in(b->a, &b->m->sysregs, r);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int by_code(const void *x, const void *y)
{
    const struct sysreg *a = *(struct sysreg *const *)x;
    const struct sysreg *b = *(struct sysreg *const *)y;

    if (a->code != b->code)
        return a->code < b->code ? -1 : 1;
    return a->pos.line < b->pos.line ? -1 : a->pos.line > b->pos.line;
}

static void check_codes(const struct builder *b)
{
    for (unsigned i = 1; i < b->m->sysregs.len; i++) {
        const struct sysreg *x = b->m->sysregs.data[i - 1];
        const struct sysreg *y = b->m->sysregs.data[i];

        if (x->code != y->code)
            continue;
        diag_error(b->d, y->pos, "system register \"%s\" has the encoding of \"%s\"", y->name,
                   x->name);
        diag_note(b->d, x->pos, "\"%s\" is declared here", x->name);
    }
}

/* Uses a slot that the architecture declares under the register's name as its storage. */
static bool use_declared_slot(const struct builder *b, struct sysreg *r)
{
    struct reg_view *v = model_view(b->m, r->name);

    if (!v)
        return false;
    if (v == b->m->pc)
        diag_error(b->d, r->pos, "the PC is no storage of a system register");
    if (v->is_bank || !ir_type_eq(v->type, r->type)) {
        diag_error(b->d, r->pos,
                   "system register \"%s\" and the register of that name differ in type", r->name);
        diag_note(b->d, v->pos, "the register is here");
    }
    r->view = v;
    v->sysreg = r;
    return true;
}

static void place_storage(struct builder *b)
{
    struct reg_space *space = NULL;
    unsigned used = 0;

    vec_for_each (&b->m->sysregs, it) {
        struct sysreg *r = *it;

        if (!r->has_storage || use_declared_slot(b, r))
            continue;
        if (!space)
            space = add_space(b, 0, 64);
        r->view = add_view(b, r->name, r->pos, r->type);
        used = (used + r->type.bits / 8u - 1) / (r->type.bits / 8u) * (r->type.bits / 8u);
        r->view->space = b->m->spaces.len - 1;
        r->view->offset = space->offset + used;
        r->view->reg_stride = r->view->elem_stride = r->type.bits / 8u;
        r->view->sysreg = r;
        used += r->type.bits / 8u;
    }
    if (space) {
        space->bytes = used;
        b->m->state_bytes = space->offset + used;
    }
}

void build_sysregs(struct builder *b)
{
    build_space(b);
    for (unsigned i = 0; i < b->m->isas.len; i++) {
        struct isa_builder ib = {.b = b, .isa = b->m->isas.data[i], .ast = b->ast->isas.data[i]};

        collect_constants(&ib);
        vec_for_each (&ib.ast->defs, d) {
            if ((*d)->kind != AST_SYSREG)
                continue;
            if (b->m->sysreg_space.fields.len)
                declare_sysreg(&ib, *d);
            else
                diag_error(b->d, (*d)->pos,
                           "system registers need an ac_sysreg_space in the architecture");
        }
    }
    if (b->m->sysregs.len)
        qsort(b->m->sysregs.data, b->m->sysregs.len, sizeof(*b->m->sysregs.data), by_code);
    check_codes(b);
    place_storage(b);
}
