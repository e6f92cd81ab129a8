/*
 * The debugger's connection: input arrives in order and in bounded memory, and the machine never
 * waits for a client that does not read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sockios.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/cpu/gdb_internal.h"
#include "tests/dev/accepts.h"
#include "tests/dev/locks.h"

#define SECOND UINT64_C(1000000000)
#define WAITS  (10 * SECOND)
#define QUEUE  65536u     /* bytes of the queue in each direction */
#define MUCH   (4u << 20) /* more than sockets and queues hold together */

struct fixture {
    struct clock clock;
    struct gdb_link *link;
    int client;
};

/* ---- a host that fails ----------------------------------------------------------------------- */

/* Answers that replace the results of the next socket calls, and how many are left. */
static struct {
    int fd, error;
    unsigned receives, sends;
} failing;

static bool should_fail(int fd, unsigned *times)
{
    if (!__atomic_load_n(times, __ATOMIC_ACQUIRE) || fd != failing.fd)
        return false;
    __atomic_sub_fetch(times, 1, __ATOMIC_ACQ_REL);
    errno = failing.error;
    return true;
}

ssize_t __real_recv(int fd, void *bytes, size_t len, int flags);
ssize_t __wrap_recv(int fd, void *bytes, size_t len, int flags);
ssize_t __real_send(int fd, const void *bytes, size_t len, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags);

ssize_t __wrap_recv(int fd, void *bytes, size_t len, int flags)
{
    return should_fail(fd, &failing.receives) ? -1 : __real_recv(fd, bytes, len, flags);
}

ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags)
{
    return should_fail(fd, &failing.sends) ? -1 : __real_send(fd, bytes, len, flags);
}

/* ---- the fixture ----------------------------------------------------------------------------- */

static struct gdb_link *open_link(struct clock *clock)
{
    struct error err = {""};
    struct gdb_link *link = gdb_link_new("tcp::0", clock, &err);

    if (!link)
        fail_msg("%s", err.text);
    return link;
}

/* Connects a client whose receive buffer on the host is small. */
static int connect_to(const struct gdb_link *link)
{
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM, 0), small = 4096;

    there.sin_port = htons((uint16_t)gdb_link_port(link));
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    assert_int_equal(connect(fd, (struct sockaddr *)&there, sizeof(there)), 0);
    return fd;
}

/*
 * Returns the next item and waits for it as a machine does; GDB_LINK_NOTHING if none came in time.
 */
static int next_item(struct fixture *f, uint64_t ns)
{
    int item;

    while ((item = gdb_link_get(f->link, false)) == GDB_LINK_NOTHING) {
        if (!clock_wait_posted(&f->clock, ns))
            return gdb_link_get(f->link, false);
        clock_run_posted(&f->clock);
    }
    return item;
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    alarm(60); /* ends the test if a call never returns */
    no_threads = false;
    clock_init(&f->clock);
    f->link = open_link(&f->clock);
    f->client = connect_to(f->link);
    assert_int_equal(next_item(f, WAITS), GDB_LINK_OPENED);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    gdb_link_free(f->link);
    close(f->client);
    clock_free(&f->clock);
    free(f);
    alarm(0);
    assert_int_equal(lock_faults_seen(), 0);
    return 0;
}

static void send_all(int fd, const void *bytes, size_t len)
{
    assert_int_equal(send(fd, bytes, len, MSG_NOSIGNAL), len);
}

/* Sends up to `most` bytes in pieces into a small host buffer. Returns how many it accepted. */
static size_t send_what_fits(int fd, size_t most)
{
    int small = 4096;
    uint8_t part[1000];
    size_t done = 0;

    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
    while (done < most) {
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        size_t len = most - done < sizeof(part) ? most - done : sizeof(part);
        ssize_t n;

        for (size_t i = 0; i < len; i++)
            part[i] = (uint8_t)((done + i) * 7 >> 3);
        n = send(fd, part, len, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n > 0)
            done += (size_t)n;
        else if (poll(&p, 1, 200) <= 0)
            break;
    }
    return done;
}

static void expect_bytes(struct fixture *f, size_t from, size_t to)
{
    for (size_t n = from; n < to; n++)
        assert_int_equal(next_item(f, WAITS), (uint8_t)(n * 7 >> 3));
}

static void test_order(void **state)
{
    struct fixture *f = *state;
    char back[8] = "";

    assert_int_equal(gdb_link_get(f->link, false), GDB_LINK_NOTHING);
    send_all(f->client, "ab\xff", 3);
    assert_int_equal(next_item(f, WAITS), 'a');
    assert_int_equal(gdb_link_get_only(f->link, 'a'), GDB_LINK_NOTHING);
    assert_int_equal(gdb_link_get_only(f->link, 'b'), 'b');
    assert_int_equal(next_item(f, WAITS), 0xff);
    assert_int_equal(gdb_link_get_only(f->link, 0xff), GDB_LINK_NOTHING);
    gdb_link_put(f->link, "", 0);
    gdb_link_put(f->link, "answer", 6);
    assert_int_equal(recv(f->client, back, 6, MSG_WAITALL), 6);
    assert_string_equal(back, "answer");
    send_all(f->client, "z", 1);
    shutdown(f->client, SHUT_WR);
    assert_int_equal(next_item(f, WAITS), 'z');
    assert_int_equal(next_item(f, WAITS), GDB_LINK_CLOSED);
    assert_int_equal(next_item(f, 0), GDB_LINK_NOTHING);
    gdb_link_put(f->link, "lost", 4); /* no client is there */
}

/* Input wakes a waiting machine once, for everything that it has not taken yet. */
static void test_wakes(void **state)
{
    struct fixture *f = *state;

    clock_run_posted(&f->clock);
    send_all(f->client, "a", 1);
    assert_true(clock_wait_posted(&f->clock, WAITS));
    clock_run_posted(&f->clock);
    for (unsigned n = 0; n < 100; n++) {
        send_all(f->client, "b", 1);
        usleep(100);
    }
    assert_false(clock_wait_posted(&f->clock, SECOND / 20));
    assert_int_equal(next_item(f, WAITS), 'a');
    for (unsigned n = 0; n < 100; n++)
        assert_int_equal(next_item(f, WAITS), 'b');
    assert_int_equal(next_item(f, 0), GDB_LINK_NOTHING);
    send_all(f->client, "c", 1);
    assert_true(clock_wait_posted(&f->clock, WAITS));
}

/* A client that sends more than the machine takes fills a queue, and then has to wait itself. */
static void test_input_is_bounded(void **state)
{
    struct fixture *f = *state;
    size_t before = mallinfo2().uordblks, sent = send_what_fits(f->client, MUCH);

    assert_in_range(sent, QUEUE - 4096, MUCH - 1);
    assert_true(mallinfo2().uordblks < before + QUEUE);
    expect_bytes(f, 0, sent);
    assert_int_equal(next_item(f, SECOND / 20), GDB_LINK_NOTHING);
    send_all(f->client, "+", 1);
    assert_int_equal(next_item(f, WAITS), '+');
}

/* A queue that is never empty does not grow by the bytes already taken. */
static void test_input_is_never_empty(void **state)
{
    struct fixture *f = *state;
    size_t before = mallinfo2().uordblks, sent, taken = 0;
    uint8_t part[1000];

    for (sent = 0; sent < 4 * QUEUE; sent += sizeof(part)) {
        for (size_t i = 0; i < sizeof(part); i++)
            part[i] = (uint8_t)((sent + i) * 7 >> 3);
        send_all(f->client, part, sizeof(part));
        if (sent > QUEUE / 4) {
            expect_bytes(f, taken, taken + sizeof(part));
            taken += sizeof(part);
        }
    }
    assert_true(mallinfo2().uordblks < before + QUEUE);
    expect_bytes(f, taken, sent);
}

/*
 * A client that does not read never blocks the machine, and is not read from; once it reads, it
 * gets everything.
 */
static void test_never_reads(void **state)
{
    struct fixture *f = *state;
    uint8_t *answer = malloc(MUCH), *got = malloc(MUCH);
    size_t len = 0;

    for (size_t n = 0; n < MUCH; n++)
        answer[n] = (uint8_t)(n * 11 >> 4);
    send_all(f->client, "a", 1);
    assert_int_equal(next_item(f, WAITS), 'a');
    send_all(f->client, "b", 1);
    gdb_link_put(f->link, answer, MUCH - 10);
    gdb_link_put(f->link, answer + MUCH - 10, 10);
    assert_int_equal(next_item(f, SECOND / 10), GDB_LINK_NOTHING);
    while (len < MUCH) {
        ssize_t n = recv(f->client, got + len, MUCH - len, 0);

        assert_true(n > 0);
        len += (size_t)n;
    }
    assert_memory_equal(answer, got, MUCH);
    assert_int_equal(next_item(f, WAITS), 'b');
    shutdown(f->client, SHUT_WR);
    assert_int_equal(next_item(f, WAITS), GDB_LINK_CLOSED);
    free(answer);
    free(got);
}

/* Returns the server's descriptor of the client's connection. */
static int other_end(int client)
{
    struct sockaddr_in here, there;
    socklen_t len = sizeof(here);

    assert_int_equal(getsockname(client, (struct sockaddr *)&here, &len), 0);
    for (int fd = 3; fd < 64; fd++) {
        len = sizeof(there);
        if (!getpeername(fd, (struct sockaddr *)&there, &len) && there.sin_port == here.sin_port)
            return fd;
    }
    fail_msg("the server has no such client");
    return -1;
}

/* Returns the bytes that were sent and that the host still holds in its sockets. */
static size_t in_sockets(int client)
{
    int out = 0, in = 0;

    ioctl(other_end(client), SIOCOUTQ, &out);
    ioctl(client, FIONREAD, &in);
    return (size_t)(out + in);
}

/* A client is served as long as at most OUTPUT_BYTES wait in the queue. */
static void test_output_bound(void **state)
{
    struct fixture *f = *state;
    uint8_t *answer = calloc(1, 3 * QUEUE);
    size_t len = 3 * QUEUE, held;
    int small = 4096;

    setsockopt(other_end(f->client), SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
    send_all(f->client, "abc", 3);
    assert_int_equal(next_item(f, WAITS), 'a');
    gdb_link_put(f->link, answer, len);
    usleep(50000); /* until the sockets are full */
    held = in_sockets(f->client);
    assert_true(held + QUEUE < len);
    assert_int_equal(next_item(f, SECOND / 20), GDB_LINK_NOTHING);
    while (len - held > QUEUE) {
        ssize_t n = recv(f->client, answer, 1000, 0);

        assert_true(n > 0);
        len -= (size_t)n;
        usleep(100);
        held = in_sockets(f->client);
    }
    assert_int_equal(next_item(f, WAITS), 'b');
    gdb_link_put(f->link, answer, 3 * QUEUE);
    assert_int_equal(next_item(f, SECOND / 20), GDB_LINK_NOTHING);
    free(answer);
}

/* Temporary errors of the host neither end the connection nor lose data. */
static void test_host_interrupts(void **state)
{
    static const int errors[] = {EINTR, EAGAIN};
    struct fixture *f = *state;

    failing.fd = other_end(f->client);
    for (unsigned n = 0; n < 2; n++) {
        char back[8] = "";

        failing.error = errors[n];
        __atomic_store_n(&failing.receives, 2, __ATOMIC_RELEASE);
        send_all(f->client, "a", 1);
        assert_int_equal(next_item(f, WAITS), 'a');
        assert_int_equal(failing.receives, 0);
        __atomic_store_n(&failing.sends, 2, __ATOMIC_RELEASE);
        gdb_link_put(f->link, "answer", 6);
        assert_int_equal(recv(f->client, back, 6, MSG_WAITALL), 6);
        assert_string_equal(back, "answer");
        assert_int_equal(failing.sends, 0);
    }
}

/* No descriptor is inherited by programs that the simulator starts, and none blocks. */
static void test_descriptors(void **state)
{
    struct fixture *f = *state;
    bool before[64];
    unsigned count = 0;

    gdb_link_free(f->link);
    close(f->client);
    for (int fd = 0; fd < 64; fd++)
        before[fd] = fcntl(fd, F_GETFD) >= 0;
    f->link = open_link(&f->clock);
    f->client = connect_to(f->link);
    assert_int_equal(next_item(f, WAITS), GDB_LINK_OPENED);
    for (int fd = 0; fd < 64; fd++) {
        int flags = fcntl(fd, F_GETFD);

        if (flags < 0 || before[fd] || fd == f->client)
            continue;
        count++;
        assert_true(flags & FD_CLOEXEC);
        assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
    }
    assert_int_equal(count, 3); /* the listening socket, the one to wake up, the client's */
}

/* Neither a client that does not read nor one that only connected delays the server's end. */
static void test_ends(void **state)
{
    struct fixture *f = *state;
    uint8_t *answer = calloc(1, MUCH);
    char byte;

    gdb_link_put(f->link, answer, MUCH);
    send_what_fits(f->client, MUCH);
    gdb_link_free(f->link);
    while (recv(f->client, answer, MUCH, 0) > 0)
        ;
    close(f->client);
    f->link = open_link(&f->clock);
    f->client = connect_to(f->link);
    assert_int_equal(next_item(f, WAITS), GDB_LINK_OPENED);
    gdb_link_free(f->link);
    assert_int_equal(recv(f->client, &byte, 1, 0), 0);
    f->link = open_link(&f->clock);
    free(answer);
}

/* A broken connection raises no signal in the program; the client counts as gone. */
static void test_broken_connection(void **state)
{
    struct fixture *f = *state;

    shutdown(other_end(f->client), SHUT_WR);
    gdb_link_put(f->link, "lost", 4);
    gdb_link_put(f->link, "too", 3);
    send_all(f->client, "a", 1);
    assert_int_equal(next_item(f, WAITS), 'a');
    shutdown(f->client, SHUT_WR);
    assert_int_equal(next_item(f, WAITS), GDB_LINK_CLOSED);
}

static unsigned count_descriptors(void)
{
    unsigned count = 0;

    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* Ended clients and servers leave no descriptors or threads. */
static void test_nothing_is_left(void **state)
{
    struct fixture *f = *state;
    unsigned before = count_descriptors();
    size_t memory = mallinfo2().uordblks;

    for (unsigned n = 0; n < 5; n++) {
        close(f->client);
        assert_int_equal(next_item(f, WAITS), GDB_LINK_CLOSED);
        f->client = connect_to(f->link);
        assert_int_equal(next_item(f, WAITS), GDB_LINK_OPENED);
        assert_int_equal(count_descriptors(), before);
    }
    for (unsigned n = 0; n < 5; n++)
        gdb_link_free(open_link(NULL));
    gdb_link_free(NULL);
    assert_int_equal(count_descriptors(), before);
    assert_true(mallinfo2().uordblks < memory + QUEUE);
}

/*
 * The port can be used again at once, though the host remembers the connection that the server
 * closed.
 */
static void test_same_port_again(void **state)
{
    struct fixture *f = *state;
    struct error err = {""};
    char address[32], byte;

    snprintf(address, sizeof(address), "tcp:127.0.0.1:%u", gdb_link_port(f->link));
    gdb_link_free(f->link);
    assert_int_equal(recv(f->client, &byte, 1, 0), 0);
    close(f->client);
    f->link = gdb_link_new(address, &f->clock, &err);
    assert_string_equal(err.text, "");
    assert_non_null(f->link);
    f->client = connect_to(f->link);
    assert_int_equal(next_item(f, WAITS), GDB_LINK_OPENED);
}

/*
 * The next client is accepted once the last one's input is taken, and receives none of its output.
 */
static void test_next_client(void **state)
{
    struct fixture *f = *state;
    uint8_t *answer = calloc(1, MUCH);
    int second;
    char byte;

    send_all(f->client, "ab", 2);
    assert_int_equal(next_item(f, WAITS), 'a');
    gdb_link_put(f->link, answer, MUCH);
    close(f->client); /* closed with unread bytes: a reset */
    second = connect_to(f->link);
    assert_int_equal(next_item(f, WAITS), 'b');
    gdb_link_put(f->link, "x", 1);
    assert_int_equal(next_item(f, WAITS), GDB_LINK_CLOSED);
    gdb_link_put(f->link, "y", 1);
    assert_int_equal(next_item(f, WAITS), GDB_LINK_OPENED);
    gdb_link_put(f->link, "z", 1);
    assert_int_equal(recv(second, &byte, 1, 0), 1);
    assert_int_equal(byte, 'z');
    f->client = second;
    free(answer);
}

/* The next client waits while the machine has not taken a gone client's input. */
static void test_one_at_a_time(void **state)
{
    struct fixture *f = *state;
    int second;

    send_all(f->client, "a", 1);
    shutdown(f->client, SHUT_WR);
    second = connect_to(f->link);
    send_all(second, "s", 1);
    usleep(50000);
    assert_int_equal(next_item(f, WAITS), 'a');
    assert_int_equal(next_item(f, WAITS), GDB_LINK_CLOSED);
    assert_int_equal(next_item(f, WAITS), GDB_LINK_OPENED);
    assert_int_equal(next_item(f, WAITS), 's');
    close(f->client);
    f->client = second;
}

/* A full queue does not hide that the client is gone. */
static void test_gone_while_full(void **state)
{
    struct fixture *f = *state;
    struct linger at_once = {.l_onoff = 1};
    unsigned left = 0;
    int item;

    send_what_fits(f->client, MUCH);
    setsockopt(f->client, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(f->client);
    while ((item = next_item(f, WAITS)) != GDB_LINK_CLOSED) {
        assert_in_range(item, 0, 255);
        left++;
    }
    assert_in_range(left, QUEUE - 4096, QUEUE);
    f->client = connect_to(f->link);
    assert_int_equal(next_item(f, WAITS), GDB_LINK_OPENED);
}

struct waiter {
    struct gdb_link *link;
    int item;
};

static void *wait_for_item(void *opaque)
{
    struct waiter *w = opaque;

    w->item = gdb_link_get(w->link, true);
    return NULL;
}

/* Without a clock the server itself waits. */
static void test_without_a_clock(void **state)
{
    struct waiter w = {.link = open_link(NULL)};
    pthread_t thread;
    int client;

    (void)state;
    pthread_create(&thread, NULL, wait_for_item, &w);
    client = connect_to(w.link);
    pthread_join(thread, NULL);
    assert_int_equal(w.item, GDB_LINK_OPENED);
    pthread_create(&thread, NULL, wait_for_item, &w);
    send_all(client, "a", 1);
    pthread_join(thread, NULL);
    assert_int_equal(w.item, 'a');
    close(client);
    assert_int_equal(gdb_link_get(w.link, true), GDB_LINK_CLOSED);
    assert_int_equal(gdb_link_get(w.link, false), GDB_LINK_NOTHING);
    gdb_link_free(w.link);
}

/* If the host has no descriptor left for a client, the thread does not retry all the time. */
static void test_no_descriptors(void **state)
{
    struct fixture *f = *state;
    struct rlimit old, none;
    unsigned tried;
    int second = connect_to(f->link);

    getrlimit(RLIMIT_NOFILE, &old);
    none = old;
    none.rlim_cur = 3; /* all in use */
    setrlimit(RLIMIT_NOFILE, &none);
    shutdown(f->client, SHUT_WR);
    assert_int_equal(next_item(f, WAITS), GDB_LINK_CLOSED);
    tried = accept_count();
    usleep(200000);
    assert_true(accept_count() - tried < 10);
    setrlimit(RLIMIT_NOFILE, &old);
    assert_int_equal(next_item(f, WAITS), GDB_LINK_OPENED);
    close(f->client);
    f->client = second;
}

/*
 * Starts a server with `count` free descriptors: expects an error of its own, and everything
 * closed.
 */
static void expect_no_room(struct fixture *f, unsigned count, const char *message)
{
    struct error err = {""};
    struct rlimit old, few;
    int first = dup(0), after;

    close(first);
    getrlimit(RLIMIT_NOFILE, &old);
    few = old;
    few.rlim_cur = (rlim_t)first + count;
    setrlimit(RLIMIT_NOFILE, &few);
    assert_null(gdb_link_new("tcp:127.0.0.1:0", &f->clock, &err));
    setrlimit(RLIMIT_NOFILE, &old);
    after = dup(0);
    close(after);
    assert_int_equal(after, first);
    assert_string_equal(err.text, message);
}

static void test_no_descriptors_to_begin_with(void **state)
{
    expect_no_room(*state, 0, "cannot listen for GDB at tcp:127.0.0.1:0: Too many open files");
    expect_no_room(*state, 1, "cannot start the GDB server: Too many open files");
    no_threads = true;
    errno = 0;
    expect_no_room(*state, 2, "cannot start the GDB server: Resource temporarily unavailable");
    no_threads = false;
}

static void test_addresses(void **state)
{
    static const char *const bad[] = {"tcp",
                                      "tcp:",
                                      "tcp::",
                                      "udp::1",
                                      "tcp::99999",
                                      "tcp::65536",
                                      "tcp::12x",
                                      "tcp:nowhere.invalid:1",
                                      "tcp:192.0.2.1:1"};
    const size_t malformed = 7; /* number of the malformed ones */
    struct fixture *f = *state;
    struct error err = {""};
    char taken[32];
    size_t before = mallinfo2().uordblks;

    for (size_t n = 0; n < sizeof(bad) / sizeof(bad[0]); n++) {
        err.text[0] = 0;
        assert_null(gdb_link_new(bad[n], &f->clock, &err));
        assert_non_null(strstr(err.text, bad[n]));
        assert_int_equal(!strncmp(err.text, "a GDB address is", 16), n < malformed);
    }
    assert_true(mallinfo2().uordblks < before + QUEUE);
    snprintf(taken, sizeof(taken), "tcp:127.0.0.1:%u", gdb_link_port(f->link));
    assert_null(gdb_link_new(taken, &f->clock, &err));
    assert_non_null(strstr(err.text, "in use"));
}

/*
 * A host name has up to 255 characters; which of the two errors comes shows whether it was looked
 * up.
 */
static void test_long_host(void **state)
{
    struct fixture *f = *state;

    for (size_t len = 254; len <= 257; len++) {
        struct error err = {""};
        char address[300] = "tcp:";

        memset(address + 4, '.', len); /* not a name: it is not looked up */
        strcpy(address + 4 + len, ":1");
        assert_null(gdb_link_new(address, &f->clock, &err));
        assert_int_equal(!strncmp(err.text, "a GDB address is", 16), len > 255);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wakes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_input_is_bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(test_input_is_never_empty, setup, teardown),
        cmocka_unit_test_setup_teardown(test_never_reads, setup, teardown),
        cmocka_unit_test_setup_teardown(test_output_bound, setup, teardown),
        cmocka_unit_test_setup_teardown(test_host_interrupts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_descriptors_to_begin_with, setup, teardown),
        cmocka_unit_test_setup_teardown(test_descriptors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(test_broken_connection, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nothing_is_left, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_port_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_next_client, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_at_a_time, setup, teardown),
        cmocka_unit_test_setup_teardown(test_gone_while_full, setup, teardown),
        cmocka_unit_test(test_without_a_clock),
        cmocka_unit_test_setup_teardown(test_no_descriptors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_addresses, setup, teardown),
        cmocka_unit_test_setup_teardown(test_long_host, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
