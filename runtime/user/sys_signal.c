/* System calls: signals. */
#include "runtime/user/user.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/bits.h"

#define MIN_STACK 2048

int64_t sys_rt_sigaction(struct thread *t, const uint64_t *arg)
{
    int signal = (int)arg[0];
    struct user_action *a, new, old;

    if (arg[3] != user_abi.set_bytes || signal < 1 || signal > SIGNALS)
        return -EINVAL;
    a = &t->process->action[signal];
    old = *a;
    if (arg[1]) {
        if (signal == SIGKILL || signal == SIGSTOP)
            return -EINVAL;
        if (guest_get_struct(t, arg[1], user_layout(OWN_ACTION), &new))
            return -EFAULT;
        new.flags = flags_to_host(USER_ACTION, (uint32_t) new.flags);
        new.mask = signals_to_host(new.mask);
        *a = new;
        host_signal_ignore(signal, new.handler == (uint64_t)(uintptr_t)SIG_IGN);
    }
    old.flags = flags_to_guest(USER_ACTION, (uint32_t)old.flags);
    old.mask = signals_to_guest(old.mask);
    return arg[2] ? guest_put_struct(t, arg[2], user_layout(OWN_ACTION), &old) : 0;
}

int64_t sys_rt_sigprocmask(struct thread *t, const uint64_t *arg)
{
    uint64_t old = t->mask, set;

    if (arg[3] != user_abi.set_bytes)
        return -EINVAL;
    if (arg[1]) {
        if (guest_get_signals(t, arg[1], &set))
            return -EFAULT;
        switch ((int)arg[0]) {
        case SIG_BLOCK:
            signal_set_mask(t, t->mask | set);
            break;
        case SIG_UNBLOCK:
            signal_set_mask(t, t->mask & ~set);
            break;
        case SIG_SETMASK:
            signal_set_mask(t, set);
            break;
        default:
            return -EINVAL;
        }
    }
    return arg[2] ? guest_put_signals(t, arg[2], old) : 0;
}

int64_t sys_rt_sigpending(struct thread *t, const uint64_t *arg)
{
    uint64_t set = signal_pending(t) & t->mask;

    return arg[1] == user_abi.set_bytes ? guest_put_signals(t, arg[0], set) : -EINVAL;
}

int64_t sys_rt_sigsuspend(struct thread *t, const uint64_t *arg)
{
    uint64_t set;

    if (t->wait.why == RESUME_SIGNAL)
        return CALL_REPEAT;
    if (arg[1] != user_abi.set_bytes)
        return -EINVAL;
    if (guest_get_signals(t, arg[0], &set))
        return -EFAULT;
    if (t->wait.why == RESUME_FIRST)
        signal_borrow_mask(t, set);
    return thread_wait(t, WAIT_TIME, CLOCK_NEVER);
}

int64_t sys_pause(struct thread *t, const uint64_t *arg)
{
    (void)arg;
    return t->wait.why == RESUME_SIGNAL ? CALL_REPEAT : thread_wait(t, WAIT_TIME, CLOCK_NEVER);
}

int64_t sys_rt_sigtimedwait(struct thread *t, const uint64_t *arg)
{
    uint64_t set, deadline = CLOCK_NEVER;
    struct timespec ts;
    siginfo_t info;

    if (arg[3] != user_abi.set_bytes)
        return -EINVAL;
    if (guest_get_signals(t, arg[0], &set))
        return -EFAULT;
    if (signal_take(t, set, &info)) {
        if (arg[1] && guest_put_siginfo(t, arg[1], &info))
            return -EFAULT;
        return number_to_guest(USER_SIGNAL, (uint32_t)info.si_signo);
    }
    if (t->wait.why == RESUME_TIMEOUT)
        return -EAGAIN;
    if (t->wait.why == RESUME_SIGNAL)
        return -EINTR;
    if (arg[2]) {
        if (guest_get_struct(t, arg[2], &layout_timespec, &ts))
            return -EFAULT;
        if (ts.tv_sec < 0 || (uint64_t)ts.tv_nsec >= NS_PER_SEC)
            return -EINVAL;
        deadline = process_now(t->process) + ((uint64_t)ts.tv_sec & 0xffffffff) * NS_PER_SEC +
                   (uint64_t)ts.tv_nsec;
    }
    t->wait.signals = set;
    return thread_wait(t, WAIT_SIGNAL, deadline);
}

static bool pop_frame(struct thread *t, bool with_info, uint64_t *mask, stack_t *alt)
{
    const struct user_frames *frames = &user_abi.frames[with_info];
    uint64_t sp = user_stack_pointer(t->cpu);
    const void *from = sp % frames->align ? NULL : guest_read(t, sp, frames->bytes);

    return from && frame_pop(t, with_info, from, mask, alt);
}

/* Returns from a handler that was entered with or without siginfo. */
static int64_t leave_handler(struct thread *t, bool with_info)
{
    siginfo_t bad = {.si_signo = SIGSEGV, .si_code = SI_KERNEL};
    stack_t alt = t->alt;
    uint64_t mask;

    if (pop_frame(t, with_info, &mask, &alt)) {
        signal_set_mask(t, mask);
        t->alt = alt;
    } else {
        signal_fault(t, &bad);
    }
    return CALL_LEAVES;
}

int64_t sys_rt_sigreturn(struct thread *t, const uint64_t *arg)
{
    (void)arg;
    return leave_handler(t, true);
}

int64_t sys_sigreturn(struct thread *t, const uint64_t *arg)
{
    (void)arg;
    return leave_handler(t, false);
}

int64_t sys_sigaltstack(struct thread *t, const uint64_t *arg)
{
    uint64_t base = (uint64_t)(uintptr_t)t->alt.ss_sp, sp = user_stack_pointer(t->cpu);
    bool inside = !(t->alt.ss_flags & SS_DISABLE) && sp > base && sp - base <= t->alt.ss_size;
    stack_t old = t->alt, new;

    old.ss_flags |= inside ? SS_ONSTACK : 0;
    if (arg[0]) {
        if (guest_get_struct(t, arg[0], user_layout(OWN_STACK), &new))
            return -EFAULT;
        if (inside)
            return -EPERM;
        if (new.ss_flags & ~SS_DISABLE & ~SS_ONSTACK)
            return -EINVAL;
        if (!(new.ss_flags &SS_DISABLE) && new.ss_size < MIN_STACK)
            return -ENOMEM;
        new.ss_flags &= SS_DISABLE;
        if (new.ss_flags)
            new.ss_sp = NULL, new.ss_size = 0;
        t->alt = new;
    }
    return arg[1] ? guest_put_struct(t, arg[1], user_layout(OWN_STACK), &old) : 0;
}

/* ---- sending --------------------------------------------------------------------------------- */

static siginfo_t from_user(const struct thread *t, int signal, int code)
{
    siginfo_t info = {.si_signo = signal, .si_code = code};

    info.si_pid = t->process->pid;
    info.si_uid = getuid();
    return info;
}

int64_t sys_kill(struct thread *t, const uint64_t *arg)
{
    int pid = (int)arg[0], signal = (int)arg[1];
    siginfo_t info = from_user(t, signal, SI_USER);

    if (signal < 0 || signal > SIGNALS)
        return -EINVAL;
    if (pid == t->process->pid) {
        if (signal)
            signal_to_process(t->process, &info);
        return 0;
    }
    return sandbox_may_signal(t->process, pid) ? host_result(kill(pid, signal)) : -EPERM;
}

static int64_t send_to(struct thread *t, int pid, int tid, int signal, siginfo_t info)
{
    struct thread *to = thread_find(t->process, tid);

    if (signal < 0 || signal > SIGNALS || tid <= 0)
        return -EINVAL;
    if (pid > 0 && pid != t->process->pid && !sandbox_may_signal(t->process, pid))
        return -EPERM;
    if (pid > 0 && pid != t->process->pid)
        return host_result(syscall(SYS_tgkill, pid, tid, signal));
    if (!to)
        return -ESRCH;
    if (signal)
        signal_to_thread(to, &info);
    return 0;
}

int64_t sys_tkill(struct thread *t, const uint64_t *arg)
{
    return send_to(t, 0, (int)arg[0], (int)arg[1], from_user(t, (int)arg[1], SI_TKILL));
}

int64_t sys_tgkill(struct thread *t, const uint64_t *arg)
{
    return send_to(t, (int)arg[0], (int)arg[1], (int)arg[2], from_user(t, (int)arg[2], SI_TKILL));
}

int64_t sys_rt_sigqueueinfo(struct thread *t, const uint64_t *arg)
{
    siginfo_t info;

    if (guest_get_siginfo(t, arg[2], &info))
        return -EFAULT;
    info.si_signo = (int)arg[1];
    if (info.si_signo < 0 || info.si_signo > SIGNALS)
        return -EINVAL;
    if (!sandbox_may_signal(t->process, (int)arg[0]))
        return -EPERM;
    if ((int)arg[0] != t->process->pid)
        return host_result(syscall(SYS_rt_sigqueueinfo, (int)arg[0], info.si_signo, &info));
    if (info.si_signo)
        signal_to_process(t->process, &info);
    return 0;
}

int64_t sys_rt_tgsigqueueinfo(struct thread *t, const uint64_t *arg)
{
    siginfo_t info;

    if (guest_get_siginfo(t, arg[3], &info))
        return -EFAULT;
    info.si_signo = (int)arg[2];
    return send_to(t, (int)arg[0], (int)arg[1], (int)arg[2], info);
}
