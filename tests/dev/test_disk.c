/* Disks on a file of the host, through a pread() that fails when a test requests it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "runtime/dev/disk.h"

#define CLUSTER 65536u /* bytes of a cluster in a snapshot */
#define SIZE    (4 * CLUSTER + DISK_SECTOR)

static bool unreadable;
static unsigned reads;

/* pread() is interrupted first and then reads in part; fallocate() fails. */
static bool piecemeal, no_holes;

ssize_t __real_pread(int fd, void *to, size_t len, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t len, off_t at);

ssize_t __wrap_pread(int fd, void *to, size_t len, off_t at)
{
    errno = EINTR;
    if (piecemeal && ++reads % 2)
        return -1;
    reads += !piecemeal;
    if (!unreadable)
        return __real_pread(fd, to, piecemeal && len > 100 ? 100 : len, at);
    errno = EIO;
    return -1;
}

int __real_fallocate(int fd, int mode, off_t at, off_t len);
int __wrap_fallocate(int fd, int mode, off_t at, off_t len);

int __wrap_fallocate(int fd, int mode, off_t at, off_t len)
{
    errno = EOPNOTSUPP;
    return no_holes ? -1 : __real_fallocate(fd, mode, at, len);
}

struct bench {
    char path[32];
    struct disk *disk;
};

static uint8_t byte_at(uint64_t place)
{
    return (uint8_t)(place / 512 + 1);
}

static struct bench *bench_new(bool snapshot)
{
    struct bench *b = calloc(1, sizeof(*b));
    uint8_t *bytes = malloc(SIZE);
    struct error err = {""};
    int fd;

    strcpy(b->path, "/tmp/gencc-disk-XXXXXX");
    fd = mkstemp(b->path);
    for (unsigned i = 0; i < SIZE; i++)
        bytes[i] = byte_at(i);
    assert_int_equal(write(fd, bytes, SIZE), SIZE);
    close(fd);
    free(bytes);
    b->disk = disk_open(b->path, false, snapshot, &err);
    assert_non_null(b->disk);
    unreadable = piecemeal = no_holes = false;
    return b;
}

static int setup(void **state)
{
    *state = bench_new(false);
    return 0;
}

static int setup_snapshot(void **state)
{
    *state = bench_new(true);
    return 0;
}

static int teardown(void **state)
{
    struct bench *b = *state;

    unreadable = false;
    disk_close(b->disk);
    unlink(b->path);
    free(b);
    return 0;
}

static int read_byte(struct bench *b, uint64_t place)
{
    uint8_t byte;

    return disk_read(b->disk, &byte, 1, place) ? byte : -1;
}

static void test_write_and_zero(void **state)
{
    struct bench *b = *state;
    uint8_t data[1024];

    memset(data, 0xee, sizeof(data));
    assert_true(disk_write(b->disk, data, sizeof(data), CLUSTER - 512));
    assert_true(disk_zero(b->disk, CLUSTER + 1024, 2 * CLUSTER - 512));
    assert_int_equal(read_byte(b, CLUSTER - 513), byte_at(CLUSTER - 513));
    assert_int_equal(read_byte(b, CLUSTER - 512), 0xee);
    assert_int_equal(read_byte(b, CLUSTER + 511), 0xee);
    assert_int_equal(read_byte(b, CLUSTER + 512), byte_at(CLUSTER + 512));
    assert_int_equal(read_byte(b, 2 * CLUSTER - 513), byte_at(2 * CLUSTER - 513));
    assert_int_equal(read_byte(b, 2 * CLUSTER - 512), 0);
    assert_int_equal(read_byte(b, 3 * CLUSTER + 511), 0);
    assert_int_equal(read_byte(b, 3 * CLUSTER + 512), byte_at(3 * CLUSTER + 512));
    assert_int_equal(read_byte(b, SIZE - 1), byte_at(SIZE - 1));
    assert_true(disk_write(b->disk, data, 512, 2 * CLUSTER + 512)); /* within the zeros */
    assert_int_equal(read_byte(b, 2 * CLUSTER + 511), 0);
    assert_int_equal(read_byte(b, 2 * CLUSTER + 512), 0xee);
    assert_int_equal(read_byte(b, 2 * CLUSTER + 1024), 0);
    assert_true(disk_flush(b->disk));
}

static void test_no_holes(void **state)
{
    no_holes = true;
    test_write_and_zero(state);
}

static void test_piecemeal(void **state)
{
    struct bench *b = *state;
    uint8_t data[1000];

    piecemeal = true;
    assert_true(disk_read(b->disk, data, sizeof(data), 5 * 512 - 500));
    for (unsigned i = 0; i < sizeof(data); i++)
        assert_int_equal(data[i], byte_at(5 * 512 - 500 + i));
    test_write_and_zero(state);
}

/* A part of a zero cluster, which is cleared in place; then the whole cluster, twice. */
static void test_zero_in_part(void **state)
{
    struct bench *b = *state;

    assert_true(disk_zero(b->disk, 512, CLUSTER + 1024));
    assert_int_equal(read_byte(b, CLUSTER), byte_at(CLUSTER));
    assert_int_equal(read_byte(b, CLUSTER + 1024), 0);
    assert_int_equal(read_byte(b, CLUSTER + 1536), byte_at(CLUSTER + 1536));
    for (unsigned i = 0; i < 2; i++) {
        assert_true(disk_zero(b->disk, CLUSTER, CLUSTER));
        assert_int_equal(read_byte(b, CLUSTER), 0);
        assert_int_equal(read_byte(b, 2 * CLUSTER), byte_at(2 * CLUSTER));
    }
}

static void test_opening(void **state)
{
    struct bench *b = *state;
    struct error err = {""};

    assert_int_equal(disk_size(b->disk), SIZE);
    assert_false(disk_read_only(b->disk));
    assert_null(disk_open(b->path, false, false, &err)); /* the file is locked by the first disk */
    assert_non_null(strstr(err.text, "in use"));
    assert_null(disk_open("/tmp", true, false, &err));
    assert_non_null(strstr(err.text, "not a regular file"));
    disk_close(b->disk);
    b->disk = disk_open(b->path, true, true, &err);
    assert_true(disk_read_only(b->disk));
    disk_close(b->disk);
    b->disk = NULL;
    assert_int_equal(truncate(b->path, 700), 0);
    assert_null(disk_open(b->path, false, false, &err));
    assert_non_null(strstr(err.text, "this has 700 bytes"));
    assert_int_equal(truncate(b->path, 0), 0);
    assert_null(disk_open(b->path, false, false, &err));
}

/* A file that is truncated while in use reads as zeros from its end on. */
static void test_shrunken_file(void **state)
{
    struct bench *b = *state;
    uint8_t data[1024];

    assert_int_equal(truncate(b->path, 512), 0);
    assert_true(disk_read(b->disk, data, sizeof(data), 0));
    assert_int_equal(data[511], byte_at(511));
    assert_int_equal(data[512], 0);
    assert_int_equal(data[1023], 0);
}

/* Two zero clusters share no memory: a write to one does not change the other. */
static void test_zeros_stay_apart(void **state)
{
    struct bench *b = *state;
    uint8_t data[512];

    memset(data, 0xee, sizeof(data));
    assert_true(disk_zero(b->disk, 2 * CLUSTER, CLUSTER));
    assert_true(disk_write(b->disk, data, 512, CLUSTER));
    assert_int_equal(read_byte(b, CLUSTER), 0xee);
    assert_int_equal(read_byte(b, 2 * CLUSTER), 0);
    assert_true(disk_zero(b->disk, CLUSTER, CLUSTER));
    assert_int_equal(read_byte(b, CLUSTER), 0);
}

static void test_file_is_as_it_was(void **state)
{
    struct bench *b = *state;
    struct error err;
    uint8_t data[512] = {0xee};
    struct disk *other;
    uint8_t byte = 0;

    assert_true(disk_write(b->disk, data, 512, 512));
    assert_true(disk_zero(b->disk, CLUSTER, CLUSTER));
    other = disk_open(b->path, true, false, &err);
    assert_non_null(other);
    assert_true(disk_read(other, &byte, 1, 512));
    assert_int_equal(byte, byte_at(512));
    assert_true(disk_read(other, &byte, 1, CLUSTER));
    assert_int_equal(byte, byte_at(CLUSTER));
    disk_close(other);
}

/* A write of part of a cluster whose rest cannot be read is refused, and changes nothing. */
static void test_unreadable(void **state)
{
    struct bench *b = *state;
    uint8_t data[512];

    memset(data, 0xee, sizeof(data));
    unreadable = true;
    assert_int_equal(read_byte(b, 0), -1);
    assert_false(disk_write(b->disk, data, 512, 512));
    assert_false(disk_write(b->disk, data, 512, 512));
    assert_false(disk_zero(b->disk, 512, CLUSTER + 512));
    assert_int_equal(read_byte(b, 512), -1);
    unreadable = false;
    assert_int_equal(read_byte(b, 0), byte_at(0));
    assert_int_equal(read_byte(b, 512), byte_at(512));
    assert_int_equal(read_byte(b, CLUSTER + 512), byte_at(CLUSTER + 512));
}

/* A write of a whole cluster does not read the file. */
static void test_whole_clusters(void **state)
{
    struct bench *b = *state;
    uint8_t *data = malloc(CLUSTER);

    memset(data, 0xee, CLUSTER);
    reads = 0;
    assert_true(disk_write(b->disk, data, CLUSTER, CLUSTER));
    assert_true(disk_zero(b->disk, CLUSTER, 2 * CLUSTER));
    assert_int_equal(read_byte(b, 2 * CLUSTER - 1), 0xee);
    assert_int_equal(read_byte(b, 3 * CLUSTER - 1), 0);
    assert_int_equal(reads, 0);
    free(data);
}

/* Clusters of a disk whose file the guest writes: what may differ, and setting them. */
static void test_file_clusters(void **state)
{
    struct bench *b = *state;
    uint8_t *data = malloc(CLUSTER), *again = malloc(CLUSTER);

    assert_int_equal(disk_clusters(b->disk), 0);
    assert_int_equal(disk_file_clusters(b->disk), 5);
    for (unsigned n = 0; n < 5; n++) {
        assert_true(disk_may_differ(b->disk, n));
        assert_false(disk_may_differ(b->disk, n));
    }
    memset(data, 0xee, CLUSTER);
    assert_true(disk_write(b->disk, data, 2, 2 * CLUSTER - 1));
    assert_true(disk_zero(b->disk, DISK_SECTOR, 4 * CLUSTER));
    for (unsigned n = 0; n < 5; n++)
        assert_int_equal(disk_may_differ(b->disk, n), n == 1 || n == 2 || n == 4);
    assert_true(disk_put_cluster(b->disk, 4, data)); /* in part behind the end */
    assert_true(disk_get_cluster(b->disk, 4, again));
    assert_memory_equal(again, data, DISK_SECTOR);
    assert_int_equal(again[DISK_SECTOR], 0);
    assert_int_equal(disk_size(b->disk), SIZE);
    assert_true(disk_put_cluster(b->disk, 0, NULL));
    assert_true(disk_get_cluster(b->disk, 0, again));
    assert_int_equal(again[0] | again[CLUSTER - 1], 0);
    disk_suspect_all(b->disk);
    assert_true(disk_may_differ(b->disk, 3));
    free(again);
    free(data);
}

#define FILE_TEST(name)     cmocka_unit_test_setup_teardown(name, setup, teardown)
#define SNAPSHOT_TEST(name) cmocka_unit_test_setup_teardown(name, setup_snapshot, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILE_TEST(test_write_and_zero),
        SNAPSHOT_TEST(test_write_and_zero),
        FILE_TEST(test_zeros_stay_apart),
        SNAPSHOT_TEST(test_zeros_stay_apart),
        SNAPSHOT_TEST(test_file_is_as_it_was),
        SNAPSHOT_TEST(test_unreadable),
        SNAPSHOT_TEST(test_whole_clusters),
        FILE_TEST(test_file_clusters),
        FILE_TEST(test_no_holes),
        FILE_TEST(test_piecemeal),
        SNAPSHOT_TEST(test_piecemeal),
        SNAPSHOT_TEST(test_zero_in_part),
        FILE_TEST(test_opening),
        FILE_TEST(test_shrunken_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
