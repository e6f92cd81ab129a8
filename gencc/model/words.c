/*
 * The words of an ISA: their widths, which the first unit determines, and their decode context.
 */
#include "gencc/model/internal.h"

#include <inttypes.h>

enum { MAX_MIXED_BITS = 32 }; /* longest word of an ISA with words of several widths */

/* ---- declarations ---------------------------------------------------------------------------- */

/* Reads the bits that a picture fixes; its fields match any value. */
static void read_unit(struct isa_builder *ib, const struct ast_width *ast, struct word_width *w)
{
    unsigned width = 0, at;

    vec_for_each (&ast->first.bits, b)
        width += b->width;
    if (width != ib->isa->fetch_bits) {
        diag_error(ib->b->d, ast->first.pos, "the picture of a first unit has %u bits, not %u",
                   ib->isa->fetch_bits, width);
        return;
    }
    at = width;
    vec_for_each (&ast->first.bits, b) {
        at -= b->width;
        if (b->name || b->dont_care)
            continue;
        w->mask |= low_bits(b->width) << at;
        w->value |= b->value << at;
    }
}

static void build_width(struct isa_builder *ib, const struct ast_width *ast)
{
    struct word_width w = {.pos = ast->pos, .bits = ast->bits};
    unsigned unit = ib->isa->fetch_bits;

    if (ast->bits <= unit || ast->bits % unit || ast->bits > MAX_MIXED_BITS) {
        diag_error(ib->b->d, ast->pos,
                   "a word of more than one unit has %u to %d bits, in steps of %u; not %u",
                   2 * unit, MAX_MIXED_BITS, unit, ast->bits);
        return;
    }
    read_unit(ib, ast, &w);
    vec_for_each (&ib->isa->word_widths, old) {
        if (old->bits == w.bits || ((old->value ^ w.value) & old->mask & w.mask))
            continue;
        diag_error(ib->b->d, ast->pos, "a first unit matches both %u bits and %u bits", old->bits,
                   w.bits);
        diag_note(ib->b->d, old->pos, "the other is here");
    }
    vec_push_in(ib->b->a, &ib->isa->word_widths, w);
}

static void check_slot(struct isa_builder *ib, const struct reg_view *slot)
{
    const struct model *m = ib->b->m;
    struct src_pos pos = ib->ast->context.pos;

    if (slot->is_bank || !ir_type_eq(slot->type, IR_T_U8) || slot == m->pc || slot->sysreg)
        diag_error(ib->b->d, pos, "the context is a slot of type uint8");
    vec_for_each (&m->views, it) {
        const struct reg_view *v = *it;
        unsigned end = v->offset + v->reg_stride * (v->count ? v->count - 1 : 0) +
                       v->elem_stride * (v->type.lanes - 1u) + v->type.bits / 8u;

        if (v != slot && v->offset <= slot->offset && slot->offset < end)
            diag_error(ib->b->d, pos, "register \"%s\" lies over the context \"%s\"", v->name,
                       slot->name);
    }
}

static void build_context(struct isa_builder *ib)
{
    const struct ast_context *ast = &ib->ast->context;
    struct name_guess guess = {.wrong = ast->slot};
    struct reg_view *slot;

    if (!ast->pos.file)
        return;
    slot = model_view(ib->b->m, ast->slot);
    if (!slot) {
        vec_for_each (&ib->b->m->views, v)
            name_guess_offer(&guess, (*v)->name);
        diag_unknown(ib->b->d, ast->pos, &guess, "unknown register \"%s\"", guess.wrong);
        return;
    }
    check_slot(ib, slot);
    ib->isa->context = (struct context){.pos = ast->pos, .slot = slot, .advance = ast->advance};
}

void build_words(struct isa_builder *ib)
{
    if (ib->b->m->is_lane && (ib->ast->widths_pos.file || ib->ast->context.pos.file)) {
        diag_error(ib->b->d, ib->ast->widths_pos.file ? ib->ast->widths_pos : ib->ast->context.pos,
                   "instructions of lanes have words of one width and no context");
        return;
    }
    ib->isa->high_first = ib->ast->high_first;
    vec_for_each (&ib->ast->widths, w)
        if (ib->isa->fetch_bits)
            build_width(ib, w);
    build_context(ib);
}

/* ---- widths and encodings -------------------------------------------------------------------- */

/* The part of a pattern that concerns the first unit. */
static struct pattern first_unit(const struct isa *isa, const struct pattern *p, unsigned width)
{
    u128 all = low_bits(isa->fetch_bits);

    return (struct pattern){p->pos,
                            isa_first_unit(isa, p->mask, width) & all,
                            isa_first_unit(isa, p->value, width) & all,
                            {0}};
}

/* Whether all first units that match the pattern imply words of `bits` bits. */
static bool all_imply_width(struct isa_builder *ib, const struct pattern *unit, unsigned bits)
{
    const struct isa *isa = ib->isa;
    const struct pattern **cover =
        arena_alloc(ib->b->a, (isa->word_widths.len + 1) * sizeof(*cover));
    unsigned count = 0;

    vec_for_each (&isa->word_widths, w) {
        struct pattern *p;

        if (w->bits != bits)
            continue;
        p = arena_new(ib->b->a, struct pattern);
        *p = (struct pattern){w->pos, w->mask, w->value, {0}};
        cover[count++] = p;
    }
    return count && pattern_covered(ib->b->a, unit, cover, count);
}

static bool some_imply_more(const struct isa *isa, const struct pattern *unit)
{
    vec_for_each (&isa->word_widths, w)
        if (!((w->value ^ unit->value) & w->mask & unit->mask))
            return true;
    return false;
}

static void check_form(struct isa_builder *ib, const struct form *form)
{
    const struct isa *isa = ib->isa;
    unsigned width = form->instr->format->width;

    vec_for_each (&form->patterns, p) {
        struct pattern unit = first_unit(isa, p, width);
        bool fits = width == isa->fetch_bits ? !some_imply_more(isa, &unit)
                                             : all_imply_width(ib, &unit, width);

        if (fits)
            continue;
        diag_error(ib->b->d, p->pos,
                   "\"%s\" has %u bits, but its first unit can be one of words of another width",
                   form->name, width);
        diag_note(ib->b->d, ib->ast->widths_pos, "the widths are here");
        return;
    }
}

void check_widths(struct isa_builder *ib)
{
    if (!ib->ast->widths_pos.file || ib->b->incomplete)
        return;
    vec_for_each (&ib->isa->forms, f)
        check_form(ib, *f);
}

/* ---- words in memory ------------------------------------------------------------------------- */

unsigned isa_width_of(const struct isa *isa, u128 unit)
{
    vec_for_each (&isa->word_widths, w)
        if ((unit & w->mask) == w->value)
            return w->bits;
    return isa->fetch_bits;
}

unsigned isa_width_of_word(const struct isa *isa, u128 word)
{
    vec_for_each (&isa->word_widths, w)
        if (!(word & ~low_bits(w->bits)) &&
            isa_width_of(isa, isa_first_unit(isa, word, w->bits)) == w->bits)
            return w->bits;
    return !(word & ~low_bits(isa->fetch_bits)) && isa_width_of(isa, word) == isa->fetch_bits
               ? isa->fetch_bits
               : 0;
}

u128 isa_first_unit(const struct isa *isa, u128 word, unsigned width)
{
    u128 all = low_bits(isa->fetch_bits);

    return (isa->high_first ? word >> (width - isa->fetch_bits) : word) & all;
}

/* Lowest bit of unit `n` in a word of `width` bits. */
static unsigned unit_lsb(const struct isa *isa, unsigned n, unsigned width)
{
    unsigned at = n * isa->fetch_bits;

    return isa->high_first ? width - isa->fetch_bits - at : at;
}

/* Offset in memory of byte `k` of a unit; byte 0 is the least significant. */
static unsigned byte_place(const struct isa *isa, unsigned k, unsigned unit)
{
    return isa->model->big_endian ? unit - 1 - k : k;
}

u128 isa_word_load(const struct isa *isa, const unsigned char *bytes, unsigned width)
{
    unsigned unit = (isa->fetch_bits + 7) / 8,
             count = isa->fetch_bits ? width / isa->fetch_bits : 0;
    u128 word = 0;

    for (unsigned n = 0; n < count; n++) {
        u128 v = 0;

        for (unsigned k = unit; k--;)
            v = v << 8 | bytes[n * unit + byte_place(isa, k, unit)];
        word |= v << unit_lsb(isa, n, width);
    }
    return word;
}

void isa_word_store(const struct isa *isa, unsigned char *bytes, u128 word, unsigned width)
{
    unsigned unit = (isa->fetch_bits + 7) / 8,
             count = isa->fetch_bits ? width / isa->fetch_bits : 0;

    for (unsigned n = 0; n < count; n++) {
        u128 v = word >> unit_lsb(isa, n, width);

        for (unsigned k = 0; k < unit; k++)
            bytes[n * unit + byte_place(isa, k, unit)] = (unsigned char)(v >> 8 * k);
    }
}

const char *word_hex(struct arena *a, u128 word, unsigned width)
{
    int digits = (int)(width + 3) / 4;

    if (digits > 16)
        return arena_printf(a, "0x%0*" PRIx64 "%016" PRIx64, digits - 16, (uint64_t)(word >> 64),
                            (uint64_t)word);
    return arena_printf(a, "0x%0*" PRIx64, digits, (uint64_t)word);
}

/* ---- contexts -------------------------------------------------------------------------------- */

/* Whether the expression is constant for all words of the format. */
static bool is_constant(const struct isa_builder *ib, const struct format *f,
                        const struct ast_expr *e)
{
    switch (e->kind) {
    case AST_INT:
        return true;
    case AST_NAME:
        return !format_field(f, e->name) &&
               (name_map_get(&ib->constants, e->name) || name_map_get(&ib->b->constants, e->name));
    case AST_UNARY:
        return is_constant(ib, f, e->a);
    case AST_BINARY:
        return is_constant(ib, f, e->a) && is_constant(ib, f, e->b);
    default:
        return false;
    }
}

/* Whether any instruction has an encoding in the context. */
static bool is_decoded_in(const struct isa *isa, unsigned context)
{
    const u128 bits = (u128)0xff << CONTEXT_LSB, want = isa_context_bits(isa, context);

    vec_for_each (&isa->forms, f)
        vec_for_each (&(*f)->patterns, p)
            if (!((p->value ^ want) & p->mask & bits))
                return true;
    return false;
}

void check_contexts(struct isa_builder *ib)
{
    vec_for_each (&ib->isa->instrs, i) {
        const struct field *f = format_field((*i)->format, "next_context");
        s128 next;

        if (!ib->isa->context.slot || !f || !f->computed || !f->value ||
            !is_constant(ib, (*i)->format, f->value) || !const_eval(ib->b, ib, f->value, &next))
            continue;
        if (next < 0 || next > UINT8_MAX)
            diag_error(ib->b->d, f->value->pos, "a context is a number from 0 to 255");
        else if (!is_decoded_in(ib->isa, (unsigned)next))
            diag_error(ib->b->d, f->value->pos, "no instruction has an encoding in the context %u",
                       (unsigned)next);
    }
}
