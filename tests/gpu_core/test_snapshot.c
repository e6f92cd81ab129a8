/* Snapshots: what was written is what is read, and files that are no good. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/gpu/snapshot.h"
#include "tests/gpu_core/bench.h"

enum { PRODUCT = 0x1234, REVISION = 0x0102, REQUIREMENTS = 1 };

static const struct gpu_snapshot_range ranges[] = {
    {1 * BENCH_PAGE, BENCH_PAGE, true, false},
    {2 * BENCH_PAGE, 2 * BENCH_PAGE, true, false},
    {4 * BENCH_PAGE, BENCH_PAGE, true, true},
    {9 * BENCH_PAGE, 3 * BENCH_PAGE, true, false},
};

/* Writes a snapshot of some memory; returns its name, to be released and the file removed. */
static char *write_one(struct bench *b)
{
    char *path = strdup("gpu-snapshot-XXXXXX");
    struct error err;
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    for (unsigned i = 1; i < 4; i++)
        bench_set_word(b, i * BENCH_PAGE + 8 * i, 0x100 + i);
    bench_set_word(b, 9 * BENCH_PAGE, 9);
    assert_true(gpu_snapshot_write(path, &b->as, ranges, 4, PRODUCT, REVISION, BENCH_JOB,
                                   REQUIREMENTS, &err));
    return path;
}

static void round_trip(void **state)
{
    struct bench *b = bench_new(4, 1, 4);
    char *path = write_one(b);
    struct error err;
    struct gpu_snapshot *s = gpu_snapshot_read(path, &err);
    struct gpu_page page;
    uint8_t memory[2 * BENCH_PAGE];
    struct gpu_fault fault;

    (void)state;
    assert_non_null(s);
    assert_int_equal(s->product, PRODUCT);
    assert_int_equal(s->revision, REVISION);
    assert_int_equal(s->submit_count, 1);
    assert_int_equal(s->submits[0].head, BENCH_JOB);
    assert_int_equal(s->submits[0].requirements, REQUIREMENTS);
    assert_int_equal(s->segment_count, 3); /* two were adjacent */
    assert_true(gpu_memory_read(&s->space, BENCH_PAGE + 100, memory, sizeof(memory), &fault));
    assert_memory_equal(memory, b->memory + BENCH_PAGE + 100, sizeof(memory));
    assert_true(gpu_memory_read(&s->space, 10 * BENCH_PAGE, memory, sizeof(memory), &fault));
    assert_false(gpu_memory_read(&s->space, 12 * BENCH_PAGE - 1, memory, 2, &fault));
    assert_int_equal(fault.va, 12 * BENCH_PAGE);
    assert_int_equal(s->space.translate(s, 4 * BENCH_PAGE, GPU_ACCESS_EXECUTE, &page), 0);
    assert_int_not_equal(s->space.translate(s, BENCH_PAGE, GPU_ACCESS_EXECUTE, &page), 0);
    gpu_snapshot_free(s);
    unlink(path);
    free(path);
    bench_free(b);
}

/* Any byte of the file changed, and any end cut off: an error or a snapshot, nothing worse. */
static void damaged(void **state)
{
    struct bench *b = bench_new(4, 1, 4);
    char *path = write_one(b);
    uint8_t file[8192], copy[8192];
    FILE *f = fopen(path, "rb");
    size_t bytes = fread(file, 1, sizeof(file), f);
    struct error err;

    (void)state;
    fclose(f);
    for (size_t i = 0; i < 600; i++)
        for (unsigned v = 0; v < 256; v += 51) {
            memcpy(copy, file, bytes);
            copy[i] = (uint8_t)v;
            gpu_snapshot_free(gpu_snapshot_parse(copy, bytes, "damaged", &err));
        }
    for (size_t i = 0; i < 600; i++) {
        err.text[0] = 0;
        assert_null(gpu_snapshot_parse(file, i, "short", &err));
        assert_true(strstr(err.text, "short: "));
    }
    unlink(path);
    free(path);
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(damaged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
