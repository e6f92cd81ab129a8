/* The GICv2m frame: messages become edges of SPIs (DEN 0029, appendix E). */
#include "tests/dev/bench.h"

#include <endian.h>

#define MSI_TYPER     0x008
#define MSI_SETSPI_NS 0x040
#define MSI_IIDR      0xfcc

static uint32_t flags_seen;

/* The parent's lines: SPI n, whose ID is 32 + n, is the bench's line n. */
static bool parent_irq(void *opaque, const uint32_t *cells, unsigned count, struct irq_line *out)
{
    struct bench *b = opaque;

    if (count != 3 || cells[0] != 0 || cells[1] >= BENCH_LINES)
        return false;
    flags_seen = cells[2];
    *out = b->irq[cells[1]];
    return true;
}

/* Makes a frame with a range of IDs. */
static struct bench *make_frame(uint32_t base, uint32_t count)
{
    static uint32_t first, number;
    struct bench *b = bench_new();

    first = htobe32(base);
    number = htobe32(count);
    bench_prop(b, "arm,msi-base-spi", &first, 4);
    bench_prop(b, "arm,msi-num-spis", &number, 4);
    b->env.parent_irq = parent_irq;
    bench_create(b, "gicv2m");
    return b;
}

static unsigned count_edges(const struct bench *b)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < BENCH_LINES; i++)
        sum += b->edges[i];
    return sum;
}

static void test_message(void **state)
{
    struct bench *b = make_frame(40, 8);

    (void)state;
    assert_int_equal(bench_read(b, MSI_TYPER), 40 << 16 | 8);
    bench_write(b, MSI_SETSPI_NS, 41);
    assert_int_equal(b->edges[41 - 32], 1);
    assert_false(b->level[41 - 32]); /* a pulse */
    assert_int_equal(flags_seen, 1); /* rising edge: the binding's IRQ_TYPE_EDGE_RISING */
    bench_write(b, MSI_SETSPI_NS, 40);
    bench_write(b, MSI_SETSPI_NS, 47);
    assert_int_equal(count_edges(b), 3);
    bench_write(b, MSI_SETSPI_NS, 48);
    bench_write(b, MSI_SETSPI_NS, 39);
    assert_int_equal(count_edges(b), 3);
    bench_write(b, MSI_SETSPI_NS, 0x400 | 42); /* bits 9:0 are the ID */
    assert_int_equal(b->edges[42 - 32], 1);
    bench_free(b);
}

/* Offsets without a register. */
static void test_other_registers(void **state)
{
    struct bench *b = make_frame(40, 8);

    (void)state;
    assert_int_equal(bench_read(b, MSI_IIDR), 0);
    assert_int_equal(bench_read(b, MSI_SETSPI_NS), 0);
    assert_int_equal(bench_read_as(b, 0, BENCH_BASE + MSI_TYPER, 1),
                     8); /* words only, of which a part may be read */
    assert_int_equal(bench_read_as(b, 0, BENCH_BASE + MSI_TYPER, 8), 40 << 16 | 8);
    for (uint64_t offset = 0; offset < 0x1000; offset += 4) {
        if (offset != MSI_SETSPI_NS)
            bench_write(b, offset, 41);
    }
    assert_int_equal(count_edges(b), 0);
    bench_free(b);
}

/* SPIs of a GICv2 have the IDs 32 to 1019; ranges outside of these are invalid. */
static void test_ranges(void **state)
{
    static const struct {
        uint32_t base, count, typer;
    } cases[] = {
        {32, 1, 32 << 16 | 1},
        {31, 1, 0},
        {32, 988, 32 << 16 | 988},
        {32, 989, 0},
        {1019, 1, 1019 << 16 | 1},
        {1019, 2, 0},
        {1020, 0, 0},
        {1021, UINT32_MAX, 0},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct bench *b = make_frame(cases[i].base, cases[i].count);

        assert_int_equal(bench_read(b, MSI_TYPER), cases[i].typer);
        bench_free(b);
    }
}

static void test_without_a_range(void **state)
{
    static const uint8_t forty[4] = {0, 0, 0, 40};
    struct bench *b = bench_new();

    (void)state;
    b->env.parent_irq = parent_irq;
    bench_prop(b, "arm,msi-base-spi", forty, 4);
    bench_create(b, "gicv2m");
    assert_int_equal(bench_read(b, MSI_TYPER), 0);
    bench_write(b, MSI_SETSPI_NS, 40);
    assert_int_equal(count_edges(b), 0);
    bench_free(b);
}

static void test_without_a_parent(void **state)
{
    struct bench *b = make_frame(40, 8);

    (void)state;
    b->env.parent_irq = NULL;
    bench_write(b, MSI_SETSPI_NS, 41);
    assert_int_equal(count_edges(b), 0);
    bench_free(b);
}

/* The frame has 4 KB, whatever the node says, and needs a free address range. */
static void test_region(void **state)
{
    const struct device_class *cls = device_class_by_name("gicv2m");
    struct bench *b = bench_new();
    struct error err = {""};
    uint64_t value;

    (void)state;
    b->reg[0].size = 0x10000;
    bench_create(b, "gicv2m");
    assert_true(bus_read(b->bus, BENCH_BASE + 0xfff, 1, &value, 0));
    assert_false(bus_read(b->bus, BENCH_BASE + 0x1000, 1, &value, 0));
    assert_null(cls->create(&b->env, &err)); /* the address range is in use */
    assert_true(err.text[0]);
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message),          cmocka_unit_test(test_other_registers),
        cmocka_unit_test(test_ranges),           cmocka_unit_test(test_without_a_range),
        cmocka_unit_test(test_without_a_parent), cmocka_unit_test(test_region),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
