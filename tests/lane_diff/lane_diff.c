/*
 * Generated lane handlers against the evaluator of the intermediate representation, on every form
 * of an architecture with lanes: random words, operands, warp widths and masks of active lanes. The
 * handlers for each level of the host, and the evaluator on the functions both as lowered and as
 * optimised, must leave the same slots and memory and make the same calls. Inactive lanes do not
 * change.
 */
#include "tests/diff/options.h"
#include "gencc/referee/operands.h"
#include "programs/mali-fuzz/evaluator.h"
#include "tests/lane_diff/handler.h"
#include "gencc/referee/load.h"
#include "gencc/referee/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DECODED = 200, /* words per form that are only decoded */
    SHOWN_LANES = 3,
};

struct test {
    struct diff_options o;
    struct loaded optimised, lowered; /* the second without texts */
    const struct gpu_unit *unit;
    struct words words;
    struct random random;
    struct situation_store store;
    unsigned failures, empty, forms;
    const struct form *shown; /* form of the last printed difference: at most one per form */
    uint64_t runs, refused;
};

/* ---- comparing ------------------------------------------------------------------------------- */

static bool same_situation(const struct situation *a, const struct situation *b)
{
    for (unsigned k = 0; k < slot_count(a); k++)
        for (unsigned l = 0; l < a->lanes; l++)
            if (k == a->result ? !situation_same_word(a->slot[k][l], b->slot[k][l])
                               : a->slot[k][l] != b->slot[k][l])
                return false;
    return !a->failure && !b->failure && !memcmp(a->memory, b->memory, sizeof(a->memory)) &&
           !memcmp(a->target, b->target, sizeof(a->target)) && a->branched == b->branched &&
           a->ended == b->ended && a->faulted == b->faulted && a->waits == b->waits &&
           a->effects == b->effects;
}

static void print_sources(const struct situation *before, unsigned lane)
{
    for (unsigned i = 0; i < 8; i++)
        printf(" %08" PRIx32, before->slot[before->source[i]][lane]);
    putchar('\n');
}

static void print_differences(const struct situation *before, const struct situation *a,
                              const struct situation *b)
{
    unsigned shown = 0;

    for (unsigned k = 0; k < slot_count(a); k++) {
        for (unsigned l = 0; l < a->lanes; l++) {
            if (a->slot[k][l] == b->slot[k][l] || shown++ >= SHOWN_LANES)
                continue;
            printf("    %s slot %u lane %u%s: %08" PRIx32 ", evaluator %08" PRIx32 "; sources",
                   k == a->result ? "result" : "other", k, l,
                   a->active >> l & 1 ? "" : " (inactive)", a->slot[k][l], b->slot[k][l]);
            print_sources(before, l);
        }
    }
    for (unsigned i = 0; i < MEMORY_BYTES; i++)
        if (a->memory[i] != b->memory[i])
            printf("    memory %x: %02x, evaluator %02x\n", i, a->memory[i], b->memory[i]);
    for (unsigned l = 0; l < a->lanes; l++)
        diff_number("target", a->target[l], "evaluator", b->target[l]);
    diff_number("branched", a->branched, "evaluator", b->branched);
    diff_number("ended", a->ended, "evaluator", b->ended);
    diff_number("faulted", a->faulted, "evaluator", b->faulted);
    diff_number("waits", a->waits, "evaluator", b->waits);
    diff_number("effects", a->effects, "evaluator", b->effects);
    if (a->failure || b->failure)
        printf("    broken: %s, evaluator %s\n", a->failure ? a->failure : "-",
               b->failure ? b->failure : "-");
}

struct outcome {
    const struct situation *before, *after, *evaluated;
};

static void report_difference(struct test *t, const struct form *form, uint32_t word,
                              unsigned level, const struct outcome *o, const char *which)
{
    const struct situation *before = o->before;
    char text[160];

    if (t->failures++ >= t->o.show || t->shown == form)
        return;
    t->shown = form;
    text_disasm(t->optimised.text, word, form->instr->format->width, before->address, text,
                sizeof(text));
    printf("%s: %08" PRIx32 "  %s, level %u, %u lanes in warps of %u (%" PRIx32 "), header %" PRIx64
           ", %s:\n",
           form->name, word, text, level, before->lanes, before->width, before->active,
           before->header, which);
    print_differences(before, o->after, o->evaluated);
    fflush(stdout);
}

/* ---- situations ------------------------------------------------------------------------------ */

/* Relates sources to each other, since related values reach more cases. */
static void relate_sources(struct random *r, struct situation *s)
{
    unsigned a = s->source[random_below(r, 8)], b = s->source[random_below(r, 8)];
    uint64_t f[3];

    for (unsigned l = 0; l < s->lanes; l++) {
        if (random_below(r, 4) == 0)
            s->slot[a][l] = s->slot[b][l];
        if (random_below(r, 3))
            continue;
        random_floats(r, random_below(r, 2) ? 32 : 16, f);
        for (unsigned i = 0; i < 3; i++)
            s->slot[s->source[i]][l] = (uint32_t)f[i];
    }
}

static void random_situation(struct test *t, struct situation *s)
{
    static const unsigned widths[] = {4, 8, 16, 1, 12, 32};
    struct random *r = &t->random;
    unsigned row;

    memset(s, 0, sizeof(*s));
    s->world = &handler_world;
    s->extra_slots = POOL_WORDS;
    s->registers = t->optimised.model->state_bytes / 4;
    s->width = widths[random_below(r, sizeof(widths) / sizeof(*widths))];
    s->lanes = s->width > GPU_LANE_CHUNK || random_below(r, 4) == 0 ? 32 : GPU_LANE_CHUNK;
    row = s->lanes / s->width * s->width;
    s->active = (uint32_t)random_next(r);
    if (random_below(r, 3) == 0)
        s->active = UINT32_MAX;
    if (row < 32)
        s->active &= (1u << row) - 1;
    if (!s->active)
        s->active = 1u << random_below(r, row);
    s->header = random_next(r);
    s->address = random_next(r) & ~UINT64_C(15) & UINT64_C(0xffffffffffff);
    s->local_base = random_next(r);
    for (unsigned l = 0; l < s->lanes; l++)
        s->tls[l] = random_next(r);
    for (unsigned i = 0; i < SELECTORS; i++)
        s->source[i] = random_below(r, slot_count(s));
    s->result = s->registers + GPU_SLOT_RESULT + random_below(r, 4);
    if (random_below(r, 2))
        s->result = random_below(r, s->registers);
    s->staging = random_below(r, s->registers);
    situation_fill(s, &t->store, r);
    relate_sources(r, s);
    for (unsigned l = 0; l < s->lanes; l++)
        s->slot[s->registers + GPU_SLOT_ACTIVE][l] = s->active >> l & 1 ? UINT32_MAX : 0;
}

/* ---- running --------------------------------------------------------------------------------- */

static void run_word(struct test *t, const struct form *form, uint32_t word)
{
    static struct situation before, after, optimised, lowered;
    const struct isa *isa = form->instr->format ? t->lowered.model->isas.data[0] : NULL;
    const struct form *other = NULL;

    vec_for_each (&t->lowered.model->isas, it)
        if (!strcmp((*it)->name, t->unit->name))
            isa = *it;
    other = isa->forms.data[form->index];
    random_situation(t, &before);
    optimised = lowered = before;
    evaluator_run(t->optimised.model, form, word, &before, &optimised);
    evaluator_run(t->lowered.model, other, word, &before, &lowered);
    t->runs++;
    t->refused += lowered.faulted != 0;
    if (!same_situation(&optimised, &lowered))
        report_difference(t, form, word, 9, &(struct outcome){&before, &optimised, &lowered},
                          "the evaluator on optimised IR");
    for (unsigned level = 0; level < GPU_LANE_LEVELS; level++) {
        if (level && !__builtin_cpu_supports("avx2"))
            continue;
        after = before;
        handler_run(t->unit, level, word, &after);
        if (!same_situation(&after, &lowered))
            report_difference(t, form, word, level, &(struct outcome){&before, &after, &lowered},
                              "as lowered");
    }
}

static void run_form(struct test *t, struct form *form)
{
    unsigned done = 0;
    u128 word;

    for (unsigned i = 0; i < t->o.count && random_word(&t->words, form, &word); i++, done++)
        run_word(t, form, (uint32_t)word);
    if (!done) {
        printf("%s: no word was found\n", form->name);
        t->empty++;
    }
}

/* The generated decoder and the model's own must find the same form. */
static void compare_decoders(struct test *t, struct isa *isa)
{
    struct gpu_op *op = malloc(t->unit->op_bytes);
    static struct situation s;

    random_situation(t, &s);
    for (unsigned i = 0; op && i < DECODED * t->o.count; i++) {
        uint32_t word = (uint32_t)random_next(&t->random);
        const struct form *form;
        unsigned expected, found;

        if (isa->fetch_bits < 32)
            word &= (1u << isa->fetch_bits) - 1;
        form = text_decode(t->optimised.text, word, isa->fetch_bits);
        expected = form ? form->index : isa->forms.len;
        found = handler_decode(t->unit, &s, 0, word, op) ? op->form : isa->forms.len;
        if (found != expected && t->failures++ < t->o.show)
            printf("%08" PRIx32 ": the generated decoder finds %s, the model %s\n", word,
                   found < isa->forms.len ? isa->forms.data[found]->name : "nothing",
                   form ? form->name : "nothing");
    }
    free(op);
}

static bool run_unit(struct test *t, const char *name)
{
    struct isa *isa;

    t->unit = handler_unit(name);
    if (!t->unit || !load_text(&t->optimised, t->o.arch, name) ||
        !load_lowered(&t->lowered, t->o.arch, name))
        return false;
    t->words = (struct words){t->optimised.text, random_next(&t->random) | 1};
    isa = model_isa(t->optimised.model, name);
    vec_for_each (&isa->forms, form) {
        if (diff_wanted(&t->o, (*form)->name)) {
            run_form(t, *form);
            t->forms++;
        }
    }
    if (!t->o.only)
        compare_decoders(t, isa);
    arena_free(&t->optimised.arena);
    arena_free(&t->lowered.arena);
    memset(&t->optimised, 0, sizeof(t->optimised));
    memset(&t->lowered, 0, sizeof(t->lowered));
    return true;
}

int main(int argc, char **argv)
{
    static struct test t;
    int unit = diff_options(&t.o, argc, argv, NULL, NULL);

    if (!unit || unit == argc) {
        fputs("usage: lane_diff " DIFF_USAGE " UNIT…\n", stderr);
        return 2;
    }
    printf("seed %" PRIu64 "\n", t.o.seed);
    fflush(stdout);
    t.random.state = t.o.seed;
    for (; unit < argc; unit++)
        if (!run_unit(&t, argv[unit]))
            return 2;
    printf("%" PRIu64 " runs of %u forms (%u without a word), %" PRIu64
           " refused; %u differences\n",
           t.runs, t.forms, t.empty, t.refused, t.failures);
    return t.failures || t.empty || !t.forms;
}
