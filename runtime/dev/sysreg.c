/*
 * Versatile Express motherboard's system registers: identification, switches, LEDs, flags,
 * counters, and the configuration bus to the microcontrollers (oscillators, power).
 *
 * Regions     reg[0], 4 KB
 * Interrupts  none
 * Clocks      none: 24 MHz and 100 Hz counters follow virtual time
 * Bounds      an access is one command, which is done at once
 * Manual      Motherboard Express uATX TRM (DUI 0447), section 4.3; V2M-Juno TRM (100113), 4.3
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/device.h"

enum {
    SYS_ID = 0x00,
    SYS_SW = 0x04,
    SYS_LED = 0x08,
    SYS_100HZ = 0x24,
    SYS_FLAGS = 0x30, /* and SYS_FLAGSSET */
    SYS_FLAGSCLR = 0x34,
    SYS_NVFLAGS = 0x38,
    SYS_NVFLAGSCLR = 0x3c,
    SYS_MCI = 0x48,
    SYS_FLASH = 0x4c,
    SYS_CFGSW = 0x58,
    SYS_24MHZ = 0x5c,
    SYS_MISC = 0x60,
    SYS_DMA = 0x64,
    SYS_PROCID0 = 0x84,
    SYS_PROCID1 = 0x88,
    SYS_CFGDATA = 0xa0,
    SYS_CFGCTRL = 0xa4,
    SYS_CFGSTAT = 0xa8,
};

/* SYS_CFGCTRL fields and functions, DUI 0447 section 4.3.16 */
#define CFG_START        (1u << 31)
#define CFG_WRITE        (1u << 30)
#define CFG_FUNCTION(c)  ((c) >> 20 & 0x3f)
#define CFG_SITE(c)      ((c) >> 16 & 3)
#define CFG_DEVICE(c)    ((c)&0xfff)
#define CFG_OSC          1u
#define CFG_VOLT         2u
#define CFG_MUXFPGA      7u
#define CFG_SHUTDOWN     8u
#define CFG_REBOOT       9u
#define CFG_DVIMODE      11u
#define CFGSTAT_COMPLETE 1u
#define CFGSTAT_ERROR    2u

#define OSCILLATORS     16 /* of each site */
#define OSC_DEFAULT_HZ  50000000u
#define VOLT_DEFAULT_UV 900000u
#define DEFAULT_HBI     0x190u /* of the motherboard, when the tree does not tell */
#define BOARD_ID(hbi)   ((hbi) << 16 | 0x0500u)

struct sysreg {
    uint32_t led, flags, nvflags, mci, flash, cfgsw, misc, dma;
    uint32_t cfgdata, cfgctrl, cfgstat;
    uint32_t osc[4][OSCILLATORS];
    uint32_t mux, dvi;

    const struct device_env *env;
    struct device_seen seen;
    uint32_t id, procid;
};

static uint32_t ticks(const struct sysreg *dev, uint64_t hz)
{
    return (uint32_t)clock_ns_to_ticks(clock_now(dev->env->clock), hz);
}

/* The word that a configuration function reads and writes, or NULL. */
static uint32_t *config_word(struct sysreg *dev, uint32_t command)
{
    switch (CFG_FUNCTION(command)) {
    case CFG_OSC:
        if (CFG_DEVICE(command) < OSCILLATORS)
            return &dev->osc[CFG_SITE(command)][CFG_DEVICE(command)];
        break;
    case CFG_MUXFPGA:
        return &dev->mux;
    case CFG_DVIMODE:
        return &dev->dvi;
    }
    return NULL;
}

static bool run_config(struct sysreg *dev, uint32_t command)
{
    uint32_t function = CFG_FUNCTION(command), *word = config_word(dev, command);
    bool write = command & CFG_WRITE;

    if (word) {
        *(write ? word : &dev->cfgdata) = *(write ? &dev->cfgdata : word);
    } else if (function == CFG_VOLT && !write) {
        dev->cfgdata = VOLT_DEFAULT_UV;
    } else if (write && (function == CFG_SHUTDOWN || function == CFG_REBOOT)) {
        if (dev->env->power)
            dev->env->power(dev->env->opaque,
                            function == CFG_SHUTDOWN ? DEVICE_POWER_OFF : DEVICE_POWER_RESET);
    } else {
        log_printf(dev->env->log, LOG_UNIMP, "%s: configuration command %#x\n", dev->env->path,
                   command);
        return false;
    }
    return true;
}

/* The microcontroller answers at once. */
static void write_cfgctrl(struct sysreg *dev, uint32_t command)
{
    dev->cfgctrl = command & ~CFG_START;
    if (command & CFG_START)
        dev->cfgstat = CFGSTAT_COMPLETE | (run_config(dev, command) ? 0 : CFGSTAT_ERROR);
}

/* The plain register at an offset, or NULL. */
static uint32_t *storage(struct sysreg *dev, uint64_t offset)
{
    switch (offset) {
    case SYS_LED:
        return &dev->led;
    case SYS_FLAGS:
        return &dev->flags;
    case SYS_NVFLAGS:
        return &dev->nvflags;
    case SYS_MCI:
        return &dev->mci;
    case SYS_FLASH:
        return &dev->flash;
    case SYS_CFGSW:
        return &dev->cfgsw;
    case SYS_MISC:
        return &dev->misc;
    case SYS_DMA:
        return &dev->dma;
    case SYS_CFGDATA:
        return &dev->cfgdata;
    case SYS_CFGCTRL:
        return &dev->cfgctrl;
    case SYS_CFGSTAT:
        return &dev->cfgstat;
    }
    return NULL;
}

static uint64_t read(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct sysreg *dev = opaque;
    const uint32_t *word = storage(dev, offset);

    (void)size, (void)cpu;
    if (word)
        return *word;
    switch (offset) {
    case SYS_ID:
        return dev->id;
    case SYS_SW:
    case SYS_PROCID1: /* no second daughterboard */
        return offset == SYS_SW ? 0 : 0xff000000u;
    case SYS_100HZ:
        return ticks(dev, 100);
    case SYS_24MHZ:
        return ticks(dev, 24000000);
    case SYS_PROCID0:
        return dev->procid;
    }
    device_log_unimp(dev->env, &dev->seen, "sysreg", offset, false, 0);
    return 0;
}

static void write(void *opaque, uint64_t offset, uint64_t value, unsigned size, unsigned cpu)
{
    struct sysreg *dev = opaque;
    uint32_t word = (uint32_t)value, *at = storage(dev, offset);

    (void)size, (void)cpu;
    switch (offset) {
    case SYS_FLAGS:
        dev->flags |= word;
        break;
    case SYS_FLAGSCLR:
        dev->flags &= ~word;
        break;
    case SYS_NVFLAGS:
        dev->nvflags |= word;
        break;
    case SYS_NVFLAGSCLR:
        dev->nvflags &= ~word;
        break;
    case SYS_CFGCTRL:
        write_cfgctrl(dev, word);
        break;
    case SYS_CFGSTAT:
        dev->cfgstat = word & (CFGSTAT_COMPLETE | CFGSTAT_ERROR);
        break;
    default:
        if (at)
            *at = word;
        else
            device_log_unimp(dev->env, &dev->seen, "sysreg", offset, true, value);
    }
}

static const struct mmio_ops ops = {read, write, 4, 4};

static void reset(void *opaque)
{
    struct sysreg *dev = opaque;

    dev->led = dev->flags = dev->mci = dev->flash = dev->misc = dev->dma = 0;
    dev->cfgsw = dev->cfgdata = dev->cfgctrl = dev->cfgstat = dev->mux = dev->dvi = 0;
    for (unsigned i = 0; i < 4 * OSCILLATORS; i++)
        dev->osc[i / OSCILLATORS][i % OSCILLATORS] = OSC_DEFAULT_HZ;
}

static void *create(const struct device_env *env, struct error *err)
{
    struct sysreg *dev = xcalloc(1, sizeof(*dev));
    uint32_t hbi;

    dev->env = env;
    if (!device_prop_u32_inherited(env, "arm,hbi", 0, &hbi))
        hbi = DEFAULT_HBI;
    dev->id = BOARD_ID(hbi & 0xfff);
    if (device_prop_u32(env, "/arm,hbi", 0, &hbi))
        dev->procid = 0x14000000u | (hbi & 0xfff);
    if (!device_map(env, 0, 0x1000, &ops, dev, err)) {
        free(dev);
        return NULL;
    }
    reset(dev);
    return dev;
}

static const char *const compatible[] = {"arm,juno-fpga-apb-regs", "arm,vexpress-sysreg", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct sysreg, led),
    STATE_FIELD(struct sysreg, flags),
    STATE_FIELD(struct sysreg, nvflags),
    STATE_FIELD(struct sysreg, mci),
    STATE_FIELD(struct sysreg, flash),
    STATE_FIELD(struct sysreg, cfgsw),
    STATE_FIELD(struct sysreg, misc),
    STATE_FIELD(struct sysreg, dma),
    STATE_FIELD(struct sysreg, cfgdata),
    STATE_FIELD(struct sysreg, cfgctrl),
    STATE_FIELD(struct sysreg, cfgstat),
    STATE_FIELD(struct sysreg, osc),
    STATE_FIELD(struct sysreg, mux),
    STATE_FIELD(struct sysreg, dvi),
    STATE_END,
};

const struct device_class sysreg_class = {
    .name = "sysreg",
    .summary = "Versatile Express and Juno system registers",
    .compatible = compatible,
    .fields = fields,
    .create = create,
    .reset = reset,
    .destroy = free,
};
