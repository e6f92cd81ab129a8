/*
 * PS/2 keyboard and mouse.
 *
 * Bounds      PS2_QUEUE bytes wait; a byte of the host, a key and a movement are one step
 */
#include "runtime/dev/ps2.h"

enum {
    KEY_SET_LEDS = 0xed,
    KEY_ECHO = 0xee,
    KEY_SCAN_SET = 0xf0,
    MOUSE_SCALING_1 = 0xe6,
    MOUSE_SCALING_2 = 0xe7,
    MOUSE_RESOLUTION = 0xe8,
    MOUSE_STATUS = 0xe9,
    MOUSE_STREAM = 0xea,
    MOUSE_READ = 0xeb,
    MOUSE_REMOTE = 0xf0,
    READ_ID = 0xf2,
    SET_RATE = 0xf3,
    ENABLE = 0xf4,
    DISABLE = 0xf5,
    SET_DEFAULTS = 0xf6,
    RESEND = 0xfe,
    RESET = 0xff,
    ACK = 0xfa,
    TEST_PASSED = 0xaa,
};

#define WHEEL_ID 3u /* id of a mouse whose packets have a fourth byte */

/* ---- the queue ------------------------------------------------------------------------------- */

/* Whole answers or nothing: half a scan code would be another key. */
static void queue_answer(struct ps2 *dev, unsigned count, const uint8_t *bytes)
{
    if (dev->count + count > PS2_QUEUE)
        return;
    for (unsigned i = 0; i < count; i++) {
        unsigned place = (dev->first + dev->count++) % PS2_QUEUE;

        dev->queue[place] = bytes[i];
        dev->begins &= ~(UINT64_C(1) << place);
        dev->begins |= (uint64_t)!i << place;
    }
}

static void say_byte(struct ps2 *dev, uint8_t byte)
{
    queue_answer(dev, 1, &byte);
}

bool ps2_has_byte(const struct ps2 *dev)
{
    return dev->count;
}

uint8_t ps2_read(struct ps2 *dev)
{
    uint8_t byte = dev->queue[dev->first];

    if (!dev->count)
        return 0;
    if (dev->begins >> dev->first & 1 || dev->sent_count == sizeof(dev->sent))
        dev->sent_count = 0;
    dev->sent[dev->sent_count++] = byte;
    dev->first = (dev->first + 1) % PS2_QUEUE;
    dev->count--;
    return byte;
}

/* ---- commands -------------------------------------------------------------------------------- */

static void set_defaults(struct ps2 *dev)
{
    dev->command = dev->enabled = dev->leds = dev->scaling = dev->remote = 0;
    dev->rate = 100;
    dev->resolution = 2;
    dev->rates[0] = dev->rates[1] = 0;
}

void ps2_reset(struct ps2 *dev, bool mouse)
{
    *dev = (struct ps2){.mouse = mouse};
    set_defaults(dev);
    dev->enabled = !mouse; /* a keyboard is enabled after reset */
}

/* Answers RESET: the test has passed; a mouse adds its id. */
static void answer_reset(struct ps2 *dev)
{
    ps2_reset(dev, dev->mouse);
    say_byte(dev, ACK);
    say_byte(dev, TEST_PASSED);
    if (dev->mouse)
        say_byte(dev, 0);
}

static void say_id(struct ps2 *dev)
{
    static const uint8_t keyboard[2] = {0xab, 0x83};

    if (dev->mouse)
        say_byte(dev, dev->wheel ? WHEEL_ID : 0);
    else
        queue_answer(dev, 2, keyboard);
}

/* Sample rates of 200, 100 and 80, one after the other, enable the wheel. */
static void set_rate(struct ps2 *dev, uint8_t rate)
{
    if (dev->rates[0] == 200 && dev->rates[1] == 100 && rate == 80)
        dev->wheel = dev->mouse;
    dev->rates[0] = dev->rates[1];
    dev->rates[1] = dev->rate = rate;
}

static void take_argument(struct ps2 *dev, uint8_t byte)
{
    uint32_t command = dev->command;

    dev->command = 0;
    say_byte(dev, ACK);
    if (command == SET_RATE)
        set_rate(dev, byte);
    else if (command == MOUSE_RESOLUTION)
        dev->resolution = byte & 3;
    else if (command == KEY_SET_LEDS)
        dev->leds = byte & 7;
    else if (!byte) /* KEY_SCAN_SET reads the number */
        say_byte(dev, 2);
}

static void say_movement(struct ps2 *dev, int dx, int dy, int wheel)
{
    uint8_t packet[4] = {(uint8_t)(0x08 | dev->buttons | (dx < 0) << 4 | (dy < 0) << 5),
                         (uint8_t)dx, (uint8_t)dy, (uint8_t)wheel};

    queue_answer(dev, dev->wheel ? 4 : 3, packet);
}

static void say_status(struct ps2 *dev)
{
    /* The order of the buttons is the reverse of that in a packet. */
    uint32_t buttons = (dev->buttons & 1) << 2 | (dev->buttons & 4) >> 1 | (dev->buttons & 2) >> 1;
    uint8_t status[3] = {
        (uint8_t)(dev->remote << 6 | dev->enabled << 5 | dev->scaling << 4 | buttons),
        (uint8_t)dev->resolution, (uint8_t)dev->rate};

    queue_answer(dev, 3, status);
}

static void mouse_command(struct ps2 *dev, uint8_t byte)
{
    switch (byte) {
    case MOUSE_SCALING_1:
    case MOUSE_SCALING_2:
        dev->scaling = byte == MOUSE_SCALING_2;
        break;
    case MOUSE_STREAM:
    case MOUSE_REMOTE:
        dev->remote = byte == MOUSE_REMOTE;
        break;
    case MOUSE_STATUS:
        say_status(dev);
        break;
    case MOUSE_READ:
        say_movement(dev, 0, 0, 0);
        break;
    case MOUSE_RESOLUTION:
        dev->command = byte;
        break;
    }
}

/* Sends the last byte of a keyboard, or the last packet of a mouse, again. */
static void resend_last(struct ps2 *dev)
{
    unsigned count = dev->sent_count, from = dev->mouse || !count ? 0 : count - 1;

    queue_answer(dev, count - from, dev->sent + from);
}

void ps2_write(struct ps2 *dev, uint8_t byte)
{
    if (byte == RESEND) { /* a command that waits for its argument keeps waiting */
        resend_last(dev);
        return;
    }
    if (dev->command && byte < KEY_SET_LEDS) {
        take_argument(dev, byte);
        return;
    }
    dev->command = 0;
    if (byte == RESET) {
        answer_reset(dev);
        return;
    }
    say_byte(dev, byte == KEY_ECHO && !dev->mouse ? KEY_ECHO : ACK);
    if (byte == READ_ID)
        say_id(dev);
    else if (byte == SET_DEFAULTS || byte == ENABLE || byte == DISABLE) {
        if (byte != ENABLE)
            set_defaults(dev);
        dev->enabled = byte == ENABLE || (byte == SET_DEFAULTS && !dev->mouse);
    } else if (byte == SET_RATE)
        dev->command = byte;
    else if (dev->mouse)
        mouse_command(dev, byte);
    else if (byte == KEY_SET_LEDS || byte == KEY_SCAN_SET)
        dev->command = byte;
}

/* ---- input ----------------------------------------------------------------------------------- */

void ps2_key(struct ps2 *dev, uint32_t key, bool down)
{
    unsigned code = ps2_scan_code(key), count = 0;
    uint8_t bytes[3];

    if (!code || !dev->enabled || dev->mouse)
        return;
    if (code >> 8)
        bytes[count++] = (uint8_t)(code >> 8);
    if (!down)
        bytes[count++] = 0xf0;
    bytes[count++] = (uint8_t)code;
    queue_answer(dev, count, bytes);
}

static int clamp_movement(int value)
{
    return value < -255 ? -255 : value > 255 ? 255 : value;
}

void ps2_move(struct ps2 *dev, int dx, int dy, int wheel, unsigned buttons)
{
    /* Bits of a packet: left, right, middle. */
    dev->buttons = (buttons & 1) | (buttons & 4) >> 1 | (buttons & 2) << 1;
    if (!dev->enabled || !dev->mouse || dev->remote)
        return;
    do {
        int x = clamp_movement(dx), y = clamp_movement(-dy);

        say_movement(dev, x, y, -wheel);
        dx -= x;
        dy += y;
        wheel = 0;
    } while ((dx || dy) && dev->count + 4 <= PS2_QUEUE);
}

void ps2_check(struct ps2 *dev)
{
    if (dev->first >= PS2_QUEUE || dev->count > PS2_QUEUE || dev->sent_count > sizeof(dev->sent))
        ps2_reset(dev, dev->mouse);
}
