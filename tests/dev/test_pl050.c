/* A PL050 with a keyboard and with a mouse, driven as by Linux's atkbd and psmouse. */
#include "tests/dev/bench.h"

#include <string.h>

#include "runtime/dev/ps2.h"
#include "runtime/display/display.h"

#define CR     0x00
#define STAT   0x04
#define DATA   0x08
#define CLKDIV 0x0c
#define IR     0x10

#define ENABLE (1u << 2)
#define RX_INT (1u << 4)
#define TX_INT (1u << 3)
#define FULL   (1u << 4)

#define BYTES(b, ...) \
    check_bytes(b, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void ignore_key(void *opaque, uint32_t key, bool down)
{
    (void)opaque, (void)key, (void)down;
}

static struct bench *bench_with(bool mouse)
{
    struct bench *b = bench_new();

    b->env.display = display_new(b->bus);
    if (mouse)
        display_add_keyboard(b->env.display, ignore_key, NULL);
    b->reg[0].size = 0x2000;
    bench_create(b, "pl050");
    bench_write(b, CR, ENABLE | RX_INT);
    return b;
}

static int setup_keyboard(void **state)
{
    *state = bench_with(false);
    return 0;
}

static int setup_mouse(void **state)
{
    *state = bench_with(true);
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

/* Checks that the device sends exactly these bytes. */
static void check_bytes(struct bench *b, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_true(b->level[0]);
        assert_int_equal(bench_read(b, STAT) & FULL, FULL);
        assert_int_equal(bench_read(b, DATA), bytes[i]);
    }
    assert_false(b->level[0]);
    assert_int_equal(bench_read(b, STAT) & FULL, 0);
}

static void test_keyboard_commands(void **state)
{
    struct bench *b = *state;

    assert_int_equal(bench_read(b, 0xfe0) | bench_read(b, 0xfe4) << 8, 0x1050);
    bench_write(b, DATA, 0xff);
    BYTES(b, 0xfa, 0xaa);
    bench_write(b, DATA, 0xf2);
    BYTES(b, 0xfa, 0xab, 0x83);
    bench_write(b, DATA, 0xed);
    bench_write(b, DATA, 0x02);
    BYTES(b, 0xfa, 0xfa);
    bench_write(b, DATA, 0xf0);
    bench_write(b, DATA, 0x00);
    BYTES(b, 0xfa, 0xfa, 0x02);
    bench_write(b, DATA, 0xee);
    BYTES(b, 0xee);
    bench_write(b, DATA, 0xed); /* a command in place of the expected argument */
    bench_write(b, DATA, 0xf4);
    BYTES(b, 0xfa, 0xfa);
    assert_int_equal(bench_read(b, IR), 2);
    assert_int_equal(bench_read(b, STAT) >> 2 & 1, 1); /* 0xfa has an even number of ones */
}

/* Default settings leave the keyboard on; the parity bit belongs to the last byte read. */
static void test_keyboard_defaults(void **state)
{
    struct bench *b = *state;

    bench_write(b, DATA, 0xf5);
    bench_write(b, DATA, 0xf6);
    BYTES(b, 0xfa, 0xfa);
    display_key(b->env.display, 'a', true);
    BYTES(b, 0x1c);
    assert_int_equal(bench_read(b, STAT), 0x43); /* three ones: odd without the parity bit */
    assert_int_equal(bench_read(b, DATA), 0x1c); /* no new byte: the last one again */
}

/* DDI 0143, section 3.3; the registers only hold their bits. */
static void test_registers(void **state)
{
    struct bench *b = *state;
    uint64_t value;

    bench_listen(b);
    /* both lines high, ready to send; no ones, so the parity bit is 1 */
    assert_int_equal(bench_read(b, STAT), 0x47);
    bench_write(b, CR, 0xff);
    assert_int_equal(bench_read(b, CR), 0x3f);
    bench_write(b, CLKDIV, 0x17);
    assert_int_equal(bench_read(b, CLKDIV), 7);
    bench_write(b, CR, 0); /* disabled: no commands and no interrupts */
    bench_write(b, DATA, 0xff);
    bench_write(b, CR, ENABLE);
    assert_int_equal(bench_read(b, STAT) & FULL, 0);
    bench_write(b, DATA, 0xee);
    assert_int_equal(bench_read(b, IR), 3);
    assert_false(b->level[0]); /* interrupt not enabled */
    bench_write(b, CR, RX_INT);
    assert_int_equal(bench_read(b, DATA), 0); /* disabled: the byte stays in the queue */
    bench_write(b, CR, ENABLE | RX_INT);
    assert_int_equal(bench_read(b, DATA), 0xee);
    assert_string_equal(bench_heard(b), "");
    assert_int_equal(bench_read(b, 0x20), 0);
    assert_non_null(strstr(bench_heard(b), "read of offset 0x20"));
    bench_write(b, IR, 1);
    assert_non_null(strstr(bench_heard(b), "write of 0x1 to offset 0x10"));
    b->cls->reset(b->dev);
    assert_int_equal(bench_read(b, CR) | bench_read(b, CLKDIV) | bench_read(b, DATA), 0);
    assert_false(bus_read(b->bus, BENCH_BASE + 0x1000, 4, &value, 0));
}

static void test_keys(void **state)
{
    struct bench *b = *state;

    display_key(b->env.display, 'a', true);
    bench_save_and_load(b);
    display_key(b->env.display, 'a', false);
    BYTES(b, 0x1c, 0xf0, 0x1c);
    display_key(b->env.display, 'A', true);
    display_key(b->env.display, 0xff52, true); /* cursor up */
    display_key(b->env.display, 0xff52, false);
    BYTES(b, 0x1c, 0xe0, 0x75, 0xe0, 0xf0, 0x75);
    display_key(b->env.display, 0x20ac, true); /* not a key of the keyboard */
    BYTES(b, );
    bench_write(b, DATA, 0xf5);
    display_key(b->env.display, 'a', true);
    BYTES(b, 0xfa);
    bench_write(b, DATA, 0xf4);
    BYTES(b, 0xfa);
    for (unsigned i = 0; i < 100; i++) /* a full queue takes no partial scan codes */
        display_key(b->env.display, 0xffff, false);
    for (unsigned i = 0; i < PS2_QUEUE / 3; i++)
        for (unsigned n = 0; n < 3; n++)
            assert_int_equal(bench_read(b, DATA), n == 0 ? 0xe0 : n == 1 ? 0xf0 : 0x71);
    assert_false(b->level[0]);
    bench_write(b, CR, RX_INT); /* the interface is off */
    display_key(b->env.display, 'a', true);
    assert_false(b->level[0]);
    assert_int_equal(bench_read(b, IR), 0);
    bench_write(b, CR, ENABLE | TX_INT);
    assert_true(b->level[0]);
}

/* Every key that types a sign of a US keyboard has a distinct scan code. */
static void test_scan_codes(void **state)
{
    bool seen[256] = {false};

    (void)state;
    for (uint32_t key = ' '; key < 0x7f; key++) {
        assert_in_range(ps2_scan_code(key), 1, 0x7f);
        seen[ps2_scan_code(key)] = true;
    }
    assert_int_equal(ps2_scan_code('1'), 0x16);
    assert_int_equal(ps2_scan_code('!'), 0x16);
    assert_int_equal(ps2_scan_code(0xff0d), 0x5a);
    assert_int_equal(ps2_scan_code(0xffc4), 0x83);
    assert_int_equal(ps2_scan_code(0), 0);
    for (unsigned i = 0, keys = 0; i < 256; i++) {
        keys += seen[i];
        if (i == 255)
            assert_int_equal(keys, 48);
    }
}

/* The other keys, by their names in keysymdef.h and by IBM's scan code set 2. */
static void test_other_keys(void **state)
{
    static const struct {
        uint32_t first; /* first keysym; the codes are of consecutive keysyms */
        uint16_t codes[12];
    } rows[] = {
        {0xff08, {0x66, 0x0d}},                                  /* BackSpace, Tab */
        {0xff14, {0x7e}},                                        /* Scroll_Lock */
        {0xff1b, {0x76}},                                        /* Escape */
        {0xff50, {0xe06c, 0xe06b, 0xe075, 0xe074, 0xe072}},      /* Home, Left, Up, Right, Down */
        {0xff55, {0xe07d, 0xe07a, 0xe069}},                      /* Page_Up, Page_Down, End */
        {0xff63, {0xe070}},                                      /* Insert */
        {0xff67, {0xe02f}},                                      /* Menu */
        {0xff7f, {0x77}},                                        /* Num_Lock */
        {0xff8d, {0xe05a}},                                      /* KP_Enter */
        {0xffaa, {0x7c, 0x79}},                                  /* KP_Multiply, KP_Add */
        {0xffad, {0x7b, 0x71, 0xe04a}},                          /* KP_Subtract, Decimal, Divide */
        {0xffb0, {0x70, 0x69, 0x72, 0x7a, 0x6b}},                /* KP_0 … */
        {0xffb5, {0x73, 0x74, 0x6c, 0x75, 0x7d}},                /* … KP_9 */
        {0xffbe, {5, 6, 4, 12, 3, 11, 0x83, 10, 1, 9, 0x78, 7}}, /* F1 to F12 */
        {0xffe1, {0x12, 0x59, 0x14, 0xe014, 0x58}}, /* Shift_L, _R, Control_L, _R, Caps_Lock */
        {0xffe9, {0x11, 0xe011, 0xe01f, 0xe027}},   /* Alt_L, Alt_R, Super_L, Super_R */
        {0xffff, {0xe071}},                         /* Delete */
        {0xfe03, {0xe011}},                         /* ISO_Level3_Shift */
        {0xfe20, {0x0d}},                           /* ISO_Left_Tab */
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        for (unsigned n = 0; n < 12 && rows[i].codes[n]; n++)
            assert_int_equal(ps2_scan_code(rows[i].first + n), rows[i].codes[n]);
    }
}

static void test_mouse_commands(void **state)
{
    struct bench *b = *state;

    bench_write(b, DATA, 0xff);
    BYTES(b, 0xfa, 0xaa, 0x00);
    bench_write(b, DATA, 0xf2);
    BYTES(b, 0xfa, 0x00);
    bench_write(b, DATA, 0xe8);
    bench_write(b, DATA, 0x03);
    bench_write(b, DATA, 0xf4);
    display_pointer(b->env.display, 0, 0, 0, POINTER_RIGHT);
    BYTES(b, 0xfa, 0xfa, 0xfa, 0x0a, 0, 0);
    bench_write(b, DATA, 0xe9);
    BYTES(b, 0xfa, 0x21, 3, 100);
}

static void ask_for_wheel(struct bench *b)
{
    static const uint8_t rates[3] = {200, 100, 80};

    for (unsigned i = 0; i < 3; i++) {
        bench_write(b, DATA, 0xf3);
        bench_write(b, DATA, rates[i]);
    }
    bench_write(b, DATA, 0xf2);
}

/*
 * The answer to 0xe9: remote mode in bit 6, reporting in 5, scaling 2:1 in 4, and left, middle and
 * right button in 2, 1 and 0; then resolution; then rate.
 */
static void test_mouse_status(void **state)
{
    struct bench *b = *state;

    bench_write(b, DATA, 0xe9);
    BYTES(b, 0xfa, 0x00, 2, 100);
    display_pointer(b->env.display, 0, 0, 0, POINTER_LEFT);
    bench_write(b, DATA, 0xe7);
    bench_write(b, DATA, 0xe9);
    BYTES(b, 0xfa, 0xfa, 0x14, 2, 100);
    display_pointer(b->env.display, 0, 0, 0, POINTER_MIDDLE);
    bench_write(b, DATA, 0xe6);
    bench_write(b, DATA, 0xf0);
    bench_write(b, DATA, 0xe9);
    BYTES(b, 0xfa, 0xfa, 0xfa, 0x42, 2, 100);
    bench_write(b, DATA, 0xea);
    bench_write(b, DATA, 0xe8);
    bench_write(b, DATA, 1);
    bench_write(b, DATA, 0xf3);
    bench_write(b, DATA, 40);
    bench_write(b, DATA, 0xe9);
    BYTES(b, 0xfa, 0xfa, 0xfa, 0xfa, 0xfa, 0xfa, 0x02, 1, 40);
    bench_write(b, DATA, 0xeb); /* a report on demand has no argument */
    bench_write(b, DATA, 0xe9);
    BYTES(b, 0xfa, 0x0c, 0, 0, 0xfa, 0x02, 1, 40);
}

/*
 * 0xf6 sets 100 reports per second, 4 counts per mm, scaling 1:1 and reporting off; a started
 * sequence is dropped.
 */
static void test_mouse_defaults(void **state)
{
    struct bench *b = *state;

    bench_write(b, DATA, 0xf4);
    bench_write(b, DATA, 0xe7);
    bench_write(b, DATA, 0xe8);
    bench_write(b, DATA, 3);
    bench_write(b, DATA, 0xf3);
    bench_write(b, DATA, 200);
    BYTES(b, 0xfa, 0xfa, 0xfa, 0xfa, 0xfa, 0xfa);
    bench_write(b, DATA, 0xf6);
    bench_write(b, DATA, 0xe9);
    BYTES(b, 0xfa, 0xfa, 0x00, 2, 100);
    bench_write(b, DATA, 0xf3);
    bench_write(b, DATA, 100);
    bench_write(b, DATA, 0xf3);
    bench_write(b, DATA, 80);
    bench_write(b, DATA, 0xf2);
    BYTES(b, 0xfa, 0xfa, 0xfa, 0xfa, 0xfa, 0);
    ask_for_wheel(b);
    BYTES(b, 0xfa, 0xfa, 0xfa, 0xfa, 0xfa, 0xfa, 0xfa, 3);
    bench_write(b, DATA, 0xff);
    bench_write(b, DATA, 0xf2);
    BYTES(b, 0xfa, 0xaa, 0, 0xfa, 0);
}

/* 0xfe resends the last byte sent to the host; a command still waits for its argument. */
static void test_keyboard_resends(void **state)
{
    struct bench *b = *state;

    bench_write(b, DATA, 0xfe); /* no byte was sent yet */
    BYTES(b, );
    bench_write(b, DATA, 0xf2);
    BYTES(b, 0xfa, 0xab, 0x83);
    bench_write(b, DATA, 0xfe);
    BYTES(b, 0x83);
    display_key(b->env.display, 0xff52, true);
    BYTES(b, 0xe0, 0x75);
    bench_save_and_load(b);
    bench_write(b, DATA, 0xfe);
    BYTES(b, 0x75);
    bench_write(b, DATA, 0xfe);
    BYTES(b, 0x75);
    bench_write(b, DATA, 0xf0);
    BYTES(b, 0xfa);
    bench_write(b, DATA, 0xfe);
    BYTES(b, 0xfa);
    bench_write(b, DATA, 0); /* queries the scan code set */
    BYTES(b, 0xfa, 2);
}

/* A mouse resends its last packet as a whole. */
static void test_mouse_resends(void **state)
{
    struct bench *b = *state;

    bench_write(b, DATA, 0xf3);
    BYTES(b, 0xfa);
    bench_write(b, DATA, 0xfe);
    BYTES(b, 0xfa);
    bench_write(b, DATA, 40);
    bench_write(b, DATA, 0xe9);
    BYTES(b, 0xfa, 0xfa, 0x00, 2, 40);
    bench_write(b, DATA, 0xfe);
    BYTES(b, 0x00, 2, 40);
    ask_for_wheel(b);
    bench_write(b, DATA, 0xf4);
    BYTES(b, 0xfa, 0xfa, 0xfa, 0xfa, 0xfa, 0xfa, 0xfa, 3, 0xfa);
    for (unsigned n = 0; n < 40; n++) { /* until the queue wraps around */
        display_pointer(b->env.display, 1, -2, 1, POINTER_LEFT);
        BYTES(b, 0x09, 1, 2, 0xff);
        bench_write(b, DATA, 0xfe);
        BYTES(b, 0x09, 1, 2, 0xff);
    }
    display_pointer(b->env.display, 3, 0, 0, 0);
    display_pointer(b->env.display, 4, 0, 0, 0);
    assert_int_equal(bench_read(b, DATA), 0x08);
    assert_int_equal(bench_read(b, DATA), 3);
    assert_int_equal(bench_read(b, DATA), 0);
    assert_int_equal(bench_read(b, DATA), 0);
    assert_int_equal(bench_read(b, DATA), 0x08); /* first byte of the next packet */
    BYTES(b, 4, 0, 0);
    bench_write(b, DATA, 0xfe);
    BYTES(b, 0x08, 4, 0, 0);
}

/* An invalid queue in a snapshot loads as an empty one. */
static void test_loaded_queues(void **state)
{
    struct ps2 dev;

    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        ps2_reset(&dev, n % 2);
        ps2_write(&dev, 0xf4);
        dev.first = n < 2 ? PS2_QUEUE : PS2_QUEUE - 1;
        dev.count = n < 2 ? 1 : PS2_QUEUE + 1;
        ps2_check(&dev);
        assert_false(ps2_has_byte(&dev));
        assert_int_equal(dev.first, 0);
        assert_int_equal(dev.mouse, n % 2);
    }
    dev.sent_count = sizeof(dev.sent) + 1;
    ps2_check(&dev);
    assert_int_equal(dev.sent_count, 0);
    dev.first = PS2_QUEUE - 1;
    dev.count = PS2_QUEUE;
    ps2_check(&dev);
    assert_int_equal(dev.count, PS2_QUEUE);
    while (ps2_has_byte(&dev))
        ps2_read(&dev);
    assert_int_equal(dev.first, PS2_QUEUE - 1); /* the queue was read once around */
    assert_int_equal(ps2_read(&dev), 0);
    assert_int_equal(dev.first, PS2_QUEUE - 1);
}

/* A packet moves by -255 to 255 (nine bits); longer movements take several packets. */
static void test_long_movements(void **state)
{
    struct bench *b = *state;

    bench_write(b, DATA, 0xf4);
    BYTES(b, 0xfa);
    display_pointer(b->env.display, 300, -256, 0, 0);
    BYTES(b, 0x08, 255, 255, 0x08, 45, 1);
    display_pointer(b->env.display, -255, 256, 0, 0);
    BYTES(b, 0x38, 1, 1, 0x28, 0, 255);
}

static void test_movements(void **state)
{
    struct bench *b = *state;

    display_pointer(b->env.display, 5, 5, 0, 0); /* reporting is off */
    BYTES(b, );
    bench_write(b, DATA, 0xf4);
    BYTES(b, 0xfa);
    display_pointer(b->env.display, 3, 4, 0, POINTER_LEFT); /* down is negative */
    BYTES(b, 0x29, 3, 0xfc);
    display_pointer(b->env.display, -300, 0, 0, POINTER_MIDDLE);
    BYTES(b, 0x1c, 0x01, 0, 0x1c, 0xd3, 0);
    ask_for_wheel(b);
    BYTES(b, 0xfa, 0xfa, 0xfa, 0xfa, 0xfa, 0xfa, 0xfa, 0x03);
    display_pointer(b->env.display, 0, 0, 1, 0);
    BYTES(b, 0x08, 0, 0, 0xff);
    bench_write(b, DATA, 0xf0); /* remote mode: reports on request only */
    display_pointer(b->env.display, 1, 0, 0, POINTER_LEFT);
    bench_write(b, DATA, 0xeb);
    BYTES(b, 0xfa, 0xfa, 0x09, 0, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_keyboard_commands, setup_keyboard, teardown),
        cmocka_unit_test_setup_teardown(test_keyboard_defaults, setup_keyboard, teardown),
        cmocka_unit_test_setup_teardown(test_registers, setup_keyboard, teardown),
        cmocka_unit_test_setup_teardown(test_keys, setup_keyboard, teardown),
        cmocka_unit_test(test_scan_codes),
        cmocka_unit_test(test_other_keys),
        cmocka_unit_test_setup_teardown(test_mouse_commands, setup_mouse, teardown),
        cmocka_unit_test_setup_teardown(test_mouse_status, setup_mouse, teardown),
        cmocka_unit_test_setup_teardown(test_mouse_defaults, setup_mouse, teardown),
        cmocka_unit_test_setup_teardown(test_movements, setup_mouse, teardown),
        cmocka_unit_test_setup_teardown(test_keyboard_resends, setup_keyboard, teardown),
        cmocka_unit_test_setup_teardown(test_mouse_resends, setup_mouse, teardown),
        cmocka_unit_test(test_loaded_queues),
        cmocka_unit_test_setup_teardown(test_long_movements, setup_mouse, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
