/*
 * VNC server: libvncserver, on one thread of its own.
 *
 * Bounds      WAITING_INPUT events of a client wait for the machine, later ones are dropped; a
 *             picture is requested when the one before has been shown, at most RATE times a
 *             second; others wait PATIENCE_MS for a slow client, whose connection is then closed
 *             (vnc_peers.h)
 */
#include "runtime/display/vnc.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <rfb/rfb.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/base/alloc.h"
#include "common/vec.h"
#include "runtime/display/vnc_peers.h"
#include "runtime/obs/journal.h"

#define BASE_PORT     5900
#define WAITING_INPUT 1024u
#define RATE          30
#define WAIT_MS       (1000 / RATE / 2)
#define PATIENCE_MS   10000

/* Size of the screen before the guest's first frame. */
#define BLANK_WIDTH  640u
#define BLANK_HEIGHT 480u

struct input {
    bool pointer, down;
    uint32_t key;
    int x, y;
    unsigned buttons; /* in RFB's order: left, middle, right, wheel up, wheel down */
};

struct vnc {
    struct display *display;
    struct clock *clock;
    char *title;
    struct journal *journal; /* NULL: input is neither recorded nor replayed */
    pthread_t thread;

    struct vnc_peers *peers;

    /* The server's thread alone: */
    rfbScreenInfoPtr screen;
    struct client {
        rfbClientPtr rfb; /* NULL: none has this number */
        bool size_sent;   /* the size was sent, since the client supports that */
    } client[VNC_PEERS_MAX];
    struct image shown;
    uint64_t requested_ms; /* ms of the host */

    pthread_mutex_t lock; /* protects the members below */
    bool ending, started;
    bool picture_requested, picture_arrived; /* a picture is requested; has arrived */
    struct image grabbed;
    VEC(struct input) input;

    /* The machine's thread alone: */
    int x, y;
    unsigned buttons;
};

/* ---- on the machine's thread ----------------------------------------------------------------- */

static void note_input(const struct vnc *vnc, const uint32_t words[5])
{
    if (vnc->journal)
        journal_write(vnc->journal, JOURNAL_KEY, 0, words, 5 * sizeof(*words));
}

static void move_pointer(struct vnc *vnc, const struct input *in)
{
    unsigned pressed = in->buttons & ~vnc->buttons;
    int wheel = (pressed & 8 ? 1 : 0) - (pressed & 16 ? 1 : 0);

    note_input(vnc, (uint32_t[5]){1, (uint32_t)(in->x - vnc->x), (uint32_t)(in->y - vnc->y),
                                  (uint32_t)wheel, in->buttons & 7});
    display_pointer(vnc->display, in->x - vnc->x, in->y - vnc->y, wheel, in->buttons & 7);
    vnc->x = in->x;
    vnc->y = in->y;
    vnc->buttons = in->buttons;
}

static void hand_over_input(void *opaque)
{
    struct vnc *vnc = opaque;
    VEC(struct input) taken = {0};

    pthread_mutex_lock(&vnc->lock);
    vec_for_each (&vnc->input, in)
        vec_push(&taken, *in);
    vnc->input.len = 0;
    pthread_mutex_unlock(&vnc->lock);
    if (vnc->journal && journal_is_replay(vnc->journal))
        taken.len = 0; /* it came while the machine is back in its past */
    vec_for_each (&taken, in) {
        if (in->pointer) {
            move_pointer(vnc, in);
        } else {
            note_input(vnc, (uint32_t[5]){0, in->key, in->down});
            display_key(vnc->display, in->key, in->down);
        }
    }
    vec_free(&taken);
}

static void take_picture(void *opaque)
{
    struct vnc *vnc = opaque;

    pthread_mutex_lock(&vnc->lock);
    if (!display_grab(vnc->display, &vnc->grabbed))
        image_resize(&vnc->grabbed, BLANK_WIDTH, BLANK_HEIGHT);
    vnc->picture_requested = false;
    vnc->picture_arrived = true;
    pthread_mutex_unlock(&vnc->lock);
}

/* ---- on the server's thread ------------------------------------------------------------------ */

static void add_input(struct vnc *vnc, const struct input *in)
{
    bool first;

    if (vnc->journal && journal_is_replay(vnc->journal))
        return; /* the recorded input comes instead */
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

    if (!vnc->screen->clientHead || now - vnc->requested_ms < 1000 / RATE)
        return;
    pthread_mutex_lock(&vnc->lock);
    ask = !vnc->picture_requested && !vnc->picture_arrived;
    vnc->picture_requested |= ask;
    pthread_mutex_unlock(&vnc->lock);
    if (!ask)
        return;
    vnc->requested_ms = now;
    clock_post(vnc->clock, take_picture, vnc);
}

/* The server reads 32-bit pixels, with red in the lowest byte. */
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

/* Side of a scaled picture after the screen's side changes from `before` to `now`: in the same
 * proportion, at most `now`. */
static int scaled_side(int side, uint32_t before, uint32_t now)
{
    uint64_t scaled = ((uint64_t)side * now + before / 2) / before;

    return scaled ? (int)scaled : 1;
}

/*
 * Updates the smaller pictures that clients requested, which libvncserver makes and keeps. It does
 * not change their size with the screen's, and would divide by zero. Pictures without a client are
 * released.
 */
static void resize_scaled(struct vnc *vnc, uint32_t width, uint32_t height)
{
    rfbScreenInfoPtr *link = &vnc->screen->scaledScreenNext, scaled;

    while ((scaled = *link) != NULL) {
        free(scaled->frameBuffer);
        if (scaled->scaledScreenRefCount < 1) {
            *link = scaled->scaledScreenNext;
            free(scaled);
            continue;
        }
        scaled->width = scaled_side(scaled->width, vnc->shown.width, width);
        scaled->height = scaled_side(scaled->height, vnc->shown.height, height);
        scaled->paddedWidthInBytes = scaled->width * (int)sizeof(uint32_t);
        scaled->sizeInBytes = scaled->paddedWidthInBytes * scaled->height;
        scaled->frameBuffer = xcalloc((size_t)scaled->sizeInBytes, 1);
        link = &scaled->scaledScreenNext;
    }
}

/* Closes clients that scale and cannot receive the new size: they would keep the old one. */
static void close_deaf_clients(struct vnc *vnc)
{
    for (unsigned n = 0; n < VNC_PEERS_MAX; n++) {
        rfbClientPtr rfb = vnc->client[n].rfb;

        if (rfb && rfb->sock >= 0 && rfb->scaledScreen != rfb->screen && !rfb->useNewFBSize)
            rfbCloseClient(rfb);
    }
}

static void resize_screen(struct vnc *vnc, uint32_t width, uint32_t height)
{
    struct image old = vnc->shown;

    close_deaf_clients(vnc);
    resize_scaled(vnc, width, height);
    vnc->shown = (struct image){0};
    image_resize(&vnc->shown, width, height);
    rfbNewFramebuffer(vnc->screen, (char *)vnc->shown.pixels, (int)width, (int)height, 8, 3, 4);
    image_free(&old);
}

static void show_picture(struct vnc *vnc)
{
    pthread_mutex_lock(&vnc->lock);
    if (vnc->picture_arrived) {
        vnc->picture_arrived = false;
        if (vnc->grabbed.width != vnc->shown.width || vnc->grabbed.height != vnc->shown.height)
            resize_screen(vnc, vnc->grabbed.width, vnc->grabbed.height);
        for (uint32_t y = 0; y < vnc->shown.height; y++)
            show_line(vnc, y);
    }
    pthread_mutex_unlock(&vnc->lock);
}

/* ---- clients --------------------------------------------------------------------------------- */

static void meet_clients(struct vnc *vnc)
{
    unsigned n;
    int fd, least = 1;

    while ((fd = vnc_peers_next(vnc->peers, &n)) >= 0) {
        vnc_peers_begin(vnc->peers, n);
        vnc->client[n] = (struct client){.rfb = rfbNewClient(vnc->screen, fd)};
        vnc_peers_end(vnc->peers);
        if (vnc->client[n].rfb)
            setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof(least));
        else
            vnc_peers_gone(vnc->peers, n); /* the library has closed the socket */
    }
}

/* Waits for messages, for a short time; returns in `ready` which clients have sent one. */
static void wait_for_messages(const struct vnc *vnc, bool ready[VNC_PEERS_MAX])
{
    struct pollfd fds[VNC_PEERS_MAX];

    for (unsigned n = 0; n < VNC_PEERS_MAX; n++)
        fds[n] = (struct pollfd){.fd = vnc->client[n].rfb ? vnc->client[n].rfb->sock : -1,
                                 .events = POLLIN};
    if (poll(fds, VNC_PEERS_MAX, WAIT_MS) < 0)
        return;
    for (unsigned n = 0; n < VNC_PEERS_MAX; n++)
        ready[n] = fds[n].revents != 0;
}

/* A picture that was scaled to size 0 cannot be sent. */
static bool is_drawable(const rfbClientRec *rfb)
{
    return rfb->scaledScreen->width > 0 && rfb->scaledScreen->height > 0;
}

static void take_message(rfbClientPtr rfb)
{
    do
        rfbProcessClientMessage(rfb);
    while (rfb->sock >= 0 && webSocketsHasDataInBuffer(rfb));
    if (rfb->sock >= 0 && !is_drawable(rfb))
        rfbCloseClient(rfb);
}

/*
 * Sends a client the size once it has announced support for that: the screen may have changed since
 * the first size was sent, which the library does not notice.
 */
static void tell_size(struct client *client)
{
    if (!client->rfb->useNewFBSize || client->size_sent)
        return;
    client->size_sent = true;
    client->rfb->newFBSizePending = TRUE;
}

static void serve_client(struct vnc *vnc, unsigned n, bool ready)
{
    struct client *client = &vnc->client[n];

    vnc_peers_begin(vnc->peers, n);
    if (ready && client->rfb->sock >= 0)
        take_message(client->rfb);
    tell_size(client);
    if (client->rfb->sock >= 0)
        rfbUpdateClient(client->rfb);
    vnc_peers_end(vnc->peers);
    if (client->rfb->sock >= 0)
        return;
    rfbClientConnectionGone(client->rfb);
    client->rfb = NULL;
    vnc_peers_gone(vnc->peers, n);
}

static void serve_clients(struct vnc *vnc)
{
    bool ready[VNC_PEERS_MAX] = {false};

    wait_for_messages(vnc, ready);
    for (unsigned n = 0; n < VNC_PEERS_MAX; n++) {
        if (vnc->client[n].rfb)
            serve_client(vnc, n, ready[n]);
    }
}

static bool is_ending(struct vnc *vnc)
{
    bool ending;

    pthread_mutex_lock(&vnc->lock);
    ending = vnc->ending;
    pthread_mutex_unlock(&vnc->lock);
    return ending;
}

static void *run_server(void *opaque)
{
    struct vnc *vnc = opaque;
    sigset_t pipe;

    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE); /* raised for a client that has closed */
    pthread_sigmask(SIG_BLOCK, &pipe, NULL);
    while (!is_ending(vnc)) {
        meet_clients(vnc);
        serve_clients(vnc);
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

/* The library does not listen itself, so it is not initialised as a server. */
static bool open_screen(struct vnc *vnc)
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
    screen->maxClientWait = PATIENCE_MS;
    screen->alwaysShared = TRUE;
    screen->cursor = NULL;
    screen->screenData = vnc;
    screen->kbdAddEvent = on_key;
    screen->ptrAddEvent = on_pointer;
    return true;
}

static bool start_server(struct vnc *vnc, in_addr_t host, int port, struct error *err)
{
    if (!open_screen(vnc))
        return error_set(err, "vnc: libvncserver refuses");
    vnc->peers = vnc_peers_open(host, port, PATIENCE_MS, err);
    if (!vnc->peers)
        return false;
    vnc->started = !pthread_create(&vnc->thread, NULL, run_server, vnc);
    return vnc->started || error_set(err, "vnc: no thread");
}

struct vnc *vnc_open(struct display *display, struct clock *clock, const char *address,
                     const char *title, struct error *err)
{
    struct vnc *vnc = xcalloc(1, sizeof(*vnc));
    in_addr_t host;
    int port;

    vnc->display = display;
    vnc->clock = clock;
    vnc->title = xstrdup(title);
    pthread_mutex_init(&vnc->lock, NULL);
    if (parse_address(address, &host, &port, err) && start_server(vnc, host, port, err))
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
        vnc_peers_hang_up(vnc->peers); /* the thread may be waiting for a client */
        pthread_join(vnc->thread, NULL);
    }
    clock_unpost(vnc->clock, vnc);
    if (vnc->screen)
        rfbScreenCleanup(vnc->screen); /* with its clients */
    vnc_peers_free(vnc->peers);
    image_free(&vnc->shown);
    image_free(&vnc->grabbed);
    vec_free(&vnc->input);
    pthread_mutex_destroy(&vnc->lock);
    free(vnc->title);
    free(vnc);
}

void vnc_set_journal(struct vnc *vnc, struct journal *journal)
{
    vnc->journal = journal;
}
