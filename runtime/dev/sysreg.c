/*
 * Versatile Express motherboard's system registers: identification, switches, LEDs, flags,
 * counters, and the configuration bus to the microcontrollers (oscillators, sensors, power). The
 * property `config-values` lists the points on that bus as cells <function site device value>, in
 * the units of the board's tree. Nodes below are pins, in sysreg_gpio.c.
 *
 * Regions     reg[0], 4 KB
 * Interrupts  none
 * Clocks      none: 24 MHz and 100 Hz counters follow virtual time
 * Bounds      an access is one command, which is done at once
 * Manual      Motherboard Express uATX TRM (DUI 0447), section 4.3; V2M-Juno TRM (100113), 4.3
 */
#include "runtime/dev/sysreg.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"

enum {
    SYS_ID = 0x00,
    SYS_SW = 0x04,
    SYS_LED = 0x08,
    SYS_100HZ = 0x24,
    SYS_FLAGS = 0x30, /* SYS_FLAGSSET too */
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
#define CFG_KEY(c)       ((c)&0x03f30fffu) /* function, site, device */
#define CFG_OSC          1u
#define CFG_VOLT         2u
#define CFG_RESET        5u
#define CFG_SCC          6u
#define CFG_MUXFPGA      7u
#define CFG_SHUTDOWN     8u
#define CFG_REBOOT       9u
#define CFG_DVIMODE      11u
#define CFGSTAT_COMPLETE 1u
#define CFGSTAT_ERROR    2u

#define MCI_INPUTS 3u /* SYS_MCI, section 4.3.10: card in, write-protected */

#define MAX_VALUES    64u    /* points on the configuration bus */
#define DEFAULT_HBI   0x190u /* number of the motherboard, without one in the tree */
#define BOARD_ID(hbi) ((hbi) << 16 | 0x0500u)

struct sysreg {
    uint32_t led, flags, nvflags, mci, flash, cfgsw, misc, dma;
    uint32_t cfgdata, cfgctrl, cfgstat;
    uint32_t mci_in, flash_in;   /* levels of pins that others drive */
    uint32_t values[MAX_VALUES]; /* present values on the configuration bus */

    const struct device_env *env;
    struct device_seen seen;
    uint32_t id, procid;
    unsigned value_count;
    uint32_t keys[MAX_VALUES], initial[MAX_VALUES];
};

static uint32_t ticks_of_clock(const struct sysreg *dev, uint64_t hz)
{
    return (uint32_t)clock_ns_to_ticks(clock_now(dev->env->clock), hz);
}

/* Functions that software sets; the others are sensors. */
static bool is_setting(uint32_t function)
{
    return function == CFG_OSC || function == CFG_VOLT || function == CFG_SCC ||
           function == CFG_MUXFPGA || function == CFG_DVIMODE;
}

/* The value that a command reads or writes, or NULL. */
static uint32_t *config_value(struct sysreg *dev, uint32_t command)
{
    for (unsigned i = 0; i < dev->value_count; i++) {
        if (dev->keys[i] == CFG_KEY(command))
            return &dev->values[i];
    }
    return NULL;
}

static void request_power(const struct sysreg *dev, enum device_power what)
{
    if (dev->env->power)
        dev->env->power(dev->env->opaque, what, 0);
}

static bool run_config(struct sysreg *dev, uint32_t command)
{
    uint32_t function = CFG_FUNCTION(command), *value = config_value(dev, command);
    bool write = command & CFG_WRITE;

    if (value && !write)
        dev->cfgdata = *value;
    else if (value && is_setting(function))
        *value = dev->cfgdata;
    else if (write && function == CFG_SHUTDOWN)
        request_power(dev, DEVICE_POWER_OFF);
    else if (write && (function == CFG_REBOOT || function == CFG_RESET))
        request_power(dev, DEVICE_POWER_RESET);
    else
        return false;
    return true;
}

/* Runs a command at once. */
static void write_cfgctrl(struct sysreg *dev, uint32_t command)
{
    dev->cfgctrl = command & ~CFG_START;
    if (!(command & CFG_START))
        return;
    dev->cfgstat = CFGSTAT_COMPLETE;
    if (run_config(dev, command))
        return;
    dev->cfgstat |= CFGSTAT_ERROR;
    log_printf(dev->env->log, LOG_UNIMP, "%s: configuration command %#x\n", dev->env->path,
               command);
}

/* The register without side effects at an offset, or NULL. */
static uint32_t *plain_register(struct sysreg *dev, uint64_t offset)
{
    switch (offset) {
    case SYS_LED:
        return &dev->led;
    case SYS_FLAGS:
        return &dev->flags;
    case SYS_NVFLAGS:
        return &dev->nvflags;
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

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct sysreg *dev = opaque;
    const uint32_t *word = plain_register(dev, offset);

    (void)size, (void)cpu;
    if (word)
        return *word;
    switch (offset) {
    case SYS_ID:
        return dev->id;
    case SYS_MCI:
        return dev->mci | dev->mci_in;
    case SYS_FLASH:
        return dev->flash | dev->flash_in;
    case SYS_SW:
    case SYS_PROCID1: /* no second daughterboard */
        return offset == SYS_SW ? 0 : 0xff000000u;
    case SYS_100HZ:
        return ticks_of_clock(dev, 100);
    case SYS_24MHZ:
        return ticks_of_clock(dev, 24000000);
    case SYS_PROCID0:
        return dev->procid;
    }
    device_log_unimp(dev->env, &dev->seen, "sysreg", offset, false, 0);
    return 0;
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct sysreg *dev = opaque;
    uint32_t word = (uint32_t)value, *at = plain_register(dev, offset);

    (void)size, (void)cpu;
    switch (offset) {
    case SYS_FLAGS:
        dev->flags |= word;
        if (dev->env->tell_firmware)
            dev->env->tell_firmware(dev->env->opaque, dev->flags);
        break;
    case SYS_FLAGSCLR:
        dev->flags &= ~word;
        break;
    case SYS_MCI:
        dev->mci = word & ~MCI_INPUTS;
        break;
    case SYS_FLASH:
        dev->flash = word;
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

static const struct mmio_ops ops = {read_register, write_register, 4, 4};

static void reset_sysreg(void *opaque)
{
    struct sysreg *dev = opaque;

    dev->led = dev->flags = dev->mci = dev->flash = dev->misc = dev->dma = 0;
    dev->cfgsw = dev->cfgdata = dev->cfgctrl = dev->cfgstat = 0;
    memcpy(dev->values, dev->initial, sizeof(dev->values));
}

void sysreg_set_pin(void *opaque, enum sysreg_pins pins, unsigned pin, bool level)
{
    struct sysreg *dev = opaque;
    uint32_t *in = pins == SYSREG_MCI ? &dev->mci_in : pins == SYSREG_FLASH ? &dev->flash_in : NULL;

    if (in)
        *in = (uint32_t)bits_set(*in, pin, 1, level);
}

/* Reads the points on the configuration bus from the property; false: it is malformed. */
static bool read_values(struct sysreg *dev)
{
    uint32_t row[4];

    while (device_prop_u32(dev->env, "config-values", 4 * dev->value_count, &row[0])) {
        for (unsigned i = 1; i < 4; i++) {
            if (!device_prop_u32(dev->env, "config-values", 4 * dev->value_count + i, &row[i]))
                return false;
        }
        if (dev->value_count == MAX_VALUES)
            return false;
        dev->keys[dev->value_count] = (row[0] & 0x3f) << 20 | (row[1] & 3) << 16 | (row[2] & 0xfff);
        dev->initial[dev->value_count++] = row[3];
    }
    return true;
}

static void *create_sysreg(const struct device_env *env, struct error *err)
{
    struct sysreg *dev = xcalloc(1, sizeof(*dev));
    uint32_t hbi;

    dev->env = env;
    if (!device_prop_u32_inherited(env, "arm,hbi", 0, &hbi))
        hbi = DEFAULT_HBI;
    dev->id = BOARD_ID(hbi & 0xfff);
    if (device_prop_u32(env, "/arm,hbi", 0, &hbi))
        dev->procid = 0x14000000u | (hbi & 0xfff);
    if (!read_values(dev)) {
        free(dev);
        return device_error(env, err, "config-values takes up to %u times four cells", MAX_VALUES);
    }
    return device_start(env, 0x1000, &ops, dev, reset_sysreg, err);
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
    STATE_FIELD(struct sysreg, values),
    STATE_END,
};

const struct device_class sysreg_class = {
    .name = "sysreg",
    .summary = "Versatile Express and Juno system registers",
    .compatible = compatible,
    .fields = fields,
    .create = create_sysreg,
    .reset = reset_sysreg,
    .destroy = free,
};
