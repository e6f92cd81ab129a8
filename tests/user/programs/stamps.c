/*
 * Times of files are never earlier than a previous reading of the clock, whichever call sets them;
 * times of sockets.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void show_times(const char *what, const char *path, time_t from)
{
    struct stat st, other;

    stat(path, &st);
    stat("written", &other);
    printf("%s: accessed %d %ld, changed %d, near what was written %d\n", what, st.st_atime >= from,
           st.st_atime >= from ? 0 : (long)st.st_atime, st.st_mtime >= from,
           st.st_mtime >= other.st_mtime - 1 && st.st_mtime <= other.st_mtime + 100);
}

int main(void)
{
    const struct timespec now[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}};
    const struct timespec one[2] = {{.tv_sec = 5}, {.tv_nsec = UTIME_NOW}};
    struct timeval wait = {0, 30000}, got = {9, 9};
    time_t from = time(NULL);
    int fd = open("written", O_CREAT | O_RDWR, 0600), fds[2];
    socklen_t len = sizeof(got);
    char byte;

    write(fd, "x", 1);
    show_times("written", "written", from);
    close(open("set", O_CREAT | O_RDWR, 0600));
    utimensat(AT_FDCWD, "set", NULL, 0);
    show_times("NULL", "set", from);
    utimensat(AT_FDCWD, "set", now, 0);
    show_times("UTIME_NOW", "set", from);
    utimensat(AT_FDCWD, "set", one, 0);
    show_times("one of them", "set", from);
    futimens(fd, now);
    show_times("of a descriptor", "written", from);

    socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
    printf("set %d", setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)));
    printf(" get %d", getsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &got, &len));
    printf(" %ld %d %d", (long)got.tv_sec, got.tv_usec >= 30000 && got.tv_usec < 50000,
           len == sizeof(got));
    printf(" short %d\n", setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &wait, 4));
    printf("read %d", (int)read(fds[0], &byte, 1));
    printf(" %d\n", errno == EAGAIN);
    return 0;
}
