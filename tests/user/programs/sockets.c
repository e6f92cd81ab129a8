/* Sockets: descriptors in messages, TCP, epoll, eventfd, timeouts. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void pass_file(void)
{
    char control[CMSG_SPACE(sizeof(int))] = {0}, data[8] = "fd", got[32] = "";
    struct iovec vec = {data, 3};
    struct msghdr m = {.msg_iov = &vec,
                       .msg_iovlen = 1,
                       .msg_control = control,
                       .msg_controllen = sizeof(control)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    int pair[2], ends[2], fd;

    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    pipe(ends);
    c->cmsg_len = CMSG_LEN(sizeof(int));
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    memcpy(CMSG_DATA(c), &ends[0], sizeof(int));
    printf("sendmsg %zd\n", sendmsg(pair[0], &m, 0));
    memset(control, 0, sizeof(control));
    printf("recvmsg %zd\n", recvmsg(pair[1], &m, 0));
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(int));
    write(ends[1], "through the pipe", 17);
    printf("read %zd %s, other fd %d\n", read(fd, got, sizeof(got)), got, fd != ends[0]);
}

static void use_tcp(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1, fd, status;
    socklen_t len = sizeof(a), size = sizeof(one);
    char buf[64] = "";

    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    one = 0;
    getsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, &size);
    printf("reuse %d\n", one);
    bind(listener, (struct sockaddr *)&a, sizeof(a));
    getsockname(listener, (struct sockaddr *)&a, &len);
    listen(listener, 5);
    if (!fork()) {
        fd = socket(AF_INET, SOCK_STREAM, 0);
        connect(fd, (struct sockaddr *)&a, sizeof(a));
        send(fd, "hello over tcp", 14, 0);
        shutdown(fd, SHUT_WR);
        recv(fd, buf, sizeof(buf), 0);
        _exit(strcmp(buf, "answer") ? 1 : 4);
    }
    fd = accept(listener, NULL, NULL);
    printf("got %zd ", recv(fd, buf, sizeof(buf), MSG_WAITALL));
    printf("%s\n", buf);
    send(fd, "answer", 7, MSG_NOSIGNAL);
    wait(&status);
    printf("child %d\n", WEXITSTATUS(status));
}

static void wait_for_events(void)
{
    int ep = epoll_create1(EPOLL_CLOEXEC), ev = eventfd(3, EFD_NONBLOCK), pair[2];
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = UINT64_C(0x123456789abcdef0)}, got[4];
    uint64_t value = 0;
    int n;

    socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
    epoll_ctl(ep, EPOLL_CTL_ADD, pair[0], &e);
    e.data.u64 = 7;
    epoll_ctl(ep, EPOLL_CTL_ADD, ev, &e);
    n = epoll_wait(ep, got, 4, 0);
    printf("epoll %d %llx %x\n", n, (unsigned long long)got[0].data.u64, got[0].events);
    read(ev, &value, sizeof(value));
    printf("eventfd %llu, again %zd %d\n", (unsigned long long)value,
           read(ev, &value, sizeof(value)), errno);
    printf("timeout %d\n", epoll_wait(ep, got, 4, 10));
    write(pair[1], "d", 1);
    n = epoll_wait(ep, got, 4, -1);
    printf("epoll %d %llx\n", n, (unsigned long long)got[0].data.u64);
    epoll_ctl(ep, EPOLL_CTL_DEL, pair[0], NULL);
    printf("removed %d\n", epoll_wait(ep, got, 4, 0));
}

int main(void)
{
    pass_file();
    use_tcp();
    wait_for_events();
    return 0;
}
