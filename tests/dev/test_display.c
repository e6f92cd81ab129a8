/* Frame buffers as images, filled by PL111, HDLCD and the firmware's frame buffer. */
#include "tests/dev/bench.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/display/display.h"

#define RAM UINT64_C(0x80000000)

static int setup(void **state)
{
    struct bench *b = bench_new();

    bus_add_ram(b->bus, "ram", RAM, 0x100000, NULL);
    b->env.display = display_new(b->bus);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    struct bench *b = *state;
    struct display *display = b->env.display;

    bench_free(b);
    display_free(display);
    return 0;
}

static void put_bytes(struct bench *b, uint64_t offset, const void *bytes, size_t len)
{
    assert_true(bus_copy_to(b->bus, RAM + offset, bytes, len));
}

/* ---- pictures -------------------------------------------------------------------------------- */

static void test_direct_colours(void **state)
{
    /*
     * Channels of 5, 6 and 5 bits are widened by their own high bits; the second line begins at
     * byte 8.
     */
    static const uint16_t pixels[8] = {0xf800, 0x07e0, 0x001f, 0, 0x0861, 0x8410, 0xffff, 0};
    struct frame f = {.address = RAM,
                      .width = 3,
                      .height = 2,
                      .stride = 8,
                      .bits = 16,
                      .red = {11, 5},
                      .green = {5, 6},
                      .blue = {0, 5}};
    static const uint32_t expected[6] = {0xff0000, 0x00ff00, 0x0000ff,
                                         0x080c08, 0x848284, 0xffffff};
    struct bench *b = *state;
    struct image image = {0};

    put_bytes(b, 0, pixels, sizeof(pixels));
    image_from_frame(&image, &f, b->bus);
    assert_int_equal(image.width, 3);
    assert_memory_equal(image.pixels, expected, sizeof(expected));
    f.stride = -8; /* upwards, from the second line */
    f.address = RAM + 8;
    image_from_frame(&image, &f, b->bus);
    assert_int_equal(image.pixels[0], 0x080c08);
    assert_int_equal(image.pixels[3], 0xff0000);
    f.address = RAM - 0x1000; /* unmapped memory */
    image_from_frame(&image, &f, b->bus);
    assert_int_equal(image.pixels[0], 0);
    f = (struct frame){.address = RAM,
                       .width = 1,
                       .height = 1,
                       .bits = 24,
                       .big_endian = true,
                       .red = {16, 8},
                       .green = {8, 8},
                       .blue = {0, 8}};
    put_bytes(b, 0, "\x12\x34\x56", 3);
    image_from_frame(&image, &f, b->bus);
    assert_int_equal(image.pixels[0], 0x123456);
    f.big_endian = false;
    image_from_frame(&image, &f, b->bus);
    assert_int_equal(image.pixels[0], 0x563412);
    image_free(&image);
}

static void test_palettes(void **state)
{
    static const uint32_t palette[256] = {0x111111, 0x222222, 0x333333,
                                          0x444444, [0x1b] = 0xabcdef};
    struct frame f = {.address = RAM, .width = 4, .height = 1, .bits = 2, .palette = palette};
    struct bench *b = *state;
    struct image image = {0};

    put_bytes(b, 0, "\x1b", 1); /* 00 01 10 11 from the left */
    image_from_frame(&image, &f, b->bus);
    assert_int_equal(image.pixels[0], 0x444444);
    assert_int_equal(image.pixels[3], 0x111111);
    f.big_endian = true;
    image_from_frame(&image, &f, b->bus);
    assert_int_equal(image.pixels[0], 0x111111);
    assert_int_equal(image.pixels[2], 0x333333);
    f.bits = 8;
    f.width = 1;
    image_from_frame(&image, &f, b->bus);
    assert_int_equal(image.pixels[0], 0xabcdef);
    image_free(&image);
}

static void test_sizes_are_bounded(void **state)
{
    struct frame f = {.address = RAM, .width = 1 << 20, .height = 1 << 20, .stride = 1, .bits = 1};
    static const uint32_t palette[256];
    struct bench *b = *state;
    struct image image = {0};
    struct error err;

    f.palette = palette;
    image_from_frame(&image, &f, b->bus);
    assert_int_equal(image.width, IMAGE_MAX_SIDE);
    assert_int_equal(image.height, IMAGE_MAX_SIDE);
    assert_false(image_write_png(&image, "/nonexistent/a.png", &err));
    assert_non_null(strstr(err.text, "/nonexistent/a.png"));
    image_free(&image);
}

/* A channel's bits are repeated to the right up to eight bits. */
static void test_channel_widths(void **state)
{
    static const struct {
        uint8_t width;
        uint32_t value, colour;
    } rows[] = {{0, 1, 0x00}, {1, 1, 0xff},  {2, 2, 0xaa},    {3, 5, 0xb6},
                {4, 9, 0x99}, {5, 19, 0x9c}, {7, 0x41, 0x83}, {8, 0x5a, 0x5a}};
    struct bench *b = *state;
    struct image image = {0};

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        struct frame f = {
            .address = RAM, .width = 1, .height = 1, .bits = 32, .green = {20, rows[i].width}};
        uint32_t pixel = rows[i].value << 20 | 1 << 19;

        put_bytes(b, 0, &pixel, 4);
        image_from_frame(&image, &f, b->bus);
        assert_int_equal(image.pixels[0], rows[i].colour << 8);
    }
    image_free(&image);
    assert_null(image.pixels);
    assert_int_equal(image.width, 0);
}

/* Lines up to the end of memory are shown; lines that reach over it are black as a whole. */
static void test_lines_at_the_end(void **state)
{
    static const uint32_t palette[256] = {0x101010, 0xffffff};
    struct frame f = {
        .address = RAM + 0xfffff, .width = 8, .height = 1, .bits = 1, .palette = palette};
    struct bench *b = *state;
    struct image image = {0};

    put_bytes(b, 0xfffff, "\x81", 1);
    image_from_frame(&image, &f, b->bus);
    for (unsigned n = 0; n < 8; n++)
        assert_int_equal(image.pixels[n], n == 0 || n == 7 ? 0xffffff : 0x101010);
    f.width = 9;
    image_from_frame(&image, &f, b->bus);
    for (unsigned n = 0; n < 9; n++)
        assert_int_equal(image.pixels[n], 0);
    f.address--;
    image_from_frame(&image, &f, b->bus);
    assert_int_equal(image.pixels[8], 0xffffff);
    f.address++; /* nothing of the last image is left */
    image_from_frame(&image, &f, b->bus);
    for (unsigned n = 0; n < 9; n++)
        assert_int_equal(image.pixels[n], 0);
    f = (struct frame){
        .address = RAM + 0x100000 - 16, .width = 8, .height = 1, .bits = 16, .red = {0, 8}};
    put_bytes(b, 0x100000 - 16, "\x11\0\x22\0\x33\0\x44\0\x55\0\x66\0\x77\0\x88", 16);
    image_from_frame(&image, &f, b->bus);
    assert_int_equal(image.pixels[7], 0x880000);
    f.height = 2; /* only the height changes; the second line repeats the first */
    image_from_frame(&image, &f, b->bus);
    assert_int_equal(image.height, 2);
    assert_int_equal(image.pixels[8], 0x110000);
    f.height = 1;
    f.address += 2;
    image_from_frame(&image, &f, b->bus);
    for (unsigned n = 0; n < 8; n++)
        assert_int_equal(image.pixels[n], 0);
    image_free(&image);
}

/* Reads the file by libpng. */
static void test_png(void **state)
{
    static uint32_t pixels[6] = {0x123456, 0xff0000, 0x00ff00, 0x0000ff, 0xffffff, 0xa0b0c0};
    static const uint8_t expected[18] = {0x12, 0x34, 0x56, 0xff, 0,    0,    0,    0xff, 0,
                                         0,    0,    0xff, 0xff, 0xff, 0xff, 0xa0, 0xb0, 0xc0};
    struct image image = {3, 2, pixels};
    png_image png = {.version = PNG_IMAGE_VERSION};
    char path[] = "/tmp/gencc-test-XXXXXX";
    uint8_t bytes[18] = {0};
    struct error err;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    assert_true(image_write_png(&image, path, &err));
    assert_true(png_image_begin_read_from_file(&png, path));
    assert_int_equal(png.width, 3);
    assert_int_equal(png.height, 2);
    assert_int_equal(png.format, PNG_FORMAT_RGB);
    assert_true(png_image_finish_read(&png, NULL, bytes, 0, NULL));
    assert_memory_equal(bytes, expected, sizeof(bytes));
    unlink(path);
}

/* ---- controllers ----------------------------------------------------------------------------- */

static void test_pl111(void **state)
{
    struct bench *b = *state;
    struct image image = {0};

    bench_create(b, "pl111");
    assert_int_equal(bench_read(b, 0xfe0) | bench_read(b, 0xfe4) << 8, 0x1111);
    assert_false(display_grab(b->env.display, &image));
    put_bytes(b, 8, "\x1f\x00\xe0\x07", 4);
    bench_write(b, 0x00, 0); /* 16 pixels per line */
    bench_write(b, 0x04, 1); /* two lines */
    bench_write(b, 0x10, 0x8000000f);
    assert_int_equal(bench_read(b, 0x10), 0x80000008);
    bench_write(b, 0x18, 1 | 6 << 1);
    assert_false(display_grab(b->env.display, &image)); /* power is off */
    bench_write(b, 0x18, 1 | 6 << 1 | 1 << 11);
    assert_true(display_grab(b->env.display, &image));
    assert_int_equal(image.width, 16);
    assert_int_equal(image.height, 2);
    assert_int_equal(image.pixels[0], 0xff0000); /* red in the low bits */
    assert_int_equal(image.pixels[1], 0x00ff00);
    bench_save_and_load(b);
    bench_write(b, 0x18, 1 | 6 << 1 | 1 << 11 | 1 << 8);
    assert_true(display_grab(b->env.display, &image));
    assert_int_equal(image.pixels[0], 0x0000ff);
    bench_write(b, 0x18, 1 | 3 << 1 | 1 << 11); /* 8 bits, by the palette */
    bench_write(b, 0x200 + 0x1e / 2 * 4, 0x001f << 16);
    assert_true(display_grab(b->env.display, &image));
    assert_int_equal(image.pixels[0], 0xff0000); /* entry 0x1f is the upper half of word 15 */
    image_free(&image);
}

struct format {
    uint32_t control;          /* LCDControl.LcdBpp and BGR, shifted into place */
    uint32_t red, green, blue; /* pixels of which one colour is at its maximum */
};

/*
 * Section 2.2.6: all formats without a palette, with red in the low bits, or in the high bits with
 * BGR.
 */
static void test_pl111_formats(void **state)
{
    static const struct format rows[] = {
        {4 << 1, 0x001f, 0x03e0, 0x7c00},       {4 << 1 | 1 << 8, 0x7c00, 0x03e0, 0x001f},
        {5 << 1, 0x0000ff, 0x00ff00, 0xff0000}, {5 << 1 | 1 << 8, 0xff0000, 0x00ff00, 0x0000ff},
        {6 << 1, 0x001f, 0x07e0, 0xf800},       {6 << 1 | 1 << 8, 0xf800, 0x07e0, 0x001f},
        {7 << 1, 0x000f, 0x00f0, 0x0f00},       {7 << 1 | 1 << 8, 0x0f00, 0x00f0, 0x000f},
    };
    struct bench *b = *state;
    struct image image = {0};

    bench_create(b, "pl111");
    bench_write(b, 0x10, (uint32_t)RAM);
    assert_int_equal(bench_read(b, 0x2c), (uint32_t)RAM);
    bench_write(b, 0x14, 0x80001007);
    assert_int_equal(bench_read(b, 0x30), 0x80001000);
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        unsigned bytes = (rows[i].control >> 1 & 7) == 5 ? 4 : 2;

        put_bytes(b, 0, &rows[i].red, bytes);
        put_bytes(b, bytes, &rows[i].green, bytes);
        put_bytes(b, 2 * bytes, &rows[i].blue, bytes);
        bench_write(b, 0x18, 1 | 1 << 11 | rows[i].control);
        assert_true(display_grab(b->env.display, &image));
        assert_int_equal(image.pixels[0], 0xff0000);
        assert_int_equal(image.pixels[1], 0x00ff00);
        assert_int_equal(image.pixels[2], 0x0000ff);
    }
    image_free(&image);
}

/*
 * Section 3.2.13: five bits per colour and one intensity bit, the lowest of all three; BGR swaps
 * red and blue.
 */
static void test_pl111_palette(void **state)
{
    struct bench *b = *state;
    struct image image = {0};

    bench_create(b, "pl111");
    bench_write(b, 0x10, (uint32_t)RAM);
    put_bytes(b, 0, "\x12\x00", 2);
    for (unsigned i = 0; i < 4; i++)
        bench_write(b, 0x200 + 4 * i, 0);
    bench_write(b, 0x200, (16u << 10 | 8u << 5 | 4) | 0x7c00u << 16);
    bench_write(b, 0x204, 0x03e0);
    bench_write(b, 0x18, 1 | 1 << 11 | 1 << 1); /* 2 bits per pixel: 2, 0, 1, 0 from the right */
    assert_true(display_grab(b->env.display, &image));
    assert_int_equal(image.pixels[0], 0x00ff00);
    assert_int_equal(image.pixels[1], 0x214284);
    assert_int_equal(image.pixels[2], 0x0000ff);
    bench_write(b, 0x18, 1 | 1 << 11 | 1 << 1 | 1 << 8);
    assert_true(display_grab(b->env.display, &image));
    assert_int_equal(image.pixels[1], 0x844221);
    bench_write(b, 0x18, 1 | 1 << 11 | 2 << 1 | 1 << 10); /* 4 bits per pixel, from the left */
    assert_true(display_grab(b->env.display, &image));
    assert_int_equal(image.pixels[0], 0x0000ff);
    assert_int_equal(image.pixels[1], 0x00ff00);
    image_free(&image);
}

/* Sections 3.2.2 to 3.2.4: with a pixel clock of 1 MHz, each clock of a frame is a microsecond. */
static void test_pl111_frame_time(void **state)
{
    static uint64_t hz = 1000000;
    struct bench *b = *state;

    b->env.clock_count = 1;
    b->env.clock_hz = &hz;
    bench_create(b, "pl111");
    bench_write(b, 0x00, 5u << 24 | 6 << 16 | 7 << 8 | 1 << 2); /* 32 + 6 + 7 + 8 */
    bench_write(b, 0x04, 3u << 24 | 4 << 16 | 5 << 10 | 19);    /* 20 + 3 + 4 + 6 */
    bench_write(b, 0x1c, 8);
    bench_write(b, 0x18, 1 | 1 << 11);
    for (unsigned i = 1; i < 4; i++) {
        bench_run_to(b, i * 53 * 33 * 1000 - 1);
        assert_false(b->level[0]);
        bench_run_to(b, i * 53 * 33 * 1000);
        assert_true(b->level[0]);
        bench_write(b, 0x28, ~0u);
    }
    b->cls->reset(b->dev);
    assert_int_equal(bench_read(b, 0x1c) | bench_read(b, 0x18) | bench_read(b, 0), 0);
    bench_run_to(b, 20000000);
    assert_false(b->level[0]);
    assert_int_equal(bench_read(b, 0x20), 0);
}

/*
 * 16 by 10 pixels without porches at 25 MHz would take 15 us: the frame event comes each
 * millisecond.
 */
static void test_pl111_interrupt(void **state)
{
    struct bench *b = *state;

    bench_create(b, "pl111");
    bench_write(b, 0x1c, ~0u);
    assert_int_equal(bench_read(b, 0x1c), 0x1e);
    bench_run_to(b, 5000000);
    assert_false(b->level[0]);
    bench_write(b, 0x18, 1 | 1 << 11);
    bench_run_to(b, 5500000);
    assert_false(b->level[0]);
    bench_run_to(b, 6000000);
    assert_true(b->level[0]);
    assert_int_equal(bench_read(b, 0x24), 0xc);
    bench_write(b, 0x28, ~0u);
    assert_false(b->level[0]);
    bench_run_to(b, 16000000);
    assert_int_equal(b->edges[0], 2);
    bench_write(b, 0x28, ~0u);
    bench_write(b, 0x18, 0);
    bench_run_to(b, 26000000);
    assert_false(b->level[0]);
}

static void test_hdlcd(void **state)
{
    static const uint32_t words[][2] = {
        {0x100, (uint32_t)RAM},
        {0x104, 8},
        {0x108, 1},
        {0x10c, 16},
        {0x208, 1},
        {0x218, 1},
        {0x240, 3 << 3},
        {0x244, 8 << 8 | 16},
        {0x248, 8 << 8 | 8},
        {0x24c, 8 << 8},
    };
    struct bench *b = *state;
    struct image image = {0};

    bench_create(b, "hdlcd");
    assert_int_equal(bench_read(b, 0) >> 16, 0x1cdc);
    put_bytes(b, 0, "\x33\x22\x11\0\x66\x55\x44", 8);
    put_bytes(b, 16, "\x99\x88\x77\0", 4);
    for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
        bench_write(b, words[i][0], words[i][1]);
        assert_int_equal(bench_read(b, words[i][0]), words[i][1]);
    }
    assert_false(display_grab(b->env.display, &image));
    bench_write(b, 0x230, 1);
    bench_save_and_load(b);
    assert_true(display_grab(b->env.display, &image));
    assert_int_equal(image.width, 2);
    assert_int_equal(image.height, 2);
    assert_int_equal(image.pixels[0], 0x112233);
    assert_int_equal(image.pixels[1], 0x445566);
    assert_int_equal(image.pixels[2], 0x778899);
    bench_write(b, 0x18, 1 << 2);
    bench_run_to(b, 1500000);
    assert_true(b->level[0]);
    assert_int_equal(bench_read(b, 0x1c), 4);
    bench_write(b, 0x14, 4);
    assert_false(b->level[0]);
    bench_run_to(b, 2500000);
    assert_true(b->level[0]);
    image_free(&image);
}

/* Pixels of one to four bytes, colours at the registers' bit positions, either byte order. */
static void test_hdlcd_formats(void **state)
{
    static const struct {
        uint32_t format, red, green, blue;
        const char *pixel;
        uint32_t colour;
    } rows[] = {
        {0 << 3, 3 << 8 | 5, 3 << 8 | 2, 2 << 8, "\xb5", 0xb6b655},      /* 101 101 01 */
        {1 << 3, 5 << 8 | 11, 6 << 8 | 5, 5 << 8, "\x08\x99", 0x9c2042}, /* 19, 8, 8 */
        {1u << 31 | 1 << 3, 5 << 8 | 11, 6 << 8 | 5, 5 << 8, "\x99\x08", 0x9c2042},
        {2 << 3, 8 << 8, 8 << 8 | 8, 8 << 8 | 16, "\x11\x22\x33", 0x112233},
        {1u << 31 | 3 << 3, 8 << 8 | 24, 8 << 8 | 16, 8 << 8 | 8, "\x11\x22\x33\x44", 0x112233},
        /* at most 8 bits, and within the pixel */
        {3 << 3, 12 << 8 | 28, 0, 8 << 8 | 4, "\xa0\x05\0\x77", 0x77005a},
    };
    struct bench *b = *state;
    struct image image = {0};

    bench_create(b, "hdlcd");
    bench_write(b, 0x100, (uint32_t)RAM);
    bench_write(b, 0x230, 1);
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        bench_write(b, 0x240, rows[i].format);
        bench_write(b, 0x244, rows[i].red);
        bench_write(b, 0x248, rows[i].green);
        bench_write(b, 0x24c, rows[i].blue);
        put_bytes(b, 0, rows[i].pixel, (rows[i].format >> 3 & 3) + 1);
        assert_true(display_grab(b->env.display, &image));
        if (image.pixels[0] != rows[i].colour)
            fail_msg("row %u: %06x", i, image.pixels[0]);
    }
    image_free(&image);
}

/* A pixel clock of 1 MHz: (3 + 4 + 20 + 6) lines of (6 + 7 + 32 + 8) clocks of 1 us. */
static void test_hdlcd_frame_time(void **state)
{
    static const uint32_t less_one[8] = {2, 3, 19, 5, 5, 6, 31, 7};
    static uint64_t hz = 1000000;
    struct bench *b = *state;

    b->env.clock_count = 1;
    b->env.clock_hz = &hz;
    bench_create(b, "hdlcd");
    for (unsigned i = 0; i < 8; i++)
        bench_write(b, 0x200 + 4 * i, less_one[i]);
    bench_write(b, 0x18, 1);
    bench_write(b, 0x230, 1);
    for (unsigned i = 1; i < 4; i++) {
        bench_run_to(b, i * 53 * 33 * 1000 - 1);
        assert_false(b->level[0]);
        bench_run_to(b, i * 53 * 33 * 1000);
        assert_true(b->level[0]);
        assert_int_equal(bench_read(b, 0x10), 5); /* the frame is fetched, and shown */
        assert_int_equal(bench_read(b, 0x1c), 1);
        bench_write(b, 0x14, 5);
    }
}

static void test_hdlcd_registers(void **state)
{
    struct bench *b = *state;

    bench_create(b, "hdlcd");
    bench_listen(b);
    bench_write_as(b, 0, BENCH_BASE + 0x108, 8, UINT64_C(0x2200000011));
    assert_int_equal(bench_read(b, 0x108), 0x11);
    assert_int_equal(bench_read(b, 0x10c), 0x22);
    bench_write(b, 0x10, 1); /* interrupts set by software */
    bench_write(b, 0x10, 0xf8);
    assert_int_equal(bench_read(b, 0x10), 9);
    bench_write(b, 0x18, ~0u);
    assert_int_equal(bench_read(b, 0x18), 0xf);
    assert_true(b->level[0]);
    bench_write(b, 0x14, 8);
    assert_int_equal(bench_read(b, 0x1c), 1);
    bench_write(b, 0x14, 1);
    assert_false(b->level[0]);
    assert_string_equal(bench_heard(b), "");
    for (unsigned i = 0; i < 4; i++) {
        static const uint16_t holes[] = {0x114, 0x1fc, 0x224, 0x250};

        bench_write(b, holes[i], 1);
        assert_non_null(strstr(bench_heard(b), "write of 0x1"));
        assert_int_equal(bench_read(b, holes[i]), 0);
    }
    b->cls->reset(b->dev);
    assert_int_equal(bench_read(b, 0x108) | bench_read(b, 0x18) | bench_read(b, 0x10), 0);
}

/* ---- the firmware's frame buffer ------------------------------------------------------------- */

static bool two_pixels(void *opaque, struct frame *f)
{
    *f = (struct frame){.address = RAM, .width = 2, .height = 1, .bits = 32};
    return *(bool *)opaque;
}

static void test_simple_framebuffer(void **state)
{
    struct bench *b = *state;
    const struct device_class *cls = device_class_by_name("simple_framebuffer");
    struct image image = {0};
    bool other = true;
    struct error err;

    bench_prop(b, "width", "\0\0\0\3", 4);
    bench_prop(b, "height", "\0\0\0\1", 4);
    bench_prop(b, "stride", "\0\0\0\x0c", 4);
    assert_null(cls->create(&b->env, &err));
    assert_non_null(strstr(err.text, "known format"));
    bench_prop(b, "format", "x8r8g8b8", 9);
    b->reg[0].base = RAM + 4;
    bench_create(b, "simple_framebuffer");
    put_bytes(b, 4, "\x33\x22\x11\0", 4);
    assert_true(display_grab(b->env.display, &image));
    assert_int_equal(image.width, 3);
    assert_int_equal(image.pixels[0], 0x112233);
    display_add(b->env.display, "two", DISPLAY_BOARD, two_pixels,
                &other); /* a controller takes precedence */
    assert_true(display_grab(b->env.display, &image));
    assert_int_equal(image.width, 2);
    other = false;
    assert_true(display_grab(b->env.display, &image));
    assert_int_equal(image.width, 3);
    image_free(&image);
}

/* simple-framebuffer.yaml: a format's name lists its bits from the highest on. */
static void test_simple_formats(void **state)
{
    static const struct {
        const char *name, *pixel;
        uint32_t colour;
    } rows[] = {
        {"r5g6b5", "\x08\x99", 0x9c2042},           {"x1r5g5b5", "\x28\xcd", 0x9c4a42},
        {"r8g8b8", "\x33\x22\x11", 0x112233},       {"x8r8g8b8", "\x33\x22\x11\xff", 0x112233},
        {"a8r8g8b8", "\x33\x22\x11\xff", 0x112233}, {"a8b8g8r8", "\x11\x22\x33\xff", 0x112233}};
    struct bench *b = *state;
    struct error err;

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        struct display *display = display_new(b->bus);
        struct device_env env = b->env;
        struct image image = {0};
        void *dev;

        env.display = display;
        b->prop_count = 0;
        bench_prop(b, "width", "\0\0\0\1", 4);
        bench_prop(b, "height", "\0\0\0\1", 4);
        bench_prop(b, "stride", "\0\0\0\4", 4);
        bench_prop(b, "format", rows[i].name, strlen(rows[i].name) + 1);
        b->reg[0].base = RAM;
        put_bytes(b, 0, rows[i].pixel, strlen(rows[i].pixel));
        dev = device_class_by_name("simple_framebuffer")->create(&env, &err);
        assert_non_null(dev);
        assert_true(display_grab(display, &image));
        if (image.pixels[0] != rows[i].colour)
            fail_msg("%s: %06x", rows[i].name, image.pixels[0]);
        image_free(&image);
        device_class_by_name("simple_framebuffer")->destroy(dev);
        display_free(display);
    }
    b->props[3].len--; /* a name without its NUL is invalid */
    assert_null(device_class_by_name("simple_framebuffer")->create(&b->env, &err));
}

/* ---- what is plugged in ---------------------------------------------------------------------- */

static bool half_a_frame(void *opaque, struct frame *f)
{
    static const struct frame zero;

    assert_memory_equal(f, &zero, sizeof(zero)); /* whatever the earlier call left there */
    f->address = RAM;
    f->width = *(uint32_t *)opaque;
    f->bits = 32;
    return true;
}

/* A frame of no height or width is no image; the next controller is used. */
static void test_empty_frames(void **state)
{
    struct bench *b = *state;
    struct display *d = b->env.display;
    struct image image = {0};
    uint32_t flat = 4, none = 0;
    bool on = true;

    display_add(d, "flat", DISPLAY_BOARD, half_a_frame, &flat);
    display_add(d, "none", DISPLAY_BOARD, half_a_frame, &none);
    assert_false(display_grab(d, &image));
    assert_null(image.pixels);
    display_add(d, "on", DISPLAY_BOARD, two_pixels, &on);
    assert_true(display_grab(d, &image));
    assert_int_equal(image.width, 2);
    image_free(&image);
}

struct heard {
    uint32_t key;
    int dx, dy, wheel;
    unsigned buttons, count;
    bool down;
};

static void hear_key(void *opaque, uint32_t key, bool down)
{
    struct heard *h = opaque;

    h->key = key;
    h->down = down;
    h->count++;
}

static void hear_pointer(void *opaque, int dx, int dy, int wheel, unsigned buttons)
{
    *(struct heard *)opaque = (struct heard){0, dx, dy, wheel, buttons, 1, false};
}

/* The first input device of a kind receives all input; without one, input is dropped. */
static void test_input_devices(void **state)
{
    struct bench *b = *state;
    struct display *d = b->env.display;
    struct heard first = {0}, second = {0}, mouse = {0};

    display_key(d, 'a', true);
    display_pointer(d, 1, 2, 3, POINTER_LEFT);
    assert_true(display_add_keyboard(d, hear_key, &first));
    assert_false(display_add_keyboard(d, hear_key, &second));
    assert_true(display_add_mouse(d, hear_pointer, &mouse));
    assert_false(display_add_mouse(d, hear_pointer, &second));
    display_key(d, 'b', true);
    assert_true(first.key == 'b' && first.down && first.count == 1);
    display_pointer(d, 1, -2, 3, POINTER_MIDDLE);
    assert_true(mouse.dx == 1 && mouse.dy == -2 && mouse.wheel == 3);
    assert_int_equal(mouse.buttons, POINTER_MIDDLE);
    assert_int_equal(second.count, 0);
    display_free(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_direct_colours),
        TEST(test_palettes),
        TEST(test_sizes_are_bounded),
        TEST(test_channel_widths),
        TEST(test_lines_at_the_end),
        TEST(test_png),
        TEST(test_pl111),
        TEST(test_pl111_formats),
        TEST(test_pl111_palette),
        TEST(test_pl111_frame_time),
        TEST(test_pl111_interrupt),
        TEST(test_hdlcd),
        TEST(test_hdlcd_formats),
        TEST(test_hdlcd_frame_time),
        TEST(test_hdlcd_registers),
        TEST(test_simple_framebuffer),
        TEST(test_simple_formats),
        TEST(test_empty_frames),
        TEST(test_input_devices),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
