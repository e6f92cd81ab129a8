/* Semihosting calls on two CPUs of the toy instruction set, made as a program makes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/machine/semihosting.h"
#include "tests/cpu/toy_isa.h"

#define RAM       UINT64_C(0x80000000)
#define RAM_BYTES 0x40000u
#define BLOCK     (RAM + 0x100)
#define NAMES     (RAM + 0x200)
#define DATA      (RAM + 0x8000)
#define CODE      (RAM + 0x20000)
#define CONDUIT   3
#define PART      4096u
#define PART_PS   10000000u
#define LONG      10000u /* bytes of a text that takes three parts */

enum { OPEN = 1, CLOSE, WRITEC, WRITE0, WRITE, READ, READC, ISERROR, ISTTY, SEEK, FLEN = 12 };
enum { REMOVE = 14, RENAME, CLOCK, TIME, ERRNO = 19, CMDLINE = 21, HEAPINFO, EXIT = 24 };
enum { EXIT_EXTENDED = 32, ELAPSED = 48, TICKFREQ };
enum { TO_READ = 0, BOTH = 2, TO_WRITE = 4, WRITE_BOTH = 6, APPEND = 8 };

static const char *tree; /* semihosting.dtb */

struct bench {
    struct machine m;
    struct options options;
    struct semihosting *s;
    struct insn insn;
    char folder[32], path[64], console[64];
    int out;        /* the test's own standard output */
    unsigned parts; /* number of parts of the last call */
    unsigned char *ram;
};

/* ---- life ------------------------------------------------------------------------------------ */

static void add_cpu(struct bench *b, unsigned n, struct error *err)
{
    struct machine *m = &b->m;

    m->cpus[n] = cpu_new(&toy_isa, n, m->bus, &m->clock, &m->log, err);
    assert_non_null(m->cpus[n]);
}

static void name_registers(struct platform_info *info)
{
    for (info->arg_count = 0; info->arg_count < 2; info->arg_count++) {
        char name[8];

        snprintf(name, sizeof(name), "X%u", info->arg_count);
        assert_true(cpu_register_find(&toy_isa, name, &info->args[info->arg_count]));
    }
    info->results[0] = info->args[0];
    info->result_count = 1;
}

static void start_semihosting(struct bench *b)
{
    struct error err = {""};

    b->s = semihosting_new(&b->m, &err);
    if (!b->s)
        fail_msg("%s", err.text);
}

static int setup(void **state)
{
    struct bench *b = calloc(1, sizeof(*b));
    struct machine *m = &b->m;
    struct error err = {""};

    alarm(60);
    clock_init(&m->clock);
    m->options = &b->options;
    m->bus = bus_new(&m->log);
    assert_non_null(bus_add_ram(m->bus, "ram", RAM, RAM_BYTES, &err));
    b->ram = bus_ram_ptr(m->bus, RAM, RAM_BYTES);
    m->info.dt = dt_load(tree, &err);
    assert_true(m->info.dt && dt_index(m->info.dt, &err));
    name_registers(&m->info);
    m->cpu_count = 2;
    for (unsigned n = 0; n < 2; n++)
        add_cpu(b, n, &err);
    assert_true(cpu_group_init(&m->group, m->cpus, 2, m->bus, &m->clock, &err));
    for (unsigned n = 0; n < 2; n++) {
        cpu_reset(m->cpus[n]);
        cpu_set_power(m->cpus[n], true);
    }
    start_semihosting(b);
    strcpy(b->folder, "/tmp/gencc-semi-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    snprintf(b->path, sizeof(b->path), "%s/file", b->folder);
    snprintf(b->console, sizeof(b->console), "%s/console", b->folder);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    struct bench *b = *state;

    semihosting_free(b->s);
    unlink(b->path);
    unlink(b->console);
    rmdir(b->folder);
    cpu_group_free(&b->m.group);
    cpu_free(b->m.cpus[0]);
    cpu_free(b->m.cpus[1]);
    dt_free(b->m.info.dt);
    bus_free(b->m.bus);
    clock_free(&b->m.clock);
    free(b);
    alarm(0);
    return 0;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static uint8_t *memory_at(struct bench *b, uint64_t address)
{
    return b->ram + (address - RAM);
}

/*
 * Executes the instruction once, as by cpu_firmware(). Returns false if the call has further parts.
 */
static bool execute_once(struct bench *b, unsigned n)
{
    struct cpu *cpu = b->m.cpus[n];

    le_put(memory_at(b, CODE - 4), 4, 0x1f1f1f1f);
    le_put(memory_at(b, CODE + 4), 4, 0x7f7f7f7f);
    cpu->current = &b->insn;
    cpu->block_pc = CODE;
    cpu->repeated = cpu->repeats;
    cpu->repeats = false;
    assert_true(semihosting_call(b->s, cpu, CONDUIT));
    return !cpu->repeats;
}

static void prepare_call(struct bench *b, unsigned n, uint64_t operation, uint64_t parameter)
{
    toy_state(b->m.cpus[n])->x[0] = operation;
    toy_state(b->m.cpus[n])->x[1] = parameter;
}

static int64_t call_result(struct bench *b, unsigned n)
{
    return (int64_t)toy_state(b->m.cpus[n])->x[0];
}

static int64_t call_operation(struct bench *b, uint64_t operation, uint64_t parameter)
{
    uint64_t before = b->m.cpus[0]->delayed_ps;

    prepare_call(b, 0, operation, parameter);
    for (b->parts = 1; !execute_once(b, 0); b->parts++)
        assert_int_equal(toy_state(b->m.cpus[0])->x[0], operation); /* no register changed */
    assert_int_equal(b->m.cpus[0]->delayed_ps - before, (uint64_t)(b->parts - 1) * PART_PS);
    return call_result(b, 0);
}

static void put_block(struct bench *b, uint64_t block, uint64_t f0, uint64_t f1, uint64_t f2,
                      uint64_t f3)
{
    const uint64_t field[] = {f0, f1, f2, f3};

    for (unsigned n = 0; n < 4; n++)
        le_put(memory_at(b, block + 8 * n), 8, field[n]);
}

static int64_t call_with_block(struct bench *b, uint64_t operation, uint64_t f0, uint64_t f1,
                               uint64_t f2, uint64_t f3)
{
    put_block(b, BLOCK, f0, f1, f2, f3);
    return call_operation(b, operation, BLOCK);
}

static uint64_t put_name(struct bench *b, uint64_t place, const char *text)
{
    memcpy(memory_at(b, place), text, strlen(text) + 1);
    return place;
}

static int64_t open_name(struct bench *b, const char *text, unsigned mode)
{
    return call_with_block(b, OPEN, put_name(b, NAMES, text), mode, strlen(text), 0);
}

static int64_t error_of(struct bench *b)
{
    return call_operation(b, ERRNO, 0);
}

static uint8_t pattern_byte(size_t n)
{
    return (uint8_t)(1 + n % 251);
}

static void fill_pattern(struct bench *b, uint64_t place, size_t len)
{
    for (size_t n = 0; n < len; n++)
        *memory_at(b, place + n) = pattern_byte(n);
}

static void expect_file(const char *path, size_t len)
{
    FILE *f = fopen(path, "rb");
    size_t wrong = 0;

    assert_non_null(f);
    for (size_t n = 0; n < len; n++)
        wrong += fgetc(f) != pattern_byte(n);
    assert_int_equal(wrong, 0);
    assert_int_equal(fgetc(f), EOF);
    fclose(f);
}

static void make_file(const char *path, size_t len)
{
    FILE *f = fopen(path, "wb");

    for (size_t n = 0; n < len; n++)
        fputc(pattern_byte(n), f);
    fclose(f);
}

/* Redirects printed text to a file. */
static void capture_console(struct bench *b)
{
    int fd = open(b->console, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    fflush(stdout);
    b->out = dup(STDOUT_FILENO);
    dup2(fd, STDOUT_FILENO);
    close(fd);
}

static void release_console(struct bench *b)
{
    fflush(stdout);
    dup2(b->out, STDOUT_FILENO);
    close(b->out);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void test_file(void **state)
{
    struct bench *b = *state;
    int64_t file;

    file = open_name(b, b->path, TO_WRITE);
    assert_int_equal(file, 1);
    fill_pattern(b, DATA, 100);
    assert_int_equal(call_with_block(b, WRITE, 1, DATA, 100, 0), 0);
    assert_int_equal(b->parts, 1);
    expect_file(b->path, 100); /* written at once */
    assert_int_equal(call_with_block(b, ISTTY, 1, 0, 0, 0), 0);
    assert_int_equal(call_with_block(b, CLOSE, 1, 0, 0, 0), 0);
    assert_int_equal(call_with_block(b, CLOSE, 1, 0, 0, 0), -1);
    assert_int_equal(error_of(b), EBADF);
    file = open_name(b, b->path, TO_READ + 1);
    assert_int_equal(file, 1); /* the handle is free again */
    assert_int_equal(call_with_block(b, FLEN, 1, 0, 0, 0), 100);
    assert_int_equal(call_with_block(b, SEEK, 1, 90, 0, 0), 0);
    memset(memory_at(b, DATA), 0, 100);
    assert_int_equal(call_with_block(b, READ, 1, DATA, 15, 0), 5);
    assert_int_equal(*memory_at(b, DATA), pattern_byte(90));
    assert_int_equal(*memory_at(b, DATA + 9), pattern_byte(99));
    assert_int_equal(*memory_at(b, DATA + 10), 0);
    assert_int_equal(call_with_block(b, READ, 1, DATA, 15, 0), 15); /* at the end of the file */
    assert_int_equal(call_with_block(b, FLEN, 1, 0, 0, 0),
                     100); /* FLEN does not move the position */
    assert_int_equal(call_with_block(b, READ, 1, DATA, 15, 0), 15);
    assert_int_equal(call_with_block(b, WRITE, 1, DATA, 15, 0), 15); /* opened for reading only */
    assert_int_equal(error_of(b), EIO);
    assert_int_equal(call_with_block(b, SEEK, 1, UINT64_MAX, 0, 0), -1);
    assert_int_equal(error_of(b), EINVAL);
    assert_int_equal(call_with_block(b, READ, 1, DATA, 0, 0), 0);
}

/* Each mode equals that of fopen(). */
static void test_modes(void **state)
{
    static const struct {
        unsigned mode;
        bool makes, reads, writes, empties, appends;
    } modes[] = {
        {0, false, true, false, false, false}, {1, false, true, false, false, false},
        {2, false, true, true, false, false},  {3, false, true, true, false, false},
        {4, true, false, true, true, false},   {5, true, false, true, true, false},
        {6, true, true, true, true, false},    {7, true, true, true, true, false},
        {8, true, false, true, false, true},   {9, true, false, true, false, true},
        {10, true, true, true, false, true},   {11, true, true, true, false, true},
    };
    struct bench *b = *state;

    for (unsigned n = 0; n < ARRAY_SIZE(modes); n++) {
        struct stat status;

        unlink(b->path);
        assert_int_equal(open_name(b, b->path, modes[n].mode) == 1, modes[n].makes);
        if (modes[n].makes)
            call_with_block(b, CLOSE, 1, 0, 0, 0);
        make_file(b->path, 10);
        assert_int_equal(open_name(b, b->path, modes[n].mode), 1);
        assert_int_equal(stat(b->path, &status), 0);
        assert_int_equal(status.st_size, modes[n].empties ? 0 : 10);
        if (!modes[n].empties) {
            call_with_block(b, SEEK, 1, 3, 0, 0);
            assert_int_equal(call_with_block(b, READ, 1, DATA, 1, 0), !modes[n].reads);
        }
        call_with_block(b, SEEK, 1, 3, 0, 0);
        assert_int_equal(call_with_block(b, WRITE, 1, DATA, 1, 0), !modes[n].writes);
        call_with_block(b, CLOSE, 1, 0, 0, 0);
        stat(b->path, &status);
        assert_int_equal(status.st_size, modes[n].empties ? 4 : modes[n].appends ? 11 : 10);
    }
}

static void test_open_fails(void **state)
{
    struct bench *b = *state;
    char text[5000];

    memset(text, 'x', sizeof(text));
    text[4999] = 0;
    assert_int_equal(open_name(b, "/nonexistent/file", TO_READ), -1);
    assert_int_equal(error_of(b), ENOENT);
    assert_int_equal(open_name(b, b->path, 12), -1); /* not a mode */
    assert_int_equal(error_of(b), EINVAL);
    assert_int_equal(call_with_block(b, OPEN, put_name(b, DATA, text), 0, 4096, 0),
                     -1); /* too long */
    assert_int_equal(error_of(b), EINVAL);
    assert_int_equal(call_with_block(b, OPEN, put_name(b, DATA, text), 0, 4095, 0), -1);
    assert_int_equal(error_of(b), ENAMETOOLONG);
    assert_int_equal(call_with_block(b, OPEN, 0, 0, 5, 0), -1); /* the name is not in memory */
    assert_int_equal(error_of(b), EINVAL);
    for (unsigned n = 0; n < 64; n++)
        assert_int_equal(open_name(b, "/dev/null", TO_READ), n + 1);
    assert_int_equal(open_name(b, "/dev/null", TO_READ), -1);
    assert_int_equal(error_of(b), EMFILE);
    assert_int_equal(call_with_block(b, CLOSE, 64, 0, 0, 0), 0);
    assert_int_equal(call_with_block(b, CLOSE, 65, 0, 0, 0), -1);
    assert_int_equal(call_with_block(b, CLOSE, 0, 0, 0, 0), -1);
    assert_int_equal(open_name(b, "/dev/null", TO_READ), 64);
}

static void test_bad_handles(void **state)
{
    static const unsigned operations[] = {CLOSE, ISTTY, SEEK, FLEN};
    struct bench *b = *state;

    for (unsigned n = 0; n < ARRAY_SIZE(operations); n++) {
        assert_int_equal(call_with_block(b, operations[n], 5, 0, 0, 0), -1);
        assert_int_equal(error_of(b), EBADF);
        b->m.cpus[0]->repeats = false;
        call_with_block(b, ISERROR, 0, 0, 0, 0);
    }
    assert_int_equal(call_with_block(b, WRITE, 5, DATA, LONG, 0), LONG);
    assert_int_equal(error_of(b), EBADF);
    assert_int_equal(call_with_block(b, READ, UINT64_MAX, DATA, LONG, 0), LONG);
    assert_int_equal(error_of(b), EBADF);
}

static void test_remove_and_rename(void **state)
{
    struct bench *b = *state;
    char other[80];
    size_t len = strlen(b->path);

    snprintf(other, sizeof(other), "%s2", b->path);
    make_file(b->path, 3);
    assert_int_equal(call_with_block(b, RENAME, put_name(b, NAMES, b->path), len,
                                     put_name(b, DATA, other), len + 1),
                     0);
    assert_int_equal(access(b->path, F_OK), -1);
    assert_int_equal(access(other, F_OK), 0);
    assert_int_equal(call_with_block(b, RENAME, NAMES, len, DATA, len + 1), -1);
    assert_int_equal(error_of(b), ENOENT);
    assert_int_equal(call_with_block(b, RENAME, NAMES, len, 0, len + 1), -1);
    assert_int_equal(error_of(b), EINVAL);
    assert_int_equal(call_with_block(b, RENAME, NAMES, 5000, DATA, len + 1), -1);
    assert_int_equal(error_of(b), EINVAL);
    assert_int_equal(call_with_block(b, REMOVE, DATA, len + 1, 0, 0), 0);
    assert_int_equal(access(other, F_OK), -1);
    assert_int_equal(call_with_block(b, REMOVE, DATA, len + 1, 0, 0), -1);
    assert_int_equal(error_of(b), ENOENT);
    assert_int_equal(call_with_block(b, REMOVE, 0, 1, 0, 0), -1);
    assert_int_equal(error_of(b), EINVAL);
}

/* The call does not wait for a peer: the FIFO has no reader or writer. */
static void test_fifo(void **state)
{
    struct bench *b = *state;
    int reader;

    assert_int_equal(mkfifo(b->path, 0600), 0);
    assert_int_equal(open_name(b, b->path, TO_WRITE), -1);
    assert_int_equal(open_name(b, b->path, TO_READ), 1);
    assert_int_equal(call_with_block(b, READ, 1, DATA, 10, 0), 10);
    reader = open(b->path, O_RDONLY | O_NONBLOCK);
    assert_int_equal(open_name(b, b->path, TO_WRITE), 2);
    assert_true(call_with_block(b, WRITE, 2, RAM, RAM_BYTES, 0) > 0); /* more than the FIFO holds */
    assert_int_equal(error_of(b), EIO);
    close(reader);
}

/* ---- long transfers -------------------------------------------------------------------------- */

static void test_long_write(void **state)
{
    struct bench *b = *state;

    assert_int_equal(open_name(b, b->path, TO_WRITE), 1);
    fill_pattern(b, DATA, LONG);
    assert_int_equal(call_with_block(b, WRITE, 1, DATA, LONG, 0), 0);
    assert_int_equal(b->parts, 3);
    expect_file(b->path, LONG);
    assert_int_equal(call_with_block(b, SEEK, 1, 0, 0, 0), 0);
    assert_int_equal(call_with_block(b, WRITE, 1, DATA, PART, 0), 0);
    assert_int_equal(b->parts, 1);
    assert_int_equal(call_with_block(b, WRITE, 1, DATA + PART, PART + 1, 0), 0);
    assert_int_equal(b->parts, 2);
    expect_file(b->path, LONG);
}

/* Writes from memory up to its end, in whole parts; the result is the number of unwritten bytes. */
static void test_write_past_memory(void **state)
{
    struct bench *b = *state;
    struct stat status;

    assert_int_equal(open_name(b, b->path, TO_WRITE), 1);
    assert_int_equal(call_with_block(b, WRITE, 1, RAM + RAM_BYTES - 2 * PART, UINT64_C(1) << 40, 0),
                     (INT64_C(1) << 40) - 2 * PART);
    assert_int_equal(b->parts, 3);
    assert_int_equal(error_of(b), EIO);
    assert_int_equal(stat(b->path, &status), 0);
    assert_int_equal(status.st_size, 2 * PART);
}

static void test_long_read(void **state)
{
    struct bench *b = *state;

    make_file(b->path, LONG);
    assert_int_equal(open_name(b, b->path, TO_READ), 1);
    assert_int_equal(call_with_block(b, READ, 1, DATA, LONG, 0), 0);
    assert_int_equal(b->parts, 3);
    for (size_t n = 0; n < LONG; n++)
        assert_int_equal(*memory_at(b, DATA + n), pattern_byte(n));
    assert_int_equal(call_with_block(b, SEEK, 1, 0, 0, 0), 0);
    assert_int_equal(call_with_block(b, READ, 1, DATA, 3 * LONG, 0), 2 * LONG);
    assert_int_equal(call_with_block(b, SEEK, 1, 0, 0, 0), 0);
    assert_int_equal(call_with_block(b, READ, 1, RAM + RAM_BYTES - PART, LONG, 0), LONG - PART);
}

/* The read data may overwrite the call's own argument block. */
static void test_read_over_the_block(void **state)
{
    struct bench *b = *state;

    make_file(b->path, LONG);
    assert_int_equal(open_name(b, b->path, TO_READ), 1);
    assert_int_equal(call_with_block(b, READ, 1, BLOCK - 8, LONG, 0), 0);
    for (size_t n = 0; n < LONG; n++)
        assert_int_equal(*memory_at(b, BLOCK - 8 + n), pattern_byte(n));
}

/* Calls of two CPUs at once: each continues its own. */
static void test_two_cpus(void **state)
{
    struct bench *b = *state;
    bool over[2] = {false, false};

    make_file(b->path, LONG);
    assert_int_equal(open_name(b, b->path, TO_READ), 1);
    assert_int_equal(open_name(b, b->path, TO_READ), 2);
    put_block(b, BLOCK, 1, DATA, LONG, 0);
    put_block(b, BLOCK + 64, 2, DATA + 0x4000, LONG + 5, 0);
    prepare_call(b, 0, READ, BLOCK);
    prepare_call(b, 1, READ, BLOCK + 64);
    while (!over[0] || !over[1]) {
        for (unsigned n = 0; n < 2; n++)
            over[n] = over[n] || execute_once(b, n);
    }
    assert_int_equal(call_result(b, 0), 0);
    assert_int_equal(call_result(b, 1), 5);
    for (size_t n = 0; n < LONG; n++) {
        assert_int_equal(*memory_at(b, DATA + n), pattern_byte(n));
        assert_int_equal(*memory_at(b, DATA + 0x4000 + n), pattern_byte(n));
    }
}

/* A call is not continued after a reset, or at another PC, to which a debugger may have moved. */
static void test_cut_off(void **state)
{
    struct bench *b = *state;

    make_file(b->path, LONG);
    assert_int_equal(open_name(b, b->path, TO_READ), 1);
    put_block(b, BLOCK, 1, DATA, LONG, 0);
    prepare_call(b, 0, READ, BLOCK);
    assert_false(execute_once(b, 0));
    cpu_reset(b->m.cpus[0]);
    assert_int_equal(call_with_block(b, SEEK, 1, 0, 0, 0), 0);
    assert_int_equal(call_with_block(b, READ, 1, DATA, LONG, 0), 0);
    assert_int_equal(b->parts, 3);
    assert_int_equal(call_with_block(b, SEEK, 1, 0, 0, 0), 0);
    put_block(b, BLOCK, 1, DATA, LONG, 0);
    prepare_call(b, 0, READ, BLOCK);
    assert_false(execute_once(b, 0));
    b->insn.offset = 4;
    le_put(memory_at(b, CODE), 4, 0x1f1f1f1f);
    le_put(memory_at(b, CODE + 8), 4, 0x7f7f7f7f);
    prepare_call(b, 0, TICKFREQ, 0);
    b->m.cpus[0]->repeated = true;
    assert_true(semihosting_call(b->s, b->m.cpus[0], CONDUIT));
    assert_int_equal(call_result(b, 0), 1000000000);
}

/* ---- the console ----------------------------------------------------------------------------- */

static void test_write0(void **state)
{
    struct bench *b = *state;
    unsigned parts;

    fill_pattern(b, DATA, LONG);
    *memory_at(b, DATA + LONG) = 0;
    capture_console(b);
    call_operation(b, WRITE0, DATA);
    parts = b->parts;
    release_console(b);
    assert_int_equal(parts, 3);
    expect_file(b->console, LONG);
    capture_console(b);
    call_operation(b, WRITE0, DATA + LONG); /* nothing is written */
    call_operation(b, WRITE0, 0);
    release_console(b);
    expect_file(b->console, 0);
    fill_pattern(b, RAM + RAM_BYTES - PART - 10, PART + 10); /* text without a terminator */
    capture_console(b);
    call_operation(b, WRITE0, RAM + RAM_BYTES - PART - 10);
    release_console(b);
    expect_file(b->console, PART + 10);
}

static void test_console(void **state)
{
    struct bench *b = *state;
    int64_t in, out, seek, length, tty, left, none, c;
    struct stat status;

    capture_console(b);
    in = open_name(b, ":tt", TO_READ);
    out = open_name(b, ":tt", TO_WRITE);
    fill_pattern(b, DATA, 2);
    left = call_with_block(b, WRITE, (uint64_t)out, DATA, 2, 0);
    seek = call_with_block(b, SEEK, (uint64_t)out, UINT64_C(1) << 40, 0, 0);
    none = error_of(b);
    length = call_with_block(b, FLEN, (uint64_t)out, 0, 0, 0);
    *memory_at(b, DATA + 4) = pattern_byte(2);
    c = call_operation(b, WRITEC, DATA + 4);
    tty = call_with_block(b, ISTTY, (uint64_t)out, 0, 0, 0);
    release_console(b);
    assert_int_equal(in, 1);
    assert_int_equal(out, 2);
    assert_int_equal(left, 0);
    assert_int_equal(seek, -1);
    assert_int_equal(none, ESPIPE);
    assert_int_equal(length, -1);
    assert_int_equal(c, 0);
    assert_int_equal(tty, 0); /* the host's standard input is a file */
    expect_file(b->console, 3);
    assert_int_equal(stat(b->console, &status), 0);
    assert_int_equal(call_with_block(b, READ, 1, DATA, 5, 0), 5);
    assert_int_equal(call_operation(b, WRITEC, 0), -1);
    assert_int_equal(error_of(b), EFAULT);
    assert_int_equal(call_operation(b, READC, 0), -1);
}

/* The third group of modes opens standard error. */
static void test_error_console(void **state)
{
    struct bench *b = *state;
    int fd = open(b->console, O_WRONLY | O_CREAT | O_TRUNC, 0600), before = dup(STDERR_FILENO);
    int64_t out, left;

    dup2(fd, STDERR_FILENO);
    close(fd);
    out = open_name(b, ":tt", APPEND);
    fill_pattern(b, DATA, 7);
    left = call_with_block(b, WRITE, (uint64_t)out, DATA, 7, 0);
    dup2(before, STDERR_FILENO);
    close(before);
    assert_int_equal(left, 0);
    expect_file(b->console, 7);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void test_time(void **state)
{
    struct bench *b = *state;

    b->options.start_time = 1000;
    clock_advance_to(&b->m.clock, UINT64_C(12345678901));
    assert_int_equal(call_operation(b, CLOCK, 0), 1234);
    assert_int_equal(call_operation(b, TIME, 0), 1012);
    assert_int_equal(call_operation(b, TICKFREQ, 0), 1000000000);
    assert_int_equal(call_operation(b, ELAPSED, DATA), 0);
    assert_int_equal(le_get(memory_at(b, DATA), 8), UINT64_C(12345678901));
    assert_int_equal(call_operation(b, ELAPSED, 0), -1);
    assert_int_equal(error_of(b), EFAULT);
}

static void test_queries(void **state)
{
    struct bench *b = *state;
    char kernel[] = "a/kernel", append[] = "one two";

    assert_int_equal(call_with_block(b, ISERROR, UINT64_MAX, 0, 0, 0), 1);
    assert_int_equal(call_with_block(b, ISERROR, 1, 0, 0, 0), 0);
    assert_int_equal(call_with_block(b, ISERROR, 0, 0, 0, 0), 0);
    memset(memory_at(b, DATA), 0xff, 64);
    assert_int_equal(call_with_block(b, HEAPINFO, DATA, 0, 0, 0), 0);
    for (unsigned n = 0; n < 32; n++)
        assert_int_equal(*memory_at(b, DATA + n), 0);
    assert_int_equal(*memory_at(b, DATA + 32), 0xff);
    assert_int_equal(call_with_block(b, HEAPINFO, 0, 0, 0, 0), -1);
    assert_int_equal(error_of(b), EFAULT);
    assert_int_equal(call_with_block(b, CMDLINE, DATA, 1, 0, 0), 0);
    assert_int_equal(*memory_at(b, DATA), 0);
    b->options.kernel = kernel;
    b->options.append = append;
    assert_int_equal(call_with_block(b, CMDLINE, DATA, 16, 0, 0),
                     -1); /* no room for the terminator */
    assert_int_equal(error_of(b), ENOSPC);
    assert_int_equal(call_with_block(b, CMDLINE, DATA, 17, 0, 0), 0);
    assert_string_equal(memory_at(b, DATA), "a/kernel one two");
    assert_int_equal(le_get(memory_at(b, BLOCK + 8), 8), 16);
    assert_int_equal(call_with_block(b, CMDLINE, 0, 100, 0, 0), -1);
    assert_int_equal(error_of(b), EFAULT);
    assert_int_equal(call_operation(b, 0x12, 0), -1); /* SYS_SYSTEM */
    assert_int_equal(error_of(b), ENOSYS);
    assert_int_equal(call_operation(b, CLOSE, 0), -1); /* no argument block */
    assert_int_equal(error_of(b), EFAULT);
}

static void test_exit(void **state)
{
    struct bench *b = *state;

    call_with_block(b, EXIT, 0x20026, 0x107, 0, 0);
    assert_true(b->m.stop);
    assert_int_equal(b->m.status, 7);
    assert_false(b->m.cpus[0]->powered);
}

static void test_exit_extended(void **state)
{
    struct bench *b = *state;

    call_with_block(b, EXIT_EXTENDED, 0x20024, 7, 0, 0);
    assert_true(b->m.stop);
    assert_int_equal(b->m.status, 1);
}

/* The instruction has other meanings with another conduit, or without the surrounding words. */
static void test_not_a_call(void **state)
{
    struct bench *b = *state;
    struct cpu *cpu = b->m.cpus[0];

    assert_int_equal(call_operation(b, TICKFREQ, 0), 1000000000);
    prepare_call(b, 0, TICKFREQ, 0);
    assert_false(semihosting_call(b->s, cpu, CONDUIT + 1));
    le_put(memory_at(b, CODE - 4), 4, 0);
    assert_false(semihosting_call(b->s, cpu, CONDUIT));
    le_put(memory_at(b, CODE - 4), 4, 0x1f1f1f1f);
    le_put(memory_at(b, CODE + 4), 4, 0);
    assert_false(semihosting_call(b->s, cpu, CONDUIT));
    assert_int_equal(call_result(b, 0), TICKFREQ);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(test_file),
        TEST(test_modes),
        TEST(test_open_fails),
        TEST(test_bad_handles),
        TEST(test_remove_and_rename),
        TEST(test_fifo),
        TEST(test_long_write),
        TEST(test_write_past_memory),
        TEST(test_long_read),
        TEST(test_read_over_the_block),
        TEST(test_two_cpus),
        TEST(test_cut_off),
        TEST(test_write0),
        TEST(test_console),
        TEST(test_error_console),
        TEST(test_time),
        TEST(test_queries),
        TEST(test_exit),
        TEST(test_exit_extended),
        TEST(test_not_a_call),
    };

    if (argc != 2)
        return 2;
    tree = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
