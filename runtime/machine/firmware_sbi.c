/*
 * SBI: calls of a RISC-V kernel in supervisor mode to its firmware, by ECALL. A node that the
 * platform adds binds it, since kernels probe for SBI by a call and boards' trees have no node.
 *
 * Served: Base, Timer, IPI, RFENCE, Hart State Management, System Reset, Debug Console (output);
 * of the legacy functions, the timer, the console and shutdown.
 *
 * Bounds      a call does something to each hart, at most DEVICE_MAX_CPUS; a fence forgets up to
 *             FENCE_PAGES single pages, or all; the console takes up to CONSOLE_BYTES per call
 * Source      RISC-V Supervisor Binary Interface Specification, version 2.0
 */
#include "runtime/machine/firmware.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/prelude/cpu.h"
#include "riscv_board.h"
#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/cpu/cpu.h"
#include "runtime/dev/chardev.h"

/* Extensions, by their numbers */
enum {
    SBI_BASE = 0x10,
    SBI_TIME = 0x54494d45,
    SBI_IPI = 0x735049,
    SBI_RFENCE = 0x52464e43,
    SBI_HSM = 0x48534d,
    SBI_SRST = 0x53525354,
    SBI_DBCN = 0x4442434e,

    LEGACY_SET_TIMER = 0x00,
    LEGACY_PUTCHAR = 0x01,
    LEGACY_GETCHAR = 0x02,
    LEGACY_SHUTDOWN = 0x08,
};

/* Chapter 3: errors */
enum {
    SBI_SUCCESS = 0,
    SBI_NOT_SUPPORTED = -2,
    SBI_INVALID_PARAM = -3,
    SBI_INVALID_ADDRESS = -5,
    SBI_ALREADY_AVAILABLE = -6,
};

#define SPEC_VERSION    0x02000000
#define IMPLEMENTATION  UINT64_C(0x67656e6363) /* "gencc": no registered number */
#define FENCE_PAGES     64
#define FENCE_PAGE_SIZE UINT64_C(4096)
#define CONSOLE_BYTES   UINT64_C(4096)

/* Section 9.1: states of a hart */
enum { HART_STARTED = 0, HART_STOPPED = 1, HART_SUSPENDED = 4 };

/* Section 9.4: 32-bit types of suspension. Values below a platform's own types are reserved. */
#define SUSPEND_RETENTIVE      UINT32_C(0)
#define SUSPEND_NON_RETENTIVE  UINT32_C(0x80000000)
#define SUSPEND_FIRST_PLATFORM UINT32_C(0x10000000)

enum { RESET_SHUTDOWN = 0, RESET_COLD = 1, RESET_WARM = 2 };

struct sbi {
    struct machine *m;
    uint64_t id[DEVICE_MAX_CPUS]; /* mhartid of each CPU */
    /* Per CPU, the instructions it had executed when hart_suspend halted it, the call included. */
    uint64_t suspended[DEVICE_MAX_CPUS];
};

struct call {
    struct sbi *sbi;
    struct cpu *cpu;
    uint64_t arg[PLATFORM_ARGS];
    uint64_t value; /* the second result */
    bool restarted; /* the caller continues at another address, and gets no results */
};

/* Argument registers of the function (a6) and the extension (a7). */
enum { ARG_FUNCTION = 6, ARG_EXTENSION = 7 };

/* ---- harts ----------------------------------------------------------------------------------- */

static struct cpu *hart_by_id(const struct sbi *sbi, uint64_t id)
{
    for (unsigned i = 0; i < sbi->m->cpu_count; i++) {
        if (sbi->id[i] == id)
            return sbi->m->cpus[i];
    }
    return NULL;
}

static void write_port(struct cpu *cpu, uint32_t reg, uint64_t value)
{
    struct cpu_device port = cpu_get_device(cpu, CPU_PORT_TIMER);

    if (port.write)
        port.write(port.opaque, cpu_number(cpu), reg, value);
}

/* Section 3.1: calls fn for the harts of a mask, whose bit 0 is hart `base`; base all ones: all. */
static int64_t for_each_hart(struct call *c, void (*fn)(struct call *c, struct cpu *hart))
{
    uint64_t mask = c->arg[0], base = c->arg[1];

    for (uint64_t left = base == UINT64_MAX ? 0 : mask; left; left &= left - 1) {
        if (!hart_by_id(c->sbi, base + (unsigned)__builtin_ctzll(left)))
            return SBI_INVALID_PARAM;
    }
    for (unsigned i = 0; i < c->sbi->m->cpu_count; i++) {
        uint64_t bit = c->sbi->id[i] - base;

        if (base == UINT64_MAX || (bit < 64 && mask >> bit & 1))
            fn(c, c->sbi->m->cpus[i]);
    }
    return SBI_SUCCESS;
}

/* ---- Base, chapter 4 ------------------------------------------------------------------------- */

static bool has_extension(uint64_t extension);

static int64_t base_extension(struct call *c)
{
    enum { GET_SPEC, GET_IMPLEMENTATION, GET_VERSION, PROBE, GET_VENDOR, GET_ARCH, GET_MACHINE };

    switch (c->arg[ARG_FUNCTION]) {
    case GET_SPEC:
        c->value = SPEC_VERSION;
        return SBI_SUCCESS;
    case GET_IMPLEMENTATION:
        c->value = IMPLEMENTATION;
        return SBI_SUCCESS;
    case PROBE:
        c->value = has_extension(c->arg[0]);
        return SBI_SUCCESS;
    case GET_VERSION:
    case GET_VENDOR: /* 0: not implemented */
    case GET_ARCH:
    case GET_MACHINE:
        return SBI_SUCCESS;
    }
    return SBI_NOT_SUPPORTED;
}

/* ---- Timer and IPI, chapters 6 and 7 --------------------------------------------------------- */

static int64_t set_timer(struct call *c)
{
    write_port(c->cpu, RISCV_PORT_STIMECMP, c->arg[0]);
    return SBI_SUCCESS;
}

static int64_t timer_extension(struct call *c)
{
    return c->arg[ARG_FUNCTION] ? SBI_NOT_SUPPORTED : set_timer(c);
}

static void interrupt_hart(struct call *c, struct cpu *hart)
{
    (void)c;
    write_port(hart, RISCV_PORT_SSIP, 1);
}

static int64_t ipi_extension(struct call *c)
{
    return c->arg[ARG_FUNCTION] ? SBI_NOT_SUPPORTED : for_each_hart(c, interrupt_hart);
}

/* ---- RFENCE, chapter 8 ----------------------------------------------------------------------- */

static void forget_code(struct call *c, struct cpu *hart)
{
    (void)c, (void)hart; /* writes to code drop its blocks: no fence needed */
}

/* Flushes the TLB for arg[3] bytes from arg[2] on; a size of 0 or all ones flushes all. */
static void forget_range(struct call *c, struct cpu *hart, bool global)
{
    uint64_t start = c->arg[2], size = c->arg[3];

    if ((!start && !size) || size > FENCE_PAGES * FENCE_PAGE_SIZE) {
        cpu_tlb_flush(hart, global);
        return;
    }
    for (uint64_t at = 0; at < size; at += FENCE_PAGE_SIZE)
        cpu_tlb_flush_page(hart, start + at);
}

static void forget_pages(struct call *c, struct cpu *hart)
{
    forget_range(c, hart, true);
}

static void forget_asid(struct call *c, struct cpu *hart)
{
    forget_range(c, hart, false); /* all address spaces: they are not distinguished */
}

static int64_t rfence_extension(struct call *c)
{
    enum { CODE, PAGES, PAGES_OF_ASID };

    switch (c->arg[ARG_FUNCTION]) {
    case CODE:
        return for_each_hart(c, forget_code);
    case PAGES:
        return for_each_hart(c, forget_pages);
    case PAGES_OF_ASID:
        return for_each_hart(c, forget_asid);
    }
    return SBI_NOT_SUPPORTED; /* the fences of hypervisors */
}

/* ---- Hart State Management, chapter 9 -------------------------------------------------------- */

static int64_t hart_start(struct call *c)
{
    struct cpu *target = hart_by_id(c->sbi, c->arg[0]);
    const uint64_t args[] = {c->arg[0], c->arg[2]};

    if (!target)
        return SBI_INVALID_PARAM;
    if (cpu_is_powered(target))
        return SBI_ALREADY_AVAILABLE;
    if (c->arg[1] & 1)
        return SBI_INVALID_ADDRESS;
    cpu_reset(target);
    platform_set_args(&c->sbi->m->info, target, args, ARRAY_SIZE(args));
    cpu_set_pc(target, c->arg[1]);
    cpu_set_power(target, true);
    return SBI_SUCCESS;
}

static int64_t hart_stop(struct call *c)
{
    cpu_set_power(c->cpu, false);
    return SBI_SUCCESS; /* not seen: the hart is stopped */
}

/* The instruction count tells hart_suspend from a later WFI: the hart has executed none since. */
static bool is_suspended(const struct sbi *sbi, const struct cpu *cpu)
{
    return cpu_is_halted(cpu) && cpu_insns_now(cpu) == sbi->suspended[cpu_number(cpu)];
}

static int64_t hart_status(struct call *c)
{
    const struct cpu *target = hart_by_id(c->sbi, c->arg[0]);

    if (!target)
        return SBI_INVALID_PARAM;
    c->value = !cpu_is_powered(target)        ? HART_STOPPED
               : is_suspended(c->sbi, target) ? HART_SUSPENDED
                                              : HART_STARTED;
    return SBI_SUCCESS;
}

static void halt_hart(struct call *c)
{
    cpu_halt(c->cpu);
    c->sbi->suspended[cpu_number(c->cpu)] = cpu_insns_now(c->cpu) + cpu_within(c->cpu);
}

/* Non-retentive: the hart's state is lost, and a wake-up starts the hart as hart_start does. */
static int64_t suspend_and_restart(struct call *c)
{
    const uint64_t args[] = {c->sbi->id[cpu_number(c->cpu)], c->arg[2]};

    if (c->arg[1] & 1)
        return SBI_INVALID_ADDRESS;
    cpu_reset(c->cpu);
    platform_set_args(&c->sbi->m->info, c->cpu, args, ARRAY_SIZE(args));
    cpu_set_pc(c->cpu, c->arg[1]);
    c->restarted = true;
    halt_hart(c);
    return SBI_SUCCESS;
}

static int64_t hart_suspend(struct call *c)
{
    uint32_t type = (uint32_t)c->arg[0];

    if (type == SUSPEND_NON_RETENTIVE)
        return suspend_and_restart(c);
    if (type != SUSPEND_RETENTIVE)
        return (type & ~SUSPEND_NON_RETENTIVE) < SUSPEND_FIRST_PLATFORM ? SBI_INVALID_PARAM
                                                                        : SBI_NOT_SUPPORTED;
    halt_hart(c);
    return SBI_SUCCESS;
}

static int64_t hart_state(struct call *c)
{
    static int64_t (*const functions[])(struct call * c) = {hart_start, hart_stop, hart_status,
                                                            hart_suspend};

    return c->arg[ARG_FUNCTION] < ARRAY_SIZE(functions) ? functions[c->arg[ARG_FUNCTION]](c)
                                                        : SBI_NOT_SUPPORTED;
}

/* ---- System Reset, chapter 10 ---------------------------------------------------------------- */

static int64_t shut_down(struct call *c)
{
    machine_stop(c->sbi->m, 0);
    cpu_set_power(c->cpu, false);
    return SBI_SUCCESS;
}

static int64_t system_reset(struct call *c)
{
    uint64_t type = c->arg[0];

    if (c->arg[ARG_FUNCTION])
        return SBI_NOT_SUPPORTED;
    if (type == RESET_SHUTDOWN)
        return shut_down(c);
    if (type != RESET_COLD && type != RESET_WARM)
        return SBI_INVALID_PARAM;
    machine_request_reset(c->sbi->m);
    cpu_set_power(c->cpu, false);
    return SBI_SUCCESS;
}

/* ---- Debug Console, chapter 12, and the legacy console --------------------------------------- */

static void print_bytes(const struct sbi *sbi, const uint8_t *bytes, size_t len)
{
    if (sbi->m->chardevs.len)
        chardev_write(sbi->m->chardevs.data[0], bytes, len);
}

static int64_t print_memory(struct call *c)
{
    uint64_t len = c->arg[0] < CONSOLE_BYTES ? c->arg[0] : CONSOLE_BYTES;
    uint8_t bytes[CONSOLE_BYTES];

    if (c->arg[2] || !bus_copy_from(c->sbi->m->bus, c->arg[1], bytes, len))
        return SBI_INVALID_PARAM;
    print_bytes(c->sbi, bytes, len);
    c->value = len;
    return SBI_SUCCESS;
}

static int64_t print_byte(struct call *c)
{
    uint8_t byte = (uint8_t)c->arg[0];

    print_bytes(c->sbi, &byte, 1);
    return SBI_SUCCESS;
}

static int64_t debug_console(struct call *c)
{
    enum { WRITE, READ, WRITE_BYTE };

    switch (c->arg[ARG_FUNCTION]) {
    case WRITE:
        return print_memory(c);
    case READ: /* no input: the serial port's driver receives it */
        return SBI_SUCCESS;
    case WRITE_BYTE:
        return print_byte(c);
    }
    return SBI_NOT_SUPPORTED;
}

static int64_t get_char(struct call *c)
{
    (void)c;
    return -1; /* none */
}

/* ---- the call -------------------------------------------------------------------------------- */

static const struct {
    uint32_t id;
    bool legacy; /* chapter 5: one result, which is not an error code */
    const char *name;
    int64_t (*fn)(struct call *c);
} extensions[] = {
    {SBI_BASE, false, "BASE", base_extension},
    {SBI_TIME, false, "TIME", timer_extension},
    {SBI_IPI, false, "IPI", ipi_extension},
    {SBI_RFENCE, false, "RFENCE", rfence_extension},
    {SBI_HSM, false, "HSM", hart_state},
    {SBI_SRST, false, "SRST", system_reset},
    {SBI_DBCN, false, "DBCN", debug_console},
    {LEGACY_SET_TIMER, true, "set_timer", set_timer},
    {LEGACY_PUTCHAR, true, "putchar", print_byte},
    {LEGACY_GETCHAR, true, "getchar", get_char},
    {LEGACY_SHUTDOWN, true, "shutdown", shut_down},
};

/* Index of the row of an extension, or -1. */
static int find_extension(uint64_t extension)
{
    for (unsigned i = 0; i < ARRAY_SIZE(extensions); i++) {
        if (extensions[i].id == extension)
            return (int)i;
    }
    return -1;
}

static bool has_extension(uint64_t extension)
{
    return find_extension(extension) >= 0;
}

static bool serve_call(void *fw, struct cpu *cpu, uint32_t conduit, uint32_t imm)
{
    struct sbi *sbi = fw;
    struct call call = {.sbi = sbi, .cpu = cpu};
    uint64_t results[2];
    int row;

    if (conduit != RISCV_CONDUIT_ECALL || imm)
        return false;
    platform_get_args(&sbi->m->info, cpu, call.arg);
    row = find_extension(call.arg[ARG_EXTENSION]);
    results[0] = (uint64_t)(row < 0 ? SBI_NOT_SUPPORTED : extensions[row].fn(&call));
    results[1] = call.value;
    log_printf(&sbi->m->log, LOG_FIRMWARE,
               "firmware: cpu %u: %s %" PRIu64 " (%#" PRIx64 ", %#" PRIx64 ", %#" PRIx64
               ") = %" PRId64 ", %#" PRIx64 "\n",
               cpu_number(cpu), row < 0 ? "unknown extension" : extensions[row].name,
               call.arg[ARG_FUNCTION], call.arg[0], call.arg[1], call.arg[2], (int64_t)results[0],
               results[1]);
    if (!call.restarted)
        platform_set_results(&sbi->m->info, cpu, results,
                             row >= 0 && extensions[row].legacy ? 1 : 2);
    return true;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void *create_sbi(struct machine *m, const struct dt_node *node, struct error *err)
{
    struct sbi *sbi;

    if (m->info.arg_count <= ARG_EXTENSION)
        return error_null(err, "%s: the platform names too few argument registers", node->path);
    sbi = xcalloc(1, sizeof(*sbi));
    sbi->m = m;
    for (unsigned i = 0; i < DEVICE_MAX_CPUS; i++)
        sbi->suspended[i] = UINT64_MAX; /* never suspended */
    for (unsigned i = 0; i < m->cpu_count; i++) {
        if (!dt_raw_address(m->dt, m->cpu_nodes[i], 0, &sbi->id[i])) {
            free(sbi);
            return error_null(err, "%s: the CPU has no reg", m->cpu_nodes[i]->path);
        }
    }
    return sbi;
}

static const char *describe_sbi(const void *fw)
{
    (void)fw;
    return "SBI 2.0";
}

static const char *const compatible[] = {"riscv,sbi", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct sbi, suspended),
    STATE_END,
};

const struct firmware_class firmware_sbi = {
    .compatible = compatible,
    .create = create_sbi,
    .destroy = free,
    .fields = fields,
    .call = serve_call,
    .describe = describe_sbi,
};
