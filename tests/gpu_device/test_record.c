/*
 * Recording of submitted chains (-gpu-snapshot) with hostile page tables. An endless walk is ended
 * by a timer of processor time, which a busy host does not shorten.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "runtime/base/sanitizer.h"
#include "runtime/gpu/snapshot.h"
#include "tests/gpu_device/bed.h"

/* Seconds; checked code is up to ten times as slow. */
enum { PATIENCE = WITH_ADDRESS_SANITIZER ? 200 : 20 };
enum { MAX_FILES = 8, TABLE_ENTRIES = 512 };

#define GIB UINT64_C(0x40000000)

/* A bed whose GPU records into a folder of its own. */
struct recording {
    struct bed bed;
    char folder[32];
};

/* Ends the process after so many seconds of processor time; 0: never. */
static void limit_work(time_t seconds)
{
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = seconds}, NULL);
}

static struct recording recording_new(void)
{
    struct recording r = {.bed = bed_new(), .folder = "gpu-record-XXXXXX"};

    limit_work(PATIENCE);
    assert_non_null(mkdtemp(r.folder));
    job_header(r.bed.d, r.bed.page, MALI_JOB_TYPE_NULL, 1, 0);
    return r;
}

/* Returns the name of the n-th written file. */
static const char *file_name(const struct recording *r, unsigned n)
{
    static char path[80];

    snprintf(path, sizeof(path), "%s/chain%05u.test.snap.elf", r->folder, n);
    return path;
}

static bool is_written(const struct recording *r, unsigned n)
{
    return !access(file_name(r, n), F_OK);
}

static void recording_free(struct recording *r)
{
    for (unsigned n = 0; n < MAX_FILES; n++)
        unlink(file_name(r, n));
    assert_int_equal(rmdir(r->folder), 0);
    board_free(r->bed.d);
    limit_work(0);
}

/* Runs the null job, recorded with `bytes` bytes as the bound on files. */
static void submit_recorded(struct recording *r, uint64_t bytes)
{
    r->bed.d->config.snapshots = r->folder;
    r->bed.d->config.snapshot_bytes = bytes;
    driver_submit(r->bed.d, 1, VA, 0);
    assert_int_equal(driver_finish(r->bed.d, 1, MSEC, NULL), MALI_EXCEPTION_DONE);
}

static struct gpu_snapshot *read_back(const struct recording *r, unsigned n)
{
    struct error err = {""};
    struct gpu_snapshot *s = gpu_snapshot_read(file_name(r, n), &err);

    if (!s)
        fail_msg("%s", err.text);
    return s;
}

/* All mapped memory is in the file, and none is reported missing. */
static void test_whole(void **unused)
{
    struct recording r = recording_new();
    struct gpu_snapshot *s;

    (void)unused;
    space_map(r.bed.d, r.bed.root, VA + 0x3000, board_page(r.bed.d), PAGE_R | PAGE_X);
    submit_recorded(&r, GIB);
    s = read_back(&r, 0);
    assert_int_equal(s->segment_count, 2);
    assert_int_equal(s->segments[0].va, VA);
    assert_int_equal(s->segments[0].bytes, 0x1000);
    assert_true(s->segments[0].write && !s->segments[0].execute);
    assert_int_equal(s->segments[1].va, VA + 0x3000);
    assert_true(!s->segments[1].write && s->segments[1].execute);
    assert_int_equal(s->submits[0].head, VA);
    assert_null(s->missing_memory);
    gpu_snapshot_free(s);
    recording_free(&r);
}

/* A table whose entries refer to itself at every level: it maps nothing, with 2^36 entries. */
static void test_table_in_itself(void **unused)
{
    struct recording r = recording_new();
    struct gpu_snapshot *s;

    (void)unused;
    for (unsigned i = 1; i < TABLE_ENTRIES; i++)
        poke64(r.bed.d, r.bed.root + 8 * i, r.bed.root | 3);
    submit_recorded(&r, GIB);
    s = read_back(&r, 0);
    assert_int_equal(s->segments[0].va, VA); /* the mapping before the endless part was recorded */
    assert_non_null(s->missing_memory);
    assert_non_null(strstr(s->missing_memory, "entries"));
    gpu_snapshot_free(s);
    recording_free(&r);
}

/* 512 GB of addresses that map the same 2 MB of memory. */
static void test_same_memory_again(void **unused)
{
    struct recording r = recording_new();
    uint64_t directory = board_page(r.bed.d), large = board_page(r.bed.d);
    struct gpu_snapshot *s;
    uint64_t bytes = 0;

    (void)unused;
    for (unsigned i = 0; i < TABLE_ENTRIES; i++) {
        poke64(r.bed.d, directory + 8 * i, large | 3);
        poke64(r.bed.d, large + 8 * i, (BOARD_RAM + BOARD_SIZE / 2) | 0xc1);
    }
    poke64(r.bed.d, r.bed.root + 8, directory | 3);
    submit_recorded(&r, GIB);
    s = read_back(&r, 0);
    for (size_t i = 0; i < s->segment_count; i++)
        bytes += s->segments[i].bytes;
    assert_true(bytes > GIB && bytes <= 4 * GIB);
    assert_non_null(strstr(s->missing_memory, "mapped"));
    gpu_snapshot_free(s);
    recording_free(&r);
}

/* Every second page of 512 MB: more segments than a file can have. */
static void test_pieces(void **unused)
{
    struct recording r = recording_new();
    uint64_t tables = board_page(r.bed.d), pages = board_page(r.bed.d);
    struct gpu_snapshot *s;

    (void)unused;
    for (unsigned i = 0; i < TABLE_ENTRIES; i++) {
        poke64(r.bed.d, tables + 8 * i, pages | 3);
        poke64(r.bed.d, pages + 8 * i, i % 2 ? 0 : r.bed.page | 0xc1);
    }
    poke64(r.bed.d, (bench_read_as(r.bed.d->b, 0, r.bed.root, 8) & ~UINT64_C(3)) + 8, tables | 3);
    submit_recorded(&r, GIB);
    s = read_back(&r, 0);
    assert_true(s->segment_count > 30000 && s->segment_count <= 32768);
    assert_non_null(strstr(s->missing_memory, "pieces"));
    gpu_snapshot_free(s);
    recording_free(&r);
}

/* Recording ends with the first file that exceeds the bound, even if a later one would fit. */
static void test_limit(void **unused)
{
    struct recording r = recording_new();
    struct stat st;

    (void)unused;
    submit_recorded(&r, 3 * 0x1800);
    assert_int_equal(stat(file_name(&r, 0), &st), 0);
    assert_true(st.st_size > 0x1000 && st.st_size < 0x1800);
    submit_recorded(&r, 2 * (uint64_t)st.st_size);
    assert_true(is_written(&r, 1));
    submit_recorded(&r, 3 * (uint64_t)st.st_size - 1);
    assert_false(is_written(&r, 2));
    submit_recorded(&r, GIB);
    assert_false(is_written(&r, 2) || is_written(&r, 3));
    recording_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),  cmocka_unit_test(test_table_in_itself),
        cmocka_unit_test(test_pieces), cmocka_unit_test(test_same_memory_again),
        cmocka_unit_test(test_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
