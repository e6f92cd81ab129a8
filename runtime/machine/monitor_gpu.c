/* The monitor's commands about the GPU. */
#include "runtime/base/bits.h"
#include "runtime/base/values.h"
#include "runtime/gpu/variant.h"
#include "runtime/machine/monitor_internal.h"

enum { JOBS_SHOWN = 10 };

static bool has_gpu(const struct monitor_call *c)
{
    if (!c->m->gpu.variant)
        fprintf(c->out, "the machine has no GPU\n");
    return c->m->gpu.variant;
}

bool monitor_gpu_state(const struct monitor_call *c, struct error *err)
{
    const struct gpu_variant *v = c->m->gpu.variant;
    const void *gpu = machine_find_device(c->m, &gpu_class);

    (void)err;
    if (!has_gpu(c))
        return true;
    fprintf(c->out, "%s (%s, shader ISA %s), %u MHz\n", v->title, v->compatible, v->isa,
            v->clock_mhz);
    if (gpu)
        gpu_device_print(gpu, c->out);
    stats_print(c->m->stats, "gpu", c->out);
    return true;
}

bool monitor_gpu_jobs(const struct monitor_call *c, struct error *err)
{
    uint64_t count = JOBS_SHOWN;

    if (*c->arg && !value_number(c->arg, "jobs", 1, UINT32_MAX, &count, err))
        return false;
    if (has_gpu(c))
        machine_print_jobs(c->m, count, c->out);
    return true;
}

static bool gpu_stats(const struct monitor_call *c, struct error *err)
{
    (void)err;
    if (has_gpu(c))
        stats_print(c->m->stats, "gpu", c->out);
    return true;
}

static const struct monitor_row rows[] = {
    {"info", NULL, "slots, address spaces, interrupts, counters", monitor_gpu_state, false, NULL},
    {"jobs", "[COUNT]", "jobs that ended last: when, where, kernel, size, time, result",
     monitor_gpu_jobs, false, NULL},
    {"stats", NULL, "its counters", gpu_stats, false, NULL},
};
const struct monitor_table monitor_gpu = {rows, ARRAY_SIZE(rows), "GPU command"};
