/* Memory snapshots: files read back as they were written, and damaged files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static uint64_t file_bytes(const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return (uint64_t)st.st_size;
}

static struct gpu_snapshot_content content_of(const struct bench *b)
{
    return (struct gpu_snapshot_content){
        .as = &b->as,
        .ranges = ranges,
        .count = 4,
        .product = PRODUCT,
        .revision = REVISION,
        .submit = {BENCH_JOB, REQUIREMENTS},
    };
}

/*
 * Writes a snapshot of some memory. Returns the file's name; the caller frees it and removes the
 * file.
 */
static char *write_one(struct bench *b)
{
    struct gpu_snapshot_content content = content_of(b);
    char *path = strdup("gpu-snapshot-XXXXXX");
    int fd = mkstemp(path);
    struct error err;
    uint64_t bytes;

    assert_true(fd >= 0);
    close(fd);
    for (unsigned i = 1; i < 4; i++)
        bench_set_word(b, i * BENCH_PAGE + 8 * i, 0x100 + i);
    bench_set_word(b, 9 * BENCH_PAGE, 9);
    assert_true(gpu_snapshot_write(path, &content, UINT64_MAX, &bytes, &err));
    assert_int_equal(bytes, file_bytes(path));
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
    assert_int_equal(s->segment_count, 3); /* two of the pieces were adjacent */
    assert_null(s->missing_memory);
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

/* Memory without page tables: `opaque` is what is at address 0. */
static uint32_t flat(void *opaque, uint64_t va, enum gpu_access access, struct gpu_page *out)
{
    (void)access;
    *out = (struct gpu_page){.host = (uint8_t *)opaque + (va & ~(uint64_t)(BENCH_PAGE - 1)),
                             .bytes = BENCH_PAGE,
                             .read = true};
    return 0;
}

/* The file has no long gaps of zeros; read back, the memory is whole. */
static void gaps(void **state)
{
    enum { BYTES = 8 << 20, KEPT = 3 * BENCH_PAGE + (512 << 10) };
    uint8_t *memory = calloc(1, BYTES), *read = malloc(BYTES);
    struct gpu_address_space as = {.opaque = memory, .translate = flat, .generation = 1};
    struct gpu_snapshot_range range = {0, BYTES, true, false};
    struct gpu_snapshot_content content = {.as = &as, .ranges = &range, .count = 1};
    char *path = strdup("gpu-snapshot-XXXXXX");
    int fd = mkstemp(path);
    struct gpu_snapshot *s;
    struct gpu_fault fault;
    struct error err;
    uint64_t bytes;

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    memory[100] = 1;                     /* a gap of 2 MiB follows, */
    memory[2 << 20] = 2;                 /* one of 512 KiB, */
    memory[(2 << 20) + (512 << 10)] = 3; /* one of nearly 6 MiB */
    memory[BYTES - 1] = 4;
    assert_true(gpu_snapshot_write(path, &content, UINT64_MAX, &bytes, &err));
    assert_int_equal(bytes, file_bytes(path));
    assert_in_range(bytes, KEPT, KEPT + BENCH_PAGE);
    s = gpu_snapshot_read(path, &err);
    assert_non_null(s);
    assert_int_equal(s->segment_count, 3);
    assert_true(gpu_memory_read(&s->space, 0, read, BYTES, &fault));
    assert_memory_equal(read, memory, BYTES);
    gpu_snapshot_free(s);
    unlink(path);
    free(path);
    free(read);
    free(memory);
}

/* The file states what was left out; a file that would be too large is not written. */
static void size_limits(void **state)
{
    struct bench *b = bench_new(4, 1, 4);
    struct gpu_snapshot_content content = content_of(b);
    char *path = write_one(b);
    uint64_t whole = file_bytes(path), bytes;
    struct error err;
    struct gpu_snapshot *s;

    (void)state;
    assert_true(gpu_snapshot_write(path, &content, whole, &bytes, &err));
    unlink(path);
    assert_false(gpu_snapshot_write(path, &content, whole - 1, &bytes, &err));
    assert_int_equal(bytes, whole);
    assert_int_not_equal(access(path, F_OK), 0);
    content.missing_memory = "memory from 0x9000 on: enough";
    content.count = 3;
    assert_true(gpu_snapshot_write(path, &content, whole, &bytes, &err));
    s = gpu_snapshot_read(path, &err);
    assert_non_null(s);
    assert_string_equal(s->missing_memory, content.missing_memory);
    gpu_snapshot_free(s);
    unlink(path);
    free(path);
    bench_free(b);
}

/* With any byte changed or any end cut off, reading gives an error or a snapshot. */
static void damaged_files(void **state)
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
        cmocka_unit_test(gaps),
        cmocka_unit_test(size_limits),
        cmocka_unit_test(damaged_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
