/*
 * Random programs: the text form reads back as itself, the verifier accepts the result of every
 * pass, and no pass changes what a program does. A failure prints the seed; `random_test SEED`
 * repeats it alone.
 */
#include "generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 4, MAX_RESULTS = 5, MAX_PARAMS = 4, HELPERS = 3 };

struct outcome {
    enum ir_outcome how;
    struct ir_data results[MAX_RESULTS];
    uint8_t state[WORLD_STATE];
    uint64_t trace;
};

static const char *pass_name;

static bool pass_ssa(struct ir_func *f)
{
    return ir_pass_ssa(f, NULL);
}
static bool pass_inline(struct ir_func *f)
{
    return ir_pass_inline(f, 60);
}
static bool pass_optimise(struct ir_func *f)
{
    ir_optimise(f, NULL);
    return true;
}
static bool pass_specialise(struct ir_func *f)
{
    struct ir_func *s = ir_specialise(f->arena, f, f->name, 0, NULL, NULL);

    f->blocks = s->blocks;
    vec_for_each (&f->blocks, b)
        (*b)->func = f;
    f->next_block = s->next_block;
    f->next_value = s->next_value;
    return true;
}

static bool pass_flatten(struct ir_func *f)
{
    f->flatten = true;
    ir_optimise(f, NULL);
    return ir_pass_flatten(f);
}

static const struct {
    const char *name;
    bool (*run)(struct ir_func *f);
} passes[] = {
    {"ssa", pass_ssa},
    {"gvn", ir_pass_gvn},
    {"cfg", ir_pass_cfg},
    {"constprop", ir_pass_constprop},
    {"dce", ir_pass_dce},
    {"unroll", ir_pass_unroll},
    {"unroll again", ir_pass_unroll},
    {"constprop again", ir_pass_constprop},
    {"cfg again", ir_pass_cfg},
    {"inline", pass_inline},
    {"constprop inlined", ir_pass_constprop},
    {"cfg inlined", ir_pass_cfg},
    {"gvn inlined", ir_pass_gvn},
    {"dce inlined", ir_pass_dce},
    {"optimise", pass_optimise},
    {"specialise", pass_specialise},
    {"flatten", pass_flatten},
    {"pull selects", ir_pass_pull_selects},
    {"constprop pulled", ir_pass_constprop},
};

static void run_function(struct world *w, const struct ir_func *f, uint64_t seed,
                         struct outcome *out)
{
    static struct ir_data args[MAX_PARAMS];
    uint64_t s = seed;

    memset(out, 0, sizeof(*out));
    generate_args(f, &s, args);
    world_reset(w, seed);
    out->how = ir_eval(&w->machine, f, args, out->results);
    memcpy(out->state, w->state, sizeof(out->state));
    out->trace = w->trace;
    if (out->how != IR_DONE)
        memset(out->results, 0, sizeof(out->results));
}

static int report_failure(struct world *w, uint64_t seed, const char *what, const struct ir_func *f)
{
    printf("seed %llu: %s after pass %s\n%s\n%s", (unsigned long long)seed, what, pass_name,
           world_messages(w), world_print(w, f));
    return 1;
}

static int check_text(struct world *w, uint64_t seed, const struct ir_func *f)
{
    char *text = world_print(w, f), *again;
    struct ir_func *g = world_parse(w, text);

    if (!g)
        return report_failure(w, seed, "the text is not understood", f);
    w->funcs.len--;
    again = world_print(w, g);
    if (strcmp(text, again))
        return report_failure(w, seed, "the text reads back differently", f);
    return ir_verify(&w->diag, g) ? 0
                                  : report_failure(w, seed, "what was read back is malformed", f);
}

/* Checks that returned values lie in the ranges that ir_value_range() claims for them. */
static int check_ranges(struct world *w, uint64_t seed, const struct ir_func *f,
                        const struct outcome *o)
{
    const struct ir_value *ret = f->blocks.data[f->blocks.len - 1]->last;
    unsigned first = ir_is_void(f->result);

    if (f->blocks.len != 1 || ret->op != IR_RET || o->how != IR_DONE)
        return 0;
    for (unsigned i = 0; i < ret->ops.len; i++) {
        struct ir_range r = ir_value_range(ret->ops.data[i]);

        for (unsigned l = 0; l < ret->ops.data[i]->type.lanes; l++) {
            u128 x = o->results[first + i].lane[l];

            if (x < r.min || x > r.max || x & r.zeros || ~x & r.ones)
                return report_failure(w, seed, "a value is outside its range", f);
        }
    }
    return 0;
}

static int check_pass(struct world *w, uint64_t seed, unsigned pass, struct ir_func *f,
                      struct outcome *before)
{
    static struct outcome after;

    pass_name = passes[pass].name;
    passes[pass].run(f);
    if (!ir_verify(&w->diag, f))
        return report_failure(w, seed, "malformed", f);
    for (unsigned i = 0; i < RUNS; i++) {
        run_function(w, f, seed + i, &after);
        if (memcmp(&before[i], &after, sizeof(after)))
            return report_failure(w, seed, "another outcome", f);
        if (check_ranges(w, seed, f, &after))
            return 1;
    }
    return check_text(w, seed, f);
}

static int check_seed(uint64_t seed)
{
    static struct outcome before[RUNS];
    static struct world w;
    uint64_t s = seed * 0x9e3779b97f4a7c15ull + 1;
    struct ir_func *f = NULL;
    int bad = 0;

    world_open(&w);
    for (unsigned i = 0; i <= HELPERS; i++) {
        f = generate(&w, &s, arena_printf(&w.arena, "f%u", i),
                     i < HELPERS ? IR_FUNC_HELPER : IR_FUNC_EXECUTE, i < HELPERS ? 10 : 60);
        if (i < HELPERS) {
            ir_optimise(f, &w.diag);
            vec_push_in(&w.arena, &w.funcs, f);
        }
    }
    pass_name = "none";
    if (!ir_verify(&w.diag, f) || w.diag.errors)
        bad = report_failure(&w, seed, "malformed", f);
    bad = bad || check_text(&w, seed, f);
    for (unsigned i = 0; i < RUNS && !bad; i++)
        run_function(&w, f, seed + i, &before[i]);
    for (unsigned i = 0; i < sizeof(passes) / sizeof(*passes) && !bad; i++)
        bad = check_pass(&w, seed, i, f, before);
    world_close(&w);
    return bad;
}

int main(int argc, char **argv)
{
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    unsigned long long count = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;

    for (unsigned long long seed = first; seed < first + count; seed++)
        if (check_seed(seed))
            return 1;
    printf("%llu programs from seed %llu: no pass changed any\n", count, first);
    return 0;
}
