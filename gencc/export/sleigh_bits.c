/*
 * Values that depend on nothing but the word: which bits they depend on, and what they are.
 */
#include "gencc/export/sleigh.h"
#include "gencc/ir/arith.h"
#include "gencc/ir/pass.h"

#include <string.h>

enum { MAX_STEPS = 3000 };

/* ---- dependence ------------------------------------------------------------------------------ */

struct search {
    struct sl_form *f;
    u128 bits;
    unsigned steps;
};

static bool depends(struct search *s, const struct ir_value *v);

/* The statement of the decode function that gives a computed field its value; NULL: none, or
 * several. */
static const struct ir_value *write_of(const struct form *form, const struct field *field)
{
    const struct ir_value *found = NULL;

    if (!form->decode)
        return NULL;
    vec_for_each (&form->decode->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_FIELD_WRITE && v->field == field) {
                if (found)
                    return NULL;
                found = v;
            }
    return found;
}

/* All that a function reads: what its paths decide depends on it. */
static bool all_of(struct search *s, const struct ir_func *f)
{
    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            if (v->op == IR_FIELD && !v->field->computed && !depends(s, v))
                return false;
            if (v->op == IR_WORD || v->op == IR_REG_READ)
                return false;
        }
    return true;
}

static bool field_depends(struct search *s, const struct field *field)
{
    const struct ir_func *decode = s->f->form->decode;
    const struct ir_value *write;

    if (!field->computed) {
        if (field->lsb >= s->f->width)
            return false;
        s->bits |= low_bits(field->width) << field->lsb;
        return true;
    }
    if (!decode)
        return false;
    write = decode->blocks.len == 1 ? write_of(s->f->form, field) : NULL;
    return write ? depends(s, write->ops.data[0]) : all_of(s, decode);
}

static bool depends(struct search *s, const struct ir_value *v)
{
    if (++s->steps > MAX_STEPS)
        return false;
    if (v->op == IR_FIELD)
        return field_depends(s, v->field);
    if (v->op == IR_CONST || v->op == IR_TEXT)
        return true;
    if (v->type.lanes != 1 || v->type.base == IR_FLOAT)
        return false;
    if (!(v->op >= IR_ADD && v->op <= IR_CONVERT) && !ir_is_intrinsic(v, IR_I_ASM_HAS))
        return false;
    vec_for_each (&v->ops, o)
        if ((*o)->type.base == IR_FLOAT || !depends(s, *o))
            return false;
    return true;
}

bool sl_depends(struct sl_form *f, const struct ir_value *v, u128 *bits)
{
    struct search s = {.f = f};
    const struct ir_func *decode = f->form->decode;

    if (v ? !depends(&s, v) : !decode || !all_of(&s, decode))
        return false;
    if (!v && decode->blocks.len == 1) {
        s = (struct search){.f = f};
        if (!depends(&s, decode->blocks.data[0]->last->ops.data[0]))
            return false;
    }
    *bits = s.bits & ~f->mask;
    return true;
}

u128 sl_spread(const struct sl_form *f, u128 bits, unsigned n)
{
    u128 word = f->value;

    for (; bits && n; bits &= bits - 1, n >>= 1)
        if (n & 1)
            word |= bits & -bits;
    return word;
}

bool sl_is_run(u128 bits, unsigned *lsb, unsigned *count)
{
    unsigned low = 0;

    if (!bits)
        return false;
    while (!(bits >> low & 1))
        low++;
    *lsb = low;
    *count = count_bits(bits);
    return bits >> low == low_bits(*count);
}

/* ---- values ---------------------------------------------------------------------------------- */

struct run {
    struct sl_form *f;
    u128 word;
    unsigned steps;
};

static bool no_intrinsic(void *opaque, const struct ir_callee *fn, const char *text,
                         const struct ir_data *args, struct ir_data *results)
{
    (void)opaque, (void)fn, (void)text, (void)args, (void)results;
    return false;
}

/* Runs the decode function on a word; it leaves the computed fields. */
static bool decode(struct sl_form *f, u128 word)
{
    struct ir_machine m = {.word = word, .intrinsic = no_intrinsic};
    struct ir_data arg = {.lane = {word}}, result = {0};

    if (f->is_decoded && f->decoded_word == word)
        return f->decoded != NULL;
    if (!f->decoded)
        f->decoded = arena_alloc(f->s->arena,
                                 (f->form->instr->format->fields.len + 1) * sizeof(*f->decoded));
    memset(f->decoded, 0, (f->form->instr->format->fields.len + 1) * sizeof(*f->decoded));
    m.fields = f->decoded;
    f->is_decoded = false;
    if (ir_eval(&m, f->form->decode, &arg, &result) != IR_DONE)
        return false;
    f->is_decoded = true;
    f->decoded_word = word;
    f->accepted = result.lane[0] != 0;
    return true;
}

static bool has_text(struct sl_form *f, const char *map, u128 key, u128 *out)
{
    vec_for_each (&f->s->isa->maps, m)
        if (!strcmp((*m)->name, map)) {
            *out = asm_table_find(text_table(f->s->text, *m), (int64_t)key) != NULL;
            return true;
        }
    return false;
}

static bool evaluate(struct run *r, const struct ir_value *v, u128 *out)
{
    u128 values[4];
    struct ir_operand args[4];

    if (++r->steps > MAX_STEPS)
        return false;
    if (v->op == IR_CONST) {
        *out = v->imm;
        return true;
    }
    if (v->op == IR_FIELD) {
        if (v->field->computed && !decode(r->f, r->word))
            return false;
        *out = v->field->computed ? r->f->decoded[v->field->index]
                                  : r->word >> v->field->lsb & low_bits(v->field->width);
        *out &= low_bits(v->type.bits);
        return true;
    }
    if (ir_is_intrinsic(v, IR_I_ASM_HAS))
        return evaluate(r, v->ops.data[1], &values[0]) &&
               has_text(r->f, v->ops.data[0]->text, values[0], out);
    if (v->ops.len > 4 || v->op < IR_ADD || v->op > IR_CONVERT)
        return false;
    for (unsigned i = 0; i < v->ops.len; i++) {
        if (!evaluate(r, v->ops.data[i], &values[i]))
            return false;
        args[i] = (struct ir_operand){v->ops.data[i]->type, &values[i]};
    }
    return ir_arith(v->op, v->type, v->ops.len, args, out);
}

bool sl_evaluate(struct sl_form *f, const struct ir_value *v, u128 word, u128 *out)
{
    struct run r = {f, word, 0};

    if (v)
        return evaluate(&r, v, out);
    if (!decode(f, word))
        return false;
    *out = f->accepted;
    return true;
}

const struct ir_value *sl_computed(const struct sl_form *f, const struct field *field)
{
    const struct ir_func *decode = f->form->decode;

    if (!decode || decode->blocks.len != 1)
        return NULL;
    for (const struct ir_value *v = decode->blocks.data[0]->first; v; v = v->next)
        if (v->op == IR_FIELD_WRITE && v->field == field)
            return v->ops.data[0];
    return NULL;
}
