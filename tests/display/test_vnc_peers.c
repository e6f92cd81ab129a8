/* The connections of VNC clients, without a server behind them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
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

#define PATIENCE_MS 15000 /* of this test */

struct fixture {
    int port;
};

struct client {
    int fd;
};

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static struct client *dial(const struct fixture *f)
{
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct client *c = calloc(1, sizeof(*c));

    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    there.sin_port = htons((uint16_t)f->port);
    assert_int_equal(connect(c->fd, (struct sockaddr *)&there, sizeof(there)), 0);
    return c;
}

static void hang_up(struct client *c)
{
    close(c->fd);
    free(c);
}

struct line {
    struct vnc_peers *peers;
    struct fixture f;
};

static void open_line(struct line *l, int patience_ms)
{
    struct error err = {""};

    alarm(60);
    l->peers = vnc_peers_open(htonl(INADDR_LOOPBACK), 0, patience_ms, &err);
    assert_non_null(l->peers);
    l->f.port = vnc_peers_port(l->peers);
}

static void close_line(struct line *l)
{
    vnc_peers_free(l->peers);
    alarm(0);
}

static int next_peer(struct line *l, unsigned *number)
{
    int fd = -1;

    for (uint64_t end = now_ms() + PATIENCE_MS; fd < 0 && now_ms() < end; usleep(1000))
        fd = vnc_peers_next(l->peers, number);
    return fd;
}

static void expect_closed(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    char byte;

    assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
    assert_int_equal(recv(fd, &byte, 1, MSG_DONTWAIT), 0);
}

static void test_patience(void **state)
{
    struct line l = {0};
    struct client *a, *b;
    struct pollfd p = {.events = POLLIN};
    unsigned first, second;
    int fd[2];

    (void)state;
    open_line(&l, 200);
    a = dial(&l.f);
    fd[0] = next_peer(&l, &first);
    b = dial(&l.f);
    fd[1] = next_peer(&l, &second);
    assert_true(fd[0] >= 0 && fd[1] >= 0 && first != second);
    p.fd = fd[1];
    vnc_peers_begin(l.peers, second);
    assert_int_equal(poll(&p, 1, 50), 0);
    vnc_peers_end(l.peers);
    assert_int_equal(poll(&p, 1, 500), 0); /* nobody's turn */
    vnc_peers_begin(l.peers, second);
    expect_closed(fd[1]);
    expect_closed(b->fd);
    vnc_peers_end(l.peers);
    p.fd = fd[0];
    assert_int_equal(poll(&p, 1, 0), 0);
    close(fd[1]);
    vnc_peers_gone(l.peers, second);
    vnc_peers_hang_up(l.peers);
    expect_closed(fd[0]);
    hang_up(b);
    b = dial(&l.f); /* too late */
    expect_closed(b->fd);
    assert_int_equal(vnc_peers_next(l.peers, &second), -1);
    close(fd[0]);
    close_line(&l);
    hang_up(a);
    hang_up(b);
}

/* A host without descriptors: nothing is tried all the time, and a client comes when there is one again. */
static void test_no_descriptors(void **state)
{
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct line l = {0};
    struct rlimit old, none;
    struct client *c;
    unsigned number;
    unsigned tried;
    int fd;

    (void)state;
    open_line(&l, 200);
    c = dial(&l.f);
    fd = next_peer(&l, &number);
    assert_true(fd >= 0);
    close(fd);
    vnc_peers_gone(l.peers, number);
    hang_up(c);
    getrlimit(RLIMIT_NOFILE, &old);
    c = calloc(1, sizeof(*c));
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    none = old;
    none.rlim_cur = 3; /* all in use */
    setrlimit(RLIMIT_NOFILE, &none);
    there.sin_port = htons((uint16_t)vnc_peers_port(l.peers));
    assert_int_equal(connect(c->fd, (struct sockaddr *)&there, sizeof(there)), 0);
    tried = accepted();
    usleep(300000);
    assert_true(accepted() - tried < 10);
    setrlimit(RLIMIT_NOFILE, &old);
    fd = next_peer(&l, &number);
    assert_true(fd >= 0);
    close(fd);
    close_line(&l);
    hang_up(c);
}

static unsigned descriptors(void)
{
    unsigned count = 0;

    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* All that was opened is closed, also for clients that nobody asked for or that are still there. */
static void test_descriptors(void **state)
{
    unsigned before = descriptors(), number;
    struct line l = {0};
    struct error err = {""};
    struct client *a, *b;
    int fd;

    (void)state;
    open_line(&l, 200);
    a = dial(&l.f);
    fd = next_peer(&l, &number);
    assert_true(fd >= 0);
    b = dial(&l.f);
    usleep(200000); /* until it is offered */
    assert_null(vnc_peers_open(htonl(INADDR_LOOPBACK), vnc_peers_port(l.peers), 1, &err));
    assert_non_null(strstr(err.text, "cannot listen"));
    close(fd);
    close_line(&l);
    hang_up(a);
    hang_up(b);
    assert_int_equal(descriptors(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_no_descriptors),
        cmocka_unit_test(test_descriptors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
