/* System calls: signalfd, descriptors that read the program's signals. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/signalfd.h>

#include "runtime/user/event_fd.h"

_Static_assert(sizeof(struct signalfd_siginfo) == 128, "laid out alike everywhere");

/* Converts a siginfo_t; the signal and its code decide which members are set. */
static struct signalfd_siginfo convert_siginfo(const siginfo_t *info)
{
    struct signalfd_siginfo s = {.ssi_signo = (uint32_t)info->si_signo,
                                 .ssi_errno = info->si_errno,
                                 .ssi_code = info->si_code};
    bool sent = info->si_code <= 0 || info->si_code == SI_KERNEL, fault = false;

    if (!sent && info->si_signo == SIGPOLL) {
        s.ssi_band = (uint32_t)info->si_band;
        s.ssi_fd = info->si_fd;
        return s;
    }
    fault = info->si_signo == SIGILL || info->si_signo == SIGTRAP || info->si_signo == SIGBUS ||
            info->si_signo == SIGFPE || info->si_signo == SIGSEGV;
    if (!sent && fault) {
        s.ssi_addr = (uint64_t)(uintptr_t)info->si_addr;
        return s;
    }
    if (info->si_code == SI_TIMER) {
        s.ssi_tid = (uint32_t)info->si_timerid;
        s.ssi_overrun = (uint32_t)info->si_overrun;
    } else {
        s.ssi_pid = (uint32_t)info->si_pid;
        s.ssi_uid = info->si_uid;
    }
    if (!sent && info->si_signo == SIGCHLD) {
        s.ssi_status = info->si_status;
        s.ssi_utime = (uint64_t)info->si_utime;
        s.ssi_stime = (uint64_t)info->si_stime;
    } else if (info->si_code < 0 && info->si_code != SI_TKILL) {
        s.ssi_ptr = (uint64_t)(uintptr_t)info->si_ptr;
        s.ssi_int = info->si_int;
    }
    return s;
}

/* Puts all members into the guest's order. */
static void order_info(struct signalfd_siginfo *s)
{
    s->ssi_signo = number_to_guest(USER_SIGNAL, s->ssi_signo);
    guest_order_all(&s->ssi_signo, 4, offsetof(struct signalfd_siginfo, ssi_ptr) / 4);
    guest_order_all(&s->ssi_ptr, 8, 4);
    guest_order(&s->ssi_addr_lsb, 2);
}

/* struct event_fd.read */
static int64_t read_signals(struct thread *t, struct event_fd *e, int fd, void *to, size_t room)
{
    struct signalfd_siginfo one;
    size_t done = 0;
    siginfo_t info;

    if (room < sizeof(one))
        return -EINVAL;
    while (done + sizeof(one) <= room && signal_take(t, e->mask, &info)) {
        one = convert_siginfo(&info);
        order_info(&one);
        memcpy((uint8_t *)to + done, &one, sizeof(one));
        done += sizeof(one);
    }
    if (done)
        return (int64_t)done;
    if (!event_fd_waits(fd))
        return -EAGAIN;
    t->wait.signals = e->mask;
    return thread_wait(t, WAIT_SIGNAL, CLOCK_NEVER);
}

/* struct event_fd.make_host */
static int make_host_signals(struct event_fd *e)
{
    sigset_t set;

    sigemptyset(&set);
    for (int signal = 1; signal <= SIGNALS; signal++) {
        if (e->mask & signal_bit(signal))
            sigaddset(&set, signal);
    }
    return signalfd(-1, &set, SFD_CLOEXEC);
}

void signalfd_begin(struct event_fd *e)
{
    e->read = read_signals;
    e->make_host = make_host_signals;
}

int64_t sys_signalfd4(struct thread *t, const uint64_t *arg)
{
    int fd = (int)arg[0], flags = (int)arg[3];
    struct event_fd *e;
    uint64_t mask;
    int64_t result;

    if ((flags & ~(SFD_CLOEXEC | SFD_NONBLOCK)) || arg[2] != user_abi.set_bytes)
        return -EINVAL;
    if (guest_get_signals(t, arg[1], &mask))
        return -EFAULT;
    if (fd == -1) {
        result = event_fd_new(t->process, flags, &e);
        if (result >= 0)
            signalfd_begin(e);
    } else {
        e = event_fd_find(t->process, fd);
        result = fcntl(fd, F_GETFD) < 0 ? -EBADF : !e || e->timer ? -EINVAL : fd;
    }
    if (result < 0)
        return result;
    e->mask = mask & ~(signal_bit(SIGKILL) | signal_bit(SIGSTOP));
    event_fd_signals(t->process);
    return result;
}
