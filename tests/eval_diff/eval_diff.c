/*
 * Compares the generated interpreter with the evaluator of the intermediate representation, on
 * every form of an instruction set (subject.h), with random words, registers, memory and
 * surroundings. Both must leave the same registers and memory, have the same effects around the
 * CPU, and leave the instruction the same way. The evaluator runs each function twice: as lowered,
 * and optimised.
 */
#include "tests/diff/options.h"
#include "tests/eval_diff/differences.h"
#include "tests/eval_diff/inputs.h"
#include "tests/eval_diff/interpreter.h"
#include "tests/eval_diff/world.h"
#include "gencc/referee/load.h"
#include "gencc/referee/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DECODED = 2000 }; /* words that are only decoded, per word that a form runs */

struct test {
    struct diff_options o;
    struct loaded optimised;
    struct loaded lowered; /* without text */
    struct interpreter *interpreter;
    struct words words;
    struct random random;
    unsigned failures, empty;
    uint64_t runs;
    uint64_t left[BROKE_DOWN + 1]; /* runs by enum leaving */
};

/* ---- comparing ------------------------------------------------------------------------------- */

static bool same_situation(const struct situation *a, const struct situation *b)
{
    return a->leaving != BROKE_DOWN && memcmp(a, b, sizeof(*a)) == 0;
}

struct outcome {
    const struct situation *before, *after, *evaluated;
};

static void report_difference(struct test *t, const struct form *form, uint64_t word,
                              const struct outcome *o, const char *which)
{
    char text[160];

    if (t->failures++ >= t->o.show)
        return;
    text_disasm(t->optimised.text, word, form->instr->format->width, o->before->pc, text,
                sizeof(text));
    printf("%s: %08" PRIx64 "  %s, at %" PRIx64 ", %s:\n", form->name, word, text, o->before->pc,
           which);
    print_differences(t->optimised.model, o->after, "evaluator", o->evaluated);
    fflush(stdout);
}

/* ---- running --------------------------------------------------------------------------------- */

static void run_word(struct test *t, const struct form *form, uint64_t word)
{
    static struct situation before, after, optimised, lowered;
    struct isa *isa = subject_isa(t->optimised.model), *plain = subject_isa(t->lowered.model);
    const struct form *other = plain->forms.data[form->index];
    struct code_bytes bytes = bytes_of(isa, form, (uint32_t)word);
    const uint8_t *code = interpreter_code(t->interpreter);
    unsigned next = text_next_context(t->optimised.text, form, word);

    random_situation(&t->random, t->optimised.model, form, (uint32_t)word, &before);
    if (isa->context.slot)
        put_register(isa->model, &before, isa->context.slot->name, 0, word >> CONTEXT_LSB);
    after = optimised = lowered = before;
    interpreter_run(t->interpreter, &bytes, &after);
    world_run(isa, form, word, next, code, &optimised);
    world_run(plain, other, word, next, code, &lowered);
    t->runs++;
    t->left[after.leaving]++;
    if (!same_situation(&after, &lowered))
        report_difference(t, form, word, &(struct outcome){&before, &after, &lowered},
                          "as lowered");
    else if (!same_situation(&after, &optimised))
        report_difference(t, form, word, &(struct outcome){&before, &after, &optimised},
                          "optimised");
}

static void run_form(struct test *t, struct form *form)
{
    const struct isa *isa = subject_isa(t->optimised.model);
    unsigned done = 0;

    for (unsigned i = 0; i < t->o.count; i++) {
        unsigned context = one_in(&t->random, 4) ? random_below(&t->random, 256) : 0;
        u128 word;

        if (!random_word(&t->words, form, &word))
            break;
        word = likely_word(&t->random, t->optimised.model, form, (uint32_t)word);
        word |= isa_context_bits(isa, context);
        if (text_decode(t->optimised.text, word, form->instr->format->width) == form) {
            run_word(t, form, (uint64_t)word);
            done++;
        }
    }
    if (!done) {
        printf("%s: no word was found\n", form->name);
        t->empty++;
    }
}

/* Returns the CPU's number of the ISA's first form. Each ISA's forms precede its undefined form. */
static unsigned first_form(const struct isa *isa)
{
    unsigned first = 0;

    for (unsigned i = 0; isa->model->isas.data[i] != isa; i++)
        first += isa->model->isas.data[i]->forms.len + 1;
    return first;
}

/* The generated decoder and the model's own must find the same form. */
static void compare_decoders(struct test *t)
{
    struct isa *isa = subject_isa(t->optimised.model);
    unsigned first = first_form(isa);

    for (unsigned i = 0; i < DECODED * t->o.count; i++) {
        uint32_t bits = (uint32_t)random_next(&t->random), word;
        struct code_bytes code = {.count = sizeof(bits)};
        const struct form *form;
        unsigned expected, found, width;

        memcpy(code.byte, &bits, sizeof(bits));
        width = width_of_bytes(isa, code.byte);
        word = (uint32_t)isa_word_load(isa, code.byte, width);
        form = text_decode(t->optimised.text, word, width);
        expected = form ? form->index : isa->forms.len;
        found = interpreter_decode(t->interpreter, &code) - first;
        if (found != expected && t->failures++ < t->o.show)
            printf("%08" PRIx32 ": the generated decoder finds %s, the model %s\n", word,
                   found < isa->forms.len ? isa->forms.data[found]->name : "nothing",
                   form ? form->name : "nothing");
    }
}

static int run_test(struct test *t)
{
    struct isa *isa;
    unsigned forms = 0;

    if (!load_text(&t->optimised, t->o.arch, subject.isa) ||
        !load_lowered(&t->lowered, t->o.arch, subject.isa))
        return 2;
    t->interpreter = interpreter_new();
    if (!t->interpreter)
        return 2;
    t->random.state = t->o.seed;
    t->words = (struct words){t->optimised.text, random_next(&t->random) | 1};
    isa = subject_isa(t->optimised.model);
    vec_for_each (&isa->forms, form) {
        if (diff_wanted(&t->o, (*form)->name)) {
            run_form(t, *form);
            forms++;
        }
    }
    if (!t->o.only)
        compare_decoders(t);
    printf("seed %" PRIu64 ": %" PRIu64 " runs of %u forms (%u without a word): %" PRIu64
           " went on, %" PRIu64 " exceptions, %" PRIu64 " undefined, %" PRIu64
           " memory faults; %u differences\n",
           t->o.seed, t->runs, forms, t->empty, t->left[WENT_ON], t->left[TOOK_EXCEPTION],
           t->left[WAS_UNDEFINED], t->left[TOOK_FAULT], t->failures);
    interpreter_free(t->interpreter);
    arena_free(&t->optimised.arena);
    arena_free(&t->lowered.arena);
    return t->failures || t->empty || !forms;
}

int main(int argc, char **argv)
{
    static struct test t;

    if (diff_options(&t.o, argc, argv, NULL, NULL) != argc) {
        fputs("usage: eval_diff " DIFF_USAGE "\n", stderr);
        return 2;
    }
    printf("seed %" PRIu64 "\n", t.o.seed);
    fflush(stdout);
    return run_test(&t);
}
