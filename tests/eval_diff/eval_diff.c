/*
 * The generated interpreter against the evaluator of the intermediate representation, on every
 * form of the A64 instruction set: random words, random registers, memory and surroundings. Both
 * must leave the same registers and memory, do the same to what is around the CPU, and leave the
 * instruction the same way. The evaluator runs the functions twice: as they were lowered, and
 * optimised.
 */
#include "tests/eval_diff/inputs.h"
#include "tests/eval_diff/interpreter.h"
#include "tests/eval_diff/world.h"
#include "tests/text/load.h"
#include "tests/text/words.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DECODED = 2000 }; /* words only decoded, for each word a form */

struct options {
    const char *arch, *only;
    uint64_t seed;
    unsigned count, show;
};

struct test {
    struct options o;
    struct loaded optimised;
    struct loaded lowered; /* without text */
    struct interpreter *interpreter;
    struct words words;
    struct random random;
    unsigned failures, empty;
    uint64_t runs;
    uint64_t left[BROKE_DOWN + 1]; /* runs by how they left */
};

/* ---- comparing ------------------------------------------------------------------------------- */

static bool same(const struct situation *a, const struct situation *b)
{
    return a->leaving != BROKE_DOWN && memcmp(a, b, sizeof(*a)) == 0;
}

static void print_number(const char *name, uint64_t a, uint64_t b)
{
    if (a != b)
        printf("    %s: %" PRIx64 ", evaluator %" PRIx64 "\n", name, a, b);
}

static void print_register(const struct reg_view *v, unsigned index, const struct situation *a,
                           const struct situation *b)
{
    unsigned at = v->offset + index * v->reg_stride, bytes = v->type.bits / 8 * v->type.lanes;

    if (memcmp(a->state + at, b->state + at, bytes) == 0)
        return;
    printf("    %s[%u]: ", v->name, index);
    for (unsigned i = bytes; i--;)
        printf("%02x", a->state[at + i]);
    printf(", evaluator ");
    for (unsigned i = bytes; i--;)
        printf("%02x", b->state[at + i]);
    putchar('\n');
}

static void print_differences(const struct model *m, const struct situation *a,
                              const struct situation *b)
{
    static const char *const leaving[] = {"none", "exception", "undefined", "memory fault",
                                          "broken"};

    vec_for_each (&m->views, v) {
        for (unsigned i = 0; i < (*v)->count && i < 64; i++)
            print_register(*v, i, a, b);
    }
    for (unsigned i = 0; i < MEMORY_BYTES; i++) {
        if (a->memory[i] != b->memory[i])
            printf("    memory %" PRIx64 ": %02x, evaluator %02x\n", MEMORY + i, a->memory[i],
                   b->memory[i]);
    }
    if (a->leaving != b->leaving)
        printf("    leaves by %s, evaluator %s\n", leaving[a->leaving], leaving[b->leaving]);
    if (a->broke || b->broke)
        printf("    broken: %s, evaluator %s\n", a->broke ? a->broke : "-",
               b->broke ? b->broke : "-");
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
    print_number("effects", a->effects, b->effects);
    for (unsigned i = 0; i < MAX_FEATURES; i++)
        print_number("feature", a->features[i], b->features[i]);
}

static void report(struct test *t, const struct form *form, uint32_t word,
                   const struct situation *before, const struct situation *after,
                   const struct situation *evaluated, const char *which)
{
    char text[160];

    if (t->failures++ >= t->o.show)
        return;
    text_disasm(t->optimised.text, word, 32, before->pc, text, sizeof(text));
    printf("%s: %08" PRIx32 "  %s, at %" PRIx64 ", %s:\n", form->name, word, text, before->pc,
           which);
    print_differences(t->optimised.model, after, evaluated);
    fflush(stdout);
}

/* ---- running --------------------------------------------------------------------------------- */

static void run_word(struct test *t, const struct form *form, uint32_t word)
{
    static struct situation before, after, optimised, lowered;
    const struct form *other = t->lowered.model->isas.at[0]->forms.at[form->index];
    const uint8_t *code = interpreter_code(t->interpreter);

    random_situation(&t->random, t->optimised.model, form, word, &before);
    after = optimised = lowered = before;
    interpreter_run(t->interpreter, word, &after);
    world_run(t->optimised.model, form, word, code, &optimised);
    world_run(t->lowered.model, other, word, code, &lowered);
    t->runs++;
    t->left[after.leaving]++;
    if (!same(&after, &lowered))
        report(t, form, word, &before, &after, &lowered, "as lowered");
    else if (!same(&after, &optimised))
        report(t, form, word, &before, &after, &optimised, "optimised");
}

static void run_form(struct test *t, struct form *form)
{
    unsigned done = 0;

    for (unsigned i = 0; i < t->o.count; i++) {
        u128 word;
        uint32_t likely;

        if (!random_word(&t->words, form, &word))
            break;
        likely = likely_word(&t->random, t->optimised.model, form, (uint32_t)word);
        if (text_decode(t->optimised.text, likely, 32) == form) {
            run_word(t, form, likely);
            done++;
        }
    }
    if (!done) {
        printf("%s: no word was found\n", form->name);
        t->empty++;
    }
}

/* The generated decoder and the model's own must find the same form. */
static void compare_decoders(struct test *t)
{
    struct isa *isa = t->optimised.model->isas.at[0];

    for (unsigned i = 0; i < DECODED * t->o.count; i++) {
        uint32_t word = (uint32_t)random_next(&t->random);
        const struct form *form = text_decode(t->optimised.text, word, 32);
        unsigned expected = form ? form->index : isa->forms.count;
        unsigned found = interpreter_decode(t->interpreter, word);

        if (found != expected && t->failures++ < t->o.show)
            printf("%08" PRIx32 ": the generated decoder finds %s, the model %s\n", word,
                   found < isa->forms.count ? isa->forms.at[found]->name : "nothing",
                   form ? form->name : "nothing");
    }
}

/* As load_text(), but nothing is optimised. */
static bool load_lowered(struct loaded *l, const char *path)
{
    struct ast_arch *arch;

    l->diag = (struct diag){.arena = &l->arena, .out = stderr};
    arch = ast_parse_arch(&l->diag, path);
    l->model = arch && !l->diag.errors ? model_build(&l->arena, &l->diag, arch) : NULL;
    return l->model && !l->diag.errors && lower_isa(model_isa(l->model, "a64"), LOWER_CHECK);
}

static int run(struct test *t)
{
    struct isa *isa;
    unsigned forms = 0;

    if (!load_text(&t->optimised, t->o.arch, "a64") || !load_lowered(&t->lowered, t->o.arch))
        return 2;
    t->interpreter = interpreter_new();
    if (!t->interpreter)
        return 2;
    t->random.state = t->o.seed;
    t->words = (struct words){t->optimised.text, random_next(&t->random) | 1};
    isa = t->optimised.model->isas.at[0];
    vec_for_each (&isa->forms, form) {
        if (!t->o.only || fnmatch(t->o.only, (*form)->name, 0) == 0) {
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

static bool parse_options(struct options *o, int argc, char **argv)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    *o = (struct options){.count = 20, .show = 10};
    o->seed = ((uint64_t)now.tv_sec << 20 ^ (uint64_t)now.tv_nsec) & UINT32_MAX;
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
        fputs("usage: eval_diff --arch FILE.ac [--seed N] [--count WORDS-A-FORM] [--only PATTERN]\n"
              "       [--show DIFFERENCES]\n",
              stderr);
        return 2;
    }
    printf("seed %" PRIu64 "\n", t.o.seed);
    fflush(stdout);
    return run(&t);
}
