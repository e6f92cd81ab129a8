/* Character back ends against real files, sockets and terminals of the host. */
#include "tests/dev/bench.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "runtime/dev/chardev_backend.h"
#include "tests/dev/accepts.h"
#include "tests/dev/locks.h"

#define SECOND UINT64_C(1000000000)

struct fixture {
    struct clock clock;
    struct chardev_host host;
    struct chardev *chr;
    char got[512];
    size_t len, room;
    unsigned breaks, quits, leaves, monitors;
    char keys[16]; /* of the monitor */
    size_t key_count;
};

static size_t can_receive(void *opaque)
{
    struct fixture *f = opaque;

    return f->room;
}

static void receive(void *opaque, const uint8_t *bytes, size_t len)
{
    struct fixture *f = opaque;

    assert_true(len <= f->room && f->len + len < sizeof(f->got));
    memcpy(f->got + f->len, bytes, len);
    f->len += len;
    f->room -= len;
}

static void receive_break(void *opaque)
{
    ((struct fixture *)opaque)->breaks++;
}

static void quit(void *opaque)
{
    ((struct fixture *)opaque)->quits++;
}

static void leave(void *opaque)
{
    ((struct fixture *)opaque)->leaves++;
}

static void monitor(void *opaque, const uint8_t *bytes, size_t len)
{
    struct fixture *f = opaque;

    f->monitors += !len;
    assert_true(f->key_count + len < sizeof(f->keys));
    for (size_t n = 0; n < len; n++)
        f->keys[f->key_count++] = (char)bytes[n];
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    clock_init(&f->clock);
    f->host = (struct chardev_host){&f->clock, quit, leave, monitor, f};
    f->room = sizeof(f->got);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    chardev_close(f->chr);
    clock_free(&f->clock);
    free(f);
    assert_int_equal(lock_faults_seen(), 0);
    return 0;
}

static void open_chr(struct fixture *f, const char *spec)
{
    struct chardev_client client = {can_receive, receive, receive_break, f};
    struct error err = {""};

    f->chr = chardev_open(spec, &f->host, &err);
    if (!f->chr)
        fail_msg("%s", err.text);
    chardev_attach(f->chr, &client);
}

/* Runs the machine's side until `text` has been received. */
static void await(struct fixture *f, const char *text)
{
    while (!strstr(f->got, text)) {
        if (!clock_wait_posted(&f->clock, 5 * SECOND))
            fail_msg("waited for '%s', got '%s'", text, f->got);
        clock_run_posted(&f->clock);
    }
}

static void expect_bytes(int fd, const char *text)
{
    char buf[64] = "";
    size_t len = 0, want = strlen(text);

    while (len < want) {
        struct pollfd p = {fd, POLLIN, 0};

        assert_int_equal(poll(&p, 1, 5000), 1);
        ssize_t n = read(fd, buf + len, want - len);
        assert_true(n > 0);
        len += (size_t)n;
    }
    assert_string_equal(buf, text);
}

static void put(struct fixture *f, const char *text)
{
    chardev_write(f->chr, (const uint8_t *)text, strlen(text));
}

static void test_bad_specs(void **state)
{
    static const char *const specs[] = {
        "nonsense",        "file:no/such/folder/x",
        "tcp:1234",        "tcp:localhost:",
        "tcp:x:1,y",       "script:no/such/file",
        "tcp:127.0.0.1:1", "",
        "files:x",         "tcp:a:1234567890123456789,server",
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
        struct error err = {""};

        assert_null(chardev_open(specs[i], &f->host, &err));
        assert_true(strlen(err.text) > 10);
    }
}

static void test_file(void **state)
{
    struct fixture *f = *state;
    char path[] = "serialXXXXXX", spec[64], text[8] = "";
    int fd = mkstemp(path);

    snprintf(spec, sizeof(spec), "file:%s", path);
    open_chr(f, spec);
    put(f, "abc");
    assert_int_equal(read(fd, text, sizeof(text)), 3);
    assert_string_equal(text, "abc");
    assert_non_null(strstr(chardev_describe(f->chr), path));
    close(fd);
    unlink(path);
}

static void test_memory_respects_room(void **state)
{
    struct fixture *f = *state;

    open_chr(f, "memory");
    f->room = 3;
    chardev_feed(f->chr, "abcdef", 6);
    assert_string_equal(f->got, "abc");
    f->room = 2;
    chardev_accept_input(f->chr);
    assert_string_equal(f->got, "abcde");
}

/* Input beyond the queue's size is lost, without a hang or an overrun. */
static void test_queue_is_bounded(void **state)
{
    struct fixture *f = *state;
    char *much = calloc(1, 200000);
    size_t total = 0;

    open_chr(f, "memory");
    f->room = 0;
    chardev_feed(f->chr, much, 200000);
    free(much);
    do {
        f->len = 0;
        f->room = 500;
        chardev_accept_input(f->chr);
        total += f->len;
    } while (f->len);
    assert_int_equal(total, 65536);
}

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
    struct fixture *f = *state;
    unsigned port = free_port();
    char spec[64];

    snprintf(spec, sizeof(spec), "tcp:127.0.0.1:%u,server", port);
    open_chr(f, spec);
    put(f, "nobody listens");
    for (unsigned round = 0; round < 3; round++) {
        int fd = connect_to(port);
        char text[16];

        snprintf(text, sizeof(text), "hello%u", round);
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
        await(f, text);
        put(f, "answer");
        expect_bytes(fd, "answer");
        close(fd);
    }
}

/*
 * If the host has no descriptor for a client, the thread does not retry all the time, and accepts
 * the client later.
 */
static void test_tcp_server_without_descriptors(void **state)
{
    struct fixture *f = *state;
    unsigned port = free_port();
    struct rlimit old, none;
    unsigned tried;
    char spec[64];
    int fd, client = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};

    a.sin_port = htons((uint16_t)port);
    snprintf(spec, sizeof(spec), "tcp:127.0.0.1:%u,server", port);
    open_chr(f, spec);
    getrlimit(RLIMIT_NOFILE, &old);
    none = old;
    none.rlim_cur = 3; /* all in use */
    setrlimit(RLIMIT_NOFILE, &none);
    fd = connect(client, (struct sockaddr *)&a, sizeof(a));
    tried = accepted();
    usleep(300000);
    tried = accepted() - tried;
    setrlimit(RLIMIT_NOFILE, &old);
    assert_int_equal(fd, 0);
    assert_true(tried < 10);
    assert_int_equal(write(client, "late", 4), 4);
    await(f, "late");
    close(client);
}

static void test_tcp_client(void **state)
{
    struct fixture *f = *state;
    struct sockaddr_in a = {.sin_family = AF_INET};
    socklen_t len = sizeof(a);
    int listener = socket(AF_INET, SOCK_STREAM, 0), fd;
    char spec[64];

    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(listener, (struct sockaddr *)&a, len), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&a, &len), 0);
    snprintf(spec, sizeof(spec), "tcp:127.0.0.1:%u", ntohs(a.sin_port));
    open_chr(f, spec);
    fd = accept(listener, NULL, NULL);
    put(f, "out");
    expect_bytes(fd, "out");
    assert_int_equal(write(fd, "in", 2), 2);
    await(f, "in");
    close(fd); /* the peer closes */
    put(f, "more");
    put(f, "more");
    close(listener);
}

/* ---- a peer that does not read ---- */

static struct chardev *watched; /* its lock must be free while its output waits */
static unsigned waits, waits_with_lock;
static int waited_ms;
static bool patient; /* makes poll() wait for a peer that a busy host slows down */

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
    struct fixture *f = *state;
    unsigned port = free_port();
    static uint8_t much[1 << 20];
    char spec[64], got[8] = "";
    int fd, next;

    snprintf(spec, sizeof(spec), "tcp:127.0.0.1:%u,server", port);
    open_chr(f, spec);
    fd = connect_to(port);
    assert_int_equal(write(fd, "here", 4), 4);
    await(f, "here");
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
    await(f, "next");
    assert_false(f->chr->reader.stalled);
    put(f, "out");
    assert_int_equal(recv(next, got, 3, MSG_WAITALL), 3);
    assert_string_equal(got, "out");
    close(next);
}

/* ---- much, and nothing ---- */

#define PATTERN (1u << 20)

static uint8_t pattern(size_t n)
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
            wrong += bytes[i] != pattern(total++);
    }
    *(int *)opaque = (int)(wrong ? 0 : total);
    return NULL;
}

/* A peer that reads gets all output in order, however much the guest writes at once. */
static void test_tcp_much_output(void **state)
{
    struct fixture *f = *state;
    unsigned port = free_port();
    uint8_t *bytes = malloc(PATTERN);
    pthread_t thread;
    char spec[64];
    int fd, got, small = 16384;

    for (size_t n = 0; n < PATTERN; n++)
        bytes[n] = pattern(n);
    snprintf(spec, sizeof(spec), "tcp::%u,server", port);
    open_chr(f, spec);
    got = fd = connect_to(port);
    assert_int_equal(write(fd, "here", 4), 4);
    await(f, "here");
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

static unsigned descriptors(bool open[256])
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
    struct fixture *f = *state;
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
    count = descriptors(before);
    for (size_t n = 0; n < 4; n++) {
        struct error err = {""};
        int fd = -1;

        open_chr(f, specs[n]);
        if (!n) {
            fd = connect_to(port);
            fcntl(fd, F_SETFD, FD_CLOEXEC);
            assert_int_equal(write(fd, "x", 1), 1);
            await(f, "x");
        }
        assert_true(descriptors(now) > count);
        for (int i = 0; i < 256; i++)
            assert_true(before[i] || !now[i] || fcntl(i, F_GETFD) & FD_CLOEXEC);
        chardev_close(f->chr);
        f->chr = NULL;
        if (fd >= 0)
            close(fd);
        assert_int_equal(descriptors(now), count);
        no_threads = n < 3;
        f->chr = chardev_open(specs[n], &f->host, &err);
        no_threads = false;
        assert_true(f->chr ? n == 3 : strstr(err.text, "no thread") != NULL);
        chardev_close(f->chr);
        f->chr = NULL;
        assert_int_equal(descriptors(now), count);
    }
    close(listener);
    unlink(path);
}

/* A port has up to 15 characters and a host name up to 127, limits of the text alone. */
static void test_tcp_addresses(void **state)
{
    struct fixture *f = *state;

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

static void test_pty(void **state)
{
    struct fixture *f = *state;
    const char *name;
    int fd;

    open_chr(f, "pty");
    name = strchr(chardev_describe(f->chr), '/');
    assert_non_null(name);
    fd = open(name, O_RDWR | O_NOCTTY);
    assert_true(fd >= 0);
    put(f, "prompt> ");
    expect_bytes(fd, "prompt> ");
    assert_int_equal(write(fd, "ls\n", 3), 3);
    await(f, "ls\n");
    close(fd);
}

/*
 * Output to a peer that does not read is dropped after one wait, and not after one per character.
 */
static void test_peer_that_does_not_read(void **state)
{
    struct fixture *f = *state;
    struct timespec start, end;
    char text[8];
    int fd;

    open_chr(f, "pty");
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (unsigned i = 0; i < 200000; i++)
        put(f, "x");
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_in_range(end.tv_sec - start.tv_sec, 0, 5);
    fd = open(strchr(chardev_describe(f->chr), '/'), O_RDWR | O_NOCTTY | O_NONBLOCK);
    assert_true(fd >= 0);
    while (read(fd, text, sizeof(text)) > 0) /* now the peer reads */
        ;
    put(f, "there");
    fcntl(fd, F_SETFL, 0);
    expect_bytes(fd, "there");
    close(fd);
}

/* Replaces stdin by `fd` and opens the stdio back end. */
static int replace_stdin(int fd)
{
    int old = dup(STDIN_FILENO);

    dup2(fd, STDIN_FILENO);
    return old;
}

static void restore_stdin(int old)
{
    dup2(old, STDIN_FILENO);
    close(old);
}

static void test_terminal_and_escapes(void **state)
{
    struct fixture *f = *state;
    struct termios mode;
    int master, slave, old;

    assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
    old = replace_stdin(slave);
    open_chr(f, "stdio");
    assert_int_equal(tcgetattr(slave, &mode), 0);
    assert_int_equal(mode.c_lflag & (ICANON | ECHO | ISIG), 0);
    assert_true(mode.c_oflag & OPOST); /* the simulator's own messages need it */
    assert_int_equal(write(master,
                           "a\x03\x01\x01z\x01"
                           "b\x01"
                           "cke\x01\x01y\x01"
                           "c\x01x!",
                           19),
                     19);
    await(f, "!");
    assert_string_equal(f->got, "a\x03\x01z!"); /* ^C goes to the guest */
    clock_run_posted(&f->clock);
    assert_int_equal(f->breaks, 1);
    assert_int_equal(f->monitors, 1);
    assert_string_equal(f->keys, "ke\x01y"); /* between the first Ctrl-A c and the second */
    assert_int_equal(f->leaves, 1);
    assert_int_equal(f->quits, 0);
    chardev_close(f->chr);
    f->chr = NULL;
    assert_int_equal(tcgetattr(slave, &mode), 0);
    assert_int_equal(mode.c_lflag & (ICANON | ECHO), ICANON | ECHO);
    restore_stdin(old);
    close(master);
    close(slave);
}

static void test_pipe_on_stdin_loses_nothing(void **state)
{
    struct fixture *f = *state;
    int fds[2], old;

    assert_int_equal(pipe(fds), 0);
    old = replace_stdin(fds[0]);
    open_chr(f, "stdio");
    assert_int_equal(write(fds[1], "\x01x plain", 8), 8); /* no escapes outside of a terminal */
    close(fds[1]);
    await(f, "\x01x plain");
    assert_int_equal(f->leaves, 0);
    chardev_close(f->chr);
    f->chr = NULL;
    restore_stdin(old);
    close(fds[0]);
}

#define MUCH 300000

static void *write_much(void *opaque)
{
    static uint8_t bytes[MUCH];
    size_t done = 0;

    for (size_t i = 0; i < MUCH; i++)
        bytes[i] = (uint8_t)(i * 7 >> 3);
    while (done < MUCH)
        done += (size_t)write(*(int *)opaque, bytes + done, MUCH - done);
    return NULL;
}

/* A guest that reads slowly receives every byte in order: the writer of the pipe waits. */
static void test_pipe_waits_for_a_slow_guest(void **state)
{
    struct fixture *f = *state;
    pthread_t thread;
    size_t total = 0;
    int fds[2], old;

    assert_int_equal(pipe(fds), 0);
    old = replace_stdin(fds[0]);
    f->room = 0;
    open_chr(f, "stdio");
    assert_int_equal(pthread_create(&thread, NULL, write_much, &fds[1]), 0);
    usleep(20000); /* the queue fills */
    while (total < MUCH) {
        f->len = 0;
        f->room = 100;
        clock_run_posted(&f->clock);
        chardev_accept_input(f->chr);
        for (size_t i = 0; i < f->len; i++)
            assert_int_equal((uint8_t)f->got[i], (uint8_t)((total + i) * 7 >> 3));
        total += f->len;
    }
    pthread_join(thread, NULL);
    chardev_close(f->chr);
    f->chr = NULL;
    restore_stdin(old);
    close(fds[0]);
    close(fds[1]);
}

/* A file on stdin is read at once, without a thread, so that every run is the same. */
static void test_file_on_stdin(void **state)
{
    struct fixture *f = *state;
    FILE *file = tmpfile();
    int old;

    fputs("ls\nexit\n", file);
    rewind(file);
    old = replace_stdin(fileno(file));
    open_chr(f, "stdio");
    assert_string_equal(f->got, "ls\nexit\n");
    restore_stdin(old);
    fclose(file);
}

static void write_script(char *path, const char *text)
{
    int fd = mkstemp(path);

    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

/* Runs fn with stdout closed, since the script back end echoes there. */
static void quietly(void (*fn)(struct fixture *), struct fixture *f)
{
    int old = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY);

    fflush(stdout);
    dup2(null, STDOUT_FILENO);
    fn(f);
    dup2(old, STDOUT_FILENO);
    close(old);
    close(null);
}

/* Plays a guest that prints a prompt in two pieces; the script answers a millisecond later. */
static void play(struct fixture *f)
{
    clock_advance_to(&f->clock, SECOND);
    put(f, "boot... log");
    put(f, "in: ");
    clock_advance_to(&f->clock, SECOND + 999999);
    assert_int_equal(f->len, 0);
    clock_advance_to(&f->clock, SECOND + 1000000);
    assert_string_equal(f->got, "root\n");
    put(f, "one# two# ");
    clock_advance_to(&f->clock, 20 * SECOND);
}

static void test_script(void **state)
{
    struct fixture *f = *state;
    char path[] = "scriptXXXXXX", spec[64];

    write_script(path, "# comment\n\nexpect login: \nsend root\\n\nexpect # \nexpect # \n"
                       "send \\x41\\\\\\t\nwait 5\nquit\n");
    snprintf(spec, sizeof(spec), "script:%s", path);
    open_chr(f, spec);
    unlink(path);
    quietly(play, f);
    assert_string_equal(f->got, "root\nA\\\t");
    assert_int_equal(f->quits, 1);
}

/* A text longer than the kept output could never be found. */
static void test_script_text_is_limited(void **state)
{
    struct fixture *f = *state;
    char path[] = "scriptXXXXXX", spec[64], text[2100];
    struct error err = {""};

    memset(text, 'x', sizeof(text));
    memcpy(text, "expect ", 7);
    strcpy(text + 7 + 2049, "\n");
    write_script(path, text);
    snprintf(spec, sizeof(spec), "script:%s", path);
    assert_null(chardev_open(spec, &f->host, &err));
    unlink(path);
}

static void test_bad_scripts(void **state)
{
    static const char *const texts[] = {"expect\n",           "send \\q\n", "wait x\n",
                                        "wait 99999999999\n", "type x\n",   "send \\x4\n"};
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char path[] = "scriptXXXXXX", spec[64];
        struct error err = {""};

        write_script(path, texts[i]);
        snprintf(spec, sizeof(spec), "script:%s", path);
        assert_null(chardev_open(spec, &f->host, &err));
        assert_non_null(strstr(err.text, ":1: expected"));
        unlink(path);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_bad_specs),
        TEST(test_file),
        TEST(test_memory_respects_room),
        TEST(test_queue_is_bounded),
        TEST(test_tcp_server_takes_one_client_after_another),
        TEST(test_tcp_server_without_descriptors),
        TEST(test_tcp_client),
        TEST(test_tcp_peer_that_does_not_read),
        TEST(test_tcp_much_output),
        TEST(test_tcp_addresses),
        TEST(test_descriptors),
        TEST(test_pty),
        TEST(test_peer_that_does_not_read),
        TEST(test_terminal_and_escapes),
        TEST(test_pipe_on_stdin_loses_nothing),
        TEST(test_pipe_waits_for_a_slow_guest),
        TEST(test_file_on_stdin),
        TEST(test_script),
        TEST(test_script_text_is_limited),
        TEST(test_bad_scripts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
