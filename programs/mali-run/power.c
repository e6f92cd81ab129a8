/* -power: the energy and mean power of jobs, from the time model's counts. */
#include <inttypes.h>
#include <string.h>

#include "programs/mali-run/timing.h"
#include "runtime/gpu/variant.h"

bool run_power_resolve(struct run_power *p, const struct run_timing_options *o,
                       const struct gpu_variant *v, struct timing_shape *shape, struct error *err)
{
    *p = (struct run_power){.model = {v->power, v->clock_mhz}};
    if (o->clock.mhz)
        shape->clock_mhz = o->clock.mhz;
    p->at = power_point_for(v->points, v->point_count, shape->clock_mhz);
    if (o->clock.millivolt)
        p->at.millivolt = o->clock.millivolt;
    for (size_t i = 0; i < o->power_settings.len; i++) {
        const char *text = o->power_settings.data[i];

        if (!strcmp(text, "NAME=help") || !strcmp(text, "help"))
            power_params_print(&p->model.params, &v->power_source, stdout);
        else if (!power_params_set(&p->model.params, text, err))
            return false;
    }
    return true;
}

struct power_energy run_power_job(const struct run_power *p, const struct timing_params *params,
                                  const struct timing_shape *shape, enum timing_fidelity fidelity,
                                  const struct timing_job *job)
{
    struct power_energy e = {{0}, {0}};
    struct timing_result r;
    struct power_job j;

    power_job_begin(&j, &p->model, job);
    timing_run_wanted(params, shape, fidelity, job, &r,
                      &(struct timing_wanted){.stay = power_job_stay, .opaque = &j});
    power_job_end(&j, &r, &e);
    for (unsigned i = 0; i < POWER_PARTS; i++)
        e.part[i] = power_scaled(&p->model, &p->at, e.part[i]);
    for (unsigned i = 0; i < POWER_CORES; i++)
        e.core[i] = power_scaled(&p->model, &p->at, e.core[i]);
    power_add_base(&p->model, &p->at, &(struct power_state){shape->cores, true},
                   r.ticks / shape->clock_mhz, &e);
    return e;
}

/* Returns the mean power in W of an energy in pJ over a time in ns. */
static double mean_watts(uint64_t energy, double ns)
{
    return ns ? (double)energy / ns / 1000 : 0;
}

void run_power_print(const struct run_power *p, const struct power_energy *e,
                     const struct timing_result *r, const struct timing_shape *shape, FILE *out)
{
    double ns = (double)r->ticks / shape->clock_mhz;

    fprintf(out, "  at %" PRIu32 " MHz, %" PRIu32 " mV: %.6f W, %.3f uJ in %.3f us\n", p->at.mhz,
            p->at.millivolt, mean_watts(power_sum(e), ns), (double)power_sum(e) / 1e6, ns / 1000);
    for (unsigned i = 0; i < POWER_PARTS; i++)
        fprintf(out, "  %-14s %.6f W, %" PRIu64 " pJ\n", power_part_name(i),
                mean_watts(e->part[i], ns), e->part[i]);
    for (unsigned i = 0; i < shape->cores && i < POWER_CORES; i++)
        fprintf(out, "  core %-9u %.6f W, %" PRIu64 " pJ\n", i, mean_watts(e->core[i], ns),
                e->core[i]);
}
