/*
 * The system FPGA of a MIPS Malta: switches, LEDs, a display of eight characters, and the register
 * that resets the board. The device also makes the boot ROM, which holds the board's revision as a
 * number of the CPU.
 *
 * Regions     reg[0], reg[1]: registers below and above those of the UART; reg[2]: the boot ROM
 * Interrupts  none
 * Clocks      none
 * Bounds      no event
 * Left out    the I2C bus, on which nothing answers
 * Manual      MIPS Malta User's Manual (MD00048, 1.07), chapter 6
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/device.h"

enum {
    FPGA_SWITCHES = 0x200,
    FPGA_STATUS = 0x208,
    FPGA_JUMPERS = 0x210,
    FPGA_LEDS = 0x408,
    FPGA_TEXT = 0x410,       /* a word, which the display shows as hexadecimal digits */
    FPGA_CHARACTERS = 0x418, /* 0x418 + 8 * n: character n of the display */
    FPGA_RESET = 0x500,
    FPGA_BREAK = 0x508,
    FPGA_UART_END = 0xa00, /* offset of reg[1] from reg[0] */
    FPGA_I2C_INPUT = 0xb00,
    FPGA_I2C_ENABLE = 0xb08,
    FPGA_I2C_OUTPUT = 0xb10,
};
#define STATUS_FLASH_WRITE 0x10u
#define STATUS_BIG_ENDIAN  0x02u
#define RESET_MAGIC        0x42u
#define ROM_REVISION       0x10u
#define REVISION           0x420u /* a Malta with a Core LV, which has a GT-64120 */

struct malta_fpga {
    uint32_t leds, brk, i2c_enable, i2c_output;
    uint8_t text[8];

    const struct device_env *env;
    struct device_seen seen;
};

static uint64_t read_register(struct malta_fpga *fpga, uint64_t offset)
{
    switch (offset) {
    case FPGA_SWITCHES:
    case FPGA_JUMPERS:
        return 0;
    case FPGA_STATUS:
        return STATUS_FLASH_WRITE | (fpga->env->big_endian ? STATUS_BIG_ENDIAN : 0);
    case FPGA_LEDS:
        return fpga->leds;
    case FPGA_BREAK:
        return fpga->brk;
    case FPGA_I2C_INPUT:
        return 3; /* both wires are high */
    case FPGA_I2C_ENABLE:
        return fpga->i2c_enable;
    case FPGA_I2C_OUTPUT:
        return fpga->i2c_output;
    }
    device_log_unimp(fpga->env, &fpga->seen, "malta_fpga", offset, false, 0);
    return 0;
}

static void write_register(struct malta_fpga *fpga, uint64_t offset, uint32_t value)
{
    const struct device_env *env = fpga->env;

    if (offset >= FPGA_CHARACTERS && offset < FPGA_CHARACTERS + 64 && offset % 8 == 0) {
        fpga->text[(offset - FPGA_CHARACTERS) / 8] = (uint8_t)value;
        return;
    }
    switch (offset) {
    case FPGA_LEDS:
        fpga->leds = value & 0xff;
        return;
    case FPGA_TEXT:
        for (unsigned i = 0; i < 8; i++)
            fpga->text[i] = (uint8_t) "0123456789ABCDEF"[value >> (28 - 4 * i) & 15];
        return;
    case FPGA_RESET:
        if (value == RESET_MAGIC && env->power)
            env->power(env->opaque, DEVICE_POWER_RESET, 0);
        return;
    case FPGA_BREAK:
        fpga->brk = value & 0xff;
        return;
    case FPGA_I2C_ENABLE:
        fpga->i2c_enable = value & 3;
        return;
    case FPGA_I2C_OUTPUT:
        fpga->i2c_output = value & 3;
        return;
    }
    device_log_unimp(env, &fpga->seen, "malta_fpga", offset, true, value);
}

static uint64_t read_low(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    (void)size, (void)cpu;
    return read_register(opaque, offset);
}

static void write_low(void *opaque, uint64_t offset, uint64_t value, unsigned size, unsigned cpu)
{
    (void)size, (void)cpu;
    write_register(opaque, offset, (uint32_t)value);
}

static uint64_t read_high(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    (void)size, (void)cpu;
    return read_register(opaque, FPGA_UART_END + offset);
}

static void write_high(void *opaque, uint64_t offset, uint64_t value, unsigned size, unsigned cpu)
{
    (void)size, (void)cpu;
    write_register(opaque, FPGA_UART_END + offset, (uint32_t)value);
}

static const struct mmio_ops low_ops = {read_low, write_low, 4, 4};
static const struct mmio_ops high_ops = {read_high, write_high, 4, 4};

static void reset_malta_fpga(void *dev)
{
    struct malta_fpga *fpga = dev;

    *fpga = (struct malta_fpga){.brk = 0x0a, .i2c_output = 3, .env = fpga->env};
    for (unsigned i = 0; i < sizeof(fpga->text); i++)
        fpga->text[i] = ' ';
}

static bool add_rom(const struct device_env *env, struct error *err)
{
    uint8_t image[ROM_REVISION + 4] = {0};

    if (env->reg_count < 3)
        return device_error(env, err, "there is no boot ROM") != NULL;
    (env->big_endian ? be_put : le_put)(image + ROM_REVISION, 4, REVISION);
    return bus_add_rom(env->bus, "boot-rom", (struct bus_range){env->reg[2].base, env->reg[2].size},
                       image, sizeof(image), err) != NULL;
}

static void *create_malta_fpga(const struct device_env *env, struct error *err)
{
    struct malta_fpga *fpga = xcalloc(1, sizeof(*fpga));

    fpga->env = env;
    if (add_rom(env, err) && device_map(env, 1, 0, &high_ops, fpga, err))
        return device_start(env, 0, &low_ops, fpga, reset_malta_fpga, err);
    free(fpga);
    return NULL;
}

static const char *const compatible[] = {"mti,malta-fpga", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct malta_fpga, leds),       STATE_FIELD(struct malta_fpga, brk),
    STATE_FIELD(struct malta_fpga, i2c_enable), STATE_FIELD(struct malta_fpga, i2c_output),
    STATE_FIELD(struct malta_fpga, text),       STATE_END,
};

const struct device_class malta_fpga_class = {
    .name = "malta_fpga",
    .summary = "MIPS Malta's system FPGA: LEDs, reset, board revision",
    .compatible = compatible,
    .fields = fields,
    .create = create_malta_fpga,
    .reset = reset_malta_fpga,
    .destroy = free,
};
