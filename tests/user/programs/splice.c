/*
 * Data moved between pipes and files inside the kernel, and reads and writes with flags. QEMU 7.2
 * does not have preadv2.
 */
//= splice(fd, NULL, p[1], NULL, 6, 0): 6
//= splice(fd, &at, p[1], NULL, 5, 0): 5
//= at 11
//= tee(p[0], q[1], 100, 0): 11
//= splice(p[0], NULL, out, NULL, 4, SPLICE_F_MOVE): 4
//= splice(p[0], NULL, out, &to, 100, SPLICE_F_MORE): 7
//= to 17
//= out 17: abcd
//= splice(q[0], NULL, p[1], NULL, 3, 0): 3
//= read 3 abc
//= read 8 defghijk
//= splice(p[0], NULL, out, NULL, 4, SPLICE_F_NONBLOCK): -11
//= tee(p[0], q[1], 4, SPLICE_F_NONBLOCK): -11
//= splice(fd, NULL, out, NULL, 4, 0): -22
//= splice(p[0], NULL, p[1], NULL, 4, 0): -22
//= tee(fd, p[1], 4, 0): -22
//= splice(99, NULL, p[1], NULL, 4, 0): -9
//= splice(p[0], &at, out, NULL, 4, 0): -29
//= splice(fd, (loff_t *)16, p[1], NULL, 4, 0): -14
//= splice(fd, NULL, p[1], NULL, 4, 256): -22
//= splice(p[0], NULL, out, NULL, 10, 0): 4
//= tee(p[0], q[1], 10, 0): 4
//= read 4 late
//= read 4 late
//= splice(s[0], NULL, p[1], NULL, 100, 0): 4
//= read 4 late
//= splice(p[0], NULL, s[1], NULL, 100, 0): 2
//= read 2 ok
//= full 65536, nothing more -11
//= splice(fd, &at, p[1], NULL, 4, 0): 4
//= vmsplice(p[1], vec, 2, 0): 8
//= read 8 onetwo33
//= vmsplice(p[0], into, 2, 0): 7
//= xxabcdefgx
//= vmsplice(p[0], into, 2, SPLICE_F_NONBLOCK): -11
//= vmsplice(p[1], vec, 1025, 0): -22
//= vmsplice(p[1], bad, 1, 0): -14
//= vmsplice(fd, vec, 2, 0): -9
//= sync_file_range(fd, 0, 10, SYNC_FILE_RANGE_WRITE): 0
//= sync_file_range(fd, 0, 10, 64): -22
//= sync_file_range(fd, -1, 10, 0): -22
//= sync_file_range(p[0], 0, 10, 0): -29
//= sync_file_range(fd, 1LL << 40, 4096, SYNC_FILE_RANGE_WAIT_BEFORE): 0
//= readahead(fd, 0, 4096): 0
//= readahead(99, 0, 4096): -9
//= readahead(p[0], 0, 4096): -22
//= syncfs(fd): 0
//= syncfs(99): -9
//= preadv2(fd, into, 2, 3, 0): 7
//= xxdefghijx
//= preadv2(fd, into, 2, -1, 0): 5
//= preadv2(fd, into, 2, 3, 1 << 30): -95
//= pwritev2(out, vec, 2, 1LL << 33, RWF_SYNC): 8
//= pwritev2(out, vec, 1, 0, RWF_APPEND): 3
//= size 8589934603
#define _FILE_OFFSET_BITS 64
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char buf[70000];

static long result_or_errno(long value)
{
    return value < 0 ? -errno : value;
}

#define SHOW(x) printf("%s: %ld\n", #x, result_or_errno(x))

static void show_read(int fd, int bytes)
{
    int got = (int)read(fd, buf, bytes);

    printf("read %d %.*s\n", got, got, buf);
}

/* Writes in a child after a delay, while the parent waits. */
static void write_later(int fd, const char *text)
{
    if (!fork()) {
        usleep(20000);
        write(fd, text, strlen(text));
        _exit(0);
    }
}

static void splice_data(int fd, int out, int p[2], int q[2])
{
    loff_t at = 6, to = 10;
    int s[2], total = 0;

    SHOW(splice(fd, NULL, p[1], NULL, 6, 0));
    SHOW(splice(fd, &at, p[1], NULL, 5, 0));
    printf("at %lld\n", (long long)at);
    SHOW(tee(p[0], q[1], 100, 0));
    SHOW(splice(p[0], NULL, out, NULL, 4, SPLICE_F_MOVE));
    SHOW(splice(p[0], NULL, out, &to, 100, SPLICE_F_MORE));
    printf("to %lld\n", (long long)to);
    printf("out %d: %s\n", (int)pread(out, buf, 100, 0), buf);
    SHOW(splice(q[0], NULL, p[1], NULL, 3, 0));
    show_read(p[0], 100);
    show_read(q[0], 100);
    SHOW(splice(p[0], NULL, out, NULL, 4, SPLICE_F_NONBLOCK));
    SHOW(tee(p[0], q[1], 4, SPLICE_F_NONBLOCK));
    SHOW(splice(fd, NULL, out, NULL, 4, 0));
    SHOW(splice(p[0], NULL, p[1], NULL, 4, 0));
    SHOW(tee(fd, p[1], 4, 0));
    SHOW(splice(99, NULL, p[1], NULL, 4, 0));
    SHOW(splice(p[0], &at, out, NULL, 4, 0));
    SHOW(splice(fd, (loff_t *)16, p[1], NULL, 4, 0));
    SHOW(splice(fd, NULL, p[1], NULL, 4, 256));
    write_later(p[1], "late");
    SHOW(splice(p[0], NULL, out, NULL, 10, 0));
    write_later(p[1], "late");
    SHOW(tee(p[0], q[1], 10, 0));
    show_read(p[0], 100);
    show_read(q[0], 100);
    socketpair(AF_UNIX, SOCK_STREAM, 0, s);
    write_later(s[1], "late");
    SHOW(splice(s[0], NULL, p[1], NULL, 100, 0));
    show_read(p[0], 100);
    write(p[1], "ok", 2);
    SHOW(splice(p[0], NULL, s[1], NULL, 100, 0));
    show_read(s[0], 100);
    while (total < 65536)
        total += (int)write(p[1], buf, 4096);
    at = 0;
    printf("full %d, nothing more %ld\n", total,
           result_or_errno(splice(fd, &at, p[1], NULL, 4, SPLICE_F_NONBLOCK)));
    if (!fork()) {
        usleep(20000);
        while (total > 0)
            total -= (int)read(p[0], buf, 4096);
        _exit(0);
    }
    SHOW(splice(fd, &at, p[1], NULL, 4, 0));
    while (wait(NULL) > 0)
        ;
    read(p[0], buf, 4);
}

static void splice_memory(int fd, int p[2])
{
    char some[] = "xxxxxxxxxx";
    struct iovec vec[2] = {{"one", 3}, {"two33", 5}}, into[2] = {{some + 2, 3}, {some + 5, 4}};
    struct iovec bad[1] = {{(void *)16, 5}};

    SHOW(vmsplice(p[1], vec, 2, 0));
    show_read(p[0], 100);
    write_later(p[1], "abcdefghij");
    SHOW(vmsplice(p[0], into, 2, 0));
    printf("%s\n", some);
    wait(NULL);
    read(p[0], buf, 100);
    SHOW(vmsplice(p[0], into, 2, SPLICE_F_NONBLOCK));
    SHOW(vmsplice(p[1], vec, 1025, 0));
    SHOW(vmsplice(p[1], bad, 1, 0));
    SHOW(vmsplice(fd, vec, 2, 0));
}

static void use_file_calls(int fd, int out, int p[2])
{
    char some[] = "xxxxxxxxxx";
    struct iovec vec[2] = {{"one", 3}, {"two33", 5}}, into[2] = {{some + 2, 3}, {some + 5, 4}};
    struct stat st;

    SHOW(sync_file_range(fd, 0, 10, SYNC_FILE_RANGE_WRITE));
    SHOW(sync_file_range(fd, 0, 10, 64));
    SHOW(sync_file_range(fd, -1, 10, 0));
    SHOW(sync_file_range(p[0], 0, 10, 0));
    SHOW(sync_file_range(fd, 1LL << 40, 4096, SYNC_FILE_RANGE_WAIT_BEFORE));
    SHOW(readahead(fd, 0, 4096));
    SHOW(readahead(99, 0, 4096));
    SHOW(readahead(p[0], 0, 4096));
    SHOW(syncfs(fd));
    SHOW(syncfs(99));
    SHOW(preadv2(fd, into, 2, 3, 0));
    printf("%s\n", some);
    lseek(fd, 11, SEEK_SET);
    SHOW(preadv2(fd, into, 2, -1, 0));
    SHOW(preadv2(fd, into, 2, 3, 1 << 30));
    SHOW(pwritev2(out, vec, 2, 1LL << 33, RWF_SYNC));
    SHOW(pwritev2(out, vec, 1, 0, RWF_APPEND));
    fstat(out, &st);
    printf("size %lld\n", (long long)st.st_size);
}

int main(void)
{
    int fd = open("in", O_CREAT | O_RDWR, 0600), out = open("out", O_CREAT | O_RDWR, 0600);
    int p[2], q[2];

    setbuf(stdout, NULL);
    write(fd, "abcdefghijklmnop", 16);
    lseek(fd, 0, SEEK_SET);
    pipe(p);
    pipe(q);
    splice_data(fd, out, p, q);
    splice_memory(fd, p);
    use_file_calls(fd, out, p);
    return 0;
}
