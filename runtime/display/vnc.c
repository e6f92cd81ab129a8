/*
 * VNC server: libvncserver, on one thread of its own.
 *
 * Bounds      WAITING_INPUT events of a client wait for the machine, later ones are dropped; a picture is
 *             asked for when the one before has been shown, at most RATE times a second
 */
#include "runtime/display/vnc.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <rfb/rfb.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/base/alloc.h"
#include "runtime/base/vec.h"

#define BASE_PORT     5900
#define WAITING_INPUT 1024u
#define RATE          30
#define WAIT_US       (1000000 / RATE / 2)

/* What the screen is until the guest shows something. */
#define BLANK_WIDTH  640u
#define BLANK_HEIGHT 480u

struct input {
    bool pointer, down;
    uint32_t key;
    int x, y;
    unsigned buttons; /* as RFB has them: left, middle, right, wheel up, wheel down */
};

struct vnc {
    struct display *display;
    struct clock *clock;
    char *title;
    pthread_t thread;

    /* The server's thread alone: */
    rfbScreenInfoPtr screen;
    struct image shown;
    uint64_t asked; /* ms of the host */

    pthread_mutex_t lock; /* of what follows */
    bool ending, started;
    bool wanted, fresh; /* a picture: asked for, come */
    struct image grabbed;
    VEC(struct input) input;

    /* The machine's thread alone: */
    int x, y;
    unsigned buttons;
};

/* ---- on the machine's thread ----------------------------------------------------------------- */

static void move_pointer(struct vnc *vnc, const struct input *in)
{
    unsigned pressed = in->buttons & ~vnc->buttons;
    int wheel = (pressed & 8 ? 1 : 0) - (pressed & 16 ? 1 : 0);

    display_pointer(vnc->display, in->x - vnc->x, in->y - vnc->y, wheel, in->buttons & 7);
    vnc->x = in->x;
    vnc->y = in->y;
    vnc->buttons = in->buttons;
}

static void hand_over_input(void *opaque)
{
    struct vnc *vnc = opaque;
    VEC(struct input) taken = {0};
    struct input *in;

    pthread_mutex_lock(&vnc->lock);
    vec_for_each (&vnc->input, in)
        vec_push(&taken, *in);
    vnc->input.len = 0;
    pthread_mutex_unlock(&vnc->lock);
    vec_for_each (&taken, in) {
        if (in->pointer)
            move_pointer(vnc, in);
        else
            display_key(vnc->display, in->key, in->down);
    }
    vec_free(&taken);
}

static void take_picture(void *opaque)
{
    struct vnc *vnc = opaque;

    pthread_mutex_lock(&vnc->lock);
    if (!display_grab(vnc->display, &vnc->grabbed))
        image_resize(&vnc->grabbed, BLANK_WIDTH, BLANK_HEIGHT);
    vnc->wanted = false;
    vnc->fresh = true;
    pthread_mutex_unlock(&vnc->lock);
}

/* ---- on the server's thread ------------------------------------------------------------------ */

static void add_input(struct vnc *vnc, const struct input *in)
{
    bool first;

    pthread_mutex_lock(&vnc->lock);
    first = !vnc->input.len;
    if (vnc->input.len < WAITING_INPUT)
        vec_push(&vnc->input, *in);
    pthread_mutex_unlock(&vnc->lock);
    if (first)
        clock_post(vnc->clock, hand_over_input, vnc);
}

static void on_key(rfbBool down, rfbKeySym key, rfbClientPtr client)
{
    add_input(client->screen->screenData, &(struct input){.key = key, .down = down});
}

static void on_pointer(int buttons, int x, int y, rfbClientPtr client)
{
    add_input(client->screen->screenData,
              &(struct input){.pointer = true, .x = x, .y = y, .buttons = (unsigned)buttons});
}

static uint64_t host_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void ask_for_picture(struct vnc *vnc)
{
    uint64_t now = host_ms();
    bool ask;

    if (!vnc->screen->clientHead || now - vnc->asked < 1000 / RATE)
        return;
    pthread_mutex_lock(&vnc->lock);
    ask = !vnc->wanted && !vnc->fresh;
    vnc->wanted |= ask;
    pthread_mutex_unlock(&vnc->lock);
    if (!ask)
        return;
    vnc->asked = now;
    clock_post(vnc->clock, take_picture, vnc);
}

/* The server reads pixels of 32 bits, red in the lowest byte. */
static uint32_t server_pixel(uint32_t rgb)
{
    return __builtin_bswap32(rgb) >> 8;
}

static void show_line(struct vnc *vnc, uint32_t y)
{
    uint32_t width = vnc->shown.width, *to = vnc->shown.pixels + (size_t)y * width;
    const uint32_t *from = vnc->grabbed.pixels + (size_t)y * width;
    bool changed = false;

    for (uint32_t x = 0; x < width; x++) {
        uint32_t pixel = server_pixel(from[x]);

        changed |= to[x] != pixel;
        to[x] = pixel;
    }
    if (changed)
        rfbMarkRectAsModified(vnc->screen, 0, (int)y, (int)width, (int)y + 1);
}

static void resize(struct vnc *vnc, uint32_t width, uint32_t height)
{
    struct image old = vnc->shown;

    vnc->shown = (struct image){0};
    image_resize(&vnc->shown, width, height);
    rfbNewFramebuffer(vnc->screen, (char *)vnc->shown.pixels, (int)width, (int)height, 8, 3, 4);
    image_free(&old);
}

static void show_picture(struct vnc *vnc)
{
    pthread_mutex_lock(&vnc->lock);
    if (vnc->fresh) {
        vnc->fresh = false;
        if (vnc->grabbed.width != vnc->shown.width || vnc->grabbed.height != vnc->shown.height)
            resize(vnc, vnc->grabbed.width, vnc->grabbed.height);
        for (uint32_t y = 0; y < vnc->shown.height; y++)
            show_line(vnc, y);
    }
    pthread_mutex_unlock(&vnc->lock);
}

/*
 * Tells each client the size once it has said that it understands that: the screen may have changed
 * since it was told the first one, which the library does not notice.
 */
static void tell_size(struct vnc *vnc)
{
    rfbClientIteratorPtr i = rfbGetClientIterator(vnc->screen);
    rfbClientPtr client;

    while ((client = rfbClientIteratorNext(i)) != NULL) {
        if (!client->useNewFBSize || client->clientData)
            continue;
        client->clientData = vnc; /* told */
        client->newFBSizePending = TRUE;
    }
    rfbReleaseClientIterator(i);
}

static bool is_ending(struct vnc *vnc)
{
    bool ending;

    pthread_mutex_lock(&vnc->lock);
    ending = vnc->ending;
    pthread_mutex_unlock(&vnc->lock);
    return ending;
}

static void *serve(void *opaque)
{
    struct vnc *vnc = opaque;

    while (!is_ending(vnc)) {
        rfbProcessEvents(vnc->screen, WAIT_US);
        tell_size(vnc);
        ask_for_picture(vnc);
        show_picture(vnc);
    }
    return NULL;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* "[HOST]:N" */
static bool parse_address(const char *text, in_addr_t *host, int *port, struct error *err)
{
    const char *colon = strrchr(text, ':');
    char *copy = xstrdup(text), *end = NULL;
    long number = colon ? strtol(colon + 1, &end, 10) : -1;
    struct in_addr address = {htonl(INADDR_LOOPBACK)};
    bool ok = colon && end != colon + 1 && !*end && number >= 0 && number <= 65535 - BASE_PORT;

    if (ok && colon != text) {
        copy[colon - text] = 0;
        ok = inet_aton(copy, &address);
    }
    free(copy);
    *host = address.s_addr;
    *port = BASE_PORT + (int)number;
    return ok || error_set(err, "vnc takes [HOST]:N, an IPv4 address and a number, not '%s'", text);
}

static void no_log(const char *format, ...)
{
    (void)format;
}

static bool open_screen(struct vnc *vnc, in_addr_t host, int port)
{
    rfbScreenInfoPtr screen;

    rfbLog = rfbErr = no_log;
    image_resize(&vnc->shown, BLANK_WIDTH, BLANK_HEIGHT);
    screen = rfbGetScreen(NULL, NULL, BLANK_WIDTH, BLANK_HEIGHT, 8, 3, 4);
    if (!screen)
        return false;
    vnc->screen = screen;
    screen->frameBuffer = (char *)vnc->shown.pixels;
    screen->desktopName = vnc->title;
    screen->port = port;
    screen->ipv6port = 0; /* none */
    screen->listenInterface = host;
    screen->alwaysShared = TRUE;
    screen->cursor = NULL;
    screen->screenData = vnc;
    screen->kbdAddEvent = on_key;
    screen->ptrAddEvent = on_pointer;
    rfbInitServer(screen);
    return screen->listenSock >= 0;
}

struct vnc *vnc_open(struct display *display, struct clock *clock, const char *address,
                     const char *title, struct error *err)
{
    struct vnc *vnc = xcalloc(1, sizeof(*vnc));
    in_addr_t host;
    int port;
    bool ok;

    vnc->display = display;
    vnc->clock = clock;
    vnc->title = xstrdup(title);
    pthread_mutex_init(&vnc->lock, NULL);
    ok = parse_address(address, &host, &port, err);
    if (ok && !open_screen(vnc, host, port))
        ok = error_set(err, "vnc: cannot listen on port %d", port);
    if (ok && pthread_create(&vnc->thread, NULL, serve, vnc))
        ok = error_set(err, "vnc: no thread");
    vnc->started = ok;
    if (ok)
        return vnc;
    vnc_close(vnc);
    return NULL;
}

void vnc_close(struct vnc *vnc)
{
    if (!vnc)
        return;
    if (vnc->started) {
        pthread_mutex_lock(&vnc->lock);
        vnc->ending = true;
        pthread_mutex_unlock(&vnc->lock);
        pthread_join(vnc->thread, NULL);
    }
    clock_unpost(vnc->clock, vnc);
    if (vnc->screen) {
        rfbShutdownServer(vnc->screen, TRUE);
        rfbScreenCleanup(vnc->screen);
    }
    image_free(&vnc->shown);
    image_free(&vnc->grabbed);
    vec_free(&vnc->input);
    pthread_mutex_destroy(&vnc->lock);
    free(vnc->title);
    free(vnc);
}
