/*
 * Parts of decoders and disassemblers: reading of words, computed fields, decision tree.
 */
#include "gencc/emit/decode_tree.h"
#include "gencc/emit/body.h"
#include "common/prelude/decode_tree.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- words of CPUs --------------------------------------------------------------------------- */

/* Name of the function that loads a unit of a word from memory. */
static const char *unit_loader(const struct isa *isa)
{
    return isa->model->big_endian ? "be_get" : "le_get";
}

/* Writes word_bytes(): the size of the next word, which may depend on its first unit. */
static void word_bytes(const struct isa *isa, FILE *o)
{
    unsigned unit = isa->fetch_bits / 8;

    fputs("static unsigned word_bytes(const struct cpu_fetch *at __attribute__((unused)))\n{\n", o);
    if (isa->word_widths.len)
        fprintf(o, "    const uint32_t unit = (uint32_t)%s(at->bytes, %u);\n\n", unit_loader(isa),
                unit);
    vec_for_each (&isa->word_widths, w)
        fprintf(o, "    if ((unit & %#" PRIx32 ") == %#" PRIx32 ")\n        return %u;\n",
                (uint32_t)w->mask, (uint32_t)w->value, w->bits / 8);
    fprintf(o, "    return %u;\n}\n\n", unit);
}

/* Writes word_at(). A word of several units is one number in memory if its first unit is its lowest
 * and units are little-endian, or its highest and they are big-endian. */
static void word_at(const struct isa *isa, FILE *o)
{
    unsigned unit = isa->fetch_bits / 8;

    fputs("static uint64_t word_at(const struct cpu_fetch *at, unsigned bytes)\n{\n", o);
    if (isa->high_first != isa->model->big_endian && isa->word_widths.len) {
        fprintf(o,
                "    const unsigned unit = %u;\n    uint64_t word = 0;\n\n"
                "    for (unsigned n = 0; n < bytes; n += unit)\n"
                "        word = word << %u | %s(at->bytes + %s, unit);\n",
                unit, isa->fetch_bits, unit_loader(isa),
                isa->high_first ? "n" : "bytes - n - unit");
    } else {
        fprintf(o, "    uint64_t word = %s(at->bytes, bytes);\n\n", unit_loader(isa));
    }
    if (isa->context.slot)
        fprintf(o, "    word |= (uint64_t)at->context << %d;\n", CONTEXT_LSB);
    fputs("    return word;\n}\n\n", o);
}

void decode_words(struct emit *e, FILE *o)
{
    if (e->isa->context.slot)
        fputs("/* The decode context stands above the word. */\n", o);
    word_bytes(e->isa, o);
    word_at(e->isa, o);
}

/* ---- words of lanes -------------------------------------------------------------------------- */

static unsigned word_bits(const struct isa *isa)
{
    if (isa->has_parts || isa->fetch_bits > 64)
        return 128;
    return isa->fetch_bits > 32 ? 64 : 32;
}

void decode_word_type(struct emit *e, FILE *o)
{
    unsigned bits = word_bits(e->isa);

    fprintf(o, bits > 64 ? "typedef gpu_word word_t;\n\n" : "typedef uint%u_t word_t;\n\n", bits);
}

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
    const struct ir_value *first = f->blocks.data[0]->first;
    const struct ir_value *ret = f->blocks.data[0]->last;

    return ret->op == IR_RET && ret->ops.data[0]->op == IR_CONST && ret->ops.data[0]->imm == 1 &&
           (first == ret || (first->op == IR_CONST && first->next == ret));
}

struct ir_func *decode_needed(const struct form *form, uint64_t reads)
{
    struct ir_func *f;

    if (!form->decode)
        return NULL;
    f = ir_clone(form->decode->arena, form->decode, form->decode->name);
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

const char *decode_fields_function(struct emit *e, FILE *o, struct pool *pool,
                                   const struct form *form, struct ir_func *f)
{
    struct body b;
    struct piece piece;
    const char *name;

    if (!piece_open(e, &piece))
        return form->name;
    b = body_new(e, piece.f, f, e->dialect);
    body_plan(&b);
    body_write(&b);
    name = pool_function(e->arena, pool, form->name, piece_close(&piece));
    if (name == form->name)
        fprintf(o, "static uint8_t fields_%s(FIELDS_ARGS)\n{\n%s}\n\n", name, piece.text);
    free(piece.text);
    return name;
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

/* The tables of one tree. */
struct tree {
    struct arena *a;
    VEC(uint32_t) nodes;
    VEC(struct bit_test) nots;
    struct piece candidates;
    unsigned candidate_count;
};

/* Writes bits of a word as a C constant. */
static void bits_of_word(FILE *o, u128 v)
{
    if (v >> 64)
        fprintf(o, "(decode_word)UINT64_C(%#" PRIx64 ") << 64 | UINT64_C(%#" PRIx64 ")",
                (uint64_t)(v >> 64), (uint64_t)v);
    else
        fprintf(o, v >> 32 ? "UINT64_C(%#" PRIx64 ")" : "%#" PRIx64, (uint64_t)v);
}

static void write_test(FILE *o, u128 mask, u128 value)
{
    fputc('{', o);
    bits_of_word(o, mask);
    fputs(", ", o);
    bits_of_word(o, value);
    fputc('}', o);
}

static uint32_t add_leaf(struct tree *t, const struct decode_node *n)
{
    FILE *o = t->candidates.f;
    uint32_t first = t->candidate_count;

    for (unsigned i = 0; i < n->forms.len; i++) {
        const struct pattern *p = &n->tests.data[i];

        fputs("    {", o);
        write_test(o, p->mask, p->value);
        fprintf(o, ", %u, %u, %u, %s}, /* %s */\n", n->forms.data[i]->index, t->nots.len,
                p->nots.len, i + 1 == n->forms.len ? "true" : "false", n->forms.data[i]->name);
        vec_for_each (&p->nots, x)
            vec_push_in(t->a, &t->nots, *x);
        t->candidate_count++;
    }
    return DECODE_TREE_LEAF | first;
}

/* The reference to a node. Nodes are stored behind their parents. */
static uint32_t add_node(struct tree *t, const struct decode_node *n)
{
    unsigned size = 1u << n->width, at;

    if (n->kind == DECODE_FAIL || (n->kind == DECODE_LEAF && !n->forms.len))
        return 0;
    if (n->kind == DECODE_LEAF)
        return add_leaf(t, n);
    at = t->nodes.len;
    vec_push_in(t->a, &t->nodes, n->shift | n->width << 8);
    for (unsigned i = 0; i < size; i++)
        vec_push_in(t->a, &t->nodes, 0);
    for (unsigned i = 0; i < size; i++) {
        unsigned same = 0;
        uint32_t child;

        while (n->children[same] != n->children[i])
            same++;
        child = same < i ? t->nodes.data[at + 1 + same] : add_node(t, n->children[i]);
        t->nodes.data[at + 1 + i] = child;
    }
    return at;
}

static void tree_nodes(const struct tree *t, FILE *o, unsigned width)
{
    enum { A_LINE = 12 };

    fprintf(o, "static const uint32_t tree_nodes_%u[] = {", width);
    for (unsigned i = 0; i < t->nodes.len; i++)
        fprintf(o, "%s%#" PRIx32 ",", i % A_LINE ? " " : "\n    ", t->nodes.data[i]);
    fprintf(o, "\n};\nstatic const struct decode_test tree_nots_%u[] = {\n", width);
    vec_for_each (&t->nots, x) {
        fputs("    ", o);
        write_test(o, x->mask, x->value);
        fputs(",\n", o);
    }
    fputs("    {0, 0},\n};\n", o);
}

void decode_tree_prototypes(const struct emit *e, FILE *o)
{
    vec_for_each (&e->isa->widths, w)
        fprintf(o, "extern const struct decode_tree %s_tree_%u;\n", e->prefix, *w);
}

static bool tree_of_width(struct emit *e, FILE *o, unsigned k)
{
    struct tree t = {.a = e->arena};
    unsigned width = e->isa->widths.data[k];
    uint32_t root;

    if (!piece_open(e, &t.candidates))
        return false;
    vec_push_in(t.a, &t.nodes, 0); /* place 0 means "no node" */
    root = add_node(&t, e->isa->trees.data[k]);
    piece_close(&t.candidates);
    tree_nodes(&t, o, width);
    fprintf(o,
            "static const struct decode_candidate tree_candidates_%u[] = {\n%s"
            "    {{0, 0}, 0, 0, 0, true},\n};\n"
            "const struct decode_tree %s_tree_%u = {%#" PRIx32
            ", tree_nodes_%u, tree_candidates_%u, tree_nots_%u};\n\n",
            width, t.candidates.text, e->prefix, width, root, width, width, width);
    free(t.candidates.text);
    return true;
}

bool decode_trees(struct emit *e, FILE *o)
{
    bool ok = true;

    decode_tree_prototypes(e, o);
    fputc('\n', o);
    for (unsigned k = 0; k < e->isa->widths.len; k++)
        ok &= tree_of_width(e, o, k);
    return ok;
}
