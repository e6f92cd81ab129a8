/*
 * Counts of executions: the workers', which become the job's. A worker adds up its own before it
 * leaves a window that probably ends the step: while others still run groups, and while the counts
 * are in its processor's cache. The last worker to leave adds the sums to the job's.
 */
#include "runtime/gpu/mix.h"
#include "runtime/gpu/shader/flow.h"

static void count_instructions(struct gpu_compute *job, const struct gpu_code *code, uint64_t lanes)
{
    for (unsigned i = 0; i < code->word_count; i++)
        job->mix[code->words[i]] += lanes;
}

/* Adds the counts of the worker's bundles to *sum, and clears them. */
static void take_bundles(struct gpu_worker *k, struct gpu_compute *job, struct gpu_counters *sum)
{
    const struct gpu_code *code = __atomic_load_n(&job->shader->newest, __ATOMIC_ACQUIRE);

    for (; code; code = code->older) {
        struct gpu_bundle_count count = {k->counts[code->index] / GPU_COUNT_WARP,
                                         k->counts[code->index] % GPU_COUNT_WARP};

        if (!k->counts[code->index])
            continue;
        gpu_counters_add_bundle(sum, &code->profile, &count);
        if (job->mix && count.lanes)
            count_instructions(job, code, count.lanes);
        k->counts[code->index] = 0;
    }
}

/* Adds up the worker's counts in its sum, and clears them. */
static void add_up(struct gpu_worker *k, struct gpu_compute *job)
{
    struct gpu_counters *sum = &k->sum;

    if (!k->summed)
        *sum = (struct gpu_counters){0};
    gpu_tally_collect(k, job->shader);
    gpu_flow_collect(job, k);
    take_bundles(k, job, sum);
    for (unsigned n = 0; n < GPU_ACCESS_COUNTERS; n++)
        sum->accesses[n] += k->host.core.accesses[n];
    sum->divergent_branches += k->host.divergent / GPU_COUNT_WARP;
    sum->warps += k->warps;
    sum->threads += k->threads;
    memset(k->host.core.accesses, 0, sizeof(k->host.core.accesses));
    k->host.divergent = k->warps = k->threads = 0;
    k->uncounted = false;
    k->summed = true;
}

void gpu_counts_add_up(struct gpu_worker *k)
{
    struct gpu_compute *job = k->cores->job;

    /* Mixes and flows are the job's. A time model reads the counts of all workers. */
    if (!job->mix && !job->flow && !k->cores->model)
        add_up(k, job);
}

void gpu_counts_collect(struct gpu_compute *job)
{
    const struct gpu_cores *c = job->cores;

    for (unsigned i = 0; i < c->worker_count; i++) {
        struct gpu_worker *k = c->workers[i];

        if (k->uncounted)
            add_up(k, job);
        if (k->summed)
            gpu_counters_add(&job->sum, &k->sum);
        k->summed = false;
    }
}
