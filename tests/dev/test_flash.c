/* NOR flash: query, program and erase of two chips side by side, as cfi_cmdset_0001 of Linux does it. */
#include "tests/dev/bench.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/dev/disk.h"

#define BOTH(command) ((command) << 16 | (command))
#define BANK          (UINT64_C(1) << 20) /* two chips of 512 KB, four blocks each */
#define BLOCK         0x40000u            /* of both chips */
#define READY         BOTH(0x80u)

static char path[] = "/tmp/gencc-flash-XXXXXX";

/* The second bank's first 1,024 bytes are the last that are on the disk. */
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
    assert_int_equal(bench_read(b, BANK + 1024), ~0u); /* past the disk: erased */
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
    assert_int_equal(bench_read(b, 0x30 * 4), BOTH(2));  /* of 128 KB */
    assert_int_equal(bench_read(b, 0x31 * 4), BOTH('P'));
    assert_int_equal(bench_read(b, BANK + 0x40),
                     (BANK + 0x40) / 4); /* the other bank still reads */
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
    bench_write(b, 0x40c, 0xfffffff2); /* 0x103: only bits that are one can change */
    assert_int_equal(bench_read(b, 0), READY);
    bench_write(b, 0, BOTH(0xffu));
    assert_int_equal(bench_read(b, 0x40c), 0x102);
    assert_int_equal(file_word(0x40c), 0x102);
    bench_write_as(b, 0, BENCH_BASE + 0x410, 2, 0x40); /* one chip alone */
    bench_write_as(b, 0, BENCH_BASE + 0x410, 2, 0);
    assert_int_equal(bench_read(b, 0x410), 0x80);
    bench_write(b, 0, BOTH(0xffu));
    assert_int_equal(bench_read(b, 0x410), 0);
    bench_write(b, BANK + 2048, BOTH(0x40u)); /* past the disk */
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
    bench_write(b, 0, BOTH(0x60u)); /* unlock: as Linux does before it erases */
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
        TEST(test_contents), TEST(test_query),  TEST(test_program),
        TEST(test_erase),    TEST(test_buffer), cmocka_unit_test(test_bad_banks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
