/* Device trees: nodes, translation of addresses, interrupts and clocks, edits, damaged blobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <libfdt.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/machine/dt_edit.h"
#include "runtime/machine/file.h"

static const char *tree_path, *overlay_path;

static int setup(void **state)
{
    struct error err = {""};
    struct dt *dt = dt_load(tree_path, &err);

    if (!dt || !dt_index(dt, &err))
        fail_msg("%s", err.text);
    *state = dt;
    return 0;
}

static int teardown(void **state)
{
    dt_free(*state);
    return 0;
}

static const struct dt_node *find_node(const struct dt *dt, const char *path)
{
    const struct dt_node *n = dt_find(dt, path);

    if (!n)
        fail_msg("no node %s", path);
    return n;
}

static void test_nodes(void **state)
{
    const struct dt *dt = *state;
    const struct dt_node *uart = find_node(dt, "/soc/bus@10000000/uart@200");

    assert_string_equal(dt->nodes[0].path, "/");
    assert_string_equal(uart->name, "uart@200");
    assert_string_equal(uart->path, "/soc/bus@10000000/uart@200");
    assert_ptr_equal(dt_find(dt, "serial0:115200n8"), uart);
    assert_ptr_equal(dt_find(dt, "serial0"), uart);
    assert_null(dt_find(dt, "self")); /* an alias to itself */
    assert_null(dt_find(dt, "serial1"));
    assert_null(dt_find(dt, "/none"));
    assert_null(dt_find(dt, ""));
    assert_true(dt_compatible(dt, uart, "arm,pl011"));
    assert_false(dt_compatible(dt, uart, "arm,pl01"));
    assert_string_equal(dt_string(dt, uart, "compatible", 1), "arm,pl011");
    assert_null(dt_string(dt, uart, "compatible", 2));
    assert_true(uart->enabled);
    assert_false(find_node(dt, "/soc/bus@10000000/i2c@300")->enabled);
    assert_false(find_node(dt, "/soc/bus@10000000/i2c@300/eeprom@50")->enabled);
    assert_null(dt_next_compatible(dt, NULL, "test,i2c"));
    assert_null(dt_next_compatible(dt, uart, "test,uart"));
    assert_null(dt_by_phandle(dt, 0));
    assert_null(dt_by_phandle(dt, 0x1234));
}

static void test_index(void **state)
{
    const struct dt *dt = *state;
    const struct dt_node *gic = find_node(dt, "/interrupt-controller@2c010000");
    const struct dt_node *bus = find_node(dt, "/soc/bus@10000000"),
                         *uart = find_node(dt, "serial0");

    assert_ptr_equal(uart->parent, bus);
    assert_ptr_equal(bus->parent->parent, &dt->nodes[0]);
    assert_null(dt->nodes[0].parent);
    assert_string_equal(dt->nodes[0].name, "");
    assert_ptr_equal(dt_find(dt, "/"), &dt->nodes[0]);
    assert_ptr_equal(dt_by_phandle(dt, gic->phandle), gic);
    assert_ptr_equal(dt_by_phandle(dt, find_node(dt, "/oscillator")->phandle),
                     find_node(dt, "/oscillator"));
    assert_int_equal(uart->phandle, 0);
    assert_int_equal(bus->addr_cells, 1);
    assert_int_equal(dt->nodes[0].size_cells, 2);
    assert_int_equal(uart->addr_cells, 2); /* section 2.3.5: the defaults are 2 and 1 */
    assert_int_equal(uart->size_cells, 1);
    assert_true(find_node(dt, "/soc/same")->enabled); /* "ok" is equivalent to "okay" */
    assert_true(find_node(dt, "/soc/same/inner@4000")->enabled);
    /* In document order; disabled nodes are left out. */
    assert_ptr_equal(dt_next_compatible(dt, NULL, "fixed-factor-clock"),
                     find_node(dt, "/multiplier"));
    assert_ptr_equal(dt_next_compatible(dt, find_node(dt, "/multiplier"), "fixed-factor-clock"),
                     find_node(dt, "/clock-loop"));
    assert_ptr_equal(dt_next_compatible(dt, &dt->nodes[0], "test,board"), NULL);
    assert_ptr_equal(dt_next_compatible(dt, NULL, "test,board"), &dt->nodes[0]);
    assert_ptr_equal(dt_next_compatible(dt, NULL, "test,family"), &dt->nodes[0]);
}

static void test_properties(void **state)
{
    const struct dt *dt = *state;
    const struct dt_node *chip = find_node(dt, "/soc/chip@100000000"),
                         *cpu = find_node(dt, "/cpus/cpu@100");
    size_t len = 1;
    uint32_t cell = 0;

    assert_non_null(dt_prop(dt, chip, "reg", &len));
    assert_int_equal(len, 4 * 12);
    assert_non_null(dt_prop(dt, find_node(dt, "/soc/same"), "ranges", &len));
    assert_int_equal(len, 0);
    len = 1;
    assert_null(dt_prop(dt, chip, "status", &len));
    assert_int_equal(len, 0);
    assert_true(dt_cell(dt, chip, "reg", 2, &cell));
    assert_int_equal(cell, 0x100);
    assert_true(dt_cell(dt, chip, "reg", 11, &cell));
    assert_int_equal(cell, 0x10);
    assert_false(dt_cell(dt, chip, "reg", 12, &cell));
    assert_false(dt_cell(dt, chip, "status", 0, &cell));
    assert_true(dt_cell(dt, chip, "odd", 0, &cell)); /* the property has a cell and a byte */
    assert_int_equal(cell, 0x01020304);
    assert_false(dt_cell(dt, chip, "odd", 1, &cell));
    assert_true(dt_is_type(dt, cpu, "cpu"));
    assert_false(dt_is_type(dt, cpu, "memory"));
    assert_false(dt_is_type(dt, chip, "cpu"));
}

static void check_reg(const struct dt *dt, const char *path, unsigned index, uint64_t base,
                      uint64_t size)
{
    uint64_t got_base, got_size;

    assert_true(dt_reg(dt, find_node(dt, path), index, &got_base, &got_size));
    assert_int_equal(got_base, base);
    assert_int_equal(got_size, size);
}

static void test_addresses(void **state)
{
    const struct dt *dt = *state;
    const struct dt_node *chip = find_node(dt, "/soc/chip@100000000");
    uint64_t base, size;

    check_reg(dt, "/interrupt-controller@2c010000", 0, 0x2c010000, 0x1000);
    check_reg(dt, "/soc/chip@100000000", 0, 0x70000000, 0x100);
    check_reg(dt, "/soc/chip@100000000", 1, 0x70000100, 0x10);
    assert_false(dt_reg(dt, chip, 2, &base, &size)); /* ends outside of the range */
    assert_false(dt_reg(dt, chip, 3, &base, &size)); /* in no range */
    assert_false(dt_reg(dt, chip, 4, &base, &size)); /* no such entry of reg */
    check_reg(dt, "/soc/bus@10000000/uart@200", 0, 0x50000200, 0x100);
    check_reg(dt, "/soc/same/inner@4000", 0, 0x40004000, 0x10);
    check_reg(dt, "/memory@80000000", 1, UINT64_C(0x880000000), 0x10000000);
    assert_false(dt_reg(dt, find_node(dt, "/soc/bus@10000000/i2c@300/eeprom@50"), 0, &base, &size));
    assert_false(dt_reg(dt, find_node(dt, "/cpus/cpu@100"), 0, &base, &size));
    assert_true(dt_raw_address(dt, find_node(dt, "/cpus/cpu@100"), 0, &base));
    assert_int_equal(base, 0x100);
    assert_false(dt_reg(dt, &dt->nodes[0], 0, &base, &size));
}

static void check_irq(const struct dt *dt, const char *path, unsigned index, uint32_t kind,
                      uint32_t number, uint32_t flags)
{
    struct dt_interrupt irq;

    assert_true(dt_interrupt(dt, find_node(dt, path), index, &irq));
    assert_string_equal(irq.controller->path, "/interrupt-controller@2c010000");
    assert_int_equal(irq.count, 3);
    assert_int_equal(irq.cells[0], kind);
    assert_int_equal(irq.cells[1], number);
    assert_int_equal(irq.cells[2], flags);
}

static void test_interrupts(void **state)
{
    const struct dt *dt = *state;
    struct dt_interrupt irq;

    check_irq(dt, "/interrupt-controller@2c010000", 0, 1, 9, 0xf04);
    check_irq(dt, "/soc/chip@100000000", 0, 0, 33, 4);
    check_irq(dt, "/soc/chip@100000000", 1, 0, 35, 1);
    /* not in the interrupt map */
    assert_false(dt_interrupt(dt, find_node(dt, "/soc/chip@100000000"), 2, &irq));
    assert_false(dt_interrupt(dt, find_node(dt, "/soc/chip@100000000"), 3, &irq));
    check_irq(dt, "/soc/bus@10000000/uart@200", 0, 0, 35, 1);
    check_irq(dt, "/soc/same/inner@4000", 0, 0, 7, 4);
    check_irq(dt, "/soc/same/inner@4000", 1, 1, 13, 8);
    assert_false(dt_interrupt(dt, find_node(dt, "/memory@80000000"), 0, &irq));
}

static void test_clocks(void **state)
{
    const struct dt *dt = *state;
    const struct dt_node *chip = find_node(dt, "/soc/chip@100000000");
    static const uint64_t expected[] = {24000000, 40000000, 0, 0, 40000000, 0};
    uint64_t hz;

    for (unsigned i = 0; i < 6; i++) {
        assert_true(dt_clock(dt, chip, i, &hz));
        assert_int_equal(hz, expected[i]);
    }
    assert_false(dt_clock(dt, chip, 6, &hz));
    assert_false(dt_clock(dt, find_node(dt, "/cpus"), 0, &hz));
}

/* ---- the ends of maps, in maps.dts ---- */

static int setup_maps(void **state)
{
    struct error err = {""};
    char path[4096];
    struct dt *dt;

    snprintf(path, sizeof(path), "%.*s/maps.dtb", (int)(strrchr(tree_path, '/') - tree_path),
             tree_path);
    dt = dt_load(path, &err);
    if (!dt || !dt_index(dt, &err))
        fail_msg("%s", err.text);
    *state = dt;
    return 0;
}

/* Number and flags of an interrupt of the controller with three cells; -1 if there is none. */
static int number_of(const struct dt *dt, const char *path, unsigned index)
{
    struct dt_interrupt irq;

    if (!dt_interrupt(dt, find_node(dt, path), index, &irq))
        return -1;
    assert_string_equal(irq.controller->path, "/controller@0");
    assert_int_equal(irq.count, 3);
    return (int)(irq.cells[0] << 16 | irq.cells[1] << 8 | irq.cells[2]);
}

static void test_interrupt_maps(void **state)
{
    const struct dt *dt = *state;
    struct dt_interrupt irq;

    assert_int_equal(number_of(dt, "/pci/a@100", 0), 50 << 8 | 4);
    assert_int_equal(number_of(dt, "/pci/b@200", 0), 51 << 8 | 4);
    assert_int_equal(number_of(dt, "/pci/c@800", 0), 1 << 16 | 9 << 8 | 8);
    assert_int_equal(number_of(dt, "/pci/masked@1100", 0), 50 << 8 | 4);
    assert_int_equal(number_of(dt, "/pci/bare", 0), 60 << 8 | 1); /* no unit address: 0 */
    assert_int_equal(number_of(dt, "/pci/lost@300", 0), -1);
    assert_int_equal(number_of(dt, "/around", 0), -1);
    assert_int_equal(number_of(dt, "/through", 0), -1); /* the map leads nowhere */
    assert_int_equal(number_of(dt, "/through", 1), 1 << 8 | 4);
    assert_int_equal(number_of(dt, "/through", 2), -1);
    assert_int_equal(number_of(dt, "/cut", 0), -1);
    assert_true(dt_interrupt(dt, find_node(dt, "/eight"), 1, &irq));
    assert_int_equal(irq.count, 8);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(irq.cells[i], 9 - i);
    assert_false(dt_interrupt(dt, find_node(dt, "/eight"), 2, &irq));
    assert_false(dt_interrupt(dt, find_node(dt, "/nine"), 0, &irq));
    assert_false(dt_interrupt(dt, find_node(dt, "/zero"), 0, &irq));
}

static void test_ends_of_addresses(void **state)
{
    static const char *const none[] = {"/ends/over",     "/ends/empty",    "/ends/half",
                                       "/mapped/beyond", "/mapped/before", "/three/dev",
                                       "/four/dev",      "/sizes/dev",     "/naught/dev"};
    const struct dt *dt = *state;
    uint64_t base, size;

    check_reg(dt, "/ends/top", 0, UINT64_C(0xfffffffffffff000), 0x1000);
    check_reg(dt, "/ends/last", 0, UINT64_MAX, 1);
    check_reg(dt, "/mapped/first", 0, 0x80001000, 0x100);
    check_reg(dt, "/mapped/tail", 0, 0x800010f0, 0x10);
    check_reg(dt, "/mapped/second", 0, UINT64_C(0x90000007f), 1);
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        if (dt_reg(dt, find_node(dt, none[i]), 0, &base, &size))
            fail_msg("%s", none[i]);
    }
    assert_false(dt_reg(dt, find_node(dt, "/mapped/first"), 1, &base, &size));
    /* the lowest two of three cells */
    assert_true(dt_raw_address(dt, find_node(dt, "/three/dev"), 0, &base));
    assert_int_equal(base, UINT64_C(0x200000003));
    assert_false(dt_raw_address(dt, find_node(dt, "/four/dev"), 0, &base));
    assert_false(dt_raw_address(dt, find_node(dt, "/sizes/dev"), 0, &base));
    assert_false(dt_raw_address(dt, find_node(dt, "/naught/dev"), 0, &base));
}

/* 3 GHz times 7 exceeds 32 bits; a missing frequency is 0. */
static void test_ends_of_clocks(void **state)
{
    static const uint64_t hz[] = {0, 3000000000, 0, 4200000000, 8400000000, 0, 0};
    const struct dt *dt = *state;
    const struct dt_node *user = find_node(dt, "/user");
    uint64_t got;

    for (unsigned i = 0; i < sizeof(hz) / sizeof(hz[0]); i++) {
        assert_true(dt_clock(dt, user, i, &got));
        assert_int_equal(got, hz[i]);
    }
    assert_false(dt_clock(dt, user, 7, &got)); /* a cell is missing */
}

/* ---- edits ---- */

static void test_overlay(void **state)
{
    struct dt *dt = *state;
    struct file_bytes overlay;
    struct error err = {""};
    const struct dt_node *first;
    uint32_t port = 0;
    uint64_t hz = 0;

    assert_true(file_read(overlay_path, 1 << 20, &overlay, &err));
    assert_true(dt_overlay(dt, overlay.data, overlay.len, &err));
    assert_true(dt_index(dt, &err));
    assert_string_equal(dt_string(dt, dt->nodes, "model", 0), "Changed board");
    assert_null(dt_find(dt, "/ignored"));
    first = dt_next_compatible(dt, NULL, "test,added");
    /* the order that the comment in juno.dts describes */
    assert_string_equal(first->path, "/first@6f000000");
    assert_string_equal(dt_next_compatible(dt, first, "test,added")->path, "/second@6f010000");
    check_irq(dt, "/first@6f000000", 0, 0, 176, 4);
    check_irq(dt, "/second@6f010000", 0, 0, 177, 4);
    assert_true(dt_clock(dt, find_node(dt, "/second@6f010000"), 0, &hz) && hz == 32768);
    assert_true(dt_clock(dt, find_node(dt, "/second@6f010000"), 1, &hz) && hz == 600000000);
    assert_true(dt_cell(dt, find_node(dt, "/second@6f010000"), "port", 0, &port));
    assert_ptr_equal(dt_by_phandle(dt, port), dt_find(dt, "/soc/bus@10000000/uart@200"));
    assert_null(dt_find(dt, "/__symbols__"));
    check_reg(dt, "/soc/bus@10000000/uart@200", 0, 0x50000200, 0x100);

    assert_false(dt_overlay(dt, overlay.data, overlay.len - 1, &err));
    assert_false(dt_overlay(dt, overlay.data, 8, &err));
    file_free(&overlay);
}

/* References that would reach another node than intended are refused. */
static void test_overlay_references(void **state)
{
    static const struct {
        const char *file, *message;
    } wrong[] = {
        {"no_plugin", "refers to its /fragment-root/__overlay__/some-clock, but its source is no "
                      "/plugin/"},
        {"not_merged",
         "/fragment-root/__overlay__/device/clocks refers to a node that is not merged"},
        {"no_label", "refers to 'gic', which it has not: /gencc/labels must tell"},
        {"no_node", "label 'gic', /interrupt-controller@1: the board has no such node"},
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct file_bytes overlay;
        struct error err = {""};
        char path[4096];

        snprintf(path, sizeof(path), "%.*s/%s.dtb",
                 (int)(strrchr(overlay_path, '/') - overlay_path), overlay_path, wrong[i].file);
        assert_true(file_read(path, 1 << 20, &overlay, &err));
        assert_false(dt_overlay(*state, overlay.data, overlay.len, &err));
        if (!strstr(err.text, wrong[i].message))
            fail_msg("%s: %s", wrong[i].file, err.text);
        file_free(&overlay);
    }
}

static void test_memory(void **state)
{
    struct dt *dt = *state;
    const struct dt_bank banks[] = {{0x80000000, 0x8000000}, {UINT64_C(0x880000000), 0x100000}};
    struct error err = {""};

    assert_true(dt_set_memory(dt, banks, 2, &err));
    assert_true(dt_index(dt, &err));
    check_reg(dt, "/memory@80000000", 0, 0x80000000, 0x8000000);
    check_reg(dt, "/memory@80000000", 1, UINT64_C(0x880000000), 0x100000);
    assert_null(dt_find(dt, "/memory@900000000"));
}

static void test_chosen(void **state)
{
    struct dt *dt = *state;
    const struct dt_chosen chosen = {"console=ttyAMA0", 0x88000000, 0x88001234, "0123",
                                     "01234567",        4};
    struct error err = {""};
    const struct dt_node *n;
    uint32_t low;
    size_t len;

    assert_true(dt_set_chosen(dt, &chosen, &err));
    assert_true(dt_index(dt, &err));
    n = find_node(dt, "/chosen");
    assert_string_equal(dt_string(dt, n, "bootargs", 0), "console=ttyAMA0");
    assert_string_equal(dt_string(dt, n, "stdout-path", 0), "serial0:115200n8");
    assert_true(dt_cell(dt, n, "linux,initrd-end", 1, &low));
    assert_int_equal(low, 0x88001234);
    assert_memory_equal(dt_prop(dt, n, "rng-seed", &len), "0123", 4);
    assert_int_equal(len, 4);
    assert_memory_equal(dt_prop(dt, n, "kaslr-seed", &len), "01234567", 8);
}

static void test_status(void **state)
{
    struct dt *dt = *state;
    struct error err = {""};

    assert_true(dt_set_status(dt, "/cpus/cpu@100", "fail", &err));
    assert_true(dt_remove(dt, "/soc/same", &err));
    assert_true(dt_index(dt, &err));
    assert_false(find_node(dt, "/cpus/cpu@100")->enabled);
    assert_null(dt_find(dt, "/soc/same/inner@4000"));
    assert_false(dt_set_status(dt, "/nowhere", "okay", &err));
    assert_false(dt_remove(dt, "/nowhere", &err));
}

/* ---- many ---- */

enum { MANY_NODES = 10000, MANY_STRINGS = 100000 };

/* A tree with MANY_NODES nodes of one kind, "many", and a node with MANY_STRINGS strings. */
static struct dt *make_many_nodes(void)
{
    struct error err = {""};
    uint8_t *blob = calloc(DT_MAX_BLOB / 2, 1);
    char *strings = malloc(2 * MANY_STRINGS), name[32];
    struct dt *dt;

    for (unsigned i = 0; i < MANY_STRINGS; i++)
        memcpy(strings + (size_t)2 * i, "x", 2);
    assert_int_equal(fdt_create(blob, DT_MAX_BLOB / 2), 0);
    assert_int_equal(fdt_finish_reservemap(blob), 0);
    assert_int_equal(fdt_begin_node(blob, ""), 0);
    assert_int_equal(fdt_property(blob, "list", strings, 2 * MANY_STRINGS), 0);
    for (unsigned i = 0; i < MANY_NODES; i++) {
        snprintf(name, sizeof(name), "v%x", i);
        assert_int_equal(fdt_begin_node(blob, name), 0);
        assert_int_equal(fdt_property_string(blob, "compatible", "many"), 0);
        assert_int_equal(fdt_end_node(blob), 0);
    }
    assert_int_equal(fdt_end_node(blob), 0);
    assert_int_equal(fdt_finish(blob), 0);
    dt = dt_copy(blob, fdt_totalsize(blob), &err);
    assert_non_null(dt);
    assert_true(dt_index(dt, &err));
    free(blob);
    free(strings);
    return dt;
}

static dt_node_list all_but(const struct dt *dt, unsigned skipped)
{
    dt_node_list list = {0};

    for (const struct dt_node *n = NULL; (n = dt_next_compatible(dt, n, "many")) != NULL;) {
        if (skipped)
            skipped--;
        else
            vec_push(&list, n);
    }
    return list;
}

/* Edits of most nodes and walks over long lists take linear time, like reading the tree. */
static void test_many(void **state)
{
    struct dt *dt = make_many_nodes();
    struct error err = {""};
    const char *string = NULL;
    unsigned count = 0;
    dt_node_list list;

    (void)state;
    while ((string = dt_next_string(dt, dt->nodes, "list", string)) != NULL)
        count++;
    assert_int_equal(count, MANY_STRINGS);
    list = all_but(dt, MANY_NODES - 2);
    assert_true(dt_set_status_of(dt, &list, "fail", &err));
    vec_free(&list);
    assert_int_equal(dt->count, 1 + MANY_NODES);
    assert_true(find_node(dt, "/v270d")->enabled);
    assert_false(find_node(dt, "/v270e")->enabled);
    assert_false(find_node(dt, "/v270f")->enabled);
    list = all_but(dt, 3);
    assert_true(dt_remove_nodes(dt, &list, &err));
    vec_free(&list);
    /* the two nodes with status "fail" were not in the list */
    assert_int_equal(dt->count, 1 + 3 + 2);
    assert_non_null(dt_find(dt, "/v2"));
    assert_null(dt_find(dt, "/v3"));
    assert_non_null(dt_find(dt, "/v270f"));
    dt_free(dt);
}

/* ---- damage ---- */

static void use_nodes(struct dt *dt)
{
    for (unsigned n = 0; n < dt->count; n++) {
        struct dt_interrupt irq;
        uint64_t a, b;

        for (unsigned i = 0; i < 3; i++) {
            dt_reg(dt, &dt->nodes[n], i, &a, &b);
            dt_interrupt(dt, &dt->nodes[n], i, &irq);
            dt_clock(dt, &dt->nodes[n], i, &a);
        }
    }
}

/* With any byte changed or any length cut, the tree is refused, or used without harm. */
static void test_damaged(void **state)
{
    struct error err = {""};
    struct file_bytes file;

    (void)state;
    assert_true(file_read(tree_path, 1 << 20, &file, &err));
    for (size_t i = 0; i < file.len; i++) {
        uint8_t old = file.data[i];
        struct dt *dt;

        file.data[i] = (uint8_t)(old ^ (1 + i * 7 % 255));
        dt = dt_copy(file.data, file.len, &err);
        if (dt && dt_index(dt, &err))
            use_nodes(dt);
        dt_free(dt);
        file.data[i] = old;
    }
    for (size_t len = 0; len < file.len; len += 13)
        assert_null(dt_copy(file.data, len, &err));
    file_free(&file);
    assert_null(dt_load("/nonexistent.dtb", &err));
    assert_non_null(strstr(err.text, "/nonexistent.dtb"));
    assert_null(dt_load("/dev/zero", &err));
}

/* ---- bounds ---- */

/* A tree of `depth` nested nodes. */
static struct dt *make_nested(int depth)
{
    static uint8_t blob[4096];
    struct error err = {""};

    assert_int_equal(fdt_create(blob, sizeof(blob)), 0);
    assert_int_equal(fdt_finish_reservemap(blob), 0);
    for (int i = 0; i < depth; i++)
        assert_int_equal(fdt_begin_node(blob, i ? "n" : ""), 0);
    for (int i = 0; i < depth; i++)
        assert_int_equal(fdt_end_node(blob), 0);
    assert_int_equal(fdt_finish(blob), 0);
    return dt_copy(blob, fdt_totalsize(blob), &err);
}

static void test_depth(void **state)
{
    struct dt *dt = make_nested(DT_MAX_DEPTH);
    struct error err = {""};

    (void)state;
    assert_non_null(dt);
    assert_true(dt_index(dt, &err));
    assert_int_equal(dt->count, DT_MAX_DEPTH);
    assert_string_equal(dt->nodes[2].path, "/n/n");
    assert_true(dt_index(dt, &err)); /* indexing again gives the same */
    assert_int_equal(dt->count, DT_MAX_DEPTH);
    assert_int_equal(dt_size(dt), fdt_totalsize(dt->blob));
    dt_free(dt);
    dt = make_nested(DT_MAX_DEPTH + 1);
    assert_false(dt_index(dt, &err));
    assert_string_equal(err.text, "the device tree is nested deeper than 32");
    assert_int_equal(dt->count, 0);
    dt_free(dt);
    dt_free(NULL);
}

static struct dt *copy_blob(const struct file_bytes *file, size_t len, struct error *err)
{
    *err = (struct error){""};
    return dt_copy(file->data, len, err);
}

/*
 * Versions before 16 lack fields that are read; a tree that is too large, or no tree, is an error
 * of its own.
 */
static void test_headers(void **state)
{
    struct file_bytes file;
    struct error err;
    struct dt *dt;

    (void)state;
    assert_true(file_read(tree_path, 1 << 20, &file, &err));
    assert_null(copy_blob(&file, 39, &err)); /* a header has 40 bytes */
    assert_string_equal(err.text, "not a sound device tree: FDT_ERR_TRUNCATED");
    file.data[23] = 16;
    dt = copy_blob(&file, file.len, &err);
    assert_non_null(dt);
    assert_true(dt_index(dt, &err));
    assert_non_null(dt_find(dt, "serial0"));
    dt_free(dt);
    file.data[23] = 15;
    assert_null(copy_blob(&file, file.len, &err));
    assert_string_equal(err.text, "not a sound device tree: FDT_ERR_BADVERSION");
    file_free(&file);
    assert_null(dt_load("/bin/true", &err));
    assert_string_equal(err.text, "/bin/true: not a sound device tree: FDT_ERR_BADMAGIC");
}

/* A blob may have half of the largest size: the rest is for edits. */
static void test_size(void **state)
{
    const size_t most = DT_MAX_BLOB / 2;
    uint8_t *blob = xcalloc(1, most + 8);
    struct error err = {""};
    struct dt *dt;

    (void)state;
    assert_int_equal(fdt_create_empty_tree(blob, (int)most), 0);
    dt = dt_copy(blob, most, &err);
    assert_non_null(dt);
    dt_free(dt);
    assert_int_equal(fdt_create_empty_tree(blob, (int)most + 8), 0);
    assert_null(dt_copy(blob, most + 8, &err));
    assert_string_equal(err.text, "the device tree is larger than 1048576 bytes");
    free(blob);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nodes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_index, setup, teardown),
        cmocka_unit_test_setup_teardown(test_properties, setup, teardown),
        cmocka_unit_test_setup_teardown(test_addresses, setup, teardown),
        cmocka_unit_test_setup_teardown(test_interrupts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_clocks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_interrupt_maps, setup_maps, teardown),
        cmocka_unit_test_setup_teardown(test_ends_of_addresses, setup_maps, teardown),
        cmocka_unit_test_setup_teardown(test_ends_of_clocks, setup_maps, teardown),
        cmocka_unit_test_setup_teardown(test_overlay, setup, teardown),
        cmocka_unit_test_setup_teardown(test_overlay_references, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_chosen, setup, teardown),
        cmocka_unit_test_setup_teardown(test_status, setup, teardown),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_size),
    };

    if (argc != 3)
        return 2;
    tree_path = argv[1];
    overlay_path = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
