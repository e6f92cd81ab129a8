/*
 * EDID 1.4 of a digital screen. Its preferred mode has the timing of CVT 1.2 with reduced blanking,
 * and the usual smaller modes are listed too.
 *
 * Bounds      none is needed: it fills a block of 128 bytes
 * Manual      VESA Enhanced EDID Standard, Release A, Revision 2; VESA Coordinated Video
 *             Timings 1.2
 */
#include "runtime/dev/edid.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/base/bits.h"

/* Reduced blanking, CVT table 4: pixels and lines */
enum {
    H_BLANK = 160,
    H_FRONT = 48,
    H_SYNC = 32,
    V_FRONT = 3,
    V_BACK = 6,
    MIN_V_BLANK_US = 460,
};
#define CLOCK_STEP    250000u    /* Hz */
#define MAX_CLOCK     655350000u /* Hz, of a detailed timing */
#define PIXELS_PER_MM 4u         /* some 100 pixels per inch */

/* Lines of vertical sync, which tell the aspect ratio (CVT table 3). */
static uint32_t sync_lines(uint32_t width, uint32_t height)
{
    if (width * 3 == height * 4)
        return 4;
    if (width * 9 == height * 16)
        return 5;
    if (width * 10 == height * 16)
        return 6;
    return width * 4 == height * 5 || width * 9 == height * 15 ? 7 : 10;
}

/* Lines of vertical blanking that take MIN_V_BLANK_US at 60 Hz, at least the front porch, sync and
 * back porch. */
static uint32_t blank_lines(uint32_t height, uint32_t sync)
{
    uint32_t lines = MIN_V_BLANK_US * height / (1000000 / 60 - MIN_V_BLANK_US) + 1;
    uint32_t least = V_FRONT + sync + V_BACK;

    return lines < least ? least : lines;
}

/* Section 3.10.2: a detailed timing. */
static void put_timing(uint8_t *to, uint32_t width, uint32_t height)
{
    uint32_t sync = sync_lines(width, height), blank = blank_lines(height, sync);
    uint64_t hz = (uint64_t)(width + H_BLANK) * (height + blank) * 60;
    uint32_t width_mm = width / PIXELS_PER_MM, height_mm = height / PIXELS_PER_MM;

    hz = hz < MAX_CLOCK ? hz : MAX_CLOCK;
    hz -= hz % CLOCK_STEP;
    le_put(to, 2, hz / 10000);
    to[2] = (uint8_t)width;
    to[3] = (uint8_t)H_BLANK;
    to[4] = (uint8_t)(width >> 8 << 4 | H_BLANK >> 8);
    to[5] = (uint8_t)height;
    to[6] = (uint8_t)blank;
    to[7] = (uint8_t)(height >> 8 << 4 | blank >> 8);
    to[8] = H_FRONT;
    to[9] = H_SYNC;
    to[10] = (uint8_t)(V_FRONT << 4 | sync);
    to[12] = (uint8_t)width_mm;
    to[13] = (uint8_t)height_mm;
    to[14] = (uint8_t)(width_mm >> 8 << 4 | height_mm >> 8);
    to[17] = 0x1a; /* digital, separate syncs, horizontal positive: CVT's mark of this blanking */
}

/* Section 3.10.3: a descriptor of text, which ends with a line feed and spaces. */
static void put_name(uint8_t *to, const char *name)
{
    memcpy(to, "\0\0\0\xfc\0", 5);
    memset(to + 5, ' ', 13);
    memcpy(to + 5, name, strlen(name));
    to[5 + strlen(name)] = '\n';
}

/* Range limits: 50 to 75 Hz, 15 to 160 kHz, up to 660 MHz; no further timing formula. */
static void put_limits(uint8_t *to)
{
    memcpy(to, "\0\0\0\xfd\0\x32\x4b\x0f\xa0\x42\x01\n      ", 18);
}

/* Sections 3.8 and 3.9: the modes that every driver knows by a bit, and those by two bytes. */
static void put_smaller_modes(uint8_t edid[EDID_BYTES], uint32_t width, uint32_t height)
{
    static const struct {
        uint16_t width, height;
        uint8_t byte, bits;
    } established[] = {{640, 480, 35, 0x20}, {800, 600, 35, 0x01}, {1024, 768, 36, 0x08}};
    static const struct {
        uint16_t width, height;
        uint8_t aspect; /* 0: 16:10, 2: 5:4, 3: 16:9 */
    } standard[] = {{1280, 720, 3},  {1280, 800, 0},  {1280, 1024, 2}, {1600, 900, 3},
                    {1680, 1050, 0}, {1920, 1080, 3}, {1920, 1200, 0}};
    uint8_t *to = edid + 38;

    for (unsigned i = 0; i < ARRAY_SIZE(established); i++) {
        if (established[i].width <= width && established[i].height <= height)
            edid[established[i].byte] |= established[i].bits;
    }
    memset(to, 1, 16); /* unused */
    for (unsigned i = 0; i < ARRAY_SIZE(standard); i++) {
        if (standard[i].width > width || standard[i].height > height)
            continue;
        *to++ = (uint8_t)(standard[i].width / 8 - 31);
        *to++ = (uint8_t)(standard[i].aspect << 6); /* 60 Hz */
    }
}

void edid_make(uint8_t edid[EDID_BYTES], uint32_t width, uint32_t height)
{
    /* Header; manufacturer GNC (5 bits per letter), product 1, made in 2026; EDID 1.4 */
    static const uint8_t head[20] = {0, 255, 255, 255, 255, 255, 255, 0,  0x1d, 0xc3,
                                     1, 0,   0,   0,   0,   0,   0,   36, 1,    4};
    /* sRGB's primaries and white point, in 1024ths */
    static const uint8_t colours[10] = {0xee, 0x91, 0xa3, 0x54, 0x4c, 0x99, 0x26, 0x0f, 0x50, 0x54};
    uint8_t sum = 0;

    memset(edid, 0, EDID_BYTES);
    memcpy(edid, head, sizeof(head));
    edid[20] = 0xa5; /* digital, 8 bits per colour, DisplayPort */
    edid[21] = (uint8_t)(width / PIXELS_PER_MM / 10 & 0xff);
    edid[22] = (uint8_t)(height / PIXELS_PER_MM / 10 & 0xff);
    edid[23] = 120;  /* gamma 2.2 */
    edid[24] = 0x06; /* sRGB; the preferred timing is the panel's own */
    memcpy(edid + 25, colours, sizeof(colours));
    put_smaller_modes(edid, width, height);
    put_timing(edid + 54, width, height);
    put_limits(edid + 72);
    put_name(edid + 90, "gencc");
    edid[111] = 0x10; /* the fourth descriptor is a dummy */
    for (unsigned i = 0; i < EDID_BYTES - 1; i++)
        sum = (uint8_t)(sum + edid[i]);
    edid[EDID_BYTES - 1] = (uint8_t)-sum;
}
