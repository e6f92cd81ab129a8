/*
 * Galileo GT-64120 system controller: the bridge between a MIPS CPU and PCI. The model has what an
 * operating system uses after firmware has set up the board: the address windows of the CPU, PCI
 * configuration cycles, and interrupt acknowledge cycles. Registers of the memory controller, the
 * timers and the DMA engines only hold what is written.
 *
 * Regions     reg[0], 4 KB; reg[1] and following: I/O ports without a device, which read as ones
 * Interrupts  none; `interrupt-acknowledge`: phandle of the i8259 that serves acknowledge cycles
 * Clocks      none
 * PCI         `functions`: cells <devfn id class header> of the functions on bus 0, whose
 *             registers hold what is written; `presets`: cells <devfn register value>, registers
 *             that are not 0 after a reset. Base addresses read as 0: no function has a region
 * Byte order  registers are little-endian while CPU Configuration's bit names the CPU's order, and
 *             reversed while it names the other. Without master byte swap (PCI Internal Command)
 *             the configuration data of other devices is reversed, but not the bridge's own
 * Registers   `windows`: cells <register value>, registers as firmware leaves them
 * Bounds      an access compares its number with those of FUNCTIONS functions
 * Manual      Galileo Technology GT-64120 System Controller, revision 1.4
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/device.h"
#include "runtime/dev/i8259.h"

enum {
    GT_CPU = 0x000,
    GT_PCI_COMMAND = 0xc00,
    GT_INTERRUPT_CAUSE = 0xc18,
    GT_ACKNOWLEDGE = 0xc34,
    GT_CONFIG_ADDRESS = 0xcf8,
    GT_CONFIG_DATA = 0xcfc,
    GT_BYTES = 0x1000,
};
#define CPU_LITTLE_ENDIAN (UINT32_C(1) << 12)
/* Neither swaps bytes: as master, and as slave. */
#define COMMAND_NO_SWAPS   (UINT32_C(1) << 16 | 1)
#define CAUSE_MASTER_ABORT (UINT32_C(1) << 18)
#define CONFIG_ENABLE      (UINT32_C(1) << 31)
#define CONFIG_DEVICE      UINT32_C(0xfff800) /* bus and device; 0: the bridge itself */

enum { FUNCTIONS = 16, CONFIG_WORDS = 64 };

/* Registers of a function's header, in words. */
enum { PCI_ID, PCI_COMMAND, PCI_CLASS, PCI_HEADER, PCI_BAR, PCI_BAR_END = 10, PCI_ROM = 12 };
#define COMMAND_BITS 0x0147u /* I/O, memory, master, parity, SERR */
#define INTERRUPT    15      /* line and pin */

struct pci_function {
    uint32_t devfn, present;
    uint32_t words[CONFIG_WORDS];
};

struct gt64120 {
    uint32_t regs[GT_BYTES / 4];
    struct pci_function functions[FUNCTIONS];

    const struct device_env *env;
    struct i8259 *pic;
};

/* ---- configuration space --------------------------------------------------------------------- */

static struct pci_function *function_at(struct gt64120 *gt, uint32_t devfn)
{
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        if (gt->functions[i].present && gt->functions[i].devfn == devfn)
            return &gt->functions[i];
    }
    return NULL;
}

/* The function that the address register selects, or NULL. */
static struct pci_function *selected_function(struct gt64120 *gt)
{
    uint32_t address = gt->regs[GT_CONFIG_ADDRESS / 4];

    if (!(address & CONFIG_ENABLE) || address >> 16 & 0xff) /* a bus other than 0 */
        return NULL;
    return function_at(gt, address >> 8 & 0xff);
}

static unsigned selected_word(const struct gt64120 *gt)
{
    return gt->regs[GT_CONFIG_ADDRESS / 4] >> 2 & (CONFIG_WORDS - 1);
}

/* A word of the selected function as it passes through the bridge. */
static uint32_t config_in_order(const struct gt64120 *gt, uint32_t value)
{
    bool own = !(gt->regs[GT_CONFIG_ADDRESS / 4] & CONFIG_DEVICE);

    return own || gt->regs[GT_PCI_COMMAND / 4] & 1 ? value : __builtin_bswap32(value);
}

static uint32_t read_config(struct gt64120 *gt, bool peek)
{
    const struct pci_function *f = selected_function(gt);

    if (f)
        return config_in_order(gt, f->words[selected_word(gt)]);
    if (!peek)
        gt->regs[GT_INTERRUPT_CAUSE / 4] |= CAUSE_MASTER_ABORT;
    return UINT32_MAX;
}

static void write_config(struct gt64120 *gt, uint32_t value)
{
    struct pci_function *f = selected_function(gt);
    unsigned word = selected_word(gt);
    uint32_t mask = UINT32_MAX;

    if (!f) {
        gt->regs[GT_INTERRUPT_CAUSE / 4] |= CAUSE_MASTER_ABORT;
        return;
    }
    value = config_in_order(gt, value);
    if (word == PCI_COMMAND)
        mask = COMMAND_BITS;
    else if (word == PCI_HEADER)
        mask = 0xffff; /* line size and latency */
    else if (word == INTERRUPT)
        mask = 0xff;
    else if (word <= PCI_ROM)
        mask = 0;
    f->words[word] = (f->words[word] & ~mask) | (value & mask);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* A register's number from the bus's, and back. */
static uint32_t in_order(const struct gt64120 *gt, uint32_t value)
{
    bool big = !(gt->regs[GT_CPU / 4] & CPU_LITTLE_ENDIAN);

    return big == gt->env->big_endian ? value : __builtin_bswap32(value);
}

static uint32_t read_number(struct gt64120 *gt, uint64_t offset, bool peek)
{
    switch (offset) {
    case GT_CONFIG_DATA:
        return read_config(gt, peek);
    case GT_ACKNOWLEDGE:
        return gt->pic ? i8259_acknowledge(gt->pic, peek) : 0;
    }
    return gt->regs[offset / 4 % (GT_BYTES / 4)];
}

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct gt64120 *gt = opaque;

    (void)size;
    return in_order(gt, read_number(gt, offset, cpu == BUS_NO_CPU));
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct gt64120 *gt = opaque;
    uint32_t number = in_order(gt, (uint32_t)value);

    (void)size, (void)cpu;
    if (offset == GT_CONFIG_DATA)
        write_config(gt, number);
    else if (offset == GT_INTERRUPT_CAUSE)
        gt->regs[offset / 4] &= number; /* writing 0 clears a bit */
    else
        gt->regs[offset / 4 % (GT_BYTES / 4)] = number;
}

static const struct mmio_ops ops = {read_register, write_register, 4, 4};

/* ---- ports without a device ------------------------------------------------------------------ */

static uint64_t read_nothing(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    (void)opaque, (void)offset, (void)size, (void)cpu;
    return UINT64_MAX;
}

static void write_nothing(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                          unsigned cpu)
{
    (void)opaque, (void)offset, (void)value, (void)size, (void)cpu;
}

static const struct mmio_ops nothing_ops = {read_nothing, write_nothing, 1, 8};

/* ---- life ------------------------------------------------------------------------------------ */

static void set_presets(struct gt64120 *gt)
{
    uint32_t devfn, reg, value;

    for (unsigned i = 0; device_prop_u32(gt->env, "presets", i + 2, &value); i += 3) {
        struct pci_function *f;

        device_prop_u32(gt->env, "presets", i, &devfn);
        device_prop_u32(gt->env, "presets", i + 1, &reg);
        f = function_at(gt, devfn);
        if (f)
            f->words[reg / 4 % CONFIG_WORDS] = value;
    }
}

static void reset_gt64120(void *dev)
{
    struct gt64120 *gt = dev;
    uint32_t reg, value;

    memset(gt->regs, 0, sizeof(gt->regs));
    gt->regs[GT_CPU / 4] = gt->env->big_endian ? 0 : CPU_LITTLE_ENDIAN;
    gt->regs[GT_PCI_COMMAND / 4] = gt->env->big_endian ? 0 : COMMAND_NO_SWAPS;
    for (unsigned i = 0; device_prop_u32(gt->env, "windows", i + 1, &value); i += 2) {
        device_prop_u32(gt->env, "windows", i, &reg);
        gt->regs[reg / 4 % (GT_BYTES / 4)] = value;
    }
    memset(gt->functions, 0, sizeof(gt->functions));
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        struct pci_function *f = &gt->functions[i];

        if (!device_prop_u32(gt->env, "functions", 4 * i + 3, &f->words[PCI_HEADER]))
            break;
        device_prop_u32(gt->env, "functions", 4 * i, &f->devfn);
        device_prop_u32(gt->env, "functions", 4 * i + 1, &f->words[PCI_ID]);
        device_prop_u32(gt->env, "functions", 4 * i + 2, &f->words[PCI_CLASS]);
        f->present = 1;
    }
    set_presets(gt);
}

/* Finds the interrupt controller, if a property names one; false: the node is not an i8259. */
static bool connect_pic(struct gt64120 *gt, struct error *err)
{
    const struct device_env *env = gt->env;
    const struct device_class *cls = NULL;
    uint32_t phandle;
    void *dev;

    if (!device_prop_u32(env, "interrupt-acknowledge", 0, &phandle) || !env->device_by_phandle)
        return true;
    dev = env->device_by_phandle(env->opaque, phandle, &cls);
    if (!dev || !cls || strcmp(cls->name, "i8259") != 0)
        return device_error(env, err, "interrupt-acknowledge is not an i8259") != NULL;
    gt->pic = dev;
    return true;
}

static void *create_gt64120(const struct device_env *env, struct error *err)
{
    struct gt64120 *gt = xcalloc(1, sizeof(*gt));
    bool good;

    gt->env = env;
    good = connect_pic(gt, err);
    for (unsigned i = 1; good && i < env->reg_count; i++)
        good = device_map(env, i, 0, &nothing_ops, gt, err);
    if (good)
        return device_start(env, GT_BYTES, &ops, gt, reset_gt64120, err);
    free(gt);
    return NULL;
}

static void post_load(void *dev, struct error *err)
{
    struct gt64120 *gt = dev;

    (void)err;
    for (unsigned i = 0; i < FUNCTIONS; i++)
        gt->functions[i].present &= 1;
}

static const char *const compatible[] = {"galileo,gt64120", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct gt64120, regs),
    STATE_FIELD(struct gt64120, functions),
    STATE_END,
};

const struct device_class gt64120_class = {
    .name = "gt64120",
    .summary = "GT-64120 bridge of MIPS CPUs to PCI: configuration and acknowledge cycles",
    .compatible = compatible,
    .fields = fields,
    .create = create_gt64120,
    .reset = reset_gt64120,
    .destroy = free,
    .post_load = post_load,
};
