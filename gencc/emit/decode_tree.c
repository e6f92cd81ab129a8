#include "gencc/emit/decode_tree.h"
#include "gencc/emit/body.h"

#include <inttypes.h>

/* ---- computed fields ------------------------------------------------------------------------- */

uint64_t decode_reads(const struct ir_func *f)
{
    uint64_t reads = 0;

    vec_for_each (&f->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_FIELD && v->field->computed)
                reads |= UINT64_C(1) << (v->field->index & 63);
    }
    return reads;
}

static bool accepts_all(const struct ir_func *f)
{
    const struct ir_value *first = f->blocks.at[0]->first;
    const struct ir_value *ret = f->blocks.at[0]->last;

    return ret->op == IR_RET && ret->ops.at[0]->op == IR_CONST && ret->ops.at[0]->imm == 1 &&
           (first == ret || (first->op == IR_CONST && first->next == ret));
}

struct ir_func *decode_needed(const struct form *form, uint64_t reads)
{
    struct ir_func *f;

    if (!form->decode)
        return NULL;
    f = ir_clone(form->decode, form->decode->name);
    vec_for_each (&f->blocks, b) {
        for (struct ir_value *v = (*b)->first, *next; v; v = next) {
            next = v->next;
            if (v->op == IR_FIELD_WRITE && !(reads >> (v->field->index & 63) & 1))
                ir_remove(v);
        }
    }
    ir_optimise(f, NULL);
    return accepts_all(f) ? NULL : f;
}

void decode_function(struct emit *e, FILE *o, struct ir_func *f, const char *head)
{
    struct body b = body_new(e, o, f, e->dialect);

    body_plan(&b);
    fprintf(o, "%s\n{\n", head);
    body_write(&b);
    fputs("}\n\n", o);
}

void decode_fields_function(struct emit *e, FILE *o, const struct form *form, struct ir_func *f)
{
    decode_function(e, o, f,
                    arena_printf(e->arena, "static uint8_t fields_%s(FIELDS_ARGS)", form->name));
}

unsigned decode_field_count(const struct format *f)
{
    unsigned n = 0;

    vec_for_each (&f->fields, it)
        if ((*it)->index + 1 > n)
            n = (*it)->index + 1;
    return n;
}

/* ---- the tree ------------------------------------------------------------------------------- */

void decode_if(FILE *o, const struct pattern *t, const char *indent)
{
    fprintf(o, "%sif (", indent);
    if (t->mask)
        fprintf(o, "(word & %#" PRIx32 ") == %#" PRIx32 " && ", (uint32_t)t->mask,
                (uint32_t)t->value);
    vec_for_each (&t->nots, x)
        fprintf(o, "(word & %#" PRIx32 ") != %#" PRIx32 " && ", (uint32_t)x->mask,
                (uint32_t)x->value);
}

void decode_leaf(FILE *o, const struct decode_node *n, const char *indent, const char *arguments,
                 const char *result)
{
    for (unsigned i = 0; i < n->forms.count; i++) {
        decode_if(o, &n->tests.at[i], indent);
        fprintf(o, "form_%s(%s))\n%s    return %s;\n", n->forms.at[i]->name, arguments, indent,
                result);
    }
}

void decode_tree(struct emit *e, FILE *o, const struct decode_node *n, unsigned depth,
                 decode_leaf_fn *at_leaf, const void *data)
{
    const char *indent = arena_printf(e->arena, "%*s", (int)(4 + 4 * depth), "");
    unsigned size;

    if (n->kind == DECODE_FAIL)
        return;
    if (n->kind == DECODE_LEAF) {
        at_leaf(o, n, indent, data);
        return;
    }
    size = 1u << n->width;
    fprintf(o, "%sswitch (word >> %u & %#x) {\n", indent, n->shift, size - 1);
    for (unsigned i = 0; i < size; i++) {
        bool seen = false;

        for (unsigned k = 0; k < i; k++)
            seen |= n->children[k] == n->children[i];
        if (seen || n->children[i]->kind == DECODE_FAIL)
            continue;
        for (unsigned k = i; k < size; k++)
            if (n->children[k] == n->children[i])
                fprintf(o, "%scase %#x:\n", indent, k);
        decode_tree(e, o, n->children[i], depth + 1, at_leaf, data);
        fprintf(o, "%s    break;\n", indent);
    }
    fprintf(o, "%s}\n", indent);
}
