/*
 * The bare runner: one CPU, flat memory, no devices. What a new description is tried on.
 *
 * The program, raw bytes, is loaded at --address (0x1000) and entered there. The description talks to
 * the runner by exceptions: take_exception(0, code) ends the run with that exit status,
 * take_exception(1, c) writes the character c; the instruction that took it counts as done.
 */
#include "runtime/cpu/cpu.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The ISA this binary was linked with; see cmake/AddBare.cmake and scripts/bare. */
extern const struct cpu_isa BARE_ISA;

enum { RAM_BYTES = 64 << 20 };
enum { CLASS_EXIT = 0, CLASS_PUTCHAR = 1 };

struct bare {
    struct cpu *cpu;
    struct bus *bus;
    const char *program;
    uint64_t address, limit;
    bool registers; /* print them at the end */
    bool done;
    int status;
};

static void finish(struct bare *b, int status)
{
    b->done = true;
    b->status = status;
    cpu_stop(b->cpu);
}

static void on_exception(struct cpu *cpu, uint32_t klass, uint64_t code)
{
    struct bare *b = cpu->hooks.opaque;

    if (klass == CLASS_EXIT) {
        finish(b, (int)(code & 0xff));
        return;
    }
    if (klass == CLASS_PUTCHAR) {
        putchar((int)(code & 0xff));
        cpu->pc += cpu->isa->fetch_bytes;
        return;
    }
    fprintf(stderr, "exception %" PRIu32 ", code %" PRIu64 ", at %#" PRIx64 "\n", klass, code,
            cpu->pc);
    finish(b, 1);
}

static void on_undefined(struct cpu *cpu)
{
    uint32_t word = 0;

    cpu_memory_read(cpu, cpu->pc, &word, cpu->isa->fetch_bytes);
    fprintf(stderr, "undefined instruction %#" PRIx32 " at %#" PRIx64 "\n", word, cpu->pc);
    finish(cpu->hooks.opaque, 1);
}

static void on_fault(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t code)
{
    static const char *const what[] = {"read of", "write to", "fetch from"};

    (void)code;
    fprintf(stderr, "%s %#" PRIx64 " at %#" PRIx64 ": there is no memory\n",
            what[access < 3 ? access : 0], va, cpu->pc);
    finish(cpu->hooks.opaque, 1);
}

static uint32_t on_translate(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                             uint64_t *pa, uint32_t *flags)
{
    (void)cpu;
    (void)access;
    (void)ring;
    *pa = va;
    *flags =
        TRANSLATE_READ | TRANSLATE_WRITE | TRANSLATE_EXEC | CPU_PAGE_BITS << TRANSLATE_SIZE_SHIFT;
    return va >= RAM_BYTES;
}

static bool load(struct bare *b, struct error *err)
{
    FILE *f = fopen(b->program, "rb");
    uint8_t buf[4096];
    uint64_t at = b->address;
    size_t n;

    if (!f)
        return error_set(err, "%s: %s", b->program, strerror(errno));
    while ((n = fread(buf, 1, sizeof buf, f)) > 0) {
        if (at + n > RAM_BYTES || !bus_load(b->bus, at, buf, n)) {
            fclose(f);
            return error_set(err, "%s: larger than memory", b->program);
        }
        at += n;
    }
    fclose(f);
    return true;
}

static void print_registers(struct cpu *cpu)
{
    printf("pc = %#" PRIx64 "\n", cpu->pc);
    for (unsigned i = 0; i < cpu->isa->register_count; i++) {
        const struct cpu_register *r = &cpu->isa->registers[i];

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

static int run(struct bare *b)
{
    struct error err = {""};

    b->bus = bus_new(NULL);
    if (!bus_add_ram(b->bus, "ram", 0, RAM_BYTES, &err) || !load(b, &err) ||
        !(b->cpu = cpu_new(&BARE_ISA, 0, b->bus, NULL, NULL, &err))) {
        fprintf(stderr, "%s\n", err.text);
        bus_free(b->bus);
        return 2;
    }
    b->cpu->hooks = (struct cpu_hooks){.opaque = b,
                                       .exception = on_exception,
                                       .undefined = on_undefined,
                                       .memory_fault = on_fault,
                                       .translate = on_translate};
    cpu_reset(b->cpu);
    cpu_set_power(b->cpu, true);
    b->cpu->pc = b->address;
    while (!b->done && b->cpu->insns < b->limit)
        if (!cpu_run(b->cpu, b->limit - b->cpu->insns) && !b->done)
            break;
    fflush(stdout);
    if (!b->done) {
        fprintf(stderr, "stopped after %" PRIu64 " instructions\n", b->cpu->insns);
        b->status = 1;
    }
    if (b->registers)
        print_registers(b->cpu);
    cpu_free(b->cpu);
    bus_free(b->bus);
    return b->status;
}

static void usage(FILE *o, const char *name)
{
    fprintf(o,
            "usage: %s [--address A] [--limit N] [--registers] PROGRAM\n\n"
            "Runs a raw program on the CPU '%s', which this binary was made for.\n"
            "  --address A   where the program is loaded and entered (default 0x1000)\n"
            "  --limit N     stop after N instructions (default 1,000,000,000)\n"
            "  --registers   print the registers that are not 0 at the end\n",
            name, BARE_ISA.name);
}

int main(int argc, char **argv)
{
    struct bare b = {.address = 0x1000, .limit = 1000000000};

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help")) {
            usage(stdout, argv[0]);
            return 0;
        }
        if (!strcmp(argv[i], "--registers"))
            b.registers = true;
        else if (!strcmp(argv[i], "--address") && i + 1 < argc)
            b.address = strtoull(argv[++i], NULL, 0);
        else if (!strcmp(argv[i], "--limit") && i + 1 < argc)
            b.limit = strtoull(argv[++i], NULL, 0);
        else if (argv[i][0] != '-' && !b.program)
            b.program = argv[i];
        else {
            fprintf(stderr, "%s: unexpected '%s'; see --help\n", argv[0], argv[i]);
            return 2;
        }
    }
    if (!b.program) {
        usage(stderr, argv[0]);
        return 2;
    }
    return run(&b);
}
