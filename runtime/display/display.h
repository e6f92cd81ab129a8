/*
 * A machine's screen, keyboard and mouse. Display controllers provide frames; viewers (a PNG file,
 * a live view) read the image of the screen. Keys and pointer movements go to the devices that are
 * plugged in. All functions are called on the machine's thread.
 */
#ifndef RUNTIME_DISPLAY_DISPLAY_H
#define RUNTIME_DISPLAY_DISPLAY_H

#include <stdio.h>

#include "runtime/display/image.h"

struct display;

/* Describes the frame that a controller shows; false: it is off. */
typedef bool (*display_frame_fn)(void *controller, struct frame *frame);

/* Buttons of a pointer, as masks. */
enum { POINTER_LEFT = 1, POINTER_MIDDLE = 2, POINTER_RIGHT = 4 };

/* `key` is a keysym of X (XK_a: 0x61, XK_Return: 0xff0d). */
typedef void (*display_key_fn)(void *keyboard, uint32_t key, bool down);

/* A movement (right and down positive), turns of the wheel (up positive), and the pressed
 * buttons. */
typedef void (*display_pointer_fn)(void *mouse, int dx, int dy, int wheel, unsigned buttons);

/* A display without controllers; `bus` must outlive it. Release with display_free(). */
struct display *display_new(struct bus *bus);
void display_free(struct display *display);

/* Controllers by precedence: the screen shows the first one that is on, of the lowest rank. */
enum display_rank {
    DISPLAY_PLUGGED_IN, /* asked for by the user */
    DISPLAY_BOARD,
    DISPLAY_FIRMWARE, /* a frame buffer that firmware left */
    DISPLAY_RANKS,
};

/* Adds a controller. Its name, for display_print(), and its `frame` must stay valid as long as the
 * screen is asked for. */
void display_add(struct display *display, const char *name, enum display_rank rank,
                 display_frame_fn frame, void *controller);

/* Prints a line per controller: its name, its size or that it is off, and which one is shown. */
void display_print(const struct display *display, FILE *out);

/* Copies the image of the screen; false: the screen is off, and the image is unchanged. */
bool display_grab(struct display *display, struct image *image);

/* Plugs in a device, which receives all input of its kind. False: there is one already. */
bool display_add_keyboard(struct display *display, display_key_fn key, void *keyboard);
bool display_add_mouse(struct display *display, display_pointer_fn move, void *mouse);

/* Input from outside, for the devices that are plugged in. */
void display_key(const struct display *display, uint32_t key, bool down);
void display_pointer(const struct display *display, int dx, int dy, int wheel, unsigned buttons);

#endif
