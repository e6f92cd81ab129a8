/*
 * Builds the fields of layouts: types, modifiers, places; checks that they do not overlap.
 */
#include "gencc/model/layout_internal.h"

#include <string.h>

static const struct {
    const char *name;
    enum lay_kind kind;
    unsigned width; /* default width; 0: a width is required */
} builtin_types[] = {
    {"uint", LAY_UINT, 0},    {"int", LAY_INT, 0},         {"bool", LAY_BOOL, 1},
    {"float", LAY_FLOAT, 32}, {"address", LAY_ADDRESS, 0}, {"padded", LAY_PADDED, 8},
};
enum { BUILTIN_TYPES = sizeof(builtin_types) / sizeof(*builtin_types) };

/* A field under construction */
struct field_check {
    struct layouts *l;
    const struct ast_lay_field *ast;
    struct lay_field f;
};

/* ---- types ----------------------------------------------------------------------------------- */

static void unknown_type(struct field_check *c)
{
    struct name_guess guess = {.wrong = c->ast->type};

    for (unsigned i = 0; i < BUILTIN_TYPES; i++)
        name_guess_offer(&guess, builtin_types[i].name);
    vec_for_each (&c->l->enums, e)
        name_guess_offer(&guess, (*e)->name);
    vec_for_each (&c->l->ast->layouts, s)
        name_guess_offer(&guess, (*s)->name);
    diag_unknown(c->l->diag, c->ast->type_pos, &guess, "unknown type, enumeration or layout \"%s\"",
                 guess.wrong);
}

static bool set_type(struct field_check *c)
{
    const char *name = c->ast->type;

    c->f.width = c->ast->width;
    if (!name) {
        c->f.kind = LAY_RESERVED;
        return true;
    }
    for (unsigned i = 0; i < BUILTIN_TYPES; i++) {
        if (strcmp(builtin_types[i].name, name) != 0)
            continue;
        c->f.kind = builtin_types[i].kind;
        if (!c->f.width)
            c->f.width = builtin_types[i].width;
        return true;
    }
    c->f.enumeration = name_map_get(&c->l->enum_names, name);
    c->f.nested = name_map_get(&c->l->struct_names, name);
    c->f.kind = c->f.enumeration ? LAY_ENUM : LAY_NESTED;
    if (c->f.enumeration || c->f.nested)
        return true;
    unknown_type(c);
    return false;
}

static void check_enum_fits(struct field_check *c)
{
    vec_for_each (&c->f.enumeration->values, v) {
        if ((v->versions & c->f.versions) && c->f.width < 32 && v->value >> c->f.width) {
            diag_error(c->l->diag, c->ast->width_pos,
                       "%u bits are too few for value \"%s\" of \"%s\", which is %u", c->f.width,
                       v->name, c->f.enumeration->name, v->value);
            diag_note(c->l->diag, v->pos, "the value is here");
            return;
        }
    }
}

static bool check_width(struct field_check *c)
{
    static const unsigned char min[] = {1, 2, 1, 32, 1, 8, 1, 0, 1};
    static const unsigned char max[] = {64, 64, 1, 32, 64, 8, 32, 0, 64};
    unsigned low = min[c->f.kind], high = max[c->f.kind];

    if (c->f.kind == LAY_NESTED) {
        if (c->f.width)
            diag_error(c->l->diag, c->ast->width_pos, "a layout within another has its own size");
        c->f.width = 0;
        return true;
    }
    if (!c->f.width) {
        if (!c->ast->width_pos.file)
            diag_error(c->l->diag, c->ast->type_pos, "the width of \"%s\" is missing: '%s BITS'",
                       c->f.name, c->ast->type);
        return false;
    }
    if (c->f.width < low || c->f.width > high) {
        if (low == high)
            diag_error(c->l->diag, c->ast->width_pos, "a field of type %s has %u bit%s",
                       c->ast->type, low, low == 1 ? "" : "s");
        else
            diag_error(c->l->diag, c->ast->width_pos, "a field of %s%s has %u to %u bits",
                       c->ast->type ? "type " : "reserved bits", c->ast->type ? c->ast->type : "",
                       low, high);
        return false;
    }
    if (c->f.kind == LAY_ENUM)
        check_enum_fits(c);
    return true;
}

/* ---- modifiers ------------------------------------------------------------------------------- */

static uint64_t ones_mask(unsigned n)
{
    return n >= 64 ? UINT64_MAX : (1ull << n) - 1;
}

/* Converts a number in the text to the bits of a binary32. */
static bool float_value(struct field_check *c, const struct ast_expr *e, uint64_t *out)
{
    bool negative = e->kind == AST_UNARY;
    const struct ast_expr *n = negative ? e->a : e;
    union {
        float f;
        uint32_t bits;
    } v;

    if (n->kind != AST_FLOAT && n->kind != AST_INT) {
        diag_error(c->l->diag, e->pos, "expected a number");
        return false;
    }
    v.f = n->kind == AST_FLOAT ? (float)n->fvalue : (float)n->value;
    if (negative)
        v.f = -v.f;
    *out = v.bits;
    return true;
}

/* Evaluates a required or default value of the field, as its member represents it. */
static bool set_value(struct field_check *c, const struct ast_modifier *m, uint64_t *out)
{
    s128 v, low = 0, high;

    if (c->f.kind == LAY_FLOAT)
        return float_value(c, m->value, out);
    if (!layout_value(c->l, m->value, c->f.enumeration, &v))
        return false;
    high = (s128)ones_mask(c->f.width);
    if (c->f.kind == LAY_INT) {
        high = (s128)ones_mask(c->f.width - 1);
        low = -high - 1;
    } else if (c->f.kind == LAY_PADDED) {
        high = UINT64_MAX;
    } else if (c->f.log2) {
        low = 1;
        high = (s128)1 << ones_mask(c->f.width);
    } else {
        low = c->f.addend;
        high = (high << c->f.shift) + (s128)c->f.addend;
    }
    if (v < low || v > high) {
        diag_error(c->l->diag, m->value->pos, "field \"%s\" cannot have this value", c->f.name);
        return false;
    }
    *out = (uint64_t)v;
    return true;
}

static void wrong_modifier(struct field_check *c, const struct ast_modifier *m, const char *what,
                           const char *kinds)
{
    diag_error(c->l->diag, m->pos, "'%s' is for fields of type %s", what, kinds);
}

static void set_shift(struct field_check *c, const struct ast_modifier *m)
{
    unsigned shift = (unsigned)layout_uint(c->l, m->value, 63);

    if (c->f.kind != LAY_UINT && c->f.kind != LAY_ADDRESS)
        wrong_modifier(c, m, "<<", "uint or address");
    else if (c->f.width + shift > 64)
        diag_error(c->l->diag, m->pos, "the shifted value has %u bits; a member has 64",
                   c->f.width + shift);
    else
        c->f.shift = shift;
}

/* Applies + << log2. They precede the values, whose range they change. */
static void set_coding(struct field_check *c, const struct ast_modifier *m)
{
    bool is_uint = c->f.kind == LAY_UINT;

    if (m->kind == AST_MOD_SHIFT) {
        set_shift(c, m);
    } else if (m->kind == AST_MOD_PLUS) {
        c->f.addend = layout_uint(c->l, m->value, UINT32_MAX);
        if (!is_uint)
            wrong_modifier(c, m, "+", "uint");
    } else if (m->kind == AST_MOD_LOG2) {
        c->f.log2 = is_uint && c->f.width <= 6;
        if (!is_uint)
            wrong_modifier(c, m, "log2", "uint");
        else if (c->f.width > 6)
            diag_error(c->l->diag, m->pos, "a logarithm has at most 6 bits");
    }
}

static void set_values(struct field_check *c)
{
    vec_for_each (&c->ast->modifiers, m) {
        if (m->kind != AST_MOD_MUST && m->kind != AST_MOD_DEFAULT)
            continue;
        if (c->f.kind == LAY_NESTED)
            diag_error(c->l->diag, m->pos, "a layout within another has no value of its own");
        else if (c->f.is_overlay && m->kind == AST_MOD_MUST)
            diag_error(c->l->diag, m->pos, "an overlay is never bad: 'must' has no meaning here");
        else if (m->kind == AST_MOD_MUST)
            c->f.has_must = set_value(c, m, &c->f.required_value);
        else
            c->f.has_default = set_value(c, m, &c->f.default_value);
    }
}

static void set_modifiers(struct field_check *c)
{
    unsigned seen = 0;

    vec_for_each (&c->ast->modifiers, m) {
        if (seen & 1u << m->kind)
            diag_error(c->l->diag, m->pos, "this modifier is given twice");
        seen |= 1u << m->kind;
        set_coding(c, m);
    }
    if (c->f.addend && c->f.width + c->f.shift == 64)
        diag_error(c->l->diag, c->ast->pos, "values of \"%s\" do not fit into 64 bits", c->f.name);
    if (c->f.log2 && (c->f.addend || c->f.shift))
        diag_error(c->l->diag, c->ast->pos, "'log2' does not go with '+' or '<<'");
    else if ((seen & 1u << AST_MOD_MUST) && (seen & 1u << AST_MOD_DEFAULT))
        diag_error(c->l->diag, c->ast->pos, "'must' already gives the field's value");
    else
        set_values(c);
}

static enum lay_member member_of(const struct lay_field *f)
{
    s128 largest = (s128)ones_mask(f->width);

    switch (f->kind) {
    case LAY_NESTED:
        return LAY_STRUCT;
    case LAY_RESERVED:
        return LAY_NO_MEMBER;
    case LAY_FLOAT:
        return LAY_F32;
    case LAY_INT:
        return f->width > 32 ? LAY_I64 : LAY_I32;
    case LAY_ADDRESS:
    case LAY_PADDED:
        return LAY_U64;
    default:
        largest =
            f->log2 ? (s128)1 << ones_mask(f->width) : (largest << f->shift) + (s128)f->addend;
        return largest > (s128)UINT32_MAX ? LAY_U64 : LAY_U32;
    }
}

/* ---- places ---------------------------------------------------------------------------------- */

static unsigned element_bits(const struct lay_field *f)
{
    return f->kind == LAY_NESTED ? f->nested->max_bytes * 8 : f->width;
}

static void set_array(struct field_check *c)
{
    const struct ast_repeat *r = &c->ast->repeat;

    c->f.count = r->count;
    c->f.stride = r->has_stride ? r->stride * 8 : element_bits(&c->f);
    if (!r->given)
        return;
    if (!r->count || r->count > LAYOUT_MAX_ARRAY) {
        diag_error(c->l->diag, r->pos, "an array has 1 to %u elements", LAYOUT_MAX_ARRAY);
        c->f.count = 1;
    }
    if (r->stride > LAYOUT_MAX_BYTES || c->f.stride < element_bits(&c->f)) {
        diag_error(c->l->diag, r->pos, "elements of %u bits cannot be %u bytes apart",
                   element_bits(&c->f), r->stride);
        c->f.stride = element_bits(&c->f);
    }
}

static bool set_place(struct field_check *c)
{
    if (c->ast->bit > 31) {
        diag_error(c->l->diag, c->ast->place_pos, "words have bits 0 to 31; bit %u is '@ %llu:%u'",
                   c->ast->bit, (unsigned long long)c->ast->word + c->ast->bit / 32,
                   c->ast->bit % 32);
        return false;
    }
    if (c->ast->word > LAYOUT_MAX_BYTES / 4) {
        diag_error(c->l->diag, c->ast->place_pos, "a layout has at most %u words",
                   LAYOUT_MAX_BYTES / 4);
        return false;
    }
    c->f.start = c->ast->word * 32 + c->ast->bit;
    set_array(c);
    if (c->f.kind == LAY_NESTED && c->f.start % 8) {
        diag_error(c->l->diag, c->ast->place_pos, "a layout within another begins at a byte");
        return false;
    }
    for (unsigned i = 0; i < (c->f.count ? c->f.count : 1); i++) {
        if ((c->f.start + i * c->f.stride) % 8 + c->f.width <= 64)
            continue;
        diag_error(c->l->diag, c->ast->place_pos, "field \"%s\" touches more than 8 bytes",
                   c->f.name);
        return false;
    }
    return true;
}

/* Bits from the field's start to its end, in one version. */
static unsigned field_extent(const struct lay_field *f, unsigned version)
{
    unsigned one = f->kind == LAY_NESTED ? f->nested->bytes[version] * 8 : f->width;

    return f->count ? (f->count - 1) * f->stride + one : one;
}

static void check_size(struct layouts *l, const struct lay_struct *s, const struct lay_field *f)
{
    for (unsigned v = 0; v <= LAYOUT_MAX_VERSION; v++) {
        if (!(f->versions >> v & 1))
            continue;
        if (f->kind == LAY_NESTED && !f->nested->bytes[v]) {
            diag_error(l->diag, f->ast->type_pos, "layout \"%s\" has no version %u",
                       f->nested->name, v);
            return;
        }
        if (f->start + field_extent(f, v) <= s->bytes[v] * 8)
            continue;
        diag_error(l->diag, f->ast->place_pos,
                   "field \"%s\" ends at byte %u; layout \"%s\" has %u bytes%s", f->name,
                   (f->start + field_extent(f, v) + 7) / 8, s->name, s->bytes[v],
                   s->bytes[v] == s->max_bytes ? "" : " in a version");
        return;
    }
}

/* Whether an element of one field shares a bit with an element of the other. */
static bool fields_overlap(const struct lay_field *a, const struct lay_field *b, unsigned version)
{
    unsigned an = a->count ? a->count : 1, bn = b->count ? b->count : 1;
    unsigned aw = a->kind == LAY_NESTED ? a->nested->bytes[version] * 8 : a->width;
    unsigned bw = b->kind == LAY_NESTED ? b->nested->bytes[version] * 8 : b->width;

    if (a->start + field_extent(a, version) <= b->start ||
        b->start + field_extent(b, version) <= a->start)
        return false;
    for (unsigned i = 0; i < an; i++)
        for (unsigned k = 0; k < bn; k++)
            if (a->start + i * a->stride < b->start + k * b->stride + bw &&
                b->start + k * b->stride < a->start + i * a->stride + aw)
                return true;
    return false;
}

static void check_overlap(struct layouts *l, const struct lay_field *a, const struct lay_field *b)
{
    version_set both = a->versions & b->versions;

    if (a->is_overlay || b->is_overlay)
        return;
    for (unsigned v = 0; v <= LAYOUT_MAX_VERSION; v++) {
        if (!(both >> v & 1) || !fields_overlap(a, b, v))
            continue;
        diag_error(l->diag, b->ast->pos, "field \"%s\" overlaps field \"%s\"", b->name, a->name);
        diag_note(l->diag, a->ast->pos, "\"%s\" is here", a->name);
        return;
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Fields of one name are one member in C, in different versions; checks that they agree. */
static void check_names(struct layouts *l, const struct lay_struct *s, const struct lay_field *f)
{
    static const char *const made[] = {"offset", "bit", "width"};
    const struct lay_field *first = NULL;

    vec_for_each (&s->fields, o) {
        if (strcmp(o->name, f->name) != 0)
            continue;
        if (!first)
            first = o;
        if (o->versions & f->versions)
            diag_error(l->diag, f->ast->pos, "field \"%s\" is declared twice in version %d",
                       f->name, __builtin_ctz(o->versions & f->versions));
        else if (o->member != f->member || o->count != f->count || o->nested != f->nested)
            diag_error(l->diag, f->ast->pos, "field \"%s\" has another type in other versions",
                       f->name);
        else
            continue;
        diag_note(l->diag, o->ast->pos, "the other one is here");
        return;
    }
    for (unsigned i = 0; i < 3 && !first && f->kind != LAY_RESERVED; i++)
        layout_c_name(l, f->ast->pos,
                      arena_printf(l->arena, "%s_%s_%s", s->name, f->name, made[i]));
}

/* ---- layouts --------------------------------------------------------------------------------- */

static void add_field(struct layouts *l, struct lay_struct *s, const struct ast_lay_field *ast)
{
    struct field_check c = {.l = l, .ast = ast, .f = {.ast = ast, .name = ast->name}};
    const char *what = arena_printf(l->arena, "layout \"%s\"", s->name);

    c.f.member_name = name_in_c(l->arena, ast->name);
    c.f.is_overlay = ast->is_overlay;
    c.f.versions = layout_versions(l, &ast->versions, s->versions, what);
    if (!set_type(&c) || !check_width(&c))
        return;
    set_modifiers(&c);
    if (!set_place(&c))
        return;
    c.f.member = member_of(&c.f);
    check_size(l, s, &c.f);
    check_names(l, s, &c.f);
    vec_for_each (&s->fields, o)
        check_overlap(l, o, &c.f);
    vec_push_in(l->arena, &s->fields, c.f);
}

static void set_size(struct layouts *l, struct lay_struct *s, const struct ast_lay_size *a)
{
    version_set these = layout_versions(l, &a->versions, l->versions, "the description");

    if (!a->bytes || a->bytes > LAYOUT_MAX_BYTES || (a->bytes > 2 && a->bytes % 4)) {
        diag_error(l->diag, a->pos, "a layout has 1, 2 or a multiple of 4 bytes, at most %u",
                   LAYOUT_MAX_BYTES);
        return;
    }
    if (these & s->versions)
        diag_error(l->diag, a->pos, "layout \"%s\" has two sizes in version %d", s->name,
                   __builtin_ctz(these & s->versions));
    s->versions |= these;
    for (unsigned v = 0; v <= LAYOUT_MAX_VERSION; v++)
        if (these >> v & 1)
            s->bytes[v] = a->bytes;
    if (a->bytes > s->max_bytes)
        s->max_bytes = a->bytes;
}

static struct lay_struct *new_struct(struct layouts *l, const struct ast_layout *a)
{
    struct lay_struct *s = arena_new(l->arena, struct lay_struct);
    struct lay_struct *old = name_map_put(l->arena, &l->struct_names, a->name, s);
    const struct lay_enum *e = name_map_get(&l->enum_names, a->name);

    s->ast = a;
    s->name = a->name;
    if (old) {
        diag_error(l->diag, a->pos, "layout \"%s\" is declared twice", a->name);
        diag_note(l->diag, old->ast->pos, "the first declaration is here");
        return NULL;
    }
    if (e) {
        diag_error(l->diag, a->pos, "\"%s\" is an enumeration already", a->name);
        diag_note(l->diag, e->pos, "it is declared here");
    }
    layout_c_name(l, a->pos, arena_printf(l->arena, "%s_bytes", a->name));
    vec_for_each (&a->sizes, size)
        set_size(l, s, size);
    return s;
}

/* Orders the layout after those that it contains. */
static void order_struct(struct layouts *l, struct lay_struct *s)
{
    if (s->state != LAY_NEW)
        return;
    s->state = LAY_VISITING;
    vec_for_each (&s->fields, f) {
        if (f->kind != LAY_NESTED)
            continue;
        if (f->nested->state == LAY_VISITING)
            diag_error(l->diag, f->ast->pos, "layout \"%s\" would hold itself", f->nested->name);
        else
            order_struct(l, f->nested);
    }
    s->state = LAY_DONE;
    vec_push_in(l->arena, &l->structs, s);
}

void layouts_resolve(struct layouts *l)
{
    VEC(struct lay_struct *) all = {0};

    vec_for_each (&l->ast->layouts, a) {
        struct lay_struct *s = new_struct(l, *a);

        if (s)
            vec_push_in(l->arena, &all, s);
    }
    vec_for_each (&all, s)
        vec_for_each (&(*s)->ast->fields, f)
            add_field(l, *s, f);
    vec_for_each (&all, s)
        order_struct(l, *s);
}
