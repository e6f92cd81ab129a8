/* Watching a folder: reading events, and waiting for one. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int result_or_errno(long value)
{
    return value < 0 ? -errno : (int)value;
}

#define SHOW(x) printf("%s: %d\n", #x, result_or_errno(x))

static void show_events(int fd)
{
    char buf[4096] __attribute__((aligned(8)));
    int bytes = result_or_errno(read(fd, buf, sizeof(buf)));
    unsigned cookie = 0;

    if (bytes < 0)
        printf("none %d\n", bytes);
    for (int at = 0; at < bytes;) {
        struct inotify_event *e = (struct inotify_event *)(buf + at);

        printf("%d %#x %u %s%s\n", e->wd, e->mask, e->len, e->len ? e->name : "",
               !e->cookie            ? ""
               : e->cookie == cookie ? " (the same)"
                                     : " (moved)");
        cookie = e->cookie;
        at += sizeof(*e) + e->len;
    }
}

int main(void)
{
    int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), file, status;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    char few[8];

    setbuf(stdout, NULL);
    SHOW(inotify_init1(1));
    SHOW(fcntl(fd, F_GETFD));
    mkdir("d", 0700);
    SHOW(inotify_add_watch(fd, "d", IN_ALL_EVENTS));
    SHOW(inotify_add_watch(fd, "absent", IN_ALL_EVENTS));
    SHOW(inotify_add_watch(fd, (char *)16, IN_ALL_EVENTS));
    SHOW(inotify_add_watch(fd, "d", 0));
    SHOW(inotify_add_watch(99, "d", IN_ALL_EVENTS));
    show_events(fd);
    file = open("d/one", O_CREAT | O_RDWR, 0600);
    write(file, "x", 1);
    SHOW(read(fd, few, sizeof(few)));
    SHOW(poll(&p, 1, 0));
    show_events(fd);
    close(file);
    rename("d/one", "d/another-name-of-it");
    unlink("d/another-name-of-it");
    show_events(fd);
    fcntl(fd, F_SETFL, 0);
    if (!fork()) {
        usleep(20000);
        _exit(mkdir("d/sub", 0700) != 0);
    }
    show_events(fd);
    wait(&status);
    SHOW(inotify_rm_watch(fd, 1));
    show_events(fd);
    SHOW(inotify_rm_watch(fd, 1));
    return 0;
}
