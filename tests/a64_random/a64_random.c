/*
 * Random A64 instructions: the generated CPU against a referee (qemu-aarch64), all registers and
 * the memory compared to the last bit. See README.md.
 */
#include "tests/a64_random/left_out.h"
#include "tests/a64_random/referee.h"
#include "tests/a64_random/sequence.h"
#include "tests/a64_random/simulate.h"
#include "tests/text/load.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct options {
    const char *arch, *only;
    uint64_t seed, count, sequence;
    bool one; /* only the sequence of that number */
    enum simulate_by by;
    unsigned units, show;
    char **referee;
};

struct test {
    struct options o;
    struct loaded loaded;
    struct generator generator;
    struct simulator *simulator;
    struct referee referee;
    uint64_t sequences, executed, all_executed, signals;
    unsigned failures;
    uint64_t *form_executed; /* by form->index */
};

/* ---- printing differences -------------------------------------------------------------------- */

static void print_word(struct test *t, uint32_t word, unsigned index)
{
    char text[160];

    if (!text_disasm(t->loaded.text, word, 32, CODE + 4 * index, text, sizeof(text)))
        strcpy(text, "undefined");
    printf("  %3u: %08" PRIx32 "  %s\n", index, word, text);
}

static void print_pair(const char *name, unsigned n, uint64_t a, uint64_t b)
{
    printf("    %s%u: interpreter %016" PRIx64 ", referee %016" PRIx64 "\n", name, n, a, b);
}

static void print_value(const char *name, uint64_t a, uint64_t b)
{
    if (a != b)
        printf("    %s: interpreter %" PRIx64 ", referee %" PRIx64 "\n", name, a, b);
}

static void print_difference(const struct reply *a, const struct reply *b)
{
    for (unsigned i = 0; i < 31; i++) {
        if (a->state.x[i] != b->state.x[i])
            print_pair("x", i, a->state.x[i], b->state.x[i]);
    }
    for (unsigned i = 0; i < 32; i++) {
        const uint64_t *v = a->state.v[i], *w = b->state.v[i];

        if (v[0] != w[0] || v[1] != w[1])
            printf("    v%u: interpreter %016" PRIx64 "_%016" PRIx64 ", referee %016" PRIx64
                   "_%016" PRIx64 "\n",
                   i, v[1], v[0], w[1], w[0]);
    }
    print_value("sp", a->state.sp, b->state.sp);
    print_value("nzcv", a->state.nzcv, b->state.nzcv);
    print_value("fpcr", a->state.fpcr, b->state.fpcr);
    print_value("fpsr", a->state.fpsr, b->state.fpsr);
    for (int i = 0; i < MEMORY_BYTES; i++) {
        if (a->memory[i] != b->memory[i])
            printf("    memory[%+d]: interpreter %02x, referee %02x\n", i - MEMORY_BYTES / 2,
                   a->memory[i], b->memory[i]);
    }
    for (unsigned i = 0; i < MAX_EVENTS && (i < a->events || i < b->events); i++) {
        const struct raised *e = &a->event[i], *f = &b->event[i];

        if (memcmp(e, f, sizeof(*e)) != 0)
            printf("    signal: interpreter %s at %u, referee %s at %u\n",
                   e->signal ? strsignal(e->signal) : "none", e->index,
                   f->signal ? strsignal(f->signal) : "none", f->index);
    }
}

static bool same(const struct reply *a, const struct reply *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* The registers that the fields of a word name, as they were before it. */
static void print_inputs(struct test *t, uint32_t word, const struct state *s)
{
    static const char *const names[] = {"rd", "rt", "rt2", "rs", "rn", "rm", "ra"};
    const struct form *form = text_decode(t->loaded.text, word, 32);

    for (unsigned i = 0; form && i < 7; i++) {
        const struct field *f = format_field(form->instr->format, names[i]);
        unsigned r = f ? (unsigned)field_extract(f, word) : 0;

        if (f)
            printf("    %s: x%u %016" PRIx64 ", v%u %016" PRIx64 "_%016" PRIx64 "\n", names[i], r,
                   r < 31 ? s->x[r] : s->sp, r, s->v[r][1], s->v[r][0]);
    }
    printf("    nzcv %" PRIx64 ", fpcr %" PRIx64 ", fpsr %" PRIx64 "\n", s->nzcv, s->fpcr, s->fpsr);
}

/* ---- finding the instruction ----------------------------------------------------------------- */

/* The sequence with all from word n on replaced by its end. */
static void cut(const struct request *from, unsigned n, struct request *to)
{
    *to = *from;
    for (unsigned i = n; i < MAX_WORDS - 1; i++)
        to->code[i] = jump_to_stub(i);
    to->words = n;
}

/* Runs on both sides; true when they agree. */
static bool agree(struct test *t, const struct request *r, struct reply *a, struct reply *b)
{
    unsigned executed[MAX_WORDS];
    struct reply steps;

    if (!simulate(t->simulator, r, a))
        printf("  the interpreter does not come to the end of the sequence\n");
    if (!referee_run(&t->referee, r, b))
        return false;
    simulate_steps(t->simulator, r, &steps, executed);
    if (!same(a, &steps)) {
        printf("  one instruction at a time the interpreter does something else:\n");
        print_difference(&steps, a);
        return false;
    }
    return same(a, b);
}

static void explain(struct test *t, uint64_t number, const struct sequence *s)
{
    static struct reply a, b, before;
    static struct request r;
    unsigned n;

    printf("seed %" PRIu64 ", sequence %" PRIu64 ":\n", t->o.seed, number);
    for (n = 0; n <= s->request.words; n++) {
        before = a;
        cut(&s->request, n, &r);
        if (!agree(t, &r, &a, &b))
            break;
    }
    if (n > s->request.words) {
        printf("  alone it agrees\n");
        return;
    }
    if (n) {
        print_word(t, s->request.code[n - 1], n - 1);
        print_inputs(t, s->request.code[n - 1], &before.state);
    }
    print_difference(&a, &b);
    printf("  the whole sequence:\n");
    for (unsigned i = 0; i < s->request.words && i < n + 4; i++)
        print_word(t, s->request.code[i], i);
    fflush(stdout);
}

/* Counts a failure for each mistake that the referee no longer makes: the list has to follow. */
static void check_mistakes(struct test *t)
{
    static struct sequence s;
    static struct request r;
    static struct reply a, b;
    const struct mistake *m;

    for (unsigned n = 0; (m = known_mistake(n)); n++) {
        unsigned words = 0;

        make_sequence(&t->generator, t->o.seed, n, 1, &s);
        for (; m->words[words]; words++)
            s.request.code[words] = m->words[words];
        cut(&s.request, words, &r);
        if (!agree(t, &r, &a, &b))
            continue;
        printf("left_out.def: the referee is not mistaken any more: %s\n", m->reason);
        t->failures++;
    }
}

/* ---- running --------------------------------------------------------------------------------- */

static void count_executed(struct test *t, const struct sequence *s, const unsigned *executed)
{
    for (unsigned i = 0; i < s->request.words; i++) {
        const struct form *form;

        t->all_executed += executed[i];
        if (!s->counted[i] || !executed[i])
            continue;
        t->executed += executed[i];
        form = text_decode(t->loaded.text, s->request.code[i], 32);
        if (form)
            t->form_executed[form->index] += executed[i];
    }
}

static void check(struct test *t, uint64_t number, const struct sequence *s, const struct reply *a,
                  const struct reply *b)
{
    static struct reply steps;
    unsigned executed[MAX_WORDS];
    bool ended = simulate_steps(t->simulator, &s->request, &steps, executed);

    count_executed(t, s, executed);
    t->sequences++;
    t->signals += b->events;
    if (ended && same(a, b) && same(a, &steps))
        return;
    if (t->failures++ < t->o.show)
        explain(t, number, s);
}

static bool run_batch(struct test *t, uint64_t first, unsigned count)
{
    static struct sequence sequences[BATCH];
    static struct request requests[BATCH];
    static struct reply a[BATCH], b[BATCH];

    for (unsigned i = 0; i < count; i++) {
        make_sequence(&t->generator, t->o.seed, first + i, t->o.units, &sequences[i]);
        requests[i] = sequences[i].request;
    }
    if (referee_send(&t->referee, requests, count)) {
        for (unsigned i = 0; i < count; i++)
            simulate(t->simulator, &requests[i], &a[i]);
        if (referee_receive(&t->referee, b, count)) {
            for (unsigned i = 0; i < count; i++)
                check(t, first + i, &sequences[i], &a[i], &b[i]);
            return true;
        }
    }
    printf("the referee ended with status %#x; sequence by sequence:\n",
           (unsigned)referee_stop(&t->referee));
    t->failures++;
    if (!referee_start(&t->referee, t->o.referee))
        return false;
    for (unsigned i = 0; i < count; i++) {
        simulate(t->simulator, &requests[i], &a[i]);
        if (referee_run(&t->referee, &requests[i], &b[i]))
            check(t, first + i, &sequences[i], &a[i], &b[i]);
        else
            explain(t, first + i, &sequences[i]);
    }
    return true;
}

static void report(struct test *t)
{
    struct isa *isa = t->loaded.model->isas.at[0];
    unsigned covered = 0, left_out = 0;
    bool *generated = calloc(isa->forms.count + 1, sizeof(bool));

    for (unsigned i = 0; generated && i < t->generator.count; i++)
        generated[t->generator.forms[i]->index] = true;
    printf("forms not executed:");
    for (unsigned i = 0; generated && i < isa->forms.count; i++) {
        covered += t->form_executed[i] != 0;
        left_out += !generated[i];
        if (generated[i] && !t->form_executed[i])
            printf(" %s", isa->forms.at[i]->name);
    }
    printf("\nforms never generated (left_out.def, --only):");
    for (unsigned i = 0; generated && !t->o.only && i < isa->forms.count; i++) {
        if (!generated[i])
            printf(" %s", isa->forms.at[i]->name);
    }
    printf("\nseed %" PRIu64 ": %" PRIu64 " random instructions executed (%" PRIu64
           " with those that prepare them) in %" PRIu64 " sequences, %u of %u forms, %" PRIu64
           " signals; %u sequences differ\n",
           t->o.seed, t->executed, t->all_executed, t->sequences, covered,
           isa->forms.count - left_out, t->signals, t->failures);
    free(generated);
}

static int run(struct test *t)
{
    uint64_t next = t->o.sequence;

    if (!load_text(&t->loaded, t->o.arch, "a64"))
        return 2;
    t->form_executed = calloc(t->loaded.model->isas.at[0]->forms.count + 1, sizeof(uint64_t));
    if (!t->form_executed ||
        !generator_init(&t->generator, t->loaded.model->isas.at[0], t->loaded.text, t->o.only)) {
        fprintf(stderr, "no form matches '%s'\n", t->o.only ? t->o.only : "*");
        return 2;
    }
    t->simulator = simulator_new(t->o.by);
    if (!t->simulator || !referee_start(&t->referee, t->o.referee))
        return 2;
    check_mistakes(t);
    do {
        unsigned count = t->o.one ? 1 : BATCH;

        if (!run_batch(t, next, count))
            return 2;
        next += count;
    } while (!t->o.one && t->executed < t->o.count && t->failures < 20 * t->o.show);
    report(t);
    referee_stop(&t->referee);
    simulator_free(t->simulator);
    generator_free(&t->generator);
    free(t->form_executed);
    arena_free(&t->loaded.arena);
    return t->failures ? 1 : 0;
}

static bool parse_options(struct options *o, int argc, char **argv)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    *o = (struct options){.count = 10000, .units = 24, .show = 5};
    o->seed = ((uint64_t)now.tv_sec << 20 ^ (uint64_t)now.tv_nsec) & UINT32_MAX;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;

        if (!strcmp(argv[i], "--")) {
            o->referee = argv + i + 1;
            break;
        }
        if (!value)
            return false;
        if (!strcmp(argv[i], "--arch"))
            o->arch = value;
        else if (!strcmp(argv[i], "--only"))
            o->only = value;
        else if (!strcmp(argv[i], "--seed"))
            o->seed = strtoull(value, NULL, 0);
        else if (!strcmp(argv[i], "--count"))
            o->count = strtoull(value, NULL, 0);
        else if (!strcmp(argv[i], "--units"))
            o->units = (unsigned)strtoul(value, NULL, 0);
        else if (!strcmp(argv[i], "--show"))
            o->show = (unsigned)strtoul(value, NULL, 0);
        else if (!strcmp(argv[i], "--accel"))
            o->by = !strcmp(value, "quick")  ? BY_QUICK_TIER
                    : !strcmp(value, "llvm") ? BY_LLVM
                                             : BY_INTERPRETER;
        else if (!strcmp(argv[i], "--sequence"))
            o->sequence = strtoull(value, NULL, 0), o->one = true;
        else
            return false;
        i++;
    }
    return o->arch && o->referee && o->referee[0];
}

int main(int argc, char **argv)
{
    static struct test t;

    if (!parse_options(&t.o, argc, argv)) {
        fputs(
            "usage: a64_random --arch FILE.ac [--seed N] [--count INSTRUCTIONS] [--only PATTERN]\n"
            "       [--units INSTRUCTIONS-A-SEQUENCE] [--sequence NUMBER] [--show FAILURES]\n"
            "       [--accel interp|quick|llvm] -- REFEREE ARGUMENTS…\n",
            stderr);
        return 2;
    }
    printf("seed %" PRIu64 "\n", t.o.seed);
    fflush(stdout);
    return run(&t);
}
