/* System calls: descriptors of processes. */
#include "runtime/user/user.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The pid of a process descriptor; -EBADF: no such descriptor; -ESRCH: the process has ended. */
static int pid_of(struct process *p, int fd)
{
    char path[48], line[128];
    int pid = 0;
    FILE *info;

    snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
    nofile_lift(p);
    info = fopen(path, "re");
    nofile_drop(p);
    while (info && fgets(line, sizeof(line), info)) {
        if (sscanf(line, "Pid: %d", &pid) == 1)
            break;
    }
    if (info)
        fclose(info);
    return pid > 0 ? pid : pid < 0 ? -ESRCH : -EBADF;
}

int64_t sys_pidfd_open(struct thread *t, const uint64_t *arg)
{
    int pid = (int)arg[0];

    if (pid > 0 && pid != t->process->pid && thread_find(t->process, pid))
        return -EINVAL; /* a thread */
    if (pid > 0 && !sandbox_may_signal(t->process, pid))
        return -EPERM;
    return host_result(syscall(SYS_pidfd_open, pid, (unsigned)arg[1]));
}

int64_t sys_pidfd_send_signal(struct thread *t, const uint64_t *arg)
{
    int fd = (int)arg[0], signal = (int)arg[1], pid;
    siginfo_t info = {.si_signo = signal, .si_code = SI_USER};

    if (arg[3])
        return -EINVAL;
    pid = pid_of(t->process, fd);
    if (pid < 0)
        return pid;
    info.si_pid = t->process->pid;
    info.si_uid = getuid();
    if (arg[2] && guest_get_siginfo(t, arg[2], &info))
        return -EFAULT;
    if (signal < 0 || signal > SIGNALS || info.si_signo != signal)
        return -EINVAL;
    if (!sandbox_may_signal(t->process, pid))
        return -EPERM;
    if (pid != t->process->pid)
        return host_result(syscall(SYS_pidfd_send_signal, fd, signal, arg[2] ? &info : NULL, 0));
    if (signal)
        signal_to_process(t->process, &info);
    return 0;
}

/* Only for the program itself: another process may only be inspected with the right to trace it,
 * and its simulator's own descriptors are unknown here. */
int64_t sys_pidfd_getfd(struct thread *t, const uint64_t *arg)
{
    int pid;

    if (arg[2])
        return -EINVAL;
    pid = pid_of(t->process, (int)arg[0]);
    if (pid < 0)
        return pid;
    if (pid != t->process->pid)
        return -EPERM;
    return host_result(fcntl((int)arg[1], F_DUPFD_CLOEXEC, 0));
}

/* Only for the program itself, as sys_pidfd_getfd(). */
int64_t sys_kcmp(struct thread *t, const uint64_t *arg)
{
    int pid = t->process->pid, type = (int)arg[2];

    if ((int)arg[0] != pid || (int)arg[1] != pid)
        return -EPERM;
    if (type == KCMP_FILE && (fd_is_own(t->process, arg[3]) || fd_is_own(t->process, arg[4])))
        return -EBADF;
    if (type < 0 || type >= KCMP_TYPES || type == KCMP_EPOLL_TFD)
        return -EINVAL;
    return host_result(syscall(SYS_kcmp, pid, pid, type, arg[3], arg[4]));
}
