/*
 * The core of character back ends, and the back ends without host resources: null, memory, scripts.
 */
#include "tests/dev/bench.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/dev/chardev.h"
#include "tests/dev/locks.h"

#define MS    UINT64_C(1000000)
#define QUEUE 65536u

/* A serial port with room for `room` bytes that keeps only the last bytes received. */
struct fixture {
    struct clock clock;
    struct chardev_host host;
    struct chardev *chr;
    char got[512];
    size_t len; /* bytes in `got` */
    size_t room, total, wrong;
    bool asks;       /* asks for more input while it receives */
    unsigned leaves; /* 1: detaches while it receives */
    unsigned quits;
    uint64_t quit_at; /* ns at which `quit` was called */
};

static uint8_t byte_of(size_t n)
{
    return (uint8_t)(n * 7 >> 3);
}

static size_t can_receive(void *opaque)
{
    return ((struct fixture *)opaque)->room;
}

static void receive(void *opaque, const uint8_t *bytes, size_t len)
{
    struct fixture *f = opaque;

    assert_in_range(len, 1, f->room);
    f->room -= len;
    for (size_t n = 0; n < len; n++)
        f->wrong += bytes[n] != byte_of(f->total++);
    f->len = f->len + len < sizeof(f->got) ? f->len : 0;
    memcpy(f->got + f->len, bytes, len);
    f->len += len;
    f->got[f->len] = 0;
    if (f->leaves)
        chardev_attach(f->chr, NULL);
    if (f->asks)
        chardev_accept_input(f->chr);
}

static void quit(void *opaque)
{
    struct fixture *f = opaque;

    f->quits++;
    f->quit_at = clock_now(&f->clock);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    clock_init(&f->clock);
    f->host = (struct chardev_host){.clock = &f->clock, .quit = quit, .opaque = f};
    f->room = SIZE_MAX;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    chardev_close(f->chr);
    clock_free(&f->clock);
    free(f);
    assert_int_equal(lock_faults_seen(), 0);
    return 0;
}

static void attach(struct fixture *f)
{
    chardev_attach(f->chr, &(struct chardev_client){can_receive, receive, NULL, f});
}

static void open_chr(struct fixture *f, const char *spec)
{
    struct error err = {""};

    f->chr = chardev_open(spec, &f->host, &err);
    if (!f->chr)
        fail_msg("%s", err.text);
    attach(f);
}

static void put(struct fixture *f, const char *text)
{
    chardev_write(f->chr, (const uint8_t *)text, strlen(text));
}

/* ---- input ----------------------------------------------------------------------------------- */

static uint8_t *numbered(size_t len)
{
    uint8_t *bytes = malloc(len);

    for (size_t n = 0; n < len; n++)
        bytes[n] = byte_of(n);
    return bytes;
}

/* A port with room receives all input at once, however much. */
static void test_feed_more_than_the_queue(void **state)
{
    struct fixture *f = *state;
    uint8_t *bytes = numbered(3 * QUEUE + 5);

    open_chr(f, "memory");
    chardev_feed(f->chr, bytes, 3 * QUEUE + 5);
    assert_int_equal(f->total, 3 * QUEUE + 5);
    assert_int_equal(f->wrong, 0);
    free(bytes);
}

/* Queued input stays in order where the queue wraps around; a full queue keeps the oldest bytes. */
static void test_queue_goes_round(void **state)
{
    struct fixture *f = *state;
    uint8_t *bytes = numbered(5 * QUEUE);
    size_t fed = 0;

    open_chr(f, "memory");
    f->room = 0;
    for (unsigned n = 0; n < 10; n++) {
        chardev_feed(f->chr, bytes + fed, 30000);
        fed += 30000;
        f->room = 25000;
        chardev_accept_input(f->chr);
        if (fed - f->total > QUEUE - 30000)
            break;
    }
    assert_int_equal(f->room, 0);
    chardev_feed(f->chr, bytes + fed, QUEUE);
    f->room = SIZE_MAX;
    fed = f->total;
    chardev_accept_input(f->chr);
    assert_int_equal(f->total - fed, QUEUE);
    assert_int_equal(f->wrong, 0);
    free(bytes);
}

/* A port that asks for more input while it receives gets every byte once, in order. */
static void test_asks_while_it_receives(void **state)
{
    struct fixture *f = *state;
    uint8_t *bytes = numbered(1000);

    open_chr(f, "memory");
    f->asks = true;
    chardev_feed(f->chr, bytes, 1000);
    assert_int_equal(f->total, 1000);
    assert_int_equal(f->wrong, 0);
    free(bytes);
}

/* Input waits while no port is attached; a port that detaches while it receives gets no more. */
static void test_detached(void **state)
{
    struct fixture *f = *state;
    uint8_t *bytes = numbered(1000);

    open_chr(f, "memory");
    chardev_attach(f->chr, NULL);
    chardev_feed(f->chr, bytes, 300);
    assert_int_equal(f->total, 0);
    f->leaves = 1;
    attach(f);
    assert_in_range(f->total, 1, 299);
    f->leaves = 0;
    chardev_feed(f->chr, bytes + 300, 700);
    assert_in_range(f->total, 1, 299);
    attach(f);
    assert_int_equal(f->total, 1000);
    assert_int_equal(f->wrong, 0);
    free(bytes);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void test_null(void **state)
{
    struct fixture *f = *state;
    size_t len = 1;

    open_chr(f, "null");
    assert_string_equal(chardev_describe(f->chr), "null");
    put(f, "anything");
    assert_string_equal(chardev_output(f->chr, &len), "");
    assert_int_equal(len, 0);
}

/* All output is kept, and ends with a NUL, whatever the sizes of its pieces. */
static void test_memory_keeps_output(void **state)
{
    struct fixture *f = *state;
    char *text = malloc(40001);
    size_t done = 0, len = 1;

    for (size_t n = 0; n < 40000; n++)
        text[n] = (char)('a' + n % 26);
    text[40000] = 0;
    open_chr(f, "memory");
    assert_string_equal(chardev_describe(f->chr), "memory");
    assert_string_equal(chardev_output(f->chr, &len), "");
    assert_int_equal(len, 0);
    for (size_t piece = 1; done + piece < 40000; piece = piece * 3 % 5003) {
        chardev_write(f->chr, (const uint8_t *)text + done, piece);
        done += piece;
        assert_int_equal(strlen(chardev_output(f->chr, NULL)), done);
    }
    chardev_write(f->chr, (const uint8_t *)text + done, 40000 - done);
    assert_string_equal(chardev_output(f->chr, &len), text);
    assert_int_equal(len, 40000);
    free(text);
}

static void test_nothing_is_left(void **state)
{
    struct fixture *f = *state;
    uint8_t *much = calloc(1, 1 << 20);
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;

    for (unsigned n = 0; n < 10; n++) {
        open_chr(f, "memory");
        chardev_write(f->chr, much, 1 << 20);
        chardev_close(f->chr);
        f->chr = NULL;
    }
    assert_true(mallinfo2().uordblks + mallinfo2().hblkhd < before + QUEUE);
    chardev_close(NULL);
    free(much);
}

/* ---- scripts --------------------------------------------------------------------------------- */

/*
 * Opens a script with this text, attached to a port. Returns false with an error if the text is
 * wrong.
 */
static bool open_script(struct fixture *f, const char *text, struct error *err)
{
    char path[] = "scriptXXXXXX", spec[64];
    int fd = mkstemp(path);
    struct error none = {""};

    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    snprintf(spec, sizeof(spec), "script:%s", path);
    chardev_close(f->chr);
    f->len = f->total = 0;
    f->got[0] = 0;
    *err = none;
    f->chr = chardev_open(spec, &f->host, err);
    unlink(path);
    if (f->chr)
        attach(f);
    return f->chr != NULL;
}

static void expect_script(struct fixture *f, const char *text)
{
    struct error err;

    if (!open_script(f, text, &err))
        fail_msg("%s", err.text);
}

static void expect_fault(struct fixture *f, const char *text, const char *message)
{
    struct error err;

    if (open_script(f, text, &err))
        fail_msg("'%s' is no script", text);
    if (!strstr(err.text, message))
        fail_msg("'%s': %s", text, err.text);
}

static void advance(struct fixture *f, uint64_t ns)
{
    clock_advance_to(&f->clock, clock_now(&f->clock) + ns);
}

/* Redirects standard output to `fd`. end_capture() undoes it, with the descriptor returned here. */
static int begin_capture(int fd)
{
    int old = dup(STDOUT_FILENO);

    fflush(stdout);
    dup2(fd, STDOUT_FILENO);
    return old;
}

static void end_capture(int old)
{
    dup2(old, STDOUT_FILENO);
    close(old);
}

static int begin_silence(void)
{
    int null = open("/dev/null", O_WRONLY), old = begin_capture(null);

    close(null);
    return old;
}

/* An awaited text is not found in output before it, or as an overlapping part of the last one. */
static void test_expects_in_order(void **state)
{
    struct fixture *f = *state;
    int old = begin_silence();

    expect_script(f, "expect A\nexpect B\nexpect B\nsend ok\n");
    put(f, "B A C");
    advance(f, 10 * MS);
    assert_int_equal(f->len, 0);
    put(f, " x B");
    advance(f, 10 * MS);
    assert_int_equal(f->len, 0);
    put(f, "B");
    advance(f, 10 * MS);
    assert_string_equal(f->got, "ok");
    end_capture(old);
}

/* The longest text is found at every position in more output than is kept. */
static void test_expects_in_much_output(void **state)
{
    struct fixture *f = *state;
    char *script = calloc(1, 5000), *text = calloc(1, 2049), *filler = calloc(1, 10000);
    int old = begin_silence();

    for (unsigned n = 0; n < 2048; n++)
        text[n] = (char)('a' + n * 7 % 23);
    memset(filler, '.', 9999);
    snprintf(script, 5000, "expect %s\nsend ok\n", text);
    for (size_t before = 1500; before < 9000; before += 231) {
        expect_script(f, script);
        chardev_write(f->chr, (const uint8_t *)filler, before);
        chardev_write(f->chr, (const uint8_t *)text, 1000);
        advance(f, 10 * MS);
        assert_int_equal(f->len, 0);
        chardev_write(f->chr, (const uint8_t *)text + 1000, 1048);
        advance(f, 10 * MS);
        assert_string_equal(f->got, "ok");
    }
    end_capture(old);
    free(script);
    free(text);
    free(filler);
}

/* Text is sent a millisecond after its cause, or at the end of a wait. */
static void test_times(void **state)
{
    struct fixture *f = *state;
    uint64_t begin = clock_now(&f->clock);

    expect_script(f, "send a\nwait 5\nsend b\nsend c\nwait 1000\nquit");
    advance(f, MS - 1);
    assert_string_equal(f->got, "");
    advance(f, 1);
    assert_string_equal(f->got, "a");
    advance(f, 6 * MS - 1);
    assert_string_equal(f->got, "a");
    advance(f, 1);
    assert_string_equal(f->got, "ab");
    advance(f, MS);
    assert_string_equal(f->got, "abc");
    advance(f, 10000 * MS);
    assert_int_equal(f->quits, 1);
    assert_int_equal(f->quit_at - begin, 1009 * MS);
    put(f, ""); /* at the end of the script */
}

/* Closing stops the script; a machine need not provide `quit`. */
static void test_closed(void **state)
{
    struct fixture *f = *state;

    expect_script(f, "wait 5\nsend a\nquit\n");
    chardev_close(f->chr);
    f->chr = NULL;
    advance(f, 100 * MS);
    assert_int_equal(f->len + f->quits, 0);
    f->host.quit = NULL;
    expect_script(f, "quit\nsend a\n");
    advance(f, 100 * MS);
    assert_string_equal(f->got, "a");
}

static void *drain(void *opaque)
{
    int *fd = opaque;
    static uint8_t bytes[1 << 16];
    size_t total = 0, wrong = 0;
    ssize_t n;

    usleep(20000); /* time for the pipe to fill up */
    while ((n = read(*fd, bytes, sizeof(bytes))) > 0) {
        for (ssize_t i = 0; i < n; i++)
            wrong += bytes[i] != byte_of(total++);
    }
    *fd = (int)(wrong ? 0 : total);
    return NULL;
}

/* All output reaches standard output, even a slow pipe. */
static void test_output_is_seen(void **state)
{
    struct fixture *f = *state;
    uint8_t *much = numbered(300000);
    pthread_t thread;
    int fds[2], old, result;

    assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
    fcntl(fds[0], F_SETFL, 0);
    result = fds[0];
    expect_script(f, "expect never\n");
    assert_int_equal(pthread_create(&thread, NULL, drain, &result), 0);
    old = begin_capture(fds[1]);
    close(fds[1]);
    chardev_write(f->chr, much, 300000);
    end_capture(old);
    pthread_join(thread, NULL);
    assert_int_equal(result, 300000);
    close(fds[0]);
    free(much);
}

static void test_escapes(void **state)
{
    struct fixture *f = *state;

    expect_script(f, "send \\x41\\x7e\\x0a\\\\\\t\\r\\n\\xfF  .\n");
    advance(f, MS);
    assert_string_equal(f->got, "A~\n\\\t\r\n\xff  .");
    expect_script(f, "send \\x00z\n");
    advance(f, MS);
    assert_memory_equal(f->got, "\0z", 2);
}

static void test_faults_of_scripts(void **state)
{
    static const char *const lines[] = {
        "send \\x",   "send \\x4",  "send \\x4g", "send \\x 4",
        "send \\x-1", "send \\x+1", "send \\x0x", "send \\",
        "expect",     "wait",       "wait -1",    "wait -18446744073709551615",
        "wait 1 ms",  "quit now",   "sendx",      "wait 1000000001",
        " send x",    "wait 1e3",   "QUIT",       "send ",
    };
    struct fixture *f = *state;

    for (size_t n = 0; n < sizeof(lines) / sizeof(lines[0]); n++) {
        char text[64];

        if (!strcmp(lines[n], "send \\x0x41"))
            continue; /* \x0 and its digits: see test_escapes */
        snprintf(text, sizeof(text), "# first\n%s\nquit\n", lines[n]);
        expect_fault(f, text, ":2: expected 'expect TEXT'");
    }
    expect_script(f, "wait 1000000000\n\n#\n  \nquit");
}

/* The largest number of lines, and one more; the longest line, and a longer one. */
static void test_sizes_of_scripts(void **state)
{
    struct fixture *f = *state;
    char *text = calloc(1, 200000);

    memset(text, '\n', 65536);
    expect_script(f, text);
    text[65536] = '\n';
    expect_fault(f, text, ":65537: expected");
    memset(text, '#', 200000);
    strcpy(text + 4094, "\nquit\n");
    expect_script(f, text);
    strcpy(text + 4095, "\nquit\n");
    text[4094] = '#';
    expect_fault(f, text, ":1: expected");
    memset(text, 'x', 5000);
    memcpy(text, "send ", 5);
    strcpy(text + 5 + 2048, "\n");
    expect_script(f, text);
    text[5 + 2048] = 'x';
    strcpy(text + 5 + 2049, "\n");
    expect_fault(f, text, ":1: expected");
    free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_feed_more_than_the_queue),
        TEST(test_queue_goes_round),
        TEST(test_asks_while_it_receives),
        TEST(test_detached),
        TEST(test_null),
        TEST(test_memory_keeps_output),
        TEST(test_nothing_is_left),
        TEST(test_expects_in_order),
        TEST(test_expects_in_much_output),
        TEST(test_times),
        TEST(test_closed),
        TEST(test_output_is_seen),
        TEST(test_escapes),
        TEST(test_faults_of_scripts),
        TEST(test_sizes_of_scripts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
