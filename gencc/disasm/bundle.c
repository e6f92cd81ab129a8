/*
 * The disassembler of bundles, run by the evaluator: header, words, footer, and texts of maps that
 * the bundle decides.
 */
#include "gencc/disasm/text_bundle.h"

#include <string.h>

enum { MAX_WORD_TEXT = 1024 };

static uint64_t block_of(const struct text_bundle *tc, enum bundle_context context)
{
    unsigned next = tc->stage + 1 == tc->bits.stages ? 0 : tc->stage + 1;

    return tc->bits.block[context == BUNDLE_OF_NEXT ? next : tc->stage];
}

static uint64_t word_of(const struct bundle_bits *c, unsigned stage, unsigned unit)
{
    bool there = stage < c->stages && c->present[stage] >> unit & 1;

    return there ? (uint64_t)c->word[stage][unit] : 0;
}

static uint64_t value_of(const struct text_bundle *tc, const struct bundle_text *text,
                         const struct bundle_value *v, int64_t key)
{
    const struct bundle_bits *c = &tc->bits;

    switch (v->is) {
    case BUNDLE_V_BLOCK:
        return block_of(tc, text->context);
    case BUNDLE_V_UNIT:
        return tc->at_unit;
    case BUNDLE_V_FIRST:
        return tc->stage == 0;
    case BUNDLE_V_LAST:
        return tc->stage + 1 == c->stages;
    case BUNDLE_V_RAW:
        return c->constant[key & 0xff];
    case BUNDLE_V_MODIFIER:
        return c->modifier[key & 0xff];
    case BUNDLE_V_INDEX:
        return tc->index;
    case BUNDLE_V_DISTANCE:
        return (uint64_t)tc->distance;
    case BUNDLE_V_END:
        return tc->end;
    case BUNDLE_V_UNIFORMS: /* belong to a job, which is not known here */
        return 0;
    case BUNDLE_V_CONSTANTS:
        return c->constants;
    case BUNDLE_V_CONSTANT:
        return c->constant[v->number];
    case BUNDLE_V_WORD:
        return word_of(c, v->number, v->unit);
    }
    return 0;
}

/* Runs the function of a line. Its state is saved, since a text may be written within another. */
static bool run_line(struct text *t, const struct ir_func *f, u128 word, u128 *fields,
                     struct asm_out *out)
{
    struct ir_machine before = t->machine;
    struct asm_out other = t->out, now = *out;
    struct ir_data result;
    bool written;

    t->out = now;
    t->machine.word = word;
    t->machine.fields = fields;
    written = f && ir_eval(&t->machine, f, NULL, &result) == IR_DONE && (result.lane[0] & 0xff);
    now = t->out;
    t->out = other;
    t->machine = before;
    *out = now; /* `out` may be t->out */
    return written;
}

/* Writes a line of a text with its values, and `key` if the text has one. */
static bool write_line(struct text_bundle *tc, const struct bundle_text *text,
                       const struct instr *in, int64_t key, struct asm_out *out)
{
    u128 word = 0, fields[BUNDLE_MAX_FIELDS] = {0};

    if (text->context == BUNDLE_OF_HEADER || text->context == BUNDLE_OF_FOOTER ||
        text->context == BUNDLE_OF_TARGET)
        word = tc->bits.header;
    else if (text->context != BUNDLE_OF_CONSTANT)
        word = block_of(tc, text->context);
    if (text->key)
        fields[format_field(in->format, text->key)->index] = (uint64_t)key;
    vec_for_each (&text->values, v)
        fields[format_field(in->format, v->name)->index] = value_of(tc, text, v, key);
    return run_line(tc->text, tc->text->bundle_lines.data[in->index], word, fields, out);
}

bool bundle_write_text(struct text_bundle *tc, const struct bundle_text *text, int64_t key,
                       struct asm_out *out)
{
    if (text->context == BUNDLE_OF_CONSTANT && (key & 0xff) >= BUNDLE_MAX_CONSTANTS)
        return false;
    return write_line(tc, text, text->lines.data[0], key, out);
}

bool bundle_write_target(struct text_bundle *tc, struct asm_out *out)
{
    vec_for_each (&tc->text->isa->bundle->texts, t)
        if (t->context == BUNDLE_OF_TARGET)
            return write_line(tc, t, t->lines.data[0], 0, out);
    return false;
}

const struct bundle_text *bundle_text_of(const struct text_bundle *tc, const char *map)
{
    vec_for_each (&tc->text->isa->bundle->texts, t)
        if (t->key && !strcmp(t->name, map))
            return t;
    return NULL;
}

static bool resolve_map(struct asm_out *out, const char *map, int64_t key)
{
    struct text_bundle *tc = out->resolve_data;
    const struct bundle_text *t = bundle_text_of(tc, map);

    if (!t)
        return false;
    if (tc->constant && t->context == BUNDLE_OF_CONSTANT)
        return tc->constant(tc, t, key, out);
    return bundle_write_text(tc, t, key, out);
}

void bundle_write_key(struct text_bundle *tc, const struct asm_table *map, int64_t key,
                      struct asm_out *out)
{
    out->resolve = resolve_map;
    out->resolve_data = tc;
    asm_put_map(out, map, key);
    out->resolve = NULL;
}

/* Writes the lines of header or footer. Each line of the footer is a line of the output. */
static void write_around(struct text_bundle *tc, enum bundle_context context, struct asm_out *out)
{
    vec_for_each (&tc->text->isa->bundle->texts, t) {
        if (t->key || t->context != context)
            continue;
        vec_for_each (&t->lines, in)
            if (write_line(tc, t, *in, 0, out) && context == BUNDLE_OF_FOOTER)
                asm_put_text(out, "\n");
    }
}

static void write_unit(struct text_bundle *tc, struct asm_out *out)
{
    const struct bundle_unit *u = &tc->text->isa->bundle->units.data[tc->at_unit];
    struct text *t = tc->unit[tc->at_unit];
    u128 word = tc->bits.word[tc->stage][tc->at_unit];
    const struct form *form = text_decode(t, word, u->bits);
    const size_t start = out->length;

    asm_put_text(out, u->mark);
    if (!form || !run_line(t, text_disasm_of(t, form->instr), word, t->fields, out)) {
        asm_put_text(out, ".inst ");
        asm_put_wide(out, (uint64_t)(word >> 64), (uint64_t)word);
        asm_put_text(out, " // undefined");
    }
    if (out->length > start)
        asm_put_text(out, "\n");
}

unsigned bundle_units_of_lines(struct text_bundle *tc, unsigned *unit, unsigned max)
{
    char text[MAX_WORD_TEXT];
    unsigned n = 0;

    for (tc->stage = 0; tc->stage < tc->bits.stages; tc->stage++)
        for (tc->at_unit = 0; tc->at_unit < tc->text->isa->bundle->units.len; tc->at_unit++) {
            struct asm_out out = {
                .text = text, .size = sizeof(text), .resolve = resolve_map, .resolve_data = tc};

            if (!(tc->bits.present[tc->stage] >> tc->at_unit & 1))
                continue;
            write_unit(tc, &out);
            if (out.length && n < max)
                unit[n++] = tc->at_unit;
        }
    return n;
}

void bundle_write_footer(struct text_bundle *tc, struct asm_out *out)
{
    out->resolve = resolve_map;
    out->resolve_data = tc;
    write_around(tc, BUNDLE_OF_FOOTER, out);
    out->resolve = NULL;
}

void bundle_write(struct text_bundle *tc, bool footer, struct asm_out *out)
{
    out->resolve = resolve_map;
    out->resolve_data = tc;
    write_around(tc, BUNDLE_OF_HEADER, out);
    asm_put_text(out, tc->text->isa->bundle->open);
    for (tc->stage = 0; tc->stage < tc->bits.stages; tc->stage++)
        for (tc->at_unit = 0; tc->at_unit < tc->text->isa->bundle->units.len; tc->at_unit++)
            if (tc->bits.present[tc->stage] >> tc->at_unit & 1)
                write_unit(tc, out);
    if (footer)
        write_around(tc, BUNDLE_OF_FOOTER, out);
    asm_put_text(out, tc->text->isa->bundle->close);
    out->resolve = NULL;
}

size_t text_bundle_disasm(struct text_bundle *tc, const uint8_t *code, size_t available,
                          unsigned index, struct asm_out *out)
{
    if (!text_bundle_unpack(tc->text, code, available, &tc->bits))
        return 0;
    tc->index = index;
    bundle_write(tc, true, out);
    return tc->bits.bytes;
}

struct text_bundle *text_bundle_prepare(struct text *t)
{
    struct text_bundle *tc = arena_new(t->arena, struct text_bundle);
    const struct bundle *c = t->isa->bundle;

    tc->text = t;
    for (unsigned i = 0; i < c->units.len; i++) {
        for (unsigned k = 0; k < i; k++)
            if (!strcmp(c->units.data[k].isa, c->units.data[i].isa))
                tc->unit[i] = tc->unit[k];
        if (!tc->unit[i])
            tc->unit[i] = text_prepare_unit(model_isa(t->isa->model, c->units.data[i].isa));
        if (!tc->unit[i])
            return NULL;
    }
    return tc;
}
