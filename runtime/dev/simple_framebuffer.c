/*
 * A frame buffer that firmware has set up and left to the kernel: memory with a picture of a fixed
 * size. The screen shows it as long as no display controller is on.
 *
 * Regions     reg[0]: the pixels, which are memory of other nodes
 * Interrupts  none
 * Clocks      none
 * Bounds      none is needed: it has no registers
 * Manual      Linux, Documentation/devicetree/bindings/display/simple-framebuffer.yaml
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/device.h"
#include "runtime/display/display.h"

struct simple_framebuffer {
    struct frame frame;
};

static const struct {
    const char *name;
    unsigned bits;
    struct frame_channel red, green, blue;
} formats[] = {
    {"r5g6b5", 16, {11, 5}, {5, 6}, {0, 5}},   {"x1r5g5b5", 16, {10, 5}, {5, 5}, {0, 5}},
    {"r8g8b8", 24, {16, 8}, {8, 8}, {0, 8}},   {"x8r8g8b8", 32, {16, 8}, {8, 8}, {0, 8}},
    {"a8r8g8b8", 32, {16, 8}, {8, 8}, {0, 8}}, {"a8b8g8r8", 32, {0, 8}, {8, 8}, {16, 8}},
};

static bool describe_frame(void *opaque, struct frame *out)
{
    const struct simple_framebuffer *dev = opaque;

    *out = dev->frame;
    return true;
}

static bool read_format(const struct device_env *env, struct frame *f)
{
    size_t len = 0;
    const char *name = device_prop(env, "format", &len);

    for (size_t i = 0; name && i < ARRAY_SIZE(formats); i++) {
        if (len != strlen(formats[i].name) + 1 || memcmp(name, formats[i].name, len) != 0)
            continue;
        f->bits = formats[i].bits;
        f->red = formats[i].red;
        f->green = formats[i].green;
        f->blue = formats[i].blue;
        return true;
    }
    return false;
}

static void *create_simple_framebuffer(const struct device_env *env, struct error *err)
{
    struct simple_framebuffer *dev = xcalloc(1, sizeof(*dev));
    uint32_t stride = 0;

    if (!env->reg_count || !device_prop_u32(env, "width", 0, &dev->frame.width) ||
        !device_prop_u32(env, "height", 0, &dev->frame.height) ||
        !device_prop_u32(env, "stride", 0, &stride) || !read_format(env, &dev->frame)) {
        free(dev);
        return device_error(env, err,
                            "a frame buffer needs reg, width, height, stride and a known format");
    }
    dev->frame.address = env->reg[0].base;
    dev->frame.stride = stride;
    if (env->display)
        display_add(env->display, env->name, DISPLAY_FIRMWARE, describe_frame, dev);
    return dev;
}

static const char *const compatible[] = {"simple-framebuffer", NULL};

const struct device_class simple_framebuffer_class = {
    .name = "simple_framebuffer",
    .summary = "a frame buffer that firmware left",
    .compatible = compatible,
    .create = create_simple_framebuffer,
    .destroy = free,
};
