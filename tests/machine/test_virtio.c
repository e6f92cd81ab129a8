/* Virtio: registers, valid and hostile rings, and the block, network and entropy functions. */
#include "tests/machine/rig.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"

#define SECTORS 64u

static char disk_path[64];
static uint64_t disk_bytes; /* size of a larger disk; 0: SECTORS */

/* A disk whose sector n is filled with the byte n. */
static void make_disk(void)
{
    FILE *file;
    int fd;

    strcpy(disk_path, "/tmp/gencc-test-XXXXXX");
    fd = mkstemp(disk_path);
    assert_true(fd >= 0);
    file = fdopen(fd, "wb");
    for (unsigned i = 0; i < SECTORS * 512; i++)
        fputc((int)(i / 512), file);
    fclose(file);
    assert_true(!disk_bytes || !truncate(disk_path, (off_t)disk_bytes));
}

static struct rig *disk_rig(bool read_only, bool snapshot)
{
    struct error err = {""};
    struct disk *disk;

    make_disk();
    disk = disk_open(disk_path, read_only, snapshot, &err);
    if (!disk)
        fail_msg("%s", err.text);
    return rig_new(virtio_blk_new(disk));
}

static void disk_done(struct rig *r)
{
    rig_free(r);
    unlink(disk_path);
}

/* A block request: header in descriptor 0, data in 1 (unless len is 0), status in 2. */
static int submit_request(struct rig *r, uint32_t type, uint64_t sector, uint32_t len, bool in)
{
    uint64_t status = BUFFER + 0x8000;
    uint32_t used = 0;

    rig_put(r, BUFFER, 4, type);
    rig_put(r, BUFFER + 4, 4, 0);
    rig_put(r, BUFFER + 8, 8, sector);
    rig_put(r, status, 1, 0xff);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 16, NEXT, len ? 1 : 2);
    rig_desc(r, rig_entry(DESC, 1), BUFFER + 0x1000, len, NEXT | (in ? WRITE : 0), 2);
    rig_desc(r, rig_entry(DESC, 2), status, 1, WRITE, 0);
    rig_offer(r, 0, 0);
    assert_int_equal(rig_take(r, &used), 0);
    return (int)rig_get(r, status, 1);
}

static uint8_t file_byte(uint64_t at)
{
    FILE *file = fopen(disk_path, "rb");
    int byte;

    fseek(file, (long)at, SEEK_SET);
    byte = fgetc(file);
    fclose(file);
    return (uint8_t)byte;
}

/* ---- registers ---- */

static void test_identity(void **state)
{
    struct rig *r = disk_rig(false, false);

    (void)state;
    assert_int_equal(rig_read(r, 0), 0x74726976);
    assert_int_equal(rig_read(r, 4), 2);
    assert_int_equal(rig_read(r, 8), 2);
    assert_int_equal(rig_read(r, 0x100), SECTORS);
    assert_int_equal(rig_read(r, 0x104), 0);
    assert_int_equal(bench_read_as(r->b, 0, BENCH_BASE + 0x100, 1), SECTORS);
    assert_int_equal(rig_read(r, 0x1fc), 0); /* after the configuration */
    disk_done(r);
}

static void test_empty_slot(void **state)
{
    struct rig *r = rig_new(NULL);

    (void)state;
    assert_int_equal(rig_read(r, 0), 0x74726976);
    assert_int_equal(rig_read(r, 8), 0);
    rig_write(r, 0x30, 0);
    assert_int_equal(rig_read(r, 0x34), 0);
    rig_write(r, 0x44, 1);
    rig_write(r, 0x50, 0);
    rig_wait(r, 1000000);
    rig_free(r);
}

static void test_features(void **state)
{
    struct rig *r = disk_rig(false, false);

    (void)state;
    assert_false(rig_start(r, 0, 0)); /* a legacy driver */
    /* a feature that was not offered */
    assert_false(rig_start(r, VERSION_1 | UINT64_C(1) << 40, 0));
    assert_true(rig_start(r, VERSION_1, 0));
    rig_write(r, 0x20, 0xffffffff); /* after FEATURES_OK: ignored */
    assert_int_equal(rig_read(r, 0x70), STATUS_OK);
    disk_done(r);
}

static void test_bad_queues(void **state)
{
    static const struct {
        uint32_t size;
        uint64_t desc, avail, used;
    } bad[] = {
        {0, DESC, AVAIL, USED},
        {3, DESC, AVAIL, USED},
        {512, DESC, AVAIL, USED},
        {8, DESC + 1, AVAIL, USED},
        {8, DESC, AVAIL + 1, USED},
        {8, DESC, AVAIL, USED + 2},
        {8, RAM - 16, AVAIL, USED},
        {8, DESC, RAM + RAM_SIZE - 4, USED},
        {8, DESC, AVAIL, UINT64_C(0xfffffffffffffff8)},
    };
    struct rig *r = disk_rig(false, false);

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        rig_write(r, 0x70, 0);
        rig_write(r, 0x30, 0);
        rig_write(r, 0x38, bad[i].size);
        rig_write(r, 0x80, (uint32_t)bad[i].desc);
        rig_write(r, 0x84, (uint32_t)(bad[i].desc >> 32));
        rig_write(r, 0x90, (uint32_t)bad[i].avail);
        rig_write(r, 0x94, (uint32_t)(bad[i].avail >> 32));
        rig_write(r, 0xa0, (uint32_t)bad[i].used);
        rig_write(r, 0xa4, (uint32_t)(bad[i].used >> 32));
        rig_write(r, 0x44, 1);
        assert_int_equal(rig_read(r, 0x44), 0);
    }
    disk_done(r);
}

/* ---- block requests ---- */

static void test_block_io(void **state)
{
    struct rig *r = disk_rig(false, false);

    (void)state;
    assert_true(rig_start(r, VERSION_1, 0));
    assert_int_equal(submit_request(r, 0, 5, 1024, true), 0);
    assert_int_equal(rig_get(r, BUFFER + 0x1000, 1), 5);
    assert_int_equal(rig_get(r, BUFFER + 0x1000 + 1023, 1), 6);
    assert_true(r->b->level[0]);
    assert_int_equal(rig_read(r, 0x60), 1);
    rig_write(r, 0x64, 1);
    assert_false(r->b->level[0]);

    rig_put(r, BUFFER + 0x1000, 8, UINT64_C(0x1122334455667788));
    assert_int_equal(submit_request(r, 1, 7, 512, false), 0);
    assert_int_equal(file_byte(7 * 512), 0x88);
    assert_int_equal(submit_request(r, 4, 0, 0, false), 0);  /* flush */
    assert_int_equal(submit_request(r, 99, 0, 0, false), 2); /* unknown */
    assert_int_equal(submit_request(r, 8, 0, 20, true), 0);  /* identity */
    assert_int_equal(rig_get(r, BUFFER + 0x1000, 5), UINT64_C(0x63636e6567));
    disk_done(r);
}

static uint32_t low_features(struct rig *r)
{
    rig_write(r, 0x14, 0);
    return rig_read(r, 0x10);
}

/* The whole configuration (section 5.2.4) and the offered features; other fields are 0. */
static void test_block_configuration(void **state)
{
    static const struct {
        unsigned offset;
        uint32_t value;
    } words[] = {{0, SECTORS}, {12, 126},   {20, 512}, {36, 32768}, {40, 1},
                 {44, 1},      {48, 32768}, {52, 1},   {56, 1}};
    const uint32_t transport = 3u << 28;
    struct rig *r = disk_rig(false, false);
    unsigned next = 0;

    (void)state;
    for (unsigned offset = 0; offset < 60; offset += 4) {
        bool named = next < ARRAY_SIZE(words) && words[next].offset == offset;

        assert_int_equal(rig_read(r, 0x100 + offset), named ? words[next].value : 0);
        next += named;
    }
    assert_int_equal(next, ARRAY_SIZE(words));
    assert_int_equal(low_features(r), 1u << 2 | 1u << 9 | 1u << 13 | 1u << 14 | transport);
    disk_done(r);
    r = disk_rig(true, false);
    assert_int_equal(low_features(r), 1u << 2 | 1u << 5 | 1u << 9 | transport);
    disk_done(r);
}

/* Data in several buffers that are not multiples of a sector. */
static void test_block_buffers(void **state)
{
    static const uint32_t lengths[] = {100, 600, 324};
    struct rig *r = disk_rig(false, false);
    uint32_t used;

    (void)state;
    assert_true(rig_start(r, VERSION_1, 0));
    for (unsigned in = 0; in < 2; in++) {
        rig_put(r, BUFFER, 8, !in);
        rig_put(r, BUFFER + 8, 8, 7);
        rig_desc(r, rig_entry(DESC, 0), BUFFER, 16, NEXT, 1);
        for (unsigned n = 0; n < 3; n++) {
            rig_desc(r, rig_entry(DESC, n + 1), BUFFER + 0x1000 * (n + 1), lengths[n],
                     NEXT | (in ? WRITE : 0), n + 2);
            for (unsigned i = 0; i < lengths[n]; i++)
                rig_put(r, BUFFER + 0x1000 * (n + 1) + i, 1, in ? 0 : 3 * n + i % 200);
        }
        rig_desc(r, rig_entry(DESC, 4), BUFFER + 0x8000, 1, WRITE, 0);
        rig_offer(r, 0, 0);
        assert_int_equal(rig_take(r, &used), 0);
        assert_int_equal(used, in ? 1025 : 1);
        assert_int_equal(rig_get(r, BUFFER + 0x8000, 1), 0);
        for (unsigned n = 0; n < 3; n++) {
            for (unsigned i = 0; i < lengths[n]; i++)
                assert_int_equal(rig_get(r, BUFFER + 0x1000 * (n + 1) + i, 1), 3 * n + i % 200);
        }
    }
    assert_int_equal(file_byte(7 * 512 + 100), 3);
    assert_int_equal(file_byte(9 * 512), 9);
    disk_done(r);
}

static void test_block_bounds(void **state)
{
    struct rig *r = disk_rig(false, false);

    (void)state;
    assert_true(rig_start(r, VERSION_1, 0));
    assert_int_equal(submit_request(r, 0, SECTORS - 1, 512, true), 0);
    assert_int_equal(submit_request(r, 0, SECTORS - 1, 1024, true), 1);
    assert_int_equal(submit_request(r, 0, SECTORS, 512, true), 1);
    assert_int_equal(submit_request(r, 0, UINT64_MAX, 512, true), 1);
    assert_int_equal(submit_request(r, 0, UINT64_C(1) << 55, 512, true), 1);
    assert_int_equal(submit_request(r, 0, 0, 100, true), 1);
    assert_int_equal(submit_request(r, 1, SECTORS, 512, false), 1);
    disk_done(r);
}

static void test_block_discard(void **state)
{
    struct rig *r = disk_rig(false, false);
    uint64_t range = BUFFER + 0x1000;

    (void)state;
    assert_true(rig_start(r, VERSION_1 | 1 << 14, 0));
    rig_put(r, range, 8, 10);
    rig_put(r, range + 8, 4, 2);
    rig_put(r, range + 12, 4, 0);
    assert_int_equal(submit_request(r, 13, 0, 16, false), 0);
    assert_int_equal(file_byte(10 * 512), 0);
    assert_int_equal(file_byte(12 * 512 - 1), 0);
    assert_int_equal(file_byte(12 * 512), 12);
    rig_put(r, range, 8, 16);
    rig_put(r, range + 8, 4, 5);
    assert_int_equal(submit_request(r, 13, 0, 16, false), 0);
    assert_int_equal(file_byte(16 * 512 - 1), 15);
    assert_int_equal(file_byte(16 * 512), 0);
    assert_int_equal(file_byte(21 * 512 - 1), 0);
    assert_int_equal(file_byte(21 * 512), 21);
    rig_put(r, range + 8, 4, 0); /* zero sectors */
    assert_int_equal(submit_request(r, 13, 0, 16, false), 0);
    rig_put(r, range, 8, SECTORS - 1);
    rig_put(r, range + 8, 4, 2);
    assert_int_equal(submit_request(r, 13, 0, 16, false), 1);
    assert_int_equal(submit_request(r, 11, 0, 8, false), 1);
    disk_done(r);
}

/* Offers QUEUE requests at once, one per entry, all of them the same chain. */
static void offer_many(struct rig *r, uint32_t type, uint32_t len)
{
    rig_put(r, BUFFER, 8, type);
    rig_put(r, BUFFER + 8, 8, 0);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 16, NEXT, len ? 1 : 2);
    rig_desc(r, rig_entry(DESC, 1), BUFFER + 0x1000, len, NEXT, 2);
    rig_desc(r, rig_entry(DESC, 2), BUFFER + 0x8000, 1, WRITE, 0);
    for (unsigned n = 0; n < QUEUE; n++)
        rig_put(r, AVAIL + 4 + 2 * ((r->offered + n) % QUEUE), 2, 0);
    r->offered = (uint16_t)(r->offered + QUEUE);
    rig_put(r, AVAIL + 2, 2, r->offered);
    rig_write(r, 0x50, 0);
}

static unsigned count_used(struct rig *r)
{
    unsigned count = (uint16_t)(rig_get(r, USED + 2, 2) - r->used);

    r->used = (uint16_t)(r->used + count);
    return count;
}

/*
 * A request of 16 bytes may name many sectors: one event processes 64 MB of them, and the next
 * event continues.
 */
static void test_block_names_much(void **state)
{
    static const uint32_t types[] = {11, 13}; /* discard, write zeroes */
    struct rig *r;
    uint32_t most;

    (void)state;
    r = disk_rig(false, false);
    most = rig_read(r, 0x100 + 36); /* max_discard_sectors */
    assert_in_range(most, 2048, 32768);
    assert_int_equal(rig_read(r, 0x100 + 48), most); /* max_write_zeroes_sectors */
    disk_done(r);
    disk_bytes = (uint64_t)most * 512;
    r = disk_rig(false, false);
    disk_bytes = 0;
    for (unsigned n = 0; n < ARRAY_SIZE(types); n++) {
        unsigned each = (64u << 20) / (most * 512);

        assert_true(rig_start(r, VERSION_1, 0));
        rig_put(r, BUFFER + 0x1000, 8, 0);
        rig_put(r, BUFFER + 0x1008, 8, most + 1);
        assert_int_equal(submit_request(r, types[n], 0, 16, false),
                         1); /* more sectors than the maximum */
        rig_put(r, BUFFER + 0x1008, 8, most);
        offer_many(r, types[n], 16);
        rig_wait(r, 10000);
        assert_int_equal(count_used(r), each);
        assert_int_equal(rig_get(r, BUFFER + 0x8000, 1), 0);
        rig_wait(r, 10000);
        assert_int_equal(count_used(r), each);
    }
    assert_true(rig_start(r, VERSION_1, 0));
    offer_many(r, 4, 0); /* flush: the host may need time for each */
    rig_wait(r, 10000);
    assert_in_range(count_used(r), 1, QUEUE - 1);
    rig_wait(r, 1000000);
    assert_in_range(count_used(r), 1, QUEUE - 1);
    disk_done(r);
}

static void test_block_snapshot(void **state)
{
    struct rig *r = disk_rig(false, true);

    (void)state;
    assert_true(rig_start(r, VERSION_1, 0));
    rig_put(r, BUFFER + 0x1000, 1, 0xaa);
    assert_int_equal(submit_request(r, 1, 9, 512, false), 0);
    rig_put(r, BUFFER + 0x1000, 1, 0);
    assert_int_equal(submit_request(r, 0, 8, 1024, true), 0);
    assert_int_equal(rig_get(r, BUFFER + 0x1000, 1), 8);
    assert_int_equal(rig_get(r, BUFFER + 0x1200, 1), 0xaa);
    rig_put(r, BUFFER + 0x1000, 8, 20); /* zeros to sector 20 */
    rig_put(r, BUFFER + 0x1008, 8, 1);
    assert_int_equal(submit_request(r, 13, 0, 16, false), 0);
    assert_int_equal(submit_request(r, 0, 20, 512, true), 0);
    assert_int_equal(rig_get(r, BUFFER + 0x1000, 1), 0);
    assert_int_equal(file_byte(20 * 512), 20);
    assert_int_equal(file_byte(9 * 512), 9);
    disk_done(r);
}

static void test_block_read_only(void **state)
{
    struct rig *r = disk_rig(true, false);

    (void)state;
    assert_false(rig_start(r, VERSION_1 | 1 << 13, 0)); /* discard is not offered */
    assert_true(rig_start(r, VERSION_1 | 1 << 5, 0));
    assert_int_equal(submit_request(r, 1, 0, 512, false), 1);
    assert_int_equal(file_byte(0), 0);
    disk_done(r);
}

static void write_disk(const char *bytes, off_t at)
{
    int fd = open(disk_path, O_WRONLY);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, strlen(bytes), at), strlen(bytes));
    close(fd);
}

/* Files in formats other than raw are refused by name, with advice. */
static void test_image_formats(void **state)
{
    struct error err = {""};

    (void)state;
    make_disk();
    assert_true(disk_file_is_raw(disk_path, &err));
    assert_true(disk_file_is_raw("/nonexistent/disk", &err));
    write_disk("QFI\xfb", 0);
    assert_false(disk_file_is_raw(disk_path, &err));
    assert_non_null(strstr(err.text, "a qcow2 image"));
    assert_non_null(strstr(err.text, "qemu-img convert -O raw"));
    make_disk();
    write_disk("\x7f\x10\xda\xbe", 0x40);
    assert_false(disk_file_is_raw(disk_path, &err));
    assert_non_null(strstr(err.text, "a VDI image"));
}

static void test_block_files(void **state)
{
    struct error err = {""};
    struct disk *disk;

    (void)state;
    assert_null(disk_open("/nonexistent/disk", false, false, &err));
    assert_non_null(strstr(err.text, "/nonexistent/disk"));
    assert_null(disk_open("/dev/null", true, false, &err));
    make_disk();
    disk = disk_open(disk_path, false, false, &err);
    assert_non_null(disk);
    assert_null(disk_open(disk_path, false, false, &err)); /* a second writer */
    assert_non_null(strstr(err.text, "in use"));
    disk_close(disk);
    assert_int_equal(truncate(disk_path, 1000), 0);
    assert_null(disk_open(disk_path, false, false, &err));
    assert_non_null(strstr(err.text, "sectors"));
    unlink(disk_path);
}

/* ---- rings ---- */

static void test_indirect(void **state)
{
    struct rig *r = disk_rig(false, false);
    uint32_t len;

    (void)state;
    assert_true(rig_start(r, VERSION_1 | INDIRECT_DESC, 0));
    rig_put(r, BUFFER, 8, 0);
    rig_put(r, BUFFER + 8, 8, 3);
    rig_desc(r, rig_entry(TABLE, 0), BUFFER, 16, NEXT, 1);
    rig_desc(r, rig_entry(TABLE, 1), BUFFER + 0x1000, 512, NEXT | WRITE, 2);
    rig_desc(r, rig_entry(TABLE, 2), BUFFER + 0x2000, 1, WRITE, 0);
    rig_desc(r, rig_entry(DESC, 4), TABLE, 48, INDIRECT, 0);
    rig_offer(r, 0, 4);
    assert_int_equal(rig_take(r, &len), 4);
    assert_int_equal(len, 513);
    assert_int_equal(rig_get(r, BUFFER + 0x1000, 1), 3);
    disk_done(r);
}

static void test_event_index(void **state)
{
    struct rig *r = disk_rig(false, false);

    (void)state;
    assert_true(rig_start(r, VERSION_1 | EVENT_IDX, 0));
    /* interrupt after entry 1 is used, not after entry 0 */
    rig_put(r, AVAIL + 4 + 2 * QUEUE, 2, 1);
    assert_int_equal(submit_request(r, 0, 0, 512, true), 0);
    assert_int_equal(rig_read(r, 0x60), 0);
    /* the device requests a notification of entry 1 */
    assert_int_equal(rig_get(r, USED + 4 + 8 * QUEUE, 2), 1);
    assert_int_equal(submit_request(r, 0, 0, 512, true), 0);
    assert_int_equal(rig_read(r, 0x60), 1);
    disk_done(r);
}

static void test_no_interrupt(void **state)
{
    struct rig *r = disk_rig(false, false);

    (void)state;
    assert_true(rig_start(r, VERSION_1, 0));
    rig_put(r, AVAIL, 2, 1);
    assert_int_equal(submit_request(r, 0, 0, 512, true), 0);
    assert_int_equal(rig_read(r, 0x60), 0);
    disk_done(r);
}

/* A request completes only later, and at the same virtual time in every run. */
static void test_latency(void **state)
{
    struct rig *r = disk_rig(false, false);

    (void)state;
    assert_true(rig_start(r, VERSION_1, 0));
    rig_put(r, BUFFER, 8, 4); /* flush */
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 16, NEXT, 1);
    rig_desc(r, rig_entry(DESC, 1), BUFFER + 0x1000, 1, WRITE, 0);
    rig_put(r, AVAIL + 4, 2, 0);
    rig_put(r, AVAIL + 2, 2, 1);
    rig_write(r, 0x50, 0);
    rig_wait(r, 9999);
    assert_int_equal(rig_get(r, USED + 2, 2), 0);
    rig_wait(r, 1);
    assert_int_equal(rig_get(r, USED + 2, 2), 1);
    disk_done(r);
}

/*
 * After an invalid chain the device requests a reset, serves nothing more, and works after the
 * reset.
 */
static void expect_broken(struct rig *r, unsigned head)
{
    uint32_t len;

    rig_offer(r, 0, head);
    assert_int_equal(rig_take(r, &len), -1);
    assert_int_equal(rig_read(r, 0x70), STATUS_OK | STATUS_NEEDS_RESET);
    assert_int_equal(rig_read(r, 0x60), 2);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 16, NEXT, 1);
    rig_desc(r, rig_entry(DESC, 1), BUFFER + 0x1000, 1, WRITE, 0);
    rig_offer(r, 0, 0);
    assert_int_equal(rig_take(r, &len), -1);
    assert_true(rig_start(r, VERSION_1 | INDIRECT_DESC, 0));
    rig_put(r, BUFFER, 8, 4);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 16, NEXT, 1);
    rig_desc(r, rig_entry(DESC, 1), BUFFER + 0x1000, 1, WRITE, 0);
    rig_offer(r, 0, 0);
    assert_int_equal(rig_take(r, &len), 0);
    assert_true(rig_start(r, VERSION_1 | INDIRECT_DESC, 0));
}

static void test_hostile_chains(void **state)
{
    struct rig *r = disk_rig(false, false);

    (void)state;
    assert_true(rig_start(r, VERSION_1 | INDIRECT_DESC, 0));
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 16, NEXT, 0); /* a circular chain */
    expect_broken(r, 0);
    expect_broken(r, QUEUE); /* a head outside of the table */
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 16, NEXT, QUEUE);
    rig_desc(r, rig_entry(DESC, QUEUE), BUFFER + 0x1000, 1, WRITE,
             0); /* a descriptor outside of the table */
    expect_broken(r, 0);
    rig_desc(r, rig_entry(DESC, 0), RAM + RAM_SIZE - 8, 16, 0, 0); /* past the end of memory */
    expect_broken(r, 0);
    rig_desc(r, rig_entry(DESC, 0), BENCH_BASE, 16, 0, 0); /* device registers are not memory */
    expect_broken(r, 0);
    rig_desc(r, rig_entry(DESC, 0), UINT64_MAX - 7, 16, 0, 0);
    expect_broken(r, 0);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 16, WRITE | NEXT,
             1); /* a readable buffer after a writable one */
    rig_desc(r, rig_entry(DESC, 1), BUFFER, 16, 0, 0);
    expect_broken(r, 0);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 8, NEXT, 1); /* half of a header */
    rig_desc(r, rig_entry(DESC, 1), BUFFER + 0x1000, 1, WRITE, 0);
    expect_broken(r, 0);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 16, 0, 0); /* no room for the status */
    expect_broken(r, 0);
    disk_done(r);
}

static void test_hostile_tables(void **state)
{
    struct rig *r = disk_rig(false, false);

    (void)state;
    assert_true(rig_start(r, VERSION_1 | INDIRECT_DESC, 0));
    rig_desc(r, rig_entry(TABLE, 0), BUFFER, 16, NEXT, 1);
    rig_desc(r, rig_entry(TABLE, 1), BUFFER + 0x1000, 1, WRITE, 0);
    rig_desc(r, rig_entry(DESC, 0), TABLE, 40, INDIRECT, 0); /* two and a half entries */
    expect_broken(r, 0);
    rig_desc(r, rig_entry(DESC, 0), TABLE, 0, INDIRECT, 0);
    expect_broken(r, 0);
    rig_desc(r, rig_entry(DESC, 0), RAM + RAM_SIZE - 16, 32, INDIRECT, 0);
    expect_broken(r, 0);
    rig_desc(r, rig_entry(DESC, 0), TABLE, 16, INDIRECT | NEXT, 1);
    expect_broken(r, 0);
    rig_desc(r, rig_entry(TABLE, 0), TABLE, 16, INDIRECT,
             0); /* an indirect table within an indirect table */
    rig_desc(r, rig_entry(DESC, 0), TABLE, 16, INDIRECT, 0);
    expect_broken(r, 0);
    for (unsigned i = 0; i < 600; i++)
        rig_desc(r, rig_entry(TABLE, i), BUFFER, 1, NEXT, i + 1);
    rig_desc(r, rig_entry(DESC, 0), TABLE, 601 * 16, INDIRECT,
             0); /* more buffers than a chain may have */
    expect_broken(r, 0);
    rig_put(r, AVAIL + 2, 2, 0x4000); /* more available entries than the queue has */
    r->offered = 0x4000;
    expect_broken(r, 0);
    disk_done(r);
}

static void test_indirect_not_negotiated(void **state)
{
    struct rig *r = disk_rig(false, false);
    uint32_t len;

    (void)state;
    assert_true(rig_start(r, VERSION_1, 0));
    rig_desc(r, rig_entry(DESC, 0), TABLE, 16, INDIRECT, 0);
    rig_offer(r, 0, 0);
    assert_int_equal(rig_take(r, &len), -1);
    assert_true(rig_read(r, 0x70) & STATUS_NEEDS_RESET);
    disk_done(r);
}

/*
 * Contents of a disk whose sectors, read into the available ring, are each a ring with one more
 * entry, followed by the header of a request for the next sector: one request, for sector 0, causes
 * requests for ever.
 */
#define FEED_SECTORS 65536u
#define FEED_HEADER  (AVAIL + 0x100)

static struct rig *self_feeding_rig(void)
{
    uint8_t sector[512] = {0};
    FILE *file;
    struct rig *r;

    make_disk();
    file = fopen(disk_path, "wb");
    for (uint32_t i = 0; i < FEED_SECTORS; i++) {
        le_put(sector + 2, 2, i + 2); /* ring entries: all name chain 0 */
        le_put(sector + (FEED_HEADER - AVAIL) + 8, 8, (i + 1) % FEED_SECTORS);
        fwrite(sector, sizeof(sector), 1, file);
    }
    fclose(file);
    r = rig_new(virtio_blk_new(disk_open(disk_path, true, false, NULL)));
    assert_true(rig_start(r, VERSION_1, 0));
    rig_put(r, FEED_HEADER, 8, 0);
    rig_put(r, FEED_HEADER + 8, 8, 0);
    rig_desc(r, rig_entry(DESC, 0), FEED_HEADER, 16, NEXT, 1);
    rig_desc(r, rig_entry(DESC, 1), AVAIL, 512, NEXT | WRITE, 2);
    rig_desc(r, rig_entry(DESC, 2), BUFFER, 1, WRITE, 0);
    return r;
}

static uint64_t chains_of(const struct rig *r)
{
    return stats_get(r->b->stats, r->b->env.name, "chains");
}

/*
 * Virtual time advances: each event comes 10 us after the last and serves at most a ring's entries,
 * until a reset.
 */
static void test_ring_that_feeds_itself(void **state)
{
    struct rig *r = self_feeding_rig();
    uint64_t served;

    (void)state;
    rig_put(r, AVAIL + 4, 2, 0);
    rig_put(r, AVAIL + 2, 2, 1);
    rig_write(r, 0x50, 0);
    rig_wait(r, 10000);
    assert_int_equal(chains_of(r), QUEUE);
    rig_wait(r, 10000);
    assert_int_equal(chains_of(r), 2 * QUEUE);
    bench_save_and_load(r->b); /* unserved entries are part of the state */
    rig_wait(r, 10000);
    assert_int_equal(chains_of(r), 3 * QUEUE);
    /* past the disk's end, and past the wrap of the ring's indices */
    rig_wait(r, UINT64_C(100000000));
    served = chains_of(r);
    assert_int_equal(served, 10003 * QUEUE);
    rig_write(r, 0x70, 0);
    rig_wait(r, 1000000);
    assert_int_equal(chains_of(r), served);
    disk_done(r);
}

/* Offers two chains that read `len` bytes each. Returns how many the first event serves. */
static unsigned served_at_once(uint64_t len)
{
    const unsigned pieces = 100;
    const uint64_t piece = len / pieces;
    struct rig *r = disk_rig(true, false);
    unsigned served;

    rig_free(r);
    assert_int_equal(truncate(disk_path, (off_t)len), 0);
    r = rig_new(virtio_blk_new(disk_open(disk_path, true, false, NULL)));
    assert_true(rig_start(r, VERSION_1 | INDIRECT_DESC, 0));
    rig_put(r, BUFFER, 8, 0);
    rig_put(r, BUFFER + 8, 8, 0);
    rig_desc(r, rig_entry(TABLE, 0), BUFFER, 16, NEXT, 1);
    for (unsigned i = 1; i <= pieces; i++)
        rig_desc(r, rig_entry(TABLE, i), BUFFER + 0x1000, (uint32_t)piece, NEXT | WRITE, i + 1);
    rig_desc(r, rig_entry(TABLE, pieces + 1), BUFFER + 0x20, 1, WRITE, 0);
    rig_desc(r, rig_entry(DESC, 0), TABLE, 16 * (pieces + 2), INDIRECT, 0);
    rig_put(r, AVAIL + 4, 4, 0);
    rig_put(r, AVAIL + 2, 2, 2);
    rig_write(r, 0x50, 0);
    rig_wait(r, 10000);
    served = (unsigned)rig_get(r, USED + 2, 2);
    rig_wait(r, 10000);
    assert_int_equal(rig_get(r, USED + 2, 2), 2);
    assert_int_equal(rig_get(r, BUFFER + 0x20, 1), 0);
    disk_done(r);
    return served;
}

/* An event is also bounded in bytes: long requests take several events. */
static void test_bytes_of_an_event(void **state)
{
    (void)state;
    assert_int_equal(served_at_once(100 * 512 * 1200),
                     2); /* 61 MB: the second begins below 64 MB */
    assert_int_equal(served_at_once(100 * 512 * 1400), 1); /* 72 MB */
}

/* Chains may have at most 4 GB, and a bounded number of descriptors. */
static void test_longest_chain(void **state)
{
    const uint64_t more = UINT64_C(0x90000000), piece = 16 << 20, pieces = 257;
    struct rig *r = disk_rig(false, false);

    (void)state;
    assert_non_null(bus_add_ram(r->b->bus, "more", more, piece, NULL));
    assert_true(rig_start(r, VERSION_1 | INDIRECT_DESC, 0));
    for (unsigned i = 0; i < pieces; i++)
        rig_desc(r, rig_entry(TABLE, i), more, (uint32_t)piece, NEXT, i + 1);
    rig_desc(r, rig_entry(TABLE, pieces), BUFFER, 1, WRITE, 0);
    rig_desc(r, rig_entry(DESC, 0), TABLE, 16 * ((uint32_t)pieces + 1), INDIRECT, 0);
    expect_broken(r, 0);
    for (unsigned i = 0; i < 600; i++) /* descriptors of no bytes */
        rig_desc(r, rig_entry(TABLE, i), BUFFER, 0, NEXT, i + 1);
    rig_desc(r, rig_entry(TABLE, 600), BUFFER, 16, NEXT, 601);
    rig_desc(r, rig_entry(TABLE, 601), BUFFER + 0x4000, 1, WRITE, 0);
    rig_desc(r, rig_entry(DESC, 0), TABLE, 16 * 602, INDIRECT, 0);
    expect_broken(r, 0);
    disk_done(r);
}

static void test_snapshot_of_state(void **state)
{
    struct rig *r = disk_rig(false, false);

    (void)state;
    assert_true(rig_start(r, VERSION_1, 0));
    assert_int_equal(submit_request(r, 0, 1, 512, true), 0);
    bench_save_and_load(r->b);
    assert_true(r->b->level[0]);
    assert_int_equal(submit_request(r, 0, 2, 512, true), 0);
    assert_int_equal(rig_get(r, BUFFER + 0x1000, 1), 2);
    disk_done(r);
}

/* ---- entropy ---- */

static uint64_t first_random(const uint8_t *seed)
{
    struct rig *r = rig_new(virtio_rng_new(seed, NULL));
    uint64_t value;
    uint32_t len;

    assert_true(rig_start(r, VERSION_1, 0));
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 8, WRITE, 0);
    rig_offer(r, 0, 0);
    assert_int_equal(rig_take(r, &len), 0);
    assert_int_equal(len, 8);
    value = rig_get(r, BUFFER, 8);
    rig_free(r);
    return value;
}

static void test_entropy(void **state)
{
    static const uint8_t one[8] = {1}, two[8] = {2};

    (void)state;
    assert_true(first_random(one) == first_random(one));
    assert_true(first_random(one) != first_random(two));
    assert_true(first_random(NULL) != first_random(NULL));
}

/* ---- network ---- */

struct wire {
    struct net_backend backend;
    unsigned frames;
    size_t last_len;
    uint8_t last[2048];
};

static void wire_send(struct net_backend *net, const uint8_t *frame, size_t len)
{
    struct wire *wire = (struct wire *)(void *)net;

    wire->frames++;
    wire->last_len = len;
    memcpy(wire->last, frame, len < sizeof(wire->last) ? len : sizeof(wire->last));
}

static void wire_destroy(struct net_backend *net)
{
    (void)net;
}

static void test_net(void **state)
{
    static const uint8_t mac[6] = {0x52, 0x54, 0, 1, 2, 3};
    static const uint8_t frame[60] = "a frame for the guest";
    struct wire wire = {.backend = {.name = "wire", .send = wire_send, .destroy = wire_destroy}};
    struct rig *r = rig_new(virtio_net_new(&wire.backend, mac));
    uint32_t len;

    (void)state;
    assert_int_equal(rig_read(r, 8), 1);
    assert_int_equal(rig_read(r, 0x100), 0x01005452);
    assert_true(rig_start(r, VERSION_1, 1));
    for (unsigned i = 0; i < 72; i++)
        rig_put(r, BUFFER + i, 1, i);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 72, 0, 0);
    rig_offer(r, 1, 0);
    assert_int_equal(rig_take(r, &len), 0);
    assert_int_equal(wire.frames, 1);
    assert_int_equal(wire.last_len, 60);
    assert_int_equal(wire.last[0], 12);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 4, 0, 0); /* shorter than a header: dropped */
    rig_offer(r, 1, 0);
    assert_int_equal(rig_take(r, &len), 0);
    assert_int_equal(wire.frames, 1);

    assert_true(rig_start(r, VERSION_1, 0));
    net_receive(&wire.backend, frame, sizeof(frame)); /* the frame waits for a buffer */
    rig_wait(r, 1000000);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 2048, WRITE, 0);
    rig_offer(r, 0, 0);
    assert_int_equal(rig_take(r, &len), 0);
    assert_int_equal(len, 72);
    assert_int_equal(rig_get(r, BUFFER + 12, 1), 'a');
    for (unsigned i = 0; i < 1000; i++) /* more frames than may wait */
        net_receive(&wire.backend, frame, sizeof(frame));
    net_receive(&wire.backend, frame, 1 << 20);
    assert_int_equal(stats_get(r->b->stats, "device@10000000", "frames_dropped"), 1000 - 256 + 2);
    rig_wait(r, 1000000);
    rig_desc(r, rig_entry(DESC, 1), BUFFER, 16, WRITE, 0); /* too small for the frame */
    rig_offer(r, 0, 1);
    assert_int_equal(rig_take(r, &len), 1);
    assert_int_equal(len, 0);
    rig_free(r);
}

/* The user network answers an ARP request to the gateway, at a virtual time. */
static void test_user_net(void **state)
{
    static const uint8_t mac[6] = {0x52, 0x54, 0, 0x12, 0x34, 0x56};
    static const uint8_t arp[54] = {/* virtio header */ 0,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0,
                                    /* Ethernet header */ 0xff,
                                    0xff,
                                    0xff,
                                    0xff,
                                    0xff,
                                    0xff,
                                    0x52,
                                    0x54,
                                    0,
                                    0x12,
                                    0x34,
                                    0x56,
                                    8,
                                    6,
                                    /* ARP request: who has 10.0.2.2, tell 10.0.2.15 */ 0,
                                    1,
                                    8,
                                    0,
                                    6,
                                    4,
                                    0,
                                    1,
                                    0x52,
                                    0x54,
                                    0,
                                    0x12,
                                    0x34,
                                    0x56,
                                    10,
                                    0,
                                    2,
                                    15,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0,
                                    10,
                                    0,
                                    2,
                                    2};
    char bad[] = "tcp::0-:22", *forward[] = {bad};
    struct error err = {""};
    struct bench *clocks = bench_new();
    struct net_backend *net = net_user_new(&clocks->clock, NULL, false, NULL, 0, &err);
    struct virtio_function *f;
    struct rig *r;
    uint32_t len;

    (void)state;
    assert_non_null(net);
    assert_null(net_user_new(&clocks->clock, NULL, false, forward, 1, &err));
    assert_non_null(strstr(err.text, "hostfwd"));
    f = virtio_net_new(net, mac);
    r = rig_new(f);
    assert_true(rig_start(r, VERSION_1, 1));
    for (unsigned i = 0; i < sizeof(arp); i++)
        rig_put(r, BUFFER + i, 1, arp[i]);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, sizeof(arp), 0, 0);
    rig_offer(r, 1, 0);
    assert_int_equal(rig_take(r, &len), 0);
    /*
     * the answer waits; the receive queue gets a buffer (the driver keeps both queues in one place)
     */
    rig_write(r, 0x30, 1);
    rig_write(r, 0x44, 0);
    rig_write(r, 0x30, 0);
    rig_write(r, 0x38, QUEUE);
    rig_write(r, 0x80, (uint32_t)DESC);
    rig_write(r, 0x90, (uint32_t)AVAIL);
    rig_write(r, 0xa0, (uint32_t)USED);
    rig_put(r, AVAIL + 2, 2, 0);
    rig_put(r, USED + 2, 2, 0);
    r->offered = r->used = 0;
    rig_write(r, 0x44, 1);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 2048, WRITE, 0);
    rig_offer(r, 0, 0);
    assert_int_equal(rig_take(r, &len), 0);
    assert_int_equal(rig_get(r, BUFFER + 12 + 21, 1), 2); /* an ARP answer */
    assert_int_equal(rig_get(r, BUFFER + 12 + 31, 1), 2); /* from 10.0.2.2 */
    rig_free(r);
    bench_free(clocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_empty_slot),
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_bad_queues),
        cmocka_unit_test(test_block_io),
        cmocka_unit_test(test_block_configuration),
        cmocka_unit_test(test_block_buffers),
        cmocka_unit_test(test_block_bounds),
        cmocka_unit_test(test_block_discard),
        cmocka_unit_test(test_block_names_much),
        cmocka_unit_test(test_block_snapshot),
        cmocka_unit_test(test_block_read_only),
        cmocka_unit_test(test_image_formats),
        cmocka_unit_test(test_block_files),
        cmocka_unit_test(test_indirect),
        cmocka_unit_test(test_event_index),
        cmocka_unit_test(test_no_interrupt),
        cmocka_unit_test(test_latency),
        cmocka_unit_test(test_hostile_chains),
        cmocka_unit_test(test_hostile_tables),
        cmocka_unit_test(test_indirect_not_negotiated),
        cmocka_unit_test(test_ring_that_feeds_itself),
        cmocka_unit_test(test_bytes_of_an_event),
        cmocka_unit_test(test_longest_chain),
        cmocka_unit_test(test_snapshot_of_state),
        cmocka_unit_test(test_entropy),
        cmocka_unit_test(test_net),
        cmocka_unit_test(test_user_net),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
