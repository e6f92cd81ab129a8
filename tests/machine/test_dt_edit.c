/*
 * Edits of device trees, and overlays, on trees made by hand: which edits are accepted, and which
 * are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <libfdt.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/machine/dt_edit.h"

#define BLOB_BYTES 16384

/* ---- trees by hand --------------------------------------------------------------------------- */

/* Returns the node at `path`; it and its parents are made if missing. */
static int make_node(void *blob, const char *path)
{
    int at = 0;

    while (*path == '/' && path[1]) {
        size_t len = strcspn(++path, "/");
        int child = fdt_subnode_offset_namelen(blob, at, path, (int)len);

        at = child >= 0 ? child : fdt_add_subnode_namelen(blob, at, path, (int)len);
        assert_true(at > 0);
        path += len;
    }
    return at;
}

static void put_cells(void *blob, const char *path, const char *name, unsigned count,
                      const uint32_t *cells)
{
    fdt32_t bytes[16];

    for (unsigned n = 0; n < count; n++)
        bytes[n] = cpu_to_fdt32(cells[n]);
    assert_int_equal(fdt_setprop(blob, make_node(blob, path), name, bytes, (int)count * 4), 0);
}

#define CELLS(blob, path, name, ...)                                                  \
    put_cells(blob, path, name, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), \
              (const uint32_t[]){__VA_ARGS__})

static void put_text(void *blob, const char *path, const char *name, const char *text)
{
    assert_int_equal(fdt_setprop_string(blob, make_node(blob, path), name, text), 0);
}

static void *new_blob(void)
{
    void *blob = malloc(BLOB_BYTES);

    assert_int_equal(fdt_create_empty_tree(blob, BLOB_BYTES), 0);
    return blob;
}

/* Makes the tree of a blob; the blob is released. */
static struct dt *finish_tree(void *blob)
{
    struct error err = {""};
    struct dt *dt;

    assert_int_equal(fdt_pack(blob), 0);
    dt = dt_copy(blob, fdt_totalsize(blob), &err);
    if (!dt || !dt_index(dt, &err))
        fail_msg("%s", err.text);
    free(blob);
    return dt;
}

/* Two memory nodes with a device between them, and these numbers of address and size cells. */
static struct dt *make_board(unsigned addr, unsigned size)
{
    void *blob = new_blob();

    CELLS(blob, "/", "#address-cells", addr);
    CELLS(blob, "/", "#size-cells", size);
    /* each new node is put before the others */
    put_text(blob, "/memory@1", "device_type", "memory");
    put_text(blob, "/device", "status", "disabled");
    put_text(blob, "/memory@0", "device_type", "memory");
    return finish_tree(blob);
}

static const void *get_property(const struct dt *dt, const char *path, const char *name, int *len)
{
    return fdt_getprop(dt->blob, fdt_path_offset(dt->blob, path), name, len);
}

static void expect_cells(const struct dt *dt, const char *path, const char *name, unsigned count,
                         const uint32_t *cells)
{
    int len = 0;
    const fdt32_t *got = get_property(dt, path, name, &len);

    assert_non_null(got);
    assert_int_equal(len, 4 * count);
    for (unsigned n = 0; n < count; n++)
        assert_int_equal(fdt32_to_cpu(got[n]), cells[n]);
}

#define EXPECT_CELLS(dt, path, name, ...)                                              \
    expect_cells(dt, path, name, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), \
                 (const uint32_t[]){__VA_ARGS__})

static void expect_text(const struct dt *dt, const char *path, const char *name, const char *text)
{
    int len = 0;
    const char *got = get_property(dt, path, name, &len);

    if (!text) {
        assert_null(got);
        return;
    }
    assert_non_null(got);
    assert_int_equal(len, strlen(text) + 1);
    assert_string_equal(got, text);
}

/* ---- properties ------------------------------------------------------------------------------ */

static void test_properties(void **state)
{
    struct dt *dt = make_board(2, 2);
    struct error err = {""};

    (void)state;
    assert_true(dt_set_string(dt, "/", "model", "a board", &err));
    assert_true(dt_set_cell(dt, "/", "number", 0x12345678, &err));
    assert_true(dt_set_string(dt, "/device", "model", "a device", &err));
    assert_true(dt_set_cell(dt, "/device", "number", 7, &err));
    assert_true(dt_set_status(dt, "/device", "okay", &err));
    expect_text(dt, "/", "model", "a board");
    EXPECT_CELLS(dt, "/", "number", 0x12345678);
    expect_text(dt, "/device", "model", "a device");
    EXPECT_CELLS(dt, "/device", "number", 7);
    expect_text(dt, "/device", "status", "okay");
    assert_false(dt_set_cell(dt, "/none", "number", 1, &err));
    assert_string_equal(err.text, "the device tree cannot take /none: FDT_ERR_NOTFOUND");
    err.text[0] = 0;
    assert_false(dt_set_string(dt, "/none", "model", "x", &err));
    assert_string_equal(err.text, "the device tree cannot take /none: FDT_ERR_NOTFOUND");
    assert_true(dt_remove(dt, "/device", &err));
    assert_true(dt_index(dt, &err));
    assert_null(dt_find(dt, "/device"));
    dt_free(dt);
}

static void test_lists_of_nodes(void **state)
{
    struct dt *dt = make_board(2, 2);
    struct error err = {""};
    dt_node_list list = {0};

    (void)state;
    assert_true(dt_set_status_of(dt, &list, "fail", &err));
    assert_true(dt_remove_nodes(dt, &list, &err));
    assert_int_equal(dt->count, 4);
    vec_push(&list, dt_find(dt, "/memory@0"));
    vec_push(&list, dt_find(dt, "/memory@1"));
    assert_true(dt_set_status_of(dt, &list, "fail", &err));
    expect_text(dt, "/memory@0", "status", "fail");
    expect_text(dt, "/memory@1", "status", "fail");
    expect_text(dt, "/device", "status", "disabled");
    list.data[0] = dt_find(dt, "/memory@0");
    list.data[1] = dt_find(dt, "/memory@1");
    assert_true(dt_remove_nodes(dt, &list, &err));
    assert_int_equal(dt->count, 2);
    assert_string_equal(dt->nodes[1].path, "/device");
    vec_free(&list);
    dt_free(dt);
}

/* Every edit of a damaged tree fails with a message. */
static void test_no_tree(void **state)
{
    static const struct dt_bank bank = {0, 0x1000};
    static const struct dt_chosen chosen = {.bootargs = "x"};
    struct dt *dt = make_board(2, 2);
    dt_node_list list = {0};
    struct error err = {""};

    (void)state;
    vec_push(&list, dt_find(dt, "/device"));
    memset(dt->blob, 0, 4);
    assert_false(dt_set_string(dt, "/", "model", "x", &err));
    assert_false(dt_set_cell(dt, "/", "number", 1, &err));
    assert_false(dt_remove(dt, "/device", &err));
    assert_false(dt_set_status_of(dt, &list, "fail", &err));
    assert_false(dt_remove_nodes(dt, &list, &err));
    assert_false(dt_set_memory(dt, &bank, 1, &err));
    assert_false(dt_set_chosen(dt, &chosen, &err));
    assert_string_equal(err.text, "the device tree cannot take an edit: FDT_ERR_BADMAGIC");
    vec_free(&list);
    dt_free(dt);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool set_bank(struct dt *dt, uint64_t base, uint64_t size, struct error *err)
{
    const struct dt_bank bank = {base, size};

    return dt_set_memory(dt, &bank, 1, err);
}

static void test_memory(void **state)
{
    struct dt *dt = make_board(2, 2);
    struct error err = {""};

    (void)state;
    assert_true(set_bank(dt, UINT64_C(0x880000001), UINT64_C(0x100000002), &err));
    EXPECT_CELLS(dt, "/memory@0", "reg", 8, 0x80000001, 1, 2);
    assert_true(dt_index(dt, &err));
    assert_null(dt_find(dt, "/memory@1"));
    assert_non_null(dt_find(dt, "/device"));
    dt_free(dt);
    dt = make_board(1, 2);
    assert_true(set_bank(dt, UINT32_MAX, UINT64_C(0x100000002), &err));
    EXPECT_CELLS(dt, "/memory@0", "reg", UINT32_MAX, 1, 2);
    assert_false(set_bank(dt, UINT64_C(0x100000000), 1, &err));
    dt_free(dt);
    dt = make_board(2, 1);
    assert_true(set_bank(dt, UINT64_C(0x880000001), UINT32_MAX, &err));
    EXPECT_CELLS(dt, "/memory@0", "reg", 8, 0x80000001, UINT32_MAX);
    assert_false(set_bank(dt, 1, UINT64_C(0x100000000), &err));
    dt_free(dt);
    dt = make_board(1, 1);
    assert_true(set_bank(dt, 0x80000000, 0x40000000, &err));
    EXPECT_CELLS(dt, "/memory@0", "reg", 0x80000000, 0x40000000);
    err.text[0] = 0;
    assert_false(set_bank(dt, UINT64_C(0x100000000), 1, &err));
    assert_string_equal(err.text, "the device tree cannot take memory: FDT_ERR_BADNCELLS");
    dt_free(dt);
}

static void test_strange_memories(void **state)
{
    static const unsigned cells[][2] = {{0, 1}, {1, 0}, {3, 1}, {1, 3}, {3, 3}};
    struct dt_bank banks[17];
    struct error err = {""};
    struct dt *dt;
    int len = 0;

    (void)state;
    for (size_t n = 0; n < sizeof(cells) / sizeof(cells[0]); n++) {
        dt = make_board(cells[n][0], cells[n][1]);
        assert_false(set_bank(dt, 0, 0x1000, &err));
        dt_free(dt);
    }
    for (unsigned n = 0; n < 17; n++)
        banks[n] = (struct dt_bank){0x1000 * n, 0x1000};
    dt = make_board(2, 2);
    assert_true(dt_set_memory(dt, banks, 16, &err)); /* the largest number of banks */
    assert_non_null(get_property(dt, "/memory@0", "reg", &len));
    assert_int_equal(len, 256);
    assert_false(dt_set_memory(dt, banks, 17, &err));
    dt_free(dt);
    dt = finish_tree(new_blob());
    err.text[0] = 0;
    assert_false(set_bank(dt, 0, 0x1000, &err));
    assert_string_equal(err.text, "the device tree cannot take memory: FDT_ERR_NOTFOUND");
    dt_free(dt);
}

/* ---- chosen ---------------------------------------------------------------------------------- */

/* /chosen is made if missing; properties that are not given stay. */
static void test_chosen(void **state)
{
    struct dt *dt = make_board(2, 2);
    struct dt_chosen chosen = {.bootargs = "first",
                               .initrd_start = UINT64_C(0x880000000),
                               .initrd_end = UINT64_C(0x880001234)};
    struct error err = {""};
    char *much = xcalloc(1, DT_MAX_BLOB + 1);
    int len = 0;

    (void)state;
    assert_true(dt_set_chosen(dt, &chosen, &err));
    expect_text(dt, "/chosen", "bootargs", "first");
    EXPECT_CELLS(dt, "/chosen", "linux,initrd-start", 8, 0x80000000);
    EXPECT_CELLS(dt, "/chosen", "linux,initrd-end", 8, 0x80001234);
    expect_text(dt, "/chosen", "rng-seed", NULL);
    expect_text(dt, "/chosen", "kaslr-seed", NULL);
    chosen = (struct dt_chosen){.rng_seed = "012345", .rng_seed_len = 6};
    assert_true(dt_set_chosen(dt, &chosen, &err));
    expect_text(dt, "/chosen", "bootargs", "first");
    assert_memory_equal(get_property(dt, "/chosen", "rng-seed", &len), "012345", 6);
    assert_int_equal(len, 6);
    expect_text(dt, "/chosen", "kaslr-seed", NULL);
    chosen = (struct dt_chosen){.bootargs = "second", .kaslr_seed = "01234567"};
    assert_true(dt_set_chosen(dt, &chosen, &err));
    expect_text(dt, "/chosen", "bootargs", "second");
    assert_memory_equal(get_property(dt, "/chosen", "kaslr-seed", &len), "01234567", 8);
    assert_int_equal(len, 8);
    memset(much, 'x', DT_MAX_BLOB);
    chosen.bootargs = much;
    assert_false(dt_set_chosen(dt, &chosen, &err));
    assert_string_equal(err.text, "the device tree cannot take /chosen: FDT_ERR_NOSPACE");
    free(much);
    dt_free(dt);
}

static void test_no_initrd(void **state)
{
    struct dt_chosen chosen = {.initrd_start = 0x1000, .initrd_end = 0x1000};
    struct dt *dt = make_board(2, 2);
    struct error err = {""};

    (void)state;
    assert_true(dt_set_chosen(dt, &chosen, &err));
    expect_text(dt, "/chosen", "linux,initrd-start", NULL);
    expect_text(dt, "/chosen", "linux,initrd-end", NULL);
    expect_text(dt, "/chosen", "bootargs", NULL);
    dt_free(dt);
}

/* ---- overlays -------------------------------------------------------------------------------- */

#define MERGED "/fragment/__overlay__"

/* An overlay with one fragment, for the root. */
static void *new_overlay(void)
{
    void *blob = new_blob();

    put_text(blob, "/fragment", "target-path", "/");
    make_node(blob, MERGED);
    return blob;
}

/* Merges the overlay and indexes again; the overlay is released. */
static bool merge_overlay(struct dt *dt, void *overlay, struct error *err)
{
    bool ok;

    *err = (struct error){""};
    assert_int_equal(fdt_pack(overlay), 0);
    ok = dt_overlay(dt, overlay, fdt_totalsize(overlay), err);
    free(overlay);
    return ok && dt_index(dt, err);
}

/* An overlay without references needs no lists of them. */
static void test_plain_overlay(void **state)
{
    struct dt *dt = make_board(2, 2);
    void *overlay = new_overlay();
    struct error err;

    (void)state;
    put_text(overlay, MERGED "/added", "model", "new");
    put_text(overlay, MERGED "/device", "status", "okay");
    assert_true(merge_overlay(dt, overlay, &err));
    expect_text(dt, "/added", "model", "new");
    expect_text(dt, "/device", "status", "okay");
    assert_non_null(dt_find(dt, "/memory@1"));
    dt_free(dt);
}

/* A fragment may name its target by a reference; references in its content are resolved as well. */
static void test_references(void **state)
{
    struct dt *dt = make_board(2, 2);
    void *overlay = new_overlay();
    struct error err;
    uint32_t number[2], phandle;

    (void)state;
    CELLS(overlay, MERGED "/one", "phandle", 1);
    CELLS(overlay, MERGED "/two", "phandle", 2);
    CELLS(overlay, MERGED "/user", "uses", 2, 99, 1);
    CELLS(overlay, "/__local_fixups__" MERGED "/user", "uses", 0, 8);
    assert_true(merge_overlay(dt, overlay, &err));
    for (unsigned n = 0; n < 2; n++)
        assert_true(dt_cell(dt, dt_find(dt, "/user"), "uses", 2 * n, &number[n]));
    assert_ptr_equal(dt_by_phandle(dt, number[0]), dt_find(dt, "/two"));
    assert_ptr_equal(dt_by_phandle(dt, number[1]), dt_find(dt, "/one"));
    assert_true(dt_cell(dt, dt_find(dt, "/user"), "uses", 1, &phandle));
    assert_int_equal(phandle, 99);
    dt_free(dt);
}

/* Each of several references is checked that names a node which is not merged. */
static void test_references_to_what_is_not_merged(void **state)
{
    struct dt *dt = make_board(2, 2);
    void *overlay = new_overlay();
    struct error err;

    (void)state;
    CELLS(overlay, MERGED "/one", "phandle", 1);
    CELLS(overlay, "/apart", "phandle", 2);
    CELLS(overlay, MERGED "/user", "uses", 1, 2);
    CELLS(overlay, "/__local_fixups__" MERGED "/user", "uses", 0, 4);
    assert_false(merge_overlay(dt, overlay, &err));
    assert_string_equal(err.text,
                        "the overlay's " MERGED "/user/uses refers to a node that is not merged");
    overlay = new_overlay();
    CELLS(overlay, "/apart", "phandle", 2);
    CELLS(overlay, "/other", "uses", 2);
    CELLS(overlay, "/__local_fixups__/other", "uses", 0);
    put_text(overlay, MERGED, "model", "new");
    assert_true(merge_overlay(dt, overlay, &err));
    expect_text(dt, "/", "model", "new");
    assert_null(dt_find(dt, "/other"));
    overlay = new_overlay();
    CELLS(overlay, MERGED "/user", "uses", 77); /* a phandle that no node has */
    CELLS(overlay, "/__local_fixups__" MERGED "/user", "uses", 0);
    assert_false(merge_overlay(dt, overlay, &err));
    assert_non_null(strstr(err.text, "/user/uses refers to a node"));
    dt_free(dt);
}

/* Lists of references to invalid offsets or missing properties are refused by libfdt. */
static void test_bad_lists(void **state)
{
    static const uint32_t places[] = {1, 2, 400};

    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        struct dt *dt = make_board(2, 2);
        void *overlay = new_overlay();
        struct error err;

        CELLS(overlay, MERGED "/one", "phandle", 1);
        CELLS(overlay, MERGED "/user", "uses", 1);
        if (n < 3)
            CELLS(overlay, "/__local_fixups__" MERGED "/user", "uses", places[n]);
        else
            CELLS(overlay, "/__local_fixups__" MERGED "/none", "uses", 0);
        assert_false(merge_overlay(dt, overlay, &err));
        if (strncmp(err.text, "the device tree cannot take the overlay: FDT_ERR", 48) != 0)
            fail_msg("%u: %s", n, err.text);
        dt_free(dt);
    }
}

/* Labels of a board's own tree are used, and kept. */
/* The points stand slowest first in a table that the node names by a phandle of its own. */
static void test_operating_points(void **state)
{
    static const struct dt_operating_point points[] = {{450000000, 820000, 1500000},
                                                       {UINT64_C(6000000000), 900000, 2500000}};
    void *blob = new_blob();
    const struct dt_node *gpu, *table, *point;
    struct error err = {""};
    struct dt *dt;
    uint32_t cell;

    (void)state;
    CELLS(blob, "/clock", "phandle", 7);
    CELLS(blob, "/soc/gpu@0", "clocks", 7);
    dt = finish_tree(blob);
    assert_true(dt_add_operating_points(dt, "/soc/gpu@0", points, 2, &err));
    gpu = dt_find(dt, "/soc/gpu@0");
    assert_true(dt_cell(dt, gpu, "#cooling-cells", 0, &cell));
    assert_int_equal(cell, 2);
    assert_true(dt_cell(dt, gpu, "operating-points-v2", 0, &cell));
    assert_int_not_equal(cell, 7);
    table = dt_by_phandle(dt, cell);
    assert_true(table && dt_compatible(dt, table, "operating-points-v2"));
    point = table + 1;
    assert_string_equal(point->name, "opp-450000000");
    assert_true(dt_cell(dt, point, "opp-hz", 1, &cell));
    assert_int_equal(cell, 450000000);
    assert_true(dt_cell(dt, point, "opp-microvolt", 0, &cell));
    assert_int_equal(cell, 820000);
    point++;
    assert_true(dt_cell(dt, point, "opp-hz", 0, &cell)); /* upper half of 64 bits */
    assert_int_equal(cell, 1);
    assert_true(dt_cell(dt, point, "opp-microwatt", 0, &cell));
    assert_int_equal(cell, 2500000);
    assert_false(dt_add_operating_points(dt, "/soc/gpu@0", points, 2,
                                         &err)); /* the GPU has points already */
    dt_free(dt);
}

static void test_labels_of_the_board(void **state)
{
    void *blob = new_blob(), *overlay = new_overlay();
    struct error err;
    struct dt *dt;
    uint32_t number;

    (void)state;
    put_text(blob, "/device", "status", "okay");
    CELLS(blob, "/device", "phandle", 5);
    put_text(blob, "/bare", "status", "okay");
    put_text(blob, "/__symbols__", "named", "/device");
    dt = finish_tree(blob);
    CELLS(overlay, MERGED "/user", "uses", UINT32_MAX, UINT32_MAX);
    put_text(overlay, "/__fixups__", "named", MERGED "/user:uses:0");
    put_text(overlay, "/__fixups__", "told", MERGED "/user:uses:4");
    put_text(overlay, "/gencc/labels", "told", "/bare");
    /* the board's own label takes precedence */
    put_text(overlay, "/gencc/labels", "named", "/bare");
    if (!merge_overlay(dt, overlay, &err))
        fail_msg("%s", err.text);
    assert_true(dt_cell(dt, dt_find(dt, "/user"), "uses", 0, &number));
    assert_int_equal(number, 5);
    assert_true(dt_cell(dt, dt_find(dt, "/user"), "uses", 1, &number));
    assert_ptr_equal(dt_by_phandle(dt, number), dt_find(dt, "/bare"));
    expect_text(dt, "/__symbols__", "named", "/device");
    dt_free(dt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_lists_of_nodes),
        cmocka_unit_test(test_no_tree),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_strange_memories),
        cmocka_unit_test(test_chosen),
        cmocka_unit_test(test_no_initrd),
        cmocka_unit_test(test_plain_overlay),
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_references_to_what_is_not_merged),
        cmocka_unit_test(test_bad_lists),
        cmocka_unit_test(test_labels_of_the_board),
        cmocka_unit_test(test_operating_points),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
