/* The user network, with frames of a guest on one side and sockets of the host on the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "common/vec.h"
#include "runtime/dev/net.h"

#define SECOND      UINT64_C(1000000000)
#define GATEWAY     0x0a000202u
#define GUEST       0x0a00020fu
#define ETHERNET    14u
#define IP          20u
#define TCP         20u
#define UDP         8u
#define GUEST_PORT  4000u
#define LIMIT       64u /* limit of open descriptors in the test that uses up sockets */
#define STARVED     70000u
#define PATIENCE_MS 10000
#define UNFINISHED  8000u /* unfinished datagrams, all with different numbers */
#define KEPT_BYTES  (4u << 20)

enum { FIN = 1, SYN = 2, RST = 4, ACK = 16 };

static const uint8_t guest_mac[6] = {0x52, 0x54, 0, 0x12, 0x34, 0x56};

struct frame {
    uint8_t bytes[1600];
    size_t len;
};

struct fixture {
    struct clock clock;
    struct log log;
    struct net_backend *net;
    VEC(struct frame) got;
    size_t read;   /* bytes in `got` */
    char *forward; /* read again by a load */
};

/* ---- the watching thread can be held up, as by a busy host ----------------------------------- */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static unsigned polls;      /* calls of poll() */
static unsigned polls_left; /* those that returned */

int __real_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
    int n;

    pthread_mutex_lock(&gate);
    __atomic_add_fetch(&polls, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&gate);
    n = __real_poll(fds, count, timeout);
    __atomic_add_fetch(&polls_left, 1, __ATOMIC_RELAXED);
    return n;
}

/* Waits until the thread has waited in the same poll() for 20 ms. */
static void wait_for_poll(void)
{
    unsigned before;

    do {
        before = __atomic_load_n(&polls, __ATOMIC_RELAXED);
        usleep(20000);
    } while (__atomic_load_n(&polls, __ATOMIC_RELAXED) != before ||
             __atomic_load_n(&polls_left, __ATOMIC_RELAXED) == before);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void put_be16(uint8_t *to, unsigned value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
}

static void put_be32(uint8_t *to, uint32_t value)
{
    put_be16(to, value >> 16);
    put_be16(to + 2, value & 0xffff);
}

static unsigned get_be16(const uint8_t *from)
{
    return (unsigned)from[0] << 8 | from[1];
}

static uint32_t get_be32(const uint8_t *from)
{
    return (uint32_t)get_be16(from) << 16 | get_be16(from + 2);
}

static uint32_t add_up(const uint8_t *bytes, size_t len, uint32_t sum)
{
    for (size_t i = 0; i < len; i++)
        sum += i & 1 ? bytes[i] : (uint32_t)bytes[i] << 8;
    return sum;
}

static unsigned fold_checksum(uint32_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return ~sum & 0xffff;
}

static void receive_frame(void *card, const uint8_t *bytes, size_t len)
{
    struct fixture *f = card;
    struct frame frame = {.len = len};

    assert_true(len <= sizeof(frame.bytes));
    memcpy(frame.bytes, bytes, len);
    vec_push(&f->got, frame);
}

static void send_frame(struct fixture *f, struct frame *frame)
{
    f->net->send(f->net, frame->bytes, frame->len);
}

static struct frame ethernet_frame(unsigned type)
{
    struct frame frame = {.len = ETHERNET};

    memset(frame.bytes, 0xff, 6);
    memcpy(frame.bytes + 6, guest_mac, 6);
    put_be16(frame.bytes + 12, type);
    return frame;
}

static struct frame arp_frame(unsigned operation, uint32_t asks_for)
{
    static const uint8_t head[] = {0, 1, 8, 0, 6, 4, 0};
    struct frame frame = ethernet_frame(0x0806);
    uint8_t *a = frame.bytes + ETHERNET;

    memcpy(a, head, sizeof(head));
    a[7] = (uint8_t)operation;
    memcpy(a + 8, guest_mac, 6);
    put_be32(a + 14, GUEST);
    put_be32(a + 24, asks_for);
    frame.len += 28;
    return frame;
}

/* Begins an IP packet; the payload is appended to it, then finish_packet() is called. */
static struct frame begin_packet(unsigned protocol, uint32_t to)
{
    struct frame frame = ethernet_frame(0x0800);
    uint8_t *ip = frame.bytes + ETHERNET;

    ip[0] = 0x45;
    ip[8] = 64;
    ip[9] = (uint8_t)protocol;
    put_be32(ip + 12, GUEST);
    put_be32(ip + 16, to);
    frame.len += IP;
    return frame;
}

/* Fills in lengths and checksums; `at` is the offset of the payload's own checksum. */
static void finish_packet(struct frame *frame, unsigned at)
{
    uint8_t *ip = frame->bytes + ETHERNET, *body = ip + IP;
    size_t len = frame->len - ETHERNET - IP;

    put_be16(ip + 2, (unsigned)(frame->len - ETHERNET));
    put_be16(ip + 10, 0);
    put_be16(ip + 10, fold_checksum(add_up(ip, IP, 0)));
    put_be16(body + at, 0);
    put_be16(body + at,
             fold_checksum(add_up(body, len, add_up(ip + 12, 8, ip[9] + (uint32_t)len))));
}

static struct frame tcp_segment(unsigned from, unsigned to, uint32_t seq, uint32_t ack,
                                unsigned flags)
{
    struct frame frame = begin_packet(6, GATEWAY);
    uint8_t *t = frame.bytes + frame.len;

    put_be16(t, from);
    put_be16(t + 2, to);
    put_be32(t + 4, seq);
    put_be32(t + 8, ack);
    t[12] = 0x50;
    t[13] = (uint8_t)flags;
    put_be16(t + 14, 8192);
    frame.len += TCP;
    finish_packet(&frame, 16);
    return frame;
}

static struct frame udp_datagram(unsigned from, uint32_t address, unsigned to, const char *text)
{
    struct frame frame = begin_packet(17, address);
    uint8_t *u = frame.bytes + frame.len;

    put_be16(u, from);
    put_be16(u + 2, to);
    put_be16(u + 4, (unsigned)(UDP + strlen(text)));
    memcpy(u + UDP, text, strlen(text));
    frame.len += UDP + strlen(text);
    finish_packet(&frame, 6);
    return frame;
}

/* Makes a fragment of an IP packet's payload; `offset` in bytes. */
static struct frame ip_fragment(unsigned protocol, unsigned id, size_t offset, bool more,
                                const uint8_t *bytes, size_t len)
{
    struct frame frame = begin_packet(protocol, GATEWAY);
    uint8_t *ip = frame.bytes + ETHERNET;

    put_be16(ip + 2, (unsigned)(IP + len));
    put_be16(ip + 4, id);
    put_be16(ip + 6, (unsigned)(offset / 8) | (more ? 0x2000u : 0));
    put_be16(ip + 10, fold_checksum(add_up(ip, IP, 0)));
    memcpy(ip + IP, bytes, len);
    frame.len += len;
    return frame;
}

/* ---- waiting --------------------------------------------------------------------------------- */

/*
 * Returns the next frame of an IP protocol (0: ARP) that the guest receives, or NULL if none comes
 * within PATIENCE_MS. Meanwhile the guest answers ARP requests for its address.
 */
static const struct frame *next_frame(struct fixture *f, unsigned protocol, int patience_ms)
{
    for (int ms = 0;; ms += 5) {
        while (f->read < f->got.len) {
            struct frame *frame = &f->got.data[f->read++], answer;
            bool question = get_be16(frame->bytes + 12) == 0x0806 && frame->bytes[21] == 1;

            if (question) {
                answer = arp_frame(2, GATEWAY);
                send_frame(f, &answer);
            } else if (get_be16(frame->bytes + 12) == 0x0806 ? !protocol
                                                             : frame->bytes[23] == protocol) {
                return &f->got.data[f->read - 1];
            }
        }
        if (ms >= patience_ms)
            return NULL;
        clock_wait_posted(&f->clock, SECOND / 200);
        clock_run_posted(&f->clock);
        clock_advance_to(&f->clock, f->clock.now + SECOND / 1000);
    }
}

static const uint8_t *next_tcp(struct fixture *f, unsigned port, unsigned flags, int patience_ms)
{
    const struct frame *frame;

    while ((frame = next_frame(f, 6, patience_ms)) != NULL) {
        const uint8_t *t = frame->bytes + ETHERNET + IP;

        if ((t[13] & (SYN | RST | FIN)) == flags && (!port || get_be16(t + 2) == port))
            return t;
    }
    return NULL;
}

static unsigned count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    unsigned count = 0;

    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static int host_socket(int type, unsigned *port)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof(here);
    int fd = socket(AF_INET, type, 0);

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&here, sizeof(here)), 0);
    assert_true(type == SOCK_DGRAM || !listen(fd, 100));
    assert_int_equal(getsockname(fd, (struct sockaddr *)&here, &len), 0);
    *port = ntohs(here.sin_port);
    return fd;
}

static int host_connect(unsigned port)
{
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    there.sin_port = htons((uint16_t)port);
    assert_int_equal(connect(fd, (struct sockaddr *)&there, sizeof(there)), 0);
    return fd;
}

static void expect_readable(int fd, int timeout)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    assert_int_equal(__real_poll(&p, 1, timeout), 1);
}

/* ---- life ------------------------------------------------------------------------------------ */

static void start_network(struct fixture *f, bool restricted, char *forward)
{
    struct error err = {""};
    struct frame hello = arp_frame(1, GATEWAY);

    f->forward = forward;
    f->net = net_user_new(&f->clock, &f->log, restricted, &f->forward, forward ? 1 : 0, &err);
    if (!f->net)
        fail_msg("%s", err.text);
    f->net->receive = receive_frame;
    f->net->card = f;
    send_frame(f, &hello);
}

static int setup(void **state)
{
    struct fixture *f = xcalloc(1, sizeof(*f));

    clock_init(&f->clock);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    if (f->net)
        f->net->destroy(f->net);
    clock_free(&f->clock);
    vec_free(&f->got);
    free(f);
    return 0;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_arp(void **state)
{
    struct fixture *f = *state;
    const struct frame *frame;

    start_network(f, false, NULL);
    frame = next_frame(f, 0, 0);
    assert_non_null(frame);
    assert_int_equal(frame->bytes[21], 2);
    assert_int_equal(get_be32(frame->bytes + 28), GATEWAY);
    assert_memory_equal(frame->bytes, guest_mac, 6);
}

/* DHCP assigns the addresses in net.h. */
static void test_dhcp(void **state)
{
    static const uint8_t options[] = {0x63, 0x82, 0x53, 0x63, 53, 1, 1, 255};
    struct fixture *f = *state;
    struct frame ask = udp_datagram(68, 0xffffffff, 67, "");
    uint8_t *body = ask.bytes + ask.len;
    const struct frame *frame;

    start_network(f, false, NULL);
    body[0] = body[1] = 1;
    body[2] = 6;
    memcpy(body + 28, guest_mac, 6);
    memcpy(body + 236, options, sizeof(options));
    ask.len += 300;
    put_be16(ask.bytes + ETHERNET + IP + 4, UDP + 300);
    finish_packet(&ask, 6);
    send_frame(f, &ask);
    frame = next_frame(f, 17, 0);
    assert_non_null(frame);
    assert_int_equal(get_be32(frame->bytes + ETHERNET + IP + UDP + 16), GUEST);
    assert_int_equal(get_be32(frame->bytes + ETHERNET + 12), GATEWAY);
    /* Option 6: the name server */
    assert_non_null(memmem(frame->bytes + ETHERNET + IP + UDP, frame->len - ETHERNET - IP - UDP,
                           "\x06\x04\x0a\x00\x02\x03", 6));
}

static void test_udp(void **state)
{
    struct fixture *f = *state;
    struct sockaddr_in from;
    socklen_t len = sizeof(from);
    unsigned port, before;
    int fd = host_socket(SOCK_DGRAM, &port);
    struct frame frame = udp_datagram(GUEST_PORT, GATEWAY, port, "hello");
    const struct frame *answer;
    char text[16] = "";

    start_network(f, false, NULL);
    before = count_descriptors();
    send_frame(f, &frame);
    expect_readable(fd, PATIENCE_MS);
    assert_int_equal(recvfrom(fd, text, sizeof(text), 0, (struct sockaddr *)&from, &len), 5);
    assert_string_equal(text, "hello");
    assert_int_equal(count_descriptors(), before + 1);
    assert_int_equal(sendto(fd, "back", 4, 0, (struct sockaddr *)&from, len), 4);
    answer = next_frame(f, 17, PATIENCE_MS);
    assert_non_null(answer);
    assert_int_equal(get_be16(answer->bytes + ETHERNET + IP + 2), GUEST_PORT);
    assert_memory_equal(answer->bytes + ETHERNET + IP + UDP, "back", 4);
    close(fd);
}

/* Destinations that a guest in a restricted network may not reach. */
static void test_restricted(void **state)
{
    struct fixture *f = *state;
    unsigned port, before;
    int fd = host_socket(SOCK_DGRAM, &port);
    struct frame frame = udp_datagram(GUEST_PORT, GATEWAY, port, "hello");

    start_network(f, true, NULL);
    before = count_descriptors();
    send_frame(f, &frame);
    assert_int_equal(count_descriptors(), before);
    close(fd);
}

/* A connection from the guest: opened, bytes in both directions, closed. */
static void test_tcp(void **state)
{
    struct fixture *f = *state;
    unsigned port;
    int listener = host_socket(SOCK_STREAM, &port), fd;
    struct frame frame = tcp_segment(GUEST_PORT, port, 100, 0, SYN);
    const uint8_t *t;
    char text[16] = "";
    uint32_t ack;

    start_network(f, false, NULL);
    send_frame(f, &frame);
    t = next_tcp(f, GUEST_PORT, SYN, PATIENCE_MS);
    assert_non_null(t);
    assert_int_equal(get_be32(t + 8), 101);
    ack = get_be32(t + 4) + 1;
    frame = tcp_segment(GUEST_PORT, port, 101, ack, ACK);
    send_frame(f, &frame);
    expect_readable(listener, PATIENCE_MS);
    fd = accept(listener, NULL, NULL);
    memcpy(frame.bytes + frame.len, "abc", 3);
    frame.len += 3;
    finish_packet(&frame, 16);
    send_frame(f, &frame);
    expect_readable(fd, PATIENCE_MS);
    assert_int_equal(read(fd, text, sizeof(text)), 3);
    assert_string_equal(text, "abc");
    assert_int_equal(write(fd, "defg", 4), 4);
    do {
        t = next_tcp(f, GUEST_PORT, 0, PATIENCE_MS);
        assert_non_null(t);
    } while (memcmp(t + TCP, "defg", 4));
    close(fd);
    assert_non_null(next_tcp(f, GUEST_PORT, FIN, PATIENCE_MS));
    close(listener);
}

/* Opens a connection of the guest to a port of the host; returns the host's end, and the number of
 * the next byte for the guest. */
static int guest_connect(struct fixture *f, int listener, unsigned port, uint32_t *next)
{
    struct frame frame = tcp_segment(GUEST_PORT, port, 100, 0, SYN);
    const uint8_t *t;

    send_frame(f, &frame);
    t = next_tcp(f, GUEST_PORT, SYN, PATIENCE_MS);
    assert_non_null(t);
    *next = get_be32(t + 4) + 1;
    frame = tcp_segment(GUEST_PORT, port, 101, *next, ACK);
    send_frame(f, &frame);
    expect_readable(listener, PATIENCE_MS);
    return accept(listener, NULL, NULL);
}

/* A snapshot of an open connection is loaded: its server sees the end, and the guest, whose answer
 * to a probe is that of Linux, a reset with the number that it expects. Then it connects again. */
static void test_loaded(void **state)
{
    struct fixture *f = *state;
    struct state_buf saved = {0};
    unsigned port;
    int listener = host_socket(SOCK_STREAM, &port), fd;
    struct frame frame;
    const uint8_t *t;
    uint32_t next;
    char byte;

    start_network(f, false, NULL);
    fd = guest_connect(f, listener, port, &next);
    f->net->save(f->net, &saved);
    f->read = f->got.len;
    f->net->load(f->net, saved.data, saved.len);
    expect_readable(fd, PATIENCE_MS);
    assert_true(read(fd, &byte, 1) <= 0);
    t = next_tcp(f, GUEST_PORT, 0, PATIENCE_MS);
    assert_non_null(t);
    assert_int_equal(get_be32(t + 4), next - 1);
    assert_int_equal(t[13], ACK);
    assert_int_equal(fold_checksum(add_up(t - 8, 8 + TCP, 6 + TCP)), 0);
    assert_int_equal(fold_checksum(add_up(t - IP, IP, 0)), 0);
    assert_memory_equal(t - IP - ETHERNET, guest_mac, 6);
    frame = tcp_segment(GUEST_PORT, port, 101, next, ACK);
    send_frame(f, &frame);
    t = next_tcp(f, GUEST_PORT, RST, 0);
    assert_non_null(t); /* at once: the network does not ask for the guest's address */
    assert_int_equal(get_be32(t + 4), next);
    close(fd);
    fd = guest_connect(f, listener, port, &next);
    assert_true(fd >= 0);
    close(fd);
    close(listener);
    state_buf_free(&saved);
}

/* Ports that are forwarded are open after a load as before, though the thread polled them. */
static void test_loaded_forward(void **state)
{
    struct fixture *f = *state;
    char forward[64];
    unsigned port;
    int fd = host_socket(SOCK_STREAM, &port);

    close(fd);
    snprintf(forward, sizeof(forward), "tcp:127.0.0.1:%u-10.0.2.15:1", port);
    start_network(f, false, forward);
    wait_for_poll();
    f->net->load(f->net, NULL, 0);
    fd = host_connect(port);
    assert_non_null(next_tcp(f, 1, SYN, PATIENCE_MS));
    close(fd);
}

/* A connection from the host to a forwarded port. */
static void test_forward(void **state)
{
    struct fixture *f = *state;
    char forward[64];
    unsigned port;
    int fd = host_socket(SOCK_STREAM, &port);
    const uint8_t *t;

    close(fd);
    snprintf(forward, sizeof(forward), "tcp:127.0.0.1:%u-10.0.2.15:1", port);
    start_network(f, false, forward);
    fd = host_connect(port);
    t = next_tcp(f, 1, SYN, PATIENCE_MS);
    assert_non_null(t);
    close(fd);
}

static void test_bad_forwards(void **state)
{
    static const char *const bad[] = {
        "tcp:",       "tcp::1",     "tcp::1-:70000", "udp::0-:1",
        "icmp::1-:1", "tcp:x:1-:2", "tcp::1-:2x",    "tcp:1.2.3.4.5:1-:2",
        ":1-:2",      "tcp::1-2",   "tcp::65536-:1", "tcp:8.8.8.8:1-:2"};
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char copy[64], *forward = copy;
        struct error err = {""};

        strcpy(copy, bad[i]);
        assert_null(net_user_new(&f->clock, &f->log, false, &forward, 1, &err));
        assert_non_null(strstr(err.text, "hostfwd"));
        assert_non_null(strstr(err.text, bad[i]));
    }
}

/* If the host never schedules the watching thread, a sending guest does not wait for it. */
static void test_starved(void **state)
{
    struct fixture *f = *state;
    struct frame frame = ethernet_frame(0x88b5);
    char forward[64];
    unsigned port;
    int fd = host_socket(SOCK_STREAM, &port);

    close(fd);
    frame.len = 60;
    snprintf(forward, sizeof(forward), "tcp::%u-:2222", port);
    alarm(20); /* ends the test if it waits for ever */
    pthread_mutex_lock(&gate);
    start_network(f, false, forward);
    for (unsigned n = 0; n < STARVED; n++)
        send_frame(f, &frame);
    pthread_mutex_unlock(&gate);
    fd = host_connect(port); /* the thread still works */
    assert_non_null(next_tcp(f, 2222, SYN, PATIENCE_MS));
    close(fd);
    alarm(0);
}

/* Without work nothing is polled. */
static void test_idle(void **state)
{
    struct fixture *f = *state;
    unsigned before;

    start_network(f, false, NULL);
    assert_null(next_frame(f, 6, 50));
    before = __atomic_load_n(&polls, __ATOMIC_RELAXED);
    assert_null(next_frame(f, 6, 200));
    assert_true(__atomic_load_n(&polls, __ATOMIC_RELAXED) - before < 10);
}

/* A guest that opens ever more connections leaves the process descriptors for its own use. */
static void test_socket_limit(void **state)
{
    struct fixture *f = *state;
    struct rlimit old, low;
    unsigned port, forwarded, before, polled;
    int listener = host_socket(SOCK_STREAM, &port), fd;
    struct frame frame;
    char forward[64];

    fd = host_socket(SOCK_STREAM, &forwarded);
    close(fd);
    snprintf(forward, sizeof(forward), "tcp::%u-:2222", forwarded);
    getrlimit(RLIMIT_NOFILE, &old);
    low = old;
    low.rlim_cur = LIMIT;
    setrlimit(RLIMIT_NOFILE, &low);
    start_network(f, false, forward);
    before = count_descriptors();
    for (unsigned n = 0; n < 2 * LIMIT; n++) {
        frame = tcp_segment(GUEST_PORT + n, port, 100, 0, SYN);
        send_frame(f, &frame);
    }
    assert_int_equal(count_descriptors(), before + LIMIT / 2);
    frame = udp_datagram(GUEST_PORT, GATEWAY, port, "x");
    send_frame(f, &frame);
    assert_int_equal(count_descriptors(), before + LIMIT / 2);
    frame = tcp_segment(GUEST_PORT + LIMIT, port, 100, 0, SYN);
    put_be16(frame.bytes + ETHERNET + 6, 0x2000); /* the first fragment */
    send_frame(f, &frame);
    assert_int_equal(count_descriptors(), before + LIMIT / 2);
    /* A client of the forwarded port waits, and no thread spins. */
    fd = host_connect(forwarded);
    assert_null(next_tcp(f, 2222, SYN, 300));
    polled = __atomic_load_n(&polls, __ATOMIC_RELAXED);
    usleep(200000);
    assert_true(__atomic_load_n(&polls, __ATOMIC_RELAXED) - polled < 20);
    /* Open connections continue: the first one is closed, which makes room. */
    frame = tcp_segment(GUEST_PORT, port, 101, 0, RST);
    send_frame(f, &frame);
    assert_non_null(next_tcp(f, 2222, SYN, PATIENCE_MS));
    assert_int_equal(count_descriptors(), before + LIMIT / 2 + 1); /* including the test's own */
    setrlimit(RLIMIT_NOFILE, &old);
    close(fd);
    close(listener);
}

/* Sends the payload in pieces of 1,480 bytes, the last one first. */
static void send_pieces(struct fixture *f, unsigned protocol, const uint8_t *bytes, size_t len)
{
    size_t at = (len - 1) / 1480 * 1480;

    for (;; at -= 1480) {
        size_t part = len - at < 1480 ? len - at : 1480;
        struct frame frame = ip_fragment(protocol, 7, at, at + part < len, bytes + at, part);

        send_frame(f, &frame);
        if (!at)
            return;
    }
}

/* A datagram larger than a frame reaches the host whole, as an NFS client needs. */
static void test_large_udp(void **state)
{
    struct fixture *f = *state;
    unsigned port;
    int fd = host_socket(SOCK_DGRAM, &port);
    uint8_t sent[8192], got[8192];

    for (size_t n = 0; n < sizeof(sent); n++)
        sent[n] = (uint8_t)(n * 7 + n / 256);
    put_be16(sent, GUEST_PORT);
    put_be16(sent + 2, port);
    put_be16(sent + 4, sizeof(sent));
    put_be16(sent + 6, 0); /* no checksum */
    start_network(f, false, NULL);
    send_pieces(f, 17, sent, sizeof(sent));
    expect_readable(fd, PATIENCE_MS);
    assert_int_equal(recv(fd, got, sizeof(got), 0), sizeof(sent) - UDP);
    assert_memory_equal(got, sent + UDP, sizeof(sent) - UDP);
    close(fd);
}

/* The gateway answers a ping of 8 KB by fragments of its own. */
static void test_large_ping(void **state)
{
    struct fixture *f = *state;
    uint8_t echo[8008] = {8};
    const struct frame *frame;
    size_t got = 0;

    memset(echo + 8, 0x5a, sizeof(echo) - 8);
    put_be16(echo + 2, fold_checksum(add_up(echo, sizeof(echo), 0)));
    start_network(f, false, NULL);
    send_pieces(f, 1, echo, sizeof(echo));
    while (got < sizeof(echo) && (frame = next_frame(f, 1, 1000)) != NULL) {
        assert_int_equal(frame->bytes[frame->len - 1], 0x5a);
        got += get_be16(frame->bytes + ETHERNET + 2) - IP;
    }
    assert_int_equal(got, sizeof(echo));
}

/* Unfinished datagrams take bounded memory, however many there are. */
static void test_unfinished(void **state)
{
    static const uint8_t piece[64];
    struct fixture *f = *state;
    size_t before;

    start_network(f, false, NULL);
    before = mallinfo2().uordblks;
    for (unsigned n = 0; n < UNFINISHED; n++) {
        struct frame frame = ip_fragment(17, n, 0, true, piece, sizeof(piece));

        send_frame(f, &frame);
    }
    assert_true(mallinfo2().uordblks - before < KEPT_BYTES);
}

static struct net_backend *open_and_connect(struct fixture *f, char *forward, unsigned port)
{
    struct error err = {""};
    struct net_backend *net = net_user_new(&f->clock, &f->log, false, &forward, 1, &err);
    int fd;

    assert_non_null(net);
    fd = host_connect(port);
    assert_true(clock_wait_posted(&f->clock, SECOND * 10));
    close(fd);
    return net;
}

/*
 * A client's connection is noticed before the guest sends anything, and nothing is polled until the
 * machine handles it. The end leaves no posted work, descriptors or memory.
 */
static void test_end(void **state)
{
    struct fixture *f = *state;
    char forward[64];
    unsigned port, files = 0, polled;
    size_t used = 0;
    int fd = host_socket(SOCK_STREAM, &port);

    close(fd);
    snprintf(forward, sizeof(forward), "tcp::%u-:2222", port);
    for (unsigned n = 0; n < 20; n++) {
        struct net_backend *net = open_and_connect(f, forward, port);

        if (!n) {
            polled = __atomic_load_n(&polls, __ATOMIC_RELAXED);
            usleep(100000);
            assert_true(__atomic_load_n(&polls, __ATOMIC_RELAXED) - polled < 10);
        }
        net->destroy(net);
        assert_false(clock_wait_posted(&f->clock, 0));
        if (n == 3) {
            files = count_descriptors();
            used = mallinfo2().uordblks;
        }
    }
    assert_int_equal(count_descriptors(), files);
    assert_true(mallinfo2().uordblks < used + 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_arp, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dhcp, setup, teardown),
        cmocka_unit_test_setup_teardown(test_udp, setup, teardown),
        cmocka_unit_test_setup_teardown(test_restricted, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tcp, setup, teardown),
        cmocka_unit_test_setup_teardown(test_loaded, setup, teardown),
        cmocka_unit_test_setup_teardown(test_loaded_forward, setup, teardown),
        cmocka_unit_test_setup_teardown(test_forward, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_forwards, setup, teardown),
        cmocka_unit_test_setup_teardown(test_starved, setup, teardown),
        cmocka_unit_test_setup_teardown(test_idle, setup, teardown),
        cmocka_unit_test_setup_teardown(test_socket_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_large_udp, setup, teardown),
        cmocka_unit_test_setup_teardown(test_large_ping, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unfinished, setup, teardown),
        cmocka_unit_test_setup_teardown(test_end, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
