/*
 * The VNC server, tested by clients that speak RFB (RFC 6143; UltraVNC's SetScale) by hand:
 * pictures, input, and clients that are slow, silent or gone. The machine's thread is the test's
 * own, which handles posted events while it waits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <rfb/rfb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/vec.h"
#include "runtime/display/vnc.h"
#include "runtime/display/vnc_peers.h"
#include "tests/dev/locks.h"

#define RAM         UINT64_C(0x80000000)
#define RAM_BYTES   0x400000u
#define PATIENCE_MS 15000 /* longest wait for the server */
#define BASE_PORT   5900
#define BLANK_WIDTH 640

enum { RAW = 0, NEW_SIZE = -223 };
enum {
    SET_PIXELS = 0,
    SET_ENCODINGS = 2,
    REQUEST = 3,
    KEY = 4,
    POINTER = 5,
    CUT_TEXT = 6,
    SCALE = 8
};

struct input {
    bool pointer, down;
    uint32_t key;
    int x, y, wheel;
    unsigned buttons;
};

struct fixture {
    struct clock clock;
    struct bus *bus;
    struct display *display;
    struct vnc *vnc;
    int number; /* number of the display; the port is BASE_PORT + number */
    uint32_t width, height, *pixels;
    unsigned grabs;
    VEC(struct input) events;
};

struct client {
    struct fixture *f;
    int fd;
    unsigned width, height;
    uint32_t pixels[1024 * 1024];
};

/* ---- the server's surroundings --------------------------------------------------------------- */

static int patience_ms;      /* ms in place of the server's patience; 0: unchanged */
static int patience_asked;   /* ms that the server passed on */
static bool without_library; /* libvncserver has no memory for a screen */

struct vnc_peers *__real_vnc_peers_open(in_addr_t host, int port, int patience, struct error *err);
struct vnc_peers *__wrap_vnc_peers_open(in_addr_t host, int port, int patience, struct error *err);
rfbScreenInfoPtr __real_rfbGetScreen(int *argc, char **argv, int width, int height, int bits,
                                     int samples, int bytes);
rfbScreenInfoPtr __wrap_rfbGetScreen(int *argc, char **argv, int width, int height, int bits,
                                     int samples, int bytes);

struct vnc_peers *__wrap_vnc_peers_open(in_addr_t host, int port, int patience, struct error *err)
{
    patience_asked = patience;
    return __real_vnc_peers_open(host, port, patience_ms ? patience_ms : patience, err);
}

rfbScreenInfoPtr __wrap_rfbGetScreen(int *argc, char **argv, int width, int height, int bits,
                                     int samples, int bytes)
{
    return without_library ? NULL
                           : __real_rfbGetScreen(argc, argv, width, height, bits, samples, bytes);
}

/* ---- the machine ----------------------------------------------------------------------------- */

static bool describe_frame(void *opaque, struct frame *out)
{
    struct fixture *f = opaque;

    f->grabs++;
    *out = (struct frame){.address = RAM,
                          .width = f->width,
                          .height = f->height,
                          .stride = 4 * (int64_t)f->width,
                          .bits = 32,
                          .red = {16, 8},
                          .green = {8, 8},
                          .blue = {0, 8}};
    return f->width != 0;
}

static void on_key(void *opaque, uint32_t key, bool down)
{
    struct fixture *f = opaque;

    vec_push(&f->events, (struct input){.key = key, .down = down});
}

static void on_pointer(void *opaque, int dx, int dy, int wheel, unsigned buttons)
{
    struct fixture *f = opaque;

    vec_push(&f->events,
             (struct input){.pointer = true, .x = dx, .y = dy, .wheel = wheel, .buttons = buttons});
}

/* A screen of this size, whose pixels tell their place. */
static void show_screen(struct fixture *f, uint32_t width, uint32_t height)
{
    f->width = width;
    f->height = height;
    for (uint32_t n = 0; n < width * height; n++)
        f->pixels[n] = n * 7919 & 0xffffff;
}

static bool try_number(struct fixture *f, int number)
{
    struct error err = {""};
    char address[32];

    snprintf(address, sizeof(address), ":%d", number);
    f->number = number;
    f->vnc = vnc_open(f->display, &f->clock, address, "a title", &err);
    return f->vnc != NULL;
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct error err = {""};

    alarm(100); /* ends the test, should something wait for good */
    patience_ms = 0;
    without_library = no_threads = false;
    clock_init(&f->clock);
    f->bus = bus_new(NULL);
    assert_non_null(bus_add_ram(f->bus, "ram", RAM, RAM_BYTES, &err));
    f->pixels = (uint32_t *)(void *)bus_ram_ptr(f->bus, RAM, RAM_BYTES);
    f->display = display_new(f->bus);
    display_add(f->display, "test", DISPLAY_BOARD, describe_frame, f);
    display_add_keyboard(f->display, on_key, f);
    display_add_mouse(f->display, on_pointer, f);
    for (int tries = 0, number = getpid() % 30000; !try_number(f, number + tries); tries++)
        assert_true(tries < 100);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    vnc_close(f->vnc);
    display_free(f->display);
    bus_free(f->bus);
    clock_free(&f->clock);
    vec_free(&f->events);
    free(f);
    alarm(0);
    assert_int_equal(lock_faults_seen(), 0);
    return 0;
}

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void run_machine(struct fixture *f, unsigned ms)
{
    for (uint64_t end = now_ms() + ms; now_ms() < end;) {
        clock_wait_posted(&f->clock, 1000000);
        clock_run_posted(&f->clock);
    }
}

/* ---- a client -------------------------------------------------------------------------------- */

/* Receives `len` bytes while the machine runs; false: the server has closed the connection. */
static bool get_bytes(struct client *c, void *to, size_t len)
{
    uint64_t end = now_ms() + PATIENCE_MS;
    uint8_t *at = to;

    while (len) {
        ssize_t n = recv(c->fd, at, len, MSG_DONTWAIT);

        if (n > 0) {
            at += n;
            len -= (size_t)n;
            continue;
        }
        if (!n || (errno != EAGAIN && errno != EINTR))
            return false;
        if (now_ms() > end)
            fail_msg("the server says nothing");
        clock_wait_posted(&c->f->clock, 1000000);
        clock_run_posted(&c->f->clock);
    }
    return true;
}

static unsigned get_be16(struct client *c)
{
    uint8_t b[2];

    assert_true(get_bytes(c, b, 2));
    return (unsigned)b[0] << 8 | b[1];
}

static uint32_t get_be32(struct client *c)
{
    uint32_t high = get_be16(c);

    return high << 16 | get_be16(c);
}

static void put_bytes(struct client *c, const void *bytes, size_t len)
{
    assert_int_equal(send(c->fd, bytes, len, MSG_NOSIGNAL), len);
}

static struct client *connect_client(struct fixture *f)
{
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct client *c = calloc(1, sizeof(*c));

    c->f = f;
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    there.sin_port = htons((uint16_t)(BASE_PORT + f->number));
    assert_int_equal(connect(c->fd, (struct sockaddr *)&there, sizeof(there)), 0);
    return c;
}

static void hang_up(struct client *c)
{
    close(c->fd);
    free(c);
}

/*
 * Connects by RFB 3.8 without a password; pixels are 0x00rrggbb, little-endian. `greeted`: the
 * client sends its version after the server's, else before.
 */
static struct client *view_after(struct fixture *f, bool greeted)
{
    static const uint8_t format[20] = {[4] = 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0};
    struct client *c = connect_client(f);
    uint8_t bytes[32];

    if (!greeted)
        put_bytes(c, "RFB 003.008\n", 12);
    assert_true(get_bytes(c, bytes, 12));
    assert_memory_equal(bytes, "RFB 003.008\n", 12);
    if (greeted)
        put_bytes(c, "RFB 003.008\n", 12);
    assert_true(get_bytes(c, bytes, 1));
    assert_int_equal(bytes[0], 1);
    assert_true(get_bytes(c, bytes, 1));
    put_bytes(c, "\1", 1);
    assert_int_equal(get_be32(c), 0);
    put_bytes(c, "\1", 1);
    c->width = get_be16(c);
    c->height = get_be16(c);
    assert_true(get_bytes(c, bytes, 16));
    assert_int_equal(get_be32(c), 7);
    assert_true(get_bytes(c, bytes, 7));
    assert_memory_equal(bytes, "a title", 7);
    put_bytes(c, format, sizeof(format));
    return c;
}

/* Connects and sends the client's version first, since the server's comes after a delay. */
static struct client *connect_viewer(struct fixture *f)
{
    return view_after(f, false);
}

static void set_encodings(struct client *c, bool new_size)
{
    uint8_t m[12] = {SET_ENCODINGS, 0, 0, new_size ? 2 : 1, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x21};

    put_bytes(c, m, new_size ? 12 : 8);
}

static void request_update(struct client *c, bool incremental)
{
    uint8_t m[10] = {REQUEST, incremental, 0, 0, 0, 0, 0x0f, 0xff, 0x0f, 0xff};

    put_bytes(c, m, sizeof(m));
}

/* Receives a rectangle, and counts its lines; false: the server has closed the connection. */
static bool get_rectangle(struct client *c, unsigned *lines)
{
    unsigned x = get_be16(c), y = get_be16(c), width = get_be16(c), height = get_be16(c);
    int32_t encoding = (int32_t)get_be32(c);

    if (encoding == NEW_SIZE) {
        c->width = width;
        c->height = height;
        return true;
    }
    assert_int_equal(encoding, RAW);
    assert_true(x + width <= 1024 && y + height <= 1024);
    for (unsigned n = 0; n < height; n++) {
        if (!get_bytes(c, &c->pixels[(y + n) * 1024 + x], 4 * width))
            return false;
    }
    *lines += height;
    return true;
}

/* The next update; how many lines of pixels were in it, -1: the server has hung up. */
static int get_update(struct client *c)
{
    unsigned lines = 0;
    uint8_t head[2];

    if (!get_bytes(c, head, 2))
        return -1;
    assert_int_equal(head[0], 0);
    for (unsigned n = get_be16(c); n; n--) {
        if (!get_rectangle(c, &lines))
            return -1;
    }
    return (int)lines;
}

static bool shows_all(const struct client *c, unsigned width, unsigned height)
{
    if (c->width != width || c->height != height)
        return false;
    for (unsigned y = 0; y < height; y++) {
        if (memcmp(&c->pixels[y * 1024], &c->f->pixels[y * width], 4 * width))
            return false;
    }
    return true;
}

/* Looks until the picture is the screen's. */
static void expect_screen(struct client *c)
{
    for (unsigned n = 0; n < 200; n++) {
        request_update(c, false);
        assert_true(get_update(c) >= 0);
        if (shows_all(c, c->f->width, c->f->height))
            return;
        run_machine(c->f, 5);
    }
    fail_msg("the picture is another one");
}

static bool is_hung_up(struct client *c)
{
    uint8_t byte;

    while (get_bytes(c, &byte, 1))
        ;
    return true;
}

/* ---- pictures -------------------------------------------------------------------------------- */

static void test_blank(void **state)
{
    struct fixture *f = *state;
    struct client *c = view_after(f, true);

    assert_int_equal(c->width, BLANK_WIDTH);
    assert_int_equal(c->height, 480);
    request_update(c, false);
    assert_int_equal(get_update(c), 480);
    for (unsigned n = 0; n < 1024 * 480; n++)
        assert_int_equal(c->pixels[n], 0);
    hang_up(c);
}

static void test_picture(void **state)
{
    struct fixture *f = *state;
    struct client *c;

    show_screen(f, 64, 32);
    c = connect_viewer(f);
    set_encodings(c, true);
    expect_screen(c);
    show_screen(f, 100, 3);
    expect_screen(c);
    f->width = 0; /* off: blank again */
    while (c->width != BLANK_WIDTH) {
        request_update(c, false);
        assert_true(get_update(c) >= 0);
    }
    hang_up(c);
}

/* Only lines that changed are sent. */
static void test_changed_lines(void **state)
{
    struct fixture *f = *state;
    struct client *c;

    show_screen(f, 64, 32);
    c = connect_viewer(f);
    set_encodings(c, true);
    expect_screen(c);
    f->pixels[5 * 64 + 63] ^= 1;
    f->pixels[20 * 64] ^= 0x10000;
    for (int lines = 0; lines < 2;) {
        int more;

        request_update(c, true);
        more = get_update(c);
        assert_in_range(more, 0, 2);
        lines += more;
    }
    assert_true(shows_all(c, 64, 32));
    hang_up(c);
}

/*
 * A client that connected before the screen changed its size receives the new size once it supports
 * the new-size encoding.
 */
static void test_size_is_told(void **state)
{
    struct fixture *f = *state;
    struct client *c = connect_viewer(f), *other;

    show_screen(f, 64, 32);
    other = connect_viewer(f);
    request_update(other, false);
    assert_true(get_update(other) >= 0);
    run_machine(f, 300);
    assert_int_equal(c->width, BLANK_WIDTH);
    set_encodings(c, true);
    request_update(c, false);
    assert_int_equal(get_update(c), 0);
    assert_int_equal(c->width, 64);
    assert_int_equal(c->height, 32);
    request_update(c, false); /* once */
    assert_int_equal(get_update(c), 32);
    hang_up(c);
    hang_up(other);
}

/* ---- scaled pictures ------------------------------------------------------------------------- */

static void set_scale(struct client *c, unsigned scale)
{
    uint8_t m[4] = {SCALE, (uint8_t)scale};

    put_bytes(c, m, sizeof(m));
}

/* Looks until a picture of this size is there. */
static void expect_size(struct client *c, unsigned width, unsigned height)
{
    int lines = 0;

    for (unsigned n = 0; n < 500; n++) {
        request_update(c, false);
        lines = get_update(c);
        assert_true(lines >= 0);
        if (c->width == width && c->height == height && lines)
            break;
    }
    assert_int_equal(c->width, width);
    assert_int_equal(c->height, height);
    assert_int_equal(lines, height);
}

/* Every pixel of the scaled picture is the mean of those that it stands for. */
static void expect_mean(struct client *c, unsigned scale)
{
    struct fixture *f = c->f;
    unsigned wrong = 0;

    for (unsigned y = 0; y < c->height; y++) {
        for (unsigned x = 0; x < c->width; x++) {
            unsigned sum = 0;

            for (unsigned i = 0; i < scale * scale; i++)
                sum += f->pixels[(y * scale + i / scale) * f->width + x * scale + i % scale] & 0xff;
            wrong += (c->pixels[y * 1024 + x] & 0xff) != sum / (scale * scale);
        }
    }
    assert_int_equal(wrong, 0);
}

static void test_scaled(void **state)
{
    static const uint32_t sizes[][2] = {{640, 16}, {640, 480}, {64, 1000}, {4, 2}, {1024, 512}};
    struct fixture *f = *state;
    struct client *c, *plain;

    show_screen(f, 640, 480);
    plain = connect_viewer(f);
    set_encodings(plain, true);
    c = connect_viewer(f);
    set_encodings(c, true);
    expect_size(c, 640, 480);
    set_scale(c, 2);
    expect_size(c, 320, 240);
    expect_mean(c, 2);
    for (unsigned n = 0; n < sizeof(sizes) / sizeof(sizes[0]); n++) {
        show_screen(f, sizes[n][0], sizes[n][1]);
        expect_size(c, sizes[n][0] / 2, sizes[n][1] / 2);
        expect_mean(c, 2);
    }
    show_screen(f, 1, 1);
    expect_size(c, 1, 1);
    set_scale(c, 1);
    expect_screen(plain);
    hang_up(c);
    hang_up(plain);
}

/*
 * A client that scales and does not support the new-size encoding is disconnected when the screen's
 * size changes; the others stay connected.
 */
static void test_scaled_and_deaf(void **state)
{
    struct fixture *f = *state;
    struct client *c, *plain;

    show_screen(f, 640, 480);
    c = connect_viewer(f);
    set_encodings(c, false);
    set_scale(c, 2);
    plain = connect_viewer(f);
    set_encodings(plain, true);
    expect_screen(plain);
    show_screen(f, 640, 16);
    expect_screen(plain);
    assert_true(is_hung_up(c));
    hang_up(c);
    hang_up(plain);
}

/* A scale that makes a size 0, and scale 0, disconnect the client. */
static void test_scaled_to_nothing(void **state)
{
    struct fixture *f = *state;
    struct client *c, *plain;

    show_screen(f, 8, 600);
    plain = connect_viewer(f);
    set_encodings(plain, true);
    expect_screen(plain);
    c = connect_viewer(f);
    set_encodings(c, true);
    set_scale(c, 9);
    request_update(c, false);
    assert_true(is_hung_up(c));
    hang_up(c);
    c = connect_viewer(f);
    set_scale(c, 0);
    assert_true(is_hung_up(c));
    expect_screen(plain);
    hang_up(c);
    hang_up(plain);
}

/* Scaled pictures without a client are released when the screen's size changes. */
static void test_scales_are_released(void **state)
{
    struct fixture *f = *state;
    struct client *c;
    size_t before = 0;

    show_screen(f, 640, 480);
    c = connect_viewer(f);
    set_encodings(c, true);
    for (unsigned n = 0; n < 12; n++) {
        for (unsigned scale = 2; scale < 10; scale++)
            set_scale(c, scale);
        show_screen(f, 640, 480 + (n & 1)); /* scaled, both have the same size */
        run_machine(f, 100);
        expect_size(c, 640 / 9, 480 / 9);
        if (n == 1)
            before = mallinfo2().uordblks + mallinfo2().hblkhd;
    }
    assert_true(mallinfo2().uordblks + mallinfo2().hblkhd < before + (2u << 20));
    hang_up(c);
}

/* ---- input ----------------------------------------------------------------------------------- */

static void send_key(struct client *c, uint32_t key, bool down)
{
    uint8_t m[8] = {
        KEY,         down, 0, 0, (uint8_t)(key >> 24), (uint8_t)(key >> 16), (uint8_t)(key >> 8),
        (uint8_t)key};

    put_bytes(c, m, sizeof(m));
}

static void send_pointer(struct client *c, unsigned x, unsigned y, unsigned buttons)
{
    uint8_t m[6] = {POINTER,    (uint8_t)buttons,  (uint8_t)(x >> 8),
                    (uint8_t)x, (uint8_t)(y >> 8), (uint8_t)y};

    put_bytes(c, m, sizeof(m));
}

static const struct input *await_event(struct fixture *f, size_t n)
{
    for (uint64_t end = now_ms() + PATIENCE_MS; f->events.len <= n && now_ms() < end;)
        run_machine(f, 1);
    assert_true(f->events.len > n);
    return &f->events.data[n];
}

/* Without a client no picture is taken, with one at most RATE in a second, however busy it is. */
static void test_rate(void **state)
{
    struct fixture *f = *state;
    struct client *c;

    show_screen(f, 64, 32);
    run_machine(f, 200);
    assert_int_equal(f->grabs, 0);
    c = connect_viewer(f);
    for (unsigned busy = 0; busy < 2; busy++) {
        f->grabs = 0;
        for (uint64_t end = now_ms() + 600; now_ms() < end; run_machine(f, 1)) {
            if (busy)
                send_key(c, 'a', true);
        }
        assert_in_range(f->grabs, 3, 20);
    }
    hang_up(c);
}

static void test_input(void **state)
{
    struct fixture *f = *state;
    struct client *c = connect_viewer(f);

    send_key(c, 0xff0d, true);
    send_key(c, 'a', false);
    assert_int_equal(await_event(f, 0)->key, 0xff0d);
    assert_true(await_event(f, 0)->down);
    assert_int_equal(await_event(f, 1)->key, 'a');
    assert_false(await_event(f, 1)->down);
    send_pointer(c, 300, 7, 0);
    assert_true(await_event(f, 2)->pointer);
    assert_int_equal(await_event(f, 2)->x, 300);
    assert_int_equal(await_event(f, 2)->y, 7);
    send_pointer(c, 290, 9, 1 | 4); /* left and right */
    assert_int_equal(await_event(f, 3)->x, -10);
    assert_int_equal(await_event(f, 3)->y, 2);
    assert_int_equal(await_event(f, 3)->buttons, POINTER_LEFT | POINTER_RIGHT);
    assert_int_equal(await_event(f, 3)->wheel, 0);
    send_pointer(c, 290, 9, 8);
    assert_int_equal(await_event(f, 4)->wheel, 1);
    assert_int_equal(await_event(f, 4)->buttons, 0);
    send_pointer(c, 290, 9, 8); /* held */
    assert_int_equal(await_event(f, 5)->wheel, 0);
    send_pointer(c, 290, 9, 16);
    assert_int_equal(await_event(f, 6)->wheel, -1);
    run_machine(f, 50);
    assert_int_equal(f->events.len, 7);
    hang_up(c);
}

/* A machine that takes no input for long gets the oldest that waits. */
static void test_input_is_bounded(void **state)
{
    struct fixture *f = *state;
    struct client *c = connect_viewer(f);

    for (unsigned n = 0; n < 3000; n++)
        send_key(c, n, true);
    for (uint8_t b[16]; recv(c->fd, b, sizeof(b), MSG_DONTWAIT) > 0;)
        ;
    usleep(500000);
    run_machine(f, 100);
    assert_int_equal(f->events.len, 1024);
    assert_int_equal(f->events.data[1023].key, 1023);
    send_key(c, 'z', true);
    assert_int_equal(await_event(f, 1024)->key, 'z');
    hang_up(c);
}

/* ---- clients that keep others waiting -------------------------------------------------------- */

static void announce_text(struct client *c)
{
    static const uint8_t m[9] = {CUT_TEXT, 0, 0, 0, 0, 0x0f, 0x42, 0x40, 'x'};

    put_bytes(c, m, sizeof(m));
}

static unsigned ms_to_close(struct fixture *f)
{
    uint64_t start = now_ms();

    vnc_close(f->vnc);
    f->vnc = NULL;
    return (unsigned)(now_ms() - start);
}

/* An incomplete message of a client does not delay the end of the server. */
static void test_ends_within_a_message(void **state)
{
    struct fixture *f = *state;
    struct client *c = connect_viewer(f), *silent = connect_client(f);

    announce_text(c);
    usleep(100000);
    assert_in_range(ms_to_close(f), 0, 5000);
    assert_true(is_hung_up(c));
    assert_true(is_hung_up(silent));
    hang_up(c);
    hang_up(silent);
}

/* A picture that a client does not read does not delay the end of the server. */
static void test_ends_within_a_picture(void **state)
{
    struct fixture *f = *state;
    struct client *c = connect_viewer(f);
    int small = 4096;

    show_screen(f, 1000, 1000);
    setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    for (unsigned n = 0; n < 5; n++) {
        request_update(c, false);
        run_machine(f, 100);
    }
    assert_in_range(ms_to_close(f), 0, 5000);
    hang_up(c);
}

/* Closing the server releases its memory and its port. */
static void test_leaves_nothing(void **state)
{
    struct fixture *f = *state;
    size_t before = 0;

    show_screen(f, 1000, 1000);
    for (unsigned n = 0; n < 5; n++) {
        struct client *c = connect_viewer(f);

        set_encodings(c, true);
        expect_screen(c);
        hang_up(c);
        vnc_close(f->vnc);
        assert_true(try_number(f, f->number));
        if (n == 1)
            before = mallinfo2().uordblks + mallinfo2().hblkhd;
    }
    assert_true(mallinfo2().uordblks + mallinfo2().hblkhd < before + (3u << 20));
}

/* Opens the server again, with less patience than its own. */
static void open_impatient(struct fixture *f)
{
    vnc_close(f->vnc);
    patience_ms = 300;
    assert_true(try_number(f, f->number));
    assert_int_equal(patience_asked, 10000);
}

/* An incomplete message delays other clients by no more than the server's patience. */
static void test_others_wait_shortly(void **state)
{
    struct fixture *f = *state;
    struct client *slow, *c;
    uint64_t start;

    open_impatient(f);
    slow = connect_viewer(f);
    c = connect_viewer(f);
    show_screen(f, 64, 32);
    set_encodings(c, true);
    expect_screen(c);
    start = now_ms();
    announce_text(slow);
    usleep(100000);
    expect_screen(c);
    assert_true(is_hung_up(slow));
    assert_in_range(now_ms() - start, 0, 9000); /* the library would wait longer */
    hang_up(slow);
    hang_up(c);
}

static uint64_t used_ms(void)
{
    struct rusage used;

    getrusage(RUSAGE_SELF, &used);
    return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
           (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
}

/* A client whose first message is a part of one, and stays one. */
static void test_first_bytes(void **state)
{
    struct fixture *f = *state;
    struct client *c, *other;
    uint64_t used;

    open_impatient(f);
    c = connect_client(f);
    usleep(40000); /* until the server looks for them */
    put_bytes(c, "G", 1);
    other = connect_viewer(f);
    used = used_ms();
    run_machine(f, 500);
    assert_true(used_ms() - used < 250);
    request_update(other, false);
    assert_true(get_update(other) >= 0);
    hang_up(c);
    hang_up(other);
}

/* More clients than there is room for are hung up on; who goes makes room. */
static void test_crowd(void **state)
{
    struct fixture *f = *state;
    struct client *c[VNC_PEERS_MAX], *late;

    for (unsigned n = 0; n < VNC_PEERS_MAX; n++)
        c[n] = connect_viewer(f);
    late = connect_client(f);
    assert_true(is_hung_up(late));
    hang_up(late);
    for (unsigned n = 0; n < VNC_PEERS_MAX; n++)
        hang_up(c[n]);
    run_machine(f, 300);
    for (unsigned n = 0; n < 2; n++)
        hang_up(connect_viewer(f));
}

/* ---- addresses ------------------------------------------------------------------------------- */

static void test_addresses(void **state)
{
    static const char *const bad[] = {"",    "5",      ":",         ":x",          ":1x",
                                      ":-1", ":59636", "nowhere:1", "1.2.3.4.5:1", "127.0.0.1"};
    struct fixture *f = *state;
    struct error err = {""};
    char taken[64];

    for (unsigned n = 0; n < sizeof(bad) / sizeof(bad[0]); n++) {
        assert_null(vnc_open(f->display, &f->clock, bad[n], "", &err));
        assert_non_null(strstr(err.text, "[HOST]:N"));
    }
    for (unsigned n = 0; n < 2; n++) { /* the first and the last port, which others may have */
        struct vnc *vnc = vnc_open(f->display, &f->clock, n ? "127.0.0.1:59635" : ":0", "", &err);

        assert_true(vnc || strstr(err.text, n ? "listen on port 65535" : "listen on port 5900"));
        vnc_close(vnc);
    }
    snprintf(taken, sizeof(taken), "127.0.0.1:%d", f->number);
    assert_null(vnc_open(f->display, &f->clock, taken, "", &err));
    snprintf(taken, sizeof(taken), "cannot listen on port %d", BASE_PORT + f->number);
    assert_non_null(strstr(err.text, taken));
}

/* A host that has no memory for a screen, or no thread, is a plain error. */
static void test_host_refuses(void **state)
{
    struct fixture *f = *state;
    struct error err = {""};
    char address[32];

    vnc_close(f->vnc);
    f->vnc = NULL;
    snprintf(address, sizeof(address), ":%d", f->number);
    without_library = true;
    assert_null(vnc_open(f->display, &f->clock, address, "", &err));
    assert_string_equal(err.text, "vnc: libvncserver refuses");
    without_library = false;
    no_threads = true;
    assert_null(vnc_open(f->display, &f->clock, address, "", &err));
    assert_string_equal(err.text, "vnc: no thread");
    no_threads = false;
    vnc_close(NULL);
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SERVER(test_blank),
        WITH_SERVER(test_picture),
        WITH_SERVER(test_changed_lines),
        WITH_SERVER(test_size_is_told),
        WITH_SERVER(test_rate),
        WITH_SERVER(test_scaled),
        WITH_SERVER(test_scaled_and_deaf),
        WITH_SERVER(test_scaled_to_nothing),
        WITH_SERVER(test_scales_are_released),
        WITH_SERVER(test_input),
        WITH_SERVER(test_input_is_bounded),
        WITH_SERVER(test_ends_within_a_message),
        WITH_SERVER(test_ends_within_a_picture),
        WITH_SERVER(test_leaves_nothing),
        WITH_SERVER(test_others_wait_shortly),
        WITH_SERVER(test_first_bytes),
        WITH_SERVER(test_crowd),
        WITH_SERVER(test_addresses),
        WITH_SERVER(test_host_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
