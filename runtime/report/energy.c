/* The energy of a job, from its exact counts of bundles and from its time in the model. */
#include "runtime/gpu/shader/core.h"
#include "runtime/gpu/variant.h"
#include "runtime/report/internal.h"

static uint64_t instruction_energy(const struct power_params *p, const struct gpu_account *a)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < a->bundle_count; i++) {
        const struct gpu_account_bundle *b = &a->bundles[i];
        const uint16_t *words = b->profile->instructions;
        const struct timing_bundle bundle = {
            .words = {[TIMING_PIPE_ARITHMETIC] = (uint8_t)words[GPU_CLASS_ARITHMETIC],
                      [TIMING_PIPE_MEMORY] = (uint8_t)words[GPU_CLASS_LOAD_STORE],
                      [TIMING_PIPE_CONTROL] = (uint8_t)words[GPU_CLASS_CONTROL],
                      [TIMING_PIPE_TEXTURE] = (uint8_t)words[GPU_CLASS_ATTRIBUTE]}};
        /* an account counts a row of scalar threads as one warp; the model counts the threads */
        uint64_t warps = a->decoder->width == 1 ? b->count.lanes : b->count.warps;

        sum += power_bundle(p, &bundle, warps, b->count.lanes);
    }
    return sum;
}

static double of_all(const struct timing_result *t, uint64_t count)
{
    return (double)count * t->scale;
}

/* Energy in pJ of caches and memory, computed as by power_job_end(). */
static double memory_energy(const struct power_params *p, const struct timing_result *t)
{
    bool lookups = t->l2_reads || t->l2_writes;
    uint64_t l2 = lookups ? t->l2_reads + t->l2_writes : t->l2_hits + t->l2_misses;
    uint64_t memory = lookups ? t->dram_reads + t->dram_writes : t->l2_misses;

    return of_all(t, t->l1_hits + t->l1_misses) * (double)p->l1_energy +
           of_all(t, l2) * (double)p->l2_energy + of_all(t, memory) * (double)p->dram_energy;
}

/* Energy in pJ of the clocks: of a core while it has groups, of other parts while the job runs. */
static double clock_energy(const struct power_model *m, const struct timing_result *t)
{
    double sum = (double)t->ticks * (double)m->params.gpu_active;

    for (unsigned i = 0; i < TIMING_COUNTED_CORES; i++)
        sum += (double)t->active[i] * (double)m->params.core_active;
    return sum / (TIMING_TICKS * (double)m->clock_mhz);
}

uint64_t report_energy(const struct report *r, const struct timing_result *t,
                       const struct gpu_account *a)
{
    const struct gpu_variant *v = r->variant;
    const struct power_model m = {v->power, v->clock_mhz};
    const struct power_point at = power_point_for(v->points, v->point_count, r->shape.clock_mhz);
    struct power_energy base = {{0}, {0}};
    double job = (double)instruction_energy(&m.params, a) + memory_energy(&m.params, t) +
                 clock_energy(&m, t);

    power_add_base(&m, &at, &(struct power_state){r->shape.cores, true},
                   t->ticks / r->shape.clock_mhz, &base);
    return power_sum(&base) + power_scaled(&m, &at, (uint64_t)job);
}
