/* Chains of snapshots: what is merged, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/machine/snapshot_chain.h"
#include "runtime/machine/snapshot_units.h"
#include "runtime/mem/bus.h"

enum { PAGES = 2100 }; /* more than a section holds */

static char folder[] = "/tmp/gencc-chain-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    char path[4000];

    (void)state;
    for (size_t i = 0; i < 4; i++)
        if (snapshot_path(folder, names[i], path, NULL))
            unlink(path);
    return rmdir(folder);
}

struct pages {
    unsigned first, end, step;
    uint8_t fill;
};

/* Writes a snapshot with pages first, first + step, … below `end`, filled with `fill`; 0: zeros. */
static void write_pages(const char *name, const char *parent, uint64_t identity, struct pages p)
{
    struct snapshot_link link = {.identity = identity,
                                 .parent_identity = *parent ? identity - 1 : 0};
    struct snapshot_writer w = {0};
    struct unit_writer u;
    struct error err = {0};
    uint8_t page[BUS_PAGE_SIZE];
    char path[4000];
    bool ok = true;

    memset(page, p.fill, sizeof(page));
    snprintf(link.parent, sizeof(link.parent), "%s", parent);
    assert_true(snapshot_add(&w, "state", name, strlen(name), &err));
    unit_writer_open(&u, &w, "ram", BUS_PAGE_SIZE);
    for (unsigned i = p.first; i < p.end; i += p.step)
        ok = ok && unit_writer_add(&u, i, p.fill ? page : NULL, &err);
    assert_true(unit_writer_close(&u, ok, &err));
    assert_true(snapshot_put_link(&w, &link, &err));
    assert_true(snapshot_path(folder, name, path, &err));
    assert_true(snapshot_write(&w, path, &err));
    snapshot_writer_free(&w);
}

static bool note_page(void *opaque, uint64_t index, const uint8_t *bytes)
{
    uint8_t *pages = opaque;

    assert_true(index < PAGES);
    if (bytes)
        assert_memory_equal(bytes, bytes + 1, BUS_PAGE_SIZE - 1);
    pages[index] = bytes ? *bytes : 0;
    return true;
}

/* The first byte of each page, as a load finds it; returns the files of the chain. */
static unsigned load_pages(const char *name, uint8_t pages[PAGES])
{
    struct snapshot_chain *c = calloc(1, sizeof(*c));
    struct error err = {0};
    unsigned count;

    memset(pages, 0, PAGES);
    if (!snapshot_chain_open(c, folder, name, &err))
        fail_msg("%s", err.text);
    count = c->count;
    for (unsigned i = count; i--;) {
        const struct unit_reading ram = {&c->file[i], "ram", BUS_PAGE_SIZE, 1, note_page, pages};

        assert_true(unit_read_all(&ram, &err));
    }
    snapshot_chain_close(c);
    free(c);
    return count;
}

/* a: all pages; b: every second one; c: every third one became zero; d: a second child of b. */
static void write_family(void)
{
    write_pages("a", "", 10, (struct pages){0, PAGES, 1, 1});
    write_pages("b", "a", 11, (struct pages){0, PAGES, 2, 2});
    write_pages("c", "b", 12, (struct pages){0, PAGES, 3, 0});
    write_pages("d", "b", 12, (struct pages){0, 10, 1, 4});
}

static void children_override_parents(void **state)
{
    uint8_t pages[PAGES];

    (void)state;
    write_family();
    assert_int_equal(load_pages("c", pages), 3);
    for (unsigned i = 0; i < PAGES; i++)
        assert_int_equal(pages[i], i % 3 ? i % 2 ? 1 : 2 : 0);
}

static void merged_snapshots_are_as_before(void **state)
{
    static const char *const names[] = {"b", "c", "d"};
    uint8_t before[3][PAGES], after[PAGES];
    struct error err = {0};
    char path[4000];

    (void)state;
    write_family();
    for (unsigned i = 0; i < 3; i++)
        load_pages(names[i], before[i]);
    assert_true(snapshot_release(folder, "a", &err));
    assert_true(snapshot_path(folder, "a", path, &err));
    unlink(path);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(load_pages(names[i], after), i ? 2 : 1);
        assert_memory_equal(before[i], after, PAGES);
    }
    assert_true(snapshot_release(folder, "b", &err));
    assert_true(snapshot_path(folder, "b", path, &err));
    unlink(path);
    for (unsigned i = 1; i < 3; i++) {
        assert_int_equal(load_pages(names[i], after), 1);
        assert_memory_equal(before[i], after, PAGES);
    }
}

static void refuses(const char *name, const char *text)
{
    struct snapshot_chain *c = calloc(1, sizeof(*c));
    struct error err = {0};

    assert_false(snapshot_chain_open(c, folder, name, &err));
    if (!strstr(err.text, text))
        fail_msg("%s", err.text);
    free(c);
}

static void absent_and_other_parents_are_refused(void **state)
{
    char path[4000];

    (void)state;
    write_family();
    write_pages("b", "a", 20, (struct pages){0, 4, 1, 9});
    refuses("c", "not the snapshot from which its child was made");
    assert_int_equal(snapshot_chain_length(folder, "c", 12), 0);
    assert_true(snapshot_path(folder, "b", path, NULL));
    unlink(path);
    refuses("c", "a parent of c: ");
    assert_int_equal(snapshot_chain_length(folder, "a", 10), 1);
}

static void a_chain_in_a_circle_ends(void **state)
{
    (void)state;
    write_pages("a", "a", 1, (struct pages){0, 1, 1, 1});
    refuses("a", "not the snapshot");
    /* A forged pair, each of which names the other. */
    write_pages("a", "b", 5, (struct pages){0, 1, 1, 1});
    write_pages("b", "a", 4, (struct pages){0, 1, 1, 1});
    refuses("a", "not the snapshot");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_override_parents),
        cmocka_unit_test(merged_snapshots_are_as_before),
        cmocka_unit_test(absent_and_other_parents_are_refused),
        cmocka_unit_test(a_chain_in_a_circle_ends),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
