/* A PL180 and the SD card in its slot, driven by its registers as a driver does. */
#include "tests/dev/bench.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/dev/disk.h"
#include "runtime/dev/sd_card.h"

#define POWER    0x00
#define CLOCK    0x04
#define ARGUMENT 0x08
#define COMMAND  0x0c
#define RESPONSE 0x14
#define TIMER    0x24
#define LENGTH   0x28
#define CONTROL  0x2c
#define DATA_CNT 0x30
#define STATUS   0x34
#define CLEAR    0x38
#define MASK0    0x3c
#define MASK1    0x40
#define FIFO_CNT 0x48
#define FIFO     0x80

#define TIMEOUT      (1u << 2)
#define DATA_TIMEOUT (1u << 3)
#define RESP_END     (1u << 6)
#define SENT         (1u << 7)
#define DATA_END     (1u << 8)
#define RX_ACTIVE    (1u << 13)
#define TX_HALF      (1u << 14)
#define RX_HALF      (1u << 15)
#define RX_AVAILABLE (1u << 21)

#define SHORT 0x440u
#define LONG  0x4c0u
#define READ  0x93u /* 512-byte blocks from the card */
#define WRITE 0x91u

#define BLOCKS 2048u

static char path[] = "/tmp/gencc-sd-XXXXXX";
static bool pins[2];

static void set_pin(void *opaque, unsigned n, bool level)
{
    (void)opaque;
    pins[n] = level;
}

static bool find_gpio(void *opaque, const char *name, struct irq_line *line)
{
    *line = (struct irq_line){set_pin, opaque, !strcmp(name, "wp-gpios")};
    return true;
}

/* Each word of the card holds its own address. */
static void make_image(void)
{
    FILE *file;

    strcpy(path + strlen(path) - 6, "XXXXXX");
    file = fdopen(mkstemp(path), "wb");
    for (uint32_t i = 0; i < BLOCKS * 128; i++)
        fwrite(&i, sizeof(i), 1, file);
    fclose(file);
}

static struct bench *bench_on(struct disk *disk)
{
    struct bench *b = bench_new();

    b->env.irq_count = 2;
    b->env.gpio = find_gpio;
    b->env.disk = disk;
    bench_create(b, "pl180");
    return b;
}

static struct bench *bench_with(bool card, bool read_only)
{
    struct error err = {""};

    make_image();
    return bench_on(card ? disk_open(path, read_only, false, &err) : NULL);
}

static void free_bench(struct bench *b)
{
    struct disk *disk = b->env.disk;

    bench_free(b);
    disk_close(disk);
    unlink(path);
}

static int setup(void **state)
{
    *state = bench_with(true, false);
    return 0;
}

static int teardown(void **state)
{
    free_bench(*state);
    return 0;
}

/* Sends a command and returns its status flags. */
static uint32_t send_command(struct bench *b, unsigned index, uint32_t argument, uint32_t flags)
{
    uint32_t ends = TIMEOUT | RESP_END | SENT | 1;

    bench_write(b, CLEAR, ends);
    bench_write(b, ARGUMENT, argument);
    bench_write(b, COMMAND, index | flags);
    return bench_read(b, STATUS) & ends;
}

static uint32_t expect_answer(struct bench *b, unsigned index, uint32_t argument)
{
    assert_int_equal(send_command(b, index, argument, SHORT), RESP_END);
    assert_int_equal(bench_read(b, 0x10), index);
    return bench_read(b, RESPONSE);
}

static uint32_t app_answer(struct bench *b, unsigned index, uint32_t rca, uint32_t argument)
{
    assert_int_equal(expect_answer(b, 55, rca << 16) & 1u << 5, 1u << 5);
    return expect_answer(b, index, argument);
}

/* Identifies the card as a driver does. Returns its address. */
static uint32_t identify_card(struct bench *b)
{
    bench_write(b, POWER, 3);
    assert_int_equal(send_command(b, 0, 0, 0x400), SENT);
    assert_int_equal(expect_answer(b, 8, 0x1aa), 0x1aa);
    assert_int_equal(app_answer(b, 41, 0, 0), 0x00ff8000); /* an inquiry only */
    /* the host does not claim high capacity */
    assert_int_equal(app_answer(b, 41, 0, 0x00100000) >> 31, 0);
    assert_int_equal(app_answer(b, 41, 0, 0x40100000), 0xc0ff8000);
    assert_int_equal(send_command(b, 2, 0, LONG), RESP_END);
    return expect_answer(b, 3, 0) >> 16;
}

static uint32_t select_card(struct bench *b)
{
    uint32_t rca = identify_card(b);

    assert_int_equal(expect_answer(b, 7, rca << 16) >> 9 & 15, 3);
    assert_int_equal(expect_answer(b, 13, rca << 16) >> 9 & 15, 4);
    return rca;
}

static void start_transfer(struct bench *b, uint32_t len, uint32_t control)
{
    bench_write(b, CLEAR, 0x7ff);
    bench_write(b, TIMER, 1000);
    bench_write(b, LENGTH, len);
    bench_write(b, CONTROL, control);
}

static void test_identification(void **state)
{
    struct bench *b = *state;
    uint32_t rca, csd[4];

    assert_true(pins[0]);
    assert_false(pins[1]);
    assert_int_equal(bench_read(b, 0xfe0) | bench_read(b, 0xfe4) << 8, 0x1180);
    rca = identify_card(b);
    assert_int_not_equal(rca, 0);
    assert_int_equal(send_command(b, 9, 0, LONG), TIMEOUT); /* address of another card */
    assert_int_equal(send_command(b, 9, rca << 16, LONG), RESP_END);
    for (unsigned i = 0; i < 4; i++)
        csd[i] = bench_read(b, RESPONSE + 4 * i);
    assert_int_equal(csd[0] >> 30, 1);
    assert_int_equal((csd[1] << 16 | csd[2] >> 16) & 0x3fffff, BLOCKS / 1024 - 1);
    /* CRC7 of the 15 bytes, and the last bit, which PL180 drops */
    assert_int_equal(csd[3] & 0xff, 0x56);
    assert_int_equal(send_command(b, 10, rca << 16, LONG), RESP_END);
    assert_int_equal(bench_read(b, RESPONSE) & 0xff, 'G');
    assert_int_equal(bench_read(b, RESPONSE + 4), 0x454e4343); /* ENCC */
    assert_int_equal(bench_read(b, RESPONSE + 12) & 0xff, 0x36);
}

static void test_commands_out_of_place(void **state)
{
    struct bench *b = *state;
    uint32_t rca;

    assert_int_equal(send_command(b, 17, 0, SHORT), TIMEOUT);
    assert_int_equal(send_command(b, 5, 0, SHORT), TIMEOUT); /* not an SDIO card */
    assert_int_equal(expect_answer(b, 55, 0) & 1u << 22, 1u << 22);
    assert_int_equal(expect_answer(b, 55, 0) & 1u << 22, 0); /* the error is reported once */
    assert_int_equal(send_command(b, 8, 0x2aa, SHORT), TIMEOUT);
    rca = select_card(b);
    assert_int_equal(expect_answer(b, 17, BLOCKS) >> 31, 1);
    assert_int_equal(expect_answer(b, 16, 1024) >> 29 & 1, 1);
    assert_int_equal(expect_answer(b, 38, 0) >> 28 & 1, 1);
    assert_int_equal(send_command(b, 7, 0, SHORT), TIMEOUT); /* deselects */
    assert_int_equal(expect_answer(b, 13, rca << 16) >> 9 & 15, 3);
    send_command(b, 15, rca << 16, 0x400);
    assert_int_equal(send_command(b, 13, rca << 16, SHORT), TIMEOUT);
    bench_write(b, POWER, 0);
    assert_int_equal(select_card(b), rca);
}

static void test_read(void **state)
{
    struct bench *b = *state;

    select_card(b);
    bench_write(b, MASK1, RX_HALF | RX_AVAILABLE);
    bench_write(b, MASK0, DATA_END);
    start_transfer(b, 1024, READ);
    assert_int_equal(bench_read(b, FIFO_CNT), 256);
    expect_answer(b, 18, 5);
    assert_true(b->level[1]);
    assert_false(b->level[0]);
    assert_int_equal(bench_read(b, FIFO_CNT), 240);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(bench_read(b, FIFO + 4 * (i % 16)), 5 * 128 + i);
    bench_save_and_load(b);
    for (uint32_t i = 100; i < 256; i++) {
        assert_int_equal(bench_read(b, STATUS) & RX_ACTIVE, RX_ACTIVE); /* to the last word */
        assert_int_equal(bench_read(b, FIFO), 5 * 128 + i);
    }
    assert_int_equal(bench_read(b, STATUS) & RX_ACTIVE, 0);
    assert_true(b->level[0]);
    assert_false(b->level[1]);
    assert_int_equal(bench_read(b, STATUS) & 0x500, 0x500);
    assert_int_equal(expect_answer(b, 12, 0) >> 9 & 15, 5);
    assert_int_equal(bench_read(b, FIFO), 0);
    start_transfer(b, 512, READ);
    expect_answer(b, 17, 0);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(bench_read(b, FIFO), i);
    assert_int_equal(send_command(b, 12, 0, SHORT), TIMEOUT); /* a single block ends by itself */
}

static uint32_t file_word(uint32_t n)
{
    FILE *file = fopen(path, "rb");
    uint32_t word = 0;

    fseek(file, (long)n * 4, SEEK_SET);
    assert_int_equal(fread(&word, sizeof(word), 1, file), 1);
    fclose(file);
    return word;
}

static void put_file_word(uint32_t n)
{
    FILE *file = fopen(path, "r+b");
    uint32_t word = 0x5a5a;

    fseek(file, (long)n * 4, SEEK_SET);
    assert_int_equal(fwrite(&word, sizeof(word), 1, file), 1);
    fclose(file);
}

static void test_write(void **state)
{
    struct bench *b = *state;
    uint32_t rca = select_card(b);

    expect_answer(b, 25, 7);
    start_transfer(b, 1024, WRITE);
    assert_int_equal(bench_read(b, STATUS) & TX_HALF, TX_HALF);
    for (uint32_t i = 0; i < 256; i++) {
        assert_int_equal(bench_read(b, STATUS) & DATA_END, 0);
        bench_write(b, FIFO, ~i);
    }
    assert_int_equal(bench_read(b, STATUS) & DATA_END, DATA_END);
    expect_answer(b, 12, 0);
    assert_int_equal(file_word(7 * 128 - 1), 7 * 128 - 1);
    assert_int_equal(file_word(7 * 128), ~0u);
    assert_int_equal(file_word(7 * 128 + 255), ~255u);
    assert_int_equal(file_word(7 * 128 + 256), 7 * 128 + 256);
    start_transfer(b, 4, READ | 0x20);
    app_answer(b, 22, rca, 0);
    assert_int_equal(bench_read(b, FIFO), 2u << 24); /* number of blocks written */
    expect_answer(b, 32, 10);
    expect_answer(b, 33, 11);
    expect_answer(b, 38, 0);
    bench_run_to(b, clock_now(&b->clock) + 1000);
    assert_int_equal(file_word(10 * 128 - 1), 10 * 128 - 1);
    assert_int_equal(file_word(10 * 128), 0);
    assert_int_equal(file_word(12 * 128 - 1), 0);
    assert_int_equal(file_word(12 * 128), 12 * 128);
    expect_answer(b, 25, BLOCKS - 1); /* past the end */
    start_transfer(b, 1024, WRITE);
    for (uint32_t i = 0; i < 256; i++)
        bench_write(b, FIFO, i);
    expect_answer(b, 12, 0);
    assert_int_equal(expect_answer(b, 24, BLOCKS) >> 31, 1);
}

/*
 * An erase of 10 MB takes three steps of a microsecond: busy until the last one, whether selected
 * or not.
 */
static void test_erase(void **state)
{
    struct bench *b = *state;
    uint32_t rca, last = 10 * 2048 + 1;
    struct error err = {""};
    uint64_t began;

    free_bench(b);
    make_image();
    assert_int_equal(truncate(path, 16 << 20), 0);
    put_file_word((2 + 2 * 8192) * 128);
    put_file_word(last * 128 + 127);
    put_file_word(last * 128 + 128);
    *state = b = bench_on(disk_open(path, false, false, &err));
    rca = select_card(b);
    expect_answer(b, 32, 2);
    expect_answer(b, 33, last);
    assert_int_equal(expect_answer(b, 38, 0), 4 << 9 | 1 << 8);
    began = clock_now(&b->clock);
    assert_int_equal(expect_answer(b, 13, rca << 16), 7 << 9);
    assert_int_equal(send_command(b, 17, 0, SHORT), TIMEOUT);
    assert_int_equal(file_word(2 * 128), 2 * 128);
    bench_run_to(b, began + 1000);
    assert_int_equal(file_word(2 * 128 - 1), 2 * 128 - 1);
    assert_int_equal(file_word(2 * 128), 0);
    assert_int_equal(file_word((2 + 2 * 8192) * 128), 0x5a5a);
    assert_int_equal(expect_answer(b, 13, rca << 16) & ~(1u << 22), 7 << 9);
    bench_save_and_load(b);
    send_command(b, 7, 0, 0x400); /* deselects */
    assert_int_equal(expect_answer(b, 13, rca << 16), 8 << 9);
    expect_answer(b, 7, rca << 16);
    assert_int_equal(expect_answer(b, 13, rca << 16), 7 << 9);
    bench_run_to(b, began + 2500);
    assert_int_equal(expect_answer(b, 13, rca << 16), 7 << 9);
    send_command(b, 7, 0, 0x400);
    bench_run_to(b, began + 4000);
    assert_int_equal(expect_answer(b, 13, rca << 16), 3 << 9 | 1 << 8);
    assert_int_equal(file_word((2 + 2 * 8192) * 128), 0);
    assert_int_equal(file_word(last * 128 + 127), 0);
    assert_int_equal(file_word(last * 128 + 128), 0x5a5a);
    assert_int_equal(expect_answer(b, 7, rca << 16), 3 << 9 | 1 << 8);
}

/* A card reset ends an erase. */
static void test_erase_given_up(void **state)
{
    struct bench *b = *state;

    for (unsigned power = 0; power < 2; power++) {
        select_card(b);
        expect_answer(b, 32, 1);
        expect_answer(b, 33, 1);
        expect_answer(b, 38, 0);
        if (power)
            bench_write(b, POWER, 0);
        else
            send_command(b, 0, 0, 0x400);
        bench_run_to(b, clock_now(&b->clock) + 10000);
        assert_int_equal(file_word(128), 128);
    }
}

/* R6, section 4.9.5: the address, and the status bits 23, 22, 19 and 12 to 0. */
static void test_published_address(void **state)
{
    struct bench *b = *state;

    identify_card(b);
    /* state before the command: stand-by, ready for data */
    assert_int_equal(expect_answer(b, 3, 0), 0x45670700);
    assert_int_equal(send_command(b, 17, 0, SHORT), TIMEOUT); /* not selected: illegal */
    assert_int_equal(expect_answer(b, 3, 0), 0x45670700 | 1 << 14);
    assert_int_equal(expect_answer(b, 3, 0), 0x45670700);
}

/* Unknown ACMDs are tried as plain commands, and are illegal if these are unknown as well. */
static void test_application_commands(void **state)
{
    struct bench *b = *state;
    uint32_t rca = select_card(b);

    start_transfer(b, 8, READ);
    app_answer(b, 51, rca, 0);
    bench_read(b, FIFO);
    bench_read(b, FIFO);
    assert_int_equal(expect_answer(b, 13, rca << 16), 4 << 9 | 1 << 8);
    expect_answer(b, 55, rca << 16);
    assert_int_equal(send_command(b, 50, 0, SHORT), TIMEOUT);
    assert_int_equal(expect_answer(b, 13, rca << 16), 1u << 22 | 4 << 9 | 1 << 8);
    expect_answer(b, 55, rca << 16);
    assert_int_equal(expect_answer(b, 16, 512),
                     4 << 9 | 1 << 8); /* not an ACMD: APP_CMD is not set */
    assert_int_equal(app_answer(b, 23, rca, 8), 4 << 9 | 1 << 8 | 1 << 5);
    assert_int_equal(app_answer(b, 42, rca, 1), 4 << 9 | 1 << 8 | 1 << 5);
}

/* Sections 4.10.2 and 4.3.10.4: bytes arrive in order, in words whose first byte is the lowest. */
static void test_status_and_functions(void **state)
{
    static const uint32_t functions[5] = {0x01800100, 0x01800180, 0x01800180, 0x0380, 0};
    struct bench *b = *state;
    uint32_t rca = select_card(b);

    start_transfer(b, 64, READ);
    app_answer(b, 13, rca, 0);
    for (unsigned i = 0; i < 16; i++)
        /* word 0: bus of 1 bit; word 2: speed class 10 (code 4), AU_SIZE 9 */
        assert_int_equal(bench_read(b, FIFO), i == 2 ? 0x00900004 : 0);
    start_transfer(b, 64, READ);
    expect_answer(b, 6, 0x00fffff0);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(bench_read(b, FIFO), i < 5 ? functions[i] : 0);
}

/* The last block can be read; the next one is out of range, which is not a medium error. */
static void test_last_block(void **state)
{
    struct bench *b = *state;

    select_card(b);
    expect_answer(b, 25, BLOCKS - 1);
    start_transfer(b, 512, WRITE);
    for (uint32_t i = 0; i < 128; i++)
        bench_write(b, FIFO, 7);
    assert_int_equal(expect_answer(b, 12, 0), 6 << 9 | 1 << 8);
    assert_int_equal(file_word(BLOCKS * 128 - 1), 7);
    expect_answer(b, 25, BLOCKS - 1);
    start_transfer(b, 1024, WRITE);
    for (uint32_t i = 0; i < 256; i++)
        bench_write(b, FIFO, 8);
    assert_int_equal(expect_answer(b, 12, 0), 1u << 31 | 6 << 9 | 1 << 8);
    start_transfer(b, 1024, READ);
    expect_answer(b, 18, BLOCKS - 1);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(bench_read(b, FIFO), 8);
    assert_int_equal(expect_answer(b, 12, 0), 1u << 31 | 5 << 9 | 1 << 8);
}

/* Snapshot states that no card can have load as after power-on. CURRENT_STATE by its numbers. */
static void test_loaded_cards(void **state)
{
    enum { TRAN = 4, SENDING, RECEIVING, PROGRAMMING, DISCONNECTED, INACTIVE };
    static const struct {
        struct sd_state s;
        bool empty, kept;
    } rows[] = {
        {{.state = TRAN, .rca = 1}, .kept = true},
        {{.state = INACTIVE, .rca = 1}, .kept = true},
        {{.state = INACTIVE + 1, .rca = 1}, .kept = false},
        {{.state = SENDING, .rca = 1, .len = 512, .at = 512}, .kept = true},
        {{.state = SENDING, .rca = 1, .len = 513, .at = 0}, .kept = false},
        {{.state = SENDING, .rca = 1, .len = 64, .at = 65}, .kept = false},
        {{.state = RECEIVING, .rca = 1, .at = 511}, .kept = true},
        {{.state = RECEIVING, .rca = 1, .at = 512}, .kept = false},
        {{.state = PROGRAMMING, .rca = 1, .erase_first = 5, .erase_last = 5}, .kept = true},
        {{.state = DISCONNECTED, .rca = 1, .erase_first = 6, .erase_last = 5}, .kept = false},
        {{.state = PROGRAMMING, .rca = 1, .erase_last = BLOCKS - 1}, .kept = true},
        {{.state = PROGRAMMING, .rca = 1, .erase_last = BLOCKS}, .kept = false},
        {{.state = PROGRAMMING, .rca = 1, .erase_last = 1}, .empty = true, .kept = false},
    };
    struct bench *b = *state;

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        struct sd_card card = {rows[i].s, rows[i].empty ? NULL : b->env.disk};

        sd_card_check(&card);
        if ((card.s.rca == 1) != rows[i].kept)
            fail_msg("row %u", i);
        if (!rows[i].kept)
            assert_int_equal(card.s.state, 0);
    }
}

static void test_registers_as_data(void **state)
{
    struct bench *b = *state;
    uint32_t rca = select_card(b);

    start_transfer(b, 8, READ);
    app_answer(b, 51, rca, 0);
    assert_int_equal(bench_read(b, FIFO), 0x3502);
    assert_int_equal(bench_read(b, FIFO), 0);
    start_transfer(b, 64, READ);
    expect_answer(b, 6, 0x80fffff1); /* high speed */
    for (unsigned i = 0; i < 16; i++) {
        uint32_t word = bench_read(b, FIFO);

        if (i == 3)
            assert_int_equal(word, 0x0380);
        if (i == 4)
            assert_int_equal(word & 0xff, 1);
    }
    start_transfer(b, 64, READ);
    expect_answer(b, 6, 0x00ffffff);
    for (unsigned i = 0; i < 16; i++) {
        uint32_t word = bench_read(b, FIFO);

        if (i == 4)
            assert_int_equal(word & 0xff, 1);
    }
    app_answer(b, 6, rca, 2);
    start_transfer(b, 64, READ);
    app_answer(b, 13, rca, 0);
    assert_int_equal(bench_read(b, FIFO), 0x80);
}

/* Without data only the time-out ends a transfer: after 1000 clocks of 24 MHz / 2. */
static void test_timeout(void **state)
{
    struct bench *b = *state;

    select_card(b);
    bench_write(b, MASK0, DATA_TIMEOUT);
    start_transfer(b, 512, READ);
    bench_run_to(b, 83000);
    assert_false(b->level[0]);
    bench_save_and_load(b);
    bench_run_to(b, 83000 + 84000);
    assert_true(b->level[0]);
    assert_int_equal(bench_read(b, CONTROL) & 1, 0);
    bench_write(b, CLEAR, DATA_TIMEOUT);
    assert_false(b->level[0]);
    start_transfer(b, 512, WRITE); /* without a write command the card takes no data */
    for (uint32_t i = 0; i < 16; i++)
        bench_write(b, FIFO, i);
    assert_int_equal(bench_read(b, STATUS) >> 16 & 1, 1);
    bench_run_to(b, 400000);
    assert_true(b->level[0]);
}

/* DDI 0172, section 3.3.11: bits 12 to 21 while the FIFO fills. The card takes no data. */
static void test_transmit_flags(void **state)
{
    struct bench *b = *state;

    select_card(b);
    bench_listen(b);
    start_transfer(b, 512, WRITE);
    for (uint32_t words = 0; words <= 16; words++) {
        uint32_t flags = 1u << 12;

        flags |= words <= 8 ? 1u << 14 : 0;   /* half empty */
        flags |= words == 16 ? 1u << 16 : 0;  /* full */
        flags |= words ? 1u << 20 : 1u << 18; /* data available, or empty */
        assert_int_equal(bench_read(b, STATUS) >> 12, flags >> 12);
        assert_string_equal(bench_heard(b), "");
        bench_write(b, FIFO, words);
    }
    assert_non_null(strstr(bench_heard(b), "it has no room for")); /* the 17th word */
    assert_int_equal(bench_read(b, DATA_CNT), 512);
    bench_write(b, CONTROL, 0);
    assert_int_equal(bench_read(b, STATUS) >> 12, 0);
}

static void test_receive_flags(void **state)
{
    struct bench *b = *state;

    select_card(b);
    bench_listen(b);
    start_transfer(b, 512, READ);
    assert_int_equal(bench_read(b, STATUS) >> 12, 1u << 1 | 1u << 7);
    expect_answer(b, 17, 0);
    assert_int_equal(bench_read(b, DATA_CNT), 512 - 64);
    for (uint32_t left = 128; left > 0; left--) {
        uint32_t words = left < 16 ? left : 16, flags = 1u << 13 | 1u << 21;

        flags |= words >= 8 ? 1u << 15 : 0;
        flags |= words == 16 ? 1u << 17 : 0;
        assert_int_equal(bench_read(b, STATUS) >> 12, flags >> 12);
        assert_int_equal(bench_read_as(b, BUS_NO_CPU, BENCH_BASE + FIFO, 4), 128 - left);
        bench_read(b, FIFO);
    }
    assert_int_equal(bench_read(b, STATUS) >> 12, 1u << 7);
    assert_int_equal(bench_read(b, DATA_CNT), 0);
    assert_string_equal(bench_heard(b), "");
    bench_write(b, FIFO, 1); /* wrong direction */
    assert_non_null(strstr(bench_heard(b), "it has no room for"));
    assert_int_equal(bench_read(b, STATUS) >> 12, 1u << 7);
}

/* Without data: the time-out of 1000 clocks of the card at 24 MHz / (2 * (5 + 1)). */
static void test_slow_clock(void **state)
{
    struct bench *b = *state;

    select_card(b);
    bench_write(b, CLOCK, 5);
    bench_write(b, MASK0, DATA_TIMEOUT);
    start_transfer(b, 512, READ);
    bench_run_to(b, 500000 - 1);
    assert_false(b->level[0]);
    bench_run_to(b, 500000);
    assert_true(b->level[0]);
}

/* Registers keep what is written, and a reset clears them all. */
static void test_registers_and_reset(void **state)
{
    static const uint32_t words[][2] = {{POWER, 0xc3}, {CLOCK, 0x1ff},   {ARGUMENT, 0x12345678},
                                        {TIMER, 7},    {LENGTH, 0x4321}, {MASK0, 0x3},
                                        {MASK1, 0x5}};
    struct bench *b = *state;

    identify_card(b);
    bench_write(b, COMMAND, 0x3f); /* not enabled: the command is stored only */
    assert_int_equal(bench_read(b, COMMAND), 0x3f);
    bench_write(b, COMMAND, 0x400);
    assert_int_equal(bench_read(b, COMMAND), 0); /* commands complete at once */
    for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
        bench_write(b, words[i][0], words[i][1]);
    for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
        assert_int_equal(bench_read(b, words[i][0]), words[i][1]);
    bench_write(b, LENGTH, 0xfedc1234); /* 16 bits */
    assert_int_equal(bench_read(b, LENGTH), 0x1234);
    b->cls->reset(b->dev);
    for (unsigned offset = 0; offset < MASK1; offset += 4)
        assert_int_equal(bench_read(b, offset), 0);
    assert_int_equal(bench_read(b, MASK1), 0);
}

static void test_protected_card(void **state)
{
    struct bench *b = bench_with(true, true);

    (void)state;
    assert_true(pins[1]);
    select_card(b);
    assert_int_equal(expect_answer(b, 24, 0) >> 26 & 1, 1);
    assert_int_equal(expect_answer(b, 55, 0x45670000) >> 9 & 15, 4);
    free_bench(b);
}

static void test_empty_slot(void **state)
{
    struct bench *b = bench_with(false, false);

    (void)state;
    assert_false(pins[0]);
    assert_int_equal(send_command(b, 0, 0, 0x400), SENT);
    assert_int_equal(send_command(b, 8, 0x1aa, SHORT), TIMEOUT);
    free_bench(b);
}

static void test_one_interrupt(void **state)
{
    struct bench *b = bench_new();

    (void)state;
    bench_create(b, "pl180");
    bench_write(b, MASK1, SENT);
    send_command(b, 0, 0, 0x400);
    assert_true(b->level[0]);
    bench_free(b);
}

static void test_image_size(void **state)
{
    struct bench *b = bench_new();
    struct error err;

    (void)state;
    make_image();
    assert_int_equal(truncate(path, 512 * 1000), 0);
    b->env.disk = disk_open(path, true, false, &err);
    assert_null(device_class_by_name("pl180")->create(&b->env, &err));
    assert_non_null(strstr(err.text, "512 KB"));
    free_bench(b);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_identification),
        TEST(test_commands_out_of_place),
        TEST(test_read),
        TEST(test_write),
        TEST(test_erase),
        TEST(test_erase_given_up),
        TEST(test_registers_as_data),
        TEST(test_published_address),
        TEST(test_application_commands),
        TEST(test_status_and_functions),
        TEST(test_last_block),
        TEST(test_loaded_cards),
        TEST(test_timeout),
        TEST(test_transmit_flags),
        TEST(test_receive_flags),
        TEST(test_slow_clock),
        TEST(test_registers_and_reset),
        cmocka_unit_test(test_protected_card),
        cmocka_unit_test(test_empty_slot),
        cmocka_unit_test(test_one_interrupt),
        cmocka_unit_test(test_image_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
