/* Commands of GDB's `monitor`: a table of commands, and a table of what `info` prints. */
#include "runtime/machine/monitor.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/base/values.h"
#include "runtime/gpu/variant.h"

#define MAX_DUMP_BYTES 4096

struct call {
    struct machine *m;
    struct cpu *cpu;
    const char *arg; /* the text behind the command; "": none */
    FILE *out;
};

typedef bool command_fn(const struct call *c, struct error *err);

struct command {
    const char *name, *arg, *help;
    command_fn *run;
    bool needs_arg;
};

/* ---- info ------------------------------------------------------------------------------------ */

static void show_register(const struct call *c, struct cpu_view v)
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

static void show_registers(const struct call *c, bool system)
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

static bool info_registers(const struct call *c, struct error *err)
{
    (void)err;
    show_registers(c, false);
    return true;
}

static bool info_sysregs(const struct call *c, struct error *err)
{
    (void)err;
    show_registers(c, true);
    return true;
}

static bool info_cpus(const struct call *c, struct error *err)
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

static bool info_mem(const struct call *c, struct error *err)
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

static bool info_devices(const struct call *c, struct error *err)
{
    (void)err;
    machine_list_devices(c->m, c->out);
    return true;
}

static bool info_gpu(const struct call *c, struct error *err)
{
    const struct gpu_variant *v = c->m->gpu.variant;

    (void)err;
    if (!v) {
        fprintf(c->out, "the machine has no GPU\n");
        return true;
    }
    fprintf(c->out, "%s (%s, shader ISA %s), %u MHz\n", v->title, v->compatible, v->isa,
            v->clock_mhz);
    stats_print(c->m->stats, "gpu", c->out);
    return true;
}

static bool info_stats(const struct call *c, struct error *err)
{
    (void)err;
    stats_print(c->m->stats, c->arg, c->out);
    return true;
}

static bool info_time(const struct call *c, struct error *err)
{
    uint64_t ns = c->m->clock.now;

    (void)err;
    fprintf(c->out, "%" PRIu64 ".%09" PRIu64 " s of virtual time\n", ns / NS_PER_SEC,
            ns % NS_PER_SEC);
    return true;
}

static const struct command infos[] = {
    {"registers", NULL, "registers of this thread's CPU", info_registers, false},
    {"sysregs", NULL, "its system registers", info_sysregs, false},
    {"cpus", NULL, "CPUs and what they do", info_cpus, false},
    {"mem", NULL, "what lies where in physical memory", info_mem, false},
    {"devices", NULL, "devices, by the nodes of the device tree", info_devices, false},
    {"gpu", NULL, "the GPU, and what it has counted", info_gpu, false},
    {"stats", "[GROUP]", "what was counted so far", info_stats, false},
    {"time", NULL, "virtual time since power-on", info_time, false},
};

/* ---- commands -------------------------------------------------------------------------------- */

static bool run_info(const struct call *c, struct error *err);
static bool run_help(const struct call *c, struct error *err);

static bool run_log(const struct call *c, struct error *err)
{
    if (!strcmp(c->arg, "help")) {
        log_help(c->out);
        return true;
    }
    if (!strcmp(c->arg, "none")) {
        c->m->log.mask = 0;
        return true;
    }
    return log_parse_channels(&c->m->log, c->arg, err);
}

static bool run_screendump(const struct call *c, struct error *err)
{
    return machine_dump_screen(c->m, c->arg, err);
}

static bool run_stats(const struct call *c, struct error *err)
{
    return stats_write(c->m->stats, c->arg, err);
}

static bool run_translate(const struct call *c, struct error *err)
{
    uint64_t va = 0, pa = 0;

    if (!value_number(c->arg, "translate", 0, UINT64_MAX, &va, err))
        return false;
    if (!cpu_memory_find(c->cpu, va, &pa))
        return error_set(err, "0x%" PRIx64 " is not mapped", va);
    fprintf(c->out, "0x%" PRIx64 "\n", pa);
    return true;
}

static void show_bytes(const struct call *c, uint64_t pa, const uint8_t *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (i % 16 == 0)
            fprintf(c->out, "%012" PRIx64 ":", pa + i);
        fprintf(c->out, " %02x", bytes[i]);
        if (i % 16 == 15 || i + 1 == count)
            fputc('\n', c->out);
    }
}

static bool run_xp(const struct call *c, struct error *err)
{
    uint64_t pa = 0, count = 16;
    char *words = xstrdup(c->arg), *second = strchr(words, ' ');
    uint8_t bytes[MAX_DUMP_BYTES];
    bool ok;

    if (second)
        *second++ = 0;
    ok = value_number(words, "xp", 0, UINT64_MAX, &pa, err) &&
         (!second || value_number(second, "xp", 1, MAX_DUMP_BYTES, &count, err));
    free(words);
    if (!ok)
        return false;
    if (!bus_copy_from(c->m->bus, pa, bytes, count))
        return error_set(err, "not all of this is memory; devices are not read");
    show_bytes(c, pa, bytes, count);
    return true;
}

static bool run_reset(const struct call *c, struct error *err)
{
    (void)err;
    machine_request_reset(c->m);
    if (c->m->options->no_reboot)
        fprintf(c->out, "a reset ends the machine (-no-reboot)\n");
    else
        fprintf(c->out, "the machine is reset; GDB forgets what it knows of registers with "
                        "'maintenance flush register-cache'\n");
    return true;
}

static bool run_quit(const struct call *c, struct error *err)
{
    (void)err;
    machine_stop(c->m, 0);
    return true;
}

static const struct command commands[] = {
    {"help", NULL, "these lines", run_help, false},
    {"info", "WHAT", "tells of:", run_info, true},
    {"log", "CHANNEL[,CHANNEL…]|none|help", "log these too, as -d", run_log, true},
    {"screendump", "FILE.png", "write a picture of the screen", run_screendump, true},
    {"stats", "DIR", "write stats.json and stats.txt there", run_stats, true},
    {"translate", "ADDRESS", "the physical address behind a virtual one", run_translate, true},
    {"xp", "ADDRESS [COUNT]", "bytes of physical memory", run_xp, true},
    {"reset", NULL, "restart the machine", run_reset, false},
    {"quit", NULL, "end the simulation", run_quit, false},
};

/* ---- the tables ------------------------------------------------------------------------------ */

static void print_table(const struct command *table, size_t count, const char *indent, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        const struct command *command = &table[i];

        fprintf(out, "%s%s%s%s: %s\n", indent, command->name, command->arg ? " " : "",
                command->arg ? command->arg : "", command->help);
        if (command->run == run_info)
            print_table(infos, ARRAY_SIZE(infos), "    ", out);
    }
}

static bool run_help(const struct call *c, struct error *err)
{
    (void)err;
    print_table(commands, ARRAY_SIZE(commands), "", c->out);
    return true;
}

/* Runs the command that the line begins with. The error of an unknown one is "no `what` …". */
static bool dispatch(const struct command *table, size_t count, const char *what,
                     const struct call *c, const char *line, struct error *err)
{
    size_t len = strcspn(line, " \t");
    struct call call = *c;

    for (size_t i = 0; i < count; i++) {
        const struct command *command = &table[i];

        if (strlen(command->name) != len || strncmp(command->name, line, len))
            continue;
        call.arg = line + len + strspn(line + len, " \t");
        if (!*call.arg && command->needs_arg)
            return error_set(err, "'%s' needs %s", command->name, command->arg);
        if (*call.arg && !command->arg)
            return error_set(err, "'%s' takes nothing", command->name);
        return command->run(&call, err);
    }
    return error_set(err, "no %s '%.*s' ('monitor help' lists them)", what,
                     (int)(len < 40 ? len : 40), line);
}

static bool run_info(const struct call *c, struct error *err)
{
    return dispatch(infos, ARRAY_SIZE(infos), "such info as", c, c->arg, err);
}

void monitor_command(void *machine, struct cpu *cpu, const char *line, FILE *out)
{
    struct call call = {.m = machine, .cpu = cpu, .arg = "", .out = out};
    char *text = xstrdup(line + strspn(line, " \t"));
    size_t len = strlen(text);
    struct error err = {0};

    while (len && isspace((unsigned char)text[len - 1]))
        text[--len] = 0;
    if (!dispatch(commands, ARRAY_SIZE(commands), "command", &call, len ? text : "help", &err))
        fprintf(out, "%s\n", err.text);
    free(text);
}
