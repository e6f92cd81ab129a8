/*
 * PL110 and PL111 colour LCD controllers. The picture is read from memory when it is shown.
 *
 * Regions     reg[0], 4 KB
 * Interrupts  [0] CLCDINTR, the combined one
 * Clocks      [0] CLCDCLK, for the frame rate (25 MHz without a clock in the tree)
 * Bounds      those of scanout.c: an event per frame
 * Manual      ARM PrimeCell Color LCD Controller (PL111) TRM, DDI 0293
 */

#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/dev/scanout.h"

enum {
    LCD_TIMING0 = 0x000,
    LCD_TIMING3 = 0x00c,
    LCD_UPBASE = 0x010,
    LCD_LPBASE = 0x014,
    LCD_CONTROL = 0x018,
    LCD_IMSC = 0x01c,
    LCD_RIS = 0x020,
    LCD_MIS = 0x024,
    LCD_ICR = 0x028,
    LCD_UPCURR = 0x02c,
    LCD_LPCURR = 0x030,
    LCD_PALETTE = 0x200, /* 256 entries of 16 bits */
    LCD_PALETTE_END = 0x400,
    LCD_ID = 0xfe0,
};

#define PERIPH_ID UINT64_C(0x041111)

/* LCDControl, section 3.2.7 */
#define CONTROL_ENABLE (1u << 0)
#define CONTROL_BPP(c) ((c) >> 1 & 7)
#define CONTROL_BGR    (1u << 8)
#define CONTROL_BEPO   (1u << 10)
#define CONTROL_POWER  (1u << 11)

#define INT_BASE_UPDATE (1u << 2)
#define INT_VCOMP       (1u << 3)
#define INT_MASK        0x1eu

struct pl111 {
    struct scanout scan;
    uint32_t timing[4], upbase, lpbase, control;
    uint32_t palette[128];
    uint32_t colours[256]; /* the palette, for the display */
};

static uint32_t frame_width(const struct pl111 *dev)
{
    return 16 * ((dev->timing[0] >> 2 & 0x3f) + 1);
}

static uint32_t frame_height(const struct pl111 *dev)
{
    return (dev->timing[1] & 0x3ff) + 1;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static bool is_on(void *opaque)
{
    const struct pl111 *dev = opaque;

    return (dev->control & (CONTROL_ENABLE | CONTROL_POWER)) == (CONTROL_ENABLE | CONTROL_POWER);
}

/* Clocks of a line and lines of a frame: sections 3.2.2 to 3.2.4. */
static uint64_t frame_ticks(void *opaque)
{
    const struct pl111 *dev = opaque;
    const uint32_t *t = dev->timing;
    uint64_t line = frame_width(dev) + (t[0] >> 24) + (t[0] >> 16 & 0xff) + (t[0] >> 8 & 0xff) + 3;
    uint64_t lines =
        frame_height(dev) + (t[1] >> 24) + (t[1] >> 16 & 0xff) + (t[1] >> 10 & 0x3f) + 1;

    return line * lines;
}

/* ---- the picture ----------------------------------------------------------------------------- */

/* Red is in the low bits, or with BGR in the high ones: table 2.5 and section 2.2.6. */
static void set_channels(struct frame *f, bool bgr, unsigned red, unsigned green, unsigned blue)
{
    struct frame_channel low = {0, (uint8_t)red}, mid = {(uint8_t)red, (uint8_t)green};
    struct frame_channel high = {(uint8_t)(red + green), (uint8_t)blue};

    f->red = bgr ? high : low;
    f->green = mid;
    f->blue = bgr ? low : high;
}

/* Entries with 5 bits per colour and one of intensity: section 3.2.13. */
static const uint32_t *make_palette(struct pl111 *dev)
{
    for (unsigned i = 0; i < 256; i++) {
        uint32_t entry = dev->palette[i / 2] >> 16 * (i % 2);
        uint32_t low = entry << 3 & 0xf8, green = entry >> 2 & 0xf8, high = entry >> 7 & 0xf8;
        uint32_t red = dev->control & CONTROL_BGR ? high : low;
        uint32_t blue = dev->control & CONTROL_BGR ? low : high;

        red |= red >> 5;
        green |= green >> 5;
        blue |= blue >> 5;
        dev->colours[i] = red << 16 | green << 8 | blue;
    }
    return dev->colours;
}

static bool describe_frame(void *opaque, struct frame *f)
{
    static const uint8_t bits[8] = {1, 2, 4, 8, 16, 32, 16, 16};
    struct pl111 *dev = opaque;
    bool bgr = dev->control & CONTROL_BGR;

    if (!is_on(dev))
        return false;
    f->address = dev->upbase;
    f->width = frame_width(dev);
    f->height = frame_height(dev);
    f->bits = bits[CONTROL_BPP(dev->control)];
    f->stride = (int64_t)f->width * f->bits / 8;
    f->big_endian = f->bits <= 8 && dev->control & CONTROL_BEPO;
    switch (CONTROL_BPP(dev->control)) {
    case 4:
        set_channels(f, bgr, 5, 5, 5);
        break;
    case 5:
        set_channels(f, bgr, 8, 8, 8);
        break;
    case 6:
        set_channels(f, bgr, 5, 6, 5);
        break;
    case 7:
        set_channels(f, bgr, 4, 4, 4);
        break;
    default:
        f->palette = make_palette(dev);
    }
    return true;
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint32_t *plain_register(struct pl111 *dev, uint64_t offset)
{
    if (offset <= LCD_TIMING3)
        return &dev->timing[offset / 4];
    if (offset >= LCD_PALETTE && offset < LCD_PALETTE_END)
        return &dev->palette[(offset - LCD_PALETTE) / 4];
    switch (offset) {
    case LCD_UPBASE:
        return &dev->upbase;
    case LCD_LPBASE:
        return &dev->lpbase;
    case LCD_CONTROL:
        return &dev->control;
    case LCD_IMSC:
        return &dev->scan.mask;
    }
    return NULL;
}

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct pl111 *dev = opaque;
    const uint32_t *word = plain_register(dev, offset);

    (void)size, (void)cpu;
    if (word)
        return *word;
    if (offset >= LCD_ID)
        return primecell_id(PERIPH_ID, PRIMECELL_CELL_ID, offset);
    switch (offset) {
    case LCD_RIS:
        return dev->scan.raw;
    case LCD_MIS:
        return dev->scan.raw & dev->scan.mask;
    case LCD_UPCURR:
        return dev->upbase;
    case LCD_LPCURR:
        return dev->lpbase;
    }
    device_log_unimp(dev->scan.env, &dev->scan.seen, "pl111", offset, false, 0);
    return 0;
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct pl111 *dev = opaque;
    uint32_t word = (uint32_t)value, *at = plain_register(dev, offset);

    (void)size, (void)cpu;
    if (offset == LCD_ICR)
        dev->scan.raw &= ~word;
    else if (at)
        *at = offset == LCD_IMSC                             ? word & INT_MASK
              : offset == LCD_UPBASE || offset == LCD_LPBASE ? word & ~7u
                                                             : word;
    else
        device_log_unimp(dev->scan.env, &dev->scan.seen, "pl111", offset, true, value);
    scanout_changed(&dev->scan);
}

static const struct mmio_ops ops = {read_register, write_register, 4, 4};

/* ---- life ------------------------------------------------------------------------------------ */

static void reset_pl111(void *opaque)
{
    struct pl111 *dev = opaque;

    memset(dev->timing, 0, sizeof(dev->timing));
    dev->upbase = dev->lpbase = dev->control = 0;
}

static const struct scanout_class scanout = {
    .bytes = sizeof(struct pl111),
    .ops = &ops,
    .at_frame = INT_VCOMP | INT_BASE_UPDATE,
    .frame = describe_frame,
    .on = is_on,
    .ticks = frame_ticks,
    .reset = reset_pl111,
};

static void *create_pl111(const struct device_env *env, struct error *err)
{
    return scanout_create(&scanout, env, err);
}

static const char *const compatible[] = {"arm,pl111", "arm,pl110", NULL};

static const struct state_field fields[] = {
    SCANOUT_FIELDS(struct pl111),
    STATE_FIELD(struct pl111, timing),
    STATE_FIELD(struct pl111, upbase),
    STATE_FIELD(struct pl111, lpbase),
    STATE_FIELD(struct pl111, control),
    STATE_FIELD(struct pl111, palette),
    STATE_END,
};

const struct device_class pl111_class = {
    .name = "pl111",
    .summary = "PL111 colour LCD controller",
    .compatible = compatible,
    .fields = fields,
    .create = create_pl111,
    .reset = scanout_reset,
    .destroy = scanout_destroy,
    .post_load = scanout_post_load,
};
