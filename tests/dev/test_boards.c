/* PL061, system registers, SRAM, stubs, and the table of classes. */
#include "tests/dev/bench.h"

#include <stdio.h>
#include <string.h>

#include "runtime/base/bits.h"

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

/* ---- classes --------------------------------------------------------------------------------- */

static void test_classes(void **state)
{
    (void)state;
    assert_string_equal(device_class_find("arm,pl011")->name, "pl011");
    assert_string_equal(device_class_find("arm,gic-400")->name, "gicv2");
    assert_string_equal(device_class_find("arm,primecell")->name, "primecell_stub");
    assert_null(device_class_find("arm,pl01"));
    assert_null(device_class_find("no,such-device"));
    assert_null(device_class_by_name("no such"));
    for (const struct device_class *const *c = device_classes; *c; c++) {
        assert_ptr_equal(device_class_by_name((*c)->name), *c);
        assert_true(strlen((*c)->summary) > 4);
        assert_non_null((*c)->create);
    }
}

static void test_missing_reg_is_an_error(void **state)
{
    struct bench *b = *state;
    struct error err;

    b->env.reg_count = 0;
    for (const struct device_class *const *c = device_classes; *c; c++) {
        void *dev = (*c)->create(&b->env, &err);

        if (!dev)
            assert_non_null(strstr(err.text, "/device@10000000: "));
        else if ((*c)->destroy)
            (*c)->destroy(dev);
    }
    assert_null(device_class_by_name("pl011")->create(&b->env, &err));
    assert_string_equal(err.text, "/device@10000000: the node has no reg[0]");
}

/* ---- PL061 ----------------------------------------------------------------------------------- */

#define DIR   0x400
#define IS    0x404
#define IBE   0x408
#define IEV   0x40c
#define IE    0x410
#define RIS   0x414
#define MIS   0x418
#define IC    0x41c
#define AFSEL 0x420

static void test_gpio_data_is_masked_by_address(void **state)
{
    struct bench *b = *state;

    bench_create(b, "pl061");
    bench_write(b, DIR, 0x0f);
    bench_write(b, 0x3fc, 0xff);
    assert_int_equal(bench_read(b, 0x3fc), 0x0f); /* inputs are low */
    bench_write(b, 0x5 << 2, 0x00);
    assert_int_equal(bench_read(b, 0x3fc), 0x0a);
    assert_int_equal(bench_read(b, 0x2 << 2), 0x02);
    assert_int_equal(bench_read(b, 0x000), 0);
}

static void test_gpio_interrupts(void **state)
{
    struct bench *b = *state;
    struct irq_line pin[3], none;
    uint32_t cells[2] = {0, 1};
    struct error err;

    bench_create(b, "pl061");
    for (; cells[0] < 3; cells[0]++)
        assert_true(b->cls->irq_input(b->dev, cells, 2, 0, &pin[cells[0]], &err));
    cells[0] = 8;
    assert_false(b->cls->irq_input(b->dev, cells, 2, 0, &none, &err));
    bench_write(b, IS, 0x4);  /* pin 2: level-sensitive */
    bench_write(b, IBE, 0x2); /* pin 1: both edges */
    bench_write(b, IEV, 0x5); /* pin 0: rising; pin 2: high */
    bench_write(b, IC, 0xff);
    bench_write(b, IE, 0x7);
    assert_false(b->level[0]);
    irq_set(&pin[0], true);
    assert_true(b->level[0]);
    assert_int_equal(bench_read(b, MIS), 0x1);
    bench_write(b, IC, 0x1);
    assert_false(b->level[0]);
    irq_set(&pin[0], false); /* falling edges are not enabled */
    assert_int_equal(bench_read(b, RIS) & 1, 0);
    irq_set(&pin[0], true);
    bench_write(b, IC, 0x1);
    bench_write(b, IEV, 0x4); /* pin 0: falling edges from here on */
    irq_set(&pin[0], false);
    assert_int_equal(bench_read(b, RIS), 0x1);
    bench_write(b, IS, 0x5); /* a low-level interrupt stays, a high-level one goes */
    assert_int_equal(bench_read(b, RIS), 0x1);
    bench_write(b, IEV, 0x5);
    assert_int_equal(bench_read(b, RIS), 0);
    bench_write(b, IS, 0x4);
    bench_write(b, IC, 0x1);
    irq_set(&pin[1], true);
    bench_write(b, IC, 0x2);
    irq_set(&pin[1], false);
    assert_int_equal(bench_read(b, MIS), 0x2);
    bench_write(b, IC, 0x2);
    irq_set(&pin[2], true);
    bench_write(b, IC, 0x4); /* a level-sensitive interrupt cannot be cleared */
    assert_true(b->level[0]);
    bench_write(b, IE, 0x3);
    assert_false(b->level[0]);
    irq_set(&pin[2], false);
    assert_int_equal(bench_read(b, RIS), 0);
}

/* Registers keep eight bits; read-only and missing registers ignore writes. */
static void test_gpio_registers(void **state)
{
    static const uint16_t kept[] = {DIR, IS, IBE, IEV, IE, AFSEL};
    struct bench *b = *state;

    bench_create(b, "pl061");
    bench_listen(b);
    for (unsigned n = 0; n < ARRAY_SIZE(kept); n++) {
        bench_write(b, kept[n], 0x1a5);
        assert_int_equal(bench_read(b, kept[n]), 0xa5);
        bench_write(b, kept[n], 0);
    }
    assert_string_equal(bench_heard(b), "");
    bench_write(b, RIS, 0xff);
    assert_non_null(strstr(bench_heard(b), "pl061"));
    assert_int_equal(bench_read(b, IC), 0);
    assert_int_equal(bench_read(b, 0x424), 0);
    assert_non_null(strstr(bench_heard(b), "0x424"));
    bench_write(b, 0x424, 0xff);
    for (unsigned offset = DIR; offset <= AFSEL; offset += 4)
        assert_int_equal(bench_read(b, offset), 0);
    bench_write(b, DIR, 0xff);
    bench_write(b, 0x3fc, 0xff);
    b->cls->reset(b->dev);
    assert_int_equal(bench_read(b, 0x3fc), 0);
    assert_int_equal(bench_read(b, DIR), 0);
}

/* A level-sensitive pin records no edges, and outputs interrupt as inputs do. */
static void test_gpio_levels_and_edges(void **state)
{
    struct bench *b = *state;
    struct irq_line pin;
    struct error err;

    bench_create(b, "pl061");
    assert_false(b->cls->irq_input(b->dev, (const uint32_t[]){0}, 0, 0, &pin, &err));
    assert_non_null(strstr(err.text, "<pin flags>"));
    assert_true(b->cls->irq_input(b->dev, (const uint32_t[]){7}, 1, 0, &pin, &err));
    bench_write(b, IS, 0x80);
    bench_write(b, IBE, 0x80);
    bench_write(b, IEV, 0x80);
    bench_write(b, IE, 0x80);
    irq_set(&pin, true);
    assert_true(b->level[0]);
    irq_set(&pin, false);
    assert_false(b->level[0]);
    bench_write(b, IS, 0);
    assert_int_equal(bench_read(b, RIS), 0);
    assert_false(b->level[0]);
    bench_write(b, DIR, 0x80);
    bench_write(b, 0x3fc, 0x80);
    assert_int_equal(bench_read(b, MIS), 0x80);
    b->cls->reset(b->dev);
    assert_false(b->level[0]);
    assert_int_equal(bench_read(b, RIS), 0);
}

/* ---- system registers ------------------------------------------------------------------------ */

static void test_system_registers(void **state)
{
    struct bench *b = *state;

    bench_prop(b, "arm,hbi", "\0\0\x02\x52", 4);
    bench_create(b, "sysreg");
    assert_int_equal(bench_read(b, 0x00) >> 16 & 0xfff, 0x252);
    bench_write(b, 0x08, 0xa5);
    assert_int_equal(bench_read(b, 0x08), 0xa5);
    bench_write(b, 0x30, 0xf0);
    bench_write(b, 0x30, 0x0f);
    bench_write(b, 0x34, 0x11);
    assert_int_equal(b->told, 0xff); /* firmware receives the flags that software sets */
    assert_int_equal(bench_read(b, 0x30), 0xee);
    bench_run_to(b, UINT64_C(2500000000));
    assert_int_equal(bench_read(b, 0x24), 250);
    assert_int_equal(bench_read(b, 0x5c), 60000000);
}

/*
 * Accesses the configuration bus as the kernel does: data, status cleared, command, wait for
 * status.
 */
static uint32_t access_config_bus(struct bench *b, uint32_t command, uint32_t data)
{
    bench_write(b, 0xa0, data);
    bench_write(b, 0xa8, 0);
    bench_write(b, 0xa4, command | 1u << 31);
    assert_int_equal(bench_read(b, 0xa4) >> 31, 0);
    assert_int_equal(bench_read(b, 0xa8) & 1, 1);
    return bench_read(b, 0xa0);
}

/* Cells of `config-values`: oscillator 5 of site 1, a temperature, two switches. */
static const uint8_t config_values[] = {
    0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 5, 0x02, 0xfa, 0xf0, 0x80, /* 50000000 Hz */
    0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x16, 0x0e, 0xc0, /* 35000000 (millidegrees) */
    0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0,    0,    2,
};

static void test_configuration_bus(void **state)
{
    struct bench *b = *state;

    bench_prop(b, "config-values", config_values, sizeof(config_values));
    bench_create(b, "sysreg");
    assert_int_equal(access_config_bus(b, 1u << 20 | 1u << 16 | 5, 0xdeadbeef), 50000000);
    access_config_bus(b, 1u << 30 | 1u << 20 | 1u << 16 | 5, 23750000);
    bench_save_and_load(b);
    assert_int_equal(access_config_bus(b, 1u << 20 | 1u << 16 | 5, 0xdeadbeef), 23750000);
    assert_int_equal(bench_read(b, 0xa8), 1);
    b->cls->reset(b->dev);
    assert_int_equal(access_config_bus(b, 1u << 20 | 1u << 16 | 5, 0xdeadbeef), 50000000);
    assert_int_equal(access_config_bus(b, 4u << 20, 0), 35000000);
    access_config_bus(b, 1u << 30 | 4u << 20, 1); /* a sensor is read-only */
    assert_int_equal(bench_read(b, 0xa8), 3);
    assert_int_equal(access_config_bus(b, 4u << 20, 0), 35000000);
    access_config_bus(b, 1u << 30 | 7u << 20, 1);
    assert_int_equal(access_config_bus(b, 7u << 20, 0), 1);
    access_config_bus(b, 1u << 20 | 2u << 16 | 5, 0); /* oscillator of another site */
    assert_int_equal(bench_read(b, 0xa8), 3);
    access_config_bus(b, 1u << 20 | 1u << 16 | 4, 0);
    assert_int_equal(bench_read(b, 0xa8), 3);
    access_config_bus(b, 63u << 20, 0);
    assert_int_equal(bench_read(b, 0xa8), 3);
    access_config_bus(b, 8u << 20, 0); /* only a write powers the machine off */
    assert_int_equal(b->power_off + b->power_reset, 0);
    access_config_bus(b, 1u << 30 | 9u << 20, 0);
    assert_int_equal(b->power_reset, 1);
    access_config_bus(b, 1u << 30 | 5u << 20, 0);
    assert_int_equal(b->power_reset, 2);
    access_config_bus(b, 1u << 30 | 8u << 20, 0);
    assert_int_equal(b->power_off, 1);
}

/*
 * Functions that software sets (oscillator, voltage, SCC, multiplexer, DVI mode), and read-only
 * ones.
 */
static void test_configuration_functions(void **state)
{
    static const struct {
        uint8_t function;
        bool set;
    } rows[] = {{1, true}, {2, true},  {3, false},  {4, false}, {6, true},
                {7, true}, {11, true}, {12, false}, {13, false}};
    uint8_t values[9][16] = {{0}};
    struct bench *b = *state;

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        values[i][3] = rows[i].function;
        values[i][7] = 3;    /* site */
        values[i][10] = 0xa; /* device 0xa21 */
        values[i][11] = 0x21;
        values[i][15] = (uint8_t)(i + 1);
    }
    bench_prop(b, "config-values", values, sizeof(values));
    bench_create(b, "sysreg");
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        uint32_t command = (uint32_t)rows[i].function << 20 | 3u << 16 | 0xa21;

        assert_int_equal(access_config_bus(b, command, 0), i + 1);
        access_config_bus(b, 1u << 30 | command, 0x1234);
        assert_int_equal(bench_read(b, 0xa8), rows[i].set ? 1 : 3);
        assert_int_equal(access_config_bus(b, command, 0), rows[i].set ? 0x1234 : i + 1);
    }
    bench_write(b, 0xa8, 0xff); /* the write's ones add two flags */
    assert_int_equal(bench_read(b, 0xa8), 3);
    bench_write(b, 0xa4, 4u << 20 | 3u << 16 | 0xa21); /* start bit clear: no request */
    assert_int_equal(bench_read(b, 0xa8), 3);
}

/* At most 64 values are kept. */
static void test_configuration_values_are_bounded(void **state)
{
    static uint8_t values[65][16];
    struct bench *b = *state;
    struct error err = {""};

    for (unsigned i = 0; i < 65; i++) {
        values[i][3] = 1;
        values[i][11] = (uint8_t)i;
        values[i][15] = (uint8_t)i;
    }
    bench_prop(b, "config-values", values, sizeof(values));
    assert_null(device_class_by_name("sysreg")->create(&b->env, &err));
    assert_string_equal(err.text,
                        "/device@10000000: config-values takes up to 64 times four cells");
    b->props[0].len -= 16;
    bench_create(b, "sysreg");
    assert_int_equal(access_config_bus(b, 1u << 20 | 63, 0), 63);
}

/* DUI 0447, section 4.3: the identification, and flags that survive a reset. */
static void test_plain_system_registers(void **state)
{
    static const uint16_t plain[] = {0x08, 0x58, 0x60, 0x64};
    struct bench *b = *state;

    b->reg[0].size = 0x2000;
    bench_create(b, "sysreg");
    bench_listen(b);
    assert_int_equal(bench_read(b, 0x00), 0x01900500); /* HBI 0190, AXI */
    assert_int_equal(bench_read(b, 0x04), 0);
    assert_int_equal(bench_read(b, 0x84), 0);
    assert_int_equal(bench_read(b, 0x88), 0xff000000);
    for (unsigned i = 0; i < ARRAY_SIZE(plain); i++)
        bench_write(b, plain[i], 0x11 + i);
    for (unsigned i = 0; i < ARRAY_SIZE(plain); i++)
        assert_int_equal(bench_read(b, plain[i]), 0x11 + i);
    bench_write(b, 0x38, 0xf0);
    bench_write(b, 0x38, 0x0f);
    assert_int_equal(bench_read(b, 0x38), 0xff);
    bench_write(b, 0x3c, 0x81);
    assert_int_equal(bench_read(b, 0x38), 0x7e);
    bench_write(b, 0x30, 6);
    b->cls->reset(b->dev);
    assert_int_equal(bench_read(b, 0x38), 0x7e);
    assert_int_equal(bench_read(b, 0x30), 0);
    for (unsigned i = 0; i < ARRAY_SIZE(plain); i++)
        assert_int_equal(bench_read(b, plain[i]), 0);
    bench_write_as(b, 0, BENCH_BASE + 9, 1, 0xa5); /* byte 1 of the word at 0x08 */
    assert_int_equal(bench_read(b, 0x08), 0xa500);
    assert_string_equal(bench_heard(b), "");
    bench_write(b, 0x90, 1);
    assert_non_null(strstr(bench_heard(b), "write of 0x1 to offset 0x90"));
    assert_int_equal(bench_read(b, 0x94), 0);
    assert_non_null(strstr(bench_heard(b), "read of offset 0x94"));
    b->env.power = NULL; /* a machine that cannot be powered off continues */
    access_config_bus(b, 1u << 30 | 8u << 20, 0);
    assert_int_equal(bench_read(b, 0xa8), 1);
}

static void test_configuration_values_are_checked(void **state)
{
    struct bench *b = *state;
    struct error err;

    bench_prop(b, "config-values", config_values, sizeof(config_values) - 4);
    assert_null(device_class_by_name("sysreg")->create(&b->env, &err));
    assert_non_null(strstr(err.text, "config-values"));
}

static void *sysreg_parent(void *opaque, const struct device_class **cls)
{
    struct bench *b = opaque;

    *cls = b->cls;
    return b->dev;
}

static void test_pins(void **state)
{
    static const char *const names[] = {"arm,vexpress-sysreg,sys_led",
                                        "arm,vexpress-sysreg,sys_mci",
                                        "arm,vexpress-sysreg,sys_flash"};
    const struct device_class *cls = device_class_by_name("sysreg_gpio");
    uint32_t cells[2] = {1, 0};
    struct bench *b = *state;
    struct device_env env = {.opaque = b, .parent_device = sysreg_parent};
    struct irq_line line;
    void *pins;

    bench_create(b, "sysreg");
    for (unsigned i = 0; i < 3; i++) {
        env.compatible = names[i];
        pins = cls->create(&env, NULL);
        assert_true(cls->gpio_input(pins, cells, 2, &line));
        irq_set(&line, true);
        cls->destroy(pins);
    }
    assert_int_equal(bench_read(b, 0x08), 0); /* LEDs are driven by software only */
    assert_int_equal(bench_read(b, 0x48), 2);
    assert_int_equal(bench_read(b, 0x4c), 2);
    bench_write(b, 0x48, ~0u);
    assert_int_equal(bench_read(b, 0x48), ~1u);
    b->cls->reset(b->dev);
    assert_int_equal(bench_read(b, 0x48), 2); /* input pins survive a reset */
    env.compatible = names[1];
    pins = cls->create(&env, NULL);
    cells[1] = 1; /* active low */
    assert_true(cls->gpio_input(pins, cells, 2, &line));
    irq_set(&line, true);
    assert_int_equal(bench_read(b, 0x48), 0);
    irq_set(&line, false);
    assert_int_equal(bench_read(b, 0x48), 2);
    cells[0] = 32;
    assert_false(cls->gpio_input(pins, cells, 2, &line));
    cls->destroy(pins);
    env.parent_device = NULL;
    pins = cls->create(&env, NULL);
    cells[0] = 0;
    assert_false(cls->gpio_input(pins, cells, 2, &line));
    cls->destroy(pins);
}

/* ---- SRAM and stubs -------------------------------------------------------------------------- */

static void test_sram(void **state)
{
    struct bench *b = *state;

    b->reg[0].size = 0x800;
    bench_create(b, "sram");
    bench_write(b, 0x7fc, 42);
    assert_int_equal(bench_read(b, 0x7fc), 42);
}

/* SRAM that is a reserved part of the RAM has no memory of its own. */
static void test_sram_in_ram(void **state)
{
    struct bench *b = *state;

    bus_add_ram(b->bus, "ram", BENCH_BASE - 0x10000, 0x20000, NULL);
    bench_create(b, "sram");
    assert_int_equal(b->bus->count, 1);
}

static void test_stub_logs_each_register_once(void **state)
{
    struct bench *b = *state;
    char text[400] = "";

    log_enable(&b->log, LOG_UNIMP);
    b->log.out = fmemopen(text, sizeof(text), "w");
    b->log.close_out = true;
    bench_create(b, "stub");
    assert_int_equal(bench_read(b, 0x10), 0);
    assert_int_equal(bench_read(b, 0x10), 0);
    assert_int_equal(bench_read_as(b, 0, BENCH_BASE + 0x18, 8), 0);
    bench_write(b, 0x10, 5);
    bench_write(b, 0x10, 6);
    log_close(&b->log);
    assert_string_equal(text, "/device@10000000: not modelled: read of offset 0x10\n"
                              "/device@10000000: not modelled: read of offset 0x18\n"
                              "/device@10000000: not modelled: write of 0x5 to offset 0x10\n");
}

/* The reset values of the identification registers in each peripheral's manual. */
static void test_primecells_are_recognised(void **state)
{
    static const struct {
        const char *name;
        uint32_t id;
    } rows[] = {
        {"pl011", 0x00341011}, /* DDI 0183, r1p5 */
        {"pl031", 0x00041031}, /* DDI 0224 */
        {"pl050", 0x00041050}, /* DDI 0143 */
        {"pl061", 0x00041061}, /* DDI 0190 */
        {"pl180", 0x00041180}, /* DDI 0172 */
        {"sp804", 0x00141804}, /* DDI 0271 */
        {"sp805", 0x00141805}, /* DDI 0270 */
    };

    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct bench *b = *state;
        uint32_t id = 0, cell = 0;

        bench_create(b, rows[n].name);
        for (unsigned i = 0; i < 4; i++) {
            id |= bench_read(b, 0xfe0 + 4 * i) << (8 * i);
            cell |= bench_read(b, 0xff0 + 4 * i) << (8 * i);
        }
        assert_int_equal(id, rows[n].id);
        assert_int_equal(cell, 0xb105f00d);
        teardown(state);
        setup(state);
    }
}

static void test_primecell_identity(void **state)
{
    static const char names[] = "arm,pl041\0arm,primecell";
    struct bench *b = *state;
    uint32_t id = 0;

    b->env.compatible = "arm,primecell";
    bench_prop(b, "compatible", names, sizeof(names));
    bench_create(b, "primecell_stub");
    for (unsigned i = 0; i < 4; i++)
        id |= bench_read(b, 0xfe0 + 4 * i) << (8 * i);
    assert_int_equal(id, 0x00041041);
    assert_int_equal(bench_read(b, 0xff0), 0x0d);
    assert_int_equal(bench_read(b, 0x000), 0);
}

static void test_primecell_identity_from_the_tree(void **state)
{
    struct bench *b = *state;

    b->env.compatible = "arm,primecell";
    b->reg[0].size = 0x10000; /* at the end of the region, whatever its size */
    bench_prop(b, "arm,primecell-periphid", "\x00\x12\x34\x56", 4);
    bench_create(b, "primecell_stub");
    assert_int_equal(bench_read(b, 0xffe0), 0x56);
    assert_int_equal(bench_read(b, 0xffe4), 0x34);
    assert_int_equal(bench_read(b, 0x0fe0), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),
        TEST(test_missing_reg_is_an_error),
        TEST(test_gpio_data_is_masked_by_address),
        TEST(test_gpio_interrupts),
        TEST(test_gpio_registers),
        TEST(test_gpio_levels_and_edges),
        TEST(test_system_registers),
        TEST(test_configuration_bus),
        TEST(test_configuration_functions),
        TEST(test_configuration_values_are_bounded),
        TEST(test_plain_system_registers),
        TEST(test_configuration_values_are_checked),
        TEST(test_pins),
        TEST(test_sram),
        TEST(test_sram_in_ram),
        TEST(test_stub_logs_each_register_once),
        TEST(test_primecells_are_recognised),
        TEST(test_primecell_identity),
        TEST(test_primecell_identity_from_the_tree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
