/*
 * Random instructions: the generated CPU against a referee; all registers and the memory are
 * compared bit by bit. See README.md.
 */
#include "tests/random/arch_cpu.h"
#include "tests/random/arch_words.h"
#include "tests/random/referee.h"
#include "tests/random/sequence.h"
#include "tests/random/simulate.h"
#include "gencc/referee/load.h"
#include "gencc/referee/seed.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RULES = 4 };

struct options {
    const char *arch, *only, *often;
    const char *left_out[MAX_RULES]; /* files of rules (gencc/test/left_out.h), NULL behind them */
    uint64_t seed, count, sequence;
    bool one;  /* run only the sequence of that number */
    bool all;  /* a CPU with every feature */
    bool flat; /* translated code accesses memory as in user mode */
    enum simulate_by by;
    unsigned units, show;
    char **referee;
};

struct test {
    struct options o;
    struct loaded loaded;
    struct machine machine; /* what rules are read for; their conditions are of words alone */
    struct frame frame;
    struct left_out left_out;
    struct generator generator;
    struct simulator *simulator;
    struct referee referee;
    uint64_t sequences, executed, all_executed, signals;
    unsigned failures;
    uint64_t *form_executed; /* executions by form->index */
};

/* ---- printing differences -------------------------------------------------------------------- */

static void print_code(struct test *t, const struct request *r, unsigned half)
{
    struct instruction i = get_code(r, half);
    char text[160];

    if (!text_disasm(t->loaded.text, i.word, 8 * i.bytes, CODE + 2 * half, text, sizeof(text)))
        strcpy(text, "undefined");
    printf("  %3u: %0*" PRIx32 "  %s\n", half, (int)(2 * i.bytes), i.word, text);
}

/* Returns element n of a part, as two halves of 64 bits. */
static void get_element(const struct state *s, const struct state_part *p, unsigned n,
                        uint64_t value[2])
{
    value[0] = value[1] = 0;
    memcpy(value, (const uint8_t *)s + p->offset + n * p->bytes, p->bytes);
    if (p->mask)
        value[0] = value[0] >> p->shift & p->mask;
}

static void print_element(const struct state_part *p, const uint64_t value[2])
{
    if (p->bytes > 8)
        printf("%016" PRIx64 "_", value[1]);
    printf("%0*" PRIx64, p->mask ? 1 : p->bytes > 8 ? 16 : (int)(2 * p->bytes), value[0]);
}

static void print_part(const struct state_part *p, const struct state *a, const struct state *b)
{
    for (unsigned n = 0; n < p->count; n++) {
        uint64_t ours[2], theirs[2];

        get_element(a, p, n, ours);
        get_element(b, p, n, theirs);
        if (ours[0] == theirs[0] && ours[1] == theirs[1])
            continue;
        printf(p->count > 1 ? "    %s%u: interpreter " : "    %s: interpreter ", p->name, n);
        print_element(p, ours);
        printf(", referee ");
        print_element(p, theirs);
        putchar('\n');
    }
}

static void print_difference(const struct reply *a, const struct reply *b)
{
    for (unsigned i = 0; i < arch_cpu.part_count; i++)
        print_part(&arch_cpu.parts[i], &a->state, &b->state);
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

static bool same_reply(const struct reply *a, const struct reply *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* Returns the first run if it differs, else the last. */
static const struct reply *other_than(const struct outcome *a, const struct reply *b)
{
    return same_reply(&a->first, b) ? &a->last : &a->first;
}

/* Prints the registers that the fields of an instruction name, with their values before it. */
static void print_inputs(struct test *t, struct instruction code, const struct state *s)
{
    static const char *const names[] = {"rd", "rt", "rt2", "rs",  "rn",
                                        "rm", "ra", "rs1", "rs2", "rs3"};
    const struct form *form = text_decode(t->loaded.text, code.word, 8 * code.bytes);
    uint64_t value[2];

    for (unsigned i = 0; form && i < sizeof(names) / sizeof(names[0]); i++) {
        const struct field *f = format_field(form->instr->format, names[i]);
        unsigned r = f ? (unsigned)field_extract(f, code.word) : 0;

        for (unsigned k = 0; f && k < 2; k++) {
            const struct state_part *p = &arch_cpu.parts[k];

            if (r >= p->count)
                continue;
            get_element(s, p, r, value);
            printf("    %s: %s%u ", names[i], p->name, r);
            print_element(p, value);
            putchar('\n');
        }
    }
    for (unsigned k = 2; k < arch_cpu.part_count; k++) {
        get_element(s, &arch_cpu.parts[k], 0, value);
        printf(" %s %" PRIx64, arch_cpu.parts[k].name, value[0]);
    }
    putchar('\n');
}

/* ---- finding the instruction ----------------------------------------------------------------- */

/* Replaces everything from a place of the sequence on by its end. */
static void cut_sequence(const struct request *from, unsigned half, struct request *to)
{
    *to = *from;
    for (unsigned i = half; i + 1 < MAX_HALVES;) {
        struct instruction end = arch_words.jump_to_stub(i);

        put_code(to, i, end);
        i += end.bytes / 2;
    }
    to->halves = half;
}

/* Runs the request of a sequence, or the start of it, on both sides. Returns whether they agree. */
static bool sides_agree(struct test *t, const struct request *r, const struct warm_up *w,
                        struct outcome *a, struct reply *b)
{
    unsigned executed[MAX_HALVES];
    struct reply steps;

    if (!simulate(t->simulator, r, w, a))
        printf("  the interpreter does not come to the end of the sequence\n");
    if (!referee_run(&t->referee, r, b))
        return false;
    simulate_steps(t->simulator, r, &steps, executed);
    if (!same_reply(other_than(a, &steps), &steps)) {
        printf("  one instruction at a time the interpreter does something else:\n");
        print_difference(&steps, other_than(a, &steps));
        return false;
    }
    return same_reply(other_than(a, b), b);
}

/* The place after instruction n - 1 of a sequence. */
static unsigned place_of(const struct sequence *s, unsigned n)
{
    return n < s->count ? s->at[n] : s->request.halves;
}

static void explain_failure(struct test *t, uint64_t number, const struct sequence *s)
{
    static struct outcome a;
    static struct reply b, before;
    static struct request r;
    unsigned n;

    printf("seed %" PRIu64 ", sequence %" PRIu64 ":\n", t->o.seed, number);
    for (n = 0; n <= s->count; n++) {
        before = a.last;
        cut_sequence(&s->request, place_of(s, n), &r);
        if (!sides_agree(t, &r, &s->warm_up, &a, &b))
            break;
    }
    if (n > s->count) {
        printf("  alone it agrees\n");
        return;
    }
    if (n) {
        print_code(t, &s->request, s->at[n - 1]);
        print_inputs(t, get_code(&s->request, s->at[n - 1]), &before.state);
    }
    print_difference(other_than(&a, &b), &b);
    printf("  the whole sequence:\n");
    for (unsigned i = 0; i < s->count && i < n + 4; i++)
        print_code(t, &s->request, s->at[i]);
    fflush(stdout);
}

/* Counts a failure for each mistake that the referee no longer makes: the rule must go. */
static void check_mistakes(struct test *t)
{
    static struct sequence s;
    static struct request r;
    static struct outcome a;
    static struct reply b;
    unsigned n = 0;

    vec_for_each (&t->left_out.rules, rule) {
        if (!rule->shown.len)
            continue;
        make_sequence(&t->generator, t->o.seed, n++, 1, &s);
        for (unsigned i = 0; i < rule->shown.len; i++)
            put_code(&s.request, 2 * i, (struct instruction){rule->shown.data[i], 4});
        cut_sequence(&s.request, 2 * rule->shown.len, &r);
        if (!sides_agree(t, &r, &s.warm_up, &a, &b))
            continue;
        printf("a rule: the referee is not mistaken any more: %s\n", rule->reason);
        t->failures++;
    }
}

/* ---- running --------------------------------------------------------------------------------- */

static void count_executed(struct test *t, const struct sequence *s, const unsigned *executed)
{
    for (unsigned i = 0; i < s->count; i++) {
        struct instruction code = get_code(&s->request, s->at[i]);
        unsigned times = executed[s->at[i]];
        const struct form *form;

        t->all_executed += times;
        if (!s->counted[i] || !times)
            continue;
        t->executed++; /* once, however often a loop executes it */
        form = text_decode(t->loaded.text, code.word, 8 * code.bytes);
        if (form)
            t->form_executed[form->index] += times;
    }
}

static void check_sequence(struct test *t, uint64_t number, const struct sequence *s,
                           const struct outcome *a, const struct reply *b)
{
    static struct reply steps;
    unsigned executed[MAX_HALVES];
    bool ended = simulate_steps(t->simulator, &s->request, &steps, executed);

    count_executed(t, s, executed);
    t->sequences++;
    t->signals += b->events;
    if (ended && same_reply(&steps, b) && same_reply(other_than(a, b), b))
        return;
    if (t->failures++ < t->o.show)
        explain_failure(t, number, s);
}

static bool run_batch(struct test *t, uint64_t first, unsigned count)
{
    static struct sequence sequences[BATCH];
    static struct request requests[BATCH];
    static struct outcome a[BATCH];
    static struct reply b[BATCH];

    for (unsigned i = 0; i < count; i++) {
        make_sequence(&t->generator, t->o.seed, first + i, t->o.units, &sequences[i]);
        requests[i] = sequences[i].request;
    }
    if (referee_send(&t->referee, requests, count)) {
        for (unsigned i = 0; i < count; i++)
            simulate(t->simulator, &requests[i], &sequences[i].warm_up, &a[i]);
        if (referee_receive(&t->referee, b, count)) {
            for (unsigned i = 0; i < count; i++)
                check_sequence(t, first + i, &sequences[i], &a[i], &b[i]);
            return true;
        }
    }
    printf("the referee ended with status %#x; sequence by sequence:\n",
           (unsigned)referee_stop(&t->referee));
    t->failures++;
    if (!referee_start(&t->referee, t->o.referee))
        return false;
    for (unsigned i = 0; i < count; i++) {
        simulate(t->simulator, &requests[i], &sequences[i].warm_up, &a[i]);
        if (referee_run(&t->referee, &requests[i], &b[i]))
            check_sequence(t, first + i, &sequences[i], &a[i], &b[i]);
        else
            explain_failure(t, first + i, &sequences[i]);
    }
    return true;
}

static void report_forms(struct test *t)
{
    struct isa *isa = model_isa(t->loaded.model, arch_words.isa);
    unsigned covered = 0, left_out = 0;
    bool *generated = calloc(isa->forms.len + 1, sizeof(bool));

    for (unsigned i = 0; generated && i < t->generator.count; i++)
        generated[t->generator.forms[i]->index] = true;
    printf("forms not executed:");
    for (unsigned i = 0; generated && i < isa->forms.len; i++) {
        covered += t->form_executed[i] != 0;
        left_out += !generated[i];
        if (generated[i] && !t->form_executed[i])
            printf(" %s", isa->forms.data[i]->name);
    }
    printf("\nforms never generated (--left-out, --only):");
    for (unsigned i = 0; generated && !t->o.only && i < isa->forms.len; i++) {
        if (!generated[i])
            printf(" %s", isa->forms.data[i]->name);
    }
    printf("\nseed %" PRIu64 ": %" PRIu64 " random instructions executed (%" PRIu64
           " with those that prepare them) in %" PRIu64 " sequences, %u of %u forms, %" PRIu64
           " signals; %u sequences differ\n",
           t->o.seed, t->executed, t->all_executed, t->sequences, covered,
           isa->forms.len - left_out, t->signals, t->failures);
    free(generated);
}

static bool read_rules(struct test *t, const struct isa *isa)
{
    bool ok = true;

    t->machine.model = t->loaded.model;
    t->frame.m = &t->machine;
    t->left_out = (struct left_out){.frame = &t->frame, .isa = isa};
    for (unsigned i = 0; t->o.left_out[i]; i++)
        ok &= left_out_read(&t->left_out, t->o.left_out[i]);
    return ok;
}

static int run_test(struct test *t)
{
    uint64_t next = t->o.sequence;
    struct isa *isa;

    if (!load_text(&t->loaded, t->o.arch, arch_words.isa))
        return 2;
    isa = model_isa(t->loaded.model, arch_words.isa);
    if (!read_rules(t, isa))
        return 2;
    t->form_executed = calloc(isa->forms.len + 1, sizeof(uint64_t));
    if (!t->form_executed ||
        !generator_init(&t->generator, isa, t->loaded.text, &t->left_out, t->o.only, t->o.all)) {
        fprintf(stderr, "no form matches '%s'\n", t->o.only ? t->o.only : "*");
        return 2;
    }
    if (t->o.often && !generator_often(&t->generator, t->o.often)) {
        fprintf(stderr, "a pattern of '%s' matches no form\n", t->o.often);
        return 2;
    }
    t->simulator = simulator_new(t->o.by, t->o.all, t->o.flat);
    if (!t->simulator || !referee_start(&t->referee, t->o.referee))
        return 2;
    check_mistakes(t);
    do {
        unsigned count = t->o.one ? 1 : BATCH;

        if (!run_batch(t, next, count))
            return 2;
        next += count;
    } while (!t->o.one && t->executed < t->o.count && t->failures < 20 * t->o.show);
    report_forms(t);
    referee_stop(&t->referee);
    simulator_free(t->simulator);
    generator_free(&t->generator);
    free(t->form_executed);
    arena_free(&t->loaded.arena);
    return t->failures ? 1 : 0;
}

static bool add_rules(struct options *o, const char *path)
{
    unsigned n = 0;

    while (o->left_out[n])
        n++;
    if (n + 1 == MAX_RULES)
        return false;
    o->left_out[n] = path;
    return true;
}

static bool parse_options(struct options *o, int argc, char **argv)
{
    *o = (struct options){.seed = seed_default(), .count = 10000, .units = 24, .show = 5};
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
        else if (!strcmp(argv[i], "--often"))
            o->often = value;
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
                    : !strcmp(value, "base") ? BY_BASE
                    : !strcmp(value, "llvm") ? BY_LLVM
                                             : BY_INTERPRETER;
        else if (!strcmp(argv[i], "--memory") && !strcmp(value, "flat"))
            o->flat = true;
        else if (!strcmp(argv[i], "--cpu") && !strcmp(value, "max"))
            o->all = true;
        else if (!strcmp(argv[i], "--sequence"))
            o->sequence = strtoull(value, NULL, 0), o->one = true;
        else if (strcmp(argv[i], "--left-out") != 0 || !add_rules(o, value))
            return false;
        i++;
    }
    return o->arch && o->referee && o->referee[0];
}

int main(int argc, char **argv)
{
    static struct test t;

    if (!parse_options(&t.o, argc, argv)) {
        fputs("usage: ARCHITECTURE_random --arch FILE.ac [--left-out RULES]... [--seed N] [--count "
              "INSTRUCTIONS] [--only PATTERN]\n"
              "       [--often PATTERN,…] [--units INSTRUCTIONS-A-SEQUENCE] [--sequence NUMBER] "
              "[--show FAILURES]\n"
              "       [--accel interp|quick|base|llvm] [--memory flat] [--cpu max] -- "
              "REFEREE ARGUMENTS…\n",
              stderr);
        return 2;
    }
    printf("seed %" PRIu64 "\n", t.o.seed);
    fflush(stdout);
    return run_test(&t);
}
