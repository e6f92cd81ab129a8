/*
 * HDLCD display controller. The picture is read from memory when it is shown.
 *
 * Regions     reg[0], 4 KB
 * Interrupts  [0]
 * Clocks      [0] the pixel clock, for the frame rate (25 MHz without a clock in the tree)
 * Bounds      those of scanout.c: an event per frame
 * Manual      CoreTile Express A15x2 TRM (DUI 0604), section 4.4: HDLCD
 */
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/dev/scanout.h"

enum {
    VERSION = 0x000,
    INT_RAWSTAT = 0x010,
    INT_CLEAR = 0x014,
    INT_MASK = 0x018,
    INT_STATUS = 0x01c,
    REGISTERS = 0x100, /* registers below, up to FB_… and the timing, hold what is written */
    FB_BASE = 0x100,
    FB_LINE_LENGTH = 0x104,
    FB_LINE_COUNT = 0x108,
    FB_LINE_PITCH = 0x10c,
    V_SYNC = 0x200,
    V_DATA = 0x208,
    V_FRONT_PORCH = 0x20c,
    H_SYNC = 0x210,
    H_DATA = 0x218,
    H_FRONT_PORCH = 0x21c,
    COMMAND = 0x230,
    PIXEL_FORMAT = 0x240,
    RED_SELECT = 0x244,
    GREEN_SELECT = 0x248,
    BLUE_SELECT = 0x24c,
    REGISTERS_END = 0x250,
};

#define ID             0x1cdc0000u
#define COMMAND_ON     1u
#define FORMAT_BIG     (1u << 31)
#define FORMAT_SIZE(f) (((f) >> 3 & 3) + 1)
#define INT_DMA_END    (1u << 0)
#define INT_VSYNC      (1u << 2)
#define INT_ALL        0xfu

struct hdlcd {
    struct scanout scan;
    uint32_t words[(REGISTERS_END - REGISTERS) / 4];
};

static uint32_t *word_at(struct hdlcd *dev, uint64_t offset)
{
    return &dev->words[(offset - REGISTERS) / 4];
}

static bool is_storage(uint64_t offset)
{
    return (offset >= FB_BASE && offset <= 0x110) || (offset >= V_SYNC && offset <= 0x220) ||
           offset == COMMAND || (offset >= PIXEL_FORMAT && offset < REGISTERS_END);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static bool is_on(void *opaque)
{
    struct hdlcd *dev = opaque;

    return *word_at(dev, COMMAND) & COMMAND_ON;
}

/* The four parts of a line or a frame; each register holds one less. */
static uint64_t total_of(struct hdlcd *dev, uint64_t first)
{
    uint64_t sum = 4;

    for (uint64_t offset = first; offset < first + 16; offset += 4)
        sum += *word_at(dev, offset) & 0xfff;
    return sum;
}

static uint64_t frame_ticks(void *opaque)
{
    return total_of(opaque, V_SYNC) * total_of(opaque, H_SYNC);
}

/* ---- the picture ----------------------------------------------------------------------------- */

static struct frame_channel channel_of(struct hdlcd *dev, uint64_t select)
{
    uint32_t word = *word_at(dev, select), width = word >> 8 & 15, shift = word & 31;

    width = width > 8 ? 8 : width;
    return (struct frame_channel){(uint8_t)(shift + width > 32 ? 32 - width : shift),
                                  (uint8_t)width};
}

static bool describe_frame(void *opaque, struct frame *f)
{
    struct hdlcd *dev = opaque;
    uint32_t format = *word_at(dev, PIXEL_FORMAT);

    if (!is_on(dev))
        return false;
    f->address = *word_at(dev, FB_BASE);
    f->width = (*word_at(dev, H_DATA) & 0xfff) + 1;
    f->height = (*word_at(dev, V_DATA) & 0xfff) + 1;
    f->stride = (int32_t)*word_at(dev, FB_LINE_PITCH);
    f->bits = 8 * FORMAT_SIZE(format);
    f->big_endian = format & FORMAT_BIG;
    f->red = channel_of(dev, RED_SELECT);
    f->green = channel_of(dev, GREEN_SELECT);
    f->blue = channel_of(dev, BLUE_SELECT);
    return true;
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct hdlcd *dev = opaque;

    (void)size, (void)cpu;
    if (is_storage(offset))
        return *word_at(dev, offset);
    switch (offset) {
    case VERSION:
        return ID;
    case INT_RAWSTAT:
        return dev->scan.raw;
    case INT_MASK:
        return dev->scan.mask;
    case INT_STATUS:
        return dev->scan.raw & dev->scan.mask;
    }
    device_log_unimp(dev->scan.env, &dev->scan.seen, "hdlcd", offset, false, 0);
    return 0;
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct hdlcd *dev = opaque;
    uint32_t word = (uint32_t)value;

    (void)size, (void)cpu;
    if (is_storage(offset))
        *word_at(dev, offset) = word;
    else if (offset == INT_RAWSTAT) /* sets the bits, for tests of software */
        dev->scan.raw |= word & INT_ALL;
    else if (offset == INT_CLEAR)
        dev->scan.raw &= ~word;
    else if (offset == INT_MASK)
        dev->scan.mask = word & INT_ALL;
    else
        device_log_unimp(dev->scan.env, &dev->scan.seen, "hdlcd", offset, true, value);
    scanout_changed(&dev->scan);
}

static const struct mmio_ops ops = {read_register, write_register, 4, 4};

/* ---- life ------------------------------------------------------------------------------------ */

static void reset_hdlcd(void *opaque)
{
    struct hdlcd *dev = opaque;

    memset(dev->words, 0, sizeof(dev->words));
}

static const struct scanout_class scanout = {
    .bytes = sizeof(struct hdlcd),
    .ops = &ops,
    .at_frame = INT_VSYNC | INT_DMA_END,
    .frame = describe_frame,
    .on = is_on,
    .ticks = frame_ticks,
    .reset = reset_hdlcd,
};

static void *create_hdlcd(const struct device_env *env, struct error *err)
{
    return scanout_create(&scanout, env, err);
}

static const char *const compatible[] = {"arm,hdlcd", NULL};

static const struct state_field fields[] = {
    SCANOUT_FIELDS(struct hdlcd),
    STATE_FIELD(struct hdlcd, words),
    STATE_END,
};

const struct device_class hdlcd_class = {
    .name = "hdlcd",
    .summary = "HDLCD display controller",
    .compatible = compatible,
    .fields = fields,
    .create = create_hdlcd,
    .reset = scanout_reset,
    .destroy = scanout_destroy,
    .post_load = scanout_post_load,
};
