/* The monitor's commands about the GPU. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/base/values.h"
#include "runtime/gpu/variant.h"
#include "runtime/machine/history.h"
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

/* ---- watched memory -------------------------------------------------------------------------- */

static bool find_in_space(const struct monitor_call *c, unsigned space, uint64_t va, uint64_t *pa)
{
    void *gpu = machine_find_device(c->m, &gpu_class);
    const uint8_t *host = gpu ? gpu_device_find(gpu, space, va) : NULL;

    for (size_t n = 0; host && n < c->m->bus->count; n++) {
        const struct bus_region *r = c->m->bus->regions[n];

        if (r->kind == BUS_MMIO || host < r->host || host >= r->host + r->size)
            continue;
        *pa = r->base + (uint64_t)(host - r->host);
        return true;
    }
    return false;
}

/* The physical address behind ADDRESS of "physical", "virtual" or a GPU's address space. */
static bool find_address(const struct monitor_call *c, const char *kind, uint64_t address,
                         uint64_t *pa, struct error *err)
{
    uint64_t space;
    bool found;

    *pa = address;
    if (!strcmp(kind, "physical"))
        return true;
    if (!strcmp(kind, "virtual"))
        found = cpu_memory_find(c->cpu, address, pa);
    else if (!value_number(kind, "gpu watch", 0, UINT32_MAX, &space, err))
        return error_set(err,
                         "an address is of 'physical', 'virtual' or the number of an address "
                         "space, not of '%.40s'",
                         kind);
    else
        found = find_in_space(c, (unsigned)space, address, pa);
    return found || error_set(err, "0x%" PRIx64 " is not mapped", address);
}

/* KIND ADDRESS [BYTES], or "none". */
static bool gpu_watch(const struct monitor_call *c, struct error *err)
{
    uint64_t address, bytes = 4, pa;
    char kind[32], at[32], count[32];
    int words = sscanf(c->arg, "%31s %31s %31s", kind, at, count);

    if (!c->m->history)
        return error_set(err, "there is no history without -reverse");
    if (words == 1 && !strcmp(kind, "none"))
        return history_watch_gpu(c->m, 0, 0, err);
    if (words < 2)
        return error_set(err, "gpu watch takes 'none' or KIND ADDRESS [BYTES]");
    if (!value_number(at, "gpu watch", 0, UINT64_MAX, &address, err) ||
        (words > 2 && !value_number(count, "gpu watch", 1, BUS_PAGE_SIZE, &bytes, err)) ||
        !find_address(c, kind, address, &pa, err) || !history_watch_gpu(c->m, pa, bytes, err))
        return false;
    fprintf(c->out, "%" PRIu64 " bytes at physical 0x%" PRIx64 "\n", bytes, pa);
    return true;
}

static bool gpu_writer(const struct monitor_call *c, struct error *err)
{
    uint64_t around = 1;

    if (*c->arg && !value_number(c->arg, "gpu writer", 0, UINT32_MAX, &around, err))
        return false;
    if (!c->m->history || !history_print_writer(c->m, around, c->out))
        fputs("no watchpoint has stopped at a shader\n", c->out);
    return true;
}

static const struct monitor_row rows[] = {
    {"info", NULL, "slots, address spaces, interrupts, counters", monitor_gpu_state, false, NULL},
    {"jobs", "[COUNT]", "jobs that ended last: when, where, kernel, size, time, result",
     monitor_gpu_jobs, false, NULL},
    {"stats", NULL, "its counters", gpu_stats, false, NULL},
    {"watch", "none | physical|virtual|SPACE ADDRESS [BYTES]",
     "reverse-continue stops where shaders write there; SPACE: number of an address space",
     gpu_watch, true, NULL},
    {"writer", "[COUNT]", "where it stopped, and COUNT bundles before and behind", gpu_writer,
     false, NULL},
};
const struct monitor_table monitor_gpu = {rows, ARRAY_SIZE(rows), "GPU command"};
