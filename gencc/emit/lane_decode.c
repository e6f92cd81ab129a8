/*
 * The decoder of a unit: the form of a word, its handler, its operands and sources.
 */
#include "gencc/emit/decode_tree.h"
#include "gencc/emit/lane.h"
#include "gencc/emit/operands.h"

#include <inttypes.h>

/* ---- operands of a handler ------------------------------------------------------------------- */

static void operands_function(struct emit *e, FILE *o, const struct lane_handler *h)
{
    struct body b = straight_line(e, o, h->f, e->dialect);

    fprintf(o, "static void operands_%s(OPERANDS_ARGS)\n{\n", h->name);
    fprintf(o, "    struct %s_o_%s *o = (void *)(op + 1);\n\n", e->prefix, h->name);
    straight_line_values(&b, &h->operands);
    vec_for_each (&h->sources, s)
        straight_line_value(&b, s->selector);
    straight_line_store(&b, &h->operands);
    vec_for_each (&h->sources, s) {
        fprintf(o, "    o->%s = gpu_decode_source(d, ", s->name);
        expr(&b, s->selector);
        fputs(");\n", o);
    }
    fputs("}\n\n", o);
}

static bool has_operands(const struct lane_handler *h)
{
    return h->operands.len || h->sources.len;
}

/* ---- forms ----------------------------------------------------------------------------------- */

static void test_fields(FILE *o, const struct lane_handler *h)
{
    const char *and = "";

    fputs("    if (", o);
    vec_for_each (&h->tests, t) {
        if (t->field->computed)
            fprintf(o, "%sfields[%u] == %" PRIu64, and, t->field->index, (uint64_t)t->value);
        else
            fprintf(o, "%s(uint64_t)(word >> %u & UINT64_C(%#" PRIx64 ")) == UINT64_C(%" PRIu64 ")",
                    and, t->field->lsb, ~UINT64_C(0) >> (64 - t->field->width), (uint64_t)t->value);
        and = " && ";
    }
    fputs(") {\n", o);
}

/* Fields by name that set members of the operation, or that the decoder notes. They are set before
 * sources are located. */
static const struct {
    const char *name, *c;
} told[] = {
    {"parts", "    op->parts = (uint16_t)(%s);\n"},
    {"result", "    gpu_decode_result(d, op, (uint32_t)(%s));\n"},
    {"staging", "    gpu_decode_staging(d, op, (uint32_t)(%s));\n"},
    {"ends", "    gpu_decode_ends(d, %s);\n"},
    {"ends_at_zero", "    gpu_decode_ends_at_zero(d, (uint32_t)(%s));\n"},
};

enum { TOLD = sizeof(told) / sizeof(*told) };

static uint64_t told_fields(const struct form *form)
{
    uint64_t reads = 0;

    for (unsigned i = 0; i < TOLD; i++) {
        const struct field *f = format_field(form->instr->format, told[i].name);

        if (f && f->computed)
            reads |= UINT64_C(1) << (f->index & 63);
    }
    return reads;
}

static void tell_fields(struct emit *e, FILE *o, const struct form *form)
{
    for (unsigned i = 0; i < TOLD; i++) {
        const struct field *f = format_field(form->instr->format, told[i].name);

        if (f && f->computed)
            fprintf(o, told[i].c, arena_printf(e->arena, "fields[%u]", f->index));
    }
}

static void choose_handler(FILE *o, const struct lane_handler *h)
{
    const char *indent = h->tests.len ? "        " : "    ";

    if (h->tests.len)
        test_fields(o, h);
    fprintf(o, "%sop->exec = handlers[gpu_lane_level()][%u][%u];\n", indent, h->part, h->number);
    fprintf(o, "%sop->bytes = sizeof(*op) + %u;\n", indent, h->operand_bytes);
    if (has_operands(h))
        fprintf(o, "%soperands_%s(d, word, fields, op);\n", indent, h->name);
    fprintf(o, "%sreturn true;\n", indent);
    if (h->tests.len)
        fputs("    }\n", o);
}

static uint64_t tested_fields(const struct lane_handler *h)
{
    uint64_t reads = 0;

    vec_for_each (&h->tests, t)
        if (t->field->computed)
            reads |= UINT64_C(1) << (t->field->index & 63);
    return reads;
}

/* Writes the function of a form, which selects its handler. The handler without tests is last. */
static unsigned form_function(struct emit *e, FILE *o, const lane_list *handlers,
                              const struct form *form, unsigned first, struct pool *fields)
{
    unsigned end = first;
    struct ir_func *decode;
    const char *function = NULL;
    uint64_t reads = told_fields(form);

    for (; end < handlers->len && handlers->data[end]->form == form; end++) {
        const struct lane_handler *h = handlers->data[end];

        reads |= decode_reads(h->f) | tested_fields(h);
        if (has_operands(h))
            operands_function(e, o, h);
    }
    decode = decode_needed(form, reads);
    if (decode)
        function = decode_fields_function(e, o, fields, form, decode);
    fprintf(o, "static NOINLINE bool form_%s(FORM_ARGS)\n{\n", form->name);
    if (decode)
        fprintf(o,
                "    uint64_t fields[%u];\n\n    if (!fields_%s(word, fields))\n"
                "        return false;\n",
                decode_field_count(form->instr->format) + 1, function);
    else
        fputs("    uint64_t *const fields = NULL;\n\n    (void)fields;\n", o);
    vec_for_each (&form->instr->features, f)
        fprintf(o, "    if (!gpu_decode_has(d, \"%s\"))\n        return false;\n", (*f)->name);
    fprintf(o, "    op->form = %u;\n", form->index);
    tell_fields(e, o, form);
    for (unsigned i = first; i < end; i++)
        choose_handler(o, handlers->data[i]);
    fputs("}\n\n", o);
    return end;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Writes the entry point, which tries the forms of the word's leaf in the tree in order. */
static void write_entry(struct emit *e, FILE *o)
{
    fputs("static form_fn *const forms[] = {\n", o);
    vec_for_each (&e->isa->forms, f)
        fprintf(o, (*f)->exec ? "    form_%s,\n" : "    NULL, /* %s */\n", (*f)->name);
    fprintf(o,
            "    NULL,\n};\n\n"
            "bool %s_decode(struct gpu_decode *d, gpu_word word, struct gpu_op *op)\n{\n",
            e->prefix);
    if (e->isa->widths.len)
        fprintf(o,
                "    const struct decode_tree *t = &%s_tree_%u;\n"
                "    const struct decode_candidate *c = decode_tree_first(t, word);\n\n"
                "    for (; c; c = decode_tree_next(t, c, word))\n"
                "        if (forms[c->form](d, (word_t)word, op))\n            return true;\n",
                e->prefix, e->isa->widths.data[0]);
    fputs("    return false;\n}\n", o);
}

static void write_handler_level(struct emit *e, FILE *o, const char *name)
{
    fputs("    {", o);
    for (unsigned i = 0; i < e->opt->parts; i++)
        fprintf(o, "%s_handlers_%u_%s, ", e->prefix, i, name);
    fputs("},\n", o);
}

static void handler_tables(struct emit *e, FILE *o)
{
    static const char *const levels[] = {"base", "v3"};

    for (unsigned k = 0; k < 2; k++) {
        if (k)
            fputs("#if GPU_LANE_LEVELS > 1\n", o);
        for (unsigned i = 0; i < e->opt->parts; i++)
            fprintf(o, "extern gpu_handler *const %s_handlers_%u_%s[];\n", e->prefix, i, levels[k]);
    }
    fprintf(o,
            "#endif\n\n"
            "static gpu_handler *const *const handlers[GPU_LANE_LEVELS][%u] = {\n",
            e->opt->parts);
    write_handler_level(e, o, levels[0]);
    fputs("#if GPU_LANE_LEVELS > 1\n", o);
    write_handler_level(e, o, levels[1]);
    fputs("#endif\n};\n\n", o);
}

bool lane_emit_decoder(struct emit *e, const lane_list *handlers)
{
    struct pool fields = {0};
    struct out o;
    unsigned at = 0;

    if (!out_open(e, &o, arena_printf(e->arena, "%s_decode.c", e->prefix)))
        return false;
    fprintf(o.f,
            "#include \"%s_internal.h\"\n#include \"common/prelude/decode_tree.h\"\n"
            "#include \"runtime/gpu/ends.h\"\n%s\n"
            "#define UNUSED        __attribute__((unused))\n"
            "#define NOINLINE      __attribute__((noinline))\n"
            "#define FIELDS_ARGS   word_t word UNUSED, uint64_t *fields UNUSED\n"
            "#define OPERANDS_ARGS struct gpu_decode *d UNUSED, word_t word UNUSED, "
            "const uint64_t *fields UNUSED, struct gpu_op *op\n"
            "#define FORM_ARGS     struct gpu_decode *d UNUSED, word_t word UNUSED, "
            "struct gpu_op *op\n\n",
            e->prefix, e->model->features.len ? "#include \"runtime/gpu/features.h\"\n" : "");
    decode_word_type(e, o.f);
    fputs("typedef bool form_fn(FORM_ARGS);\n\n", o.f);
    handler_tables(e, o.f);
    vec_for_each (&e->isa->forms, f)
        if ((*f)->exec)
            at = form_function(e, o.f, handlers, *f, at, &fields);
    if (!decode_trees(e, o.f))
        return false;
    write_entry(e, o.f);
    return out_close(e, &o);
}
