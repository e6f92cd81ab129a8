/* The time of a job's trace in the model, and its share of the kernel's. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/report/internal.h"

/* ---- resident warps -------------------------------------------------------------------------- */

typedef VEC(struct timing_stay) stays;

static void keep_stay(void *opaque, const struct timing_stay *stay)
{
    stays *all = opaque;

    vec_push(all, *stay);
}

/* Adds the time that a warp was resident to the parts of the job's time that it overlaps. */
static void add_to_parts(struct report_residency *r, const struct timing_stay *s)
{
    for (uint64_t n = s->begin * REPORT_PARTS / r->job_ticks; n < REPORT_PARTS; n++) {
        uint64_t from = n * r->job_ticks / REPORT_PARTS, to = (n + 1) * r->job_ticks / REPORT_PARTS;

        from = from > s->begin ? from : s->begin;
        to = to < s->end ? to : s->end;
        if (from >= s->end)
            return;
        r->part_warp_ticks[n] += to > from ? to - from : 0;
    }
}

/* Sums up the times that the job's warps were resident, in ticks of the traced groups. */
static void measure_residency(struct report_residency *r, const stays *list, unsigned cores)
{
    vec_for_each (list, s)
        r->job_ticks = r->job_ticks > s->end ? r->job_ticks : s->end;
    r->core_ticks = r->job_ticks * cores;
    r->part_ticks = r->core_ticks / REPORT_PARTS;
    vec_for_each (list, s) {
        struct report_core *core = s->core < REPORT_CORES ? &r->core[s->core] : NULL;

        if (core) {
            core->groups += !s->is_warp;
            core->warps += s->is_warp;
            core->warp_ticks += s->is_warp ? s->end - s->begin : 0;
        }
        if (!s->is_warp)
            continue;
        r->warp_ticks += s->end - s->begin;
        add_to_parts(r, s);
    }
}

static void add_residency(struct report_residency *to, const struct report_residency *from)
{
    to->warp_ticks += from->warp_ticks;
    to->core_ticks += from->core_ticks;
    for (unsigned i = 0; i < REPORT_CORES; i++) {
        to->core[i].groups += from->core[i].groups;
        to->core[i].warps += from->core[i].warps;
        to->core[i].warp_ticks += from->core[i].warp_ticks;
    }
    if (from->job_ticks <= to->job_ticks)
        return;
    to->job_ticks = from->job_ticks;
    to->part_ticks = from->part_ticks;
    memcpy(to->part_warp_ticks, from->part_warp_ticks, sizeof(to->part_warp_ticks));
}

/* ---- time ------------------------------------------------------------------------------------ */

void report_time_job(const struct report *r, struct report_open *o, const struct timing_job *job)
{
    stays list = {0};
    uint64_t part = job->executed / REPORT_SHARE;
    struct timing_wanted wanted = {.stay = keep_stay, .opaque = &list};

    if (!r->options.sample)
        wanted.cut = (struct timing_cut){
            .bundles = part > REPORT_LEAST_BUNDLES ? part : REPORT_LEAST_BUNDLES,
            .all = job->executed,
            .whole = job->groups.len < job->group_total};

    wanted.lines = o->lines = xcalloc(job->bundles.len + 1, sizeof(*o->lines));
    o->timed =
        timing_run_wanted(&r->params, &r->shape, r->options.fidelity, job, &o->result, &wanted);
    o->groups_for_one = (double)job->group_total / (double)job->groups.len;
    measure_residency(&o->residency, &list, r->shape.cores);
    vec_free(&list);
    o->shader = job->shader;
    o->bundle_count = job->bundles.len;
    o->bundles = xcalloc(job->bundles.len + 1, sizeof(*o->bundles));
    if (job->bundles.len)
        memcpy(o->bundles, job->bundles.data, job->bundles.len * sizeof(*o->bundles));
    o->accesses = report_accesses_of(o, job, r->params.line_bytes);
}

/* A count of the traced groups as one of all groups. */
static uint64_t of_all(const struct timing_result *r, uint64_t count)
{
    return (uint64_t)((double)count * r->scale + 0.5);
}

void report_time_add(struct report_kernel *k, const struct report_open *o)
{
    const struct timing_result *r = &o->result;
    struct report_time *t = &k->time;
    uint64_t scale = (uint64_t)(o->groups_for_one + 0.5);

    add_residency(&k->residency, &o->residency);
    t->jobs++;
    t->ticks += r->ticks;
    t->error += r->error * (double)r->ticks;
    for (unsigned i = 0; i < TIMING_CAUSES; i++)
        t->account[i] += r->account[i];
    t->requests += of_all(r, r->requests);
    t->l1_hits += of_all(r, r->l1_hits);
    t->l1_misses += of_all(r, r->l1_misses);
    t->l2_hits += of_all(r, r->l2_hits);
    t->l2_misses += of_all(r, r->l2_misses);
    t->l2_reads += of_all(r, r->l2_reads);
    t->l2_writes += of_all(r, r->l2_writes);
    t->dram_reads += of_all(r, r->dram_reads);
    t->dram_writes += of_all(r, r->dram_writes);
    t->groups_per_traced = t->groups_per_traced > scale ? t->groups_per_traced : scale;
    t->simulated_fraction =
        !t->simulated_fraction || r->part < t->simulated_fraction ? r->part : t->simulated_fraction;
    for (size_t n = 0; n < o->bundle_count; n++) {
        struct report_bundle *b = report_kernel_bundle(k, o->bundles[n].address - o->shader);

        for (unsigned i = 0; b && i < TIMING_CAUSES; i++)
            b->account[i] += o->lines[n].account[i];
    }
}
