/*
 * Terms as text; see term.h.
 */
#include "gencc/export/term.h"

#include <inttypes.h>
#include <string.h>

static void print_sort(FILE *o, struct sort s)
{
    switch (s.kind) {
    case SORT_BOOL:
        fputs("Bool", o);
        break;
    case SORT_BITS:
        fprintf(o, "(_ BitVec %u)", s.bits);
        break;
    case SORT_FLOAT:
        fputs(s.bits == 32 ? "Float32" : "Float64", o);
        break;
    case SORT_ARRAY:
        fprintf(o, "(Array (_ BitVec %u) (_ BitVec %u))", s.index_bits, s.bits);
        break;
    case SORT_WORLD:
        fputs("World", o);
        break;
    }
}

static void print_number(FILE *o, const struct term *x)
{
    unsigned digits = x->sort.bits / 4;

    if (x->sort.kind == SORT_BOOL) {
        fputs(x->value ? "true" : "false", o);
    } else if (x->sort.bits % 4) {
        fputs("#b", o);
        for (unsigned i = x->sort.bits; i-- > 0;)
            fputc('0' + (int)(x->value >> i & 1), o);
    } else {
        fputs("#x", o);
        for (unsigned i = digits; i-- > 0;)
            fputc("0123456789abcdef"[(unsigned)(x->value >> 4 * i & 15)], o);
    }
}

/* ---- what is used ---------------------------------------------------------------------------- */

static void count_use(struct term *x)
{
    x->uses++;
}

/* Counts the uses of every term that the roots reach. Arguments have lower numbers, so that one
 * walk downwards suffices. */
static void count_uses(struct terms *t, const struct term_root *roots, unsigned n)
{
    vec_for_each (&t->all, x)
        (*x)->uses = 0;
    for (unsigned i = 0; i < n; i++)
        count_use(t->all.data[roots[i].term->id]);
    for (unsigned i = t->all.len; i-- > 0;) {
        const struct term *x = t->all.data[i];

        for (unsigned k = 0; x->uses && k < x->n; k++)
            count_use(t->all.data[x->args[k]->id]);
    }
}

static bool was_printed(const term_names *printed, const char *name)
{
    vec_for_each (printed, it)
        if (!strcmp(*it, name))
            return true;
    return false;
}

void term_print_input(FILE *o, const struct term *x)
{
    fprintf(o, "(declare-fun %s () ", x->head);
    print_sort(o, x->sort);
    fputs(")\n", o);
}

void term_print_functions(FILE *o, struct arena *names, struct terms *t,
                          const struct term_root *roots, unsigned n, term_names *printed)
{
    count_uses(t, roots, n);
    vec_for_each (&t->all, it) {
        const struct term *x = *it;

        if (!x->uses || x->kind != TERM_APPLIED || was_printed(printed, x->head))
            continue;
        vec_push_in(names, printed, arena_strdup(names, x->head));
        fprintf(o, "(declare-fun %s (", x->head);
        for (unsigned i = 0; i < x->n; i++) {
            fputs(i ? " " : "", o);
            print_sort(o, x->args[i]->sort);
        }
        fputs(") ", o);
        print_sort(o, x->sort);
        fputs(")\n", o);
    }
}

/* ---- definitions ----------------------------------------------------------------------------- */

struct printer {
    FILE *o;
    const char *prefix;
    unsigned *names; /* by id: number of the term's constant; 0: none */
};

static void print_term(const struct printer *p, const struct term *x);

static void print_application(const struct printer *p, const struct term *x)
{
    fprintf(p->o, "(%s", x->head);
    for (unsigned i = 0; i < x->n; i++) {
        fputc(' ', p->o);
        print_term(p, x->args[i]);
    }
    fputc(')', p->o);
}

static void print_term(const struct printer *p, const struct term *x)
{
    if (p->names[x->id])
        fprintf(p->o, "%s.%u", p->prefix, p->names[x->id]);
    else if (x->kind == TERM_NUMBER)
        print_number(p->o, x);
    else if (x->kind == TERM_INPUT)
        fputs(x->head, p->o);
    else
        print_application(p, x);
}

/* A constant and its value. Z3 expands a define-fun, or a `let`, wherever it is used, so that terms
 * of an instruction would grow exponentially. */
static void print_constant(const struct printer *p, const char *name, const struct term *x)
{
    fprintf(p->o, "(declare-fun %s () ", name);
    print_sort(p->o, x->sort);
    fprintf(p->o, ") (assert (= %s ", name);
    print_term(p, x);
    fputs("))\n", p->o);
}

/* Depth of the deepest term that is printed within another; deeper ones get a name, so that neither
 * readers nor this program's stack are strained. */
enum { MAX_NESTING = 12 };

void term_print_roots(FILE *o, struct terms *t, const char *prefix, const struct term_root *roots,
                      unsigned n)
{
    struct printer p = {o, prefix, arena_alloc(t->arena, t->all.len * sizeof(*p.names))};
    unsigned char *depth = arena_alloc(t->arena, t->all.len);
    unsigned count = 0;

    count_uses(t, roots, n);
    vec_for_each (&t->all, it) {
        const struct term *x = *it;

        if (!x->uses || !x->n)
            continue;
        for (unsigned i = 0; i < x->n; i++)
            if (depth[x->args[i]->id] >= depth[x->id])
                depth[x->id] = (unsigned char)(depth[x->args[i]->id] + 1);
        if (x->uses == 1 && depth[x->id] < MAX_NESTING)
            continue;
        print_constant(&p, arena_printf(t->arena, "%s.%u", prefix, ++count), x);
        p.names[x->id] = count;
        depth[x->id] = 0;
    }
    for (unsigned i = 0; i < n; i++)
        print_constant(&p, roots[i].name, roots[i].term);
}
