/* System calls: new threads and processes, waiting for them, the end. */
#include "runtime/base/alloc.h"
#include "runtime/user/user.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/user/event_fd.h"
#include "runtime/user/hand_over.h"

/* ---- clone ----------------------------------------------------------------------------------- */

struct clone {
    uint64_t flags, stack, parent_tid, tls, child_tid, pidfd;
};

#define THREAD_FLAGS (CLONE_VM | CLONE_THREAD | CLONE_SIGHAND)

/* Copies the parent's registers, and sets the result and clone()'s stack and TLS pointers. */
static void clone_registers(struct thread *child, struct thread *parent, const struct clone *c)
{
    struct cpu *cpu = child->cpu;

    if (child != parent) {
        memcpy(cpu_state(cpu), cpu_state(parent->cpu), cpu_isa_of(cpu)->state_bytes);
        cpu_set_pc(cpu, cpu_pc(parent->cpu));
        cpu_set_mode(cpu, cpu_mode(parent->cpu));
        cpu_state_changed(cpu);
    }
    user_set_result(cpu, 0);
    if (c->stack)
        user_set_stack_pointer(cpu, c->stack);
    if (c->flags & CLONE_SETTLS)
        user_set_tls(cpu, c->tls);
}

static int64_t clone_thread(struct thread *t, const struct clone *c)
{
    struct error err;
    struct thread *child;
    int32_t tid;

    if ((c->flags & CLONE_PARENT_SETTID) && !guest_write(t, c->parent_tid, 4))
        return -EFAULT;
    child = thread_new(t->process, &err);
    if (!child)
        return -EAGAIN;
    memcpy(child->name, t->name, sizeof(child->name));
    child->mask = t->mask;
    clone_registers(child, t, c);
    tid = child->tid;
    if (c->flags & CLONE_PARENT_SETTID)
        guest_put_number(t, c->parent_tid, (uint32_t)tid, 4);
    if (c->flags & CLONE_CHILD_SETTID)
        guest_put_number(t, c->child_tid, (uint32_t)tid, 4);
    if (c->flags & CLONE_CHILD_CLEARTID)
        child->clear_tid = c->child_tid;
    return tid;
}

static void become_child(struct thread *t, const struct clone *c)
{
    struct process *p = t->process;

    p->pid = (int)getpid();
    p->original = false;
    thread_alone(t);
    t->tid = p->pid;
    p->next_tid = p->pid + 1;
    p->pending.set = p->pending.queue.len = 0;
    t->pending.set = t->pending.queue.len = 0;
    for (unsigned n = 0; n < 3; n++)
        clock_cancel(&p->clock, &p->alarm[n]);
    event_fd_after_fork(p);
    served_after_fork(p);
    t->robust = t->robust_len = 0;
    t->clear_tid = c->flags & CLONE_CHILD_CLEARTID ? c->child_tid : 0;
    clone_registers(t, t, c);
    if (c->flags & CLONE_CHILD_SETTID)
        guest_put_number(t, c->child_tid, (uint32_t)p->pid, 4);
}

/* After vfork() the parent continues when the child has ended or called execve(), which closes the
 * child's end of a pipe. */
static void wait_for_vfork(int fd)
{
    char byte;

    while (read(fd, &byte, 1) < 0 && errno == EINTR)
        ;
    close(fd);
}

static int64_t clone_process(struct thread *t, const struct clone *c)
{
    bool vfork = c->flags & CLONE_VFORK;
    int pipe_ends[2] = {-1, -1}, pid;

    nofile_lift(t->process);
    if (vfork && pipe2(pipe_ends, O_CLOEXEC))
        vfork = false;
    nofile_drop(t->process);
    fflush(NULL);
    t->process->related = true;
    jit_before_fork(t->process->jit);
    pid = (int)fork();
    jit_after_fork(t->process->jit, !pid);
    if (pid < 0) {
        int64_t failed = -errno;

        close(pipe_ends[0]);
        close(pipe_ends[1]);
        return failed;
    }
    if (!pid) {
        if (vfork) {
            close(pipe_ends[0]);
            fd_keep(t->process, pipe_ends[1]);
            close(pipe_ends[1]);
        }
        become_child(t, c);
        return CALL_LEAVES;
    }
    if (vfork) {
        close(pipe_ends[1]);
        wait_for_vfork(pipe_ends[0]);
    }
    if (c->flags & CLONE_PARENT_SETTID)
        guest_put_number(t, c->parent_tid, (uint32_t)pid, 4);
    if (c->flags & CLONE_PIDFD)
        guest_put_number(t, c->pidfd, (uint32_t)syscall(SYS_pidfd_open, pid, 0), 4);
    return pid;
}

static int64_t clone_any(struct thread *t, const struct clone *c)
{
    if ((c->flags & THREAD_FLAGS) == THREAD_FLAGS)
        return clone_thread(t, c);
    if ((c->flags & CLONE_THREAD) || ((c->flags & CLONE_VM) && !(c->flags & CLONE_VFORK)) ||
        (c->flags & (CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUSER | CLONE_NEWNET)))
        return -EINVAL;
    if ((c->flags & CLONE_PIDFD) && !guest_write(t, c->pidfd, sizeof(int32_t)))
        return -EFAULT;
    return clone_process(t, c);
}

int64_t sys_clone(struct thread *t, const uint64_t *arg)
{
    if ((arg[0] & CLONE_PIDFD) && (arg[0] & CLONE_PARENT_SETTID))
        return -EINVAL; /* both results would have the same address */
    return clone_any(t, &(struct clone){arg[0], arg[1], arg[2], arg[3], arg[4], arg[2]});
}

int64_t sys_clone3(struct thread *t, const uint64_t *arg)
{
    struct clone_args a = {0};

    if (arg[1] < CLONE_ARGS_SIZE_VER0)
        return -EINVAL;
    if (guest_get(t, arg[0], &a, arg[1] < sizeof(a) ? arg[1] : sizeof(a)))
        return -EFAULT;
    guest_order_all(&a, sizeof(uint64_t), sizeof(a) / sizeof(uint64_t));
    if ((a.flags & CLONE_INTO_CGROUP) || a.set_tid_size)
        return -EINVAL;
    return clone_any(t, &(struct clone){a.flags, a.stack ? a.stack + a.stack_size : 0, a.parent_tid,
                                        a.tls, a.child_tid, a.pidfd});
}

/* ---- waiting for children -------------------------------------------------------------------- */

int64_t sys_wait4(struct thread *t, const uint64_t *arg)
{
    int options = (int)arg[2], status = 0;
    struct rusage usage;
    pid_t pid;

    if (t->wait.why == RESUME_SIGNAL)
        return CALL_RESTART;
    pid = wait4((pid_t)arg[0], &status, options | WNOHANG, &usage);
    if (pid < 0)
        return -errno;
    if (!pid)
        return options & WNOHANG ? 0 : thread_wait(t, WAIT_CHILD, CLOCK_NEVER);
    if ((arg[1] && guest_put_number(t, arg[1], (uint32_t)status_to_guest(status), 4)) ||
        (arg[3] && guest_put_struct(t, arg[3], &layout_rusage, &usage)))
        return -EFAULT;
    return pid;
}

int64_t sys_waitid(struct thread *t, const uint64_t *arg)
{
    int options = (int)arg[3];
    siginfo_t info = {0};

    if (t->wait.why == RESUME_SIGNAL)
        return CALL_RESTART;
    if (waitid((idtype_t)arg[0], (id_t)arg[1], &info, options | WNOHANG))
        return -errno;
    if (!info.si_pid && !(options & WNOHANG) && arg[0] == P_PIDFD &&
        (fcntl((int)arg[1], F_GETFL) & O_NONBLOCK))
        return -EAGAIN;
    if (!info.si_pid && !(options & WNOHANG))
        return thread_wait(t, WAIT_CHILD, CLOCK_NEVER);
    return arg[2] ? guest_put_siginfo(t, arg[2], &info) : 0;
}

/* ---- the end --------------------------------------------------------------------------------- */

int64_t sys_exit(struct thread *t, const uint64_t *arg)
{
    thread_end(t, (int)arg[0] & 0xff);
    return CALL_LEAVES;
}

int64_t sys_exit_group(struct thread *t, const uint64_t *arg)
{
    process_end(t->process, (int)arg[0] & 0xff, 0);
    cpu_set_power(t->cpu, false);
    return CALL_LEAVES;
}
