/*
 * The GPU's clock, and the energy meter of its supply.
 *
 * The energy of a job's step is spread evenly over the step. The base power depends on which cores
 * are powered. Between such changes the power is constant, so the meter is advanced only when
 * something changes or the meter is read; at other times it costs nothing.
 */
#include <inttypes.h>
#include <stdio.h>

#include "runtime/gpu/internal.h"
#include "runtime/obs/stats.h"

enum { PJ_PER_UJ = 1000000, WINDOW_NS = 1000000 };

static struct power_model model_of(const struct gpu *gpu)
{
    return (struct power_model){gpu->variant->power, gpu->variant->clock_mhz};
}

static struct power_state state_of(const struct gpu *gpu)
{
    const struct gpu_power *p = gpu->control.power;

    return (struct power_state){(unsigned)__builtin_popcountll(p[GPU_DOMAIN_SHADER].ready),
                                p[GPU_DOMAIN_L2].ready != 0};
}

/* ---- the meter ------------------------------------------------------------------------------- */

/* Adds what a step takes in the `ns` nanoseconds from `since_ns` on. */
static void add_energy(struct gpu_meter_step *s, uint64_t since_ns, uint64_t ns,
                       struct power_energy *total)
{
    for (unsigned i = 0; s->until_ns > since_ns && i < POWER_PARTS; i++) {
        uint64_t left = s->until_ns - since_ns, part = s->pending[i];

        if (ns < left)
            part = (uint64_t)((unsigned __int128)part * ns / left);
        total->part[i] += part;
        s->pending[i] -= part;
    }
}

/* Adds the energy that the GPU takes from m->since_ns until `to_ns`. */
static void add_until(struct gpu_meter *m, const struct gpu *gpu, uint64_t to_ns)
{
    const struct power_model model = model_of(gpu);
    const struct power_state on = state_of(gpu);
    uint64_t ns = to_ns - m->since_ns;

    power_add_base(&model, &gpu->at, &on, ns, &m->total);
    for (unsigned n = 0; n < METER_STEPS; n++)
        add_energy(&m->step[n], m->since_ns, ns, &m->total);
    m->since_ns = to_ns;
}

/* Ends the current window at `ns`, which yields its mean power, and begins the next. */
static void turn_window(struct gpu_meter *m, uint64_t ns)
{
    uint64_t sum = power_sum(&m->total);

    if (ns > m->window_ns)
        m->microwatt = (sum - m->window_energy) * 1000 / (ns - m->window_ns);
    m->window_ns = ns;
    m->window_energy = sum;
}

/* Advances a meter to `now`. If several windows have passed, the last whole one sets the power. */
static void advance_meter(struct gpu_meter *m, const struct gpu *gpu, uint64_t now)
{
    uint64_t last = now - now % WINDOW_NS;

    if (last > m->window_ns) {
        if (last > m->window_ns + WINDOW_NS && last - WINDOW_NS > m->since_ns) {
            add_until(m, gpu, last - WINDOW_NS);
            turn_window(m, last - WINDOW_NS);
        }
        add_until(m, gpu, last);
        turn_window(m, last);
    }
    add_until(m, gpu, now);
}

void gpu_meter_advance(struct gpu *gpu)
{
    if (gpu_metered(gpu))
        advance_meter(&gpu->meter, gpu, clock_now(gpu->env->clock));
}

/* Returns a copy of the meter that is advanced to the present; the GPU does not change. */
static struct gpu_meter meter_now(const struct gpu *gpu)
{
    struct gpu_meter m = gpu->meter;

    advance_meter(&m, gpu, clock_now(gpu->env->clock));
    return m;
}

/* Adds the clocks of shared parts for the part of a step that no other slot's step has covered. */
static void add_shared(struct gpu_meter *m, const struct gpu *gpu, uint64_t end, uint64_t cycles)
{
    const struct power_model model = model_of(gpu);
    struct gpu_meter_step *shared = &m->step[METER_SHARED];
    uint64_t begin = m->since_ns;

    if (shared->until_ns >= end)
        return;
    if (shared->until_ns > begin)
        cycles = (uint64_t)((unsigned __int128)cycles * (end - shared->until_ns) / (end - begin));
    /* uW times cycles over MHz are pJ */
    shared->pending[POWER_CLOCKS] +=
        power_scaled(&model, &gpu->at, model.params.gpu_active * cycles / model.clock_mhz);
    shared->until_ns = end;
}

static void begin_step(struct gpu *gpu, unsigned slot, uint64_t cycles)
{
    const struct power_model model = model_of(gpu);
    struct gpu_meter *m = &gpu->meter;
    struct gpu_meter_step *step = &m->step[slot];
    struct power_energy e = {{0}, {0}};
    uint64_t now = clock_now(gpu->env->clock);

    advance_meter(m, gpu, now);
    gpu_model_energy(gpu->cores, &e);
    step->until_ns = now + gpu_cycles_to_ns(gpu, cycles);
    for (unsigned i = 0; i < POWER_PARTS; i++)
        step->pending[i] += power_scaled(&model, &gpu->at, e.part[i]);
    for (unsigned i = 0; i < POWER_CORES; i++) {
        gpu->job_core[i] = power_scaled(&model, &gpu->at, e.core[i]);
        m->total.core[i] += gpu->job_core[i];
    }
    add_shared(m, gpu, step->until_ns, cycles);
}

void gpu_meter_step(struct gpu *gpu, unsigned slot, uint64_t cycles)
{
    if (gpu_metered(gpu))
        begin_step(gpu, slot, cycles);
}

static void notify_observers(struct gpu *gpu)
{
    const struct power_model model = model_of(gpu);
    const struct power_state on = state_of(gpu);
    uint64_t now = clock_now(gpu->env->clock), sum = power_base_uw(&model, &gpu->at, &on);

    advance_meter(&gpu->meter, gpu, now);
    for (unsigned n = 0; n < METER_STEPS; n++) {
        const struct gpu_meter_step *s = &gpu->meter.step[n];

        for (unsigned i = 0; s->until_ns > now && i < POWER_PARTS; i++)
            sum += s->pending[i] * 1000 / (s->until_ns - now);
    }
    gpu_observe_power(gpu, now, sum);
}

void gpu_meter_tell(struct gpu *gpu)
{
    if (gpu_metered(gpu))
        notify_observers(gpu);
}

void gpu_meter_reset(struct gpu *gpu)
{
    gpu->meter = (struct gpu_meter){.since_ns = clock_now(gpu->env->clock)};
    gpu->meter.window_ns = gpu->meter.since_ns;
}

void gpu_meter_post_load(struct gpu *gpu)
{
    struct gpu_meter *m = &gpu->meter;
    uint64_t now = clock_now(gpu->env->clock);

    if (m->since_ns > now)
        m->since_ns = now;
    if (m->window_ns > m->since_ns)
        m->window_ns = m->since_ns;
    if (!gpu->at.mhz || gpu->at.mhz > 10000 || gpu->at.millivolt < 100 || gpu->at.millivolt > 2000)
        gpu->at = gpu->supply->offers[gpu->supply->initial].at;
    gpu->supply->at = gpu->at;
    if (gpu->cores)
        gpu_model_clock(gpu->cores, gpu->at.mhz);
}

/* ---- the supply ------------------------------------------------------------------------------ */

static void change_operating_point(void *opaque, struct power_point to)
{
    struct gpu *gpu = opaque;
    struct gpu_control *c = &gpu->control;

    gpu_meter_advance(gpu);
    c->cycles = gpu_cycle_count(gpu);
    c->count_since = clock_now(gpu->env->clock);
    gpu->at = gpu->supply->at = to;
    if (gpu->cores)
        gpu_model_clock(gpu->cores, to.mhz);
    log_printf(gpu->env->log, LOG_GPU, "gpu: %" PRIu32 " MHz, %" PRIu32 " mV\n", to.mhz,
               to.millivolt);
}

static bool read_supply(void *opaque, struct gpu_reading *out)
{
    const struct gpu *gpu = opaque;
    struct gpu_meter m;

    if (!gpu_metered(gpu))
        return false;
    m = meter_now(gpu);
    *out = (struct gpu_reading){m.microwatt, power_sum(&m.total) / PJ_PER_UJ};
    return true;
}

void gpu_supply_connect(struct gpu *gpu)
{
    struct gpu_supply *s = gpu->env->gpu->supply;

    if (!s) {
        s = &gpu->own_supply;
        *s = (struct gpu_supply){.count = 1};
        s->offers[0].at =
            (struct power_point){gpu->variant->clock_mhz, (uint32_t)gpu->variant->power.voltage};
    }
    gpu->supply = s;
    gpu->at = s->at = s->offers[s->initial].at;
    s->gpu = gpu;
    s->change = change_operating_point;
    s->read = read_supply;
}

void gpu_supply_disconnect(struct gpu *gpu)
{
    if (!gpu->supply)
        return;
    gpu->supply->change = NULL;
    gpu->supply->read = NULL;
}

/* ---- statistics ------------------------------------------------------------------------------ */

static uint64_t part_uj(const void *opaque)
{
    const struct gpu_meter_stat *s = opaque;

    return meter_now(s->gpu).total.part[s->n] / PJ_PER_UJ;
}

static uint64_t core_uj(const void *opaque)
{
    const struct gpu_meter_stat *s = opaque;

    return s->gpu->meter.total.core[s->n] / PJ_PER_UJ;
}

static uint64_t total_uj(const void *opaque)
{
    const struct gpu_meter_stat *s = opaque;
    const struct gpu_meter m = meter_now(s->gpu);

    return power_sum(&m.total) / PJ_PER_UJ;
}

void gpu_meter_register(struct gpu *gpu)
{
    struct stats *stats = gpu->env->stats;
    char name[40];

    for (unsigned i = 0; i < POWER_CORES; i++)
        gpu->meter_stat[i] = (struct gpu_meter_stat){gpu, i};
    stats_add_fn(stats, "gpu/power", "energy_uj", total_uj, &gpu->meter_stat[0]);
    for (unsigned i = 0; i < POWER_PARTS; i++) {
        snprintf(name, sizeof(name), "%s_uj", power_part_name(i));
        stats_add_fn(stats, "gpu/power", name, part_uj, &gpu->meter_stat[i]);
    }
    for (unsigned i = 0; i < gpu->variant->cores && i < POWER_CORES; i++) {
        snprintf(name, sizeof(name), "core%u_uj", i);
        stats_add_fn(stats, "gpu/power", name, core_uj, &gpu->meter_stat[i]);
    }
}
