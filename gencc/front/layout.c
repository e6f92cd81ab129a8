/*
 * Builds the tree of AC_LAYOUTS and AC_GPU files: one function per statement.
 */
#include "gencc/front/layout_parser.h"

#include <string.h>

void layouts_begin(struct parser *p, const struct token *name)
{
    struct ast_layout_file *file = p->front->layout_file;

    p->layouts = file->layouts;
    if (!p->layouts) {
        p->layouts = file->layouts = arena_new(p->a, struct ast_layouts);
        p->layouts->pos = name->pos;
        p->layouts->name = name->text;
        p->layouts->path = p->file->path;
    } else if (strcmp(p->layouts->name, name->text) != 0) {
        diag_error(p->d, name->pos, "the layouts are called \"%s\", not \"%s\"", p->layouts->name,
                   name->text);
        diag_note(p->d, p->layouts->pos, "they begin here");
    }
}

void layouts_versions(struct parser *p, struct src_pos pos, const struct ast_versions *versions)
{
    if (p->layouts->versions_pos.file) {
        diag_error(p->d, pos, "ac_versions may occur only once");
        diag_note(p->d, p->layouts->versions_pos, "the first is here");
        return;
    }
    p->layouts->versions_pos = pos;
    p->layouts->versions = *versions;
}

void layouts_include(struct parser *p, const struct token *path)
{
    const char *found = front_find(p->front, p->file, path);

    if (!found)
        return;
    if (name_map_put(p->a, &p->front->types, found, (void *)(uintptr_t)found)) {
        diag_error(p->d, path->pos, "\"%s\" is included twice", path->text);
        return;
    }
    front_parse_file(p->front, found, path->pos, LANG_LAYOUT, NULL);
}

void layouts_const(struct parser *p, struct ast_type *type, const struct token *name,
                   struct ast_expr *value)
{
    struct ast_lay_const c = {name->pos, name->text, type, value};

    vec_push_in(p->a, &p->layouts->consts, c);
}

/* ---- enumerations ---------------------------------------------------------------------------- */

void enum_begin(struct parser *p, const struct token *name)
{
    struct ast_lay_enum *e = arena_new(p->a, struct ast_lay_enum);

    e->pos = name->pos;
    e->name = name->text;
    p->lay_enum = e;
    vec_push_in(p->a, &p->layouts->enums, e);
}

void enum_value(struct parser *p, const struct token *name, struct ast_expr *value,
                const struct ast_versions *versions)
{
    struct ast_lay_value v = {name->pos, name->text, value, *versions};

    vec_push_in(p->a, &p->lay_enum->values, v);
}

/* ---- layouts --------------------------------------------------------------------------------- */

void layout_begin(struct parser *p, const struct token *name)
{
    struct ast_layout *l = arena_new(p->a, struct ast_layout);

    l->pos = name->pos;
    l->name = name->text;
    p->layout = l;
    vec_push_in(p->a, &p->layouts->layouts, l);
}

void layout_size(struct parser *p, struct src_pos pos, unsigned bytes,
                 const struct ast_versions *versions)
{
    struct ast_lay_size s = {pos, bytes, *versions};

    vec_push_in(p->a, &p->layout->sizes, s);
}

void layout_field_begin(struct parser *p, const struct token *name)
{
    p->lay_field = (struct ast_lay_field){.pos = name->pos, .name = name->text};
}

void layout_field_type(struct parser *p, const struct token *type, bool overlay)
{
    p->lay_field.type = type->text;
    p->lay_field.type_pos = type->pos;
    p->lay_field.is_overlay = overlay;
}

/* Numbers before modifiers are plain tokens, because an expression would include the modifiers. */
unsigned layout_number(struct parser *p, const struct token *t)
{
    if (t->value <= UINT32_MAX >> 2)
        return (unsigned)t->value;
    diag_error(p->d, t->pos, "this number is out of range: 0 to %u is allowed", UINT32_MAX >> 2);
    return 0;
}

void layout_field_width(struct parser *p, const struct token *t)
{
    p->lay_field.width = layout_number(p, t);
    p->lay_field.width_pos = t->pos;
    if (!t->value)
        diag_error(p->d, t->pos, "a field has at least one bit");
}

void layout_modifier(struct parser *p, struct src_pos pos, enum ast_mod_kind kind,
                     struct ast_expr *value)
{
    struct ast_modifier m = {pos, kind, value};

    vec_push_in(p->a, &p->lay_field.modifiers, m);
}

void layout_field_place(struct parser *p, struct src_pos pos, const struct token *word,
                        const struct token *bit)
{
    p->lay_field.place_pos = pos;
    p->lay_field.word = layout_number(p, word);
    p->lay_field.bit = bit ? layout_number(p, bit) : 0;
}

void layout_field_end(struct parser *p, const struct ast_versions *versions)
{
    p->lay_field.versions = *versions;
    vec_push_in(p->a, &p->layout->fields, p->lay_field);
}

/* ---- registers ------------------------------------------------------------------------------- */

void registers_begin(struct parser *p, const struct token *name, const struct ast_repeat *repeat,
                     unsigned base)
{
    struct ast_registers *r = arena_new(p->a, struct ast_registers);

    r->pos = name->pos;
    r->name = name->text;
    r->repeat = *repeat;
    r->base = base;
    p->registers = r;
    vec_push_in(p->a, &p->layouts->blocks, r);
}

void register_begin(struct parser *p, const struct token *name, const struct ast_repeat *repeat,
                    const struct token *access, struct src_pos place, unsigned offset)
{
    struct ast_register r = {.pos = name->pos, .name = name->text, .offset = offset};

    r.repeat = *repeat;
    r.access = access->text;
    r.access_pos = access->pos;
    r.place_pos = place;
    vec_push_in(p->a, &p->registers->registers, r);
}

void register_field(struct parser *p, const struct token *name, const struct token *type,
                    const struct token *width, const struct token *bit)
{
    struct ast_reg_field f = {.pos = name->pos, .name = name->text, .width = 1};
    unsigned count = p->registers->registers.len;

    f.place_pos = bit->pos;
    f.bit = layout_number(p, bit);
    f.width_pos = width ? width->pos : name->pos;
    if (width)
        f.width = layout_number(p, width);
    if (type) {
        f.type = type->text;
        f.type_pos = type->pos;
    }
    vec_push_in(p->a, &p->registers->registers.data[count - 1].fields, f);
}

/* ---- GPUs ------------------------------------------------------------------------------------ */

void gpu_begin(struct parser *p, const struct token *name)
{
    struct ast_gpu *g = arena_new(p->a, struct ast_gpu);

    g->pos = name->pos;
    g->name = name->text;
    p->gpu = g;
    vec_push_in(p->a, &p->front->layout_file->gpus, g);
}

void gpu_property(struct parser *p, const struct token *name, struct ast_expr *value)
{
    struct ast_gpu_property g = {name->pos, name->text, value};

    vec_push_in(p->a, &p->gpu->properties, g);
}

void gpu_number(struct parser *p, const struct token *word, const struct token *name,
                struct ast_expr *value, const struct token *unit, const struct token *source)
{
    struct ast_gpu_number n = {.pos = name->pos, .unit_pos = unit->pos, .name = name->text};

    n.value = value;
    n.unit = unit->text;
    n.source = source->text;
    if (strcmp(word->text, "timing") == 0)
        vec_push_in(p->a, &p->gpu->timing, n);
    else if (strcmp(word->text, "power") == 0)
        vec_push_in(p->a, &p->gpu->power, n);
    else
        diag_error(p->d, word->pos, "what has a unit is \"timing\" or \"power\", not \"%s\"",
                   word->text);
}

void gpu_point(struct parser *p, const struct token words[3], struct ast_expr *mhz,
               struct ast_expr *millivolt, const struct token *source)
{
    struct ast_gpu_point point = {.pos = words[0].pos, .mhz = mhz, .millivolt = millivolt};

    point.source = source->text;
    if (strcmp(words[0].text, "point") != 0)
        diag_error(p->d, words[0].pos, "what has a number and a unit is \"point\", not \"%s\"",
                   words[0].text);
    else if (strcmp(words[1].text, "MHz") != 0 || strcmp(words[2].text, "mV") != 0)
        diag_error(p->d, words[1].pos, "an operating point is in MHz and mV, not \"%s\" and \"%s\"",
                   words[1].text, words[2].text);
    else
        vec_push_in(p->a, &p->gpu->points, point);
}

void gpu_register(struct parser *p, const struct token *name, const unsigned *index,
                  struct ast_expr *value)
{
    struct ast_gpu_register r = {.pos = name->pos, .name = name->text, .value = value};

    r.has_index = index != NULL;
    r.index = index ? *index : 0;
    vec_push_in(p->a, &p->gpu->registers, r);
}

/* ---- files ----------------------------------------------------------------------------------- */

static struct ast_layout_file *parse_layout_file(struct front *f, const char *path)
{
    f->layout_file = arena_new(f->a, struct ast_layout_file);
    /* gives included files a folder to be looked up in */
    f->arch = arena_new(f->a, struct ast_arch);
    f->arch->path = path;
    return front_parse_file(f, path, (struct src_pos){0}, LANG_LAYOUT, NULL) ? f->layout_file
                                                                             : NULL;
}

struct ast_layout_file *ast_parse_layouts(struct diag *d, const char *path)
{
    struct front f = {.d = d, .a = d->arena};

    return parse_layout_file(&f, path);
}
