/* The devices of a MIPS Malta: the CPU's timer, the PC devices of its PIIX4, GT-64120, FPGA. */
#include "tests/dev/bench.h"

#include <string.h>

#include "mips_board.h"
#include "runtime/dev/i8259.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

static int setup(void **state)
{
    *state = bench_new();
    return 0;
}

static int teardown(void **state)
{
    bench_free(*state);
    return 0;
}

static uint8_t read_port(struct bench *b, uint64_t pa)
{
    return (uint8_t)bench_read_as(b, 0, pa, 1);
}

static void write_port(struct bench *b, uint64_t pa, uint8_t value)
{
    bench_write_as(b, 0, pa, 1, value);
}

/* ---- Count and Compare ----------------------------------------------------------------------- */

static uint32_t timer_port(struct bench *b, uint32_t reg)
{
    return (uint32_t)b->cls->port_read(b->dev, 0, reg);
}

static void set_port(struct bench *b, uint32_t reg, uint32_t value)
{
    b->cls->port_write(b->dev, 0, reg, value);
}

static void test_timer(void **state)
{
    struct bench *b = *state;

    bench_prop(b, "clock-frequency", "\x00\x98\x96\x80", 4); /* 10 MHz */
    bench_create(b, "mips_timer");
    bench_run_to(b, 10 * US);
    assert_int_equal(timer_port(b, MIPS_PORT_COUNT), 100);
    set_port(b, MIPS_PORT_COMPARE, 250);
    bench_run_to(b, 25 * US - 1);
    assert_int_equal(b->cpu_inputs[0], 0);
    bench_run_to(b, 25 * US);
    assert_int_equal(b->cpu_inputs[0], 1 << MIPS_INPUT_TIMER);
    bench_save_and_load(b);
    assert_int_equal(b->cpu_inputs[0], 1 << MIPS_INPUT_TIMER);
    set_port(b, MIPS_PORT_COMPARE, 250); /* lowers it, until the whole round has passed */
    assert_int_equal(b->cpu_inputs[0], 0);
    set_port(b, MIPS_PORT_COUNT, 0xfffffff0);
    set_port(b, MIPS_PORT_COMPARE, 4); /* Count wraps */
    bench_run_to(b, 27 * US);
    assert_int_equal(timer_port(b, MIPS_PORT_COUNT), 4);
    assert_int_equal(b->cpu_inputs[0], 1 << MIPS_INPUT_TIMER);
}

static void test_timer_stops(void **state)
{
    struct bench *b = *state;

    bench_create(b, "mips_timer"); /* 100 MHz */
    set_port(b, MIPS_PORT_COMPARE, 300);
    bench_run_to(b, US);
    set_port(b, MIPS_PORT_STOP, 1);
    bench_run_to(b, 100 * US);
    assert_int_equal(timer_port(b, MIPS_PORT_COUNT), 100);
    assert_int_equal(b->cpu_inputs[0], 0);
    bench_save_and_load(b);
    set_port(b, MIPS_PORT_STOP, 0);
    bench_run_to(b, 102 * US);
    assert_int_equal(b->cpu_inputs[0], 1 << MIPS_INPUT_TIMER);
    set_port(b, MIPS_PORT_SOFTWARE, 2);
    assert_int_equal(b->cpu_inputs[0], 1 << MIPS_INPUT_TIMER | 2 << MIPS_INPUT_SOFTWARE);
    set_port(b, MIPS_PORT_SOFTWARE, 0);
    assert_int_equal(b->cpu_inputs[0], 1 << MIPS_INPUT_TIMER);
}

/* ---- 8259A ----------------------------------------------------------------------------------- */

enum { FIRST = 0x20, SECOND = 0xa0, ELCR = 0x4d0 };

static void make_pic(struct bench *b)
{
    static const uint16_t at[] = {FIRST, SECOND, ELCR};

    for (unsigned i = 0; i < 3; i++)
        b->reg[i] = (struct device_reg){at[i], 2};
    b->env.reg_count = 3;
    bench_create(b, "i8259");
    for (unsigned i = 0; i < 2; i++) { /* vectors 0x20 and 0x28, as a PC has them */
        write_port(b, at[i], 0x11);
        write_port(b, at[i] + 1u, (uint8_t)(0x20 + 8 * i));
        write_port(b, at[i] + 1u, i ? 2 : 4);
        write_port(b, at[i] + 1u, 1);
    }
}

static void drive_input(struct bench *b, uint32_t n, bool level)
{
    struct irq_line line;
    struct error err;

    assert_true(b->cls->irq_input(b->dev, &n, 1, 0, &line, &err));
    irq_set(&line, level);
}

static void test_pic_edges(void **state)
{
    struct bench *b = *state;

    make_pic(b);
    drive_input(b, 4, true);
    drive_input(b, 1, true);
    assert_true(b->level[0]);
    assert_int_equal(i8259_acknowledge(b->dev, 1), 0x21); /* a look changes nothing */
    assert_int_equal(i8259_acknowledge(b->dev, 0), 0x21);
    assert_false(b->level[0]); /* 4 waits for the end of 1 */
    bench_save_and_load(b);
    write_port(b, FIRST, 0x20);
    assert_true(b->level[0]);
    assert_int_equal(i8259_acknowledge(b->dev, 0), 0x24);
    write_port(b, FIRST, 0x20);
    assert_false(b->level[0]); /* still high, but there was no other edge */
    assert_int_equal(i8259_acknowledge(b->dev, 0), 0x27); /* spurious */
    drive_input(b, 4, false);
    write_port(b, FIRST + 1, 0x10);
    drive_input(b, 4, true);
    assert_false(b->level[0]); /* masked */
    assert_int_equal(read_port(b, FIRST), 0x10);
    write_port(b, FIRST + 1, 0);
    assert_true(b->level[0]);
}

static void test_pic_cascade_and_levels(void **state)
{
    struct bench *b = *state;
    struct irq_line line;
    struct error err;
    uint32_t cascade = 2;

    make_pic(b);
    write_port(b, ELCR + 1, 0xff);
    assert_int_equal(read_port(b, ELCR + 1), 0xde);
    drive_input(b, 11, true);
    assert_true(b->level[0]);
    assert_int_equal(i8259_acknowledge(b->dev, 0), 0x2b);
    write_port(b, FIRST, 0x0b); /* in service */
    assert_int_equal(read_port(b, FIRST), 1 << 2);
    write_port(b, SECOND, 0x0b);
    assert_int_equal(read_port(b, SECOND), 1 << 3);
    write_port(b, SECOND, 0x63); /* specific ends */
    write_port(b, FIRST, 0x62);
    assert_true(b->level[0]); /* the input is still high */
    assert_int_equal(i8259_acknowledge(b->dev, 0), 0x2b);
    drive_input(b, 11, false);
    write_port(b, SECOND, 0x20);
    write_port(b, FIRST, 0x20);
    assert_false(b->level[0]);
    assert_false(b->cls->irq_input(b->dev, &cascade, 1, 0, &line, &err));
}

/* ---- 8254 ------------------------------------------------------------------------------------ */

static void test_pit(void **state)
{
    struct bench *b = *state;
    uint32_t first, edges;

    bench_prop(b, "clock-frequency", "\x00\x0f\x42\x40", 4); /* 1 MHz */
    bench_create(b, "i8254");
    write_port(b, BENCH_BASE + 3, 0x34); /* counter 0, both bytes, rate generator */
    write_port(b, BENCH_BASE, 0xe8);
    write_port(b, BENCH_BASE, 0x03); /* 1000 */
    bench_run_to(b, 10 * MS + 100 * US);
    assert_int_equal(b->edges[0], 11);   /* OUT begins high, and rises once a period */
    write_port(b, BENCH_BASE + 3, 0x00); /* latches the count */
    bench_run_to(b, 10 * MS + 200 * US);
    first = read_port(b, BENCH_BASE);
    assert_int_equal(first | (uint32_t)read_port(b, BENCH_BASE) << 8, 900);
    bench_save_and_load(b);
    edges = b->edges[0];
    bench_run_to(b, 20 * MS + 100 * US);
    assert_int_equal(b->edges[0], edges + 10);

    write_port(b, BENCH_BASE + 3, 0x30); /* interrupt on terminal count */
    write_port(b, BENCH_BASE, 100);
    write_port(b, BENCH_BASE, 0);
    assert_false(b->level[0]);
    bench_run_to(b, 20 * MS + 199 * US);
    assert_false(b->level[0]);
    bench_run_to(b, 20 * MS + 200 * US);
    assert_true(b->level[0]);
    write_port(b, BENCH_BASE + 3, 0xe2); /* read back: the status of counter 0 */
    assert_int_equal(read_port(b, BENCH_BASE), 0xb0);
}

/* ---- MC146818 -------------------------------------------------------------------------------- */

static uint8_t read_cmos(struct bench *b, uint8_t reg)
{
    write_port(b, BENCH_BASE, reg);
    return read_port(b, BENCH_BASE + 1);
}

static void set_cmos(struct bench *b, uint8_t reg, uint8_t value)
{
    write_port(b, BENCH_BASE, reg);
    write_port(b, BENCH_BASE + 1, value);
}

static void test_rtc(void **state)
{
    struct bench *b = *state;

    b->env.start_time = UINT64_C(1798761599); /* 2026-12-31 23:59:59 */
    bench_create(b, "mc146818");
    assert_int_equal(read_cmos(b, 0), 0x59);
    assert_int_equal(read_cmos(b, 4), 0x23);
    assert_int_equal(read_cmos(b, 9), 0x26);
    assert_int_equal(read_cmos(b, 0x32), 0x20);
    assert_int_equal(read_cmos(b, 6), 5); /* Thursday */
    assert_int_equal(read_cmos(b, 13), 0x80);
    assert_int_equal(read_cmos(b, 10) & 0x80, 0);
    bench_run_to(b, 999 * MS + 900 * US); /* 244 us before the update */
    assert_int_equal(read_cmos(b, 10) & 0x80, 0x80);
    bench_run_to(b, 1000 * MS);
    assert_int_equal(read_cmos(b, 10) & 0x80, 0);
    assert_int_equal(read_cmos(b, 0), 0x00);
    set_cmos(b, 11, 0x06); /* binary */
    set_cmos(b, 2, 34);
    set_cmos(b, 0, 56);
    assert_int_equal(read_cmos(b, 2), 34);
    set_cmos(b, 0x40, 0xa5); /* RAM */
    bench_save_and_load(b);
    assert_int_equal(read_cmos(b, 0x40), 0xa5);
    assert_int_equal(read_cmos(b, 0), 56);
}

/* A driver sets SET and writes the parts one by one, whose order must not matter. */
static void test_rtc_is_set_as_a_whole(void **state)
{
    struct bench *b = *state;

    b->env.start_time = UINT64_C(1771113600); /* 2026-02-15 00:00:00, of a month without a 31st */
    bench_create(b, "mc146818");
    set_cmos(b, 11, 0x86); /* SET, binary, 24 hours */
    set_cmos(b, 7, 31);
    assert_int_equal(read_cmos(b, 7), 31);
    set_cmos(b, 8, 3);
    bench_run_to(b, 3000 * MS); /* stopped */
    bench_save_and_load(b);
    set_cmos(b, 11, 0x06);
    assert_int_equal(read_cmos(b, 7), 31);
    assert_int_equal(read_cmos(b, 8), 3);
    assert_int_equal(read_cmos(b, 9), 26);
    assert_int_equal(read_cmos(b, 6), 3); /* Tuesday */
    assert_int_equal(read_cmos(b, 0), 0);
}

static void test_rtc_interrupts(void **state)
{
    struct bench *b = *state;

    bench_create(b, "mc146818");
    set_cmos(b, 11, 0x12); /* an interrupt each update */
    bench_run_to(b, 999 * MS);
    assert_false(b->level[0]);
    bench_run_to(b, 1000 * MS);
    assert_true(b->level[0]);
    assert_int_equal(read_cmos(b, 12) & 0x90, 0x90);
    assert_false(b->level[0]); /* the read ends it */
    set_cmos(b, 11, 0x42);     /* periodic, 1024 a second */
    bench_run_to(b, 1001 * MS);
    assert_true(b->level[0]);
    set_cmos(b, 11, 0x86); /* SET: time stands still */
    bench_run_to(b, 5000 * MS);
    assert_int_equal(read_cmos(b, 0), 1);
    set_cmos(b, 11, 0x06);
    assert_int_equal(read_cmos(b, 0), 1);
}

/* ---- GT-64120 -------------------------------------------------------------------------------- */

enum { COMMAND = 0xc00, CAUSE = 0xc18, ADDRESS = 0xcf8, DATA = 0xcfc };

static uint32_t read_config(struct bench *b, uint32_t devfn, uint32_t reg)
{
    bench_write(b, ADDRESS, 0x80000000u | devfn << 8 | reg);
    return bench_read(b, DATA);
}

static void test_bridge(void **state)
{
    struct bench *b = *state;

    bench_prop(b, "functions", "\0\0\0\x50\x71\x10\x80\x86\x06\x01\0\x02\0\x80\0\0", 16);
    bench_prop(b, "presets", "\0\0\0\x50\0\0\0\x60\x0b\x0b\x0a\x0a", 12);
    bench_prop(b, "windows", "\0\0\0\x48\0\0\0\xc0", 8);
    b->reg[1] = (struct device_reg){BENCH_BASE + 0x10000, 0x100};
    b->env.reg_count = 2;
    bench_create(b, "gt64120");
    assert_int_equal(bench_read(b, 0x48), 0xc0);
    assert_int_equal(read_config(b, 0x50, 0), 0x71108086);
    assert_int_equal(read_config(b, 0x50, 0x60), 0x0b0b0a0a);
    assert_int_equal(bench_read(b, CAUSE), 0);
    assert_int_equal(read_config(b, 0x58, 0), 0xffffffff); /* nothing answers: master abort */
    assert_int_equal(bench_read(b, CAUSE), 1 << 18);
    bench_write(b, CAUSE, ~(1u << 18));
    assert_int_equal(bench_read(b, CAUSE), 0);
    read_config(b, 0x50, 0x10); /* a base address that is not there */
    bench_write(b, DATA, 0xffffffff);
    assert_int_equal(read_config(b, 0x50, 0x10), 0);
    read_config(b, 0x50, 4);
    bench_write(b, DATA, 0xffffffff);
    bench_save_and_load(b);
    assert_int_equal(read_config(b, 0x50, 4), 0x147);
    assert_int_equal(bench_read_as(b, 0, BENCH_BASE + 0x10001, 1),
                     0xff); /* a port without a device */
}

/* Registers whose bit of byte order is not the CPU's are reversed, and so is the data of other
 * devices that the bridge does not swap; never its own. */
static void test_bridge_orders(void **state)
{
    struct bench *b = *state;

    bench_prop(b, "functions",
               "\0\0\0\0\x46\x20\x11\xab\x06\0\0\x10\0\0\0\0"
               "\0\0\0\x50\x71\x10\x80\x86\x06\x01\0\x02\0\x80\0\0",
               32);
    bench_create(b, "gt64120");
    assert_int_equal(bench_read(b, 0), 0x1000);
    assert_int_equal(bench_read(b, COMMAND), 0x10001);
    bench_write(b, COMMAND, 0);
    assert_int_equal(read_config(b, 0x50, 0), 0x86801071);
    assert_int_equal(read_config(b, 0x00, 0), 0x462011ab);
    read_config(b, 0x50, 4);
    bench_write(b, DATA, 0x01000000);
    assert_int_equal(read_config(b, 0x50, 4), 0x01000000);
    bench_write(b, COMMAND, 1);
    assert_int_equal(read_config(b, 0x50, 4), 1);
    bench_write(b, 0, 0);
    assert_int_equal(bench_read(b, COMMAND), 0x01000000);
    bench_write(b, 0, 0x100000);
    assert_int_equal(bench_read(b, 0), 0x1000);
}

/* With a big-endian CPU a board without swaps in PCI has little-endian registers all the same. */
static void test_bridge_of_big_endian(void **state)
{
    struct bench *b = *state;

    b->env.big_endian = true;
    bench_prop(b, "functions", "\0\0\0\x50\x71\x10\x80\x86\x06\x01\0\x02\0\x80\0\0", 16);
    bench_prop(b, "windows", "\0\0\0\x48\0\0\0\xc0", 8);
    bench_create(b, "gt64120");
    assert_int_equal(bench_read(b, 0), 0);
    assert_int_equal(bench_read(b, COMMAND), 0);
    assert_int_equal(bench_read(b, 0x48), 0xc0);
    assert_int_equal(read_config(b, 0x50, 0), 0x86801071);
    bench_write(b, 0, 0x1000);
    assert_int_equal(bench_read(b, 0x48), 0xc0000000);
}

/* ---- FPGA and power -------------------------------------------------------------------------- */

static void test_fpga(void **state)
{
    struct bench *b = *state;

    b->reg[0].size = 0x900;
    b->reg[1] = (struct device_reg){BENCH_BASE + 0xa00, 0x600};
    b->reg[2] = (struct device_reg){BENCH_BASE + 0x100000, 0x1000};
    b->env.reg_count = 3;
    bench_create(b, "malta_fpga");
    assert_int_equal(bench_read(b, 0x100010), 0x420); /* the board's revision, in ROM */
    assert_int_equal(bench_read(b, 0x208), 0x10);
    bench_write(b, 0x408, 0x1a5);
    bench_save_and_load(b);
    assert_int_equal(bench_read(b, 0x408), 0xa5);
    bench_write(b, 0xb08, 7);
    assert_int_equal(bench_read(b, 0xb08), 3);
    bench_write(b, 0x500, 0x41);
    assert_int_equal(b->power_reset, 0);
    bench_write(b, 0x500, 0x42);
    assert_int_equal(b->power_reset, 1);
}

/* Registers and revision are numbers of the CPU; the bench's are those of the bus. */
static void test_fpga_of_big_endian(void **state)
{
    struct bench *b = *state;

    b->reg[0].size = 0x900;
    b->reg[1] = (struct device_reg){BENCH_BASE + 0xa00, 0x600};
    b->reg[2] = (struct device_reg){BENCH_BASE + 0x100000, 0x1000};
    b->env.reg_count = 3;
    b->env.big_endian = true;
    bench_prop(b, "native-endian", "", 0);
    bench_create(b, "malta_fpga");
    assert_int_equal(bench_read(b, 0x100010), 0x20040000);
    assert_int_equal(bench_read(b, 0x208), 0x12000000);
    assert_int_equal(bench_read_as(b, 0, BENCH_BASE + 0x20b, 1), 0x12);
    bench_write(b, 0x408, 0xa5010000);
    assert_int_equal(bench_read(b, 0x408), 0xa5000000);
    bench_write(b, 0x500, 0x42000000);
    assert_int_equal(b->power_reset, 1);
}

static void test_power(void **state)
{
    struct bench *b = *state;

    bench_create(b, "piix4_pm");
    bench_write_as(b, 0, BENCH_BASE, 2, 0xffff);
    assert_int_equal(bench_read_as(b, 0, BENCH_BASE, 2), 0); /* no button was pressed */
    bench_write_as(b, 0, BENCH_BASE + 4, 2, 0x2400); /* suspend of type 1; soft off is type 0 */
    assert_int_equal(b->power_off, 0);
    bench_write_as(b, 0, BENCH_BASE + 4, 2, 0x2000);
    assert_int_equal(b->power_off, 1);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_timer),
        TEST(test_timer_stops),
        TEST(test_pic_edges),
        TEST(test_pic_cascade_and_levels),
        TEST(test_pit),
        TEST(test_rtc),
        TEST(test_rtc_is_set_as_a_whole),
        TEST(test_rtc_interrupts),
        TEST(test_bridge),
        TEST(test_bridge_orders),
        TEST(test_bridge_of_big_endian),
        TEST(test_fpga),
        TEST(test_fpga_of_big_endian),
        TEST(test_power),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
