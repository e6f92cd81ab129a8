/*
 * Memory-mapped Arm generic timer: a control frame and the timer frames its node describes.
 *
 * Regions     reg[0] CNTCTLBase (64 KB); then CNTBaseN of each child node `frame`
 * Interrupts  those of the frames: a physical timer each, or a physical and a virtual one each
 * Clocks      counter frequency: property clock-frequency, else 50 MHz
 * Bounds      as arch_timer.c: one event per timer, for a later time
 * Manual      Arm ARM (DDI 0487), chapter I2 "System Level Implementation of the Generic Timer"
 */
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/device.h"
#include "runtime/dev/generic_timer.h"

#define FRAMES 8

/* CNTCTLBase, section I2.3.1 */
enum {
    CNTFRQ = 0x00,
    CNTNSAR = 0x04,
    CNTTIDR = 0x08,
    CNTACR = 0x40, /* CNTACR<n> of frame n is at 0x40 + 4 * n */
};

/* CNTBaseN, section I2.3.2 */
enum {
    CNTPCT = 0x00,
    CNTVCT = 0x08,
    CNTBASE_FRQ = 0x10,
    CNTEL0ACR = 0x14,
    CNTP_CVAL = 0x20,
    CNTP_TVAL = 0x28,
    CNTP_CTL = 0x2c,
    CNTV_CVAL = 0x30,
    CNTV_TVAL = 0x38,
    CNTV_CTL = 0x3c,
};

struct saved_timer {
    uint64_t cval;
    uint64_t ctl;
};

struct frame {
    struct timer_mem *owner;
    unsigned n;
    struct generic_timer physical, virtual;
};

struct timer_mem {
    struct saved_timer saved[FRAMES][2];
    uint32_t access[FRAMES]; /* CNTACR */
    uint32_t el0_access[FRAMES];

    const struct device_env *env;
    struct device_seen seen;
    uint64_t hz;
    unsigned frame_count;
    unsigned lines; /* interrupts of a frame: 2 with a virtual timer */
    struct frame frames[FRAMES];
};

static uint64_t control_read(void *dev, uint64_t offset, unsigned size, unsigned cpu)
{
    struct timer_mem *tm = dev;

    (void)size, (void)cpu;
    switch (offset) {
    case CNTFRQ:
        return tm->hz;
    case CNTNSAR:
        return 0xff;
    case CNTTIDR: /* every frame-number may be used; a virtual timer needs an interrupt */
        return tm->lines == 2 ? 0x33333333 : 0x11111111;
    }
    if (offset >= CNTACR && offset < CNTACR + 4 * FRAMES)
        return tm->access[(offset - CNTACR) / 4];
    device_log_unimp(tm->env, &tm->seen, "control frame", offset, false, 0);
    return 0;
}

static void control_write(void *dev, uint64_t offset, uint64_t value, unsigned size, unsigned cpu)
{
    struct timer_mem *tm = dev;

    (void)size, (void)cpu;
    if (offset >= CNTACR && offset < CNTACR + 4 * FRAMES)
        tm->access[(offset - CNTACR) / 4] = value & 0x3f;
    else
        device_log_unimp(tm->env, &tm->seen, "control frame", offset, true, value);
}

static uint64_t frame_read(void *dev, uint64_t offset, unsigned size, unsigned cpu)
{
    struct frame *f = dev;
    unsigned high = offset & 4 ? 32 : 0;

    (void)size, (void)cpu;
    switch (offset) {
    case CNTPCT:
    case CNTPCT + 4:
    case CNTVCT:
    case CNTVCT + 4:
        return (uint32_t)(generic_timer_count(&f->physical) >> high);
    case CNTBASE_FRQ:
        return f->owner->hz;
    case CNTEL0ACR:
        return f->owner->el0_access[f->n];
    case CNTP_CVAL:
    case CNTP_CVAL + 4:
        return (uint32_t)(f->physical.cval >> high);
    case CNTP_TVAL:
        return generic_timer_tval(&f->physical);
    case CNTP_CTL:
        return generic_timer_ctl(&f->physical);
    case CNTV_CVAL:
    case CNTV_CVAL + 4:
        return (uint32_t)(f->virtual.cval >> high);
    case CNTV_TVAL:
        return generic_timer_tval(&f->virtual);
    case CNTV_CTL:
        return generic_timer_ctl(&f->virtual);
    }
    device_log_unimp(f->owner->env, &f->owner->seen, "timer frame", offset, false, 0);
    return 0;
}

static void mirror_for_save(struct frame *f)
{
    struct saved_timer *s = f->owner->saved[f->n];

    s[0] = (struct saved_timer){f->physical.cval, f->physical.ctl};
    s[1] = (struct saved_timer){f->virtual.cval, f->virtual.ctl};
}

static void frame_write(void *dev, uint64_t offset, uint64_t value, unsigned size, unsigned cpu)
{
    struct frame *f = dev;
    struct generic_timer *t = offset >= CNTV_CVAL ? &f->virtual : &f->physical;

    (void)size, (void)cpu;
    switch (offset) {
    case CNTEL0ACR:
        f->owner->el0_access[f->n] = value & 0x3ff;
        break;
    case CNTP_CVAL:
    case CNTP_CVAL + 4:
    case CNTV_CVAL:
    case CNTV_CVAL + 4:
        generic_timer_set_cval(t, bits_set(t->cval, offset & 4 ? 32 : 0, 32, value));
        break;
    case CNTP_TVAL:
    case CNTV_TVAL:
        generic_timer_set_tval(t, (uint32_t)value);
        break;
    case CNTP_CTL:
    case CNTV_CTL:
        generic_timer_set_ctl(t, (uint32_t)value);
        break;
    default:
        device_log_unimp(f->owner->env, &f->owner->seen, "timer frame", offset, true, value);
    }
    mirror_for_save(f);
}

static const struct mmio_ops control_ops = {control_read, control_write, 4, 4};
static const struct mmio_ops frame_ops = {frame_read, frame_write, 4, 4};

static void reset_arch_timer_mem(void *dev)
{
    struct timer_mem *tm = dev;

    for (unsigned i = 0; i < FRAMES; i++) {
        tm->access[i] = tm->el0_access[i] = 0;
        if (i >= tm->frame_count)
            continue;
        generic_timer_reset(&tm->frames[i].physical);
        generic_timer_reset(&tm->frames[i].virtual);
        mirror_for_save(&tm->frames[i]);
    }
}

static void load_timer(struct generic_timer *t, const struct saved_timer *saved)
{
    t->cval = saved->cval;
    generic_timer_set_ctl(t, (uint32_t)saved->ctl);
}

static void post_load(void *dev, struct error *err)
{
    struct timer_mem *tm = dev;

    (void)err;
    for (unsigned i = 0; i < tm->frame_count; i++) {
        load_timer(&tm->frames[i].physical, &tm->saved[i][0]);
        load_timer(&tm->frames[i].virtual, &tm->saved[i][1]);
    }
}

static void destroy_arch_timer_mem(void *dev)
{
    struct timer_mem *tm = dev;

    for (unsigned i = 0; i < tm->frame_count; i++) {
        clock_cancel(tm->env->clock, &tm->frames[i].physical.event);
        clock_cancel(tm->env->clock, &tm->frames[i].virtual.event);
    }
    free(tm);
}

static bool map_frames(struct timer_mem *tm, struct error *err)
{
    if (!device_map(tm->env, 0, 0, &control_ops, tm, err))
        return false;
    for (unsigned i = 0; i < tm->frame_count; i++) {
        if (!device_map(tm->env, 1 + i, 0, &frame_ops, &tm->frames[i], err))
            return false;
    }
    return true;
}

static void *create_arch_timer_mem(const struct device_env *env, struct error *err)
{
    struct timer_mem *tm = xcalloc(1, sizeof(*tm));
    uint32_t hz;

    tm->env = env;
    tm->hz = GENERIC_TIMER_HZ;
    if (device_prop_u32(env, "clock-frequency", 0, &hz) && hz)
        tm->hz = hz;
    tm->frame_count = env->reg_count > FRAMES ? FRAMES : env->reg_count ? env->reg_count - 1 : 0;
    tm->lines = tm->frame_count && env->irq_count >= 2 * tm->frame_count ? 2 : 1;
    for (unsigned i = 0; i < tm->frame_count; i++) {
        struct irq_line virtual = {0};

        if (tm->lines == 2)
            virtual = device_irq(env, 2 * i + 1);
        tm->frames[i].owner = tm;
        tm->frames[i].n = i;
        generic_timer_init(&tm->frames[i].physical, env->clock, tm->hz,
                           device_irq(env, tm->lines * i));
        generic_timer_init(&tm->frames[i].virtual, env->clock, tm->hz, virtual);
    }
    if (!map_frames(tm, err)) {
        free(tm);
        return NULL;
    }
    reset_arch_timer_mem(tm);
    return tm;
}

static const char *const compatible[] = {"arm,armv7-timer-mem", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct timer_mem, saved),
    STATE_FIELD(struct timer_mem, access),
    STATE_FIELD(struct timer_mem, el0_access),
    STATE_END,
};

const struct device_class arch_timer_mem_class = {
    .name = "arch_timer_mem",
    .summary = "memory-mapped Arm generic timer",
    .compatible = compatible,
    .child = "frame",
    .fields = fields,
    .create = create_arch_timer_mem,
    .reset = reset_arch_timer_mem,
    .destroy = destroy_arch_timer_mem,
    .post_load = post_load,
};
