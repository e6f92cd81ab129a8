/*
 * What display controllers share: a picture for the screen, interrupts that are raised and masked,
 * and a beat once a frame, as long as somebody wants to hear it. A controller's state begins with a
 * struct scanout.
 */
#ifndef RUNTIME_DEV_SCANOUT_H
#define RUNTIME_DEV_SCANOUT_H

#include "runtime/dev/device.h"
#include "runtime/display/display.h"

#define SCANOUT_MIN_NS     UINT64_C(1000000)  /* no screen is faster than 1000 frames a second */
#define SCANOUT_DEFAULT_HZ UINT64_C(25000000) /* of the pixel clock, when the tree does not tell */

/* How a kind of controller differs; the functions get its state. */
struct scanout_class {
    size_t bytes; /* of the state */
    const struct mmio_ops *ops;
    uint32_t at_frame; /* interrupts that the end of a frame raises */
    display_frame_fn frame;
    bool (*on)(void *dev);
    uint64_t (*ticks)(void *dev); /* of the pixel clock, for a frame */
    void (*reset)(void *dev);     /* its registers, but for the interrupts */
};

struct scanout {
    uint32_t raw, mask; /* interrupts, as the registers have them */

    const struct device_env *env;
    const struct scanout_class *class;
    struct device_seen seen;
    struct event frame_over;
    uint64_t period; /* ns */
};

/* The fields of it that a snapshot holds, where the member `scan` of a `type` is one. */
#define SCANOUT_FIELDS(type) STATE_FIELD(type, scan.raw), STATE_FIELD(type, scan.mask)

/* Makes a controller with 4 KB of registers in reg[0], in its reset state, and adds it to the
 * screen. NULL on failure. */
void *scanout_create(const struct scanout_class *class, const struct device_env *env,
                     struct error *err);

/* Registers have changed: the interrupt line follows, and the beat goes or stops. One that goes
 * already keeps its time. */
void scanout_changed(struct scanout *scan);

/* For struct device_class. */
void scanout_reset(void *dev);
void scanout_post_load(void *dev, struct error *err);
void scanout_destroy(void *dev);

#endif
