/* Errors, the log, saved state, statistics. */
#include "tests/dev/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "common/arena.h"
#include "common/vec.h"

static void test_error_is_cut_not_overrun(void **state)
{
    struct error err;
    char longer[400];

    (void)state;
    memset(longer, 'x', sizeof(longer));
    longer[sizeof(longer) - 1] = 0;
    assert_false(error_set(&err, "%s", longer));
    assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
    assert_false(error_set(NULL, "nobody wants this"));
    error_set(&err, "inner");
    error_prefix(&err, "outer %d: ", 7);
    assert_string_equal(err.text, "outer 7: inner");
}

static void test_bits(void **state)
{
    (void)state;
    assert_int_equal(bits_get(0xabcd, 4, 8), 0xbc);
    assert_true(bits_get(UINT64_MAX, 0, 64) == UINT64_MAX);
    assert_int_equal(bits_set(0xffff, 4, 8, 0), 0xf00f);
    assert_true(bits_set(0, 32, 32, 0x12345678) == UINT64_C(0x1234567800000000));
    assert_int_equal(align_up(0x1001, 0x1000), 0x2000);
    assert_int_equal(be32_get("\x12\x34\x56\x78"), 0x12345678);
}

static void test_vec_grows(void **state)
{
    VEC(int) v = {0};
    int sum = 0;

    (void)state;
    for (int i = 0; i < 100; i++)
        vec_push(&v, i);
    vec_for_each (&v, item)
        sum += *item;
    assert_int_equal(sum, 4950);
    vec_free(&v);
    assert_null(v.data);
}

static void test_vec_grows_in_an_arena(void **state)
{
    struct arena arena = {0};
    VEC(int) v = {0};
    const int *before;
    int sum = 0;

    (void)state;
    for (int i = 0; i < 100; i++)
        vec_push_in(&arena, &v, i);
    vec_for_each (&v, item)
        sum += *item;
    assert_int_equal(sum, 4950);
    before = v.data;
    vec_reserve_in(&arena, &v, 1000);
    assert_int_equal(v.cap, 1000);
    assert_ptr_not_equal(v.data, before);
    assert_memory_equal(v.data, before, 100 * sizeof(int));
    arena_free(&arena);
}

static void test_log_channels(void **state)
{
    struct log log = {0};
    struct error err;

    (void)state;
    assert_true(log_parse_channels(&log, "mmu,guest_errors", &err));
    assert_true(log_enabled(&log, LOG_MMU));
    assert_true(log_enabled(&log, LOG_GUEST_ERRORS));
    assert_false(log_enabled(&log, LOG_INT));
    assert_false(log_parse_channels(&log, "int,nonsense", &err));
    assert_non_null(strstr(err.text, "'nonsense'"));
    assert_non_null(strstr(err.text, "unimp"));
    assert_false(log_parse_channels(&log, "", &err));
    assert_true(log_parse_channels(&log, "all", &err));
    assert_true(log_enabled(&log, LOG_IN_ASM));
    assert_false(log_enabled(NULL, LOG_MMU));
}

static void test_log_goes_to_a_file(void **state)
{
    char path[] = "logXXXXXX", text[64] = "";
    struct log log = {0};
    struct error err;
    FILE *file;

    (void)state;
    assert_true(mkstemp(path) >= 0);
    assert_true(log_open_file(&log, path, &err));
    log_enable(&log, LOG_INT);
    log_printf(&log, LOG_INT, "seen %d\n", 1);
    log_printf(&log, LOG_MMU, "hidden\n");
    log_close(&log);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    unlink(path);
    assert_string_equal(text, "seen 1\n");
    assert_false(log_open_file(&log, "no/such/folder/file", &err));
    assert_non_null(strstr(err.text, "no/such/folder/file"));
}

struct thing {
    uint32_t a;
    uint64_t b[3];
    uint8_t untouched;
};

static const struct state_field thing_fields[] = {
    STATE_FIELD(struct thing, a),
    STATE_FIELD(struct thing, b),
    STATE_END,
};

static void test_state_round_trip(void **state)
{
    struct thing one = {1, {2, 3, 4}, 5}, two = {6, {7, 8, 9}, 10}, back = {0, {0}, 42};
    struct state_buf buf = {0};
    struct error err;

    (void)state;
    state_save(&buf, "one", thing_fields, &one);
    state_save(&buf, "two", thing_fields, &two);
    assert_true(state_load(&buf, "two", thing_fields, &back, &err));
    assert_int_equal(back.a, 6);
    assert_int_equal(back.b[2], 9);
    assert_int_equal(back.untouched, 42);
    assert_true(state_load(&buf, "one", thing_fields, &back, &err));
    assert_int_equal(back.b[0], 2);
    assert_false(state_load(&buf, "three", thing_fields, &back, &err));
    assert_string_equal(err.text, "state of three: absent");
    state_save_bytes(&buf, "four", NULL, 0);
    state_save(&buf, "five", thing_fields, &one);
    assert_true(state_load(&buf, "five", thing_fields, &back, &err));
    assert_int_equal(back.a, 1);
    state_buf_free(&buf);
}

/*
 * Every truncation and every damaged byte is either refused or loaded, and never touches memory
 * outside of the object (which the sanitizers watch).
 */
static void test_state_survives_damage(void **state)
{
    struct thing thing = {1, {2, 3, 4}, 5};
    struct state_buf buf = {0};

    (void)state;
    state_save(&buf, "thing", thing_fields, &thing);
    for (size_t len = 0; len < buf.len; len++) {
        struct state_buf cut = {buf.data, len, 0};

        assert_false(state_load(&cut, "thing", thing_fields, &thing, NULL));
    }
    for (size_t i = 0; i < buf.len; i++) {
        buf.data[i] ^= 0xff;
        state_load(&buf, "thing", thing_fields, &thing, NULL);
        buf.data[i] ^= 0xff;
    }
    state_buf_free(&buf);
}

static void test_state_refuses_another_size(void **state)
{
    static const struct state_field other[] = {
        {"a", offsetof(struct thing, a), 2},
        STATE_END,
    };
    struct thing thing = {1, {2, 3, 4}, 5};
    struct state_buf buf = {0};
    struct error err;

    (void)state;
    state_save(&buf, "thing", other, &thing);
    assert_false(state_load(&buf, "thing", thing_fields, &thing, &err));
    assert_string_equal(err.text, "state of thing: field 'a' has 2 bytes, expected 4");
    state_buf_free(&buf);
}

static char *read_all(const char *dir, const char *name)
{
    char path[200], *text = calloc(1, 4096);
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, 4095, file) > 0);
    fclose(file);
    unlink(path);
    return text;
}

static uint64_t twice_value(const void *opaque)
{
    return 2 * *(const uint64_t *)opaque;
}

static void test_stats(void **state)
{
    uint64_t a = 5, b = 7;
    struct stats *stats = stats_new();
    char dir[] = "statsXXXXXX", *text;
    struct error err;

    (void)state;
    stats_add(stats, "cpu0/exceptions", "irq", &a);
    stats_add(stats, "cpu0/exceptions", "irq", &b);
    stats_add_fn(stats, "cpu0", "double", twice_value, &b);
    assert_int_equal(stats_get(stats, "cpu0/exceptions", "irq"), 12);
    a = 6;
    assert_non_null(mkdtemp(dir));
    assert_true(stats_write(stats, dir, &err));
    text = read_all(dir, "stats.json");
    assert_non_null(strstr(text, "\"cpu0\": {\n    \"exceptions\": {\n      \"irq\": 13"));
    assert_non_null(strstr(text, "\"double\": 14"));
    free(text);
    text = read_all(dir, "stats.txt");
    assert_non_null(strstr(text, "cpu0/exceptions/irq "));
    assert_non_null(strstr(text, " 13\n"));
    free(text);
    rmdir(dir);
    assert_false(stats_write(stats, "no/such/folder", &err));
    assert_non_null(strstr(err.text, "no/such/folder"));
    stats_add(NULL, "nobody", "counts", &a);
    stats_free(stats);
}

/* A snapshot has the guest's counters. A process that loads one keeps its own of translation and
 * caches. */
static void saved_stats_are_the_guests(void **state)
{
    uint64_t guest = 5, host = 6, jit = 7, hosts = 8;
    struct stats *stats = stats_new();
    char *text;

    (void)state;
    stats_add(stats, "cpu0", "ticks", &guest);
    stats_add(stats, "host/cpu0", "walks", &host);
    stats_add(stats, "jit", "traces", &jit);
    stats_add(stats, "hosts", "count", &hosts);
    text = stats_save(stats);
    assert_string_equal(text, "cpu0\tticks\t5\nhosts\tcount\t8\n");
    free(text);
    stats_load(stats, "host/cpu0\twalks\t1\njit\ttraces\t2\ncpu0\tticks\t3\nhosts\tcount\t4\n");
    assert_true(guest == 3 && hosts == 4 && host == 6 && jit == 7);
    stats_free(stats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_is_cut_not_overrun),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_vec_grows),
        cmocka_unit_test(test_vec_grows_in_an_arena),
        cmocka_unit_test(test_log_channels),
        cmocka_unit_test(test_log_goes_to_a_file),
        cmocka_unit_test(test_state_round_trip),
        cmocka_unit_test(test_state_survives_damage),
        cmocka_unit_test(test_state_refuses_another_size),
        cmocka_unit_test(test_stats),
        cmocka_unit_test(saved_stats_are_the_guests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
