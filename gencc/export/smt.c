/*
 * SMT-LIB 2: the state after each instruction, as definitions; see export.h.
 */
#include "gencc/export/export.h"
#include "gencc/export/symbolic.h"

#include <inttypes.h>
#include <string.h>

/* ---- encodings ------------------------------------------------------------------------------- */

static const struct term *bits_match(struct terms *t, const struct term *bits, u128 mask,
                                     u128 value)
{
    unsigned n = bits->sort.bits;

    if (!(mask & low_bits(n)))
        return term_bool(t, true);
    if ((mask & low_bits(n)) == low_bits(n))
        return term_equal(t, bits, term_number(t, n, value));
    return term_equal(t, term_op2(t, "bvand", bits, term_number(t, n, mask)),
                      term_number(t, n, value));
}

static const struct term *matches(struct symbolic *s, u128 mask, u128 value)
{
    const struct term *all = bits_match(s->terms, s->word, mask, value);

    if (s->context)
        all = term_and(s->terms, all,
                       bits_match(s->terms, s->context, mask >> CONTEXT_LSB, value >> CONTEXT_LSB));
    return all;
}

/* Whether word and decode context match a pattern of the form and all features that it requires are
 * on. */
static const struct term *is_encoded(struct symbolic *s)
{
    struct terms *t = s->terms;
    const struct term *any = term_bool(t, false), *all;
    struct sym_state st = symbolic_start(s);

    vec_for_each (&s->form->patterns, p) {
        all = matches(s, p->mask, p->value);
        vec_for_each (&p->nots, n)
            all = term_and(t, all, term_not(t, matches(s, n->mask, n->value)));
        any = term_or(t, any, all);
    }
    vec_for_each (&s->form->instr->features, f)
        any = term_and(t, any, term_nonzero(t, symbolic_feature(s, &st, *f)));
    return any;
}

/* ---- results --------------------------------------------------------------------------------- */

typedef VEC(struct term_root) root_list;

static void add_root(struct symbolic *s, root_list *roots, const char *name, const struct term *x)
{
    name = arena_printf(s->arena, "%s.%s", s->form->name, name);
    vec_push_in(s->arena, roots, (struct term_root){name, x});
}

/* What a value is at the end of a path */
typedef const struct term *result_fn(struct symbolic *s, const struct sym_exit *e, unsigned n);

static const struct term *result_group(struct symbolic *s, const struct sym_exit *e, unsigned n)
{
    return symbolic_group(s, &e->state, n);
}
static const struct term *result_feature(struct symbolic *s, const struct sym_exit *e, unsigned n)
{
    return symbolic_feature(s, &e->state, s->model->features.data[n]);
}
static const struct term *result_memory(struct symbolic *s, const struct sym_exit *e, unsigned n)
{
    (void)s, (void)n;
    return e->state.memory;
}
static const struct term *result_world(struct symbolic *s, const struct sym_exit *e, unsigned n)
{
    (void)s, (void)n;
    return e->state.world;
}
static const struct term *result_kind(struct symbolic *s, const struct sym_exit *e, unsigned n)
{
    (void)n;
    return term_number(s->terms, 8, e->kind);
}
static const struct term *result_arg(struct symbolic *s, const struct sym_exit *e, unsigned n)
{
    return e->args[n] ? e->args[n] : term_number(s->terms, 64, 0);
}
/* The PC of the next instruction; that of this one if it leaves. */
static const struct term *result_pc(struct symbolic *s, const struct sym_exit *e, unsigned n)
{
    unsigned bits = s->pc->sort.bits;
    const struct term *step = term_number(s->terms, bits, s->form->instr->format->width / 8);

    (void)n;
    if (e->kind)
        return s->pc;
    return term_ite(s->terms, e->state.branches, e->state.target,
                    term_op2(s->terms, "bvadd", s->pc, step));
}

static const struct term *at_end(struct symbolic *s, result_fn *get, unsigned n)
{
    const struct term *x = get(s, &s->exits.data[s->exits.len - 1], n);

    for (unsigned i = s->exits.len - 1; i-- > 0;)
        x = term_ite(s->terms, s->exits.data[i].guard, get(s, &s->exits.data[i], n), x);
    return x;
}

/* Adds a value unless it is that before the instruction. */
static void add_changed(struct symbolic *s, root_list *roots, const char *name,
                        const struct term *before, const struct term *after)
{
    if (after != before)
        add_root(s, roots, name, after);
}

/* Adds what the instruction changes. */
static void add_results(struct symbolic *s, root_list *roots)
{
    struct sym_state before = symbolic_start(s);
    bool leaves = false;

    for (unsigned i = 0; i < s->cells->groups.len; i++)
        add_changed(s, roots, s->cells->groups.data[i].name, symbolic_group(s, &before, i),
                    at_end(s, result_group, i));
    vec_for_each (&s->model->features, f)
        add_changed(s, roots, arena_printf(s->arena, "feature.%s", (*f)->name),
                    symbolic_feature(s, &before, *f), at_end(s, result_feature, (*f)->index));
    add_changed(s, roots, "memory", before.memory, at_end(s, result_memory, 0));
    add_changed(s, roots, "world", before.world, at_end(s, result_world, 0));
    vec_for_each (&s->exits, e)
        leaves |= e->kind != LEFT_NOT;
    add_root(s, roots, "next-pc", at_end(s, result_pc, 0));
    add_root(s, roots, "exception", at_end(s, result_kind, 0));
    for (unsigned i = 0; leaves && i < LEAVING_ARGS; i++)
        add_root(s, roots, arena_printf(s->arena, "exception.%u", i + 1), at_end(s, result_arg, i));
}

/* ---- a form ---------------------------------------------------------------------------------- */

static const struct term *word_input(struct symbolic *s, unsigned width)
{
    bool many = s->isa->widths.len > 1;

    return term_input(s->terms, many ? arena_printf(s->arena, "word%u", width) : "word",
                      sort_bits(width));
}

/* Makes all inputs, in the order in which functions have them as parameters. */
static void make_inputs(struct symbolic *s)
{
    struct sym_state st;

    vec_for_each (&s->isa->widths, w)
        word_input(s, *w);
    if (s->isa->context.slot)
        s->context = term_input(s->terms, "context", sort_bits(CONTEXT_BITS));
    s->pc = term_input(s->terms, "pc", sort_bits(s->model->word_bits));
    st = symbolic_start(s);
    for (unsigned i = 0; i < s->cells->groups.len; i++)
        symbolic_group(s, &st, i);
    vec_for_each (&s->model->features, f)
        symbolic_feature(s, &st, *f);
}

static void start(struct symbolic *s, const struct form *form)
{
    unsigned width = form->instr->format->width;

    *s->terms = (struct terms){.arena = s->arena};
    make_inputs(s);
    s->form = form;
    s->word = word_input(s, width);
    s->fields = arena_alloc(s->arena, (form->instr->format->fields.len + 1) * sizeof(*s->fields));
    s->refused = NULL;
    s->depth = s->steps = 0;
    memset(&s->exits, 0, sizeof(s->exits));
}

/* Executes decode function and behaviour on terms. Returns false after setting s->refused. */
static bool execute(struct symbolic *s, root_list *roots)
{
    const struct term *legal = is_encoded(s), *accepted;

    if (s->form->decode) {
        accepted = symbolic_decode(s, s->form->decode);
        if (!accepted)
            return false;
        legal = term_and(s->terms, legal, accepted);
        memset(&s->exits, 0, sizeof(s->exits));
    }
    add_root(s, roots, "legal", legal);
    if (!s->form->exec || !symbolic_execute(s, s->form->exec))
        return false;
    if (!s->exits.len) {
        s->refused = "no path through it ends";
        return false;
    }
    add_results(s, roots);
    return true;
}

static void print_head(FILE *o, struct symbolic *s)
{
    fprintf(
        o,
        "; %s: each instruction from the state before it to the state after it.\n"
        "; NAME.legal: the word is this instruction. NAME.REGISTER, NAME.memory: their values\n"
        "; after it; what is not declared is unchanged. NAME.next-pc: the address of the next\n"
        "; instruction. NAME.exception: 0 none, 1 take_exception(class, code), 2 undefined,\n"
        "; 3 take_memory_fault(address, access, code), 4 an access to memory that fails\n"
        "; (address, bytes, write), 5 trap; its arguments are NAME.exception.1 to 3.\n"
        "; The constants that follow are the state before. Functions that are declared later are\n"
        "; external ones, or intrinsics of the machine, which change the `world`. Each assertion\n"
        "; is the value of a constant; NAME.1, NAME.2 … are parts of others.\n"
        "(set-logic ALL)\n(declare-sort World 0)\n",
        s->isa->name);
    make_inputs(s);
    vec_for_each (&s->terms->all, x)
        if ((*x)->kind == TERM_INPUT)
            term_print_input(o, *x);
    arena_free(s->arena);
}

unsigned export_smt(FILE *o, FILE *errors, const struct isa *isa, const struct export_choice *c)
{
    struct arena names = {0}, work = {0};
    struct terms terms = {.arena = &work};
    term_names printed = {0};
    unsigned left_out = 0;
    struct symbolic s = {.arena = &work,
                         .terms = &terms,
                         .model = isa->model,
                         .isa = isa,
                         .cells = cells_of(&names, isa->model)};

    print_head(o, &s);
    vec_for_each (&isa->forms, f) {
        root_list roots = {0};

        if (!export_chosen(c, *f))
            continue;
        start(&s, *f);
        if (execute(&s, &roots)) {
            fprintf(o, "\n; %s\n", (*f)->name);
            term_print_functions(o, &names, &terms, roots.data, roots.len, &printed);
            term_print_roots(o, &terms, (*f)->name, roots.data, roots.len);
        } else {
            fprintf(errors, "%s: left out: %s\n", (*f)->name,
                    s.refused ? s.refused : "it has no behaviour");
            left_out++;
        }
        arena_free(&work);
    }
    arena_free(&names);
    return left_out;
}
