/*
 * Character back ends on host files: terminal, pipe, file, pseudo-terminal, TCP. Input is read by
 * one thread per back end, which fills the queue and posts its delivery.
 *
 * Bounds      input: CHARDEV_QUEUE bytes wait. Output waits until the file accepts it; for a pty or
 *             a TCP peer that stops reading it waits PATIENCE_MS once, and then not at all
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/obs/journal.h"
#include "runtime/dev/chardev_backend.h"

#define CTRL_A 0x01

/* The longest time that output waits for a slow peer (pty, TCP) before it is dropped. Later output
 * is dropped without another wait until the peer reads again. */
#define PATIENCE_MS 100

/* ---- the terminal: one a process, so its saved mode is one too ------------------------------- */

static struct termios saved_mode;
static volatile sig_atomic_t mode_saved;

void chardev_restore_terminal(void)
{
    if (mode_saved)
        tcsetattr(STDIN_FILENO, TCSANOW, &saved_mode);
    mode_saved = 0;
}

static bool make_raw(struct error *err)
{
    struct termios raw;

    if (mode_saved)
        return error_set(err, "the terminal can serve only one serial port");
    if (tcgetattr(STDIN_FILENO, &saved_mode))
        return error_set(err, "the terminal's mode cannot be read: %s", strerror(errno));
    raw = saved_mode;
    cfmakeraw(&raw);
    raw.c_oflag |= OPOST; /* the simulator's own messages need carriage returns */
    mode_saved = 1;
    atexit(chardev_restore_terminal);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    return true;
}

/* ---- the reading thread ---------------------------------------------------------------------- */

static void toggle_monitor(struct chardev *chr)
{
    struct chardev_reader *r = &chr->reader;

    if (!chr->host.monitor) {
        fputs("\nno monitor is available\n", stderr);
        return;
    }
    r->to_monitor = !r->to_monitor;
    if (r->to_monitor)
        chr->host.monitor(chr->host.opaque, NULL, 0);
    else
        fputs("\nthe serial port has the keys again\n", stderr);
}

static void post_break(void *opaque)
{
    struct chardev *chr = opaque;

    if (chardev_is_replayed(chr))
        return;
    if (chr->host.journal)
        journal_write(chr->host.journal, JOURNAL_BREAK, chr->host.number, NULL, 0);
    chardev_break(chr);
}

static void escape_help(void)
{
    fputs("\nC-a h    this help\n"
          "C-a x    quit\n"
          "C-a b    send a break\n"
          "C-a c    monitor, and back\n"
          "C-a C-a  send C-a\n",
          stderr);
}

/* Handles the key after Ctrl-A; returns true if it is to be sent. */
static bool escape_key(struct chardev *chr, uint8_t key)
{
    switch (key) {
    case 'x':
        if (chr->host.leave) /* not posted: the machine's thread may be busy for long */
            chr->host.leave(chr->host.opaque);
        return false;
    case 'b':
        if (!chardev_is_replayed(chr))
            clock_post(chr->host.clock, post_break, chr);
        return false;
    case 'c':
        toggle_monitor(chr);
        return false;
    case 'h':
    case '?':
        escape_help();
        return false;
    }
    return key == CTRL_A;
}

/* Passes a byte to the monitor while the keys go there; otherwise appends it to `bytes`. */
static void keep_byte(struct chardev *chr, uint8_t byte, uint8_t *bytes, size_t *kept)
{
    if (chr->reader.to_monitor)
        chr->host.monitor(chr->host.opaque, &byte, 1);
    else
        bytes[(*kept)++] = byte;
}

/* Takes escape sequences and the monitor's keys out of the bytes, in place; returns how many
 * remain. */
static size_t filter_escapes(struct chardev *chr, uint8_t *bytes, size_t len)
{
    size_t kept = 0;

    for (size_t i = 0; i < len; i++) {
        if (chr->reader.after_ctrl_a) {
            chr->reader.after_ctrl_a = false;
            if (escape_key(chr, bytes[i]))
                keep_byte(chr, bytes[i], bytes, &kept);
        } else if (bytes[i] == CTRL_A) {
            chr->reader.after_ctrl_a = true;
        } else {
            keep_byte(chr, bytes[i], bytes, &kept);
        }
    }
    return kept;
}

/* Queues bytes and posts their delivery; waits for room if nothing may be lost. */
static void enqueue_input(struct chardev *chr, const uint8_t *bytes, size_t len)
{
    while (len) {
        size_t n = chardev_push(chr, bytes, len);

        bytes += n;
        len -= n;
        if (n)
            clock_post(chr->host.clock, chardev_deliver, chr);
        if (!len || !chr->reader.lossless)
            return;
        pthread_mutex_lock(&chr->lock);
        while (chr->count == CHARDEV_QUEUE && !chr->stopping)
            pthread_cond_wait(&chr->room, &chr->lock);
        if (chr->stopping)
            len = 0;
        pthread_mutex_unlock(&chr->lock);
    }
}

/* Reads the available bytes; false at the end of input. */
static bool read_some(struct chardev *chr)
{
    uint8_t bytes[4096];
    ssize_t n = read(chr->reader.in_fd, bytes, sizeof(bytes));

    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    if (n == 0)
        return false;
    if (chr->reader.escapes)
        n = (ssize_t)filter_escapes(chr, bytes, (size_t)n);
    if (!chr->host.journal)
        enqueue_input(chr, bytes, (size_t)n);
    else if (!chardev_is_replayed(chr))
        chardev_stage(chr, bytes, (size_t)n);
    return true;
}

static void accept_client(struct chardev *chr)
{
    struct chardev_reader *r = &chr->reader;
    struct pollfd wake = {r->wake[0], POLLIN, 0};
    int fd = accept4(r->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd < 0) { /* the host may have no descriptor: not to be tried all the time */
        poll(&wake, 1, PATIENCE_MS);
        return;
    }
    pthread_mutex_lock(&chr->lock);
    r->in_fd = fd;
    r->out_fd = fd;
    r->stalled = false; /* set for the previous peer */
    pthread_mutex_unlock(&chr->lock);
}

/* Handles the end of a peer. A server waits for the next one, others stop reading. */
static void end_of_input(struct chardev *chr)
{
    struct chardev_reader *r = &chr->reader;

    if (r->listen_fd >= 0) {
        pthread_mutex_lock(&chr->lock); /* excludes a write to out_fd */
        r->out_fd = -1;
        close(r->in_fd);
        pthread_mutex_unlock(&chr->lock);
    }
    r->in_fd = -1;
}

static void *reader_main(void *opaque)
{
    struct chardev *chr = opaque;
    struct chardev_reader *r = &chr->reader;

    for (;;) {
        int fd = r->in_fd >= 0 ? r->in_fd : r->listen_fd;
        struct pollfd fds[2] = {{r->wake[0], POLLIN, 0}, {fd, POLLIN, 0}};

        if (poll(fds, fd >= 0 ? 2 : 1, -1) < 0 && errno != EINTR)
            break;
        if (fds[0].revents)
            break;
        if (!fds[1].revents)
            continue;
        if (r->in_fd < 0)
            accept_client(chr);
        else if (!read_some(chr))
            end_of_input(chr);
    }
    return NULL;
}

bool chardev_start_reader(struct chardev *chr, struct error *err)
{
    struct chardev_reader *r = &chr->reader;
    int rc;

    if (pipe2(r->wake, O_CLOEXEC))
        return error_set(err, "serial input: %s", strerror(errno));
    rc = pthread_create(&r->thread, NULL, reader_main, chr);
    if (rc) {
        close(r->wake[0]);
        close(r->wake[1]);
        return error_set(err, "serial input: no thread: %s", strerror(rc));
    }
    r->started = true;
    return true;
}

void chardev_stop_reader(struct chardev *chr)
{
    struct chardev_reader *r = &chr->reader;

    if (!r->started)
        return;
    pthread_mutex_lock(&chr->lock);
    chr->stopping = true;
    pthread_cond_signal(&chr->room);
    pthread_mutex_unlock(&chr->lock);
    close(r->wake[1]);
    pthread_join(r->thread, NULL);
    close(r->wake[0]);
    r->started = false;
}

bool chardev_write_fd(int fd, const uint8_t *bytes, size_t len, int patience_ms)
{
    while (len) {
        ssize_t n = write(fd, bytes, len);

        if (n > 0) {
            bytes += n;
            len -= (size_t)n;
        } else if (n < 0 && errno == EAGAIN) {
            struct pollfd p = {fd, POLLOUT, 0};

            if (poll(&p, 1, patience_ms) <= 0)
                return false;
        } else if (n >= 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

static void fd_write(struct chardev *chr, const uint8_t *bytes, size_t len)
{
    struct chardev_reader *r = &chr->reader;
    int fd = r->out_fd;

    if (fd >= 0)
        r->stalled = !chardev_write_fd(fd, bytes, len, r->stalled ? 0 : PATIENCE_MS);
}

/* ---- stdio ----------------------------------------------------------------------------------- */

static void stdio_write(struct chardev *chr, const uint8_t *bytes, size_t len)
{
    (void)chr;
    chardev_write_fd(STDOUT_FILENO, bytes, len, -1);
}

/*
 * Reads a regular file on stdin completely, so that the guest receives its bytes when it takes them
 * and every run is the same. Bytes that do not fit into the queue are left out.
 */
static void preload_stdin(struct chardev *chr)
{
    uint8_t bytes[4096];
    ssize_t n;

    while ((n = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0) {
        if (chardev_push(chr, bytes, (size_t)n) < (size_t)n) {
            fprintf(stderr, "warning: serial input is cut after %d bytes\n", CHARDEV_QUEUE);
            return;
        }
    }
}

static bool stdio_open(struct chardev *chr, const char *args, struct error *err)
{
    struct stat st;

    (void)args;
    if (isatty(STDIN_FILENO)) {
        strcpy(chr->description, "stdio (terminal; Ctrl-A h for help)");
        if (!make_raw(err))
            return false;
        chr->reader.escapes = true;
    } else {
        strcpy(chr->description, "stdio");
        if (!chr->host.journal && !fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode)) {
            preload_stdin(chr);
            return true;
        }
        chr->reader.lossless = true;
    }
    chr->reader.in_fd = STDIN_FILENO;
    if (chardev_start_reader(chr, err))
        return true;
    chardev_restore_terminal();
    return false;
}

static void stdio_close(struct chardev *chr)
{
    if (chr->reader.escapes)
        chardev_restore_terminal();
}

const struct chardev_backend chardev_stdio = {"stdio", stdio_open, stdio_write, stdio_close,
                                              NULL,    NULL,       false};

/* ---- file:PATH ------------------------------------------------------------------------------- */

static bool file_open(struct chardev *chr, const char *args, struct error *err)
{
    int fd = open(args, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0)
        return error_set(err, "cannot write the serial file '%s': %s", args, strerror(errno));
    chr->reader.out_fd = fd;
    snprintf(chr->description, sizeof(chr->description), "file %s", args);
    return true;
}

static void file_close(struct chardev *chr)
{
    close(chr->reader.out_fd);
}

const struct chardev_backend chardev_file = {"file", file_open, fd_write, file_close,
                                             NULL,   NULL,      false};

/* ---- pty ------------------------------------------------------------------------------------- */

static bool pty_open(struct chardev *chr, const char *args, struct error *err)
{
    struct chardev_reader *r = &chr->reader;
    int master, slave;
    char name[64];
    struct termios raw = {0};

    (void)args;
    cfmakeraw(&raw);
    if (openpty(&master, &slave, NULL, &raw, NULL))
        return error_set(err, "no pseudo-terminal: %s", strerror(errno));
    if (ttyname_r(slave, name, sizeof(name)))
        strcpy(name, "?");
    fcntl(master, F_SETFL, O_NONBLOCK);
    fcntl(master, F_SETFD, FD_CLOEXEC);
    fcntl(slave, F_SETFD, FD_CLOEXEC);
    r->in_fd = master;
    r->out_fd = master;
    r->lossless = true;
    chr->data =
        xcalloc(1, sizeof(int)); /* the slave stays open, so that the master never hangs up */
    *(int *)chr->data = slave;
    snprintf(chr->description, sizeof(chr->description), "pty %s", name);
    fprintf(stderr, "serial port is at %s\n", name);
    if (chardev_start_reader(chr, err))
        return true;
    close(master);
    close(slave);
    free(chr->data);
    return false;
}

static void pty_close(struct chardev *chr)
{
    close(chr->reader.out_fd);
    close(*(int *)chr->data);
    free(chr->data);
}

const struct chardev_backend chardev_pty = {"pty", pty_open, fd_write, pty_close,
                                            NULL,  NULL,     false};

/* ---- tcp:HOST:PORT[,server] ------------------------------------------------------------------ */

/* A socket that is connected to or bound to one of the addresses; -1 and errno otherwise. */
static int open_socket(const struct addrinfo *list, bool server)
{
    int fd = -1, one = 1;

    for (const struct addrinfo *a = list; a; a = a->ai_next) {
        fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
        if (fd < 0)
            continue;
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
        if (server ? !bind(fd, a->ai_addr, a->ai_addrlen) && !listen(fd, 1)
                   : !connect(fd, a->ai_addr, a->ai_addrlen))
            return fd;
        close(fd);
    }
    return -1;
}

/* Splits "HOST:PORT[,server]"; an empty host is 127.0.0.1, out of reach of other hosts. */
static bool parse_tcp(const char *args, char host[128], char port[16], bool *server,
                      struct error *err)
{
    const char *comma = strchr(args, ',');
    size_t len = comma ? (size_t)(comma - args) : strlen(args);
    const char *colon = memrchr(args, ':', len);

    *server = comma && !strcmp(comma, ",server");
    if (!colon || (comma && !*server) || colon - args >= 128 || args + len - colon - 1 >= 16 ||
        args + len == colon + 1)
        return error_set(err, "expected tcp:HOST:PORT or tcp:HOST:PORT,server, not tcp:%s", args);
    snprintf(host, 128, "%.*s", (int)(colon - args), args);
    if (colon == args)
        strcpy(host, "127.0.0.1");
    snprintf(port, 16, "%.*s", (int)(args + len - colon - 1), colon + 1);
    return true;
}

static bool tcp_open(struct chardev *chr, const char *args, struct error *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list;
    struct chardev_reader *r = &chr->reader;
    char host[128], port[16];
    bool server;
    int fd, rc;

    if (!parse_tcp(args, host, port, &server, err))
        return false;
    rc = getaddrinfo(host, port, &hints, &list);
    if (rc)
        return error_set(err, "tcp:%s: %s", args, gai_strerror(rc));
    fd = open_socket(list, server);
    freeaddrinfo(list);
    if (fd < 0)
        return error_set(err, "tcp:%s: %s", args, strerror(errno));
    if (server) {
        fcntl(fd, F_SETFL, O_NONBLOCK); /* a client may be gone before it is accepted */
        r->listen_fd = fd;
    } else {
        fcntl(fd, F_SETFL, O_NONBLOCK);
        r->in_fd = fd;
        r->out_fd = fd;
    }
    r->lossless = true;
    snprintf(chr->description, sizeof(chr->description), "tcp %s", args);
    if (chardev_start_reader(chr, err))
        return true;
    close(fd);
    return false;
}

/*
 * Sends the bytes that the peer takes now; -1 and errno as send(), 0: there is no peer. The lock is
 * held, so that the reading thread does not close the socket meanwhile.
 */
static ssize_t send_now(struct chardev *chr, const uint8_t *bytes, size_t len, int *fd,
                        bool *stalled)
{
    struct chardev_reader *r = &chr->reader;
    ssize_t n;

    pthread_mutex_lock(&chr->lock);
    *fd = r->out_fd;
    *stalled = r->stalled;
    n = *fd >= 0 ? send(*fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;
    if (n == (ssize_t)len)
        r->stalled = false;
    pthread_mutex_unlock(&chr->lock);
    return n;
}

/* Marks a peer that did not take everything as stalled, unless another peer has connected by
 * now. */
static void give_up(struct chardev *chr, int fd)
{
    pthread_mutex_lock(&chr->lock);
    if (chr->reader.out_fd == fd)
        chr->reader.stalled = true;
    pthread_mutex_unlock(&chr->lock);
}

/* Waits without the lock, which input needs as well. The socket may be closed by then, and is not
 * used. */
static void tcp_write(struct chardev *chr, const uint8_t *bytes, size_t len)
{
    struct pollfd p = {.events = POLLOUT};
    bool stalled;

    while (len) {
        ssize_t n = send_now(chr, bytes, len, &p.fd, &stalled);

        if (n > 0) {
            bytes += n;
            len -= (size_t)n;
        } else if (n == 0 || (errno != EINTR && errno != EAGAIN) ||
                   (errno == EAGAIN && poll(&p, 1, stalled ? 0 : PATIENCE_MS) <= 0)) {
            give_up(chr, p.fd);
            return;
        }
    }
}

static void tcp_close(struct chardev *chr)
{
    if (chr->reader.out_fd >= 0)
        close(chr->reader.out_fd);
    if (chr->reader.listen_fd >= 0)
        close(chr->reader.listen_fd);
}

const struct chardev_backend chardev_tcp = {"tcp", tcp_open, tcp_write, tcp_close,
                                            NULL,  NULL,     false};
