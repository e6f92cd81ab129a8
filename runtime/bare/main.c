/*
 * The bare runner, to try out a new description: one CPU, flat memory, no devices.
 *
 * The program, raw bytes, is loaded at -address (0x1000) and entered there. Memory begins at
 * -memory (0) and wraps from the CPU's last address to address 0. Translations access it directly
 * where the host permits (runtime/mem/flat.h). Exceptions of the description are requests to the
 * runner: take_exception(0, code) ends the run with exit status `code`; take_exception(1, c) writes
 * the character c, and the instruction counts as executed.
 */
#include "runtime/base/bits.h"
#include "runtime/base/cli.h"
#include "runtime/cpu/group.h"
#include "runtime/cpu/watch.h"
#include "runtime/jit/jit.h"
#include "runtime/mem/flat.h"
#include "runtime/obs/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The ISA this binary was linked with; see cmake/AddBare.cmake and scripts/bare. */
extern const struct cpu_isa BARE_ISA;

enum { RAM_BYTES = 64 << 20 };
enum { CLASS_EXIT = 0, CLASS_PUTCHAR = 1 };

struct bare {
    struct cpu *cpu;
    struct bus *bus;
    struct reservation flat; /* host addresses of flat memory; empty: it is not flat */
    uint8_t *flat_base;      /* host address of guest address 0 in it */
    unsigned lost;           /* number of times that a page of it lost its code */
    struct cpu_group group;  /* a group with this CPU only */
    struct jit *jit;         /* NULL: interpreted only */
    struct jit_options jit_options;
    const char *program;
    const char *stats; /* folder for statistics at the end, or NULL */
    uint64_t memory, address, limit;
    bool registers; /* print them at the end */
    bool done;
    int status;
};

static void end_run(struct bare *b, int status)
{
    b->done = true;
    b->status = status;
    cpu_stop(b->cpu);
}

static void on_exception(struct cpu *cpu, uint32_t klass, uint64_t code)
{
    struct bare *b = cpu_hooks(cpu)->opaque;

    if (klass == CLASS_EXIT) {
        end_run(b, (int)(code & 0xff));
        return;
    }
    if (klass == CLASS_PUTCHAR) {
        putchar((int)(code & 0xff));
        cpu_set_pc(cpu, cpu_pc(cpu) + cpu_instruction_bytes(cpu, cpu_pc(cpu)));
        return;
    }
    fprintf(stderr, "exception %" PRIu32 ", code %" PRIu64 ", at %#" PRIx64 "\n", klass, code,
            cpu_pc(cpu));
    end_run(b, 1);
}

static void on_undefined(struct cpu *cpu)
{
    uint32_t word = 0;

    cpu_memory_read(cpu, cpu_pc(cpu), &word, cpu_isa_of(cpu)->decoders[cpu_mode(cpu)].unit_bytes);
    fprintf(stderr, "undefined instruction %#" PRIx32 " at %#" PRIx64 "\n", word, cpu_pc(cpu));
    end_run(cpu_hooks(cpu)->opaque, 1);
}

static void on_fault(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t code)
{
    static const char *const what[] = {"read of", "write to", "fetch from"};

    (void)code;
    fprintf(stderr, "%s %#" PRIx64 " at %#" PRIx64 ": there is no memory\n",
            what[access < 3 ? access : 0], va, cpu_pc(cpu));
    end_run(cpu_hooks(cpu)->opaque, 1);
}

static uint32_t on_translate(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                             uint64_t *pa, uint32_t *flags)
{
    const struct bare *b = cpu_hooks(cpu)->opaque;

    (void)access;
    (void)ring;
    *pa = cpu_wrap(cpu_isa_of(cpu), va - b->memory);
    *flags =
        TRANSLATE_READ | TRANSLATE_WRITE | TRANSLATE_EXEC | CPU_PAGE_BITS << TRANSLATE_SIZE_SHIFT;
    return *pa >= RAM_BYTES;
}

static bool load_program(struct bare *b, struct error *err)
{
    FILE *f = fopen(b->program, "rb");
    uint8_t buf[4096];
    uint64_t at = cpu_wrap(&BARE_ISA, b->address - b->memory);
    size_t n;
    bool good;

    if (!f)
        return error_set(err, "%s: %s", b->program, strerror(errno));
    while ((n = fread(buf, 1, sizeof buf, f)) > 0) {
        if (at > RAM_BYTES - n || !bus_load(b->bus, at, buf, n)) {
            fclose(f);
            return error_set(err, "%s does not fit into memory", b->program);
        }
        at += n;
    }
    good = !ferror(f) || error_set(err, "%s: %s", b->program, strerror(errno));
    fclose(f);
    return good;
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

            if (r->tag && !strcmp(r->tag, "PC"))
                continue;
            cpu_register_read(cpu, v, bytes);
            memcpy(&value, bytes, sizeof value);
            if (value && r->count > 1)
                printf("%s%u = %#" PRIx64 "\n", r->name, n, value);
            else if (value)
                printf("%s = %#" PRIx64 "\n", r->name, value);
        }
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Each write to a page with code costs a fault of the host, and decoding the code again. After this
 * many, code and data seem to share pages, and flat memory is given up. */
enum { MAX_LOST = 64 };

/* Makes translations use the soft TLB from now on. */
static void give_up_flat_memory(struct bare *b)
{
    mprotect(b->flat_base + b->memory, RAM_BYTES, PROT_READ | PROT_WRITE);
    b->bus->protect = NULL;
    cpu_set_flat(b->cpu, 0);
    cpu_code_flush(b->cpu);
}

/* struct bus.protect: makes pages with decoded code read-only on the host. */
static void on_code(void *opaque, uint64_t pa, bool on)
{
    struct bare *b = opaque;
    uint8_t *page = b->flat_base + b->memory + (pa & ~(uint64_t)CPU_PAGE_MASK);

    b->lost += !on;
    if ((on && b->lost > MAX_LOST) ||
        mprotect(page, CPU_PAGE_SIZE, on ? PROT_READ : PROT_READ | PROT_WRITE))
        give_up_flat_memory(b);
}

/* Adds memory that is flat; false: it lies too high, wraps, or the host has no such addresses
 * free. */
static bool add_flat_memory(struct bare *b, struct error *err)
{
    uint8_t *base;

    if (b->memory > (UINT64_C(1) << FLAT_BITS) - RAM_BYTES ||
        cpu_wrap(&BARE_ISA, b->memory + RAM_BYTES - 1) < b->memory ||
        !(base = reservation_flat(&b->flat)))
        return false;
    if (mprotect(base + b->memory, RAM_BYTES, PROT_READ | PROT_WRITE) ||
        !bus_add_host_ram(b->bus, "ram", 0, RAM_BYTES, base + b->memory, err)) {
        reservation_free(&b->flat);
        return false;
    }
    b->flat_base = base;
    b->bus->protect = on_code;
    b->bus->protect_opaque = b;
    return true;
}

static bool add_memory(struct bare *b, struct error *err)
{
    return add_flat_memory(b, err) || bus_add_ram(b->bus, "ram", 0, RAM_BYTES, err);
}

static bool prepare(struct bare *b, struct error *err)
{
    if (b->memory & CPU_PAGE_MASK || cpu_wrap(&BARE_ISA, b->memory) != b->memory ||
        cpu_wrap(&BARE_ISA, b->address) != b->address)
        return error_set(err, "-memory is the address of a page, -address of an instruction");
    b->bus = bus_new(NULL);
    if (!add_memory(b, err) || !load_program(b, err) ||
        !(b->cpu = cpu_new(&BARE_ISA, 0, b->bus, NULL, NULL, err)) ||
        !cpu_group_init(&b->group, &b->cpu, 1, b->bus, NULL, err))
        return false;
    cpu_group_count(&b->group, b->stats != NULL);
    if (!jit_open(&b->jit, b->group.code, NULL, &b->jit_options, err))
        return false;
    *cpu_hooks(b->cpu) = (struct cpu_hooks){.opaque = b,
                                            .exception = on_exception,
                                            .undefined = on_undefined,
                                            .memory_fault = on_fault,
                                            .translate = on_translate};
    cpu_set_flat(b->cpu, (uintptr_t)b->flat_base);
    cpu_reset(b->cpu);
    cpu_set_power(b->cpu, true);
    cpu_set_pc(b->cpu, b->address);
    return true;
}

static void release(struct bare *b)
{
    if (b->group.code)
        cpu_group_free(&b->group);
    if (b->cpu)
        cpu_free(b->cpu);
    bus_free(b->bus);
    reservation_free(&b->flat);
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

static void run(struct bare *b)
{
    struct cpu_watch *watch = cpu_watch_start(NULL, report_stuck, b);

    while (!b->done && cpu_insns_now(b->cpu) < b->limit) {
        uint64_t left = b->limit - cpu_insns_now(b->cpu);

        if (!cpu_run(b->cpu, left < TURN ? left : TURN) && !b->done)
            break;
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

#define OPTION(member) struct bare, member

static const struct cli_option table[] = {
    CLI_NUMBER("address", OPTION(address), 0, UINT64_MAX, "A",
               "where the program is loaded and entered (default 0x1000)"),
    CLI_NUMBER("memory", OPTION(memory), 0, UINT64_MAX, "A",
               "where the 64 MiB of memory begin, a multiple of 4096 (default 0);\n"
               "what lies behind the CPU's last address goes on at 0"),
    CLI_NUMBER("limit", OPTION(limit), 1, UINT64_MAX, "N",
               "stop after N instructions (default 1,000,000,000), or in one that has not\n"
               "ended after 10 s"),
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
    fprintf(o,
            "usage: %s [OPTION...] PROGRAM\n\n"
            "Runs a raw program on the CPU '%s', which this binary was made for. Options may have\n"
            "one dash or two.\n",
            name, BARE_ISA.name);
    cli_print(&command_line, o);
}

int main(int argc, char **argv)
{
    struct bare b = {.address = 0x1000, .limit = 1000000000, .jit_options = jit_defaults()};
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
    if (prepare(&b, &err)) {
        run(&b);
        if (b.stats && !write_stats(&b, &err)) {
            fprintf(stderr, "%s\n", err.text);
            b.status = 2;
        }
    } else {
        fprintf(stderr, "%s\n", err.text);
        b.status = 2;
    }
    release(&b);
    return b.status;
}
