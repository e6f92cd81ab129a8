/*
 * Several messages in one call: waiting, timeouts, lengths, and failures after the first message.
 */
//= sendmmsg(s[0], out, 3, 0): 3
//= lengths 3 5 4
//= recvmmsg(s[1], in, 2, 0, NULL): 2
//= 3 one, 5 two33
//= recvmmsg(s[1], in, 4, MSG_WAITFORONE, NULL): 1
//= 4 four
//= recvmmsg(s[1], in, 4, MSG_DONTWAIT, NULL): -11
//= sendmmsg(s[0], out, 0, 0): 0
//= sendmmsg(99, out, 3, 0): -9
//= sendmmsg(1, out, 3, 0): -88
//= bad vector -14
//= sendmmsg(s[0], out, 3, 0): 1
//= recvmmsg(s[1], in, 4, MSG_WAITFORONE, NULL): 1
//= recvmmsg(s[1], in, 3, 0, NULL): 3
//= child 0: 3 one, 5 two33, 4 four
//= recvmmsg(s[1], in, 4, 0, &bad): -22
//= recvmmsg(s[1], in, 4, 0, &none): 1
//= left 0 0
//= recvmmsg(s[1], in, 2, 0, &long_one): 2
//= left 1
//= passed 1: 2 hi
//= flags 1
//= truncated 1
//= interrupted -4
//= one before the signal 1
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char text[4][8];
static struct iovec from[3] = {{"one", 3}, {"two33", 5}, {"four", 4}}, to[4];
static struct mmsghdr out[3], in[4];

static int result_or_errno(long value)
{
    return value < 0 ? -errno : (int)value;
}

#define SHOW(x) printf("%s: %d\n", #x, result_or_errno(x))

static void on_alarm(int signal)
{
}

static void reset_messages(void)
{
    memset(text, 0, sizeof(text));
    memset(in, 0, sizeof(in));
    for (int n = 0; n < 4; n++) {
        to[n] = (struct iovec){text[n], 7};
        in[n].msg_hdr.msg_iov = &to[n];
        in[n].msg_hdr.msg_iovlen = 1;
    }
    for (int n = 0; n < 3; n++) {
        out[n].msg_hdr.msg_iov = &from[n];
        out[n].msg_hdr.msg_iovlen = 1;
    }
}

static void send_and_receive(int s[2])
{
    struct iovec keep = from[1];

    SHOW(sendmmsg(s[0], out, 3, 0));
    printf("lengths %d %d %d\n", out[0].msg_len, out[1].msg_len, out[2].msg_len);
    SHOW(recvmmsg(s[1], in, 2, 0, NULL));
    printf("%d %s, %d %s\n", in[0].msg_len, text[0], in[1].msg_len, text[1]);
    SHOW(recvmmsg(s[1], in, 4, MSG_WAITFORONE, NULL));
    printf("%d %s\n", in[0].msg_len, text[0]);
    SHOW(recvmmsg(s[1], in, 4, MSG_DONTWAIT, NULL));
    SHOW(sendmmsg(s[0], out, 0, 0));
    SHOW(sendmmsg(99, out, 3, 0));
    SHOW(sendmmsg(1, out, 3, 0));
    printf("bad vector %d\n", result_or_errno(syscall(SYS_sendmmsg, s[0], (void *)16, 3, 0)));
    from[1].iov_base = (void *)16;
    SHOW(sendmmsg(s[0], out, 3, 0));
    from[1] = keep;
    SHOW(recvmmsg(s[1], in, 4, MSG_WAITFORONE, NULL));
}

static void wait_for_messages(int s[2])
{
    struct timespec bad = {0, 1000000000}, none = {0, 0}, long_one = {100, 0};
    int status;

    reset_messages();
    if (!fork()) {
        for (int n = 0; n < 3; n++) {
            usleep(10000);
            send(s[0], from[n].iov_base, from[n].iov_len, 0);
        }
        _exit(0);
    }
    SHOW(recvmmsg(s[1], in, 3, 0, NULL));
    wait(&status);
    printf("child %d: %d %s, %d %s, %d %s\n", status, in[0].msg_len, text[0], in[1].msg_len,
           text[1], in[2].msg_len, text[2]);
    SHOW(recvmmsg(s[1], in, 4, 0, &bad));
    sendmmsg(s[0], out, 3, 0);
    SHOW(recvmmsg(s[1], in, 4, 0, &none));
    printf("left %ld %ld\n", (long)none.tv_sec, none.tv_nsec);
    SHOW(recvmmsg(s[1], in, 2, 0, &long_one));
    printf("left %d\n", long_one.tv_sec >= 90 && long_one.tv_sec <= 100);
}

/* A descriptor with the second message, and a message that is too long for the third. */
static void pass_descriptor(int s[2])
{
    char control_out[64] = {0}, control_in[64] = {0}, got[8] = "";
    struct cmsghdr *c;
    int p[2], fd = -1;

    reset_messages();
    pipe(p);
    out[1].msg_hdr.msg_control = control_out;
    out[1].msg_hdr.msg_controllen = CMSG_SPACE(4);
    c = CMSG_FIRSTHDR(&out[1].msg_hdr);
    *c = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(4), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(c), &p[1], 4);
    sendmmsg(s[0], out, 3, 0);
    in[1].msg_hdr.msg_control = control_in;
    in[1].msg_hdr.msg_controllen = sizeof(control_in);
    to[2].iov_len = 2;
    recvmmsg(s[1], in, 3, MSG_CMSG_CLOEXEC, NULL);
    c = CMSG_FIRSTHDR(&in[1].msg_hdr);
    if (c)
        memcpy(&fd, CMSG_DATA(c), 4);
    write(fd, "hi", 2);
    printf("passed %d", fd > 2);
    printf(": %d %s\n", (int)read(p[0], got, 8), got);
    printf("flags %d\n", fcntl(fd, F_GETFD) == FD_CLOEXEC);
    printf("truncated %d\n", !!(in[2].msg_hdr.msg_flags & MSG_TRUNC));
    out[1].msg_hdr.msg_control = NULL;
    out[1].msg_hdr.msg_controllen = 0;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_alarm};
    int s[2];

    setbuf(stdout, NULL);
    sigaction(SIGALRM, &action, NULL);
    socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
    reset_messages();
    send_and_receive(s);
    wait_for_messages(s);
    pass_descriptor(s);
    reset_messages();
    ualarm(20000, 0);
    printf("interrupted %d\n", result_or_errno(recvmmsg(s[1], in, 2, 0, NULL)));
    ualarm(20000, 0);
    sendmmsg(s[0], out, 1, 0);
    printf("one before the signal %d\n", result_or_errno(recvmmsg(s[1], in, 2, 0, NULL)));
    return 0;
}
