/* Builds, resets and frees a machine. */
#include "runtime/machine/machine.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/machine/debugger.h"
#include "runtime/machine/gpu_debugger.h"
#include "runtime/machine/firmware.h"
#include "runtime/report/report.h"
#include "runtime/machine/kernel_names.h"
#include "runtime/machine/replay.h"
#include "runtime/machine/snapshot.h"

/* Ticks of a turn while one CPU runs alone (cpu_group.alone). */
enum { ALONE = 1000000 };

static bool open_log(struct machine *m, struct error *err)
{
    const struct options *o = m->options;

    if (o->log_channels && !log_parse_channels(&m->log, o->log_channels, err))
        return false;
    return !o->log_file || log_open_file(&m->log, o->log_file, err);
}

static bool add_memory(struct machine *m, struct error *err)
{
    for (unsigned i = 0; i < m->bank_count; i++) {
        if (!bus_add_ram(m->bus, "ram", m->banks[i].base, m->banks[i].size, err))
            return false;
    }
    return true;
}

static bool add_cpus(struct machine *m, struct error *err)
{
    if (!cpu_choice_read(&m->choice, m->platform->isa, m->info.cpus, m->options->cpu, err))
        return false;
    if (!machine_timing_open(m, err))
        return false;
    for (unsigned i = 0; i < m->cpu_count; i++) {
        const struct platform_cpu which = {m->dt, m->cpu_nodes[i], m->cpu_count, m->choice.name};
        struct cpu *cpu =
            cpu_new_large(machine_timing_isa(m, i), i, m->bus, &m->clock, &m->log, err);

        m->cpus[i] = cpu;
        if (!cpu || !platform_configure_cpu(&m->info, &which, cpu, err))
            return false;
        cpu_choice_apply(&m->choice, cpu);
        if (m->options->ps_per_tick)
            cpu_set_speed(cpu, 0); /* -icount sets the speed of all CPUs */
    }
    if (!cpu_group_init(&m->group, m->cpus, m->cpu_count, m->bus, &m->clock, err))
        return false;
    m->grouped = true;
    if (m->options->ps_per_tick)
        m->group.ps_per_tick = m->options->ps_per_tick;
    /* With -cpu-timing turns stay short, since the time of memory accesses is added to a turn's. */
    m->group.lone_quantum = m->timing ? 0 : ALONE;
    machine_timing_apply(m);
    cpu_group_count(&m->group, m->options->stats_dir != NULL);
    return jit_open(&m->jit, m->group.code, &m->log, &m->options->jit, err);
}

static void find_console(struct machine *m)
{
    const struct dt_node *chosen = dt_find(m->dt, "/chosen");
    const char *path = chosen ? dt_string(m->dt, chosen, "stdout-path", 0) : NULL;

    m->console = dt_find(m->dt, path ? path : "serial0"); /* no stdout-path: the first port */
}

static bool build_machine(struct machine *m, bool (*watch)(struct machine *m, struct error *err),
                          struct error *err)
{
    if (!open_log(m, err) || !platform_open(m->platform, &m->info, err) ||
        !machine_read_boot(m, err) || !machine_open_functions(m, err) ||
        !machine_load_tree(m, err) || !machine_place_boot(m, err) || !machine_finish_tree(m, err))
        return false;
    find_console(m);
    machine_open_progress(m);
    machine_open_jobs(m);
    if (!add_memory(m, err) || !add_cpus(m, err) || !machine_open_sampler(m, err) ||
        !watch(m, err) || !machine_open_consoles(m, err) || !machine_add_devices(m, err))
        return false;
    m->firmware = firmware_new(m, err);
    if (!m->firmware || !machine_start_display(m, err))
        return false;
    if (m->options->gdb && !debugger_new(m, err))
        return false;
    m->paused = m->options->wait_gdb && !m->options->gdb;
    return gpu_debugger_new(m, err);
}

struct machine *machine_new(const struct platform *platform, const struct options *options,
                            struct leave *leave,
                            bool (*watch)(struct machine *m, struct error *err), struct error *err)
{
    struct machine *m = xcalloc(1, sizeof(*m));

    m->platform = platform;
    m->options = options;
    m->leave = leave;
    clock_init(&m->clock);
    m->bus = bus_new(&m->log);
    m->stats = stats_new();
    if (machine_open_journal(m, err) && build_machine(m, watch, err))
        return m;
    machine_free(m);
    return NULL;
}

void machine_free(struct machine *m)
{
    struct error ignored;

    if (!m)
        return;
    debugger_free(m->debugger);
    gpu_debugger_free(m);
    machine_free_display(m);
    firmware_free(m->firmware);
    machine_free_devices(m);
    machine_close_backends(m);
    if (m->watch.opaque)
        m->watch.close(m->watch.opaque);
    display_free(m->display);
    if (m->grouped)
        cpu_group_free(&m->group);
    for (unsigned i = 0; i < m->cpu_count; i++) {
        if (m->cpus[i])
            cpu_free(m->cpus[i]);
    }
    machine_free_progress(m);
    machine_free_jobs(m);
    machine_free_sampler(m);
    machine_free_snapshots(m);
    journal_close(m->journal, &ignored);
    report_free(m->report);
    kernel_names_free(m->names);
    gpu_core_plan_free(m->core_plan);
    machine_timing_free(m);
    machine_free_boot(m);
    dt_free(m->dt);
    platform_close(&m->info);
    stats_free(m->stats);
    bus_free(m->bus);
    clock_free(&m->clock);
    log_close(&m->log);
    free(m);
}

bool machine_reset(struct machine *m, struct error *err)
{
    m->reset_wanted = false;
    for (unsigned i = 0; i < m->cpu_count; i++) {
        cpu_set_power(m->cpus[i], false);
        cpu_reset(m->cpus[i]);
    }
    machine_reset_devices(m);
    if (!machine_load_boot(m, err))
        return false;
    cpu_set_power(m->cpus[0], true);
    machine_restart_sampler(m);
    return true;
}
