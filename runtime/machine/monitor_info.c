/* What the monitor's `info` prints. */
#include <inttypes.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/base/cli.h"
#include "runtime/dev/chardev.h"
#include "runtime/display/display.h"
#include "runtime/machine/monitor_internal.h"

/* ---- info ------------------------------------------------------------------------------------ */

static void show_register(const struct monitor_call *c, struct cpu_view v)
{
    uint8_t value[CPU_REGISTER_BYTES] = {0};
    unsigned bytes = cpu_register_read(c->cpu, v, value);
    char name[40];

    if (v.reg->count > 1)
        snprintf(name, sizeof(name), "%s%u", v.reg->name, v.index);
    else
        snprintf(name, sizeof(name), "%s", v.reg->name);
    fprintf(c->out, "%-20s 0x", name);
    while (bytes)
        fprintf(c->out, "%02x", value[--bytes]);
    fputc('\n', c->out);
}

/* Whether an earlier register has the same storage, so that `r` is another name of it. */
static bool is_view(const struct cpu_isa *isa, const struct cpu_register *r)
{
    for (const struct cpu_register *other = isa->registers; other < r; other++) {
        if (!other->is_sysreg && other->offset != CPU_NO_STORAGE && r->offset >= other->offset &&
            r->offset < other->offset + other->count * other->stride)
            return true;
    }
    return false;
}

static void show_registers(const struct monitor_call *c, bool system)
{
    const struct cpu_isa *isa = cpu_isa_of(c->cpu);

    for (unsigned n = 0; n < isa->register_count; n++) {
        const struct cpu_register *r = &isa->registers[n];

        if (r->is_sysreg != system || (!system && is_view(isa, r)))
            continue;
        for (unsigned i = 0; i < r->count; i++)
            show_register(c, (struct cpu_view){r, i});
    }
}

static bool info_registers(const struct monitor_call *c, struct error *err)
{
    struct monitor_call each = *c;

    if (!*c->arg) {
        show_registers(c, false);
        return true;
    }
    if (strcmp(c->arg, "-a"))
        return error_set(err, "'info registers' takes -a, for those of all CPUs");
    for (unsigned i = 0; i < c->m->cpu_count; i++) {
        fprintf(c->out, "CPU#%u\n", i);
        each.cpu = c->m->cpus[i];
        show_registers(&each, false);
    }
    return true;
}

static bool info_sysregs(const struct monitor_call *c, struct error *err)
{
    (void)err;
    show_registers(c, true);
    return true;
}

static bool info_cpus(const struct monitor_call *c, struct error *err)
{
    const struct machine *m = c->m;

    (void)err;
    for (unsigned i = 0; i < m->cpu_count; i++) {
        const struct cpu *cpu = m->cpus[i];

        fprintf(c->out, "%c CPU#%u %s: %s, PC 0x%" PRIx64 ", %" PRIu64 " instructions\n",
                cpu == c->cpu ? '*' : ' ', i, dt_string(m->dt, m->cpu_nodes[i], "compatible", 0),
                !cpu_is_powered(cpu) ? "off"
                : cpu_is_halted(cpu) ? "waits"
                                     : "runs",
                cpu_pc(cpu), cpu_insns_now(cpu));
    }
    return true;
}

static bool info_mem(const struct monitor_call *c, struct error *err)
{
    static const char *const kinds[] = {
        [BUS_RAM] = "RAM", [BUS_ROM] = "ROM", [BUS_MMIO] = "device"};
    const struct bus *bus = c->m->bus;

    (void)err;
    for (size_t i = 0; i < bus->count; i++) {
        const struct bus_region *r = bus->regions[i];

        fprintf(c->out, "%012" PRIx64 "..%012" PRIx64 " %-6s %s", r->base, r->base + r->size - 1,
                kinds[r->kind], r->name);
        if (r->kind == BUS_MMIO)
            fprintf(c->out, ", %" PRIu64 " reads, %" PRIu64 " writes", r->reads, r->writes);
        fputc('\n', c->out);
    }
    return true;
}

static bool info_devices(const struct monitor_call *c, struct error *err)
{
    (void)err;
    machine_list_devices(c->m, c->out);
    return true;
}

static bool info_stats(const struct monitor_call *c, struct error *err)
{
    (void)err;
    stats_print(c->m->stats, c->arg, c->out);
    return true;
}

/* ---- what is connected ----------------------------------------------------------------------- */

static bool info_version(const struct monitor_call *c, struct error *err)
{
    (void)err;
    cli_print_version(c->m->platform->name, c->out);
    return true;
}

static bool info_status(const struct monitor_call *c, struct error *err)
{
    (void)err;
    fprintf(c->out, "VM status: %s\n", c->m->paused ? "paused" : "running");
    return true;
}

static bool info_block(const struct monitor_call *c, struct error *err)
{
    unsigned n = 0;

    (void)err;
    vec_for_each (&c->m->options->drives, d)
        fprintf(c->out, "drive%u: %s (%s%s%s)\n", n++, d->file, d->socket ? d->socket : "virtio",
                d->read_only ? ", read-only" : "", d->snapshot ? ", snapshot" : "");
    return true;
}

static bool info_network(const struct monitor_call *c, struct error *err)
{
    unsigned n = 0;

    (void)err;
    vec_for_each (&c->m->options->nets, net) {
        fprintf(c->out, "net%u: user, model=%s%s", n++, net->model ? net->model : "virtio",
                net->restricted ? ", restrict=on" : "");
        for (size_t i = 0; i < net->host_forward.len; i++)
            fprintf(c->out, ", hostfwd=%s", net->host_forward.data[i]);
        fputc('\n', c->out);
    }
    return true;
}

static bool info_chardev(const struct monitor_call *c, struct error *err)
{
    (void)err;
    for (size_t i = 0; i < c->m->chardevs.len; i++)
        fprintf(c->out, "serial%zu: %s\n", i, chardev_describe(c->m->chardevs.data[i]));
    return true;
}

static bool info_display(const struct monitor_call *c, struct error *err)
{
    (void)err;
    display_print(c->m->display, c->out);
    return true;
}

static bool info_time(const struct monitor_call *c, struct error *err)
{
    uint64_t ns = c->m->clock.now;

    (void)err;
    fprintf(c->out, "%" PRIu64 ".%09" PRIu64 " s of virtual time\n", ns / NS_PER_SEC,
            ns % NS_PER_SEC);
    return true;
}

/* QEMU's names, and what they were called here first. */
static const struct monitor_row infos[] = {
    {"version", NULL, "the simulator's version", info_version, false, NULL},
    {"status", NULL, "whether the machine runs", info_status, false, NULL},
    {"registers", "[-a]", "registers of the CPU, or of all", info_registers, false, NULL},
    {"sysregs", NULL, "its system registers", info_sysregs, false, NULL},
    {"cpus", NULL, "CPUs and what they do", info_cpus, false, NULL},
    {"mtree|mem", NULL, "what lies where in physical memory", info_mem, false, NULL},
    {"qtree|devices", NULL, "devices, by the nodes of the device tree", info_devices, false, NULL},
    {"block", NULL, "disks", info_block, false, NULL},
    {"network", NULL, "network cards", info_network, false, NULL},
    {"chardev", NULL, "serial ports", info_chardev, false, NULL},
    {"display", NULL, "display controllers, and which one the screen shows", info_display, false,
     NULL},
    {"gpu", NULL, "the GPU: slots, address spaces, interrupts, counters", monitor_gpu_state, false,
     NULL},
    {"jobs", "[COUNT]", "jobs of the GPU that ended last", monitor_gpu_jobs, false, NULL},
    {"snapshots", NULL, "snapshots of the machine, and their sizes", monitor_snapshots, false,
     NULL},
    {"history", NULL, "the states that -reverse keeps", monitor_history, false, NULL},
    {"stats", "[GROUP]", "what was counted so far", info_stats, false, NULL},
    {"time", NULL, "virtual time since power-on", info_time, false, NULL},
};
const struct monitor_table monitor_infos = {infos, ARRAY_SIZE(infos), "such info as"};
