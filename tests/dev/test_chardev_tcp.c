/* Character back ends on TCP: servers, clients, slow peers, and what is left of descriptors. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/dev/chardev_backend.h"
#include "tests/dev/accepts.h"
#include "tests/dev/serial_port.h"

static int connect_to(unsigned port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
    return fd;
}

/* Returns a port that is free now. */
static unsigned free_port(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET};
    socklen_t len = sizeof(a);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
    close(fd);
    return ntohs(a.sin_port);
}

static void test_tcp_server_takes_one_client_after_another(void **state)
{
    struct serial_port *f = *state;
    unsigned port = free_port();
    char spec[64];

    snprintf(spec, sizeof(spec), "tcp:127.0.0.1:%u,server", port);
    serial_port_open(f, spec);
    serial_port_send(f, "nobody listens");
    for (unsigned round = 0; round < 3; round++) {
        int fd = connect_to(port);
        char text[16];

        snprintf(text, sizeof(text), "hello%u", round);
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
        serial_port_await(f, text);
        serial_port_send(f, "answer");
        serial_port_expect_bytes(fd, "answer");
        close(fd);
    }
}

/*
 * If the host has no descriptor for a client, the thread does not retry all the time, and accepts
 * the client later.
 */
static void test_tcp_server_without_descriptors(void **state)
{
    struct serial_port *f = *state;
    unsigned port = free_port();
    struct rlimit old, none;
    unsigned tried;
    char spec[64];
    int fd, client = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};

    a.sin_port = htons((uint16_t)port);
    snprintf(spec, sizeof(spec), "tcp:127.0.0.1:%u,server", port);
    serial_port_open(f, spec);
    getrlimit(RLIMIT_NOFILE, &old);
    none = old;
    none.rlim_cur = 3; /* all in use */
    setrlimit(RLIMIT_NOFILE, &none);
    fd = connect(client, (struct sockaddr *)&a, sizeof(a));
    tried = accept_count();
    usleep(300000);
    tried = accept_count() - tried;
    setrlimit(RLIMIT_NOFILE, &old);
    assert_int_equal(fd, 0);
    assert_true(tried < 10);
    assert_int_equal(write(client, "late", 4), 4);
    serial_port_await(f, "late");
    close(client);
}

static void test_tcp_client(void **state)
{
    struct serial_port *f = *state;
    struct sockaddr_in a = {.sin_family = AF_INET};
    socklen_t len = sizeof(a);
    int listener = socket(AF_INET, SOCK_STREAM, 0), fd;
    char spec[64];

    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(listener, (struct sockaddr *)&a, len), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&a, &len), 0);
    snprintf(spec, sizeof(spec), "tcp:127.0.0.1:%u", ntohs(a.sin_port));
    serial_port_open(f, spec);
    fd = accept(listener, NULL, NULL);
    serial_port_send(f, "out");
    serial_port_expect_bytes(fd, "out");
    assert_int_equal(write(fd, "in", 2), 2);
    serial_port_await(f, "in");
    close(fd); /* the peer closes */
    serial_port_send(f, "more");
    serial_port_send(f, "more");
    close(listener);
}

/* ---- a peer that does not read ---- */

static struct chardev *_Atomic watched; /* must not be locked while output waits in poll() */
static unsigned waits, waits_with_lock;
static int waited_ms;
static atomic_bool patient; /* makes poll() wait for a peer that a busy host slows down */

int __real_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
    if (watched && count == 1 && fds[0].events == POLLOUT) {
        waits++;
        waited_ms += timeout;
        if (pthread_mutex_trylock(&watched->lock))
            waits_with_lock++;
        else
            pthread_mutex_unlock(&watched->lock);
    }
    return __real_poll(fds, count, patient && count == 1 && timeout > 0 ? 10000 : timeout);
}

/* Input does not wait for a peer that takes no output, and output waits for it only once. */
static void test_tcp_peer_that_does_not_read(void **state)
{
    struct serial_port *f = *state;
    unsigned port = free_port();
    static uint8_t much[1 << 20];
    char spec[64], got[8] = "";
    int fd, next;

    snprintf(spec, sizeof(spec), "tcp:127.0.0.1:%u,server", port);
    serial_port_open(f, spec);
    fd = connect_to(port);
    assert_int_equal(write(fd, "here", 4), 4);
    serial_port_await(f, "here");
    watched = f->chr;
    waits = waits_with_lock = 0;
    waited_ms = 0;
    for (unsigned n = 0; n < 1000 && waits < 4; n++) /* more than the sockets' few MB */
        chardev_write(f->chr, much, sizeof(much));
    watched = NULL;
    assert_int_equal(waits_with_lock, 0);
    assert_int_equal(waits, 4);
    assert_int_equal(waited_ms, 100); /* in the first of them */
    assert_true(f->chr->reader.stalled);
    next = connect_to(port); /* the next client is served all the same */
    close(fd);
    assert_int_equal(write(next, "next", 4), 4);
    serial_port_await(f, "next");
    assert_false(f->chr->reader.stalled);
    serial_port_send(f, "out");
    assert_int_equal(recv(next, got, 3, MSG_WAITALL), 3);
    assert_string_equal(got, "out");
    close(next);
}

/* ---- much, and nothing ---- */

#define PATTERN (1u << 20)

static uint8_t pattern_byte(size_t n)
{
    return (uint8_t)(n * 13 >> 5);
}

static void *read_pattern(void *opaque)
{
    int fd = *(int *)opaque;
    static uint8_t bytes[1 << 16];
    size_t total = 0, wrong = 0;
    ssize_t n;

    while (total < PATTERN && (n = read(fd, bytes, sizeof(bytes))) > 0) {
        for (ssize_t i = 0; i < n; i++)
            wrong += bytes[i] != pattern_byte(total++);
    }
    *(int *)opaque = (int)(wrong ? 0 : total);
    return NULL;
}

/* A peer that reads gets all output in order, however much the guest writes at once. */
static void test_tcp_much_output(void **state)
{
    struct serial_port *f = *state;
    unsigned port = free_port();
    uint8_t *bytes = malloc(PATTERN);
    pthread_t thread;
    char spec[64];
    int fd, got, small = 16384;

    for (size_t n = 0; n < PATTERN; n++)
        bytes[n] = pattern_byte(n);
    snprintf(spec, sizeof(spec), "tcp::%u,server", port);
    serial_port_open(f, spec);
    got = fd = connect_to(port);
    assert_int_equal(write(fd, "here", 4), 4);
    serial_port_await(f, "here");
    setsockopt(f->chr->reader.out_fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
    patient = true;
    assert_int_equal(pthread_create(&thread, NULL, read_pattern, &got), 0);
    for (size_t done = 0, n; done < PATTERN; done += n) {
        n = PATTERN - done < 300001 ? PATTERN - done : 300001;
        chardev_write(f->chr, bytes + done, n);
    }
    patient = false;
    shutdown(fd, SHUT_WR);
    pthread_join(thread, NULL);
    assert_int_equal(got, PATTERN);
    close(fd);
    free(bytes);
}

static unsigned open_descriptors(bool open[256])
{
    unsigned count = 0;

    for (int fd = 0; fd < 256; fd++) {
        open[fd] = fcntl(fd, F_GETFD) >= 0;
        count += open[fd];
    }
    return count;
}

/*
 * Descriptors of a back end are not inherited, and are closed with it, even if its thread cannot be
 * made.
 */
static void test_descriptors(void **state)
{
    struct serial_port *f = *state;
    char server[64], client[64], path[] = "serialXXXXXX", file[64];
    const char *const specs[] = {server, client, "pty", file};
    unsigned port = free_port(), count, other = free_port();
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool before[256], now[256];

    a.sin_port = htons((uint16_t)other);
    assert_int_equal(bind(listener, (struct sockaddr *)&a, sizeof(a)), 0);
    assert_int_equal(listen(listener, 8), 0);
    close(mkstemp(path));
    snprintf(server, sizeof(server), "tcp:127.0.0.1:%u,server", port);
    snprintf(client, sizeof(client), "tcp:127.0.0.1:%u", other);
    snprintf(file, sizeof(file), "file:%s", path);
    count = open_descriptors(before);
    for (size_t n = 0; n < 4; n++) {
        struct error err = {""};
        int fd = -1;

        serial_port_open(f, specs[n]);
        if (!n) {
            fd = connect_to(port);
            fcntl(fd, F_SETFD, FD_CLOEXEC);
            assert_int_equal(write(fd, "x", 1), 1);
            serial_port_await(f, "x");
        }
        assert_true(open_descriptors(now) > count);
        for (int i = 0; i < 256; i++)
            assert_true(before[i] || !now[i] || fcntl(i, F_GETFD) & FD_CLOEXEC);
        chardev_close(f->chr);
        f->chr = NULL;
        if (fd >= 0)
            close(fd);
        assert_int_equal(open_descriptors(now), count);
        serial_port_refuse_threads(n < 3);
        f->chr = chardev_open(specs[n], &f->host, &err);
        serial_port_refuse_threads(false);
        assert_true(f->chr ? n == 3 : strstr(err.text, "no thread") != NULL);
        chardev_close(f->chr);
        f->chr = NULL;
        assert_int_equal(open_descriptors(now), count);
    }
    close(listener);
    unlink(path);
}

/* A port has up to 15 characters and a host name up to 127, limits of the text alone. */
static void test_tcp_addresses(void **state)
{
    struct serial_port *f = *state;

    for (unsigned len = 126; len <= 129; len++) {
        struct error err = {""};
        char spec[200] = "tcp:";

        memset(spec + 4, '.', len); /* not a name: it is not looked up */
        strcpy(spec + 4 + len, ":1");
        assert_null(chardev_open(spec, &f->host, &err));
        assert_int_equal(!strncmp(err.text, "expected tcp:", 13), len >= 128);
    }
    for (unsigned len = 14; len <= 17; len++) {
        struct error err = {""};
        char spec[64] = "tcp:127.0.0.1:";

        memset(spec + 14, 'x', len);
        assert_null(chardev_open(spec, &f->host, &err));
        assert_int_equal(!strncmp(err.text, "expected tcp:", 13), len >= 16);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, serial_port_setup, serial_port_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_tcp_server_takes_one_client_after_another),
        TEST(test_tcp_server_without_descriptors),
        TEST(test_tcp_client),
        TEST(test_tcp_peer_that_does_not_read),
        TEST(test_tcp_much_output),
        TEST(test_tcp_addresses),
        TEST(test_descriptors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
