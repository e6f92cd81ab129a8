/* The bus: regions, access sizes, boundaries, faults, pages with code, wired-OR interrupts. */
#include "tests/dev/bench.h"

#include <stdio.h>
#include <string.h>

#define RAM  UINT64_C(0x80000000)
#define ROM  UINT64_C(0x00000000)
#define DEV  UINT64_C(0x1c090000)
#define DEV2 UINT64_C(0x1c090100)

/* A device that records its accesses and returns in each byte the byte's offset. */
struct probe {
    unsigned calls, sizes[16];
    uint64_t offsets[16], values[16];
    unsigned cpu;
};

static void record_access(struct probe *p, uint64_t offset, uint64_t value, unsigned size,
                          unsigned cpu)
{
    unsigned i = p->calls++ % 16;

    p->offsets[i] = offset;
    p->sizes[i] = size;
    p->values[i] = value;
    p->cpu = cpu;
}

static uint64_t probe_read(void *dev, uint64_t offset, unsigned size, unsigned cpu)
{
    record_access(dev, offset, 0, size, cpu);
    return UINT64_C(0xf7f6f5f4f3f2f1f0) + 0x0101010101010101 * (offset & 7);
}

static void probe_write(void *dev, uint64_t offset, uint64_t value, unsigned size, unsigned cpu)
{
    record_access(dev, offset, value, size, cpu);
}

static const struct mmio_ops words = {probe_read, probe_write, 4, 4};
static const struct mmio_ops any = {probe_read, probe_write, 1, 8};

struct fixture {
    struct bus *bus;
    struct log log;
    struct probe dev, dev2;
    uint64_t code_pa[8], code_len[8];
    unsigned code_writes;
};

static void on_code_write(void *opaque, uint64_t pa, uint64_t len)
{
    struct fixture *f = opaque;

    f->code_pa[f->code_writes % 8] = pa;
    f->code_len[f->code_writes++ % 8] = len;
}

static int setup(void **state)
{
    static struct fixture fixture;
    struct fixture *f = &fixture;

    memset(f, 0, sizeof(*f));
    f->bus = bus_new(&f->log);
    f->bus->on_code_write = on_code_write;
    f->bus->code_opaque = f;
    if (!bus_add_ram(f->bus, "ram", RAM, 0x10000, NULL) ||
        !bus_add_rom(f->bus, "rom", (struct bus_range){ROM, 0x2000}, "boot", 4, NULL) ||
        !bus_add_mmio(f->bus, "dev2", (struct bus_range){DEV2, 0x80}, &any, &f->dev2, NULL) ||
        !bus_add_mmio(f->bus, "dev", (struct bus_range){DEV, 0x100}, &words, &f->dev, NULL))
        return -1;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    bus_free(f->bus);
    log_close(&f->log);
    return 0;
}

static uint64_t read_bus(struct fixture *f, uint64_t pa, unsigned size)
{
    uint64_t value;

    assert_true(bus_read(f->bus, pa, size, &value, 3));
    return value;
}

static void test_regions_do_not_overlap(void **state)
{
    struct fixture *f = *state;
    struct error err;

    assert_null(bus_add_ram(f->bus, "again", RAM + 0xf000, 0x1000, &err));
    assert_non_null(strstr(err.text, "overlaps ram"));
    assert_null(bus_add_ram(f->bus, "before", RAM - 0x1000, 0x2000, &err));
    assert_null(bus_add_ram(f->bus, "around", RAM - 0x1000, 0x20000, &err));
    assert_null(bus_add_ram(f->bus, "odd", RAM + 0x10800, 0x1000, &err));
    assert_non_null(strstr(err.text, "4 KB"));
    assert_null(
        bus_add_mmio(f->bus, "wrap", (struct bus_range){UINT64_MAX - 0xf, 0x20}, &any, NULL, &err));
    assert_null(bus_add_mmio(f->bus, "empty", (struct bus_range){0x5000, 0}, &any, NULL, &err));
    assert_null(
        bus_add_mmio(f->bus, "one byte", (struct bus_range){DEV - 0x10, 0x11}, &any, NULL, &err));
    assert_non_null(
        bus_add_mmio(f->bus, "beside", (struct bus_range){DEV - 0x10, 0x10}, &any, NULL, &err));
    assert_non_null(bus_add_ram(f->bus, "after", RAM + 0x10000, 0x1000, &err));
    assert_non_null(bus_add_mmio(f->bus, "top", (struct bus_range){UINT64_MAX - 0xf, 0x10}, &any,
                                 &f->dev2, &err));
    assert_ptr_equal(bus_find(f->bus, UINT64_MAX)->dev, &f->dev2);
}

static void test_lookup(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(bus_find(f->bus, RAM)->name, "ram");
    assert_string_equal(bus_find(f->bus, RAM + 0xffff)->name, "ram");
    assert_null(bus_find(f->bus, RAM + 0x10000));
    assert_null(bus_find(f->bus, RAM - 1));
    assert_string_equal(bus_find(f->bus, DEV + 0xff)->name, "dev");
    assert_string_equal(bus_find(f->bus, DEV2)->name, "dev2");
    assert_null(bus_find(f->bus, DEV2 + 0x80));
    assert_string_equal(bus_find(f->bus, 0)->name, "rom");
}

static void test_ram_keeps_every_size(void **state)
{
    struct fixture *f = *state;

    assert_true(bus_write(f->bus, RAM + 8, 8, UINT64_C(0x1122334455667788), 0));
    assert_int_equal(read_bus(f, RAM + 8, 1), 0x88);
    assert_int_equal(read_bus(f, RAM + 9, 2), 0x6677);
    assert_int_equal(read_bus(f, RAM + 11, 4), 0x22334455);
    assert_true(read_bus(f, RAM + 8, 8) == UINT64_C(0x1122334455667788));
    assert_int_equal(read_bus(f, RAM + 0x5000, 8), 0);
}

static void test_ram_across_regions(void **state)
{
    struct fixture *f = *state;
    uint64_t value = 1;

    assert_false(bus_read(f->bus, RAM + 0xfffc, 8, &value, 0));
    assert_int_equal(value, 0);
    assert_false(bus_write(f->bus, RAM + 0xfffc, 8, 1, 0));
    assert_non_null(bus_add_ram(f->bus, "more", RAM + 0x10000, 0x1000, NULL));
    assert_true(bus_write(f->bus, RAM + 0xfffc, 8, UINT64_C(0x8877665544332211), 0));
    assert_true(read_bus(f, RAM + 0xfffc, 8) == UINT64_C(0x8877665544332211));
    assert_int_equal(read_bus(f, RAM + 0x10000, 4), 0x88776655);
}

static void test_rom_ignores_writes(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(read_bus(f, ROM, 4), 0x746f6f62); /* "boot" */
    assert_true(bus_write(f->bus, ROM, 4, 0, 0));
    assert_int_equal(read_bus(f, ROM, 4), 0x746f6f62);
    assert_false(bus_copy_to(f->bus, ROM, "x", 1));
    assert_true(bus_load(f->bus, ROM, "x", 1));
    assert_int_equal(read_bus(f, ROM, 1), 'x');
    assert_null(bus_ram_ptr(f->bus, ROM, 4));
}

static void test_device_access_sizes(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(read_bus(f, DEV + 4, 4), 0xf7f6f5f4);
    assert_int_equal(f->dev.cpu, 3);
    assert_true(read_bus(f, DEV, 8) == UINT64_C(0xf7f6f5f4f3f2f1f0));
    assert_int_equal(f->dev.calls, 3); /* the 64-bit access came as two words */
    assert_int_equal(f->dev.offsets[2], 4);
    assert_int_equal(read_bus(f, DEV + 6, 2), 0xf7f6); /* a half of the word at 4 */
    assert_int_equal(f->dev.offsets[3], 4);
    assert_int_equal(f->dev.sizes[3], 4);
    assert_true(bus_write(f->bus, DEV + 6, 1, 0xab, 0));
    assert_int_equal(f->dev.offsets[4], 4);
    assert_int_equal(f->dev.values[4], 0xab0000);
    assert_true(bus_write(f->bus, DEV + 8, 8, UINT64_C(0x1111111122222222), 0));
    assert_int_equal(f->dev.values[5], 0x22222222);
    assert_int_equal(f->dev.values[6], 0x11111111);
    assert_true(bus_write(f->bus, DEV2 + 2, 2, 0x12345, 0));
    assert_int_equal(f->dev2.sizes[0], 2);
    assert_int_equal(f->dev2.values[0], 0x2345);
}

/* Accesses to parts of a word; a last word that the region's size cuts off does not exist. */
static void test_device_parts(void **state)
{
    static const struct mmio_ops nothing = {NULL, NULL, 1, 8};
    struct fixture *f = *state;

    assert_int_equal(read_bus(f, DEV + 4, 2), 0xf5f4);
    assert_int_equal(read_bus(f, DEV + 5, 1), 0xf5);
    assert_int_equal(f->dev.calls, 2);
    assert_non_null(
        bus_add_mmio(f->bus, "odd", (struct bus_range){0x50000, 6}, &words, &f->dev2, NULL));
    assert_int_equal(read_bus(f, 0x50003, 1), 0xf3);
    assert_int_equal(f->dev2.calls, 1);
    assert_int_equal(read_bus(f, 0x50004, 2), 0);
    assert_true(bus_write(f->bus, 0x50005, 1, 1, 0));
    assert_int_equal(f->dev2.calls, 1);
    assert_non_null(
        bus_add_mmio(f->bus, "nothing", (struct bus_range){0x60000, 8}, &nothing, NULL, NULL));
    assert_int_equal(read_bus(f, 0x60000, 8), 0);
    assert_true(bus_write(f->bus, 0x60000, 8, 1, 0));
}

/* A big-endian device's numbers are reversed in the sizes of its functions, so that each byte stays
 * at its address. */
static void test_device_order(void **state)
{
    struct fixture *f = *state;

    bus_reverse_bytes(bus_find(f->bus, DEV));
    bus_reverse_bytes(bus_find(f->bus, DEV2));
    assert_int_equal(read_bus(f, DEV + 4, 4), 0xf4f5f6f7);
    assert_int_equal(read_bus(f, DEV + 5, 1), 0xf6);
    assert_int_equal(read_bus(f, DEV, 8), UINT64_C(0xf4f5f6f7f0f1f2f3));
    assert_true(bus_write(f->bus, DEV, 4, 0x11223344, 0));
    assert_int_equal(f->dev.values[4], 0x44332211);
    assert_true(bus_write(f->bus, DEV + 3, 1, 0x55, 0));
    assert_int_equal(f->dev.values[5], 0x55);
    assert_int_equal(read_bus(f, DEV2, 2), 0xf0f1);
    assert_int_equal(read_bus(f, DEV2, 8), UINT64_C(0xf0f1f2f3f4f5f6f7));
    assert_true(bus_write(f->bus, DEV2 + 2, 2, 0x1122, 0));
    assert_int_equal(f->dev2.values[2], 0x2211);
    assert_true(bus_write(f->bus, DEV2 + 2, 1, 0x11, 0));
    assert_int_equal(f->dev2.values[3], 0x11);
}

static void test_device_faults(void **state)
{
    struct fixture *f = *state;
    uint64_t value;

    assert_false(bus_read(f->bus, DEV + 2, 4, &value, 0));
    assert_false(bus_write(f->bus, DEV + 1, 2, 0, 0));
    assert_int_equal(f->dev.calls, 0);
    assert_int_equal(f->bus->faults, 2);
}

static void test_unmapped_is_logged_once_a_page(void **state)
{
    struct fixture *f = *state;
    char text[512] = "";
    uint64_t value = 1;

    log_enable(&f->log, LOG_GUEST_ERRORS);
    f->log.out = fmemopen(text, sizeof(text), "w");
    f->log.close_out = true;
    assert_false(bus_read(f->bus, 0x40000010, 4, &value, 0));
    assert_int_equal(value, 0);
    assert_false(bus_write(f->bus, 0x40000020, 4, 0, 0));
    assert_false(bus_write(f->bus, 0x40001020, 4, 0, 0));
    log_close(&f->log);
    assert_string_equal(text, "bus: read at 0x40000010, where nothing is (page reported once)\n"
                              "bus: write at 0x40001020, where nothing is (page reported once)\n");
    assert_int_equal(f->bus->faults, 3);
}

static void test_dma(void **state)
{
    struct fixture *f = *state;
    char buf[0x40];

    assert_true(bus_copy_to(f->bus, RAM + 0xffe0, "0123456789abcdef0123456789abcde", 32));
    memset(buf, 'x', sizeof(buf));
    /* the second half is unmapped */
    assert_false(bus_copy_from(f->bus, RAM + 0xffe0, buf, sizeof(buf)));
    assert_memory_equal(buf, "0123456789abcdef0123456789abcde", 32);
    for (unsigned i = 32; i < sizeof(buf); i++)
        assert_int_equal(buf[i], 0);
    assert_false(bus_copy_to(f->bus, RAM + 0xfff0, buf, sizeof(buf)));
    assert_false(bus_copy_to(f->bus, DEV, buf, 4));
    assert_false(bus_copy_from(f->bus, DEV, buf, 4));
    assert_int_equal(f->dev.calls, 0); /* DMA never reaches a device */
    assert_int_equal(f->bus->faults, 4);
}

/* Who looks from outside leaves no trace in what is counted of the guest. */
static void test_peek(void **state)
{
    struct fixture *f = *state;
    char buf[0x20];

    assert_true(bus_copy_to(f->bus, RAM + 0xfff0, "0123456789abcde", 16));
    memset(buf, 'x', sizeof(buf));
    assert_false(bus_peek(f->bus, RAM + 0xfff0, buf, sizeof(buf)));
    assert_string_equal(buf, "0123456789abcde");
    assert_int_equal(buf[16], 0);
    assert_true(bus_peek(f->bus, ROM, buf, 4));
    assert_memory_equal(buf, "boot", 4);
    assert_false(bus_peek(f->bus, DEV, buf, 4));
    assert_false(bus_load(f->bus, RAM + 0xfff0, buf, sizeof(buf)));
    assert_int_equal(f->dev.calls, 0);
    assert_int_equal(f->bus->faults, 0);
}

static void test_ram_ptr(void **state)
{
    struct fixture *f = *state;
    uint8_t *p = bus_ram_ptr(f->bus, RAM + 0xfff0, 0x10);

    assert_non_null(p);
    *p = 0x5a;
    assert_int_equal(read_bus(f, RAM + 0xfff0, 1), 0x5a);
    assert_null(bus_ram_ptr(f->bus, RAM + 0xfff0, 0x11));
    assert_null(bus_ram_ptr(f->bus, RAM, UINT64_MAX));
    assert_null(bus_ram_ptr(f->bus, RAM, 0));
    assert_null(bus_ram_ptr(f->bus, DEV, 4));
}

static void test_writes_to_code_are_announced(void **state)
{
    struct fixture *f = *state;
    char buf[0x2000] = "";

    bus_mark_code(f->bus, RAM + 0x1234);
    assert_true(bus_has_code(f->bus, RAM + 0x1fff, 1));
    assert_true(bus_has_code(f->bus, RAM, 0x10000));
    assert_false(bus_has_code(f->bus, RAM + 0x2000, 0x1000));
    assert_true(bus_write(f->bus, RAM + 0x0ffc, 4, 0, 0));
    assert_true(bus_write(f->bus, RAM + 0x2000, 4, 0, 0));
    assert_int_equal(f->code_writes, 0);
    assert_true(bus_write(f->bus, RAM + 0x1ffe, 4, 0, 0)); /* two bytes in the page */
    assert_int_equal(f->code_writes, 1);
    assert_true(f->code_pa[0] == RAM + 0x1ffe && f->code_len[0] == 2);
    assert_true(bus_copy_to(f->bus, RAM + 0x800, buf, sizeof(buf)));
    assert_true(f->code_writes == 2 && f->code_pa[1] == RAM + 0x1000 && f->code_len[1] == 0x1000);
    bus_touched(f->bus, RAM, 0x10000);
    assert_int_equal(f->code_writes, 3);
    assert_true(bus_write(f->bus, RAM + 0x1800, 4, 0, 0));
    assert_true(f->code_writes == 4 && f->code_pa[3] == RAM + 0x1800 && f->code_len[3] == 4);
    bus_clear_code(f->bus, RAM + 0x1000);
    assert_true(bus_write(f->bus, RAM + 0x1000, 4, 0, 0));
    assert_int_equal(f->code_writes, 4);
}

static struct {
    unsigned calls;
    uint64_t page;
    bool on;
} protected;

static void record_protection(void *opaque, uint64_t page, bool on)
{
    assert_ptr_equal(opaque, &protected);
    protected.calls++;
    protected.page = page;
    protected.on = on;
}

/* A page is protected from its first code until that is dropped; only memory can have code. */
static void test_pages_with_code_are_protected(void **state)
{
    struct fixture *f = *state;

    f->bus->protect = record_protection;
    f->bus->protect_opaque = &protected;
    bus_mark_code(f->bus, RAM + 0x1234);
    assert_true(protected.calls == 1 && protected.page == RAM + 0x1000 && protected.on);
    bus_mark_code(f->bus, RAM + 0x1ffc);
    bus_mark_code(f->bus, DEV);
    bus_clear_code(f->bus, DEV);
    bus_clear_code(f->bus, RAM + 0x2000); /* the page has no code */
    assert_int_equal(protected.calls, 1);
    assert_true(bus_has_code(f->bus, RAM + 0xffc, 5)); /* byte 4 is in the page with code */
    assert_false(bus_has_code(f->bus, RAM + 0xffc, 4));
    assert_true(bus_has_code(f->bus, RAM + 0x1fff, 0));
    bus_clear_code(f->bus, RAM + 0x1ffc);
    assert_true(protected.calls == 2 && protected.page == RAM + 0x1000 && !protected.on);
    assert_false(bus_has_code(f->bus, RAM, 0x10000));
}

static void test_statistics(void **state)
{
    struct fixture *f = *state;

    read_bus(f, DEV, 8);
    bus_write(f->bus, DEV, 4, 0, 0);
    assert_int_equal(bus_find(f->bus, DEV)->reads, 1);
    assert_int_equal(bus_find(f->bus, DEV)->writes, 1);
}

static bool or_level;

static void set_or(void *opaque, unsigned n, bool level)
{
    (void)opaque, (void)n;
    or_level = level;
}

static void test_wired_or(void **state)
{
    struct irq_or gate = {.out = {set_or, NULL, 0}};
    struct irq_line in[65];

    (void)state;
    for (unsigned i = 0; i < 64; i++)
        assert_true(irq_or_input(&gate, &in[i]));
    assert_false(irq_or_input(&gate, &in[64]));
    irq_set(&in[0], true);
    irq_set(&in[63], true);
    irq_set(&in[0], false);
    assert_true(or_level);
    irq_set(&in[63], false);
    assert_false(or_level);
    irq_set(&(struct irq_line){0}, true); /* a line that is not connected */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_regions_do_not_overlap),
        TEST(test_lookup),
        TEST(test_ram_keeps_every_size),
        TEST(test_ram_across_regions),
        TEST(test_rom_ignores_writes),
        TEST(test_device_access_sizes),
        TEST(test_device_parts),
        TEST(test_device_order),
        TEST(test_device_faults),
        TEST(test_unmapped_is_logged_once_a_page),
        TEST(test_dma),
        TEST(test_peek),
        TEST(test_ram_ptr),
        TEST(test_writes_to_code_are_announced),
        TEST(test_pages_with_code_are_protected),
        TEST(test_statistics),
        cmocka_unit_test(test_wired_or),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
