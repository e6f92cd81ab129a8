/*
 * Functions that display controllers share: a picture for the screen, interrupts that are raised
 * and masked, and an event per frame, as long as its interrupt is enabled. A controller's state
 * begins with a struct scanout.
 */
#ifndef RUNTIME_DEV_SCANOUT_H
#define RUNTIME_DEV_SCANOUT_H

#include "runtime/dev/device.h"
#include "runtime/display/display.h"

#define SCANOUT_MIN_NS     UINT64_C(1000000)  /* shortest frame: 1000 frames per second */
#define SCANOUT_DEFAULT_HZ UINT64_C(25000000) /* pixel clock, without one in the tree */

/* How a kind of controller differs; the functions get its state. */
struct scanout_class {
    size_t bytes; /* size of the state */
    const struct mmio_ops *ops;
    uint32_t at_frame; /* interrupts that the end of a frame raises */
    display_frame_fn frame;
    bool (*on)(void *dev);
    uint64_t (*ticks)(void *dev); /* pixel clocks per frame */
    void (*reset)(void *dev);     /* resets its registers except the interrupts */
};

struct scanout {
    uint32_t raw, mask; /* interrupts, in the registers' layout */

    const struct device_env *env;
    const struct scanout_class *class;
    struct device_seen seen;
    struct event frame_over;
    uint64_t period; /* ns */
};

/* The fields that a snapshot holds, where the member `scan` of a `type` is a struct scanout. */
#define SCANOUT_FIELDS(type) STATE_FIELD(type, scan.raw), STATE_FIELD(type, scan.mask)

/* Makes a controller with 4 KB of registers in reg[0], in its reset state, and adds it to the
 * screen. NULL on failure. */
void *scanout_create(const struct scanout_class *class, const struct device_env *env,
                     struct error *err);

/* Must be called when registers have changed: drives the interrupt line, and starts or stops the
 * frame events. Running events keep their time. */
void scanout_changed(struct scanout *scan);

/* Functions for struct device_class. */
void scanout_reset(void *dev);
void scanout_post_load(void *dev, struct error *err);
void scanout_destroy(void *dev);

#endif
