/* Shader cores that run no shader: each step of a job writes one word and takes a fixed time. */

#include "tests/gpu_device/fake_compute.h"

#include <stdlib.h>
#include <string.h>

#include "mali_layout.h"
#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/base/state.h"
#include "runtime/gpu/inspect.h"
#include "runtime/gpu/stats.h"
#include "runtime/gpu/walk.h"
#include "runtime/obs/stats.h"

unsigned fake_starts, fake_steps, fake_live;
uint64_t fake_used;

struct gpu_cores {
    int unused;
};

struct gpu_compute {
    const struct gpu_address_space *as;
    uint64_t address;
    struct fake_job job;
    uint32_t done;
};

struct gpu_stats {
    struct gpu_counters total;
};

static struct gpu_stats stats;

struct gpu_cores *gpu_cores_new(const struct gpu_variant *variant, const struct gpu_isa *isa,
                                unsigned threads)
{
    (void)variant, (void)isa, (void)threads;
    stats = (struct gpu_stats){0};
    return xcalloc(1, sizeof(struct gpu_cores));
}

void gpu_cores_translate(struct gpu_cores *c, uint32_t after)
{
    (void)c, (void)after;
}

bool gpu_cores_keep_code(struct gpu_cores *c, const char *where, struct error *err)
{
    (void)c, (void)where, (void)err;
    return true;
}

void gpu_cores_free(struct gpu_cores *c)
{
    free(c);
}

void gpu_cores_set_leaving(struct gpu_cores *c, const bool *leaving)
{
    (void)c, (void)leaving;
}

void gpu_cores_describe_shaders(struct gpu_cores *c)
{
    (void)c;
}

uint64_t fake_active[GPU_MAX_CORES];

const uint64_t *gpu_cores_active(const struct gpu_cores *c)
{
    (void)c;
    return fake_active;
}

void gpu_compute_use(struct gpu_compute *job, uint64_t cores)
{
    (void)job;
    fake_used = cores;
}

/* ---- a time model ---------------------------------------------------------------------------- */

const struct gpu_model_counters *fake_model;

bool gpu_cores_model(struct gpu_cores *c, enum timing_fidelity fidelity, struct error *err)
{
    (void)c, (void)fidelity, (void)err;
    return true;
}

const struct gpu_model_counters *gpu_model_counters(const struct gpu_cores *c)
{
    (void)c;
    return fake_model;
}

void gpu_cores_inspect(struct gpu_cores *c, const struct gpu_inspector *in)
{
    (void)c, (void)in;
}

void gpu_cores_stays(struct gpu_cores *c, timing_stay_sink *sink, void *opaque)
{
    (void)c, (void)sink, (void)opaque;
}

struct power_energy fake_energy;
unsigned fake_mhz;

void gpu_model_power(struct gpu_cores *c)
{
    (void)c;
}

void gpu_model_energy(struct gpu_cores *c, struct power_energy *e)
{
    (void)c;
    if (!fake_steps)
        return;
    *e = fake_energy;
    fake_energy = (struct power_energy){{0}, {0}};
}

void gpu_model_clock(struct gpu_cores *c, unsigned mhz)
{
    (void)c;
    fake_mhz = mhz;
}

void gpu_model_register(const struct gpu_cores *c, struct stats *to)
{
    (void)c, (void)to;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

struct gpu_stats *gpu_cores_stats(struct gpu_cores *c)
{
    (void)c;
    return &stats;
}

const struct gpu_counters *gpu_stats_total(const struct gpu_stats *s)
{
    return &s->total;
}

void gpu_model_save(const struct gpu_cores *c, struct state_buf *buf)
{
    (void)c, (void)buf;
}

bool gpu_model_load(struct gpu_cores *c, const struct state_buf *buf, bool apply, struct error *err)
{
    (void)c, (void)buf, (void)apply, (void)err;
    return true;
}

void gpu_stats_register(const struct gpu_stats *s, struct stats *to, const char *group)
{
    stats_add(to, group, "work_groups", &s->total.groups);
}

struct gpu_compute *gpu_compute_start(struct gpu_cores *c, const struct gpu_address_space *as,
                                      uint64_t job, struct gpu_outcome *out)
{
    struct gpu_compute *k;
    uint8_t raw[24];

    (void)c;
    *out = (struct gpu_outcome){.progress = GPU_PROGRESS_FAULT};
    if (!gpu_memory_read(as, job + MALI_JOB_HEADER_BYTES, raw, sizeof(raw), &out->fault))
        return NULL;
    k = xcalloc(1, sizeof(*k));
    k->as = as;
    k->address = job;
    k->job = (struct fake_job){
        (uint32_t)le_get(raw, 4),      (uint32_t)le_get(raw + 4, 4),  le_get(raw + 8, 8),
        (uint32_t)le_get(raw + 16, 4), (uint32_t)le_get(raw + 20, 4),
    };
    fake_starts++;
    fake_live++;
    return k;
}

/* ---- in snapshots: the number of steps that were done ---------------------------------------- */

static const struct state_field fields[] = {
    STATE_FIELD(struct gpu_compute, address),
    STATE_FIELD(struct gpu_compute, done),
    STATE_END,
};

bool gpu_compute_can_save(const struct gpu_compute *job)
{
    (void)job;
    return true;
}

void gpu_compute_save(struct gpu_compute *job, struct state_buf *buf)
{
    state_save(buf, "job", fields, job);
}

struct gpu_compute *gpu_compute_load(struct gpu_cores *c, const struct gpu_address_space *as,
                                     const struct state_buf *buf, struct error *err)
{
    struct gpu_compute saved = {0}, *k;
    struct gpu_outcome out;

    if (!state_load(buf, "job", fields, &saved, err))
        return NULL;
    k = gpu_compute_start(c, as, saved.address, &out);
    if (!k)
        return error_null(err, "no job");
    fake_starts--;
    k->done = saved.done;
    return k;
}

void gpu_cores_save(const struct gpu_cores *c, struct state_buf *buf)
{
    (void)c, (void)buf;
}

bool gpu_cores_load(struct gpu_cores *c, const struct state_buf *buf, struct error *err)
{
    (void)c, (void)buf, (void)err;
    return true;
}

void gpu_compute_shape(const struct gpu_compute *k, struct gpu_job_shape *out)
{
    *out = (struct gpu_job_shape){.shader = k->job.target,
                                  .groups = {k->job.steps, 1, 1},
                                  .local = {4, 2, 1},
                                  .begun = k->done,
                                  .total = k->job.steps};
}

/* Jobs of fake cores have no shader code to walk. */
bool gpu_walk_shader(const struct gpu_isa *isa, const struct gpu_address_space *as, uint64_t start,
                     uint32_t uniforms, gpu_walk_fn *visit, void *opaque)
{
    (void)isa, (void)as, (void)start, (void)uniforms, (void)visit, (void)opaque;
    return false;
}

static bool touch_target(struct gpu_compute *k, struct gpu_outcome *out)
{
    struct gpu_page page;
    uint8_t word[4];

    if (k->job.code) {
        out->fault.va = k->job.target;
        out->fault.access = GPU_ACCESS_EXECUTE;
        out->fault.code = k->as->translate(k->as->opaque, k->job.target, GPU_ACCESS_EXECUTE, &page);
        return !out->fault.code;
    }
    le_put(word, 4, k->done + 1);
    return gpu_memory_write(k->as, k->job.target + 4 * (uint64_t)(k->done & 0xff), word, 4,
                            &out->fault);
}

void gpu_compute_step(struct gpu_compute *k, struct gpu_outcome *out)
{
    fake_steps++;
    *out = (struct gpu_outcome){.progress = GPU_PROGRESS_MORE};
    out->cycles = k->job.cycles ? k->job.cycles : 1;
    stats.total.cycles += out->cycles;
    if (k->done < k->job.steps && !touch_target(k, out)) {
        out->progress = GPU_PROGRESS_FAULT;
        return;
    }
    k->done += k->job.steps != FAKE_ENDLESS || k->done < 1000;
    stats.total.groups++;
    if (k->done < k->job.steps)
        return;
    out->progress = k->job.failure ? GPU_PROGRESS_FAILED : GPU_PROGRESS_DONE;
    out->code = k->job.failure;
    out->address = k->address;
}

void gpu_compute_free(struct gpu_compute *k)
{
    fake_live -= k != NULL;
    free(k);
}
