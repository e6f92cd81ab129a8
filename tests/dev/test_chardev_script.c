/* The back end that plays a script: what it expects, sends and waits for, and wrong scripts. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/dev/serial_port.h"

#define MS UINT64_C(1000000)

/*
 * Opens a script with this text, attached to a port. Returns false with an error if the text is
 * wrong.
 */
static bool open_script(struct serial_port *f, const char *text, struct error *err)
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
        serial_port_attach(f);
    return f->chr != NULL;
}

static void expect_script(struct serial_port *f, const char *text)
{
    struct error err;

    if (!open_script(f, text, &err))
        fail_msg("%s", err.text);
}

static void expect_fault(struct serial_port *f, const char *text, const char *message)
{
    struct error err;

    if (open_script(f, text, &err))
        fail_msg("'%s' is no script", text);
    if (!strstr(err.text, message))
        fail_msg("'%s': %s", text, err.text);
}

static void advance_clock(struct serial_port *f, uint64_t ns)
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
    struct serial_port *f = *state;
    int old = begin_silence();

    expect_script(f, "expect A\nexpect B\nexpect B\nsend ok\n");
    serial_port_send(f, "B A C");
    advance_clock(f, 10 * MS);
    assert_int_equal(f->len, 0);
    serial_port_send(f, " x B");
    advance_clock(f, 10 * MS);
    assert_int_equal(f->len, 0);
    serial_port_send(f, "B");
    advance_clock(f, 10 * MS);
    assert_string_equal(f->got, "ok");
    end_capture(old);
}

/*
 * A guest prints a prompt in two pieces; the script answers a millisecond later. Comments and empty
 * lines count for nothing.
 */
static void test_answers_a_prompt(void **state)
{
    struct serial_port *f = *state;
    int old = begin_silence();

    expect_script(f, "# comment\n\nexpect login: \nsend root\\n\nexpect # \nexpect # \n"
                     "send \\x41\\\\\\t\nwait 5\nquit\n");
    advance_clock(f, 1000 * MS);
    serial_port_send(f, "boot... log");
    serial_port_send(f, "in: ");
    advance_clock(f, MS - 1);
    assert_int_equal(f->len, 0);
    advance_clock(f, 1);
    assert_string_equal(f->got, "root\n");
    serial_port_send(f, "one# two# ");
    advance_clock(f, 20000 * MS);
    assert_string_equal(f->got, "root\nA\\\t");
    assert_int_equal(f->quits, 1);
    end_capture(old);
}

/* The longest text is found at every position in more output than is kept. */
static void test_expects_in_much_output(void **state)
{
    struct serial_port *f = *state;
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
        advance_clock(f, 10 * MS);
        assert_int_equal(f->len, 0);
        chardev_write(f->chr, (const uint8_t *)text + 1000, 1048);
        advance_clock(f, 10 * MS);
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
    struct serial_port *f = *state;
    uint64_t begin = clock_now(&f->clock);

    expect_script(f, "send a\nwait 5\nsend b\nsend c\nwait 1000\nquit");
    advance_clock(f, MS - 1);
    assert_string_equal(f->got, "");
    advance_clock(f, 1);
    assert_string_equal(f->got, "a");
    advance_clock(f, 6 * MS - 1);
    assert_string_equal(f->got, "a");
    advance_clock(f, 1);
    assert_string_equal(f->got, "ab");
    advance_clock(f, MS);
    assert_string_equal(f->got, "abc");
    advance_clock(f, 10000 * MS);
    assert_int_equal(f->quits, 1);
    assert_int_equal(f->quit_at - begin, 1009 * MS);
    serial_port_send(f, ""); /* at the end of the script */
}

/* Closing stops the script; a machine need not provide `quit`. */
static void test_closed(void **state)
{
    struct serial_port *f = *state;

    expect_script(f, "wait 5\nsend a\nquit\n");
    chardev_close(f->chr);
    f->chr = NULL;
    advance_clock(f, 100 * MS);
    assert_int_equal(f->len + f->quits, 0);
    f->host.quit = NULL;
    expect_script(f, "quit\nsend a\n");
    advance_clock(f, 100 * MS);
    assert_string_equal(f->got, "a");
}

static void *drain_pipe(void *opaque)
{
    int *fd = opaque;
    static uint8_t bytes[1 << 16];
    size_t total = 0, wrong = 0;
    ssize_t n;

    usleep(20000); /* time for the pipe to fill up */
    while ((n = read(*fd, bytes, sizeof(bytes))) > 0) {
        for (ssize_t i = 0; i < n; i++)
            wrong += bytes[i] != serial_port_byte(total++);
    }
    *fd = (int)(wrong ? 0 : total);
    return NULL;
}

/* All output reaches standard output, even a slow pipe. */
static void test_output_is_seen(void **state)
{
    struct serial_port *f = *state;
    uint8_t *much = serial_port_bytes(300000);
    pthread_t thread;
    int fds[2], old, result;

    assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
    fcntl(fds[0], F_SETFL, 0);
    result = fds[0];
    expect_script(f, "expect never\n");
    assert_int_equal(pthread_create(&thread, NULL, drain_pipe, &result), 0);
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
    struct serial_port *f = *state;

    expect_script(f, "send \\x41\\x7e\\x0a\\\\\\t\\r\\n\\xfF  .\n");
    advance_clock(f, MS);
    assert_string_equal(f->got, "A~\n\\\t\r\n\xff  .");
    expect_script(f, "send \\x00z\n");
    advance_clock(f, MS);
    assert_memory_equal(f->got, "\0z", 2);
}

static void test_faults_of_scripts(void **state)
{
    static const char *const lines[] = {
        "send \\x",        "send \\x4",  "send \\x4g", "send \\x 4",
        "send \\x-1",      "send \\x+1", "send \\x0x", "send \\",
        "expect",          "wait",       "wait -1",    "wait -18446744073709551615",
        "wait 1 ms",       "send \\q",   "quit now",   "sendx",
        "wait 1000000001", " send x",    "wait 1e3",   "QUIT",
        "send ",
    };
    struct serial_port *f = *state;

    for (size_t n = 0; n < sizeof(lines) / sizeof(lines[0]); n++) {
        char text[64];

        snprintf(text, sizeof(text), "# first\n%s\nquit\n", lines[n]);
        expect_fault(f, text, ":2: expected 'expect TEXT'");
    }
    expect_script(f, "wait 1000000000\n\n#\n  \nquit");
}

/* The largest number of lines, and one more; the longest line, and a longer one. */
static void test_sizes_of_scripts(void **state)
{
    struct serial_port *f = *state;
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, serial_port_setup, serial_port_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_expects_in_order),
        TEST(test_answers_a_prompt),
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
