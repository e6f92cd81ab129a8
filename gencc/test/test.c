/*
 * The loop of `gencc test`; see test.h.
 */
#include "gencc/test/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gencc/test/calibrate.h"
#include "gencc/test/output.h"
#include "gencc/test/report.h"
#include "gencc/test/shrink.h"

struct test {
    const struct test_options *o;
    struct machine machine;
    struct frame frame;
    struct harness harness;
    struct generator generator;
    struct peer peers[TEST_PEERS];
    struct program program;
    struct totals totals;
    char folder[64]; /* temporary, with the harness */
    char path[96];
};

static double seconds_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- preparation ----------------------------------------------------------------------------- */

static bool set_features(struct test *t)
{
    for (unsigned n = 0; n < t->o->set_count; n++) {
        const char *equals = strchr(t->o->set[n], '=');
        const char *name =
            arena_strndup(t->machine.model->arena, t->o->set[n],
                          equals ? (size_t)(equals - t->o->set[n]) : strlen(t->o->set[n]));
        struct feature *f = model_feature(t->machine.model, name);

        if (!f) {
            fprintf(stderr, "gencc test: there is no feature %s\n", name);
            return false;
        }
        f->value = equals ? (unsigned)strtoul(equals + 1, NULL, 0) : 1;
    }
    return true;
}

static bool prepare(struct test *t, const struct model *m)
{
    unsigned mode = 0;
    const char *broke;

    t->machine.model = m;
    t->machine.facts = abi_read_facts(m);
    if (!t->machine.facts) {
        fputs("gencc test: the description has no ac_abi, from which the harness is made\n",
              stderr);
        return false;
    }
    if (!machine_prepare(&t->machine) || !set_features(t) ||
        !frame_prepare(&t->frame, &t->machine) || !harness_prepare(&t->harness, &t->frame))
        return false;
    if ((broke = machine_reset(&t->machine))) {
        fprintf(stderr, "gencc test: %s\n", broke);
        return false;
    }
    for (unsigned n = 0; t->o->isa && n < m->isas.len; n++)
        if (!strcmp(m->isas.data[n]->name, t->o->isa))
            mode = n;
    t->generator.m = &t->machine;
    t->generator.frame = &t->frame;
    t->generator.random.state = t->o->seed;
    t->generator.length = t->o->length;
    t->generator.undefined = t->o->undefined;
    t->generator.avoid_at = t->harness.base + ALT_AT;
    t->generator.avoid_bytes = ALT_BYTES;
    if (!place_find(&t->machine, t->machine.facts->stack, &t->generator.stack))
        return false;
    t->generator.only = t->o->only;
    t->generator.left_out = (struct left_out){.frame = &t->frame, .isa = m->isas.data[mode]};
    for (unsigned n = 0; n < t->o->skip_count; n++)
        left_out_add(&t->generator.left_out, t->o->skip[n], "--skip");
    for (unsigned n = 0; n < t->o->left_out_count; n++)
        if (!left_out_read(&t->generator.left_out, t->o->left_out[n]))
            return false;
    if (generator_prepare(&t->generator, mode))
        return true;
    fprintf(stderr, "gencc test: no form of %s is to be tested\n", m->isas.data[mode]->name);
    return false;
}

static bool start_peers(struct test *t)
{
    strcpy(t->folder, "/tmp/gencc-test-XXXXXX");
    if (!mkdtemp(t->folder))
        return false;
    snprintf(t->path, sizeof(t->path), "%s/harness", t->folder);
    for (unsigned n = 0; n < t->o->peer_count; n++) {
        struct peer *p = &t->peers[n];

        p->process = (struct process){.command = t->o->peer[n], .program = t->path};
        p->harness = &t->harness;
        p->left_out = &t->generator.left_out;
        p->reply = arena_alloc(t->machine.model->arena, ALT_BYTES + PAGE_BYTES);
    }
    return calibrate(&t->harness, t->peers, t->o->peer_count, &t->generator, t->path);
}

static bool restart(struct test *t)
{
    for (unsigned n = 0; n < t->o->peer_count; n++)
        if (!peer_start(&t->peers[n]))
            return false;
    return !machine_reset(&t->machine);
}

/* ---- programs -------------------------------------------------------------------------------- */

static void report_difference(struct test *t, struct peer *peer)
{
    struct program *p = &t->program;
    char *seen = NULL;
    size_t size;
    FILE *o = open_memstream(&seen, &size);

    if (o) {
        report_program(&t->frame, p, o);
        peer_print(peer, p, o);
        fclose(o);
    }

    printf("\ndifference %" PRIu64 ", program %" PRIu64 ": %s\n  again: %s --seed %" PRIu64 "\n",
           t->totals.differences + 1, t->totals.programs, peer->process.command, t->o->again,
           t->o->seed);
    if (differs_afresh(peer, p)) {
        shrink(peer, p);
        report_program(&t->frame, p, stdout);
        peer_print(peer, p, stdout);
        free(seen);
        return;
    }
    /* It depends on state of earlier programs that frames do not carry. */
    puts("    not from a fresh start: it depends on state that the harness does not set");
    fputs(seen ? seen : "", stdout);
    free(seen);
}

/* Without another simulator frames are where the ABI's kernel puts them: at the end of the
 * stack. */
static bool write_program(struct test *t)
{
    const struct abi_facts *f = t->machine.facts;

    if (!t->o->output)
        return true;
    if (!t->o->peer_count) {
        uint64_t at = t->harness.base + ALT_AT + ALT_BYTES - f->frame_bytes;

        t->harness.dump_at = (unsigned)(at - at % f->frame_align - t->harness.base - ALT_AT);
    }
    if (!output_program(&t->harness, &t->program, t->o->output, (unsigned)t->totals.programs))
        return false;
    machine_load(&t->machine, &t->program.after);
    return true;
}

static bool run_peers(struct test *t)
{
    for (unsigned n = 0; n < t->o->peer_count; n++) {
        struct peer *peer = &t->peers[n];

        if (!peer_differs(peer, &t->program))
            continue;
        report_difference(t, peer);
        t->totals.differences++;
        fflush(stdout);
        return restart(t);
    }
    machine_load(&t->machine, &t->program.after);
    t->machine.w.leaving = WENT_ON;
    return true;
}

static void count_forms(struct test *t)
{
    for (unsigned n = 0; n < t->program.count; n++) {
        const struct form *form = t->program.step[n].form;

        t->totals.instructions++;
        if (form)
            t->generator.counts[form->index].executed++;
    }
}

static void show_progress(struct test *t, double begin, double *shown)
{
    double now = seconds_now();

    if (!isatty(2) || now - *shown < 0.5)
        return;
    *shown = now;
    fprintf(stderr, "\r%" PRIu64 " instructions, %.0f s ", t->totals.instructions, now - begin);
}

static bool run_programs(struct test *t)
{
    double begin = seconds_now(), shown = begin;
    unsigned missed = 0;

    while (t->totals.instructions < t->o->count && t->totals.differences < t->o->failures &&
           (!t->o->seconds || seconds_now() - begin < t->o->seconds)) {
        struct snapshot *start = &t->program.before;

        show_progress(t, begin, &shown);
        if (!generate(&t->generator, &t->program)) {
            machine_load(&t->machine, start);
            if (++missed > 10000)
                break;
            continue;
        }
        missed = 0;
        t->totals.programs++;
        if (t->o->show)
            report_program(&t->frame, &t->program, stdout);
        count_forms(t);
        if (!write_program(t) || !run_peers(t))
            return false;
    }
    t->totals.seconds = seconds_now() - begin;
    return true;
}

int test_run(const struct model *m, const struct test_options *o)
{
    struct test *t = calloc(1, sizeof(*t));
    int status = 2;

    if (!t)
        return 2;
    t->o = o;
    if ((!o->output || output_begin(o->output)) && prepare(t, m) && start_peers(t) &&
        run_programs(t)) {
        report_totals(&t->generator, &t->totals, o->list, stdout);
        status = t->totals.differences || !t->totals.programs ? 1 : 0;
    }
    for (unsigned n = 0; n < o->peer_count; n++)
        process_stop(&t->peers[n].process);
    if (t->folder[0]) {
        unlink(t->path);
        rmdir(t->folder);
    }
    free(t);
    return status;
}
