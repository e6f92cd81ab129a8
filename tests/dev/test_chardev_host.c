/* Character back ends on files, pipes and terminals of the host, and wrong specifications. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "tests/dev/serial_port.h"

static unsigned output_waits; /* calls of poll() that wait until output is possible */

int __real_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
    if (count && fds->events & POLLOUT && timeout)
        __atomic_add_fetch(&output_waits, 1, __ATOMIC_RELAXED);
    return __real_poll(fds, count, timeout);
}

static void test_bad_specs(void **state)
{
    static const char *const specs[] = {
        "nonsense",        "file:no/such/folder/x",
        "tcp:1234",        "tcp:localhost:",
        "tcp:x:1,y",       "script:no/such/file",
        "tcp:127.0.0.1:1", "",
        "files:x",         "tcp:a:1234567890123456789,server",
    };
    struct serial_port *f = *state;

    for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
        struct error err = {""};

        assert_null(chardev_open(specs[i], &f->host, &err));
        assert_true(strlen(err.text) > 10);
    }
}

static void test_file(void **state)
{
    struct serial_port *f = *state;
    char path[] = "serialXXXXXX", spec[64], text[8] = "";
    int fd = mkstemp(path);

    snprintf(spec, sizeof(spec), "file:%s", path);
    serial_port_open(f, spec);
    serial_port_send(f, "abc");
    assert_int_equal(read(fd, text, sizeof(text)), 3);
    assert_string_equal(text, "abc");
    assert_non_null(strstr(chardev_describe(f->chr), path));
    close(fd);
    unlink(path);
}

static void test_pty(void **state)
{
    struct serial_port *f = *state;
    const char *name;
    int fd;

    serial_port_open(f, "pty");
    name = strchr(chardev_describe(f->chr), '/');
    assert_non_null(name);
    fd = open(name, O_RDWR | O_NOCTTY);
    assert_true(fd >= 0);
    serial_port_send(f, "prompt> ");
    serial_port_expect_bytes(fd, "prompt> ");
    assert_int_equal(write(fd, "ls\n", 3), 3);
    serial_port_await(f, "ls\n");
    close(fd);
}

/*
 * Output to a peer that does not read is dropped after one wait, and not after one per character.
 */
static void test_peer_that_does_not_read(void **state)
{
    struct serial_port *f = *state;
    char text[8];
    int fd;

    serial_port_open(f, "pty");
    output_waits = 0;
    for (unsigned i = 0; i < 200000; i++)
        serial_port_send(f, "x");
    assert_int_equal(output_waits, 1);
    fd = open(strchr(chardev_describe(f->chr), '/'), O_RDWR | O_NOCTTY | O_NONBLOCK);
    assert_true(fd >= 0);
    while (read(fd, text, sizeof(text)) > 0) /* now the peer reads */
        ;
    serial_port_send(f, "there");
    fcntl(fd, F_SETFL, 0);
    serial_port_expect_bytes(fd, "there");
    close(fd);
}

/* Replaces stdin by `fd` and opens the stdio back end. */
static int replace_stdin(int fd)
{
    int old = dup(STDIN_FILENO);

    dup2(fd, STDIN_FILENO);
    return old;
}

static void restore_stdin(int old)
{
    dup2(old, STDIN_FILENO);
    close(old);
}

static void test_terminal_and_escapes(void **state)
{
    struct serial_port *f = *state;
    struct termios mode;
    int master, slave, old;

    assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
    old = replace_stdin(slave);
    serial_port_open(f, "stdio");
    assert_int_equal(tcgetattr(slave, &mode), 0);
    assert_int_equal(mode.c_lflag & (ICANON | ECHO | ISIG), 0);
    assert_true(mode.c_oflag & OPOST); /* the simulator's own messages need it */
    assert_int_equal(write(master,
                           "a\x03\x01\x01z\x01"
                           "b\x01"
                           "cke\x01\x01y\x01"
                           "c\x01x!",
                           19),
                     19);
    serial_port_await(f, "!");
    assert_string_equal(f->got, "a\x03\x01z!"); /* ^C goes to the guest */
    clock_run_posted(&f->clock);
    assert_int_equal(f->breaks, 1);
    assert_int_equal(f->monitors, 1);
    assert_string_equal(f->keys, "ke\x01y"); /* between the first Ctrl-A c and the second */
    assert_int_equal(f->leaves, 1);
    assert_int_equal(f->quits, 0);
    chardev_close(f->chr);
    f->chr = NULL;
    assert_int_equal(tcgetattr(slave, &mode), 0);
    assert_int_equal(mode.c_lflag & (ICANON | ECHO), ICANON | ECHO);
    restore_stdin(old);
    close(master);
    close(slave);
}

static void test_pipe_on_stdin_loses_nothing(void **state)
{
    struct serial_port *f = *state;
    int fds[2], old;

    assert_int_equal(pipe(fds), 0);
    old = replace_stdin(fds[0]);
    serial_port_open(f, "stdio");
    assert_int_equal(write(fds[1], "\x01x plain", 8), 8); /* no escapes outside of a terminal */
    close(fds[1]);
    serial_port_await(f, "\x01x plain");
    assert_int_equal(f->leaves, 0);
    chardev_close(f->chr);
    f->chr = NULL;
    restore_stdin(old);
    close(fds[0]);
}

#define MUCH 300000

static void *write_much(void *opaque)
{
    static uint8_t bytes[MUCH];
    size_t done = 0;

    for (size_t i = 0; i < MUCH; i++)
        bytes[i] = serial_port_byte(i);
    while (done < MUCH)
        done += (size_t)write(*(int *)opaque, bytes + done, MUCH - done);
    return NULL;
}

/* A guest that reads slowly receives every byte in order: the writer of the pipe waits. */
static void test_pipe_waits_for_a_slow_guest(void **state)
{
    struct serial_port *f = *state;
    pthread_t thread;
    size_t total = 0;
    int fds[2], old;

    assert_int_equal(pipe(fds), 0);
    old = replace_stdin(fds[0]);
    f->room = 0;
    serial_port_open(f, "stdio");
    assert_int_equal(pthread_create(&thread, NULL, write_much, &fds[1]), 0);
    usleep(20000); /* the queue fills */
    while (total < MUCH) {
        f->len = 0;
        f->room = 100;
        clock_run_posted(&f->clock);
        chardev_accept_input(f->chr);
        for (size_t i = 0; i < f->len; i++)
            assert_int_equal((uint8_t)f->got[i], serial_port_byte(total + i));
        total += f->len;
    }
    pthread_join(thread, NULL);
    chardev_close(f->chr);
    f->chr = NULL;
    restore_stdin(old);
    close(fds[0]);
    close(fds[1]);
}

/* A file on stdin is read at once, without a thread, so that every run is the same. */
static void test_file_on_stdin(void **state)
{
    struct serial_port *f = *state;
    FILE *file = tmpfile();
    int old;

    fputs("ls\nexit\n", file);
    rewind(file);
    old = replace_stdin(fileno(file));
    serial_port_open(f, "stdio");
    assert_string_equal(f->got, "ls\nexit\n");
    restore_stdin(old);
    fclose(file);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, serial_port_setup, serial_port_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_bad_specs),
        TEST(test_file),
        TEST(test_pty),
        TEST(test_peer_that_does_not_read),
        TEST(test_terminal_and_escapes),
        TEST(test_pipe_on_stdin_loses_nothing),
        TEST(test_pipe_waits_for_a_slow_guest),
        TEST(test_file_on_stdin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
