/* The display of a machine: keeps the display controllers and their frame functions. */

#include "runtime/display/display.h"

#include <inttypes.h>
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "common/vec.h"

struct controller {
    const char *name;
    enum display_rank rank;
    display_frame_fn frame;
    void *opaque;
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

void display_add(struct display *display, const char *name, enum display_rank rank,
                 display_frame_fn frame, void *controller)
{
    vec_push(&display->controllers, (struct controller){name, rank, frame, controller});
}

/* Gets the controller's frame; false: it is off, or shows no pixel. */
static bool get_frame(const struct controller *c, struct frame *frame)
{
    *frame = (struct frame){0};
    return c->frame(c->opaque, frame) && frame->width && frame->height;
}

/* The controller that the screen shows, with its frame; NULL: the screen is off. */
static const struct controller *shown_controller(const struct display *display, struct frame *frame)
{
    for (enum display_rank rank = 0; rank < DISPLAY_RANKS; rank++) {
        vec_for_each (&display->controllers, c) {
            if (c->rank == rank && get_frame(c, frame))
                return c;
        }
    }
    return NULL;
}

bool display_grab(struct display *display, struct image *image)
{
    struct frame frame;

    if (!shown_controller(display, &frame))
        return false;
    image_from_frame(image, &frame, display->bus);
    return true;
}

void display_print(const struct display *display, FILE *out)
{
    struct frame frame;
    const struct controller *shown = shown_controller(display, &frame);

    vec_for_each (&display->controllers, c) {
        if (get_frame(c, &frame))
            fprintf(out, "%s: %" PRIu32 "x%" PRIu32 ", %u bits per pixel%s\n", c->name, frame.width,
                    frame.height, frame.bits, c == shown ? ", shown" : "");
        else
            fprintf(out, "%s: off\n", c->name);
    }
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
