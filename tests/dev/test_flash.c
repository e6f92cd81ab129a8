/*
 * NOR flash: query, program and erase of two chips side by side, driven as by cfi_cmdset_0001 of
 * Linux.
 */
#include "tests/dev/bench.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/dev/disk.h"

#define BOTH(command) ((command) << 16 | (command))
#define BANK          (UINT64_C(1) << 20) /* two chips of 512 KB, four blocks each */
#define BLOCK         0x40000u            /* bytes of both chips together */
#define READY         BOTH(0x80u)

static char path[] = "/tmp/gencc-flash-XXXXXX";

/* The disk ends after the first 1,024 bytes of the second bank. */
static int setup(void **state)
{
    struct bench *b = bench_new();
    struct error err;
    FILE *file;

    strcpy(path + strlen(path) - 6, "XXXXXX");
    file = fdopen(mkstemp(path), "wb");
    for (uint32_t i = 0; i < (BANK + 1024) / 4; i++)
        fwrite(&i, sizeof(i), 1, file);
    fclose(file);
    b->env.disk = disk_open(path, false, false, &err);
    b->env.reg_count = 2;
    b->reg[0] = (struct device_reg){BENCH_BASE, BANK};
    b->reg[1] = (struct device_reg){BENCH_BASE + BANK, BANK};
    bench_prop(b, "bank-width", "\0\0\0\4", 4);
    bench_create(b, "cfi_flash");
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    struct bench *b = *state;
    struct disk *disk = b->env.disk;

    bench_free(b);
    disk_close(disk);
    unlink(path);
    return 0;
}

static uint32_t file_word(uint64_t offset)
{
    FILE *file = fopen(path, "rb");
    uint32_t word = 0;

    fseek(file, (long)offset, SEEK_SET);
    assert_int_equal(fread(&word, sizeof(word), 1, file), 1);
    fclose(file);
    return word;
}

static void test_contents(void **state)
{
    struct bench *b = *state;

    assert_int_equal(bench_read(b, 0x100), 0x40);
    assert_int_equal(bench_read_as(b, 0, BENCH_BASE + 0x401, 1), 1);
    assert_int_equal(bench_read_as(b, 0, BENCH_BASE + 0x400, 2), 0x100);
    assert_int_equal(bench_read(b, BANK + 1020), (BANK + 1020) / 4);
    assert_int_equal(bench_read(b, BANK + 1024), ~0u); /* after the disk's end: erased */
}

static void test_query(void **state)
{
    struct bench *b = *state;

    bench_write(b, 0x55 * 4, BOTH(0x98u));
    assert_int_equal(bench_read(b, 0x10 * 4), BOTH('Q'));
    assert_int_equal(bench_read(b, 0x12 * 4), BOTH('Y'));
    assert_int_equal(bench_read(b, 0x13 * 4), BOTH(1));  /* Intel's command set */
    assert_int_equal(bench_read(b, 0x27 * 4), BOTH(19)); /* 512 KB each */
    assert_int_equal(bench_read(b, 0x2d * 4), BOTH(3));  /* four blocks */
    assert_int_equal(bench_read(b, 0x30 * 4), BOTH(2));  /* each of 128 KB */
    assert_int_equal(bench_read(b, 0x31 * 4), BOTH('P'));
    assert_int_equal(bench_read(b, BANK + 0x40),
                     (BANK + 0x40) / 4); /* the other bank still reads its array */
    bench_save_and_load(b);
    assert_int_equal(bench_read(b, 0x11 * 4), BOTH('R'));
    bench_write(b, 0, BOTH(0x90u));
    assert_int_equal(bench_read(b, 0), BOTH(0x89u));
    bench_write(b, 0, BOTH(0xffu));
    assert_int_equal(bench_read(b, 4), 1);
}

static void test_program(void **state)
{
    struct bench *b = *state;

    bench_write(b, 0x40c, BOTH(0x40u));
    bench_write(b, 0x40c, 0xfffffff2); /* 0x103: programming only clears bits */
    assert_int_equal(bench_read(b, 0), READY);
    bench_write(b, 0, BOTH(0xffu));
    assert_int_equal(bench_read(b, 0x40c), 0x102);
    assert_int_equal(file_word(0x40c), 0x102);
    bench_write_as(b, 0, BENCH_BASE + 0x410, 2, 0x40); /* programs the lower chip alone */
    bench_write_as(b, 0, BENCH_BASE + 0x410, 2, 0);
    assert_int_equal(bench_read(b, 0x410), 0x80);
    bench_write(b, 0, BOTH(0xffu));
    assert_int_equal(bench_read(b, 0x410), 0);
    bench_write(b, BANK + 2048, BOTH(0x40u)); /* after the disk's end */
    bench_write(b, BANK + 2048, 0x12345678);
    bench_write(b, BANK, BOTH(0xffu));
    assert_int_equal(bench_read(b, BANK + 2048), 0x12345678);
}

static void test_erase(void **state)
{
    struct bench *b = *state;

    bench_write(b, BLOCK + 0x100, BOTH(0x20u));
    bench_write(b, BLOCK + 0x100, BOTH(0xd0u));
    assert_int_equal(bench_read(b, 0), READY);
    bench_write(b, 0, BOTH(0xffu));
    assert_int_equal(bench_read(b, BLOCK - 4), BLOCK / 4 - 1);
    assert_int_equal(bench_read(b, BLOCK), ~0u);
    assert_int_equal(bench_read(b, 2 * BLOCK - 4), ~0u);
    assert_int_equal(bench_read(b, 2 * BLOCK), 2 * BLOCK / 4);
    assert_int_equal(file_word(BLOCK), ~0u);
    bench_write(b, 0, BOTH(0x20u));
    bench_write(b, 0, BOTH(0xffu)); /* no confirmation */
    assert_int_equal(bench_read(b, 0), BOTH(0xb0u));
    bench_write(b, 0, BOTH(0x50u));
    assert_int_equal(bench_read(b, 0), READY);
    bench_write(b, 0, BOTH(0xffu));
    assert_int_equal(bench_read(b, 4), 1);
    bench_write(b, 0, BOTH(0x60u)); /* unlock, which Linux does before an erase */
    bench_write(b, 0, BOTH(0xd0u));
    assert_int_equal(bench_read(b, 0), READY);
}

static void test_buffer(void **state)
{
    struct bench *b = *state;

    bench_write(b, BLOCK, BOTH(0x20u));
    bench_write(b, BLOCK, BOTH(0xd0u));
    bench_write(b, BLOCK, BOTH(0xe8u));
    assert_int_equal(bench_read(b, BLOCK), READY);
    bench_write(b, BLOCK, BOTH(3u));
    for (uint32_t i = 0; i < 4; i++)
        bench_write(b, BLOCK + 4 * i, 0x1000 + i);
    bench_save_and_load(b);
    bench_write(b, BLOCK, BOTH(0xd0u));
    assert_int_equal(bench_read(b, BLOCK), READY);
    bench_write(b, BLOCK, BOTH(0xffu));
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(bench_read(b, BLOCK + 4 * i), 0x1000 + i);
    assert_int_equal(bench_read(b, BLOCK + 16), ~0u);
    bench_write(b, BLOCK, BOTH(0xe8u));
    bench_write(b, BLOCK, BOTH(32u)); /* 33 words */
    assert_int_equal(bench_read(b, BLOCK), BOTH(0xb0u));
}

/* Makes a flash without a disk, with consecutive banks of this size. */
static struct bench *bench_of(unsigned banks, uint64_t size, const char *width)
{
    struct bench *b = bench_new();

    b->env.reg_count = banks;
    for (unsigned i = 0; i < banks; i++)
        b->reg[i] = (struct device_reg){BENCH_BASE + i * size, size};
    bench_prop(b, "bank-width", width, 4);
    bench_create(b, "cfi_flash");
    return b;
}

/* JESD68, section 2, with times and voltages of the P30 datasheet. */
static void test_whole_query(void **state)
{
    static const uint8_t expected[0x32] = {
        'Q',  'R',  'Y',  0x01, 0,   0x31, 0,  0, 0, 0, 0,    /* 0x10 */
        0x17, 0x20, 0x85, 0x95, 8,   9,    10, 0, 1, 1, 2, 0, /* 0x1b */
        11,   1,    0,    6,    0,   1,    0,  0, 8, 0, /* 0x27: 2 KB, one block of 8 * 256 bytes */
        'P',  'R',  'I',  '1',  '0', 0,    0,  0, 0, 1, 0, 0, 0x18, 0, 0, 0, 0};
    struct bench *b = bench_of(1, 4096, "\0\0\0\4");

    (void)state;
    bench_write(b, 0x55 * 4, BOTH(0x98u));
    for (uint32_t i = 0; i < sizeof(expected); i++) {
        if (bench_read(b, (0x10 + i) * 4) != BOTH((uint32_t)expected[i]))
            fail_msg("byte %#x: %#x", 0x10 + i, bench_read(b, (0x10 + i) * 4));
    }
    assert_int_equal(bench_read(b, 0x50 * 4), 0); /* after the query data */
    bench_free(b);
    b = bench_of(1, 128 << 20, "\0\0\0\4"); /* 512 blocks of 128 KB each */
    bench_write(b, 0x55 * 4, BOTH(0x98u));
    assert_int_equal(bench_read(b, 0x27 * 4), BOTH(26));
    assert_int_equal(bench_read(b, 0x2d * 4), BOTH(0xffu));
    assert_int_equal(bench_read(b, 0x2e * 4), BOTH(1));
    assert_int_equal(bench_read(b, 0x2f * 4), 0);
    assert_int_equal(bench_read(b, 0x30 * 4), BOTH(2));
    bench_free(b);
}

static void test_identity(void **state)
{
    struct bench *b = *state;

    bench_write(b, 0, BOTH(0x90u));
    assert_int_equal(bench_read(b, 0), BOTH(0x89u));
    assert_int_equal(bench_read(b, 4), BOTH(0x8919u));
    assert_int_equal(bench_read(b, 8), 0); /* the block is not locked */
    assert_int_equal(bench_read(b, BLOCK + 8), 0);
    bench_write(b, 0, BOTH(0x70u));
    assert_int_equal(bench_read(b, 8), READY);
}

/* A bank that is a single chip of 16 bits. */
static void test_one_chip(void **state)
{
    struct bench *b = bench_of(1, 4096, "\0\0\0\2");

    (void)state;
    bench_write_as(b, 0, BENCH_BASE, 2, 0x98);
    assert_int_equal(bench_read(b, 0x10 * 2), 'R' << 16 | 'Q');
    assert_int_equal(bench_read_as(b, 0, BENCH_BASE + 0x27 * 2, 2), 12);
    bench_write_as(b, 0, BENCH_BASE, 2, 0xff);
    /* the last word, by the old program command */
    bench_write_as(b, 0, BENCH_BASE + 4094, 2, 0x10);
    bench_write_as(b, 0, BENCH_BASE + 4094, 2, 0x1234);
    bench_write_as(b, 0, BENCH_BASE, 2, 0xff);
    assert_int_equal(bench_read(b, 4092), 0x1234ffff);
    bench_free(b);
}

/* A byte programs its half of a word; the other half gets zeros. */
static void test_bytes(void **state)
{
    struct bench *b = bench_of(1, 4096, "\0\0\0\4");

    (void)state;
    bench_write_as(b, 0, BENCH_BASE + 0x100, 1, 0x40);
    bench_write_as(b, 0, BENCH_BASE + 0x101, 1, 0xa5);
    bench_write_as(b, 0, BENCH_BASE + 0x102, 1, 0x40); /* the other chip */
    bench_write_as(b, 0, BENCH_BASE + 0x102, 1, 0x5a);
    bench_write(b, 0, BOTH(0xffu));
    assert_int_equal(bench_read(b, 0x100), 0x005aa500);
    assert_int_equal(bench_read_as(b, 0, BENCH_BASE + 0x101, 1), 0xa5);
    bench_listen(b);
    bench_write_as(b, 0, BENCH_BASE + 1, 1, 0x40); /* a value that is not a command */
    assert_non_null(strstr(bench_heard(b), "command 0\n"));
    bench_free(b);
}

/* At most 32 words are buffered, and nothing is programmed without the confirmation. */
static void test_buffer_sizes(void **state)
{
    struct bench *b = bench_of(1, 4096, "\0\0\0\4");

    (void)state;
    bench_write(b, 0, BOTH(0xe8u));
    bench_write(b, 0, BOTH(31u));
    for (uint32_t i = 0; i < 32; i++)
        bench_write(b, 4 * i, i);
    bench_write(b, 0, BOTH(0xd0u));
    assert_int_equal(bench_read(b, 0), READY);
    bench_write(b, 0, BOTH(0xffu));
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(bench_read(b, 4 * i), i);
    bench_write(b, 0x200, BOTH(0xe8u));
    bench_write(b, 0x200, BOTH(0u));
    bench_write(b, 0x200, 0x1234);
    bench_write(b, 0x200, BOTH(0xffu)); /* not 0xd0 (confirm): cancels the write */
    assert_int_equal(bench_read(b, 0), BOTH(0xb0u));
    bench_write(b, 0, BOTH(0x50u));
    bench_write(b, 0x200, BOTH(0xe8u));
    bench_write(b, 0x200, BOTH(32u)); /* too many words: the next write is a command */
    assert_int_equal(bench_read(b, 0), BOTH(0xb0u));
    bench_write(b, 0x200, BOTH(0xffu));
    assert_int_equal(bench_read(b, 0x200), ~0u);
    bench_free(b);
}

/* An erase reaches the disk up to its end, which stays; nothing else changes. */
static void test_end_of_disk(void **state)
{
    struct bench *b = *state;

    bench_write(b, BANK - 4, BOTH(0x20u)); /* the first bank's last block */
    bench_write(b, BANK - 4, BOTH(0xd0u));
    bench_write(b, BANK - 4, BOTH(0xffu));
    bench_write(b, BANK - 4, BOTH(0x40u)); /* the block's last word */
    bench_write(b, BANK - 4, 0x87654321);
    assert_int_equal(bench_read(b, 0), READY);
    assert_int_equal(file_word(BANK - BLOCK - 4), (BANK - BLOCK - 4) / 4);
    assert_int_equal(file_word(BANK - BLOCK), ~0u);
    assert_int_equal(file_word(BANK - 8), ~0u);
    assert_int_equal(file_word(BANK - 4), 0x87654321);
    assert_int_equal(file_word(BANK), BANK / 4);
    bench_write(b, BANK, BOTH(0x20u));
    bench_write(b, BANK, BOTH(0xd0u));
    assert_int_equal(bench_read(b, BANK), READY);
    for (unsigned offset = 0; offset < 1024; offset += 4)
        assert_int_equal(file_word(BANK + offset), ~0u);
    assert_int_equal(disk_size(b->env.disk), BANK + 1024);
}

/* A snapshot sets the disk before the devices, so the contents are the disk's. */
static void test_loaded_disk(void **state)
{
    const uint32_t word = 0x11223344;
    struct bench *b = *state;

    assert_true(disk_write(b->env.disk, (const uint8_t *)&word, sizeof(word), BANK + 8));
    assert_int_equal(bench_read(b, BANK + 8), (BANK + 8) / 4);
    bench_save_and_load(b);
    assert_int_equal(bench_read(b, BANK + 8), word);
}

static void test_read_only_disk(void **state)
{
    struct bench *b = *state;
    struct error err;

    b->cls->destroy(b->dev);
    disk_close(b->env.disk);
    b->env.disk = disk_open(path, true, false, &err);
    b->reg[0].base = BENCH_BASE + 4 * BANK; /* an address that is not mapped yet */
    b->env.reg_count = 1;
    bench_create(b, "cfi_flash");
    bench_write(b, 4 * BANK + 0x40c, BOTH(0x40u));
    bench_write(b, 4 * BANK + 0x40c, 0);
    assert_int_equal(bench_read(b, 4 * BANK), READY);
    bench_write(b, 4 * BANK, BOTH(0xffu));
    assert_int_equal(bench_read(b, 4 * BANK + 0x40c), 0);
    assert_int_equal(file_word(0x40c), 0x103);
}

static void program(struct bench *b, uint64_t at, uint32_t value)
{
    bench_write(b, at, BOTH(0x40u));
    bench_write(b, at, value);
    bench_write(b, at, BOTH(0xffu));
}

/* What no disk has is in a snapshot, and all else is what it was at first. */
static void test_saved_without_disk(void **state)
{
    enum { SMALL = 4096, PIECE = 64 << 10 };
    struct bench *b = bench_of(2, 4 * PIECE, "\0\0\0\4");
    struct state_buf saved = {0};
    struct error err;

    (void)state;
    program(b, PIECE - 4, 0x12345678);
    program(b, 4 * PIECE, 0x23456789); /* the other bank */
    b->cls->save(b->dev, &saved);
    program(b, PIECE - 4, 0);
    program(b, 3 * PIECE, 0);
    program(b, 8 * PIECE - 4, 0);
    assert_true(b->cls->load(b->dev, &saved, &err));
    assert_int_equal(bench_read(b, PIECE - 4), 0x12345678);
    assert_int_equal(bench_read(b, 4 * PIECE), 0x23456789);
    assert_int_equal(bench_read(b, 3 * PIECE), ~0u);
    assert_int_equal(bench_read(b, 8 * PIECE - 4), ~0u);
    state_buf_free(&saved);
    bench_free(b);
    b = bench_of(1, SMALL, "\0\0\0\4"); /* smaller than a piece */
    program(b, SMALL - 4, 7);
    b->cls->save(b->dev, &saved);
    program(b, SMALL - 4, 0);
    assert_true(b->cls->load(b->dev, &saved, &err));
    assert_int_equal(bench_read(b, SMALL - 4), 7);
    state_buf_free(&saved);
    assert_true(b->cls->load(b->dev, &saved, &err)); /* one that has nothing of it */
    assert_int_equal(bench_read(b, SMALL - 4), ~0u);
    bench_free(b);
}

/* A word behind the end of the disk is in a snapshot too. */
static void test_saved_behind_disk(void **state)
{
    struct bench *b = *state;

    program(b, BANK + 2048, 0x12345678);
    bench_save_and_load(b);
    assert_int_equal(bench_read(b, BANK + 2048), 0x12345678);
    assert_int_equal(bench_read(b, BANK + 1020), (BANK + 1020) / 4);
}

/* Four banks, of 4 KB to 256 MB. */
static void test_banks(void **state)
{
    const struct device_class *cls = device_class_by_name("cfi_flash");
    struct bench *b = bench_of(5, 4096, "\0\0\0\4");
    struct error err;
    uint64_t value;

    (void)state;
    assert_int_equal(bench_read(b, 3 * 4096), ~0u);
    assert_false(bus_read(b->bus, BENCH_BASE + 4 * 4096, 4, &value, 0));
    bench_free(b);
    b = bench_of(1, 256 << 20, "\0\0\0\4");
    assert_int_equal(bench_read(b, (256 << 20) - 4), ~0u);
    bench_free(b);
    b = bench_new();
    b->reg[0].size = 512 << 20;
    assert_null(cls->create(&b->env, &err));
    b->reg[0].size = 2048;
    assert_null(cls->create(&b->env, &err));
    b->env.reg_count = 0;
    assert_null(cls->create(&b->env, &err));
    assert_non_null(strstr(err.text, "no reg[0]"));
    bench_free(b);
}

static void test_bad_banks(void **state)
{
    struct bench *b = bench_new();
    struct error err;

    (void)state;
    b->reg[0].size = 0x3000;
    assert_null(device_class_by_name("cfi_flash")->create(&b->env, &err));
    assert_non_null(strstr(err.text, "bank of flash"));
    bench_free(b);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_contents),
        TEST(test_query),
        TEST(test_program),
        TEST(test_erase),
        TEST(test_buffer),
        cmocka_unit_test(test_bad_banks),
        cmocka_unit_test(test_whole_query),
        TEST(test_identity),
        cmocka_unit_test(test_one_chip),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_buffer_sizes),
        TEST(test_end_of_disk),
        TEST(test_loaded_disk),
        TEST(test_read_only_disk),
        cmocka_unit_test(test_saved_without_disk),
        TEST(test_saved_behind_disk),
        cmocka_unit_test(test_banks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
