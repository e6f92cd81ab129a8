/* Mailboxes: order, times of arrival by distance, full queues, interrupts. */
#include "tests/dev/bench.h"

#include <stdio.h>
#include <string.h>

enum { WORD0, WORD1, SEND, STATUS, COUNT, SOURCE, FIRST0, FIRST1 };

static int setup(void **state)
{
    struct bench *b = bench_new();

    *state = b;
    b->env.cpu_count = 8;
    b->env.irq_count = 8;
    bench_prop(b, "mesh-width", "\0\0\0\4", 4);
    bench_prop(b, "hop-ns", "\0\0\0\12", 4); /* 10 ns */
    bench_prop(b, "depth", "\0\0\0\3", 4);
    bench_create(b, "mailbox");
    return 0;
}

static int teardown(void **state)
{
    bench_free(*state);
    return 0;
}

static uint64_t read_register(struct bench *b, unsigned cpu, unsigned reg)
{
    return bench_read_as(b, cpu, BENCH_BASE + 8 * reg, 8);
}

static void write_register(struct bench *b, unsigned cpu, unsigned reg, uint64_t value)
{
    bench_write_as(b, cpu, BENCH_BASE + 8 * reg, 8, value);
}

static bool send_message(struct bench *b, unsigned from, unsigned to, uint64_t word0,
                         uint64_t word1)
{
    write_register(b, from, WORD0, word0);
    write_register(b, from, WORD1, word1);
    write_register(b, from, SEND, to);
    return read_register(b, from, STATUS);
}

static void expect_message(struct bench *b, unsigned cpu, unsigned from, uint64_t word0,
                           uint64_t word1)
{
    assert_int_equal(read_register(b, cpu, SOURCE), from);
    assert_int_equal(read_register(b, cpu, FIRST0), word0);
    assert_int_equal(read_register(b, cpu, FIRST1), word1);
}

static void test_way(void **state)
{
    struct bench *b = *state;

    assert_true(send_message(b, 0, 6, 0x1122334455667788, ~UINT64_C(0))); /* 3 hops */
    bench_run_to(b, 29);
    assert_int_equal(read_register(b, 6, COUNT), 0);
    assert_int_equal(read_register(b, 6, FIRST1), 0);
    assert_false(b->level[6]);
    bench_run_to(b, 30);
    assert_true(b->level[6]);
    assert_int_equal(read_register(b, 6, COUNT), 1);
    assert_int_equal(read_register(b, 5, COUNT), 0);
    expect_message(b, 6, 0, 0x1122334455667788, ~UINT64_C(0));
    assert_int_equal(read_register(b, 6, COUNT), 0);
    assert_false(b->level[6]);
}

/* The nearer sender's message overtakes; those of one sender do not. */
static void test_order(void **state)
{
    struct bench *b = *state;

    assert_true(send_message(b, 3, 0, 1, 1)); /* 30 ns */
    assert_true(send_message(b, 1, 0, 2, 2)); /* 10 ns */
    assert_true(send_message(b, 1, 0, 3, 3));
    bench_run_to(b, 10);
    assert_int_equal(read_register(b, 0, COUNT), 2);
    bench_run_to(b, 30);
    assert_int_equal(read_register(b, 0, COUNT), 3);
    expect_message(b, 0, 1, 2, 2);
    expect_message(b, 0, 1, 3, 3);
    expect_message(b, 0, 3, 1, 1);
}

static void test_full(void **state)
{
    struct bench *b = *state;

    for (unsigned n = 0; n < 3; n++)
        assert_true(send_message(b, 2, 2, n, n));
    assert_false(send_message(b, 1, 2, 9, 9));
    assert_int_equal(read_register(b, 2, STATUS), 1); /* CPU 2's last message was accepted */
    expect_message(b, 2, 2, 0, 0);
    assert_true(send_message(b, 1, 2, 4, 4));
    assert_false(send_message(b, 1, 2, 5, 5));
}

static void test_no_such_cpu(void **state)
{
    struct bench *b = *state;

    bench_listen(b);
    assert_false(send_message(b, 0, 8, 0, 0));
    assert_non_null(strstr(bench_heard(b), "a message to CPU 8"));
    write_register(b, 0, SEND, UINT64_MAX);
    assert_int_equal(read_register(b, 0, STATUS), 0);
}

static void test_snapshot(void **state)
{
    struct bench *b = *state;

    assert_true(send_message(b, 0, 1, 5, 6));
    write_register(b, 2, WORD0, 7);
    bench_save_and_load(b);
    assert_false(b->level[1]);
    bench_run_to(b, 10);
    assert_true(b->level[1]);
    expect_message(b, 1, 0, 5, 6);
    write_register(b, 2, SEND, 2);
    expect_message(b, 2, 2, 7, 0);
}

/* A snapshot may hold any number of messages; those of a queue that has no room for them are
 * lost. */
static void test_snapshot_of_any_counts(void **state)
{
    struct bench *b = *state;
    struct error err = {""};

    assert_true(send_message(b, 0, 0, 5, 6));
    for (const struct state_field *f = b->cls->fields; f->name; f++)
        memset((uint8_t *)b->dev + f->offset, 0x7f, f->size);
    bench_run_to(b, UINT64_MAX / 2);
    b->cls->post_load(b->dev, &err);
    assert_string_equal(err.text, "");
    for (unsigned cpu = 0; cpu < 8; cpu++) {
        assert_false(b->level[cpu]);
        assert_int_equal(read_register(b, cpu, COUNT), 0);
    }
    assert_true(send_message(b, 0, 1, 5, 6));
}

static void test_properties(void **state)
{
    struct bench *b = *state;
    struct error err = {""};

    b->prop_count = 0;
    bench_prop(b, "depth", "\0\0\0\101", 4);
    assert_null(b->cls->create(&b->env, &err));
    assert_non_null(strstr(err.text, "depth 1 to 64"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_way, setup, teardown),
        cmocka_unit_test_setup_teardown(test_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_full, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_such_cpu, setup, teardown),
        cmocka_unit_test_setup_teardown(test_snapshot, setup, teardown),
        cmocka_unit_test_setup_teardown(test_snapshot_of_any_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_properties, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
