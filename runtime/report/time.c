/* The time of a job's trace in the model, and its share of the kernel's. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/report/internal.h"

void report_time_job(const struct report *r, struct report_open *o, const struct timing_job *job)
{
    o->lines = xcalloc(job->bundles.len + 1, sizeof(*o->lines));
    o->timed = timing_run_lines(&r->params, &r->shape, r->options.fidelity, job, &o->result,
                                o->lines, NULL);
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
    uint64_t scale = (uint64_t)(r->scale + 0.5);

    t->jobs++;
    t->ticks += r->ticks;
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
    t->most_scale = t->most_scale > scale ? t->most_scale : scale;
    for (size_t n = 0; n < o->bundle_count; n++) {
        struct report_bundle *b = report_kernel_bundle(k, o->bundles[n].address - o->shader);

        for (unsigned i = 0; b && i < TIMING_CAUSES; i++)
            b->account[i] += o->lines[n].account[i];
    }
}
