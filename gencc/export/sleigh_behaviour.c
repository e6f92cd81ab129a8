/*
 * The p-code of whole instructions: decode context, computed fields, behaviour, the next address.
 */
#include "common/memory.h"
#include "gencc/export/sleigh.h"
#include "gencc/ir/pass.h"

#include <stdlib.h>
#include <string.h>

/* Whether some function that the behaviour may execute satisfies the test. */
static bool uses(const struct ir_func *f, bool (*test)(const struct ir_value *v), unsigned depth)
{
    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (test(v) || (v->op == IR_CALL && depth < 8 && uses(v->callee, test, depth + 1)))
                return true;
    return false;
}

static bool reads_computed(const struct ir_value *v)
{
    return v->op == IR_FIELD && v->field->computed;
}

/* Words that the pattern accepts and the decode function does not are undefined. */
static void refuse_word(struct sl_code *c, const char *accepted)
{
    unsigned label = ++c->labels;

    c->f->s->open_conditions++;
    sl_say(c, "if (%s != 0) goto <_l%u>;", accepted, label);
    sl_say(c, "goto [%s];",
           sl_local(c, c->f->s->model->word_bits / 8,
                    arena_printf(c->f->s->arena, "%s()",
                                 sl_op(c->f->s, ir_intrinsics[IR_I_UNDEFINED_INSTRUCTION].name))));
    sl_say(c, "<_l%u>", label);
}

/* Runs the decode function if the behaviour needs its fields (`needed`), or if the pattern cannot
 * say which words it accepts. */
static bool decode_fields(struct sl_code *c, bool needed)
{
    const struct form *form = c->f->form;
    const char **word = sl_lanes(c, 1), **results;
    const char *const *args[] = {word};
    bool open = form->decode && !sl_condition(c->f, NULL, true);

    c->fields =
        arena_alloc(c->f->s->arena, (form->instr->format->fields.len + 1) * sizeof(*c->fields));
    if (!form->decode || (!needed && !open))
        return true;
    vec_for_each (&form->instr->format->fields, it)
        if ((*it)->computed)
            c->fields[(*it)->index] = sl_local(c, (*it)->type.bits / 8u * (*it)->type.lanes, "0");
    word[0] = sl_use(c->f, sl_field(c->f, 0, c->f->width, NULL));
    if (!sl_inline(c, 1, form->decode, args, &results))
        return false;
    if (open)
        refuse_word(c, results[0]);
    return true;
}

/* Sets `nextctx` to the context of the next word. */
static bool next_context(struct sl_code *c)
{
    const struct context *context = &c->f->s->isa->context;
    const struct field *field = NULL;
    const char *ctx[] = {"_ctx"}, **results;
    const char *const *args[] = {ctx};
    unsigned label;

    vec_for_each (&c->f->form->instr->format->fields, it)
        if (!strcmp((*it)->name, "next_context"))
            field = *it;
    if (field && c->fields[field->index]) {
        sl_say(c, "_nextctx = %s;", c->fields[field->index]);
        return true;
    }
    label = ++c->labels;
    sl_say(c, "if (_ctx == 0) goto <_l%u>;", label);
    if (!sl_inline(c, 1, context->advance_fn, args, &results))
        return false;
    sl_say(c, "_nextctx = %s;", results[0]);
    sl_say(c, "<_l%u>", label);
    return true;
}

static bool has_next(const struct form *form)
{
    vec_for_each (&form->instr->format->fields, it)
        if (!strcmp((*it)->name, "next_context"))
            return true;
    return false;
}

/* The behaviour of one form */
static bool one_form(struct sl_code *c, const struct form *form)
{
    const char **results;

    c->f->form = form;
    c->f->is_decoded = false; /* what is known of words is of another decode function */
    c->f->truths.len = 0;
    if (!form->exec) {
        c->refused = "it has no behaviour";
        return false;
    }
    return decode_fields(c, uses(form->exec, reads_computed, 0) || has_next(form)) &&
           (!c->f->s->isa->context.slot || next_context(c)) &&
           sl_inline(c, 0, form->exec, NULL, &results);
}

/* Forms that differ in the decode context, which is a register here. */
static bool by_context(struct sl_code *c, const struct form *const *forms, unsigned n)
{
    unsigned done = ++c->labels;

    for (unsigned i = 0; i < n; i++) {
        const struct pattern *p = &forms[i]->patterns.data[0];
        unsigned other = ++c->labels;

        if (i + 1 < n)
            sl_say(c, "if ((_ctx & 0x%x) != 0x%x) goto <_l%u>;",
                   (unsigned)(p->mask >> CONTEXT_LSB & 0xff),
                   (unsigned)(p->value >> CONTEXT_LSB & 0xff), other);
        if (!one_form(c, forms[i]))
            return false;
        if (i + 1 < n) {
            sl_say(c, "goto <_l%u>;", done);
            sl_say(c, "<_l%u>", other);
        }
    }
    sl_say(c, "<_l%u>", done);
    return true;
}

/* Prints the text without labels to which nothing goes, which SLEIGH refuses. */
static void print_used_labels(FILE *o, const char *text)
{
    for (const char *line = text; *line;) {
        const char *end = strchr(line, '\n') + 1, *label = strstr(line, "<_l");
        char wanted[40];

        if (label == line + 4) {
            snprintf(wanted, sizeof(wanted), "goto %.*s;", (int)(end - 1 - label), label);
            if (!strstr(text, wanted)) {
                line = end;
                continue;
            }
        }
        fwrite(line, 1, (size_t)(end - line), o);
        line = end;
    }
}

bool sl_behaviour(FILE *o, struct sl_form *f, const struct form *const *forms, unsigned n,
                  const char **why)
{
    char *text = NULL;
    size_t size = 0;
    struct sl_code c = {.f = f, .o = memory_or_exit(open_memstream(&text, &size))};
    const struct reg_view *slot = f->s->isa->context.slot;
    bool done;

    if (slot) {
        sl_say(&c, "local _ctx:1 = %s;", sl_register(f->s, slot, 0));
        sl_say(&c, "local _nextctx:1 = 0;");
    }
    done = n > 1 ? by_context(&c, forms, n) : one_form(&c, forms[0]);
    if (done && slot)
        sl_say(&c, "%s = _nextctx;", sl_register(f->s, slot, 0));
    if (done && c.branches)
        sl_say(&c, "goto [_npc];");
    fclose(c.o);
    f->form = forms[0];
    *why = c.refused;
    done = done && !c.refused;
    if (done) {
        fputs("{\n", o);
        if (c.branches)
            fprintf(o, "    local _npc:%u = inst_next;\n", f->s->model->word_bits / 8);
        print_used_labels(o, text);
        fputs("}\n", o);
    }
    free(text);
    return done;
}
