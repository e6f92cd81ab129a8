/*
 * Descriptors of processes. QEMU 7.2 passes on the host's siginfo_t, and does not have CLONE_PIDFD.
 */
//= pidfd_open(0, 0): -22
//= pidfd_open(-1, 0): -22
//= pidfd_open(getpid(), 1): -22
//= pidfd_open(0x3fffffff, 0): -3
//= flags 1 0
//= pidfd_send_signal(self, 0, NULL, 0): 0
//= pidfd_send_signal(self, 99, NULL, 0): -22
//= pidfd_send_signal(self, SIGUSR1, NULL, 7): -22
//= pidfd_send_signal(1, SIGUSR1, NULL, 0): -9
//= pidfd_send_signal(99, SIGUSR1, NULL, 0): -9
//= pidfd_send_signal(self, SIGILL, NULL, 0): 0
//= got 4, code 0, from 1, value 0
//= pidfd_send_signal(self, SIGUSR1, &info, 0): 0
//= got 10, code -1, from 1, value 4711
//= pidfd_send_signal(self, SIGUSR2, &info, 0): -22
//= pidfd_send_signal(self, SIGUSR1, (void *)16, 0): -14
//= ready 0
//= waitid(P_PIDFD, fd, &seen, WEXITED | WNOHANG): 0
//= would wait -11
//= pidfd_send_signal(fd, SIGUSR1, &info, 0): 0
//= poll(&p, 1, -1): 1
//= waitid(P_PIDFD, fd, &seen, WEXITED): 0
//= child 1, code 1, status 7
//= pidfd_send_signal(fd, SIGUSR1, NULL, 0): -3
//= clone 1, flags 1, status 9
//= clone with both -22
//= clone3 1, status 9
//= same 1, close on exec 1
//= getfd -9 -9 -22
//= of a child -1
//= kcmp 0 1, bad -9, another's -1
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

static volatile int got, code, from, value;

static int result_or_errno(long value)
{
    return value < 0 ? -errno : (int)value;
}

#define SHOW(x) printf("%s: %d\n", #x, result_or_errno(x))

static int pidfd_open(int pid, unsigned flags)
{
    return syscall(434, pid, flags);
}

static int pidfd_send_signal(int fd, int signal, siginfo_t *info, unsigned flags)
{
    return syscall(424, fd, signal, info, flags);
}

static int pidfd_getfd(int fd, int other, unsigned flags)
{
    return syscall(438, fd, other, flags);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    got = signal;
    code = info->si_code;
    from = info->si_pid == getpid();
    value = info->si_code == SI_QUEUE ? info->si_value.sival_int : 0;
}

static void show_signal(void)
{
    printf("got %d, code %d, from %d, value %d\n", got, code, from, value);
}

static siginfo_t queued_info(void)
{
    siginfo_t info = {.si_signo = SIGUSR1, .si_code = SI_QUEUE};

    info.si_pid = getpid();
    info.si_value.sival_int = 4711;
    return info;
}

static void show_errors(int self)
{
    siginfo_t info = queued_info();

    SHOW(pidfd_open(0, 0));
    SHOW(pidfd_open(-1, 0));
    SHOW(pidfd_open(getpid(), 1));
    SHOW(pidfd_open(0x3fffffff, 0));
    printf("flags %d %d\n", fcntl(self, F_GETFD), !!(fcntl(self, F_GETFL) & O_NONBLOCK));
    SHOW(pidfd_send_signal(self, 0, NULL, 0));
    SHOW(pidfd_send_signal(self, 99, NULL, 0));
    SHOW(pidfd_send_signal(self, SIGUSR1, NULL, 7));
    SHOW(pidfd_send_signal(1, SIGUSR1, NULL, 0));
    SHOW(pidfd_send_signal(99, SIGUSR1, NULL, 0));
    SHOW(pidfd_send_signal(self, SIGILL, NULL, 0));
    show_signal();
    SHOW(pidfd_send_signal(self, SIGUSR1, &info, 0));
    show_signal();
    SHOW(pidfd_send_signal(self, SIGUSR2, &info, 0));
    SHOW(pidfd_send_signal(self, SIGUSR1, (void *)16, 0));
}

static void signal_child(void)
{
    siginfo_t info = queued_info(), seen = {0};
    int pid, fd;
    struct pollfd p;

    got = 0; /* not in the child, where the signal may have come by then */
    pid = fork();
    if (!pid) {
        while (!got)
            usleep(1000);
        _exit(got == SIGUSR1 && value == 4711 ? 7 : 8);
    }
    fd = pidfd_open(pid, O_NONBLOCK);
    p = (struct pollfd){.fd = fd, .events = POLLIN};
    printf("ready %d\n", poll(&p, 1, 0));
    SHOW(waitid(P_PIDFD, fd, &seen, WEXITED | WNOHANG));
    printf("would wait %d\n", result_or_errno(waitid(P_PIDFD, fd, &seen, WEXITED)));
    fcntl(fd, F_SETFL, 0);
    usleep(20000);
    SHOW(pidfd_send_signal(fd, SIGUSR1, &info, 0));
    SHOW(poll(&p, 1, -1));
    SHOW(waitid(P_PIDFD, fd, &seen, WEXITED));
    printf("child %d, code %d, status %d\n", seen.si_pid == pid, seen.si_code, seen.si_status);
    SHOW(pidfd_send_signal(fd, SIGUSR1, NULL, 0));
    close(fd);
}

static void clone_with_pidfd(void)
{
    int fd = -1, status, pid = syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, 0, &fd, 0, 0);
    uint64_t args[8] = {CLONE_PIDFD, (uintptr_t)&fd, 0, 0, SIGCHLD};
    siginfo_t seen = {0};

    if (!pid)
        _exit(9);
    waitid(P_PIDFD, fd, &seen, WEXITED);
    printf("clone %d, flags %d, status %d\n", seen.si_pid == pid, fcntl(fd, F_GETFD),
           seen.si_status);
    close(fd);
    printf("clone with both %d\n",
           result_or_errno(
               syscall(SYS_clone, CLONE_PIDFD | CLONE_PARENT_SETTID | SIGCHLD, 0, &fd, 0, 0)));
    memset(&seen, 0, sizeof(seen));
    pid = syscall(435, args, sizeof(args));
    if (!pid)
        _exit(9);
    waitid(P_PIDFD, fd, &seen, WEXITED);
    printf("clone3 %d, status %d\n", seen.si_pid == pid, seen.si_status);
    close(fd);
}

static void get_files(int self)
{
    int fd = open("file", O_CREAT | O_RDWR, 0600), copy = pidfd_getfd(self, fd, 0), other, pid;
    struct stat a, b;

    fstat(fd, &a);
    fstat(copy, &b);
    printf("same %d, close on exec %d\n", copy != fd && a.st_ino == b.st_ino, fcntl(copy, F_GETFD));
    printf("getfd %d", result_or_errno(pidfd_getfd(self, 99, 0)));
    printf(" %d", result_or_errno(pidfd_getfd(fd, fd, 0)));
    printf(" %d\n", result_or_errno(pidfd_getfd(self, fd, 1)));
    pid = fork();
    if (!pid) {
        pause();
        _exit(0);
    }
    other = pidfd_open(pid, 0);
    printf("of a child %d\n", result_or_errno(pidfd_getfd(other, fd, 0)));
    pid = getpid();
    printf("kcmp %d", result_or_errno(syscall(SYS_kcmp, pid, pid, 0, fd, copy)));
    printf(" %d", result_or_errno(syscall(SYS_kcmp, pid, pid, 0, fd, self)) > 0);
    printf(", bad %d", result_or_errno(syscall(SYS_kcmp, pid, pid, 0, fd, 99)));
    printf(", another's %d\n", result_or_errno(syscall(SYS_kcmp, 1, pid, 0, fd, fd)));
    pidfd_send_signal(other, SIGKILL, NULL, 0);
    wait(NULL);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    int self = pidfd_open(getpid(), 0);

    setbuf(stdout, NULL);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGILL, &action, NULL);
    show_errors(self);
    signal_child();
    clone_with_pidfd();
    get_files(self);
    return 0;
}
