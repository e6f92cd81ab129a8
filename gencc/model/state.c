/*
 * Lays out the state: register spaces one after the other, and views in them.
 */
#include "gencc/model/internal.h"

#include <string.h>

enum { MAX_STATE_BYTES = 1 << 24, MAX_ELEMENTS = 256 };

struct reg_space *add_space(struct builder *b, unsigned bytes, unsigned align)
{
    struct reg_space s = {(b->m->state_bytes + align - 1) / align * align, bytes};

    b->m->state_bytes = s.offset + s.bytes;
    vec_push_in(b->a, &b->m->spaces, s);
    return &b->m->spaces.data[b->m->spaces.len - 1];
}

struct reg_view *add_view(struct builder *b, const char *name, struct src_pos pos,
                          struct ir_type type)
{
    struct reg_view *v = arena_new(b->a, struct reg_view);
    struct reg_view *old = name_map_get(&b->m->view_names, name);

    if (old) {
        diag_error(b->d, pos, "register \"%s\" is declared twice", name);
        diag_note(b->d, old->pos, "the first declaration is here");
    } else {
        name_map_put(b->a, &b->m->view_names, name, v);
    }
    v->name = name;
    v->pos = pos;
    v->type = type;
    v->index = b->m->views.len;
    v->count = 1;
    vec_push_in(b->a, &b->m->views, v);
    return v;
}

/* Reports an error; in published models, which contain such places, a warning. */
static void report_problem(const struct builder *b, struct src_pos pos, const char *text,
                           const char *name)
{
    if (b->published)
        diag_warning(b->d, WARN_PUBLISHED, pos, "%s \"%s\"", text, name);
    else
        diag_error(b->d, pos, "%s \"%s\"", text, name);
}

static void check_tag(struct builder *b, struct reg_view *v, struct src_pos pos)
{
    static const char *const tags[] = {"PC", "SP",  "C",    "Z",    "N",
                                       "V",  "ISA", "ZERO", "SINK", "PARTS"};
    struct name_guess guess = {.wrong = v->tag};

    vec_for_each (&b->m->views, other) {
        if (*other == v || !(*other)->tag || strcmp((*other)->tag, v->tag) != 0)
            continue;
        diag_error(b->d, pos, "tag %s is given to \"%s\" and to \"%s\"", v->tag, (*other)->name,
                   v->name);
        diag_note(b->d, (*other)->pos, "the first is here");
        return;
    }
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        if (strcmp(tags[i], v->tag) == 0)
            return;
        name_guess_offer(&guess, tags[i]);
    }
    report_problem(
        b, pos, "expected one of the tags PC, SP, C, Z, N, V, ISA, ZERO, SINK, PARTS, not", v->tag);
}

/* Bytes from the start of the view to its end. */
static uint64_t view_bytes(const struct ast_view *a, unsigned element)
{
    if (!a->is_bank)
        return element;
    return (uint64_t)(a->count - 1) * a->reg_stride + (uint64_t)(a->elems - 1) * a->elem_stride +
           element;
}

static bool check_bank(const struct builder *b, const struct ast_view *a, unsigned element)
{
    if (!a->count || !a->elems || a->elems > MAX_ELEMENTS) {
        diag_error(b->d, a->pos,
                   "bank \"%s\" needs at least one register of 1 to %d elements, not %u of %u",
                   a->name, MAX_ELEMENTS, a->count, a->elems);
        return false;
    }
    if (a->elem_size != element) {
        diag_error(b->d, a->pos, "elements of bank \"%s\" have %u bytes, but its type has %u",
                   a->name, a->elem_size, element);
        return false;
    }
    if (a->elems > 1 && a->elem_stride < a->elem_size) {
        diag_error(b->d, a->pos, "elements of bank \"%s\" overlap: %u bytes each, %u apart",
                   a->name, a->elem_size, a->elem_stride);
        return false;
    }
    if (a->count > 1 && a->reg_stride < (uint64_t)(a->elems - 1) * a->elem_stride + a->elem_size) {
        diag_error(b->d, a->pos, "registers of bank \"%s\" overlap: they are %u bytes apart",
                   a->name, a->reg_stride);
        return false;
    }
    return true;
}

static bool check_view(const struct builder *b, const struct ast_view *a,
                       const struct ast_regspace *space, struct ir_type type)
{
    unsigned element = type.bits / 8;
    unsigned align = element < 16 ? element : 16;
    bool aligned;

    if (ir_is_void(type) || ir_is_vector(type)) {
        diag_error(b->d, a->pos, "the elements of register \"%s\" must have a scalar type",
                   a->name);
        return false;
    }
    if (a->is_bank ? !check_bank(b, a, element) : a->size != element) {
        if (!a->is_bank)
            diag_error(b->d, a->pos, "slot \"%s\" has %u bytes, but its type has %u", a->name,
                       a->size, element);
        return false;
    }
    if (a->offset + view_bytes(a, element) > space->bytes) {
        diag_error(b->d, a->pos, "register \"%s\" ends at byte %llu of a space of %u bytes",
                   a->name, (unsigned long long)(a->offset + view_bytes(a, element)), space->bytes);
        return false;
    }
    aligned = a->offset % align == 0 && (!a->is_bank || a->count < 2 || a->reg_stride % align == 0);
    if (!aligned || (a->is_bank && a->elems > 1 && a->elem_stride % align))
        report_problem(b, a->pos, "this place is not aligned for the type of register", a->name);
    return true;
}

/* Checks registers of lanes, which are 32-bit words: in memory, word k of all lanes is adjacent. */
static bool check_lane_view(const struct builder *b, const struct ast_view *a, struct ir_type type)
{
    bool whole = type.bits == 32 && a->offset % 4 == 0 &&
                 (!a->is_bank || (a->elems == 1 && (a->count < 2 || a->reg_stride % 4 == 0)));

    if (a->tag)
        diag_error(b->d, a->pos, "registers of lanes have no tags");
    if (!whole)
        diag_error(b->d, a->pos,
                   "register \"%s\" of a lane must be of words: one element of 4 bytes each, at a "
                   "multiple of 4",
                   a->name);
    return whole && !a->tag;
}

/* Sets the PC, which must be a word of the architecture. */
static void set_pc(struct builder *b, struct reg_view *v)
{
    unsigned bits = b->m->word_bits == 32 ? 32 : 64;

    if (!b->incomplete && !ir_type_eq(v->type, ir_type(IR_UINT, bits, 1)))
        diag_error(b->d, v->pos, "the register tagged PC is a word, as ac_wordsize says: uint%u",
                   bits);
    b->m->pc = v;
}

/* Reports other views of the PC's bytes: the CPU keeps the PC elsewhere, so they would not see
 * it. */
static void check_pc_alone(const struct builder *b)
{
    const struct reg_view *pc = b->m->pc;

    if (!pc)
        return;
    vec_for_each (&b->m->views, it) {
        const struct reg_view *v = *it;
        unsigned element = v->type.bits / 8u;
        unsigned end = v->offset + (v->count - 1) * v->reg_stride +
                       (v->type.lanes - 1u) * v->elem_stride + element;

        if (v == pc || v->offset >= pc->offset + pc->type.bits / 8u || end <= pc->offset)
            continue;
        report_problem(b, v->pos, "the PC is not seen through another register, such as", v->name);
        diag_note(b->d, pc->pos, "the register tagged PC is here");
    }
}

static void build_view(struct builder *b, const struct ast_regspace *space, unsigned index,
                       const struct ast_view *a)
{
    struct ir_type type;
    struct reg_view *v;

    if (!resolve_type(b, NULL, a->type, &type) || !check_view(b, a, space, type) ||
        (space->is_lane && !check_lane_view(b, a, type)))
        return;
    v = add_view(b, a->name, a->pos, ir_with_lanes(type, a->is_bank ? a->elems : 1));
    v->is_bank = a->is_bank;
    v->space = index;
    v->offset = b->m->spaces.data[index].offset + a->offset;
    v->count = a->is_bank ? a->count : 1;
    v->reg_stride = a->is_bank ? a->reg_stride : type.bits / 8u;
    v->elem_stride = a->is_bank ? a->elem_stride : type.bits / 8u;
    v->tag = a->tag;
    if (v->tag)
        check_tag(b, v, a->pos);
    if (v->tag && strcmp(v->tag, "PC") == 0)
        set_pc(b, v);
    if (v->tag && strcmp(v->tag, "SP") == 0)
        b->m->sp = v;
}

static bool holds_vectors(const struct ast_regspace *space)
{
    vec_for_each (&space->views, v) {
        bool wide = v->type->kind == AST_TYPE_NAMED && strstr(v->type->name, "128");

        if (wide || (v->is_bank && v->elems > 1))
            return true;
    }
    return false;
}

void build_state(struct builder *b)
{
    vec_for_each (&b->ast->spaces, s) {
        if (!s->bytes || s->bytes > MAX_STATE_BYTES ||
            b->m->state_bytes + (uint64_t)s->bytes > MAX_STATE_BYTES) {
            diag_error(b->d, s->pos, "register spaces have 1 to %u bytes in total",
                       (unsigned)MAX_STATE_BYTES);
            continue;
        }
        add_space(b, s->bytes, holds_vectors(s) ? 64 : 16);
        vec_for_each (&s->views, v)
            build_view(b, s, b->m->spaces.len - 1, v);
    }
    check_pc_alone(b);
}
