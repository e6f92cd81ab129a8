/*
 * Translated code against the interpreter's handlers, on every form of an instruction set
 * (tests/eval_diff/subject.h): random words, each in several random situations. One CPU interprets,
 * the other translates every block before its first run. Both must leave the same registers and
 * memory, cause the same effects outside of the CPU, and leave the instruction the same way.
 */
#include "tests/eval_diff/inputs.h"
#include "tests/jit_diff/translate.h"
#include "gencc/referee/load.h"
#include "gencc/referee/seed.h"
#include "gencc/referee/words.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *arch, *only;
    uint64_t seed;
    unsigned count, situations, show;
    bool by_llvm, base;
};

struct test {
    struct options o;
    struct loaded loaded;
    struct interpreter *plain, *translated;
    struct translation *translation; /* the second CPU's translations */
    struct words words;
    struct random random;
    unsigned failures;
    uint64_t runs;
};

/* ---- comparing ------------------------------------------------------------------------------- */

static void print_number(const char *name, uint64_t a, uint64_t b)
{
    if (a != b)
        printf("    %s: %" PRIx64 ", translated %" PRIx64 "\n", name, a, b);
}

static void print_bytes(const char *name, unsigned index, const uint8_t *a, const uint8_t *b,
                        unsigned bytes)
{
    if (memcmp(a, b, bytes) == 0)
        return;
    printf("    %s[%u]: ", name, index);
    for (unsigned i = bytes; i--;)
        printf("%02x", a[i]);
    printf(", translated ");
    for (unsigned i = bytes; i--;)
        printf("%02x", b[i]);
    putchar('\n');
}

static void print_differences(const struct model *m, const struct situation *a,
                              const struct situation *b)
{
    vec_for_each (&m->views, v) {
        for (unsigned i = 0; i < (*v)->count && i < 64; i++) {
            unsigned at = (*v)->offset + i * (*v)->reg_stride;

            print_bytes((*v)->name, i, a->state + at, b->state + at,
                        (*v)->type.bits / 8 * (*v)->type.lanes);
        }
    }
    for (unsigned i = 0; i < MEMORY_BYTES; i += 8)
        print_bytes("memory", i, a->memory + i, b->memory + i, 8);
    print_number("leaves by", a->leaving, b->leaving);
    print_number("pc", a->pc, b->pc);
    print_number("exception class", a->klass, b->klass);
    print_number("code", a->code, b->code);
    print_number("fault address", a->va, b->va);
    print_number("access", a->access, b->access);
    print_number("ring", a->ring, b->ring);
    print_number("event", a->event, b->event);
    print_number("halted", a->halted, b->halted);
    print_number("waits", a->waits, b->waits);
    print_number("pends", a->pends, b->pends);
    print_number("single step", a->single_step, b->single_step);
    print_number("flushes", a->flushes, b->flushes);
    for (unsigned i = 0; i < BREAKPOINTS; i++)
        print_number("breakpoint", a->breakpoint[i].on, b->breakpoint[i].on);
    for (unsigned i = 0; i < WATCHPOINTS; i++)
        print_number("watchpoint", a->watchpoint[i].on, b->watchpoint[i].on);
    print_number("effects", a->effects, b->effects);
    for (unsigned i = 0; i < MAX_FEATURES; i++)
        print_number("feature", a->features[i], b->features[i]);
    if (a->broke || b->broke)
        printf("    broken: %s, translated %s\n", a->broke ? a->broke : "-",
               b->broke ? b->broke : "-");
}

static void report_difference(struct test *t, const struct form *form, uint32_t word,
                              const struct situation *plain, const struct situation *translated)
{
    char text[160];

    if (t->failures++ >= t->o.show)
        return;
    text_disasm(t->loaded.text, word, form->instr->format->width, 0, text, sizeof(text));
    printf("%s: %08" PRIx32 "  %s\n", form->name, word, text);
    print_differences(t->loaded.model, plain, translated);
    fflush(stdout);
}

/* Clears a register that is never read, since translated code does not write it. */
static void forget_sink(const struct model *m, struct situation *s)
{
    vec_for_each (&m->views, v)
        if ((*v)->tag && !strcmp((*v)->tag, "SINK"))
            memset(s->state + (*v)->offset, 0, (*v)->type.bits / 8);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Runs the word as the last one of the page, so that its block has one instruction. */
static void run_word(struct test *t, const struct form *form, uint32_t word)
{
    static struct situation before, plain, translated;
    struct code_bytes code = bytes_of(subject_isa(t->loaded.model), form, word);
    uint32_t features[MAX_FEATURES];

    for (unsigned i = 0; i < t->o.situations; i++) {
        random_situation(&t->random, t->loaded.model, form, word, &before);
        before.pc = CODE + CODE_BYTES - code.count;
        if (i % 8) /* other features would need another translation */
            memcpy(before.features, features, sizeof(features));
        memcpy(features, before.features, sizeof(features));
        plain = translated = before;
        interpreter_run(t->plain, &code, &plain);
        interpreter_run(t->translated, &code, &translated);
        forget_sink(t->loaded.model, &plain);
        forget_sink(t->loaded.model, &translated);
        t->runs++;
        if (plain.leaving == BROKE_DOWN || memcmp(&plain, &translated, sizeof(plain)) != 0)
            report_difference(t, form, word, &plain, &translated);
    }
}

static void run_form(struct test *t, struct form *form)
{
    for (unsigned i = 0; i < t->o.count; i++) {
        u128 word;
        uint32_t likely;

        if (!random_word(&t->words, form, &word))
            break;
        likely = likely_word(&t->random, t->loaded.model, form, (uint32_t)word);
        if (text_decode(t->loaded.text, likely, form->instr->format->width) == form)
            run_word(t, form, likely);
    }
}

static int run_test(struct test *t)
{
    struct isa *isa;
    unsigned forms = 0;

    if (!load_text(&t->loaded, t->o.arch, subject.isa))
        return 2;
    t->plain = interpreter_new();
    t->translated = interpreter_new();
    if (!t->plain || !t->translated ||
        !(t->translation = translate_all(t->translated, t->o.by_llvm, t->o.base)))
        return 2;
    t->random.state = t->o.seed;
    t->words = (struct words){t->loaded.text, random_next(&t->random) | 1};
    isa = subject_isa(t->loaded.model);
    vec_for_each (&isa->forms, form) {
        if (!t->o.only || fnmatch(t->o.only, (*form)->name, 0) == 0) {
            run_form(t, *form);
            forms++;
        }
    }
    printf("seed %" PRIu64 ": %" PRIu64 " runs of %u forms; %u differences\n", t->o.seed, t->runs,
           forms, t->failures);
    translation_free(t->translation);
    interpreter_free(t->plain);
    interpreter_free(t->translated);
    arena_free(&t->loaded.arena);
    return t->failures || !t->runs;
}

static bool parse_options(struct options *o, int argc, char **argv)
{
    *o = (struct options){
        .seed = seed_default(), .count = 1, .situations = 4, .show = 10, .by_llvm = true};
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *value = argv[i + 1];

        if (!strcmp(argv[i], "--arch"))
            o->arch = value;
        else if (!strcmp(argv[i], "--only"))
            o->only = value;
        else if (!strcmp(argv[i], "--seed"))
            o->seed = strtoull(value, NULL, 0);
        else if (!strcmp(argv[i], "--count"))
            o->count = (unsigned)strtoul(value, NULL, 0);
        else if (!strcmp(argv[i], "--situations"))
            o->situations = (unsigned)strtoul(value, NULL, 0);
        else if (!strcmp(argv[i], "--tier"))
            o->by_llvm = !strcmp(value, "llvm"), o->base = !strcmp(value, "base");
        else if (!strcmp(argv[i], "--show"))
            o->show = (unsigned)strtoul(value, NULL, 0);
        else
            return false;
    }
    return o->arch && argc % 2;
}

int main(int argc, char **argv)
{
    static struct test t;

    if (!parse_options(&t.o, argc, argv)) {
        fputs("usage: jit_diff --arch FILE.ac [--tier quick|base|llvm] [--seed N] [--count "
              "WORDS-A-FORM]\n"
              "       [--situations N] [--only PATTERN] [--show DIFFERENCES]\n",
              stderr);
        return 2;
    }
    printf("seed %" PRIu64 "\n", t.o.seed);
    fflush(stdout);
    return run_test(&t);
}
