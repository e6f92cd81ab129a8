/*
 * The thread that accepts VNC clients, and closes slow ones.
 *
 * Bounds      VNC_PEERS_MAX clients, others are closed at once; a client has the server's thread
 *             for at most the patience and TICK_MS
 */
#include "runtime/display/vnc_peers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/alloc.h"

/* Interval at which the thread checks whether a client has used up its time. */
#define TICK_MS 100

/* libvncserver waits in a busy loop for the first bytes of a client, if there are fewer. */
#define FIRST_BYTES 4

struct peer {
    int own;     /* a duplicate of its socket, which nothing else closes; -1: a free place */
    int offered; /* the socket, until vnc_peers_next() has returned it; then -1 */
};

struct vnc_peers {
    int listener, quit, patience_ms; /* quit: an eventfd */
    pthread_t thread;
    bool started;

    pthread_mutex_t lock; /* protects the members below */
    struct peer peer[VNC_PEERS_MAX];
    int busy;          /* client that is being served; -1: none */
    uint64_t since_ms; /* ms of the host */
    bool ending;
};

static uint64_t host_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static struct peer *free_place(struct vnc_peers *p)
{
    for (unsigned n = 0; n < VNC_PEERS_MAX && !p->ending; n++) {
        if (p->peer[n].own < 0)
            return &p->peer[n];
    }
    return NULL;
}

/* Called with the lock held. libvncserver keeps sockets in sets of FD_SETSIZE. */
static bool take_peer(struct vnc_peers *p, int fd)
{
    struct peer *place = free_place(p);
    int least = FIRST_BYTES, own;

    if (!place || fd >= FD_SETSIZE)
        return false;
    own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return false;
    setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof(least));
    place->own = own;
    place->offered = fd;
    return true;
}

static void accept_peer(struct vnc_peers *p)
{
    struct pollfd quit = {.fd = p->quit, .events = POLLIN};
    int fd = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0) { /* the host may have no descriptor: not to be tried all the time */
        poll(&quit, 1, TICK_MS);
        return;
    }
    pthread_mutex_lock(&p->lock);
    if (!take_peer(p, fd))
        close(fd);
    pthread_mutex_unlock(&p->lock);
}

static void watch_time(struct vnc_peers *p)
{
    pthread_mutex_lock(&p->lock);
    if (p->busy >= 0 && host_ms() - p->since_ms > (uint64_t)p->patience_ms)
        shutdown(p->peer[p->busy].own, SHUT_RDWR);
    pthread_mutex_unlock(&p->lock);
}

static void *watch_peers(void *opaque)
{
    struct vnc_peers *p = opaque;
    struct pollfd fds[2] = {{.fd = p->quit, .events = POLLIN},
                            {.fd = p->listener, .events = POLLIN}};

    while (!fds[0].revents) {
        fds[1].revents = 0;
        poll(fds, 2, TICK_MS);
        watch_time(p);
        if (fds[1].revents && !fds[0].revents)
            accept_peer(p);
    }
    return NULL;
}

/* ---- the server's side ----------------------------------------------------------------------- */

int vnc_peers_next(struct vnc_peers *p, unsigned *number)
{
    int fd = -1;

    pthread_mutex_lock(&p->lock);
    for (unsigned n = 0; n < VNC_PEERS_MAX && fd < 0; n++) {
        fd = p->peer[n].offered;
        p->peer[n].offered = -1;
        *number = n;
    }
    pthread_mutex_unlock(&p->lock);
    return fd;
}

void vnc_peers_gone(struct vnc_peers *p, unsigned number)
{
    pthread_mutex_lock(&p->lock);
    close(p->peer[number].own);
    p->peer[number].own = -1;
    pthread_mutex_unlock(&p->lock);
}

void vnc_peers_begin(struct vnc_peers *p, unsigned number)
{
    pthread_mutex_lock(&p->lock);
    p->busy = (int)number;
    p->since_ms = host_ms();
    pthread_mutex_unlock(&p->lock);
}

void vnc_peers_end(struct vnc_peers *p)
{
    pthread_mutex_lock(&p->lock);
    p->busy = -1;
    pthread_mutex_unlock(&p->lock);
}

void vnc_peers_hang_up(struct vnc_peers *p)
{
    pthread_mutex_lock(&p->lock);
    p->ending = true;
    for (unsigned n = 0; n < VNC_PEERS_MAX; n++) {
        if (p->peer[n].own >= 0)
            shutdown(p->peer[n].own, SHUT_RDWR);
    }
    pthread_mutex_unlock(&p->lock);
}

/* ---- life ------------------------------------------------------------------------------------ */

static int listen_at(in_addr_t host, int port)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr = {host}};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1;

    if (fd < 0)
        return -1;
    here.sin_port = htons((uint16_t)port);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (!bind(fd, (struct sockaddr *)&here, sizeof(here)) && !listen(fd, VNC_PEERS_MAX))
        return fd;
    close(fd);
    return -1;
}

struct vnc_peers *vnc_peers_open(in_addr_t host, int port, int patience_ms, struct error *err)
{
    struct vnc_peers *p = xcalloc(1, sizeof(*p));

    for (unsigned n = 0; n < VNC_PEERS_MAX; n++)
        p->peer[n] = (struct peer){-1, -1};
    p->busy = -1;
    p->patience_ms = patience_ms;
    pthread_mutex_init(&p->lock, NULL);
    p->listener = listen_at(host, port);
    p->quit = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (p->listener < 0)
        error_set(err, "vnc: cannot listen on port %d", port);
    else if (p->quit < 0 || pthread_create(&p->thread, NULL, watch_peers, p))
        error_set(err, "vnc: no thread");
    else
        p->started = true;
    if (p->started)
        return p;
    vnc_peers_free(p);
    return NULL;
}

int vnc_peers_port(const struct vnc_peers *p)
{
    struct sockaddr_in here = {0};
    socklen_t len = sizeof(here);

    getsockname(p->listener, (struct sockaddr *)&here, &len);
    return ntohs(here.sin_port);
}

void vnc_peers_free(struct vnc_peers *p)
{
    if (!p)
        return;
    if (p->started) {
        eventfd_write(p->quit, 1);
        pthread_join(p->thread, NULL);
    }
    for (unsigned n = 0; n < VNC_PEERS_MAX; n++) {
        if (p->peer[n].offered >= 0)
            close(p->peer[n].offered);
        if (p->peer[n].own >= 0)
            close(p->peer[n].own);
    }
    if (p->listener >= 0)
        close(p->listener);
    if (p->quit >= 0)
        close(p->quit);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
