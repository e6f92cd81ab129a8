/*
 * Work-groups: their rows of warps run one after the other until they end or wait at a barrier.
 *
 * Bounds      a group runs its budget of bundles, barriers included: each row executes at least one
 *             bundle between two barriers
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/lane.h"
#include "runtime/gpu/shader/running.h"

/* Number of cores that take a job's groups in turns. */
static unsigned count_cores(const struct gpu_compute *job)
{
    return job->core_count ? job->core_count : job->cores->variant->cores;
}

static void set_core(const struct gpu_compute *job, struct gpu_group *g, uint32_t turn)
{
    g->turn = turn;
    g->core = job->core_count ? job->core[turn] : turn;
}

static void set_position(struct gpu_group *g, const struct gpu_compute_job *job, uint64_t index)
{
    g->index = index;
    g->id[0] = (uint32_t)(index % job->groups[0]);
    index /= job->groups[0];
    g->id[1] = (uint32_t)(index % job->groups[1]);
    g->id[2] = (uint32_t)(index / job->groups[1]);
    for (unsigned i = 0; i < 3; i++)
        g->origin[i] = g->id[i] * job->size[i];
}

void gpu_group_place(const struct gpu_compute *job, struct gpu_group *g, uint64_t index)
{
    const struct gpu_cores *c = job->cores;

    g->next = NULL;
    set_position(g, &job->job, index);
    set_core(job, g, (uint32_t)(index % count_cores(job)));
    g->rows = (job->job.threads + c->decoder.row - 1) / c->decoder.row;
    g->started = g->ended = g->epoch = 0;
    g->work = 0;
    g->finished = false;
    g->together.at = NULL;
    if (g->rows > g->warp_capacity) {
        free(g->warp);
        g->warp = xalloc_apart(g->rows * sizeof(struct gpu_warp *));
        g->warp_capacity = g->rows;
    }
    memset(g->warp, 0, g->rows * sizeof(struct gpu_warp *));
}

void gpu_group_advance(const struct gpu_compute *job, struct gpu_group *g)
{
    g->index++;
    set_core(job, g, g->turn + 1 < count_cores(job) ? g->turn + 1 : 0);
    for (unsigned i = 0; i < 3; i++) {
        if (++g->id[i] < job->job.groups[i]) {
            g->origin[i] += job->job.size[i];
            return;
        }
        g->id[i] = g->origin[i] = 0;
    }
}

struct gpu_group *gpu_group_begin(struct gpu_worker *k, uint64_t index)
{
    const struct gpu_cores *c = k->cores;
    struct gpu_group *g = k->free_groups;

    if (g)
        k->free_groups = g->next;
    else
        g = xalloc_apart(sizeof(*g));
    gpu_group_place(c->job, g, index);
    if (c->timing && !c->job->functions)
        gpu_timing_group_begin(c->job, g);
    return g;
}

void gpu_group_end(struct gpu_worker *k, struct gpu_group *g)
{
    /* The worker's next group has the same memory. */
    gpu_worker_leave_group(k);
    k->group = NULL;
    if (!k->free_groups || !k->free_groups->memory.count) {
        gpu_private_clear(&g->memory);
        g->next = k->free_groups;
        k->free_groups = g;
        return;
    }
    /* Only the first group of the list, which begins next, keeps its pages. */
    gpu_private_release(&g->memory);
    g->next = k->free_groups->next;
    k->free_groups->next = g;
}

static void free_group(struct gpu_group *g)
{
    gpu_private_release(&g->memory);
    free(g->stage);
    free(g->warp);
    free(g);
}

void gpu_group_drop(struct gpu_cores *c, struct gpu_group *g)
{
    for (unsigned i = 0; i < g->rows; i++)
        free(g->warp[i]);
    if (g->trace)
        gpu_timing_group_drop(c, g);
    free_group(g);
}

void gpu_groups_free(struct gpu_worker *k)
{
    while (k->free_groups) {
        struct gpu_group *g = k->free_groups;

        k->free_groups = g->next;
        free_group(g);
    }
}

/* Runs rows from `first` on that start and end in host code, one after the other in the same
 * memory. Returns the number of the first row that has not ended. */
static unsigned run_through(struct gpu_worker *k, struct gpu_group *g, unsigned first)
{
    unsigned end, reached;
    struct gpu_trace *t = gpu_trace_of_rows(k, first, &end);
    struct gpu_warp *w;

    if (!t)
        return first;
    w = gpu_group_begin_row(k, g, first);
    reached = gpu_trace_run_rows(k, w, t, end) ? end : w->index;
    g->ended += reached - first;
    if (reached == end) {
        g->started = end;
        gpu_group_end_row(k, g, first);
    } else {
        g->started = reached + 1;
        g->warp[first] = NULL;
        g->warp[reached] = w;
    }
    return reached;
}

/* Runs row `index`, which begins or continues. false: the budget is spent. */
static bool run_one(struct gpu_worker *k, struct gpu_group *g, unsigned index)
{
    struct gpu_warp *w = index < g->started ? g->warp[index] : gpu_group_begin_row(k, g, index);

    if (!w)
        return true;
    gpu_warp_run(k, w);
    if (w->wait == GPU_WARP_ENDED) {
        g->ended++;
        gpu_group_end_row(k, g, index);
        return true;
    }
    return w->wait == GPU_WARP_BARRIER;
}

static void open_barrier(struct gpu_group *g)
{
    g->epoch++;
    if (g->together.at)
        return;
    for (unsigned i = 0; i < g->rows; i++)
        if (g->warp[i]) {
            g->warp[i]->barred = 0;
            g->warp[i]->wait = GPU_WARP_RUNS;
        }
}

/* Host code reads the first block even if there is none. */
static void set_blocks(struct gpu_core *core, const struct gpu_compute_job *job)
{
    static const struct gpu_uniform_block none;

    core->blocks = job->block_count ? job->blocks : &none;
    core->block_count = job->block_count;
}

void gpu_group_enter(struct gpu_worker *k, struct gpu_group *g)
{
    if (k->group != g)
        gpu_worker_leave_group(k);
    gpu_worker_observe(k, g->trace || k->cores->watch_store || k->cores->inspector);
    k->group = g;
    k->host.core.local_base = k->cores->job->job.local_base;
    set_blocks(&k->host.core, &k->cores->job->job);
    g->budget = k->cores->job->window.budget;
    g->work = 0;
}

void gpu_group_run(struct gpu_worker *k, struct gpu_group *g, gpu_next_group_fn *next)
{
    unsigned first;

    gpu_group_enter(k, g);
    first = gpu_groups_run_rows(k, g, next);
    for (first = first ? first : gpu_group_run_through(k, g);; first = 0) {
        for (unsigned i = first; i < g->rows; i++) {
            if (i == g->started)
                i = run_through(k, g, i);
            if (i < g->rows && !gpu_group_take_abreast(k, g, i))
                i = gpu_trace_run_phase(k, g, i);
            if (i < g->rows && !run_one(k, g, i)) {
                gpu_group_drop_ahead(k, g);
                return;
            }
        }
        if (g->ended == g->rows)
            break;
        open_barrier(g);
    }
    g->finished = true;
    if (g->trace)
        gpu_timing_group_end(k, g);
}
