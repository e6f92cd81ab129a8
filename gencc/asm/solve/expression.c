/*
 * Expressions over the fields of a format, as functions of the word: made once for all instructions
 * of the format, and evaluated.
 */
#include "gencc/asm/solve/reason.h"
#include "gencc/disasm/syntax.h"
#include "gencc/disasm/text.h"

#include <stdlib.h>
#include <string.h>

static bool reads_computed(const struct ir_func *f)
{
    vec_for_each (&f->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            if (v->op == IR_FIELD && v->field->computed)
                return true;
        }
    }
    return false;
}

static const struct ir_value *only_return(const struct ir_func *f)
{
    const struct ir_value *found = NULL;

    vec_for_each (&f->blocks, b) {
        const struct ir_value *last = (*b)->last;

        if (!last || last->op != IR_RET)
            continue;
        if (found || last->ops.len != 1)
            return NULL;
        found = last;
    }
    return found ? found->ops.data[0] : NULL;
}

static struct reasons *reasons_new(struct text *t)
{
    struct reasons *r = arena_new(t->arena, struct reasons);

    r->number = t->reasons_made++;
    return r;
}

static struct word_expr *make_expr(struct text *t, struct instr *instr, const struct ast_expr *e)
{
    struct word_expr *w = arena_new(t->arena, struct word_expr);
    struct ir_func *f = ir_func_new(t->arena, "text", IR_FUNC_DISASM);
    struct ir_builder b = {f, ir_block_new(f, "entry"), e->pos};
    struct ir_value *v;

    f->format = instr->format;
    f->pos = e->pos;
    f->result = IR_T_S64;
    v = lower_raw_expr(t->lower, &b, instr->format, e);
    if (!v || ir_is_vector(v->type) || !ir_is_int(v->type))
        return NULL;
    v = ir_convert(&b, v, IR_T_S64);
    ir_ret(&b, 1, &v);
    ir_compute_preds(f);
    ir_optimise(f, t->isa->model->diag);
    w->ast = e;
    w->instr = instr;
    w->func = f;
    w->ret = only_return(f);
    w->depends = bits_depends(f, instr->forms.len ? lower_decode(instr->forms.data[0]) : NULL);
    w->uses_decode = reads_computed(f);
    w->reasons = reasons_new(t);
    return w;
}

/* Cache entry: the expressions of a format's asm lines are made once for all its instructions. */
struct known_expr {
    struct word_expr made;
    const struct format *format;
    struct inverse *inverse; /* shared by all instructions, for words within bundles */
    const char *printed;     /* text of its function's IR */
    struct known_expr *next;
};

enum { EXPR_BUCKETS = 1024 };

static struct known_expr **bucket_of(struct text *t, const struct ast_expr *e)
{
    if (!t->exprs)
        t->exprs = arena_alloc(t->arena, EXPR_BUCKETS * sizeof(*t->exprs));
    return &t->exprs[((uintptr_t)e >> 4) * 0x9e3779b1u % EXPR_BUCKETS];
}

static const char *print_function(struct text *t, const struct ir_func *f)
{
    char *text = NULL, *kept;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    ir_print(out, f);
    fclose(out);
    kept = arena_strdup(t->arena, text);
    free(text);
    return kept;
}

/* Whether both are the same function of the word. Formats that differ in other fields have such
 * functions. */
static bool same_function(const struct known_expr *a, const struct known_expr *b)
{
    return a->made.depends == b->made.depends && !b->made.uses_decode && a->printed && b->printed &&
           !strcmp(a->printed, b->printed);
}

struct word_expr *word_expr_new(struct text *t, struct instr *instr, const struct ast_expr *e)
{
    struct known_expr **bucket = bucket_of(t, e), *k, *other;
    struct word_expr *w;

    for (k = *bucket; k; k = k->next)
        if (k->made.ast == e && k->format == instr->format) {
            w = arena_new(t->arena, struct word_expr);
            *w = k->made;
            w->instr = instr;
            return w;
        }
    w = make_expr(t, instr, e);
    if (!w || w->uses_decode)
        return w;
    k = arena_new(t->arena, struct known_expr);
    *k = (struct known_expr){.made = *w,
                             .format = instr->format,
                             .printed = print_function(t, w->func),
                             .next = *bucket};
    for (other = *bucket; other; other = other->next)
        if (other->made.ast == e && same_function(k, other))
            break;
    w->shared = other ? other->made.shared : &k->inverse;
    w->reasons = other ? other->made.reasons : w->reasons;
    k->made = *w;
    *bucket = k;
    return w;
}

bool word_expr_value(struct text *t, struct form *form, const struct word_expr *e, u128 word,
                     int64_t *value)
{
    if (e->uses_decode && !text_run_decode(t, form, word))
        return false;
    return text_run_value(t, e->func, word, value);
}

bool demand_met(struct text *t, struct form *form, const struct demand *d, u128 word)
{
    int64_t value;

    if (!word_expr_value(t, form, d->expr, word, &value))
        return false;
    if (d->any_nonzero)
        return value != 0;
    return (((uint64_t)value ^ (uint64_t)d->want.value) & (uint64_t)d->want.mask) == 0;
}
