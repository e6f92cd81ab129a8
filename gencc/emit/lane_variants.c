/*
 * Which handlers a form of a lane architecture gets. The general one serves every word. If certain
 * values of fields make it much cheaper, words with these values get special handlers: one for the
 * usual values of all fields, and others that differ from it in one field.
 */
#include "gencc/emit/lane.h"
#include "gencc/ir/pass.h"

#include <string.h>

enum {
    MAX_SAMPLES = 256,
    MAX_FIELDS = 64,
    MAX_VALUES = 16,    /* per field; fields with more are not tested */
    MAX_HANDLERS = 8,   /* per form */
    MAX_DEPTH = 8,      /* operations from a field to a value */
    WORTH_PERCENT = 75, /* a special handler may cost this much of the general one */
    GAIN_PERCENT = 90,  /* a test of a field must reduce the cost to this */
    ALIKE_PERCENT = 110,
};

/* Field values of sample words of a form. */
struct samples {
    unsigned count, fields;
    uint64_t value[MAX_SAMPLES][MAX_FIELDS];
};

struct variants {
    struct emit *e;
    lane_list *handlers;
    struct form *form;
    struct ir_func *body;
    /* The body with the values that the trials of a field share, and where it is kept. Trials are
     * many, and only their costs are wanted: their memory is used again. */
    struct ir_func *narrowed;
    struct arena narrow_memory, trial_memory;
    struct samples *samples;
    unsigned general_cost;
    unsigned made;
};

/* ---- samples --------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Whether the word is of the form. Fills in the values of its fields. */
static bool form_accepts(const struct form *form, u128 word, uint64_t *values)
{
    static u128 fields[MAX_FIELDS];
    struct ir_data argument, result;
    struct ir_machine m = {.word = word, .fields = fields};

    memset(fields, 0, sizeof(fields));
    argument.lane[0] = word;
    if (ir_eval(&m, form->decode, &argument, &result) != IR_DONE || !(uint8_t)result.lane[0])
        return false;
    vec_for_each (&form->instr->format->fields, f)
        values[(*f)->index] =
            (uint64_t)((*f)->computed ? fields[(*f)->index] : field_extract(*f, word));
    return true;
}

static struct samples *take_samples(struct emit *e, const struct form *form)
{
    struct samples *s = arena_new(e->arena, struct samples);
    uint64_t state = 0x9e3779b97f4a7c15u;

    s->fields = form->instr->format->fields.len;
    if (s->fields > MAX_FIELDS || !form->decode || !form->patterns.len)
        return s;
    for (unsigned i = 0; i < 4 * MAX_SAMPLES && s->count < MAX_SAMPLES; i++) {
        const struct pattern *p = &form->patterns.data[i % form->patterns.len];
        u128 word = (next_random(&state) & ~p->mask) | p->value;

        word &= low_bits(form->instr->format->width);
        if (pattern_matches(p, word) && form_accepts(form, word, s->value[s->count]))
            s->count++;
    }
    return s;
}

/* The values that a field has in the samples. Returns their number; 0 if more than MAX_VALUES. */
static unsigned values_of(const struct samples *s, const struct field *f, uint64_t *out)
{
    unsigned n = 0;

    for (unsigned i = 0; i < s->count; i++) {
        uint64_t v = s->value[i][f->index];
        unsigned k = 0;

        while (k < n && out[k] != v)
            k++;
        if (k < n)
            continue;
        if (n == MAX_VALUES)
            return 0;
        out[n++] = v;
    }
    return n;
}

/* Whether some sample has both values. */
static bool go_together(const struct samples *s, const struct lane_test *a,
                        const struct lane_test *b)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->value[i][a->field->index] == a->value && s->value[i][b->field->index] == b->value)
            return true;
    return false;
}

static bool is_possible(const struct samples *s, const test_list *t, const struct lane_test *more)
{
    vec_for_each (t, other)
        if (other->field != more->field && !go_together(s, other, more))
            return false;
    return true;
}

/* ---- cost ------------------------------------------------------------------------------------ */

/* Cost of an external function. With constants for fixed operands, little is left of it when it is
 * inlined. */
static unsigned external_cost(const struct ir_value *v)
{
    vec_for_each (&v->ops, op)
        if ((*op)->fixed && !ir_is_const(*op))
            return 40;
    return 15;
}

static unsigned value_cost(const struct ir_value *v)
{
    if (v->fixed || ir_is_const(v) || v->op == IR_PHI || v->op == IR_BR || v->op == IR_RET)
        return 0;
    switch (v->op) {
    case IR_EXTERNAL:
    case IR_CALL:
        return external_cost(v);
    case IR_DIV:
    case IR_MOD:
        return 10;
    case IR_INTRINSIC:
        return 2;
    default:
        return 1;
    }
}

static unsigned cost_of(struct ir_func *f)
{
    unsigned cost = 3;

    ir_pass_fixedness(f);
    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            cost += value_cost(v);
    return cost;
}

static bool always_refused(const struct ir_func *f)
{
    const struct ir_value *v = lane_refusal(f);

    return v && ir_is_const(v);
}

/* Cost of the body for certain values; UINT32_MAX if a handler for them is useless. */
static unsigned try_tests(struct variants *v, const test_list *t)
{
    bool straight;
    struct ir_func *f = lane_specialise(&v->trial_memory, v->narrowed, "trial", t, &straight);
    unsigned cost = !straight || always_refused(f) ? UINT32_MAX : cost_of(f);

    arena_clear(&v->trial_memory);
    return cost;
}

static test_list test_list_without(struct variants *v, const test_list *t, const struct field *f)
{
    test_list others = {0};

    vec_for_each (t, it)
        if (it->field != f)
            vec_push_in(v->e->arena, &others, *it);
    return others;
}

static test_list test_list_with(struct variants *v, const test_list *t, struct field *f,
                                uint64_t value)
{
    struct lane_test test = {f, value};
    test_list all = test_list_without(v, t, f);

    vec_push_in(v->e->arena, &all, test);
    return all;
}

/* Gives the body the values of the tests but that of `f`, of which values are tried next. */
static void narrow_body(struct variants *v, const test_list *t, const struct field *f)
{
    test_list others = test_list_without(v, t, f);

    arena_clear(&v->narrow_memory);
    v->narrowed = lane_narrow(&v->narrow_memory, v->body, "narrowed", &others);
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* Whether a value is fixed and computed from the field. */
static bool is_from(const struct ir_value *v, const struct field *f, unsigned depth)
{
    if (!v->fixed || depth > MAX_DEPTH)
        return false;
    if (v->op == IR_FIELD)
        return v->field == f;
    vec_for_each (&v->ops, op)
        if (v->op != IR_PHI && is_from(*op, f, depth + 1))
            return true;
    return false;
}

/* Whether the field decides what is done, and is not only an operand. */
static bool field_decides(const struct ir_func *body, const struct field *f)
{
    vec_for_each (&body->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            bool choice = v->op == IR_CBR || v->op == IR_SWITCH || v->op == IR_SELECT;
            unsigned ops = v->op == IR_EXTERNAL ? v->ops.len : choice;

            for (unsigned i = 0; i < ops; i++)
                if (is_from(v->ops.data[i], f, 0))
                    return true;
        }
    }
    return false;
}

static bool is_worth(const struct variants *v, unsigned cost)
{
    return cost != UINT32_MAX && cost * 100 <= v->general_cost * WORTH_PERCENT;
}

static unsigned cost_with(struct variants *v, const test_list *t, struct field *f, uint64_t value)
{
    test_list trial = test_list_with(v, t, f, value);

    return try_tests(v, &trial);
}

/* Whether the cost with 0 is the only low one of the field's values, or all are alike. Some equal
 * low costs are chance: for example, equal operands share work. */
static bool is_usual(struct variants *v, const test_list *t, struct field *f, uint64_t zero_cost)
{
    uint64_t value[MAX_VALUES];
    unsigned n = values_of(v->samples, f, value), alike = 0, higher = 0;

    for (unsigned i = 0; i < n && !(alike && higher); i++) {
        if (!value[i])
            continue;
        if ((uint64_t)cost_with(v, t, f, value[i]) * 100 <= zero_cost * ALIKE_PERCENT)
            alike++;
        else
            higher++;
    }
    return !(alike && higher);
}

/* Whether the field is 0 in some samples, with these tests, and not in others. */
static bool may_be_usual(const struct variants *v, const test_list *t, struct field *f)
{
    struct lane_test test = {f, 0};
    uint64_t value[MAX_VALUES];
    unsigned n = values_of(v->samples, f, value), zeros = 0;

    for (unsigned i = 0; i < n; i++)
        zeros += !value[i];
    return zeros && n > 1 && is_possible(v->samples, t, &test);
}

/* Adds the test for 0, the usual value of modifiers, if it reduces the cost. */
static void add_usual(struct variants *v, test_list *t, struct field *f, unsigned *cost)
{
    unsigned with_zero;

    if (!may_be_usual(v, t, f))
        return;
    narrow_body(v, t, f);
    with_zero = cost_with(v, t, f, 0);
    if (with_zero == UINT32_MAX || with_zero * 100 > *cost * GAIN_PERCENT ||
        !is_usual(v, t, f, with_zero))
        return;
    *t = test_list_with(v, t, f, 0);
    *cost = with_zero;
}

/* A name that no form and no other handler has. */
static const char *special_name(const struct variants *v, const char *name)
{
    bool taken = false;

    vec_for_each (&v->e->isa->forms, f)
        taken |= !strcmp((*f)->name, name);
    vec_for_each (v->handlers, h)
        taken |= !strcmp((*h)->name, name);
    return taken ? special_name(v, arena_printf(v->e->arena, "%s_", name)) : name;
}

static void add_handler(struct variants *v, const test_list *t, const char *name)
{
    struct lane_handler *h = arena_new(v->e->arena, struct lane_handler);

    h->form = v->form;
    h->name = v->form->name;
    if (*name)
        h->name = special_name(v, arena_printf(v->e->arena, "%s_%s", v->form->name, name));
    h->tests = *t;
    h->f = lane_specialise(v->e->arena, v->body, h->name, t, &h->is_straight);
    vec_push_in(v->e->arena, v->handlers, h);
    vec_push_in(v->e->arena, &v->e->behaviours, h->f);
    v->made++;
}

/* Adds handlers that differ from the cheapest in the value of one field. */
static void add_neighbours(struct variants *v, const test_list *plain)
{
    for (unsigned i = 0; i < plain->len; i++) {
        struct field *f = plain->data[i].field;
        uint64_t value[MAX_VALUES];
        unsigned n = values_of(v->samples, f, value);

        narrow_body(v, plain, f);
        for (unsigned k = 0; k < n && v->made + 1 < MAX_HANDLERS; k++) {
            struct lane_test test = {f, value[k]};
            test_list t;

            if (value[k] == (uint64_t)plain->data[i].value ||
                !is_possible(v->samples, plain, &test))
                continue;
            t = test_list_with(v, plain, f, value[k]);
            if (is_worth(v, try_tests(v, &t)))
                add_handler(v, &t, arena_printf(v->e->arena, "%s%u", f->name, (unsigned)value[k]));
        }
    }
}

static void add_special(struct variants *v)
{
    unsigned cost = v->general_cost;
    test_list plain = {0};

    v->samples = take_samples(v->e, v->form);
    ir_pass_fixedness(v->body);
    vec_for_each (&v->form->instr->format->fields, f)
        if (field_decides(v->body, *f))
            add_usual(v, &plain, *f, &cost);
    if (!plain.len || !is_worth(v, cost))
        return;
    add_handler(v, &plain, "plain");
    add_neighbours(v, &plain);
}

lane_list lane_handlers_make(struct emit *e)
{
    static const test_list none = {0};
    lane_list handlers = {0};

    vec_for_each (&e->isa->forms, it) {
        struct variants v = {.e = e, .handlers = &handlers, .form = *it};
        bool straight;
        struct ir_func *general;

        if (!(*it)->exec)
            continue;
        v.body = lane_inline(e, *it);
        if (!v.body)
            continue;
        general = lane_specialise(&v.trial_memory, v.body, "general", &none, &straight);
        v.general_cost = straight ? cost_of(general) : 0;
        if (straight)
            add_special(&v);
        add_handler(&v, &none, "");
        arena_free(&v.narrow_memory);
        arena_free(&v.trial_memory);
    }
    return handlers;
}
