/*
 * The bare runner, to try out a new description: one CPU, memory, and a page of two device
 * registers.
 *
 * The program is raw bytes, loaded at -address (0x1000) and entered there, or an ELF file. The
 * description's handlers (handle_exception, undefined, memory_fault, translate) are used where it
 * has them, otherwise the runner's (traps.c).
 */
#include "runtime/bare/bare.h"
#include "runtime/base/bits.h"
#include "runtime/base/cli.h"
#include "runtime/cpu/gdb.h"
#include "runtime/cpu/watch.h"
#include "runtime/obs/stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The ISA this binary was linked with; see cmake/AddBare.cmake and scripts/bare. */
extern const struct cpu_isa BARE_ISA;

/* ---- a machine ------------------------------------------------------------------------------- */

static bool check_addresses(const struct bare *b, struct error *err)
{
    if (b->memory & CPU_PAGE_MASK || cpu_wrap(b->isa, b->memory) != b->memory ||
        cpu_wrap(b->isa, b->address) != b->address)
        return error_set(err, "-memory is the address of a page, -address of an instruction");
    if (b->io != BARE_NO_IO && (b->io & CPU_PAGE_MASK || cpu_wrap(b->isa, b->io) != b->io))
        return error_set(err, "-io is the address of a page");
    if (b->stopped && !b->gdb_address)
        return error_set(err, "-S waits for a debugger: it needs -gdb");
    return true;
}

static bool start_debugger(struct bare *b, struct error *err)
{
    struct gdb_config config = {
        .group = &b->group, .address = b->gdb_address, .stopped = b->stopped, .log = &b->log};

    if (!b->gdb_address)
        return true;
    b->gdb = gdb_new(&config, err);
    if (b->gdb)
        fprintf(stderr, "%s: gdb at TCP port %u%s\n", b->isa->name, gdb_port(b->gdb),
                b->stopped ? ", waiting" : "");
    return b->gdb;
}

static bool prepare_machine(struct bare *b, struct error *err)
{
    uint64_t entry;

    clock_init(&b->clock);
    if (!check_addresses(b, err) || !bare_add_memory(b, err) || !bare_add_io(b, err) ||
        !bare_load_program(b, &entry, err) ||
        !(b->cpu = cpu_new(b->isa, 0, b->bus, &b->clock, &b->log, err)) ||
        !cpu_group_init(&b->group, &b->cpu, 1, b->bus, &b->clock, err))
        return false;
    cpu_group_count(&b->group, b->stats != NULL);
    if (!jit_open(&b->jit, b->group.code, NULL, &b->jit_options, err) || !start_debugger(b, err))
        return false;
    bare_set_hooks(b);
    if (b->flat.at)
        cpu_set_flat(b->cpu, (uintptr_t)b->flat_base);
    cpu_reset(b->cpu);
    cpu_set_power(b->cpu, true);
    cpu_set_pc(b->cpu, entry);
    return true;
}

static void release_machine(struct bare *b)
{
    gdb_free(b->gdb);
    if (b->group.code)
        cpu_group_free(&b->group);
    if (b->cpu)
        cpu_free(b->cpu);
    bus_free(b->bus);
    reservation_free(&b->flat);
    clock_free(&b->clock);
    log_close(&b->log);
}

static void print_registers(struct cpu *cpu)
{
    printf("pc = %#" PRIx64 "\n", cpu_pc(cpu));
    for (unsigned i = 0; i < cpu_isa_of(cpu)->register_count; i++) {
        const struct cpu_register *r = &cpu_isa_of(cpu)->registers[i];

        for (unsigned n = 0; n < r->count; n++) {
            struct cpu_view v = {r, n};
            uint8_t bytes[CPU_REGISTER_BYTES] = {0};
            uint64_t value;

            if (cpu_register_is_pc(r))
                continue;
            cpu_register_read(cpu, v, bytes);
            memcpy(&value, bytes, sizeof(value));
            if (value && r->count > 1)
                printf("%s%u = %#" PRIx64 "\n", r->name, n, value);
            else if (value)
                printf("%s = %#" PRIx64 "\n", r->name, value);
        }
    }
}

static bool write_stats(struct bare *b, struct error *err)
{
    struct stats *stats = stats_new();
    bool ok;

    cpu_register_stats(b->cpu, stats);
    jit_register_stats(b->jit, stats);
    ok = jit_write_hot(b->jit, b->stats, err) && stats_write(stats, b->stats, err);
    stats_free(stats);
    return ok;
}

/* ---- a behaviour that does not end ----------------------------------------------------------- */

static void report_stuck(void *opaque)
{
    const struct bare *b = opaque;

    fflush(stdout);
    fprintf(stderr,
            "stopped: an instruction has not ended after %d s, at %#" PRIx64
            " or in the block that begins there; its behaviour loops\n",
            CPU_WATCH_SECONDS, cpu_pc(b->cpu));
    _exit(1);
}

/* ---- running --------------------------------------------------------------------------------- */

enum { TURN = 1 << 20 }; /* instructions */

/* Handles what GDB sent. False: the CPU does not run now. */
static bool serve_debugger(struct bare *b)
{
    switch (b->gdb ? gdb_serve(b->gdb) : GDB_RUN) {
    case GDB_RUN:
        return true;
    case GDB_WAIT:
        clock_wait_posted(&b->clock, CLOCK_NEVER);
        return false;
    case GDB_AGAIN:
        return false;
    case GDB_END:
        bare_end(b, 0);
        return false;
    }
    return false;
}

static void run_turn(struct bare *b)
{
    uint64_t left = b->limit - cpu_insns_now(b->cpu);

    clock_run_posted(&b->clock);
    if (!serve_debugger(b))
        return;
    b->group.quantum = b->group.lone_quantum = left < TURN ? left : TURN;
    if (cpu_group_turn(&b->group) || b->done)
        return;
    if (b->gdb) {
        clock_wait_posted(&b->clock, CLOCK_NEVER);
        return;
    }
    fflush(stdout);
    fprintf(stderr, "the CPU waits for an interrupt at %#" PRIx64 ", and none will come\n",
            cpu_pc(b->cpu));
    bare_end(b, 1);
}

static void run_program(struct bare *b)
{
    struct cpu_watch *watch = cpu_watch_start(NULL, report_stuck, b);

    while (!b->done && cpu_insns_now(b->cpu) < b->limit) {
        run_turn(b);
        cpu_watch_turn(watch);
    }
    cpu_watch_end(watch);
    fflush(stdout);
    if (!b->done) {
        fprintf(stderr, "stopped after %" PRIu64 " instructions\n", cpu_insns_now(b->cpu));
        b->status = 1;
    }
    if (b->registers)
        print_registers(b->cpu);
}

/* ---- options --------------------------------------------------------------------------------- */

#define JIT_OPTION(id, name, arg, help)                                 \
    static bool set_##id(void *options, char *value, struct error *err) \
    {                                                                   \
        struct bare *b = options;                                       \
                                                                        \
        return jit_option(&b->jit_options, name, value, err);           \
    }
#include "runtime/jit/options.inc"
#undef JIT_OPTION

static bool take_log(void *options, char *value, struct error *err)
{
    if (strcmp(value, "help") != 0)
        return log_parse_channels(&((struct bare *)options)->log, value, err);
    log_help(stdout);
    exit(0);
}

static bool take_log_file(void *options, char *value, struct error *err)
{
    return log_open_file(&((struct bare *)options)->log, value, err);
}

#define OPTION(member) struct bare, member

static const struct cli_option table[] = {
    CLI_NUMBER("address", OPTION(address), 0, UINT64_MAX, "A",
               "where a raw program is loaded and entered (default 0x1000)"),
    CLI_NUMBER("memory", OPTION(memory), 0, UINT64_MAX, "A",
               "where memory begins, a multiple of 4096 (default 0); what lies behind\n"
               "the CPU's last address goes on at 0"),
    CLI_NUMBER("m", OPTION(megabytes), 1, 16384, "MIB", "size of memory (default 64)"),
    CLI_NUMBER("io", OPTION(io), 0, UINT64_MAX, "A",
               "a page of registers: what is written to A is printed as a character,\n"
               "what is written to A + 4 ends the run with that exit status"),
    CLI_SWITCH("runner-traps", OPTION(runner_traps),
               "exceptions, faults and addresses are the runner's, also where the\n"
               "description has handlers"),
    CLI_NUMBER("limit", OPTION(limit), 1, UINT64_MAX, "N",
               "stop after N instructions (default: none)"),
    CLI_TEXT("gdb", OPTION(gdb_address), "tcp:HOST:PORT", "wait for GDB at this port"),
    CLI_SWITCH("S", OPTION(stopped), "do not run before GDB continues"),
    CLI_CALL("d", take_log, "CHANNEL,...",
             "log in_asm, exec, int and the like; -d help lists them"),
    CLI_CALL("D", take_log_file, "FILE", "where the log goes (default: standard error)"),
    CLI_SWITCH("registers", OPTION(registers), "print the registers that are not 0 at the end"),
    CLI_TEXT("stats", OPTION(stats), "DIR", "write stats.json and stats.txt there at the end"),
#define JIT_OPTION(id, name, arg, help) CLI_CALL(name, set_##id, arg, help),
#include "runtime/jit/options.inc"
#undef JIT_OPTION
};

static bool take_program(void *options, char **words, struct error *err)
{
    struct bare *b = options;

    if (b->program)
        return error_set(err, "unexpected '%s'; see --help", *words);
    b->program = *words;
    return true;
}

static const struct cli command_line = {
    .table = table, .count = ARRAY_SIZE(table), .operand = take_program};

static void usage(FILE *o, const char *name)
{
    fprintf(
        o,
        "usage: %s [OPTION...] PROGRAM\n\n"
        "Runs a program, raw bytes or an ELF file, on the CPU '%s', which this binary was made\n"
        "for. A behaviour that loops for ever is stopped after 10 s. Options may have one dash\n"
        "or two.\n",
        name, BARE_ISA.name);
    cli_print(&command_line, o);
}

int main(int argc, char **argv)
{
    struct bare b = {.isa = &BARE_ISA,
                     .address = 0x1000,
                     .megabytes = 64,
                     .io = BARE_NO_IO,
                     .limit = UINT64_MAX,
                     .jit_options = jit_defaults()};
    struct error err = {""};
    enum cli_result result;

    if (argc == 1) {
        usage(stderr, argv[0]);
        return 2;
    }
    result = cli_read(&command_line, &b, argv, &err);
    if (result == CLI_HELP) {
        usage(stdout, argv[0]);
        return 0;
    }
    if (result == CLI_WRONG || (!b.program && !error_set(&err, "no program; see --help"))) {
        fprintf(stderr, "%s: %s\n", argv[0], err.text);
        return 2;
    }
    b.jit_options.program = b.program;
    if (prepare_machine(&b, &err)) {
        run_program(&b);
        if (b.stats && !write_stats(&b, &err)) {
            fprintf(stderr, "%s\n", err.text);
            b.status = 2;
        }
    } else {
        fprintf(stderr, "%s\n", err.text);
        b.status = 2;
    }
    release_machine(&b);
    return b.status;
}
