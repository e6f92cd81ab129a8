/*
 * Unread output stays in a queue, and input that the machine has no room for stays in the socket.
 *
 * Bounds INPUT_BYTES of input. While a client leaves more than OUTPUT_BYTES of output unread, no
 *             input is taken from it, so output grows by the answer to one packet at most.
 */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "common/vec.h"
#include "runtime/base/alloc.h"
#include "runtime/cpu/gdb_link.h"

#define INPUT_BYTES  65536u
#define INPUT_PART   4096u /* least free room for which the socket is read */
#define OUTPUT_BYTES 65536u

/* Pause before the next accept() after one failed, as when the process has no free descriptor. */
#define PAUSE_MS 100

struct gdb_link {
    int listener; /* -1: connected by gdb_link_connect() */
    char *path;   /* path of a unix: listener's socket, or NULL */
    int wake;     /* an eventfd, written when the fields below have changed for the thread */
    struct clock *clock;
    pthread_t thread;

    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t changed;
    int client;          /* -1: none */
    bool opened, closed; /* a client came or went, and gdb_link_get() has not returned it */
    bool ended;          /* the client sends no more, and may still take output */
    uint8_t input[INPUT_BYTES];
    size_t first, count; /* index in input of the oldest byte, and number of bytes */
    VEC(uint8_t) output; /* bytes that the client has not taken */
    bool closing;
};

/* ---- the machine's side ---------------------------------------------------------------------- */

static void do_nothing(void *opaque)
{
    (void)opaque;
}

/* Makes the machine call gdb_link_get(): posted work, even if it does nothing, ends
 * clock_wait_posted(). */
static void wake_machine(struct gdb_link *link)
{
    pthread_cond_broadcast(&link->changed);
    if (link->clock)
        clock_post(link->clock, do_nothing, link);
}

/* The next item for gdb_link_get(), in order of arrival. */
static int take_item(struct gdb_link *link)
{
    int item;

    if (link->opened) {
        link->opened = false;
        return GDB_LINK_OPENED;
    }
    if (link->count && link->output.len <= OUTPUT_BYTES) {
        item = link->input[link->first];
        link->first = (link->first + 1) % INPUT_BYTES;
        link->count--;
        return item;
    }
    if (!link->count && link->closed) {
        link->closed = false;
        return GDB_LINK_CLOSED;
    }
    return GDB_LINK_NOTHING;
}

/* Whether the machine has received everything of the last client, so that another may connect. */
static bool is_over(const struct gdb_link *link)
{
    return link->client < 0 && !link->opened && !link->count && !link->closed;
}

/* After an item was taken: the thread may have something to do. */
static void wake_thread(struct gdb_link *link)
{
    if (link->count == INPUT_BYTES - INPUT_PART || is_over(link) || link->ended)
        eventfd_write(link->wake, 1);
}

int gdb_link_get(struct gdb_link *link, bool wait)
{
    int item;

    pthread_mutex_lock(&link->lock);
    while ((item = take_item(link)) == GDB_LINK_NOTHING && wait)
        pthread_cond_wait(&link->changed, &link->lock);
    if (item != GDB_LINK_NOTHING)
        wake_thread(link);
    pthread_mutex_unlock(&link->lock);
    return item;
}

int gdb_link_get_only(struct gdb_link *link, uint8_t byte)
{
    int item = GDB_LINK_NOTHING;

    pthread_mutex_lock(&link->lock);
    if (!link->opened && (!link->count || link->input[link->first] == byte))
        item = take_item(link);
    if (item != GDB_LINK_NOTHING)
        wake_thread(link);
    pthread_mutex_unlock(&link->lock);
    return item;
}

/* Sends output without waiting, up to what the client takes. */
static void flush_output(struct gdb_link *link)
{
    ssize_t done;

    do
        done = send(link->client, link->output.data, link->output.len, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (done < 0 && errno == EINTR);
    if (done < 0) /* drops output of a broken connection; the thread notices that it is broken */
        done = errno == EAGAIN ? 0 : (ssize_t)link->output.len;
    link->output.len -= (size_t)done;
    memmove(link->output.data, link->output.data + done, link->output.len);
    if (!link->output.len && link->output.cap > OUTPUT_BYTES)
        vec_free(&link->output);
}

void gdb_link_put(struct gdb_link *link, const void *bytes, size_t len)
{
    const uint8_t *from = bytes;

    pthread_mutex_lock(&link->lock);
    if (link->client >= 0 && !link->opened && len) {
        for (size_t n = 0; n < len; n++)
            vec_push(&link->output, from[n]);
        flush_output(link);
        if (link->output.len)
            eventfd_write(link->wake, 1);
    }
    pthread_mutex_unlock(&link->lock);
}

/* ---- the thread; it holds the lock except while it waits ------------------------------------- */

static void accept_client(struct gdb_link *link)
{
    struct pollfd wake = {.fd = link->wake, .events = POLLIN};
    int fd = accept4(link->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), one = 1;

    if (fd < 0) {
        pthread_mutex_unlock(&link->lock);
        poll(&wake, 1, PAUSE_MS);
        pthread_mutex_lock(&link->lock);
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    link->client = fd;
    link->opened = true;
    link->output.len = 0;
    wake_machine(link);
}

static void drop_client(struct gdb_link *link)
{
    close(link->client);
    link->client = -1;
    link->closed |= !link->ended;
    link->ended = false;
    link->output.len = 0;
    wake_machine(link);
}

/* The client has ended its output: what it has sent is handled, and answered. */
static void end_client(struct gdb_link *link)
{
    link->ended = link->closed = true;
    wake_machine(link);
}

/* Whether a client that has ended its output has all answers. */
static bool is_answered(const struct gdb_link *link)
{
    return link->ended && !link->closed && !link->output.len;
}

/* Length of the free piece of `input` at index *at that the next bytes go to. */
static size_t free_input(const struct gdb_link *link, size_t *at)
{
    size_t end;

    *at = (link->first + link->count) % INPUT_BYTES;
    end = *at < link->first ? link->first : INPUT_BYTES;
    return link->count > INPUT_BYTES - INPUT_PART ? 0 : end - *at;
}

/* Reads bytes of the client; false when the connection is broken. */
static bool read_client(struct gdb_link *link)
{
    size_t at, len = free_input(link, &at);
    ssize_t got = recv(link->client, link->input + at, len, MSG_DONTWAIT);

    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    if (!got)
        end_client(link);
    link->count += (size_t)got;
    if (got && link->count == (size_t)got)
        wake_machine(link);
    return true;
}

static void serve_client(struct gdb_link *link, short events)
{
    bool over = link->output.len > OUTPUT_BYTES, there = true;

    if (events & POLLOUT && link->output.len)
        flush_output(link);
    if (over && link->output.len <= OUTPUT_BYTES)
        wake_machine(link);
    if (events & POLLIN)
        there = read_client(link);
    else if (events & (POLLERR | POLLHUP))
        there = false;
    if (!there)
        drop_client(link);
}

/* The descriptor that the thread waits for besides `wake`. */
static struct pollfd poll_target(const struct gdb_link *link)
{
    struct pollfd p = {.fd = link->client};
    size_t at;

    if (link->client < 0)
        return (struct pollfd){.fd = is_over(link) ? link->listener : -1, .events = POLLIN};
    if (!link->ended && free_input(link, &at))
        p.events |= POLLIN;
    if (link->output.len)
        p.events |= POLLOUT;
    return p;
}

static void *serve_connection(void *opaque)
{
    struct gdb_link *link = opaque;
    eventfd_t times;

    pthread_mutex_lock(&link->lock);
    while (!link->closing) {
        if (is_answered(link))
            drop_client(link);
        struct pollfd fds[2] = {poll_target(link), {.fd = link->wake, .events = POLLIN}};

        pthread_mutex_unlock(&link->lock);
        poll(fds, 2, -1);
        pthread_mutex_lock(&link->lock);
        if (fds[1].revents)
            eventfd_read(link->wake, &times);
        if (!fds[0].revents)
            continue;
        if (link->client >= 0)
            serve_client(link, fds[0].revents);
        else
            accept_client(link);
    }
    pthread_mutex_unlock(&link->lock);
    return NULL;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* A socket that listens at, or is connected to, one of the addresses; -1 with errno. */
static int open_one(const struct addrinfo *list, bool connects)
{
    int type = SOCK_CLOEXEC | (connects ? 0 : SOCK_NONBLOCK), fd = -1, one = 1;

    for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, a->ai_socktype | type, a->ai_protocol);
        if (fd < 0)
            continue;
        if (a->ai_family != AF_UNIX)
            setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
        if (connects ? connect(fd, a->ai_addr, a->ai_addrlen)
                     : bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, 1)) {
            int saved = errno;

            close(fd);
            errno = saved;
            fd = -1;
        }
    }
    return fd;
}

static int open_tcp(const char *address, bool connects, struct error *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *list;
    const char *port = strrchr(address, ':');
    char host[256], *end;
    int fd, rc;

    /* getaddrinfo() accepts larger port numbers and truncates them, so they are refused here. */
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
    fd = open_one(list, connects);
    if (fd < 0)
        error_set(err, "cannot %s at %s: %s", connects ? "connect" : "listen for GDB", address,
                  strerror(errno));
    freeaddrinfo(list);
    return fd;
}

/* Whether no process listens at the path. The socket was then left by a process that was killed. */
static bool is_stale(const struct addrinfo *list, const char *path)
{
    struct stat st;
    int fd;

    if (lstat(path, &st) || !S_ISSOCK(st.st_mode))
        return false;
    fd = open_one(list, true);
    if (fd >= 0)
        close(fd);
    return fd < 0 && errno == ECONNREFUSED;
}

static int open_unix(const char *path, bool connects, struct error *err)
{
    struct sockaddr_un there = {.sun_family = AF_UNIX};
    struct addrinfo list = {.ai_family = AF_UNIX,
                            .ai_socktype = SOCK_STREAM,
                            .ai_addr = (struct sockaddr *)&there,
                            .ai_addrlen = sizeof(there)};
    int fd;

    if (!*path || strlen(path) >= sizeof(there.sun_path)) {
        error_set(err, "a path of a socket has 1 to %zu characters, not '%s'",
                  sizeof(there.sun_path) - 1, path);
        return -1;
    }
    strcpy(there.sun_path, path);
    if (!connects && is_stale(&list, path))
        unlink(path);
    fd = open_one(&list, connects);
    if (fd < 0)
        error_set(err, "cannot %s at unix:%s: %s", connects ? "connect" : "listen", path,
                  strerror(errno));
    return fd;
}

static int open_address(const char *address, bool connects, struct error *err)
{
    return strncmp(address, "unix:", 5) ? open_tcp(address, connects, err)
                                        : open_unix(address + 5, connects, err);
}

static void release_link(struct gdb_link *link)
{
    if (link->listener >= 0)
        close(link->listener);
    if (link->client >= 0)
        close(link->client);
    if (link->wake >= 0)
        close(link->wake);
    if (link->path)
        unlink(link->path);
    pthread_mutex_destroy(&link->lock);
    pthread_cond_destroy(&link->changed);
    free(link->path);
    free(link);
}

static struct gdb_link *start_link(struct clock *clock, int listener, int client, struct error *err)
{
    struct gdb_link *link = xcalloc(1, sizeof(*link));
    int rc;

    link->listener = listener;
    link->client = client;
    link->opened = client >= 0;
    link->clock = clock;
    pthread_mutex_init(&link->lock, NULL);
    pthread_cond_init(&link->changed, NULL);
    link->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    rc = link->wake < 0 ? errno : pthread_create(&link->thread, NULL, serve_connection, link);
    if (!rc)
        return link;
    release_link(link);
    return error_null(err, "cannot start the GDB server: %s", strerror(rc));
}

struct gdb_link *gdb_link_new(const char *address, struct clock *clock, struct error *err)
{
    int fd = open_address(address, false, err);
    struct gdb_link *link = fd < 0 ? NULL : start_link(clock, fd, -1, err);

    if (link && !strncmp(address, "unix:", 5))
        link->path = xstrdup(address + 5);
    return link;
}

struct gdb_link *gdb_link_connect(const char *address, struct clock *clock, struct error *err)
{
    int fd = open_address(address, true, err);

    return fd < 0 ? NULL : start_link(clock, -1, fd, err);
}

void gdb_link_wait(struct gdb_link *link)
{
    pthread_mutex_lock(&link->lock);
    while (!link->opened && link->client < 0)
        pthread_cond_wait(&link->changed, &link->lock);
    pthread_mutex_unlock(&link->lock);
}

void gdb_link_free(struct gdb_link *link)
{
    if (!link)
        return;
    pthread_mutex_lock(&link->lock);
    link->closing = true;
    pthread_mutex_unlock(&link->lock);
    eventfd_write(link->wake, 1);
    pthread_join(link->thread, NULL);
    if (link->clock)
        clock_unpost(link->clock, link);
    vec_free(&link->output);
    release_link(link);
}

unsigned gdb_link_port(const struct gdb_link *link)
{
    struct sockaddr_storage address;
    socklen_t len = sizeof(address);

    if (getsockname(link->listener, (struct sockaddr *)&address, &len) ||
        address.ss_family == AF_UNIX)
        return 0;
    if (address.ss_family == AF_INET6)
        return ntohs(((struct sockaddr_in6 *)(void *)&address)->sin6_port);
    return ntohs(((struct sockaddr_in *)(void *)&address)->sin_port);
}
