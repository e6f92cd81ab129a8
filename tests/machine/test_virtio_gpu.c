/*
 * The virtio GPU by VIRTIO 1.2, section 5.7: a driver made by hand draws in guest memory, and the
 * image of the screen is compared. Then requests of drivers that are wrong or hostile.
 */
#include "tests/machine/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/edid.h"
#include "runtime/display/display.h"

#define EDID_FEATURE (UINT64_C(1) << 1)

/* The second queue's parts; rig.h has those of the first. */
#define CURSOR_DESC  (RAM + 0x5000)
#define CURSOR_AVAIL (RAM + 0x6000)
#define CURSOR_USED  (RAM + 0x7000)

#define REQUEST  BUFFER
#define LIST     (BUFFER + 0x1000) /* of a backing */
#define RESPONSE (BUFFER + 0x8000)
#define PIXELS   (BUFFER + 0x10000)

enum {
    GET_DISPLAY_INFO = 0x100,
    CREATE_2D,
    UNREF,
    SET_SCANOUT,
    FLUSH,
    TRANSFER,
    ATTACH,
    DETACH,
    GET_CAPSET_INFO,
    GET_EDID = 0x10a,
    UPDATE_CURSOR = 0x300,
    MOVE_CURSOR,
};

enum {
    OK = 0x1100,
    OK_DISPLAY_INFO,
    OK_EDID = 0x1104,
    UNSPEC = 0x1200,
    OUT_OF_MEMORY,
    NO_SCANOUT,
    NO_RESOURCE,
    BAD_PARAMETER = 0x1205,
};

enum { BGRA = 1, BGRX = 2, ARGB = 3, XRGB = 4, RGBA = 67, XBGR = 68, ABGR = 121, RGBX = 134 };

static uint16_t cursor_offered, cursor_used;

/* ---- the driver ------------------------------------------------------------------------------ */

static void start_driver(struct rig *r)
{
    static const struct {
        unsigned offset;
        uint64_t address;
    } parts[] = {{0x80, CURSOR_DESC}, {0x90, CURSOR_AVAIL}, {0xa0, CURSOR_USED}};

    assert_true(rig_start(r, VERSION_1 | EDID_FEATURE, 0));
    rig_write(r, 0x30, 1);
    rig_write(r, 0x38, QUEUE);
    for (unsigned i = 0; i < ARRAY_SIZE(parts); i++) {
        rig_write(r, parts[i].offset, (uint32_t)parts[i].address);
        rig_write(r, parts[i].offset + 4, 0);
    }
    rig_put(r, CURSOR_AVAIL, 4, 0);
    rig_put(r, CURSOR_USED, 4, 0);
    rig_write(r, 0x44, 1);
    assert_int_equal(rig_read(r, 0x44), 1);
    cursor_offered = cursor_used = 0;
}

static struct rig *gpu_rig(uint32_t width, uint32_t height)
{
    struct rig *r = rig_new(virtio_gpu_new(width, height));

    start_driver(r);
    return r;
}

/* Writes a request of `count` words behind a header with zeros. */
static void put_request(struct rig *r, uint32_t type, const uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < 24; i += 4)
        rig_put(r, REQUEST + i, 4, i ? 0 : type);
    for (unsigned i = 0; i < count; i++)
        rig_put(r, REQUEST + 24 + 4 * i, 4, words[i]);
}

/* Offers the request of `len` bytes with a response of up to `room`; returns the bytes written. */
static uint32_t send_request(struct rig *r, uint32_t len, uint32_t room)
{
    uint32_t used = 0;

    rig_put(r, RESPONSE, 8, 0);
    rig_desc(r, rig_entry(DESC, 0), REQUEST, len, room ? NEXT : 0, 1);
    rig_desc(r, rig_entry(DESC, 1), RESPONSE, room, WRITE, 0);
    rig_offer(r, 0, 0);
    assert_int_equal(rig_take(r, &used), 0);
    return used;
}

/* Sends a request of words; returns the type of the response. */
#define COMMAND(r, type, ...)                             \
    command((r), (type), (const uint32_t[]){__VA_ARGS__}, \
            sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static uint32_t command(struct rig *r, uint32_t type, const uint32_t *words, unsigned count)
{
    put_request(r, type, words, count);
    assert_int_equal(send_request(r, 24 + 4 * count, 24), 24);
    return (uint32_t)rig_get(r, RESPONSE, 4);
}

struct range {
    uint64_t addr;
    uint32_t len;
};

/* Attaches ranges of guest memory; the list is a buffer of its own, as Linux sends it. */
static uint32_t attach(struct rig *r, uint32_t id, const struct range *ranges, uint32_t count)
{
    const uint32_t words[] = {id, count};
    uint32_t used;

    put_request(r, ATTACH, words, 2);
    for (uint32_t i = 0; i < count; i++) {
        rig_put(r, LIST + 16 * i, 8, ranges[i].addr);
        rig_put(r, LIST + 16 * i + 8, 8, ranges[i].len);
    }
    rig_put(r, RESPONSE, 8, 0);
    rig_desc(r, rig_entry(DESC, 0), REQUEST, 32, NEXT, 1);
    rig_desc(r, rig_entry(DESC, 1), LIST, 16 * count, NEXT, 2);
    rig_desc(r, rig_entry(DESC, 2), RESPONSE, 24, WRITE, 0);
    rig_offer(r, 0, 0);
    assert_int_equal(rig_take(r, &used), 0);
    assert_int_equal(used, 24);
    return (uint32_t)rig_get(r, RESPONSE, 4);
}

/* Makes a resource with a backing at PIXELS. */
static void make_resource(struct rig *r, uint32_t id, uint32_t format, uint32_t width,
                          uint32_t height)
{
    const struct range all = {PIXELS, width * height * 4};

    assert_int_equal(COMMAND(r, CREATE_2D, id, format, width, height), OK);
    assert_int_equal(attach(r, id, &all, 1), OK);
}

/* A pixel of the screen; the screen must be on. */
static uint32_t screen_at(struct rig *r, uint32_t x, uint32_t y)
{
    struct image image = {0};
    uint32_t pixel;

    assert_true(display_grab(r->b->env.display, &image));
    assert_true(x < image.width && y < image.height);
    pixel = image.pixels[y * image.width + x];
    image_free(&image);
    return pixel;
}

/* Whether the screen is on and of this size. */
static bool screen_is(struct rig *r, uint32_t width, uint32_t height)
{
    struct image image = {0};
    bool on = display_grab(r->b->env.display, &image);

    if (on)
        on = image.width == width && image.height == height;
    image_free(&image);
    return on;
}

static bool screen_is_off(struct rig *r)
{
    struct image image = {0};
    bool on = display_grab(r->b->env.display, &image);

    image_free(&image);
    return !on;
}

static uint32_t cursor_command(struct rig *r, uint32_t type, const uint32_t words[static 8])
{
    put_request(r, type, words, 8);
    rig_put(r, RESPONSE, 4, 0);
    rig_desc(r, rig_entry(CURSOR_DESC, 0), REQUEST, 56, NEXT, 1);
    rig_desc(r, rig_entry(CURSOR_DESC, 1), RESPONSE, 24, WRITE, 0);
    rig_put(r, CURSOR_AVAIL + 4 + 2 * (cursor_offered % QUEUE), 2, 0);
    rig_put(r, CURSOR_AVAIL + 2, 2, ++cursor_offered);
    rig_write(r, 0x50, 1);
    rig_wait(r, 1000000);
    assert_int_equal(rig_get(r, CURSOR_USED + 2, 2), ++cursor_used);
    return (uint32_t)rig_get(r, RESPONSE, 4);
}

/* ---- what the device says about itself ------------------------------------------------------- */

static void test_identity(void **state)
{
    struct rig *r = rig_new(virtio_gpu_new(1024, 768));

    (void)state;
    bench_listen(r->b);
    assert_int_equal(rig_read(r, 8), 16);
    rig_write(r, 0x14, 0);
    assert_int_equal(rig_read(r, 0x10) & 0xffffff, 2);
    for (unsigned queue = 0; queue < 3; queue++) {
        rig_write(r, 0x30, queue);
        assert_int_equal(rig_read(r, 0x34) != 0, queue < 2);
    }
    assert_int_equal(rig_read(r, 0x100), 0); /* events */
    rig_write(r, 0x104, 1);                  /* events_clear */
    assert_int_equal(rig_read(r, 0x104), 0);
    assert_int_equal(rig_read(r, 0x108), 1); /* scanouts */
    assert_int_equal(rig_read(r, 0x10c), 0); /* capability sets */
    assert_string_equal(bench_heard(r->b), "");
    rig_write(r, 0x100, 1);
    assert_non_null(strstr(bench_heard(r->b), "write of 4 bytes"));
    bench_write_as(r->b, 0, BENCH_BASE + 0x104, 1, 1);
    assert_non_null(strstr(bench_heard(r->b), "write of 1 bytes"));
    rig_free(r);
}

static void test_display_info(void **state)
{
    struct rig *r = gpu_rig(800, 600);

    (void)state;
    put_request(r, GET_DISPLAY_INFO, NULL, 0);
    for (unsigned i = 0; i < 408; i += 8)
        rig_put(r, RESPONSE + i, 8, UINT64_MAX);
    assert_int_equal(send_request(r, 24, 512), 408);
    assert_int_equal(rig_get(r, RESPONSE, 4), OK_DISPLAY_INFO);
    assert_int_equal(rig_get(r, RESPONSE + 24, 8), 0);
    assert_int_equal(rig_get(r, RESPONSE + 32, 4), 800);
    assert_int_equal(rig_get(r, RESPONSE + 36, 4), 600);
    assert_int_equal(rig_get(r, RESPONSE + 40, 8), 1);
    for (unsigned i = 48; i < 408; i += 8)
        assert_int_equal(rig_get(r, RESPONSE + i, 8), 0);
    rig_free(r);
}

/* A fence's number and context come back, and the flag alone. */
static void test_fences(void **state)
{
    struct rig *r = gpu_rig(800, 600);

    (void)state;
    for (unsigned flag = 0; flag < 2; flag++) {
        put_request(r, FLUSH, (const uint32_t[]){0, 0, 0, 0, 9, 0}, 6);
        rig_put(r, REQUEST + 4, 4, flag | 0xf0);
        rig_put(r, REQUEST + 8, 8, UINT64_C(0x1122334455667788));
        rig_put(r, REQUEST + 16, 4, 0xabcd);
        rig_put(r, REQUEST + 20, 4, 0x55);
        assert_int_equal(send_request(r, 48, 64), 24);
        assert_int_equal(rig_get(r, RESPONSE, 4), NO_RESOURCE);
        assert_int_equal(rig_get(r, RESPONSE + 4, 4), flag);
        assert_int_equal(rig_get(r, RESPONSE + 8, 8), flag ? UINT64_C(0x1122334455667788) : 0);
        assert_int_equal(rig_get(r, RESPONSE + 16, 4), flag ? 0xabcd : 0);
        assert_int_equal(rig_get(r, RESPONSE + 20, 4), 0);
    }
    rig_free(r);
}

/* ---- EDID ------------------------------------------------------------------------------------ */

static void check_sum(const uint8_t *edid)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < EDID_BYTES; i++)
        sum += edid[i];
    assert_int_equal(sum & 0xff, 0);
}

/* Preferred timings as `cvt -r` prints them: 10 kHz, then pixels and lines. */
static void test_edid_timings(void **state)
{
    static const struct {
        unsigned width, height, clock, columns, lines, sync;
    } modes[] = {
        {1024, 768, 5600, 1184, 790, 4},     {1280, 800, 7100, 1440, 823, 6},
        {1920, 1080, 13850, 2080, 1111, 5},  {800, 600, 3550, 960, 618, 4},
        {1280, 1024, 9100, 1440, 1054, 7},   {1000, 100, 825, 1160, 119, 10},
        {4095, 4095, 65525, 4255, 4212, 10},
    };
    uint8_t edid[EDID_BYTES];

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(modes); i++) {
        const uint8_t *t = edid + 54;

        edid_make(edid, modes[i].width, modes[i].height);
        check_sum(edid);
        assert_memory_equal(edid, "\0\xff\xff\xff\xff\xff\xff\0\x1d\xc3", 10);
        assert_memory_equal(edid + 18, "\1\4\xa5", 3);
        assert_int_equal(edid[24] & 2, 2); /* the first timing is preferred */
        assert_int_equal(t[0] | t[1] << 8, modes[i].clock);
        assert_int_equal(t[2] | t[4] >> 4 << 8, modes[i].width);
        assert_int_equal((t[3] | (t[4] & 15) << 8) + modes[i].width, modes[i].columns);
        assert_int_equal(t[5] | t[7] >> 4 << 8, modes[i].height);
        assert_int_equal((t[6] | (t[7] & 15) << 8) + modes[i].height, modes[i].lines);
        assert_int_equal(t[8], 48);
        assert_int_equal(t[9], 32);
        assert_int_equal(t[10], 3 << 4 | modes[i].sync);
        assert_int_equal(t[11], 0);
        assert_int_equal((t[12] | t[14] >> 4 << 8) * 4, modes[i].width & ~3u);
        assert_int_equal((t[13] | (t[14] & 15) << 8) * 4, modes[i].height & ~3u);
        assert_int_equal(t[17], 0x1a);
        assert_memory_equal(edid + 90, "\0\0\0\xfc\0gencc\n       ", 18);
        assert_int_equal(edid[126], 0);
    }
}

/* Smaller modes are listed, larger ones are not. */
static void test_edid_modes(void **state)
{
    static const uint8_t large[16] = {0x81, 0xc0, 0x81, 0x00, 0x81, 0x80, 0xa9, 0xc0,
                                      0xb3, 0x00, 0xd1, 0xc0, 1,    1,    1,    1};
    uint8_t edid[EDID_BYTES];

    (void)state;
    edid_make(edid, 640, 479);
    assert_memory_equal(edid + 35, "\0\0\0", 3);
    edid_make(edid, 800, 600);
    assert_memory_equal(edid + 35, "\x21\0\0", 3);
    assert_memory_equal(edid + 38, "\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1", 16);
    edid_make(edid, 1920, 1080);
    assert_memory_equal(edid + 35, "\x21\x08\0", 3);
    assert_memory_equal(edid + 38, large, sizeof(large));
}

static void test_get_edid(void **state)
{
    struct rig *r = gpu_rig(1280, 800);
    uint8_t edid[EDID_BYTES];

    (void)state;
    put_request(r, GET_EDID, (const uint32_t[]){0, 0}, 2);
    assert_int_equal(send_request(r, 32, 2048), 24 + 8 + 1024);
    assert_int_equal(rig_get(r, RESPONSE, 4), OK_EDID);
    assert_int_equal(rig_get(r, RESPONSE + 24, 8), EDID_BYTES);
    edid_make(edid, 1280, 800);
    for (unsigned i = 0; i < 1024; i++)
        assert_int_equal(rig_get(r, RESPONSE + 32 + i, 1), i < EDID_BYTES ? edid[i] : 0);
    assert_int_equal(COMMAND(r, GET_EDID, 1, 0), BAD_PARAMETER);
    rig_free(r);
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* Pixel n of guest memory is n with a high byte that no image shows. */
static void draw_numbers(struct rig *r, uint32_t count, uint32_t first)
{
    for (uint32_t n = 0; n < count; n++)
        rig_put(r, PIXELS + 4 * n, 4, 0xee000000 | (first + n));
}

/* The screen shows what was transferred, and nothing else that the guest draws. */
static void test_picture(void **state)
{
    struct rig *r = gpu_rig(800, 600);

    (void)state;
    assert_true(screen_is_off(r));
    draw_numbers(r, 32, 0x1000);
    make_resource(r, 7, BGRX, 8, 4);
    assert_true(screen_is_off(r));
    assert_int_equal(COMMAND(r, SET_SCANOUT, 0, 0, 8, 4, 0, 7), OK);
    assert_true(screen_is(r, 8, 4));
    assert_int_equal(screen_at(r, 3, 2), 0);
    assert_int_equal(COMMAND(r, TRANSFER, 0, 0, 8, 4, 0, 0, 7, 0), OK);
    assert_int_equal(COMMAND(r, FLUSH, 0, 0, 8, 4, 7, 0), OK);
    for (uint32_t n = 0; n < 32; n++)
        assert_int_equal(screen_at(r, n % 8, n / 8), 0x1000 + n);

    draw_numbers(r, 32, 0x2000);
    assert_int_equal(screen_at(r, 5, 1), 0x100d);
    /* 2 x 2 pixels at (5, 1), whose first is at byte 4 * 13 */
    assert_int_equal(COMMAND(r, TRANSFER, 5, 1, 2, 2, 52, 0, 7, 0), OK);
    for (uint32_t n = 0; n < 32; n++) {
        bool within = n % 8 - 5 < 2 && n / 8 - 1 < 2;

        assert_int_equal(screen_at(r, n % 8, n / 8), (within ? 0x2000 : 0x1000) + n);
    }
    assert_int_equal(stats_get(r->b->stats, r->b->env.name, "transfers"), 2);
    assert_int_equal(stats_get(r->b->stats, r->b->env.name, "transferred_bytes"), 128 + 16);
    assert_int_equal(stats_get(r->b->stats, r->b->env.name, "flushes"), 1);
    assert_int_equal(stats_get(r->b->stats, r->b->env.name, "resources"), 1);
    rig_free(r);
}

/* A list of ranges that overlap, are empty, or end within a pixel. */
static void test_backing_in_pieces(void **state)
{
    static const struct range pieces[] = {
        {PIXELS + 100, 5}, {PIXELS, 0}, {PIXELS, 11}, {PIXELS + 4, 1}, {PIXELS + 2, 15}};
    uint8_t bytes[32], memory[128];
    struct rig *r = gpu_rig(800, 600);
    unsigned len = 0;

    (void)state;
    for (unsigned i = 0; i < sizeof(memory); i++)
        rig_put(r, PIXELS + i, 1, memory[i] = (uint8_t)(i * 37 + 1));
    for (unsigned i = 0; i < ARRAY_SIZE(pieces); i++) {
        memcpy(bytes + len, memory + (pieces[i].addr - PIXELS), pieces[i].len);
        len += pieces[i].len;
    }
    assert_int_equal(len, 32);
    assert_int_equal(COMMAND(r, CREATE_2D, 1, BGRX, 4, 2), OK);
    assert_int_equal(attach(r, 1, pieces, ARRAY_SIZE(pieces)), OK);
    assert_int_equal(COMMAND(r, SET_SCANOUT, 0, 0, 4, 2, 0, 1), OK);
    assert_int_equal(COMMAND(r, TRANSFER, 0, 0, 4, 2, 0, 0, 1, 0), OK);
    for (unsigned n = 0; n < 8; n++)
        assert_int_equal(screen_at(r, n % 4, n / 4), le_get(bytes + 4 * n, 3));
    /* the last column alone, from other places of the backing */
    assert_int_equal(COMMAND(r, TRANSFER, 3, 0, 1, 2, 7, 0, 1, 0), OK);
    for (unsigned y = 0; y < 2; y++) {
        assert_int_equal(screen_at(r, 3, y), le_get(bytes + 7 + 16 * y, 3));
        assert_int_equal(screen_at(r, 2, y), le_get(bytes + 8 + 16 * y, 3));
    }
    rig_free(r);
}

/* A format's name lists its bytes from the lowest address on. */
static void test_formats(void **state)
{
    static const struct {
        uint32_t format, colour;
    } rows[] = {{BGRA, 0x332211}, {BGRX, 0x332211}, {ARGB, 0x223344}, {XRGB, 0x223344},
                {RGBA, 0x112233}, {XBGR, 0x443322}, {ABGR, 0x443322}, {RGBX, 0x112233}};
    struct rig *r = gpu_rig(800, 600);

    (void)state;
    rig_put(r, PIXELS, 4, 0x44332211);
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        make_resource(r, i + 1, rows[i].format, 1, 1);
        assert_int_equal(COMMAND(r, TRANSFER, 0, 0, 1, 1, 0, 0, i + 1, 0), OK);
        assert_int_equal(COMMAND(r, SET_SCANOUT, 0, 0, 1, 1, 0, i + 1), OK);
        assert_int_equal(screen_at(r, 0, 0), rows[i].colour);
    }
    for (uint32_t format = 0; format < 140; format++) {
        unsigned i = 0;

        while (i < ARRAY_SIZE(rows) && rows[i].format != format)
            i++;
        assert_int_equal(COMMAND(r, CREATE_2D, 100 + format, format, 1, 1),
                         i < ARRAY_SIZE(rows) ? OK : BAD_PARAMETER);
    }
    rig_free(r);
}

/* A part of a resource is the screen; then another resource, then none. */
static void test_scanouts(void **state)
{
    struct rig *r = gpu_rig(800, 600);

    (void)state;
    draw_numbers(r, 32, 0);
    make_resource(r, 1, BGRX, 8, 4);
    make_resource(r, 2, BGRX, 2, 2);
    assert_int_equal(COMMAND(r, TRANSFER, 0, 0, 8, 4, 0, 0, 1, 0), OK);
    assert_int_equal(COMMAND(r, SET_SCANOUT, 3, 1, 4, 3, 0, 1), OK);
    assert_true(screen_is(r, 4, 3));
    for (uint32_t n = 0; n < 12; n++)
        assert_int_equal(screen_at(r, n % 4, n / 4), 8 * (n / 4 + 1) + n % 4 + 3);
    assert_int_equal(COMMAND(r, SET_SCANOUT, 0, 0, 2, 2, 0, 2), OK);
    assert_true(screen_is(r, 2, 2));
    assert_int_equal(COMMAND(r, UNREF, 1, 0), OK);
    assert_true(screen_is(r, 2, 2));
    assert_int_equal(COMMAND(r, SET_SCANOUT, 0, 0, 0, 0, 0, 0), OK);
    assert_true(screen_is_off(r));
    /* a resource that goes takes the screen with it, and one of its number does not turn it on */
    assert_int_equal(COMMAND(r, SET_SCANOUT, 0, 0, 2, 2, 0, 2), OK);
    assert_int_equal(COMMAND(r, UNREF, 2, 0), OK);
    assert_true(screen_is_off(r));
    make_resource(r, 2, BGRX, 2, 2);
    assert_true(screen_is_off(r));
    rig_free(r);
}

/* The pixels stay when the backing goes, and a new one may come. */
static void test_detaching(void **state)
{
    static const struct range other = {PIXELS + 0x1000, 4};
    struct rig *r = gpu_rig(800, 600);

    (void)state;
    draw_numbers(r, 1, 0x123456);
    rig_put(r, PIXELS + 0x1000, 4, 0x654321);
    assert_int_equal(COMMAND(r, CREATE_2D, 1, BGRX, 1, 1), OK);
    assert_int_equal(COMMAND(r, TRANSFER, 0, 0, 1, 1, 0, 0, 1, 0), UNSPEC);
    assert_int_equal(COMMAND(r, DETACH, 1, 0), UNSPEC);
    assert_int_equal(attach(r, 1, &(struct range){PIXELS, 4}, 1), OK);
    assert_int_equal(attach(r, 1, &other, 1), UNSPEC);
    assert_int_equal(COMMAND(r, SET_SCANOUT, 0, 0, 1, 1, 0, 1), OK);
    assert_int_equal(COMMAND(r, TRANSFER, 0, 0, 1, 1, 0, 0, 1, 0), OK);
    assert_int_equal(COMMAND(r, DETACH, 1, 0), OK);
    assert_int_equal(screen_at(r, 0, 0), 0x123456);
    assert_int_equal(COMMAND(r, TRANSFER, 0, 0, 1, 1, 0, 0, 1, 0), UNSPEC);
    assert_int_equal(attach(r, 1, &other, 1), OK);
    assert_int_equal(COMMAND(r, TRANSFER, 0, 0, 1, 1, 0, 0, 1, 0), OK);
    assert_int_equal(screen_at(r, 0, 0), 0x654321);
    assert_int_equal(COMMAND(r, DETACH, 1, 0), OK);
    assert_int_equal(attach(r, 1, NULL, 0), OK); /* a list of nothing is a backing too */
    assert_int_equal(attach(r, 1, &other, 1), UNSPEC);
    assert_int_equal(COMMAND(r, TRANSFER, 0, 0, 1, 1, 0, 0, 1, 0), BAD_PARAMETER);
    assert_int_equal(COMMAND(r, TRANSFER, 0, 0, 0, 0, 0, 0, 1, 0), OK);
    rig_free(r);
}

/* A driver's reset turns the screen off and releases everything. */
static void test_reset(void **state)
{
    struct rig *r = gpu_rig(800, 600);

    (void)state;
    make_resource(r, 1, BGRX, 64, 64);
    assert_int_equal(COMMAND(r, SET_SCANOUT, 0, 0, 64, 64, 0, 1), OK);
    assert_int_equal(cursor_command(r, UPDATE_CURSOR, (const uint32_t[8]){0, 0, 0, 0, 1, 0, 0, 0}),
                     OK);
    assert_true(screen_is(r, 64, 64));
    start_driver(r);
    assert_true(screen_is_off(r));
    assert_int_equal(COMMAND(r, UNREF, 1, 0), NO_RESOURCE);
    make_resource(r, 1, BGRX, 64, 64);
    assert_true(screen_is_off(r));
    rig_put(r, PIXELS, 4, 0xabcdef);
    assert_int_equal(COMMAND(r, TRANSFER, 0, 0, 64, 64, 0, 0, 1, 0), OK);
    assert_int_equal(COMMAND(r, SET_SCANOUT, 0, 0, 64, 64, 0, 1), OK);
    assert_int_equal(screen_at(r, 0, 0), 0xabcdef); /* no cursor is over it */
    rig_free(r);
}

/* A frame of 5 x 5 pixels, unless `off` is not NULL. */
static bool board_frame(void *off, struct frame *f)
{
    *f = (struct frame){.address = RAM, .width = 5, .height = 5, .stride = 20, .bits = 32};
    return off == NULL;
}

/* A screen that was plugged in is shown before the board's, when it is on. */
static void test_precedence(void **state)
{
    struct rig *r = gpu_rig(800, 600);
    char *text = NULL;
    size_t len;
    FILE *out;

    (void)state;
    display_add(r->b->env.display, "board", DISPLAY_BOARD, board_frame, NULL);
    display_add(r->b->env.display, "firmware", DISPLAY_FIRMWARE, board_frame, &len);
    assert_true(screen_is(r, 5, 5));
    make_resource(r, 1, BGRX, 3, 2);
    assert_int_equal(COMMAND(r, SET_SCANOUT, 0, 0, 3, 2, 0, 1), OK);
    assert_true(screen_is(r, 3, 2));
    out = open_memstream(&text, &len);
    display_print(r->b->env.display, out);
    fclose(out);
    assert_string_equal(text, "device@10000000: 3x2, 32 bits per pixel, shown\n"
                              "board: 5x5, 32 bits per pixel\nfirmware: off\n");
    free(text);
    assert_int_equal(COMMAND(r, SET_SCANOUT, 0, 0, 0, 0, 0, 0), OK);
    assert_true(screen_is(r, 5, 5));
    rig_free(r);
}

/* ---- the cursor ------------------------------------------------------------------------------ */

#define CURSOR_PIXELS (PIXELS + 0x8000)

/* A screen of grey, and a cursor of resource 2 whose pixel n is `pixels(n)`. */
static struct rig *cursor_rig(uint32_t format, uint32_t pixel)
{
    const struct range cursor = {CURSOR_PIXELS, 64 * 64 * 4};
    struct rig *r = gpu_rig(800, 600);

    for (unsigned i = 0; i < 64 * 64; i++) {
        rig_put(r, PIXELS + 4 * i, 4, 0x808080);
        rig_put(r, CURSOR_PIXELS + 4 * i, 4, pixel);
    }
    make_resource(r, 1, BGRX, 64, 64);
    assert_int_equal(COMMAND(r, TRANSFER, 0, 0, 64, 64, 0, 0, 1, 0), OK);
    assert_int_equal(COMMAND(r, SET_SCANOUT, 0, 0, 64, 64, 0, 1), OK);
    assert_int_equal(COMMAND(r, CREATE_2D, 2, format, 64, 64), OK);
    assert_int_equal(attach(r, 2, &cursor, 1), OK);
    assert_int_equal(COMMAND(r, TRANSFER, 0, 0, 64, 64, 0, 0, 2, 0), OK);
    return r;
}

static void test_cursor_moves(void **state)
{
    struct rig *r = cursor_rig(BGRA, 0xff102030);

    (void)state;
    assert_int_equal(screen_at(r, 10, 10), 0x808080);
    assert_int_equal(
        cursor_command(r, UPDATE_CURSOR, (const uint32_t[8]){0, 10, 20, 0, 2, 3, 4, 0}), OK);
    assert_int_equal(screen_at(r, 9, 20), 0x808080);
    assert_int_equal(screen_at(r, 10, 19), 0x808080);
    assert_int_equal(screen_at(r, 10, 20), 0x102030);
    assert_int_equal(screen_at(r, 63, 63), 0x102030);
    /* its picture is the device's own; a movement needs no resource */
    assert_int_equal(COMMAND(r, UNREF, 2, 0), OK);
    assert_int_equal(
        cursor_command(r, MOVE_CURSOR, (const uint32_t[8]){0, (uint32_t)-62, (uint32_t)-63, 0, 9}),
        OK);
    assert_int_equal(screen_at(r, 0, 0), 0x102030);
    assert_int_equal(screen_at(r, 1, 0), 0x102030);
    assert_int_equal(screen_at(r, 2, 0), 0x808080);
    assert_int_equal(screen_at(r, 0, 1), 0x808080);
    assert_int_equal(cursor_command(r, MOVE_CURSOR, (const uint32_t[8]){0, 0x7fffffff, 0x80000000}),
                     OK);
    assert_int_equal(screen_at(r, 63, 63), 0x808080);
    assert_int_equal(cursor_command(r, MOVE_CURSOR, (const uint32_t[8]){0, 0, 0}), OK);
    assert_int_equal(cursor_command(r, UPDATE_CURSOR, (const uint32_t[8]){0, 0, 0, 0, 0}), OK);
    assert_int_equal(screen_at(r, 5, 5), 0x808080);
    rig_free(r);
}

/* Colours are multiplied by the alpha already; formats without alpha have it in the fourth byte. */
static void test_cursor_blends(void **state)
{
    static const struct {
        uint32_t format, pixel, colour;
    } rows[] = {
        {BGRA, 0x00000000, 0x808080},     {BGRA, 0xff010203, 0x010203},
        {BGRA, 0x80402000, 0x80603f + 1}, {BGRA, 0x00ff0001, 0xff8081},
        {BGRX, 0xff112233, 0x112233},     {RGBA, 0xff010203, 0x030201},
        {BGRX, 0x00000000, 0x808080},     {BGRX, 0x80402000, 0x80603f + 1},
        {ARGB, 0x010203ff, 0x030201},     {ABGR, 0x010203ff, 0x010203},
    };

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        struct rig *r = cursor_rig(rows[i].format, rows[i].pixel);

        assert_int_equal(
            cursor_command(r, UPDATE_CURSOR, (const uint32_t[8]){0, 0, 0, 0, 2, 0, 0, 0}), OK);
        if (screen_at(r, 30, 30) != rows[i].colour)
            fail_msg("row %u: %06x", i, screen_at(r, 30, 30));
        rig_free(r);
    }
}

static void test_cursor_errors(void **state)
{
    struct rig *r = cursor_rig(BGRA, 0xff102030);

    (void)state;
    assert_int_equal(COMMAND(r, CREATE_2D, 3, BGRA, 64, 63), OK);
    assert_int_equal(cursor_command(r, UPDATE_CURSOR, (const uint32_t[8]){1, 0, 0, 0, 2}),
                     NO_SCANOUT);
    assert_int_equal(cursor_command(r, UPDATE_CURSOR, (const uint32_t[8]){0, 0, 0, 0, 5}),
                     NO_RESOURCE);
    assert_int_equal(cursor_command(r, UPDATE_CURSOR, (const uint32_t[8]){0, 0, 0, 0, 3}),
                     BAD_PARAMETER);
    assert_int_equal(cursor_command(r, MOVE_CURSOR, (const uint32_t[8]){1, 0, 0}), NO_SCANOUT);
    assert_int_equal(screen_at(r, 0, 0), 0x808080);
    /* each queue has its own commands */
    assert_int_equal(cursor_command(r, GET_DISPLAY_INFO, (const uint32_t[8]){0}), UNSPEC);
    assert_int_equal(COMMAND(r, UPDATE_CURSOR, 0, 0, 0, 0, 2, 0, 0, 0), UNSPEC);
    assert_int_equal(screen_at(r, 0, 0), 0x808080);
    rig_free(r);
}

/* ---- drivers that are wrong ------------------------------------------------------------------ */

static void test_errors(void **state)
{
    static const struct {
        uint32_t type, words[8], count, response;
    } rows[] = {
        {CREATE_2D, {0, BGRX, 4, 4}, 4, NO_RESOURCE},
        {CREATE_2D, {1, BGRX, 4, 4}, 4, NO_RESOURCE},
        {CREATE_2D, {2, 5, 4, 4}, 4, BAD_PARAMETER},
        {CREATE_2D, {2, BGRX, 0, 4}, 4, BAD_PARAMETER},
        {CREATE_2D, {2, BGRX, 4, 0}, 4, BAD_PARAMETER},
        {CREATE_2D, {2, BGRX, UINT32_MAX, UINT32_MAX}, 4, BAD_PARAMETER},
        {CREATE_2D, {2, BGRX, 0x10000000, 0x10000000}, 4, OUT_OF_MEMORY},
        {CREATE_2D, {2, BGRX, 1, 0x4000001}, 4, OUT_OF_MEMORY},
        {UNREF, {0, 0}, 2, NO_RESOURCE},
        {UNREF, {2, 0}, 2, NO_RESOURCE},
        {SET_SCANOUT, {0, 0, 8, 8, 1, 1}, 6, NO_SCANOUT},
        {SET_SCANOUT, {0, 0, 8, 8, 1, 0}, 6, NO_SCANOUT},
        {SET_SCANOUT, {0, 0, 8, 8, 0, 2}, 6, NO_RESOURCE},
        {SET_SCANOUT, {0, 0, 9, 8, 0, 1}, 6, BAD_PARAMETER},
        {SET_SCANOUT, {0, 0, 8, 9, 0, 1}, 6, BAD_PARAMETER},
        {SET_SCANOUT, {1, 0, 8, 8, 0, 1}, 6, BAD_PARAMETER},
        {SET_SCANOUT, {0, 1, 8, 8, 0, 1}, 6, BAD_PARAMETER},
        {SET_SCANOUT, {9, 0, 0, 1, 0, 1}, 6, BAD_PARAMETER},
        {SET_SCANOUT, {0, 0, 0, 8, 0, 1}, 6, BAD_PARAMETER},
        {SET_SCANOUT, {0, 0, 8, 0, 0, 1}, 6, BAD_PARAMETER},
        {SET_SCANOUT, {1, 0, UINT32_MAX, 8, 0, 1}, 6, BAD_PARAMETER},
        {SET_SCANOUT, {0, UINT32_MAX, 8, 1, 0, 1}, 6, BAD_PARAMETER},
        {FLUSH, {0, 0, 8, 8, 2, 0}, 6, NO_RESOURCE},
        {FLUSH, {0, 0, 8, 9, 1, 0}, 6, BAD_PARAMETER},
        {TRANSFER, {0, 0, 8, 8, 0, 0, 2, 0}, 8, NO_RESOURCE},
        {TRANSFER, {0, 0, 8, 9, 0, 0, 1, 0}, 8, BAD_PARAMETER},
        {TRANSFER, {0, 9, 0, 0, 0, 0, 1, 0}, 8, BAD_PARAMETER},
        {TRANSFER, {0, 0, 8, 8, 1, 0, 1, 0}, 8, BAD_PARAMETER},
        {TRANSFER, {0, 0, 8, 1, 225, 0, 1, 0}, 8, BAD_PARAMETER},
        {TRANSFER, {0, 0, 1, 8, 29, 0, 1, 0}, 8, BAD_PARAMETER},
        {TRANSFER, {0, 0, 8, 8, 0, 1, 1, 0}, 8, BAD_PARAMETER},
        {TRANSFER, {0, 0, 8, 8, UINT32_MAX, UINT32_MAX, 1, 0}, 8, BAD_PARAMETER},
        {ATTACH, {2, 1, 0, 0x8000, 4, 0}, 6, NO_RESOURCE},
        {ATTACH, {1, 0}, 2, UNSPEC},
        {DETACH, {2, 0}, 2, NO_RESOURCE},
        {GET_CAPSET_INFO, {0, 0}, 2, UNSPEC},
        {0, {0}, 0, UNSPEC},
        {UINT32_MAX, {0}, 0, UNSPEC},
    };
    struct rig *r = gpu_rig(800, 600);

    (void)state;
    bench_listen(r->b);
    make_resource(r, 1, BGRX, 8, 8);
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        uint32_t response = command(r, rows[i].type, rows[i].words, rows[i].count);

        if (response != rows[i].response)
            fail_msg("row %u: %#x", i, response);
        if (!strstr(bench_heard(r->b), "error 0x12"))
            fail_msg("row %u: nothing is logged", i);
    }
    assert_true(screen_is_off(r));
    /* the edges of the same rows are right */
    assert_int_equal(COMMAND(r, TRANSFER, 0, 0, 8, 1, 224, 0, 1, 0), OK);
    assert_int_equal(COMMAND(r, TRANSFER, 0, 0, 1, 8, 28, 0, 1, 0), OK);
    assert_int_equal(COMMAND(r, TRANSFER, 8, 8, 0, 0, 256, 0, 1, 0), OK);
    assert_int_equal(COMMAND(r, FLUSH, 7, 7, 1, 1, 1, 0), OK);
    assert_int_equal(COMMAND(r, SET_SCANOUT, 7, 7, 1, 1, 0, 1), OK);
    assert_string_equal(bench_heard(r->b), "");
    rig_free(r);
}

/* Requests that end early, and responses without room. */
static void test_lengths(void **state)
{
    static const struct {
        uint32_t type, len;
    } rows[] = {{CREATE_2D, 40}, {UNREF, 32},  {SET_SCANOUT, 48}, {FLUSH, 48},
                {TRANSFER, 56},  {ATTACH, 32}, {DETACH, 32},      {GET_EDID, 32}};
    static const uint32_t words[8] = {0};
    struct rig *r = gpu_rig(800, 600);

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        put_request(r, rows[i].type, words, 8);
        assert_int_equal(send_request(r, rows[i].len - 1, 24), 24);
        assert_int_equal(rig_get(r, RESPONSE, 4), BAD_PARAMETER);
        put_request(r, rows[i].type, words, 8);
        assert_int_equal(send_request(r, 3, 24), 24);
        assert_int_not_equal(rig_get(r, RESPONSE, 4), OK);
    }
    put_request(r, GET_DISPLAY_INFO, NULL, 0);
    assert_int_equal(send_request(r, 24, 0), 0);
    assert_int_equal(send_request(r, 24, 7), 7);
    assert_int_equal(rig_get(r, RESPONSE, 8), OK_DISPLAY_INFO);
    assert_int_equal(send_request(r, 24, 30), 30);
    assert_int_equal(rig_read(r, 0x70) & STATUS_NEEDS_RESET, 0);
    rig_free(r);
}

static void test_bad_lists(void **state)
{
    static const struct range bad[] = {{RAM - 4, 8},
                                       {RAM + RAM_SIZE - 4, 8},
                                       {BENCH_BASE, 4},
                                       {UINT64_MAX - 3, 8},
                                       {PIXELS, UINT32_MAX}};
    struct rig *r = gpu_rig(800, 600);

    (void)state;
    assert_int_equal(COMMAND(r, CREATE_2D, 1, BGRX, 1, 1), OK);
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        const struct range list[] = {{PIXELS, 4}, bad[i]};

        assert_int_equal(attach(r, 1, list, 2), BAD_PARAMETER);
    }
    /* a list that says it is longer than it is */
    assert_int_equal(COMMAND(r, ATTACH, 1, 2, (uint32_t)PIXELS, 0, 4, 0), BAD_PARAMETER);
    assert_int_equal(COMMAND(r, ATTACH, 1, 16385), BAD_PARAMETER);
    assert_int_equal(COMMAND(r, ATTACH, 1, UINT32_MAX), BAD_PARAMETER);
    assert_int_equal(COMMAND(r, TRANSFER, 0, 0, 1, 1, 0, 0, 1, 0), UNSPEC);
    assert_int_equal(COMMAND(r, ATTACH, 1, 1, (uint32_t)PIXELS, 0, 4, 0), OK);
    assert_int_equal(COMMAND(r, TRANSFER, 0, 0, 1, 1, 0, 0, 1, 0), OK);
    rig_free(r);
}

/* 1024 resources, 256 MB of them all, of which lists are a part. */
static void test_limits(void **state)
{
    static const struct range list[2] = {{PIXELS, 4}, {PIXELS, 4}};
    struct rig *r = gpu_rig(800, 600);

    (void)state;
    for (uint32_t id = 1; id <= 1024; id++)
        assert_int_equal(COMMAND(r, CREATE_2D, id, BGRX, 1, 1), OK);
    assert_int_equal(COMMAND(r, CREATE_2D, 2000, BGRX, 1, 1), OUT_OF_MEMORY);
    assert_int_equal(COMMAND(r, UNREF, 5, 0), OK);
    assert_int_equal(COMMAND(r, CREATE_2D, 2000, BGRX, 1, 1), OK);
    start_driver(r);
    assert_int_equal(COMMAND(r, CREATE_2D, 1, BGRX, 8192, 4096), OK);
    assert_int_equal(COMMAND(r, CREATE_2D, 2, BGRX, 8192, 4097), OUT_OF_MEMORY);
    assert_int_equal(COMMAND(r, CREATE_2D, 2, BGRX, 8192, 4095), OK);
    assert_int_equal(COMMAND(r, CREATE_2D, 3, BGRX, 8192, 1), OK);
    assert_int_equal(COMMAND(r, CREATE_2D, 4, BGRX, 1, 1), OUT_OF_MEMORY);
    assert_int_equal(attach(r, 1, list, 1), OUT_OF_MEMORY);
    assert_int_equal(COMMAND(r, UNREF, 3, 0), OK);
    assert_int_equal(COMMAND(r, CREATE_2D, 3, BGRX, 8192 - 8, 1), OK);
    assert_int_equal(attach(r, 2, list, 2), OK); /* 32 bytes are left, for two ranges */
    assert_int_equal(attach(r, 1, list, 1), OUT_OF_MEMORY);
    assert_int_equal(COMMAND(r, DETACH, 2, 0), OK);
    assert_int_equal(attach(r, 1, list, 2), OK);
    rig_free(r);
}

/* An event copies 64 MB; the next one does the rest. */
static void test_work_is_bounded(void **state)
{
    struct range list[64];
    struct rig *r = gpu_rig(800, 600);

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(list); i++)
        list[i] = (struct range){RAM, RAM_SIZE};
    assert_int_equal(COMMAND(r, CREATE_2D, 1, BGRX, 4096, 4096), OK);
    assert_int_equal(attach(r, 1, list, ARRAY_SIZE(list)), OK);
    put_request(r, TRANSFER, (const uint32_t[]){0, 0, 4096, 4096, 0, 0, 1, 0}, 8);
    rig_desc(r, rig_entry(DESC, 0), REQUEST, 56, 0, 0);
    for (unsigned n = 0; n < 2; n++)
        rig_put(r, AVAIL + 4 + 2 * ((r->offered + n) % QUEUE), 2, 0);
    r->offered = (uint16_t)(r->offered + 2);
    rig_put(r, AVAIL + 2, 2, r->offered);
    rig_write(r, 0x50, 0);
    for (unsigned n = 1; n <= 2; n++) {
        rig_wait(r, 10000);
        assert_int_equal((uint16_t)(rig_get(r, USED + 2, 2) - r->used), n);
    }
    rig_free(r);
}

/* ---- snapshots ------------------------------------------------------------------------------- */

/* A function's state as a snapshot holds it. */
struct saved {
    struct state_buf fields, contents;
};

static struct saved save_function(struct rig *r)
{
    struct saved s = {0};

    state_save(&s.fields, "gpu", r->f->cls->fields, r->f);
    r->f->cls->save(r->f, &s.contents);
    return s;
}

static void free_saved(struct saved *s)
{
    state_buf_free(&s->fields);
    state_buf_free(&s->contents);
}

/* A picture, a cursor and a backing in two pieces go on where they were saved. */
static void test_snapshot(void **state)
{
    static const struct range list[] = {{PIXELS, 8}, {PIXELS + 0x1000, 56}};
    struct rig *r = cursor_rig(BGRA, 0xff102030), *other = gpu_rig(64, 64);
    struct error err = {""};
    struct saved s;

    (void)state;
    assert_int_equal(
        cursor_command(r, UPDATE_CURSOR, (const uint32_t[8]){0, 60, 60, 0, 2, 0, 0, 0}), OK);
    assert_int_equal(COMMAND(r, CREATE_2D, 9, BGRX, 4, 4), OK);
    assert_int_equal(attach(r, 9, list, 2), OK);
    s = save_function(r);
    assert_true(state_load(&s.fields, "gpu", other->f->cls->fields, other->f, &err));
    for (unsigned round = 0; round < 2; round++) /* a machine loads its devices twice */
        assert_true(other->f->cls->load(other->f, s.contents.data, s.contents.len, true, &err));
    assert_true(screen_is(other, 64, 64));
    assert_int_equal(screen_at(other, 59, 60), 0x808080);
    assert_int_equal(screen_at(other, 60, 60), 0x102030);
    rig_put(other, PIXELS + 0x1000, 4, 0x77);
    assert_int_equal(COMMAND(other, TRANSFER, 0, 0, 4, 4, 0, 0, 9, 0), OK);
    assert_int_equal(COMMAND(other, SET_SCANOUT, 0, 0, 4, 4, 0, 9), OK);
    assert_int_equal(screen_at(other, 2, 0), 0x77);
    put_request(other, GET_DISPLAY_INFO, NULL, 0);
    send_request(other, 24, 408);
    assert_int_equal(rig_get(other, RESPONSE + 32, 4), 800);
    free_saved(&s);
    rig_free(r);
    rig_free(other);
}

/* Files may hold anything: what is damaged is refused whole, and a screen of no pixels is off. */
static void test_damaged_snapshots(void **state)
{
    /* one resource of 2 x 2 pixels with one range of 16 bytes */
    static const uint32_t whole[14] = {1, BGRX, 2, 2, 1, 1, (uint32_t)PIXELS, 0, 16, 0};
    static const struct {
        unsigned word;
        uint32_t value;
    } wrong[] = {{0, 0}, {1, 7},          {2, 0},     {2, 1}, {2, 0xffffffff}, {3, 3},
                 {4, 0}, {5, 0xffffffff}, {5, 16385}, {5, 2}, {8, 0},          {9, 1}};
    struct rig *r = gpu_rig(64, 64);
    const struct virtio_function_class *cls = r->f->cls;
    uint32_t words[28], scanout[5] = {1, 0, 0, 2, 3};
    uint8_t bytes[sizeof(words)];
    struct error err = {""};

    (void)state;
    make_resource(r, 5, BGRX, 4, 4);
    assert_int_equal(COMMAND(r, SET_SCANOUT, 0, 0, 4, 4, 0, 5), OK);
    for (unsigned len = 1; len < sizeof(whole); len++)
        assert_false(cls->load(r->f, (const uint8_t *)whole, len, true, &err));
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        memcpy(words, whole, sizeof(whole));
        words[wrong[i].word] = wrong[i].value;
        memcpy(bytes, words, sizeof(whole));
        if (cls->load(r->f, bytes, sizeof(whole), true, &err))
            fail_msg("row %u is loaded", i);
    }
    memcpy(bytes, whole, sizeof(whole)); /* a number that is there twice */
    memcpy(bytes + sizeof(whole), whole, sizeof(whole));
    assert_false(cls->load(r->f, bytes, sizeof(bytes), true, &err));
    assert_string_equal(err.text, "the section is damaged");
    assert_true(cls->load(r->f, (const uint8_t *)whole, sizeof(whole), false, &err));
    assert_true(screen_is(r, 4, 4)); /* nothing was replaced until now */
    assert_true(cls->load(r->f, (const uint8_t *)whole, sizeof(whole), true, &err));
    assert_true(screen_is_off(r));
    /* a rectangle that is larger than its resource */
    for (const struct state_field *f = cls->fields; f->name; f++) {
        if (!strcmp(f->name, "scanout"))
            memcpy((uint8_t *)r->f + f->offset, scanout, 4);
        if (!strcmp(f->name, "shown"))
            memcpy((uint8_t *)r->f + f->offset, scanout + 1, 16);
    }
    assert_true(screen_is_off(r));
    assert_true(cls->load(r->f, NULL, 0, true, &err));
    rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_display_info),
        cmocka_unit_test(test_fences),
        cmocka_unit_test(test_edid_timings),
        cmocka_unit_test(test_edid_modes),
        cmocka_unit_test(test_get_edid),
        cmocka_unit_test(test_picture),
        cmocka_unit_test(test_backing_in_pieces),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_scanouts),
        cmocka_unit_test(test_detaching),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_cursor_moves),
        cmocka_unit_test(test_cursor_blends),
        cmocka_unit_test(test_cursor_errors),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_bad_lists),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_work_is_bounded),
        cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_damaged_snapshots),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
