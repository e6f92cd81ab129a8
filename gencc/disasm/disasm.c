/*
 * The disassembler of words: runs the disassembly functions of instructions by the evaluator.
 */
#include "gencc/model/bundle.h"
#include "gencc/disasm/text.h"

#include <string.h>

/* ---- running --------------------------------------------------------------------------------- */

/* The table that an asm intrinsic names. Names are compared by pointer; maps are few. */
static const struct asm_table *named_table(const struct text *t, const char *name)
{
    for (unsigned i = 0; i < t->isa->maps.len; i++) {
        if (t->tables[i]->name == name)
            return t->tables[i];
    }
    return NULL;
}

static void put_number(struct asm_out *out, const char *format, int64_t value)
{
#define X(NAME, name)               \
    if (!strcmp(format, #name)) {   \
        asm_put_##name(out, value); \
        return;                     \
    }
    ASM_FORMATS(X)
#undef X
}

/* The intrinsics of disassembly functions; all others are refused. */
static bool asm_intrinsic(void *opaque, const struct ir_callee *fn, const char *text,
                          const struct ir_data *args, struct ir_data *results)
{
    struct text *t = opaque;

    switch (fn->intrinsic) {
    case IR_I_ASM_TEXT:
        asm_put_text(&t->out, text);
        return true;
    case IR_I_ASM_MAP:
        asm_put_map(&t->out, named_table(t, text), (int64_t)args[0].lane[0]);
        return true;
    case IR_I_ASM_LIST:
        asm_put_list(&t->out, named_table(t, text), (int64_t)args[0].lane[0]);
        return true;
    case IR_I_ASM_HAS:
        results[0].lane[0] = !!asm_table_find(named_table(t, text), (int64_t)args[0].lane[0]);
        return true;
    case IR_I_ASM_NUMBER:
        put_number(&t->out, text, (int64_t)args[0].lane[0]);
        return true;
    default:
        return false;
    }
}

bool text_run_decode(struct text *t, struct form *form, u128 word)
{
    const struct ir_func *decode = lower_decode(form);
    struct ir_data arg, result;

    if (!decode)
        return true;
    t->machine.word = word;
    arg.lane[0] = word;
    return ir_eval(&t->machine, decode, &arg, &result) == IR_DONE && (result.lane[0] & 0xff);
}

bool text_run_disasm(struct text *t, const struct instr *instr, u128 word)
{
    const struct ir_func *f = text_disasm_of(t, instr);
    struct ir_data result;

    t->machine.word = word;
    return f && ir_eval(&t->machine, f, NULL, &result) == IR_DONE && (result.lane[0] & 0xff);
}

bool text_run_value(struct text *t, const struct ir_func *f, u128 word, int64_t *value)
{
    struct ir_data result;

    t->machine.word = word;
    if (ir_eval(&t->machine, f, NULL, &result) != IR_DONE)
        return false;
    *value = (int64_t)result.lane[0];
    return true;
}

struct form *text_decode(struct text *t, u128 word, unsigned width)
{
    const struct decode_node *leaf = isa_decode(t->isa, word, width);

    if (!leaf)
        return NULL;
    for (unsigned i = 0; i < leaf->forms.len; i++) {
        if (pattern_matches(&leaf->tests.data[i], word) &&
            text_run_decode(t, leaf->forms.data[i], word))
            return leaf->forms.data[i];
    }
    return NULL;
}

unsigned text_next_context(struct text *t, const struct form *form, u128 word)
{
    const struct context *c = &t->isa->context;
    const struct field *next = c->slot ? format_field(form->instr->format, "next_context") : NULL;
    struct ir_data arg = {0}, result;

    arg.lane[0] = (word >> CONTEXT_LSB) & 0xff;
    if (next && next->computed)
        return (unsigned)t->fields[next->index] & 0xff;
    if (!c->slot || !arg.lane[0] || ir_eval(&t->machine, c->advance_fn, &arg, &result) != IR_DONE)
        return 0;
    return (unsigned)result.lane[0] & 0xff;
}

bool text_disasm(struct text *t, u128 word, unsigned width, uint64_t address, char *buf, size_t n)
{
    const struct form *form = text_decode(t, word, width);

    t->out.text = buf;
    t->out.size = n;
    t->out.length = 0;
    t->out.cut = false;
    t->out.address = address;
    buf[0] = '\0';
    if (form && text_run_disasm(t, form->instr, word))
        return true;
    buf[0] = '\0';
    return false;
}

bool text_is_cut(const struct text *t)
{
    return t->out.cut;
}

/* ---- preparing ------------------------------------------------------------------------------- */

static bool prepare_maps(struct text *t)
{
    struct isa *isa = t->isa;
    bool ok = true;

    t->tables = arena_alloc(t->arena, (isa->maps.len + 1) * sizeof(*t->tables));
    for (unsigned i = 0; i < isa->maps.len; i++) {
        t->tables[i] = map_table(t->arena, isa->maps.data[i]);
        if (!t->tables[i]) {
            diag_error(isa->model->diag, isa->maps.data[i]->pos,
                       "map '%s' cannot be a table: at most %d keys, which fit into 63 bits "
                       "together, the same number in every row",
                       isa->maps.data[i]->name, MAP_MAX_KEYS);
            ok = false;
        }
    }
    return ok;
}

/* Makes a function per line of the texts of bundles. */
static bool prepare_bundle(struct text *t)
{
    bool ok = true;

    if (!t->isa->bundle)
        return true;
    vec_for_each (&t->isa->bundle->texts, text)
        vec_for_each (&text->lines, in) {
            (*in)->index = t->bundle_lines.len;
            vec_push_in(t->arena, &t->bundle_lines, text_disasm_function(t->lower, t->isa, *in));
            ok &= t->bundle_lines.data[(*in)->index] != NULL;
        }
    return ok;
}

const struct ir_func *text_disasm_of(struct text *t, const struct instr *instr)
{
    struct ir_func **f = &t->disasm[instr->index];

    if (!*f)
        *f = text_disasm_function(t->lower, t->isa, t->isa->instrs.data[instr->index]);
    return *f;
}

/* `all`: makes the functions of all instructions; otherwise each is made on first use. */
static bool prepare_functions(struct text *t, bool all)
{
    struct isa *isa = t->isa;
    unsigned fields = 1;
    bool ok = true;

    t->disasm = arena_alloc(t->arena, (isa->instrs.len + 1) * sizeof(*t->disasm));
    vec_for_each (&isa->instrs, in) {
        ok &= !all || text_disasm_of(t, *in);
        if ((*in)->format->fields.len > fields)
            fields = (*in)->format->fields.len;
    }
    t->fields = arena_alloc(t->arena, fields * sizeof(*t->fields));
    return prepare_bundle(t) && ok;
}

static struct text *prepare_text(struct isa *isa, bool all)
{
    struct arena *a = isa->model->arena;
    struct text *t = arena_new(a, struct text);

    t->isa = isa;
    t->arena = a;
    t->lower = lower_of(isa);
    if (!t->lower || !prepare_maps(t) || !prepare_functions(t, all))
        return NULL;
    t->sysregs = map_sysregs(a, isa->model);
    t->out.sysregs = t->sysregs;
    t->out.addr_bits = isa->model->word_bits;
    t->machine.opaque = t;
    t->machine.fields = t->fields;
    t->machine.intrinsic = asm_intrinsic;
    return t;
}

struct text *text_prepare(struct isa *isa)
{
    return prepare_text(isa, true);
}

struct text *text_prepare_unit(struct isa *isa)
{
    return prepare_text(isa, false);
}

const struct asm_table *text_table(const struct text *t, const struct asm_map *map)
{
    return t->tables[map->index];
}

const struct asm_sysregs *text_sysregs(const struct text *t)
{
    return t->sysregs;
}
