/*
 * Gives jobs the duration that a time model predicts from their traces, and sums the model's
 * accounts.
 */
#include "runtime/gpu/timing_model.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/shader/core.h"
#include "runtime/obs/stats.h"

struct gpu_timing_model {
    enum timing_fidelity fidelity;
    struct timing_params params;
    struct timing_shape shape;
    uint64_t ticks;              /* ticks of the last job that ended */
    uint64_t *active;            /* gpu_cores_active() */
    uint8_t core[GPU_MAX_CORES]; /* numbers of the cores that run the job */
    timing_stay_sink *stay;      /* NULL: not requested */
    void *stay_opaque;
    struct gpu_model_counters sum;
    const struct gpu_variant *variant;
    struct gpu_model_energy {
        bool wanted;
        struct power_model model;
        struct power_energy taken,
            charged; /* energy since gpu_model_energy(); the current job's part of it */
        struct power_job job;
    } energy;
};

/* ---- jobs ------------------------------------------------------------------------------------ */

/* Scales a count of the sampled groups up to the whole job. */
static uint64_t scale_up(const struct timing_result *r, uint64_t count)
{
    return (uint64_t)((double)count * r->scale);
}

static void add_result(struct gpu_timing_model *m, const struct timing_result *r)
{
    struct gpu_model_counters *sum = &m->sum;

    sum->jobs++;
    sum->cycles += r->ticks / TIMING_TICKS;
    for (unsigned i = 0; i < TIMING_CAUSES; i++)
        sum->engine_cycles[i] += r->account[i] / TIMING_TICKS;
    sum->l1_hits += scale_up(r, r->l1_hits);
    sum->l1_misses += scale_up(r, r->l1_misses);
    sum->l2_hits += scale_up(r, r->l2_hits);
    sum->l2_misses += scale_up(r, r->l2_misses);
    sum->l2_reads += scale_up(r, r->l2_reads);
    sum->l2_writes += scale_up(r, r->l2_writes);
    sum->dram_reads += scale_up(r, r->dram_reads);
    sum->dram_writes += scale_up(r, r->dram_writes);
    sum->l2_read_bytes = sum->l2_reads * m->params.line_bytes;
    sum->l2_write_bytes = sum->l2_writes * m->params.line_bytes;
    sum->dram_read_bytes = sum->dram_reads * m->params.line_bytes;
    sum->dram_write_bytes = sum->dram_writes * m->params.line_bytes;
}

/* Fills m->core with the numbers of the cores in `bits` (0: all) and returns how many they are. */
static unsigned list_cores(struct gpu_timing_model *m, uint64_t bits)
{
    unsigned n = 0;

    for (unsigned i = 0; i < m->shape.cores && i < GPU_MAX_CORES; i++)
        if (!bits || bits >> i & 1)
            m->core[n++] = (uint8_t)i;
    return bits ? n : m->shape.cores;
}

/* Forwards a stay after replacing the model's core number by the GPU's. */
static void tell_stay(void *opaque, const struct timing_stay *stay)
{
    const struct gpu_timing_model *m = opaque;
    struct timing_stay placed = *stay;

    if (stay->core < GPU_MAX_CORES)
        placed.core = m->core[stay->core];
    m->stay(m->stay_opaque, &placed);
}

/* ---- energy ---------------------------------------------------------------------------------- */

static void charge_energy(struct gpu_model_energy *e, enum power_part part, uint64_t energy)
{
    e->taken.part[part] += energy;
    e->charged.part[part] += energy;
}

/* Number of cores to which groups of the job are dispatched. */
static uint64_t cores_with_work(const struct gpu_timing_model *m, const struct gpu_compute_job *job)
{
    uint64_t each = job->threads ? m->params.core_fill / job->threads : 0, cores;

    each += job->threads && m->params.core_fill % job->threads;
    cores = each ? (job->group_total + each - 1) / each : job->group_total;
    return cores < m->shape.cores ? cores : m->shape.cores;
}

/* Charges the energy of clocks for a window of `cycles` cycles. Its bundles were charged before. */
static void charge_window(struct gpu_timing_model *m, const struct gpu_compute *job,
                          uint64_t cycles)
{
    struct gpu_model_energy *e = &m->energy;

    if (e->wanted)
        charge_energy(e, POWER_CLOCKS,
                      cores_with_work(m, &job->job) * e->model.params.core_active * cycles /
                          e->model.clock_mhz);
}

/* Adds the energy of an ended job, `whole`, less the energy that its windows were charged. */
static void settle_energy(struct gpu_timing_model *m, const struct power_energy *whole)
{
    struct gpu_model_energy *e = &m->energy;

    for (unsigned i = 0; i < POWER_PARTS; i++)
        if (whole->part[i] > e->charged.part[i])
            e->taken.part[i] += whole->part[i] - e->charged.part[i];
    for (unsigned i = 0; i < POWER_CORES && i < GPU_MAX_CORES; i++)
        if (whole->core[i])
            e->taken.core[m->core[i]] += whole->core[i];
}

static void take_stay(void *opaque, const struct timing_stay *stay)
{
    struct gpu_timing_model *m = opaque;

    power_job_stay(&m->energy.job, stay);
    if (m->stay)
        tell_stay(m, stay);
}

/* Predicts a job's time and, if wanted, its energy. */
static bool predict_job(struct gpu_timing_model *m, const struct timing_job *job,
                        const struct timing_shape *shape, struct timing_result *r)
{
    struct power_energy whole;
    bool good;

    if (!m->energy.wanted)
        return timing_run_wanted(
            &m->params, shape, m->fidelity, job, r,
            &(struct timing_wanted){.stay = m->stay ? tell_stay : NULL, .opaque = m});
    power_job_begin(&m->energy.job, &m->energy.model, job);
    good = timing_run_wanted(&m->params, shape, m->fidelity, job, r,
                             &(struct timing_wanted){.stay = take_stay, .opaque = m});
    power_job_end(&m->energy.job, r, &whole);
    if (good)
        settle_energy(m, &whole);
    m->energy.charged = (struct power_energy){{0}, {0}};
    return good;
}

void gpu_model_power(struct gpu_cores *c)
{
    struct gpu_model_energy *e = &c->model->energy;

    e->wanted = true;
    e->model = (struct power_model){c->variant->power, c->variant->clock_mhz};
    e->model.params.gpu_active = 0; /* meter.c counts it, for all kinds of jobs */
}

void gpu_model_energy(struct gpu_cores *c, struct power_energy *e)
{
    struct power_energy *taken;

    if (!c->model)
        return;
    taken = &c->model->energy.taken;
    for (unsigned i = 0; i < POWER_PARTS; i++)
        e->part[i] += taken->part[i];
    for (unsigned i = 0; i < POWER_CORES; i++)
        e->core[i] += taken->core[i];
    *taken = (struct power_energy){{0}, {0}};
}

void gpu_model_clock(struct gpu_cores *c, unsigned mhz)
{
    struct gpu_timing_model *m = c->model;

    if (!m)
        return;
    m->params = m->variant->timing;
    timing_params_set_clock(&m->params, m->variant->clock_mhz, mhz);
    m->shape.clock_mhz = mhz;
}

/* ---- ends and windows of jobs ---------------------------------------------------------------- */

static void take_job(void *opaque, const struct timing_job *job)
{
    struct gpu_timing_model *m = opaque;
    struct timing_shape shape = m->shape;
    struct timing_result r;

    shape.cores = list_cores(m, job->cores);
    if (!predict_job(m, job, &shape, &r))
        return; /* gpu_cores_model() has checked everything that can fail */
    m->ticks = r.ticks;
    for (unsigned i = 0; i < shape.cores && i < GPU_MAX_CORES; i++)
        m->active[m->core[i]] += r.active[i] / TIMING_TICKS;
    add_result(m, &r);
}

uint64_t gpu_model_window(struct gpu_compute *job)
{
    const struct gpu_cores *c = job->cores;
    struct gpu_timing_model *m = c->model;
    uint64_t engines = (job->core_count ? job->core_count : m->shape.cores) * m->shape.engines;
    uint64_t cycles;

    for (unsigned n = 0; n < job->shader->code_count; n++) {
        struct timing_bundle bundle = gpu_timing_bundle_of(job->shader->codes[n]);
        uint64_t issue = timing_bundle_issue(&m->params, m->fidelity, &bundle);

        for (unsigned i = 0; i < c->worker_count; i++) {
            uint64_t count = c->workers[i]->counts[n];

            uint64_t lanes = count % GPU_COUNT_WARP;
            uint64_t warps = c->decoder.scalar ? lanes : count / GPU_COUNT_WARP;

            job->issued += issue * warps;
            if (m->energy.wanted)
                charge_energy(&m->energy, POWER_INSTRUCTIONS,
                              power_bundle(&m->energy.model.params, &bundle, warps, lanes));
        }
    }
    cycles = job->issued / (engines * TIMING_TICKS);
    cycles = cycles > job->cycles ? cycles - job->cycles : 1;
    charge_window(m, job, cycles);
    return cycles;
}

uint64_t gpu_model_rest(struct gpu_compute *job)
{
    struct gpu_timing_model *m = job->cores->model;
    uint64_t cycles;

    m->ticks = 0;
    gpu_timing_job_end(job);
    cycles = (m->ticks + TIMING_TICKS - 1) / TIMING_TICKS;
    return cycles > job->cycles ? cycles - job->cycles : 0;
}

/* ---- the model ------------------------------------------------------------------------------- */

bool gpu_cores_model(struct gpu_cores *c, enum timing_fidelity fidelity, struct error *err)
{
    const struct gpu_variant *v = c->variant;
    struct gpu_timing_model *m = xcalloc(1, sizeof(*m));

    m->fidelity = fidelity;
    m->params = v->timing;
    m->active = c->active;
    m->variant = v;
    m->shape =
        (struct timing_shape){v->cores, v->engines, v->max_threads, v->warp_width, v->clock_mhz};
    if (!timing_model_check(&m->params, &m->shape, fidelity, err)) {
        error_prefix(err, "%s: ", v->title);
        free(m);
        return false;
    }
    gpu_model_free(c->model);
    c->model = m;
    gpu_cores_timing(c, GPU_MODEL_GROUPS, take_job, m);
    return true;
}

void gpu_model_free(struct gpu_timing_model *m)
{
    free(m);
}

void gpu_cores_stays(struct gpu_cores *c, timing_stay_sink *sink, void *opaque)
{
    c->model->stay = sink;
    c->model->stay_opaque = opaque;
}

const struct gpu_model_counters *gpu_model_counters(const struct gpu_cores *c)
{
    return c->model ? &c->model->sum : NULL;
}

void gpu_model_register(const struct gpu_cores *c, struct stats *stats)
{
    const struct gpu_model_counters *s = gpu_model_counters(c);
    const struct {
        const char *name;
        const uint64_t *counter;
    } counters[] = {
        {"jobs", &s->jobs},
        {"cycles", &s->cycles},
        {"issue", &s->engine_cycles[TIMING_ISSUE]},
        {"dependency", &s->engine_cycles[TIMING_DEPENDENCY]},
        {"l1", &s->engine_cycles[TIMING_L1]},
        {"l2", &s->engine_cycles[TIMING_L2]},
        {"dram", &s->engine_cycles[TIMING_DRAM]},
        {"barrier", &s->engine_cycles[TIMING_AT_BARRIER]},
        {"imbalance", &s->engine_cycles[TIMING_IMBALANCE]},
        {"launch", &s->engine_cycles[TIMING_LAUNCH]},
        {"l1_hits", &s->l1_hits},
        {"l1_misses", &s->l1_misses},
        {"l2_hits", &s->l2_hits},
        {"l2_misses", &s->l2_misses},
        {"dram_read_bytes", &s->dram_read_bytes},
        {"dram_write_bytes", &s->dram_write_bytes},
    };

    for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++)
        stats_add(stats, "gpu/time", counters[i].name, counters[i].counter);
}

/* ---- snapshots ------------------------------------------------------------------------------- */

static const struct state_field model_fields[] = {
    STATE_FIELD(struct gpu_timing_model, sum),
    STATE_FIELD(struct gpu_timing_model, energy.taken),
    STATE_FIELD(struct gpu_timing_model, energy.charged),
    STATE_END,
};

void gpu_model_save(const struct gpu_cores *c, struct state_buf *buf)
{
    if (c->model)
        state_save(buf, "model", model_fields, c->model);
}

bool gpu_model_load(struct gpu_cores *c, const struct state_buf *buf, bool apply, struct error *err)
{
    struct gpu_timing_model *scratch;
    bool ok;

    if (!c->model)
        return true;
    scratch = xcalloc(1, sizeof(*scratch));
    ok = state_load(buf, "model", model_fields, apply ? c->model : scratch, err);
    free(scratch);
    return ok;
}
