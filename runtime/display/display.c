/* The display of a machine: keeps the display controllers and their frame functions. */

#include "runtime/display/display.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "common/vec.h"

struct controller {
    display_frame_fn frame;
    void *opaque;
    bool fallback;
};

struct display {
    struct bus *bus;
    VEC(struct controller) controllers;
    display_key_fn key;
    void *keyboard;
    display_pointer_fn move;
    void *mouse;
};

struct display *display_new(struct bus *bus)
{
    struct display *display = xcalloc(1, sizeof(*display));

    display->bus = bus;
    return display;
}

void display_free(struct display *display)
{
    if (!display)
        return;
    vec_free(&display->controllers);
    free(display);
}

void display_add(struct display *display, bool fallback, display_frame_fn frame, void *controller)
{
    vec_push(&display->controllers, (struct controller){frame, controller, fallback});
}

static bool grab_image(struct display *display, struct image *image, bool fallback)
{
    struct frame frame;

    vec_for_each (&display->controllers, c) {
        frame = (struct frame){0};
        if (c->fallback != fallback || !c->frame(c->opaque, &frame) || !frame.width ||
            !frame.height)
            continue;
        image_from_frame(image, &frame, display->bus);
        return true;
    }
    return false;
}

bool display_grab(struct display *display, struct image *image)
{
    return grab_image(display, image, false) || grab_image(display, image, true);
}

bool display_add_keyboard(struct display *display, display_key_fn key, void *keyboard)
{
    if (display->key)
        return false;
    display->key = key;
    display->keyboard = keyboard;
    return true;
}

bool display_add_mouse(struct display *display, display_pointer_fn move, void *mouse)
{
    if (display->move)
        return false;
    display->move = move;
    display->mouse = mouse;
    return true;
}

void display_key(const struct display *display, uint32_t key, bool down)
{
    if (display->key)
        display->key(display->keyboard, key, down);
}

void display_pointer(const struct display *display, int dx, int dy, int wheel, unsigned buttons)
{
    if (display->move)
        display->move(display->mouse, dx, dy, wheel, buttons);
}
