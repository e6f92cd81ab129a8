/*
 * Reads and evaluates conditions; see condition.h.
 */
#include "gencc/test/condition.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum what { NUMBER, WORD, PC, FIELD, REGISTER, ELEMENT, UNARY, BINARY };

struct condition {
    enum what what;
    char op[3];
    uint64_t number;
    const char *name;
    struct place place;
    struct condition *a, *b;
};

struct reader {
    const struct machine *m;
    const struct isa *isa;
    const char *at, *error;
};

/* Operators by rank; longer ones precede those that they begin with. */
static const struct {
    const char *op;
    unsigned rank;
} operators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
                 {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},
                 {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"%", 10}};

static struct condition *node(struct reader *r, enum what what)
{
    struct condition *c = arena_alloc(r->m->model->arena, sizeof(*c));

    *c = (struct condition){.what = what};
    return c;
}

static void skip_space(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static struct condition *fail(struct reader *r, const char *why)
{
    if (!r->error)
        r->error = arena_printf(r->m->model->arena, "%s at \"%s\"", why, r->at);
    return node(r, NUMBER);
}

static bool is_field(const struct isa *isa, const char *name)
{
    vec_for_each (&isa->forms, form)
        vec_for_each (&(*form)->instr->format->fields, f)
            if (!strcmp((*f)->name, name))
                return true;
    return false;
}

static struct condition *read_binary(struct reader *r, unsigned rank);

/* `BANK[NUMBER]` */
static struct condition *read_element(struct reader *r, struct condition *c)
{
    const char *first = arena_printf(r->m->model->arena, "%s0", c->name);

    if (!place_find(r->m, first, &c->place))
        return fail(r, "there is no such bank of registers");
    r->at++;
    c->what = ELEMENT;
    c->a = read_binary(r, 1);
    skip_space(r);
    if (*r->at != ']')
        return fail(r, "']' is missing");
    r->at++;
    return c;
}

static struct condition *read_name(struct reader *r)
{
    const char *begin = r->at;
    struct condition *c = node(r, REGISTER);

    while (isalnum((unsigned char)*r->at) || *r->at == '_')
        r->at++;
    c->name = arena_strndup(r->m->model->arena, begin, (size_t)(r->at - begin));
    if (!strcmp(c->name, "WORD"))
        c->what = WORD;
    else if (!strcmp(c->name, "PC"))
        c->what = PC;
    else if (*r->at == '[')
        return read_element(r, c);
    else if (is_field(r->isa, c->name))
        c->what = FIELD;
    else if (!place_find(r->m, c->name, &c->place)) {
        r->at = begin;
        return fail(r, "there is no such field or register");
    }
    return c;
}

static struct condition *read_unary(struct reader *r)
{
    struct condition *c;
    char *end;

    skip_space(r);
    if (*r->at && strchr("!~-", *r->at)) {
        c = node(r, UNARY);
        c->op[0] = *r->at++;
        c->a = read_unary(r);
        return c;
    }
    if (*r->at == '(') {
        r->at++;
        c = read_binary(r, 1);
        skip_space(r);
        if (*r->at != ')')
            return fail(r, "')' is missing");
        r->at++;
        return c;
    }
    if (isdigit((unsigned char)*r->at)) {
        c = node(r, NUMBER);
        c->number = strtoull(r->at, &end, 0);
        r->at = end;
        return c;
    }
    if (isalpha((unsigned char)*r->at) || *r->at == '_')
        return read_name(r);
    return fail(r, "a number, a name or '(' is expected");
}

/* Returns the operator that is next, if its rank is at least this one; -1: another one. */
static int next_operator(struct reader *r, unsigned rank)
{
    skip_space(r);
    for (unsigned n = 0; n < sizeof(operators) / sizeof(*operators); n++)
        if (!strncmp(r->at, operators[n].op, strlen(operators[n].op)))
            return operators[n].rank >= rank ? (int)n : -1;
    return -1;
}

static struct condition *read_binary(struct reader *r, unsigned rank)
{
    struct condition *left = read_unary(r);
    int n;

    while (!r->error && (n = next_operator(r, rank)) >= 0) {
        struct condition *c = node(r, BINARY);

        memcpy(c->op, operators[n].op, strlen(operators[n].op));
        r->at += strlen(operators[n].op);
        c->a = left;
        c->b = read_binary(r, operators[n].rank + 1);
        left = c;
    }
    return left;
}

struct condition *condition_read(const struct machine *m, const struct isa *isa, const char *text,
                                 const char **error)
{
    struct reader r = {m, isa, text, NULL};
    struct condition *c = read_binary(&r, 1);

    skip_space(&r);
    if (!r.error && *r.at)
        fail(&r, "an operator is expected");
    *error = r.error;
    return r.error ? NULL : c;
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t field_value(const struct condition *c, const struct form *form, u128 word)
{
    if (form)
        vec_for_each (&form->instr->format->fields, f)
            if (!strcmp((*f)->name, c->name) && !(*f)->computed)
                return (uint64_t)((word & field_mask(*f)) >> (*f)->lsb);
    return UINT64_MAX;
}

/* A register that the bank does not have is UINT64_MAX. */
static uint64_t element_value(struct machine *m, const struct condition *c, uint64_t index)
{
    struct place place = c->place;

    if (!place.view || index >= place.view->count)
        return UINT64_MAX;
    place.index = (unsigned)index;
    return (uint64_t)place_read(m, &place);
}

static uint64_t apply(const char *op, uint64_t a, uint64_t b)
{
    switch (op[0]) {
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '<':
        return op[1] == '<' ? (b < 64 ? a << b : 0) : op[1] ? a <= b : a < b;
    case '>':
        return op[1] == '>' ? (b < 64 ? a >> b : 0) : op[1] ? a >= b : a > b;
    case '|':
        return op[1] ? a || b : a | b;
    case '&':
        return op[1] ? a && b : a & b;
    case '^':
        return a ^ b;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    default:
        return b ? a % b : 0;
    }
}

uint64_t condition_value(struct machine *m, const struct condition *c, const struct form *form,
                         u128 word)
{
    uint64_t a;

    switch (c->what) {
    case NUMBER:
        return c->number;
    case WORD:
        return (uint64_t)word;
    case PC:
        return m->w.pc;
    case FIELD:
        return field_value(c, form, word);
    case REGISTER:
        return (uint64_t)place_read(m, &c->place);
    case ELEMENT:
        return element_value(m, c, condition_value(m, c->a, form, word));
    case UNARY:
        a = condition_value(m, c->a, form, word);
        return c->op[0] == '!' ? !a : c->op[0] == '~' ? ~a : -a;
    default:
        return apply(c->op, condition_value(m, c->a, form, word),
                     condition_value(m, c->b, form, word));
    }
}
