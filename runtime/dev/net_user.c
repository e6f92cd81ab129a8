/*
 * User-mode network on libslirp. Frames of the guest are handled at once, on the machine's thread;
 * the host's sockets are watched by a thread of its own, which only polls and then hands over
 * through clock_post(). What stays inside libslirp (ARP, DHCP, ping of the gateway) is therefore
 * the same in every run.
 *
 * Bounds      a frame of the guest is one call of libslirp; connections have at most SOCKETS_MAX
 *             sockets, and at most 1 / SOCKETS_SHARE of the process's limit; fragments are
 *             reassembled here (ip_reassembly.h); frames for the guest wait in the card
 *             (frame_queue.h)
 */
#include <arpa/inet.h>
#include <errno.h>
#include <libslirp.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "common/vec.h"
#include "runtime/dev/ip_reassembly.h"
#include "runtime/dev/net.h"
#include "runtime/dev/net_flows.h"

#define SOCKETS_MAX   512u
#define SOCKETS_SHARE 2u

struct net_user {
    struct net_backend backend;
    struct clock *clock;
    struct log *log;
    Slirp *slirp; /* NULL after a load that could not open it again: frames are dropped */
    SlirpConfig config;
    char *const *forward;
    size_t forward_count;

    pthread_t thread;
    bool started;
    int wake; /* an eventfd: the fields below have changed; writes never block */

    /* The machine's thread alone: */
    unsigned sockets, sockets_max; /* sockets of connections, without listening ones */
    struct ip_reassembly fragments;
    struct net_flows flows;

    pthread_mutex_t lock;
    bool ending;
    bool armed;       /* the thread polls `fds` */
    bool poll_posted; /* the poll has returned, but the machine's thread has not yet handled it */
    int timeout;      /* ms, -1: none */
    VEC(struct pollfd) fds;
};

/* ---- host sockets ---- */

static bool is_full(const struct net_user *net)
{
    return net->sockets >= net->sockets_max;
}

static bool is_listening(int fd)
{
    int listening = 0;
    socklen_t len = sizeof(listening);

    return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &len) && listening;
}

static int add_poll(int fd, int events, void *opaque)
{
    struct net_user *net = opaque;
    short wanted = 0;

    if (events & SLIRP_POLL_IN)
        wanted |= POLLIN;
    if (events & SLIRP_POLL_OUT)
        wanted |= POLLOUT;
    if (events & SLIRP_POLL_PRI)
        wanted |= POLLPRI;
    if (is_full(net) && is_listening(fd))
        wanted = 0; /* new connections wait until there is room */
    vec_push(&net->fds, (struct pollfd){.fd = fd, .events = wanted});
    return (int)net->fds.len - 1;
}

static int get_events(int index, void *opaque)
{
    const struct net_user *net = opaque;
    short have = index >= 0 && (size_t)index < net->fds.len ? net->fds.data[index].revents : 0;
    int events = 0;

    if (have & POLLIN)
        events |= SLIRP_POLL_IN;
    if (have & POLLOUT)
        events |= SLIRP_POLL_OUT;
    if (have & POLLPRI)
        events |= SLIRP_POLL_PRI;
    if (have & POLLERR)
        events |= SLIRP_POLL_ERR;
    if (have & POLLHUP)
        events |= SLIRP_POLL_HUP;
    return events;
}

static void wake_thread(struct net_user *net)
{
    eventfd_write(net->wake, 1); /* a full counter wakes the thread as well */
}

/* Starts the thread's next wait, with the present sockets and timeout; machine's thread only. */
static void arm_thread(struct net_user *net)
{
    uint32_t timeout = UINT32_MAX;

    pthread_mutex_lock(&net->lock);
    if (!net->poll_posted) {
        net->fds.len = 0;
        slirp_pollfds_fill(net->slirp, &timeout, add_poll, net);
        net->timeout = timeout > INT32_MAX ? -1 : (int)timeout;
        net->armed = true;
        wake_thread(net);
    }
    pthread_mutex_unlock(&net->lock);
}

/* Called when sockets are ready or the timeout has passed; machine's thread only. */
static void on_sockets_ready(void *opaque)
{
    struct net_user *net = opaque;

    slirp_pollfds_poll(net->slirp, 0, get_events, net); /* the thread does not use fds now */
    pthread_mutex_lock(&net->lock);
    net->poll_posted = false;
    pthread_mutex_unlock(&net->lock);
    arm_thread(net);
}

/* Polls once, on a copy of the list; the eventfd comes first. */
static void poll_once(struct net_user *net, struct pollfd *fds, size_t count, int timeout)
{
    int n = poll(fds, count + 1, timeout);
    eventfd_t times;

    if (fds[0].revents) {
        eventfd_read(net->wake, &times);
        return; /* the list may have changed */
    }
    pthread_mutex_lock(&net->lock);
    if (n >= 0 && net->armed && !net->poll_posted && net->fds.len == count) {
        for (size_t i = 0; i < count; i++)
            net->fds.data[i].revents = fds[i + 1].revents;
        net->armed = false;
        net->poll_posted = true;
        clock_post(net->clock, on_sockets_ready, net);
    }
    pthread_mutex_unlock(&net->lock);
}

static void *watch_sockets(void *opaque)
{
    struct net_user *net = opaque;
    VEC(struct pollfd) fds = {0};
    bool ending = false;

    while (!ending) {
        size_t count;
        int timeout;

        pthread_mutex_lock(&net->lock);
        ending = net->ending;
        count = net->armed ? net->fds.len : 0;
        timeout = net->armed ? net->timeout : -1;
        fds.len = 0;
        vec_push(&fds, (struct pollfd){.fd = net->wake, .events = POLLIN});
        for (size_t i = 0; i < count; i++)
            vec_push(&fds, net->fds.data[i]);
        pthread_mutex_unlock(&net->lock);
        if (!ending)
            poll_once(net, fds.data, count, timeout);
    }
    vec_free(&fds);
    return NULL;
}

static bool start_watching(struct net_user *net, struct error *err)
{
    if (pthread_create(&net->thread, NULL, watch_sockets, net))
        return error_set(err, "user network: no thread");
    net->started = true;
    arm_thread(net);
    return true;
}

/*
 * Ends the thread, before libslirp closes its sockets: a socket that a thread polls stays open
 * until the poll returns. A listening one would keep its port, and accept connections that nobody
 * serves.
 */
static void stop_watching(struct net_user *net)
{
    if (net->started) {
        pthread_mutex_lock(&net->lock);
        net->ending = true;
        pthread_mutex_unlock(&net->lock);
        wake_thread(net);
        pthread_join(net->thread, NULL);
    }
    net->started = net->ending = net->armed = net->poll_posted = false;
    clock_unpost(net->clock, net);
}

/* ---- callbacks of libslirp ---- */

static ssize_t send_packet(const void *frame, size_t len, void *opaque)
{
    struct net_user *net = opaque;

    net_receive(&net->backend, frame, len);
    return (ssize_t)len;
}

static void guest_error(const char *text, void *opaque)
{
    struct net_user *net = opaque;

    log_printf(net->log, LOG_GUEST_ERRORS, "network: %s\n", text);
}

static int64_t clock_ns(void *opaque)
{
    struct net_user *net = opaque;

    return (int64_t)clock_now(net->clock);
}

/* slirp_pollfds_fill() lists the sockets to poll. Here they are only counted, as they open and
 * close. */
static void socket_opened(int fd, void *opaque)
{
    struct net_user *net = opaque;

    (void)fd;
    net->sockets++;
}

static void socket_closed(int fd, void *opaque)
{
    struct net_user *net = opaque;

    (void)fd;
    net->sockets -= net->sockets > 0;
}

static void notify_ignored(void *opaque)
{
    (void)opaque; /* arm_thread() follows every call that could need this */
}

/* Timers are for IPv6, which is off. */
static const SlirpCb callbacks = {
    .send_packet = send_packet,
    .guest_error = guest_error,
    .clock_get_ns = clock_ns,
    .register_poll_fd = socket_opened,
    .unregister_poll_fd = socket_closed,
    .notify = notify_ignored,
};

/* ---- the back end ---- */

enum {
    ETHERNET_HEADER = 14,
    IP_HEADER = 20,
    TCP_FLAGS = 13
}; /* bytes; the place in TCP's header */
enum { TYPE_IPV4 = 0x0800, PROTOCOL_TCP = 6 };
enum { TCP_FIN = 1, TCP_SYN = 2, TCP_RST = 4, TCP_ACK = 16, TCP_URG = 32 };

static unsigned get_be16(const uint8_t *bytes)
{
    return (unsigned)bytes[0] << 8 | bytes[1];
}

/*
 * Whether libslirp may open a socket for the frame. In TCP that is a connection's first segment;
 * other protocols have no such mark.
 */
static bool may_open(const uint8_t *frame, size_t len)
{
    const uint8_t *ip = frame + ETHERNET_HEADER;
    unsigned flags;
    size_t tcp;

    if (len < ETHERNET_HEADER + IP_HEADER || get_be16(frame + 12) != TYPE_IPV4)
        return false;
    if (ip[9] != PROTOCOL_TCP)
        return true;
    tcp = ETHERNET_HEADER + (ip[0] & 15u) * 4;
    if (len <= tcp + TCP_FLAGS)
        return false;
    flags = frame[tcp + TCP_FLAGS] & (TCP_FIN | TCP_SYN | TCP_RST | TCP_ACK | TCP_URG);
    return flags == TCP_SYN;
}

static void send_frame(struct net_backend *backend, const uint8_t *frame, size_t len)
{
    struct net_user *net = (struct net_user *)(void *)backend;

    if (ip_is_fragment(frame, len)) {
        frame = ip_reassemble(&net->fragments, clock_now(net->clock), frame, len, &len);
        if (!frame)
            return;
    }
    if (is_full(net) && may_open(frame, len)) {
        log_printf(net->log, LOG_GUEST_ERRORS,
                   "network: %u sockets are open, a frame that may need another is dropped\n",
                   net->sockets);
        return;
    }
    net_flows_note(&net->flows, frame, len);
    if (!net->slirp)
        return;
    slirp_input(net->slirp, frame, (int)len);
    arm_thread(net);
}

static void destroy_net_user(struct net_backend *backend)
{
    struct net_user *net = (struct net_user *)(void *)backend;

    stop_watching(net);
    net->backend.receive = NULL;
    if (net->slirp)
        slirp_cleanup(net->slirp);
    if (net->wake >= 0)
        close(net->wake);
    pthread_mutex_destroy(&net->lock);
    vec_free(&net->fds);
    ip_reassembly_clear(&net->fragments);
    free(net);
}

/* Parses "[ADDR]:PORT" in place; *addr is kept if ADDR is empty. */
static bool parse_end(char *text, struct in_addr *addr, int *port)
{
    char *colon = strrchr(text, ':'), *end;
    long value;

    if (!colon)
        return false;
    *colon = 0;
    value = strtol(colon + 1, &end, 10);
    if (end == colon + 1 || *end || value < 1 || value > 65535)
        return false;
    *port = (int)value;
    return !*text || inet_aton(text, addr);
}

static bool add_forward(struct net_user *net, const char *spec, struct error *err)
{
    struct in_addr host = {htonl(INADDR_LOOPBACK)}, guest = {INADDR_ANY};
    int host_port, guest_port, udp = !strncmp(spec, "udp:", 4);
    char *copy = xstrdup(spec), *dash = strchr(copy, '-');
    bool ok = dash && (udp || !strncmp(spec, "tcp:", 4));

    if (ok) {
        *dash = 0;
        ok = parse_end(copy + 4, &host, &host_port) && parse_end(dash + 1, &guest, &guest_port);
    }
    free(copy);
    if (!ok)
        return error_set(err, "hostfwd takes tcp:[ADDR]:PORT-[ADDR]:PORT, not '%s'", spec);
    if (slirp_add_hostfwd(net->slirp, udp, host, host_port, guest, guest_port))
        return error_set(err, "hostfwd '%s': %s", spec, strerror(errno));
    return true;
}

static unsigned most_sockets(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur / SOCKETS_SHARE > SOCKETS_MAX)
        return SOCKETS_MAX;
    return (unsigned)files.rlim_cur / SOCKETS_SHARE;
}

/* Opens a network without connections. */
static bool open_slirp(struct net_user *net, struct error *err)
{
    net->sockets = 0;
    net->slirp = slirp_new(&net->config, &callbacks, net);
    if (!net->slirp)
        return error_set(err, "user network: libslirp refuses");
    for (size_t i = 0; i < net->forward_count; i++) {
        if (!add_forward(net, net->forward[i], err))
            return false;
    }
    return true;
}

static bool start_network(struct net_user *net, struct error *err)
{
    if (!open_slirp(net, err))
        return false;
    net->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (net->wake < 0)
        return error_set(err, "user network: %s", strerror(errno));
    return start_watching(net, err);
}

/* ---- snapshots ------------------------------------------------------------------------------- */

static void save_net_user(const struct net_backend *backend, struct state_buf *buf)
{
    net_flows_save(&((const struct net_user *)(const void *)backend)->flows, buf);
}

/* libslirp would ask for the guest's address first, and drop the reset if the answer takes long. */
static void announce_guests(struct net_user *net)
{
    uint8_t frame[NET_ARP_BYTES];

    for (unsigned i = 0; i < net->flows.count; i++) {
        net_flows_announce(&net->flows.flow[i], frame);
        slirp_input(net->slirp, frame, sizeof(frame));
    }
}

/* Serves the guest also if a port cannot be forwarded again. */
static bool open_again(struct net_user *net, struct error *err)
{
    bool is_whole = open_slirp(net, err);

    if (!net->slirp)
        return false;
    announce_guests(net);
    return start_watching(net, err) && is_whole;
}

/* Closes the connections of the host, and lets the guest find that its own are gone. */
static void load_net_user(struct net_backend *backend, const uint8_t *bytes, size_t len)
{
    struct net_user *net = (struct net_user *)(void *)backend;
    uint8_t probe[NET_PROBE_BYTES];
    struct error err = {0};

    stop_watching(net);
    ip_reassembly_clear(&net->fragments);
    if (net->slirp)
        slirp_cleanup(net->slirp);
    net_flows_load(&net->flows, bytes, len);
    if (!open_again(net, &err))
        log_printf(net->log, LOG_GUEST_ERRORS, "%s\n", err.text);
    for (unsigned i = 0; i < net->flows.count; i++) {
        net_flows_probe(&net->flows.flow[i], probe);
        net_receive(backend, probe, sizeof(probe));
    }
}

struct net_backend *net_user_new(struct clock *clock, struct log *log, bool restricted,
                                 char *const *forward, size_t count, struct error *err)
{
    struct net_user *net = xcalloc(1, sizeof(*net));

    net->config = (SlirpConfig){
        .version = 3,
        .restricted = restricted,
        .in_enabled = true,
        .vnetwork.s_addr = htonl(0x0a000200),
        .vnetmask.s_addr = htonl(0xffffff00),
        .vhost.s_addr = htonl(0x0a000202),
        .vdhcp_start.s_addr = htonl(0x0a00020f),
        .vnameserver.s_addr = htonl(0x0a000203),
    };
    net->forward = forward;
    net->forward_count = count;
    net->backend.name = "user network";
    net->backend.send = send_frame;
    net->backend.destroy = destroy_net_user;
    net->backend.save = save_net_user;
    net->backend.load = load_net_user;
    net->clock = clock;
    net->log = log;
    net->wake = -1;
    net->sockets_max = most_sockets();
    pthread_mutex_init(&net->lock, NULL);
    if (!start_network(net, err)) {
        destroy_net_user(&net->backend);
        return NULL;
    }
    return &net->backend;
}
