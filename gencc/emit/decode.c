/*
 * The decoder of a CPU: decision tree, one function per way to compute operands, and tables of
 * forms and handlers for runtime/cpu/forms.h.
 */
#include "gencc/emit/c_dialect.h"
#include "gencc/emit/cpu.h"
#include "gencc/emit/decode_tree.h"
#include "gencc/emit/operands.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

/* A decoder that is being written. Tables of forms and handlers, and the features that forms need,
 * are written behind the functions. */
struct decoder {
    struct emit *e;
    FILE *o;
    const handler_list *handlers;
    struct pool operands, fields;
    struct piece forms, choices;
    VEC(unsigned) features;
    unsigned most_fields;
};

/* ---- operands of a handler ------------------------------------------------------------------- */

/* Name of the function that computes a handler's operands. It is written on first use. */
static const char *operands_function(struct decoder *d, const struct handler *h)
{
    struct emit *e = d->e;
    struct piece piece;
    struct body b;
    const char *name;

    if (!piece_open(e, &piece))
        return h->name;
    b = straight_line(e, piece.f, h->f, &c_dialect);
    fprintf(piece.f, "    struct %s *o = (void *)(out + 1);\n\n", h->layout);
    straight_line_values(&b, &h->operands);
    straight_line_store(&b, &h->operands);
    name = pool_function(e->arena, &d->operands, h->name, piece_close(&piece));
    if (name == h->name)
        fprintf(d->o, "static void operands_%s(OPERANDS_ARGS)\n{\n%s}\n\n", name, piece.text);
    free(piece.text);
    return name;
}

/* ---- forms ----------------------------------------------------------------------------------- */

/* Writes a handler's row: the words that the handler serves. */
static void write_handler_row(struct decoder *d, const struct handler *h)
{
    const char *operands = "NULL";
    uint64_t mask = 0, value = 0;

    if (h->operands.len)
        operands = arena_printf(d->e->arena, "operands_%s", operands_function(d, h));
    for (unsigned i = 0; i < h->fields.len; i++) {
        const struct field *f = h->fields.data[i];

        mask |= ((UINT64_C(1) << f->width) - 1) << f->lsb;
        value |= (uint64_t)h->values.data[i] << f->lsb;
    }
    fprintf(d->choices.f, "    {%s_h_%s, %s, %#" PRIx64 ", %#" PRIx64 ", ", d->e->prefix, h->name,
            operands, mask, value);
    if (h->feature >= 0)
        fprintf(d->choices.f, "%d, %u", h->feature, d->e->model->features.data[h->feature]->value);
    else
        fputs("FORM_NONE, FORM_NONE", d->choices.f);
    fprintf(d->choices.f, ", %s},\n", h->ends_block ? "true" : "false");
}

/* The computed field with the decode context of the next instruction. NULL: none; the decoder calls
 * the advance helper. */
static const struct field *next_context_field(const struct form *form)
{
    const struct field *f = format_field(form->instr->format, "next_context");

    return f && f->computed ? f : NULL;
}

/* The function that computes the fields in `reads` of a form; NULL: none. */
static const char *fields_function(struct decoder *d, const struct form *form, uint64_t reads)
{
    const struct field *next = next_context_field(form);
    struct ir_func *decode;

    if (next)
        reads |= UINT64_C(1) << (next->index & 63);
    decode = decode_needed(form, reads);
    if (!decode)
        return "NULL";
    return arena_printf(d->e->arena, "fields_%s",
                        decode_fields_function(d->e, d->o, &d->fields, form, decode));
}

/* Index in the table of features of those that a form needs. */
static unsigned needed_features(struct decoder *d, const struct form *form)
{
    unsigned at = d->features.len;

    if (!form->instr->features.len)
        return 0; /* the table begins with an empty list */
    vec_for_each (&form->instr->features, f)
        vec_push_in(d->e->arena, &d->features, (*f)->index);
    vec_push_in(d->e->arena, &d->features, UINT_MAX);
    return at;
}

/* Writes the rows of a form and its handlers. `first` is the index of its first handler. Returns
 * the index behind its last. */
static unsigned form_rows(struct decoder *d, const struct form *form, unsigned first)
{
    const struct field *next = next_context_field(form);
    unsigned end = first, fields = decode_field_count(form->instr->format);
    const char *function = "NULL";
    uint64_t reads = 0;

    for (; end < d->handlers->len && d->handlers->data[end]->form == form; end++) {
        reads |= decode_reads(d->handlers->data[end]->f);
        write_handler_row(d, d->handlers->data[end]);
    }
    if (end > first)
        function = fields_function(d, form, reads);
    fprintf(d->forms.f, "    {%s, %u, %u, ", function, first, end - first);
    fprintf(d->forms.f, next ? "%u" : "FORM_NONE", next ? next->index : 0);
    fprintf(d->forms.f, ", %u}, /* %s */\n", needed_features(d, form), form->name);
    if (fields > d->most_fields)
        d->most_fields = fields;
    return end;
}

static void form_tables(struct decoder *d)
{
    const struct emit *e = d->e;

    fprintf(d->o,
            "static const struct form_handler form_handlers[] = {\n%s    {0},\n};\n\n"
            "static const struct form_decoder form_decoders[] = {\n%s    {0},\n};\n\n",
            piece_close(&d->choices), piece_close(&d->forms));
    free(d->choices.text);
    free(d->forms.text);
    fputs("static const uint8_t form_features[] = {", d->o);
    vec_for_each (&d->features, f)
        fprintf(d->o, *f == UINT_MAX ? "FORM_NONE, " : "%u, ", *f);
    fprintf(d->o,
            "};\n\nextern const uint16_t %s_first_form;\n"
            "static const struct form_table form_table = {\n"
            "    form_decoders, form_handlers, form_features, &%s_first_form, %u,\n};\n"
            "_Static_assert(%u <= FORM_MAX_FIELDS, \"all computed fields of a form\");\n\n",
            e->prefix, e->prefix, e->isa->forms.len, d->most_fields);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Writes the function that advances the decode context behind instructions that do not set it. */
static void advance_context(struct emit *e, FILE *o)
{
    if (e->isa->context.slot)
        fprintf(o, "    at->next_context = at->context ? %s_%s(cpu, i, at->context) : 0;\n",
                e->prefix, e->isa->context.advance_fn->name);
}

static void write_entry(struct emit *e, FILE *o)
{
    fprintf(o,
            "unsigned %s_decode(struct cpu *cpu, struct cpu_fetch *at, struct insn *out)\n{\n"
            "    const unsigned bytes = word_bytes(at);\n    uint64_t word;\n\n"
            "    out->bytes = bytes & 15;\n    if (at->available < bytes)\n"
            "        return DECODE_MORE;\n    word = word_at(at, bytes);\n"
            "    out->word = (uint32_t)word;\n",
            e->prefix);
    advance_context(e, o);
    vec_for_each (&e->isa->widths, w)
        fprintf(
            o,
            "    if (bytes == %u)\n        return form_decode(&form_table, &%s_tree_%u, cpu, at, "
            "word, out);\n",
            *w / 8, e->prefix, *w);
    fputs("    return form_undefined(&form_table, out);\n}\n", o);
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool write_decoder(struct decoder *d)
{
    struct pool known = {0};
    unsigned at = 0;

    fprintf(d->o, "#include \"%s_internal.h\"\n#include \"runtime/base/bits.h\"\n\n", d->e->prefix);
    vec_for_each (d->handlers, h)
        handler_declare(d->e, d->o, *h, &known);
    fputs("\n#define UNUSED __attribute__((unused))\n"
          "#define FIELDS_ARGS struct cpu *cpu UNUSED, uint64_t word UNUSED, uint64_t *fields "
          "UNUSED\n"
          "#define OPERANDS_ARGS                            \\\n"
          "    struct cpu *cpu UNUSED, uint64_t word UNUSED, \\\n"
          "    const uint64_t *fields UNUSED, struct insn *out\n\n"
          "/* Pure helpers are called without an instruction. */\n"
          "static const struct insn *const i UNUSED = NULL;\n\n",
          d->o);
    decode_words(d->e, d->o);
    vec_for_each (&d->e->isa->forms, f)
        at = form_rows(d, *f, at);
    form_tables(d);
    if (!decode_trees(d->e, d->o))
        return false;
    write_entry(d->e, d->o);
    return true;
}

bool emit_decoder(struct emit *e, const handler_list *handlers)
{
    struct decoder d = {.e = e, .handlers = handlers};
    struct out o;

    if (!out_open(e, &o, arena_printf(e->arena, "%s_decode.c", e->prefix)))
        return false;
    if (!piece_open(e, &d.forms) || !piece_open(e, &d.choices))
        return false;
    vec_push_in(e->arena, &d.features, UINT_MAX);
    d.o = o.f;
    return write_decoder(&d) && out_close(e, &o);
}
