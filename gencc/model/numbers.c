/*
 * Builds the parameters of the time models and of the power model: `timing NAME = value UNIT
 * "source";` and `power NAME = value UNIT "source";` of a GPU.
 */
#include "gencc/model/layout_internal.h"

#include <math.h>
#include <string.h>

struct parameter {
    const char *name, *unit;
    uint64_t least, most, unless_given;
    const char *about;
};

static const struct parameter timing[GPU_TIMING_PARAMETERS] = {
#define TIMING_PARAMETER(name, unit, least, most, unless_given, text) \
    {#name, #unit, least, most, unless_given, text},
#include "common/prelude/timing.inc"
#undef TIMING_PARAMETER
};

static const struct parameter power[GPU_POWER_PARAMETERS] = {
#define POWER_PARAMETER(name, unit, least, most, unless_given, text) \
    {#name, #unit, least, most, unless_given, text},
#include "common/prelude/power.inc"
#undef POWER_PARAMETER
};

/* A list of parameters, and the keyword that sets one: "timing" or "power". */
static const struct list {
    const char *word;
    const struct parameter *all;
    unsigned count;
} timing_list = {"timing", timing, GPU_TIMING_PARAMETERS},
  power_list = {"power", power, GPU_POWER_PARAMETERS};

static bool describe_parameter(const struct list *list, unsigned i, struct gpu_word *out)
{
    const struct parameter *p = &list->all[i];

    if (i >= list->count)
        return false;
    *out = (struct gpu_word){p->name, p->unit, p->about, p->least, p->most};
    return true;
}

bool gpu_timing_word(unsigned i, struct gpu_word *out)
{
    return describe_parameter(&timing_list, i, out);
}

bool gpu_power_word(unsigned i, struct gpu_word *out)
{
    return describe_parameter(&power_list, i, out);
}

static bool is_cycles(const struct parameter *p)
{
    return strcmp(p->unit, "cycles") == 0;
}

/* Sets the value: in thousandths of a cycle, or in units. */
static void set_value(struct layouts *l, const struct parameter *p, struct gpu_number *t,
                      const struct ast_expr *e)
{
    double v = e->kind == AST_FLOAT ? e->fvalue : (double)e->value;
    double scaled = is_cycles(p) ? v * 1000 : v;

    if (!(v >= (double)p->least && v <= (double)p->most))
        diag_error(l->diag, e->pos, "\"%s\" is a number from %llu to %llu", p->name,
                   (unsigned long long)p->least, (unsigned long long)p->most);
    else if (fabs(scaled - round(scaled)) > 1e-6)
        diag_error(l->diag, e->pos, "\"%s\" is %s", p->name,
                   is_cycles(p) ? "in thousandths of a cycle" : "a whole number");
    else
        t->value = (uint64_t)llround(scaled);
}

static void set_parameter(struct layouts *l, const struct gpu *g, const struct list *list,
                          struct gpu_number *numbers, const struct ast_gpu_number *a)
{
    struct name_guess guess = {.wrong = a->name};

    for (unsigned i = 0; i < list->count; i++) {
        const struct parameter *p = &list->all[i];
        struct gpu_number *t = &numbers[i];

        name_guess_offer(&guess, p->name);
        if (strcmp(p->name, a->name) != 0)
            continue;
        if (t->given && t->pos.file == g->ast->pos.file && t->pos.line >= g->ast->pos.line) {
            diag_error(l->diag, a->pos, "\"%s\" is given twice", a->name);
            diag_note(l->diag, t->pos, "the first is here");
        }
        if (strcmp(p->unit, a->unit) != 0)
            diag_error(l->diag, a->unit_pos, "\"%s\" is in %s", p->name, p->unit);
        if (!*a->source)
            diag_error(l->diag, a->pos, "\"%s\" has no source; name the origin of the number",
                       p->name);
        t->given = true;
        t->pos = a->pos;
        t->source = a->source;
        set_value(l, p, t, a->value);
        return;
    }
    diag_unknown(l->diag, a->pos, &guess, "unknown %s parameter \"%s\"", list->word, guess.wrong);
}

static void set_defaults(const struct list *list, struct gpu_number *numbers)
{
    for (unsigned i = 0; i < list->count; i++) {
        const struct parameter *p = &list->all[i];

        numbers[i] = (struct gpu_number){.name = p->name, .unit = p->unit, .source = ""};
        numbers[i].value = p->unless_given * (is_cycles(p) ? 1000 : 1);
    }
}

void gpu_numbers_begin(struct gpu *g)
{
    set_defaults(&timing_list, g->timing);
    set_defaults(&power_list, g->power);
}

void gpu_numbers_set(struct layouts *l, struct gpu *g)
{
    const struct gpu_number *line = &g->timing[GPU_TIMING_line_bytes];

    vec_for_each (&g->ast->timing, a)
        set_parameter(l, g, &timing_list, g->timing, a);
    vec_for_each (&g->ast->power, a)
        set_parameter(l, g, &power_list, g->power, a);
    if (line->value & (line->value - 1))
        diag_error(l->diag, line->pos, "\"line_bytes\" is a power of two");
}
