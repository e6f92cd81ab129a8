/* The GPU's part of a timeline: job slots, interrupts, and work-groups on cores. */
#include "runtime/machine/gpu_timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "common/vec.h"

/* Numbers of the timeline's processes (1 is that of the CPUs), and of their threads. */
enum {
    SLOTS = 2,
    INTERRUPTS = 3,
    CORES = 4,
    POWER = 5,
    ENGINES = 6,
    CORE_THREADS = 4096,  /* numbers of timeline threads per core */
    ENGINE_THREADS = 256, /* numbers per engine, among those of its core */
    LINES = 3
};

struct gpu_timeline {
    struct gpu_observer observer;
    struct timeline *t;
    const struct clock *clock;
    const char *(*name)(void *opaque, uint64_t hash);
    void *opaque;
    uint64_t flows;
    uint64_t raised[LINES]; /* when the line rose; CLOCK_NEVER: it is low */
    VEC(struct timing_stay) stays;
    uint64_t warp_jobs; /* jobs whose warps are still to be shown */
};

/* ---- interrupts ------------------------------------------------------------------------------ */

static const char *const lines[LINES] = {"job", "mmu", "gpu"};

static uint32_t line_track(struct gpu_timeline *g, unsigned output)
{
    return timeline_track(g->t, INTERRUPTS, "GPU interrupts", output, lines[output]);
}

static void line_falls(struct gpu_timeline *g, unsigned output)
{
    timeline_slice(g->t, line_track(g, output), timeline_text(g->t, "asserted"), 0,
                   g->raised[output], clock_now(g->clock));
    g->raised[output] = CLOCK_NEVER;
}

static void on_line(void *opaque, unsigned output, enum gpu_line_event event)
{
    struct gpu_timeline *g = opaque;

    if (event == GPU_LINE_RISES) {
        g->raised[output] = clock_now(g->clock);
        timeline_instant(g->t, line_track(g, output), timeline_text(g->t, lines[output]),
                         g->raised[output]);
    } else if (g->raised[output] != CLOCK_NEVER) {
        line_falls(g, output);
    }
}

/* ---- chains ---------------------------------------------------------------------------------- */

static uint32_t slot_track(struct gpu_timeline *g, unsigned slot, bool queue)
{
    char name[40];

    snprintf(name, sizeof(name), "slot %u%s", slot, queue ? " queue" : "");
    return timeline_track(g->t, SLOTS, "GPU job slots", 2 * slot + !queue, name);
}

/* An arrow from the driver's command to the chain and on to the interrupt at its end. */
static void on_chain(void *opaque, const struct gpu_chain_note *c)
{
    struct gpu_timeline *g = opaque;
    uint32_t queue = slot_track(g, c->slot, true), slot = slot_track(g, c->slot, false);
    uint64_t flow = ++g->flows, started = c->begin_ns;
    char args[160];

    if (started <= c->submit_ns)
        started = c->submit_ns + 1; /* a slice of no length has no arrow */
    snprintf(args, sizeof(args), "\"cpu\":%u", c->cpu);
    timeline_slice(g->t, queue, timeline_text(g->t, "submitted"), timeline_text(g->t, args),
                   c->submit_ns, started);
    snprintf(args, sizeof(args),
             "\"head\":\"0x%" PRIx64 "\",\"space\":%u,\"status\":\"0x%" PRIx32 "\"", c->head,
             c->space, c->status);
    timeline_slice(g->t, slot, timeline_text(g->t, "chain"), timeline_text(g->t, args), c->begin_ns,
                   c->end_ns);
    timeline_flow(g->t, queue, TIMELINE_FLOW_BEGIN, flow, c->submit_ns);
    if (g->raised[0] == CLOCK_NEVER) {
        timeline_flow(g->t, slot, TIMELINE_FLOW_END, flow, c->begin_ns);
        return;
    }
    timeline_flow(g->t, slot, TIMELINE_FLOW_STEP, flow, c->begin_ns);
    timeline_flow(g->t, line_track(g, 0), TIMELINE_FLOW_END, flow, c->end_ns);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static uint32_t job_name(struct gpu_timeline *g, const struct gpu_job_note *j)
{
    const char *name = g->name && j->hash ? g->name(g->opaque, j->hash) : NULL;
    char text[40];

    if (name)
        return timeline_text(g->t, name);
    if (!j->shape.shader)
        return timeline_text(g->t, j->kind);
    snprintf(text, sizeof(text), "kernel %016" PRIx64, j->hash);
    return timeline_text(g->t, text);
}

static uint32_t job_args(struct gpu_timeline *g, const struct gpu_job_note *j)
{
    const struct gpu_job_shape *s = &j->shape;
    char text[300];
    int n =
        snprintf(text, sizeof(text),
                 "\"header\":\"0x%" PRIx64 "\",\"cycles\":%" PRIu64 ",\"status\":\"0x%" PRIx32 "\"",
                 j->header, j->cycles, j->status);

    if (s->shader)
        snprintf(text + n, sizeof(text) - (size_t)n,
                 ",\"hash\":\"%016" PRIx64 "\",\"groups\":\"%" PRIu32 "x%" PRIu32 "x%" PRIu32
                 "\",\"local\":\"%" PRIu32 "x%" PRIu32 "x%" PRIu32 "\"",
                 j->hash, s->groups[0], s->groups[1], s->groups[2], s->local[0], s->local[1],
                 s->local[2]);
    return timeline_text(g->t, text);
}

static void on_stay(void *opaque, const struct timing_stay *s)
{
    struct gpu_timeline *g = opaque;

    vec_push(&g->stays, *s);
}

/* By engine, then by begin. */
static int by_engine(const void *a, const void *b)
{
    const struct timing_stay *x = a, *y = b;

    if (x->core != y->core)
        return x->core < y->core ? -1 : 1;
    if (x->engine != y->engine)
        return x->engine < y->engine ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    return x->warp < y->warp ? -1 : x->warp > y->warp;
}

/* Adds a slice per warp, on a track per place of its engine; warps of a place do not overlap. */
static void place_warps(struct gpu_timeline *g, const struct gpu_job_note *j, uint32_t name,
                        double scale)
{
    uint64_t free_at[ENGINE_THREADS] = {0};
    const struct timing_stay *before = NULL;

    qsort(g->stays.data, g->stays.len, sizeof(*g->stays.data), by_engine);
    vec_for_each (&g->stays, s) {
        unsigned place = 0;
        char text[60];
        uint32_t track;

        if (!s->is_warp)
            continue;
        if (before && (before->core != s->core || before->engine != s->engine))
            memset(free_at, 0, sizeof(free_at));
        before = s;
        while (place < ENGINE_THREADS && free_at[place] > s->begin)
            place++;
        if (place == ENGINE_THREADS)
            continue;
        free_at[place] = s->end;
        snprintf(text, sizeof(text), "core %" PRIu32 " engine %" PRIu32 " warp %u", s->core,
                 s->engine, place);
        track = timeline_track(g->t, ENGINES, "GPU engines",
                               s->core * CORE_THREADS + s->engine * ENGINE_THREADS + place, text);
        snprintf(text, sizeof(text), "\"group_place\":%" PRIu32 ",\"warp\":%" PRIu32, s->slot,
                 s->warp);
        timeline_slice(g->t, track, name, timeline_text(g->t, text),
                       j->begin_ns + (uint64_t)((double)s->begin * scale),
                       j->begin_ns + (uint64_t)((double)s->end * scale));
    }
}

/* Adds a slice per work-group. The model's time of a sample is stretched to that of the job. */
static void place_stays(struct gpu_timeline *g, const struct gpu_job_note *j, uint32_t name)
{
    double last = 1, length = (double)(j->end_ns - j->begin_ns);

    vec_for_each (&g->stays, s) {
        if ((double)s->end > last)
            last = (double)s->end;
    }
    vec_for_each (&g->stays, s) {
        char text[60];
        uint32_t track, args;

        if (s->is_warp)
            continue;

        snprintf(text, sizeof(text), "core %" PRIu32 " place %" PRIu32, s->core, s->slot);
        track = timeline_track(g->t, CORES, "GPU cores", s->core * CORE_THREADS + s->slot, text);
        snprintf(text, sizeof(text), "\"warps\":%" PRIu32, s->warps);
        args = timeline_text(g->t, text);
        timeline_slice(g->t, track, name, args,
                       j->begin_ns + (uint64_t)((double)s->begin * length / last),
                       j->begin_ns + (uint64_t)((double)s->end * length / last));
    }
    if (g->warp_jobs && g->stays.len) {
        g->warp_jobs--;
        place_warps(g, j, name, length / last);
    }
    g->stays.len = 0;
}

/* ---- power ----------------------------------------------------------------------------------- */

static void on_power(void *opaque, uint64_t ns, uint64_t microwatt)
{
    struct gpu_timeline *g = opaque;

    timeline_counter(g->t, timeline_track(g->t, POWER, "GPU power", 0, "GPU"),
                     timeline_text(g->t, "GPU, mW"), ns, microwatt / 1000);
}

/* What each core took for a job, without leakage, evenly over the job. */
static void place_power(struct gpu_timeline *g, const struct gpu_job_note *j)
{
    uint64_t ns = j->end_ns > j->begin_ns ? j->end_ns - j->begin_ns : 1;

    for (unsigned i = 0; j->core_energy && i < POWER_CORES; i++) {
        uint32_t track, name;
        char text[40];

        if (!j->core_energy[i])
            continue;
        snprintf(text, sizeof(text), "core %u", i);
        track = timeline_track(g->t, POWER, "GPU power", 1 + i, text);
        snprintf(text, sizeof(text), "core %u, mW", i);
        name = timeline_text(g->t, text);
        timeline_counter(g->t, track, name, j->begin_ns, j->core_energy[i] / ns);
        timeline_counter(g->t, track, name, j->end_ns, 0);
    }
}

static void on_job(void *opaque, const struct gpu_job_note *j)
{
    struct gpu_timeline *g = opaque;
    uint32_t name = job_name(g, j);

    timeline_slice(g->t, slot_track(g, j->slot, false), name, job_args(g, j), j->begin_ns,
                   j->end_ns);
    place_stays(g, j, name);
    place_power(g, j);
}

/* ---- life ------------------------------------------------------------------------------------ */

struct gpu_timeline *gpu_timeline_new(struct timeline *t, const struct clock *clock,
                                      const char *(*name)(void *opaque, uint64_t hash),
                                      void *opaque)
{
    struct gpu_timeline *g = xcalloc(1, sizeof(*g));

    g->t = t;
    g->clock = clock;
    g->name = name;
    g->opaque = opaque;
    g->observer = (struct gpu_observer){.opaque = g,
                                        .chain = on_chain,
                                        .job = on_job,
                                        .line = on_line,
                                        .stay = on_stay,
                                        .power = on_power};
    for (unsigned i = 0; i < LINES; i++)
        g->raised[i] = CLOCK_NEVER;
    return g;
}

void gpu_timeline_finish(struct gpu_timeline *g)
{
    for (unsigned i = 0; i < LINES; i++) {
        if (g->raised[i] != CLOCK_NEVER)
            line_falls(g, i);
    }
}

void gpu_timeline_free(struct gpu_timeline *g)
{
    if (!g)
        return;
    vec_free(&g->stays);
    free(g);
}

void gpu_timeline_show_warps(struct gpu_timeline *g, uint64_t jobs)
{
    g->warp_jobs = jobs;
}

struct gpu_observer *gpu_timeline_observer(struct gpu_timeline *g)
{
    return &g->observer;
}
