/*
 * Frames of display controllers in virtual time, and their interrupts.
 *
 * Bounds      an event per frame, at most one per millisecond, while its interrupt is enabled
 */
#include "runtime/dev/scanout.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"

static void update_irq(const struct scanout *scan)
{
    struct irq_line line = device_irq(scan->env, 0);

    irq_set(&line, (scan->raw & scan->mask) != 0);
}

static void plan_frame(struct scanout *scan)
{
    struct clock *clock = scan->env->clock;
    uint64_t period = clock_ticks_to_ns(scan->class->ticks(scan),
                                        device_clock_hz(scan->env, 0, SCANOUT_DEFAULT_HZ));

    scan->period = period < SCANOUT_MIN_NS ? SCANOUT_MIN_NS : period;
    if (!scan->class->on(scan) || !(scan->mask & scan->class->at_frame))
        clock_cancel(clock, &scan->frame_over);
    else if (!event_pending(&scan->frame_over))
        clock_add(clock, &scan->frame_over, clock_now(clock) + scan->period);
}

static void frame_over(void *opaque)
{
    struct scanout *scan = opaque;

    clock_add(scan->env->clock, &scan->frame_over, clock_now(scan->env->clock) + scan->period);
    scan->raw |= scan->class->at_frame;
    update_irq(scan);
}

void scanout_changed(struct scanout *scan)
{
    plan_frame(scan);
    update_irq(scan);
}

void scanout_reset(void *dev)
{
    struct scanout *scan = dev;

    scan->raw = scan->mask = 0;
    scan->class->reset(dev);
    scanout_changed(scan);
}

void scanout_post_load(void *dev, struct error *err)
{
    (void)err;
    scanout_changed(dev);
}

void scanout_destroy(void *dev)
{
    struct scanout *scan = dev;

    clock_cancel(scan->env->clock, &scan->frame_over);
    free(scan);
}

void *scanout_create(const struct scanout_class *class, const struct device_env *env,
                     struct error *err)
{
    struct scanout *scan = xcalloc(1, class->bytes);

    scan->env = env;
    scan->class = class;
    event_init(&scan->frame_over, frame_over, scan);
    if (!device_map(env, 0, 0x1000, class->ops, scan, err)) {
        free(scan);
        return NULL;
    }
    if (env->display)
        display_add(env->display, env->name, DISPLAY_BOARD, class->frame, scan);
    scanout_reset(scan);
    return scan;
}
