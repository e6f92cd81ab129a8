/* The connections of VNC clients, without a server behind them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "runtime/display/vnc_peers.h"
#include "tests/dev/accepts.h"
#include "tests/dev/locks.h"

#define WAITS_MS    15000 /* patience of this test */
#define PATIENCE_MS 200   /* patience of the server */

/* ---- the time, which stands still until a test moves it -------------------------------------- */

static uint64_t time_ns;
static unsigned times_asked;

int __real_clock_gettime(clockid_t id, struct timespec *now);
int __wrap_clock_gettime(clockid_t id, struct timespec *now);

int __wrap_clock_gettime(clockid_t id, struct timespec *now)
{
    uint64_t ns = __atomic_load_n(&time_ns, __ATOMIC_ACQUIRE);

    (void)id;
    *now = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    __atomic_add_fetch(&times_asked, 1, __ATOMIC_ACQ_REL);
    return 0;
}

static void set_ms(uint64_t ms)
{
    __atomic_store_n(&time_ns, ms * 1000000, __ATOMIC_RELEASE);
}

/* Waits until the server's thread has looked at the time that is set now. */
static void await_look(void)
{
    unsigned before = __atomic_load_n(&times_asked, __ATOMIC_ACQUIRE);

    for (unsigned n = 0; n < WAITS_MS; n++) {
        if (__atomic_load_n(&times_asked, __ATOMIC_ACQUIRE) >= before + 2)
            return;
        usleep(1000);
    }
    fail_msg("nobody looks at the time");
}

/* ---- a server and its clients ---------------------------------------------------------------- */

struct line {
    struct vnc_peers *peers;
    int port;
};

static void open_line(struct line *l)
{
    struct error err = {""};

    alarm(60);
    set_ms(1000);
    l->peers = vnc_peers_open(htonl(INADDR_LOOPBACK), 0, PATIENCE_MS, &err);
    assert_non_null(l->peers);
    l->port = vnc_peers_port(l->peers);
}

static void close_line(struct line *l)
{
    vnc_peers_free(l->peers);
    alarm(0);
    assert_int_equal(lock_faults_seen(), 0);
}

static void connect_to(const struct line *l, int fd)
{
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};

    there.sin_port = htons((uint16_t)l->port);
    assert_int_equal(connect(fd, (struct sockaddr *)&there, sizeof(there)), 0);
}

static int connect_client(const struct line *l)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    connect_to(l, fd);
    return fd;
}

/* The server's socket of the next client. */
static int next_peer(struct line *l, unsigned *number)
{
    int fd;

    for (unsigned n = 0; n < WAITS_MS; n++) {
        fd = vnc_peers_next(l->peers, number);
        if (fd >= 0) {
            assert_in_range(*number, 0, VNC_PEERS_MAX - 1);
            return fd;
        }
        usleep(1000);
    }
    fail_msg("nobody comes");
    return -1;
}

static void expect_nobody(struct line *l)
{
    unsigned number;

    assert_int_equal(vnc_peers_next(l->peers, &number), -1);
}

static void expect_closed(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    char byte;

    assert_int_equal(poll(&p, 1, WAITS_MS), 1);
    errno = 0;
    assert_true(recv(fd, &byte, 1, MSG_DONTWAIT) <= 0 && errno != EAGAIN);
}

static void expect_open(int fd)
{
    char byte;

    errno = 0;
    assert_int_equal(recv(fd, &byte, 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
}

static void test_patience(void **state)
{
    struct line l = {0};
    unsigned first, second, third;
    int a, b, c, fd[3];

    (void)state;
    open_line(&l);
    expect_nobody(&l);
    a = connect_client(&l);
    fd[0] = next_peer(&l, &first);
    b = connect_client(&l);
    fd[1] = next_peer(&l, &second);
    assert_true(first != second);
    expect_nobody(&l);
    set_ms(1900);
    vnc_peers_begin(l.peers, second);
    set_ms(2000);
    vnc_peers_end(l.peers);
    set_ms(60900); /* read before the next accept; no client is served, so none times out */
    c = connect_client(&l);
    fd[2] = next_peer(&l, &third);
    expect_open(b);
    vnc_peers_begin(l.peers, second);
    set_ms(60900 + PATIENCE_MS);
    await_look();
    expect_open(fd[1]);
    expect_open(b);
    vnc_peers_end(l.peers);
    set_ms(62000);
    vnc_peers_begin(l.peers, second);
    set_ms(62000 + PATIENCE_MS);
    await_look();
    expect_open(b);
    set_ms(62000 + PATIENCE_MS + 1);
    expect_closed(fd[1]);
    expect_closed(b);
    vnc_peers_end(l.peers);
    expect_open(fd[0]);
    expect_open(a);
    close(fd[1]);
    vnc_peers_gone(l.peers, second);
    close(fd[0]);
    close(fd[2]);
    close_line(&l);
    close(a);
    close(b);
    close(c);
}

/* vnc_peers_hang_up() disconnects the served clients, and those that connect later. */
static void test_hang_up(void **state)
{
    struct line l = {0};
    unsigned first, last;
    int a, b, late, fd[2];

    (void)state;
    open_line(&l);
    a = connect_client(&l);
    fd[0] = next_peer(&l, &first);
    b = connect_client(&l);
    fd[1] = next_peer(&l, &last);
    vnc_peers_hang_up(l.peers);
    expect_closed(fd[0]);
    expect_closed(fd[1]);
    late = connect_client(&l);
    expect_closed(late);
    expect_nobody(&l);
    close(fd[0]);
    close(fd[1]);
    close_line(&l);
    close(a);
    close(b);
    close(late);
}

/*
 * At most VNC_PEERS_MAX clients are served, each with its own number. One more is disconnected; a
 * new client is served once another one has left.
 */
static void test_places(void **state)
{
    int client[VNC_PEERS_MAX + 1], fd[VNC_PEERS_MAX], again;
    bool taken[VNC_PEERS_MAX] = {false};
    unsigned number;
    struct line l = {0};

    (void)state;
    open_line(&l);
    for (unsigned n = 0; n < VNC_PEERS_MAX; n++) {
        client[n] = connect_client(&l);
        fd[n] = next_peer(&l, &number);
        assert_false(taken[number]);
        taken[number] = true;
    }
    client[VNC_PEERS_MAX] = connect_client(&l);
    expect_closed(client[VNC_PEERS_MAX]);
    expect_nobody(&l);
    close(fd[3]);
    vnc_peers_gone(l.peers, 3);
    expect_closed(client[3]); /* the server kept nothing of it */
    again = connect_client(&l);
    fd[3] = next_peer(&l, &number);
    assert_int_equal(number, 3);
    expect_open(again);
    for (unsigned n = 0; n < VNC_PEERS_MAX; n++)
        close(fd[n]);
    close_line(&l);
    for (unsigned n = 0; n <= VNC_PEERS_MAX; n++)
        close(client[n]);
    close(again);
}

/* A client is readable once FIRST_BYTES have arrived. */
static void test_first_bytes(void **state)
{
    struct pollfd p = {.events = POLLIN};
    struct line l = {0};
    unsigned number;
    int a;

    (void)state;
    open_line(&l);
    a = connect_client(&l);
    p.fd = next_peer(&l, &number);
    assert_int_equal(send(a, "RFB", 3, 0), 3);
    assert_int_equal(poll(&p, 1, 20), 0);
    assert_int_equal(send(a, " ", 1, 0), 1);
    assert_int_equal(poll(&p, 1, WAITS_MS), 1);
    close(p.fd);
    close_line(&l);
    close(a);
}

/* libvncserver would keep larger descriptors beyond the end of a set of select(). */
static void test_large_descriptors(void **state)
{
    struct line l = {0};
    struct rlimit old, many;
    unsigned number;
    int full[FD_SETSIZE], first = 0, client[2], fd;

    (void)state;
    open_line(&l);
    client[0] = socket(AF_INET, SOCK_STREAM, 0);
    client[1] = socket(AF_INET, SOCK_STREAM, 0);
    getrlimit(RLIMIT_NOFILE, &old);
    many = old;
    many.rlim_cur = FD_SETSIZE + 16;
    assert_return_code(setrlimit(RLIMIT_NOFILE, &many), errno);
    do
        full[first++] = fd = dup(0);
    while (fd < FD_SETSIZE - 1);
    connect_to(&l, client[0]);
    expect_closed(client[0]);
    expect_nobody(&l);
    close(full[first - 1]);
    connect_to(&l, client[1]);
    assert_int_equal(next_peer(&l, &number), FD_SETSIZE - 1);
    expect_open(client[1]);
    close(FD_SETSIZE - 1);
    for (int n = 0; n < first - 1; n++)
        close(full[n]);
    setrlimit(RLIMIT_NOFILE, &old);
    close_line(&l);
    close(client[0]);
    close(client[1]);
}

/*
 * Without a free descriptor, accept() is not repeated in a busy loop, and a client is accepted once
 * there is one.
 */
static void test_no_descriptors(void **state)
{
    struct line l = {0};
    struct rlimit old, none;
    unsigned number, tried;
    int client = socket(AF_INET, SOCK_STREAM, 0), fd;

    (void)state;
    open_line(&l);
    getrlimit(RLIMIT_NOFILE, &old);
    none = old;
    none.rlim_cur = 3; /* all in use */
    setrlimit(RLIMIT_NOFILE, &none);
    connect_to(&l, client);
    tried = accept_count();
    usleep(300000);
    assert_true(accept_count() - tried < 10);
    setrlimit(RLIMIT_NOFILE, &old);
    fd = next_peer(&l, &number);
    close(fd);
    close_line(&l);
    close(client);
}

/* A descriptor is free for the socket, but not the second one that a client needs. */
static void test_no_second_descriptor(void **state)
{
    struct line l = {0};
    struct rlimit old, one;
    int client = socket(AF_INET, SOCK_STREAM, 0), free_one;

    (void)state;
    open_line(&l);
    free_one = dup(0);
    close(free_one);
    getrlimit(RLIMIT_NOFILE, &old);
    one = old;
    one.rlim_cur = (rlim_t)free_one + 1;
    setrlimit(RLIMIT_NOFILE, &one);
    connect_to(&l, client);
    expect_closed(client);
    expect_nobody(&l);
    setrlimit(RLIMIT_NOFILE, &old);
    close_line(&l);
    close(client);
}

static unsigned count_descriptors(void)
{
    unsigned count = 0;

    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* At the end all descriptors are closed, also those of clients not taken or still connected. */
static void test_descriptors(void **state)
{
    unsigned before = count_descriptors(), number;
    struct line l = {0};
    struct error err = {""};
    bool was[256];
    int a, b, fd;

    (void)state;
    for (int n = 0; n < 256; n++)
        was[n] = fcntl(n, F_GETFD) >= 0;
    open_line(&l);
    a = connect_client(&l);
    fd = next_peer(&l, &number);
    b = connect_client(&l);
    /* 8: one at each client's end, two per client in the server, two of the server itself */
    for (unsigned n = 0; n < WAITS_MS && count_descriptors() < before + 8; n++)
        usleep(1000);
    assert_int_equal(count_descriptors(), before + 8);
    for (int n = 0; n < 256; n++)
        assert_true(was[n] || n == a || n == b || fcntl(n, F_GETFD) < 0 ||
                    fcntl(n, F_GETFD) & FD_CLOEXEC);
    assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
    assert_null(vnc_peers_open(htonl(INADDR_LOOPBACK), l.port, 1, &err));
    assert_non_null(strstr(err.text, "cannot listen on port"));
    close(fd);
    close_line(&l);
    close(a);
    close(b);
    assert_int_equal(count_descriptors(), before);
    vnc_peers_free(NULL);
}

/* A host with room for `count` more descriptors. */
static void expect_no_server(unsigned count, const char *message)
{
    unsigned before = count_descriptors();
    struct error err = {""};
    struct rlimit old, few;
    int first = dup(0);

    close(first);
    getrlimit(RLIMIT_NOFILE, &old);
    few = old;
    few.rlim_cur = (rlim_t)first + count;
    setrlimit(RLIMIT_NOFILE, &few);
    assert_null(vnc_peers_open(htonl(INADDR_LOOPBACK), 0, 1, &err));
    setrlimit(RLIMIT_NOFILE, &old);
    assert_non_null(strstr(err.text, message));
    assert_int_equal(count_descriptors(), before);
}

static void test_nothing_to_begin_with(void **state)
{
    (void)state;
    expect_no_server(0, "cannot listen");
    expect_no_server(1, "no thread");
    no_threads = true;
    expect_no_server(2, "no thread");
    no_threads = false;
    assert_int_equal(lock_faults_seen(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_hang_up),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_first_bytes),
        cmocka_unit_test(test_large_descriptors),
        cmocka_unit_test(test_no_descriptors),
        cmocka_unit_test(test_no_second_descriptor),
        cmocka_unit_test(test_nothing_to_begin_with),
        cmocka_unit_test(test_descriptors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
