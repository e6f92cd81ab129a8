/* Distributed memory: distances, and waiting for a node's port, worked out by hand. */
#include "tests/timing/make.h"

#include "runtime/timing/mesh.h"

/* Eight nodes of 64 KB in rows of four: 1 ns to translate, 2 ns a hop, 4 ns at a port. */
static struct timing_mesh make_mesh(void)
{
    return (struct timing_mesh){.base = 0x40000000,
                                .part_bytes = 0x10000,
                                .nodes = 8,
                                .width = 4,
                                .translate_ps = 1000,
                                .hop_ps = 2000,
                                .port_ps = 4000};
}

static uint64_t part_address(unsigned node)
{
    return UINT64_C(0x40000000) + node * UINT64_C(0x10000);
}

static void test_places(void **state)
{
    struct timing_mesh m = make_mesh();

    (void)state;
    assert_int_equal(timing_mesh_hops(&m, 0, 0), 0);
    assert_int_equal(timing_mesh_hops(&m, 0, 3), 3);
    assert_int_equal(timing_mesh_hops(&m, 3, 4), 4); /* column 3 of row 0, column 0 of row 1 */
    assert_int_equal(timing_mesh_hops(&m, 6, 1), 2);
    assert_false(timing_mesh_has(&m, 0x3fffffff));
    assert_true(timing_mesh_has(&m, 0x40000000));
    assert_true(timing_mesh_has(&m, 0x4007ffff));
    assert_false(timing_mesh_has(&m, 0x40080000));
}

static void test_alone(void **state)
{
    struct timing_mesh m = make_mesh();

    (void)state;
    assert_int_equal(timing_mesh_access(&m, 2, part_address(2) + 0xffff, false, 0), 1000 + 4000);
    assert_int_equal(timing_mesh_access(&m, 0, part_address(7), false, 0),
                     1000 + 8000 + 4000 + 8000);
    assert_int_equal(timing_mesh_access(&m, 0, part_address(6), true, 0), 1000 + 6000 + 4000);
    assert_int_equal(m.local, 1);
    assert_int_equal(m.remote, 2);
    assert_int_equal(m.queued_ps, 0);
}

/* Accesses that come to a port while it is busy are served one behind the other. */
static void test_queue(void **state)
{
    struct timing_mesh m = make_mesh();

    (void)state;
    assert_int_equal(timing_mesh_access(&m, 0, part_address(0), true, 0),
                     5000); /* at 1000, to 5000 */
    assert_int_equal(timing_mesh_access(&m, 1, part_address(0), true, 0),
                     9000); /* at 3000, to 9000 */
    assert_int_equal(timing_mesh_access(&m, 1, part_address(0), false, 500),
                     14500); /* to 13000, back */
    assert_int_equal(m.queued_ps, 2000 + 5500);
    assert_int_equal(timing_mesh_access(&m, 1, part_address(1), false, 500),
                     5000); /* the port of part 1 is free */
    assert_int_equal(timing_mesh_access(&m, 0, part_address(0), false, 12000), 5000);
    assert_int_equal(m.queued_ps, 7500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
