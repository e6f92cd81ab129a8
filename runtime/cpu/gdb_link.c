/* The TCP connection of the GDB server: one client at a time, read by a thread. */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "runtime/cpu/gdb_internal.h"

/* What may wait in the queue before the reader pauses: more than GDB ever sends unasked. */
#define QUEUE_MAX 65536

struct gdb_link {
    int listener, client, quit; /* client: -1 when there is none; quit: an eventfd */
    struct clock *clock;
    pthread_t thread;

    pthread_mutex_t lock; /* of what follows, and of `client` */
    pthread_cond_t changed;
    VEC(int) queue;
    size_t taken; /* of the queue */
    bool closing;
};

/* ---- the queue ------------------------------------------------------------------------------- */

static void nothing(void *opaque)
{
    (void)opaque;
}

/* Posted work that does nothing still ends clock_wait_posted(). */
static void wake_machine(struct gdb_link *link)
{
    if (link->clock)
        clock_post(link->clock, nothing, link);
}

static void enqueue(struct gdb_link *link, const uint8_t *bytes, size_t len, int event)
{
    pthread_mutex_lock(&link->lock);
    while (link->queue.len - link->taken > QUEUE_MAX && !link->closing)
        pthread_cond_wait(&link->changed, &link->lock);
    for (size_t n = 0; n < len; n++)
        vec_push(&link->queue, bytes[n]);
    if (!len)
        vec_push(&link->queue, event);
    pthread_cond_broadcast(&link->changed);
    pthread_mutex_unlock(&link->lock);
    wake_machine(link);
}

int gdb_link_get(struct gdb_link *link, bool wait)
{
    int item = GDB_LINK_NOTHING;

    pthread_mutex_lock(&link->lock);
    while (wait && link->taken == link->queue.len)
        pthread_cond_wait(&link->changed, &link->lock);
    if (link->taken < link->queue.len)
        item = link->queue.data[link->taken++];
    if (link->taken == link->queue.len && link->taken) {
        link->taken = link->queue.len = 0;
        pthread_cond_broadcast(&link->changed);
    }
    pthread_mutex_unlock(&link->lock);
    return item;
}

void gdb_link_put(struct gdb_link *link, const void *bytes, size_t len)
{
    const char *at = bytes;

    /* The reader closes the socket under the lock, so its number cannot be another's meanwhile. */
    pthread_mutex_lock(&link->lock);
    while (len && link->client >= 0) {
        ssize_t done = send(link->client, at, len, MSG_NOSIGNAL);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            break;
        at += done;
        len -= (size_t)done;
    }
    pthread_mutex_unlock(&link->lock);
}

/* ---- the reading thread ---------------------------------------------------------------------- */

/* Waits until the socket has something; false when the server closes. */
static bool wait_for(struct gdb_link *link, int fd)
{
    struct pollfd polled[2] = {{.fd = fd, .events = POLLIN}, {.fd = link->quit, .events = POLLIN}};

    while (poll(polled, 2, -1) < 0) {
        if (errno != EINTR)
            return false;
    }
    return !polled[1].revents;
}

/* Nobody is to get the answers to another's packets: all of them must be read before the next
 * client comes. */
static void wait_until_read(struct gdb_link *link)
{
    pthread_mutex_lock(&link->lock);
    while (link->queue.len && !link->closing)
        pthread_cond_wait(&link->changed, &link->lock);
    pthread_mutex_unlock(&link->lock);
}

static bool read_client(struct gdb_link *link)
{
    uint8_t bytes[4096];
    ssize_t len;

    while (wait_for(link, link->client)) {
        len = recv(link->client, bytes, sizeof(bytes), 0);
        if (len <= 0)
            return true;
        enqueue(link, bytes, (size_t)len, 0);
    }
    return false;
}

static void *reader(void *opaque)
{
    struct gdb_link *link = opaque;
    int one = 1;

    while (wait_for(link, link->listener)) {
        int fd = accept4(link->listener, NULL, NULL, SOCK_CLOEXEC);
        bool more;

        if (fd < 0)
            continue;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        pthread_mutex_lock(&link->lock);
        link->client = fd;
        pthread_mutex_unlock(&link->lock);
        enqueue(link, NULL, 0, GDB_LINK_OPENED);
        more = read_client(link);
        pthread_mutex_lock(&link->lock);
        link->client = -1;
        close(fd);
        pthread_mutex_unlock(&link->lock);
        if (!more)
            break;
        enqueue(link, NULL, 0, GDB_LINK_CLOSED);
        wait_until_read(link);
    }
    return NULL;
}

/* ---- life ------------------------------------------------------------------------------------ */

static int open_listener(const struct addrinfo *list)
{
    int fd = -1, one = 1;

    for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
        if (fd < 0)
            continue;
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
        if (bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, 1)) {
            int saved = errno;

            close(fd);
            errno = saved;
            fd = -1;
        }
    }
    return fd;
}

/* A listening socket for "tcp:HOST:PORT", or -1 with an error. */
static int listen_at(const char *address, struct error *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *list;
    const char *port = strrchr(address, ':');
    char host[256], *end;
    int fd, rc;

    /* getaddrinfo() would take larger port numbers, and cut them. */
    if (strncmp(address, "tcp:", 4) || !port || port < address + 4 ||
        (size_t)(port - address - 4) >= sizeof(host) || strtoul(port + 1, &end, 10) > UINT16_MAX ||
        end == port + 1 || *end) {
        error_set(err, "a GDB address is tcp:HOST:PORT with a number as port, not '%s'", address);
        return -1;
    }
    memcpy(host, address + 4, (size_t)(port - address - 4));
    host[port - address - 4] = '\0';
    rc = getaddrinfo(host[0] ? host : "127.0.0.1", port + 1, &hints, &list);
    if (rc) {
        error_set(err, "%s: %s", address, gai_strerror(rc));
        return -1;
    }
    fd = open_listener(list);
    if (fd < 0)
        error_set(err, "cannot listen for GDB at %s: %s", address, strerror(errno));
    freeaddrinfo(list);
    return fd;
}

struct gdb_link *gdb_link_new(const char *address, struct clock *clock, struct error *err)
{
    struct gdb_link *link = xcalloc(1, sizeof(*link));

    link->client = -1;
    link->clock = clock;
    pthread_mutex_init(&link->lock, NULL);
    pthread_cond_init(&link->changed, NULL);
    link->quit = -1;
    link->listener = listen_at(address, err);
    if (link->listener >= 0) {
        link->quit = eventfd(0, EFD_CLOEXEC);
        if (link->quit >= 0 && !pthread_create(&link->thread, NULL, reader, link))
            return link;
        error_set(err, "cannot start the GDB server: %s", strerror(errno));
        close(link->listener);
    }
    if (link->quit >= 0)
        close(link->quit);
    free(link);
    return NULL;
}

void gdb_link_free(struct gdb_link *link)
{
    if (!link)
        return;
    pthread_mutex_lock(&link->lock);
    link->closing = true;
    pthread_cond_broadcast(&link->changed);
    pthread_mutex_unlock(&link->lock);
    eventfd_write(link->quit, 1);
    pthread_join(link->thread, NULL);
    if (link->clock)
        clock_unpost(link->clock, link);
    close(link->listener);
    close(link->quit);
    pthread_mutex_destroy(&link->lock);
    pthread_cond_destroy(&link->changed);
    vec_free(&link->queue);
    free(link);
}

unsigned gdb_link_port(const struct gdb_link *link)
{
    struct sockaddr_storage address;
    socklen_t len = sizeof(address);

    if (getsockname(link->listener, (struct sockaddr *)&address, &len))
        return 0;
    if (address.ss_family == AF_INET6)
        return ntohs(((struct sockaddr_in6 *)(void *)&address)->sin6_port);
    return ntohs(((struct sockaddr_in *)(void *)&address)->sin_port);
}
