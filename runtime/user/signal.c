/* Signals of the guest: pending ones, their delivery, and what they do by default. */
#include "runtime/user/user.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/user/event_fd.h"

#define NEVER_BLOCKED (signal_bit(SIGKILL) | signal_bit(SIGSTOP))
#define STOPS \
    (signal_bit(SIGSTOP) | signal_bit(SIGTSTP) | signal_bit(SIGTTIN) | signal_bit(SIGTTOU))
#define HARMLESS \
    (signal_bit(SIGCHLD) | signal_bit(SIGCONT) | signal_bit(SIGURG) | signal_bit(SIGWINCH))

/* Most pending real-time signals per thread; more are dropped, as in Linux. */
#define MAX_QUEUE 1024

/* SA_RESTORER of sigaction.sa_flags, after conversion to the host's flags. */
#define RESTORER 0x04000000u

/* ---- pending --------------------------------------------------------------------------------- */

static void add_pending(struct pending_signals *q, const siginfo_t *info)
{
    uint64_t bit = signal_bit(info->si_signo);

    if ((q->set & bit) && info->si_signo < SIGRTMIN)
        return;
    if (q->queue.len >= MAX_QUEUE)
        return;
    q->set |= bit;
    vec_push(&q->queue, *info);
}

/* Removes the lowest pending signal of the set; false: none is pending. */
static bool take_pending(struct pending_signals *q, uint64_t set, siginfo_t *info)
{
    int signal = (q->set & set) ? 1 + __builtin_ctzll(q->set & set) : 0;
    size_t n = 0;

    if (!signal)
        return false;
    while (q->queue.data[n].si_signo != signal)
        n++;
    *info = q->queue.data[n];
    q->queue.len--;
    memmove(&q->queue.data[n], &q->queue.data[n + 1], (q->queue.len - n) * sizeof(*info));
    q->set &= ~signal_bit(signal);
    for (n = 0; n < q->queue.len; n++)
        q->set |= signal_bit(q->queue.data[n].si_signo);
    return true;
}

bool signal_take(struct thread *t, uint64_t set, siginfo_t *info)
{
    bool taken =
        take_pending(&t->pending, set, info) || take_pending(&t->process->pending, set, info);

    if (taken)
        event_fd_signals(t->process);
    return taken;
}

void signal_to_thread(struct thread *t, const siginfo_t *info)
{
    if (info->si_signo == SIGKILL)
        process_end(t->process, 0, SIGKILL);
    add_pending(&t->pending, info);
    event_fd_signals(t->process);
}

void signal_to_process(struct process *p, const siginfo_t *info)
{
    if (info->si_signo == SIGKILL)
        process_end(p, 0, SIGKILL);
    add_pending(&p->pending, info);
    event_fd_signals(p);
}

/* ---- masks ----------------------------------------------------------------------------------- */

void signal_set_mask(struct thread *t, uint64_t mask)
{
    t->mask = mask & ~NEVER_BLOCKED;
}

void signal_borrow_mask(struct thread *t, uint64_t mask)
{
    t->saved_mask = t->mask;
    t->restore_mask = true;
    signal_set_mask(t, mask);
}

void signal_call_done(struct thread *t)
{
    if (t->restore_mask)
        t->mask = t->saved_mask;
    t->restore_mask = false;
}

/* ---- effects --------------------------------------------------------------------------------- */

static bool is_ignored(const struct process *p, int signal)
{
    const struct user_action *a = &p->action[signal];

    return a->handler == (uint64_t)(uintptr_t)SIG_IGN ||
           (a->handler == (uint64_t)(uintptr_t)SIG_DFL && (signal_bit(signal) & HARMLESS));
}

bool signal_waits(struct thread *t)
{
    for (uint64_t set = signal_pending(t) & ~t->mask; set; set &= set - 1) {
        if (!is_ignored(t->process, 1 + __builtin_ctzll(set)))
            return true;
    }
    return false;
}

static void by_default(struct thread *t, const siginfo_t *info)
{
    if (signal_bit(info->si_signo) & STOPS) {
        raise(SIGSTOP);
        return;
    }
    process_end(t->process, 0, info->si_signo);
    cpu_set_power(t->cpu, false);
}

/* Makes an interrupted call fail with EINTR, or be repeated after the handler. */
static void settle_restart(struct thread *t, const struct user_action *a)
{
    int64_t restart = t->restart;

    t->restart = 0;
    if (!restart)
        return;
    if (!a || restart == CALL_AGAIN || (restart == CALL_RESTART && (a->flags & SA_RESTART)))
        user_repeat_call(t->cpu, t->wait.first);
    else
        user_set_result(t->cpu, -EINTR);
}

/* The top of the handler's stack. */
static uint64_t stack_for(const struct thread *t, const struct user_action *a)
{
    uint64_t base = (uint64_t)(uintptr_t)t->alt.ss_sp;
    uint64_t sp = user_stack_pointer(t->cpu);

    if (!(a->flags & SA_ONSTACK) || (t->alt.ss_flags & SS_DISABLE) ||
        (sp > base && sp - base <= t->alt.ss_size))
        return sp;
    return base + t->alt.ss_size;
}

/* Pushes the handler's frame to the action's stack; false: the stack is not writable there. */
static bool push_frame(struct thread *t, const struct user_action *a,
                       const struct user_frame *frame)
{
    const struct user_frames *frames = &user_abi.frames[frame->with_info];
    uint64_t bytes = frames->bytes, top = stack_for(t, a);
    uint64_t at = align_down(top - bytes, frames->align);
    void *to = top < bytes ? NULL : guest_write(t, at, bytes);

    if (!to)
        return false;
    memset(to, 0, bytes);
    frame_push(t, frame, to, at);
    user_set_stack_pointer(t->cpu, at);
    user_branch(t->cpu, frame->handler);
    cpu_clear_monitor(t->cpu);
    return true;
}

static void enter_handler(struct thread *t, const siginfo_t *info, uint64_t fault_address)
{
    struct user_action *a = &t->process->action[info->si_signo];
    struct user_frame frame = {
        .signal = info->si_signo,
        .info = info,
        .handler = a->handler,
        .restorer = a->flags & RESTORER ? a->restorer : 0,
        .alt = t->alt,
        .mask = t->restore_mask ? t->saved_mask : t->mask,
        .fault_address = fault_address,
        .with_info = a->flags & SA_SIGINFO,
    };

    t->restore_mask = false;
    if (!push_frame(t, a, &frame)) {
        process_end(t->process, 0, SIGSEGV); /* the frame does not fit */
        cpu_set_power(t->cpu, false);
        return;
    }
    signal_set_mask(t,
                    t->mask | a->mask | (a->flags & SA_NODEFER ? 0 : signal_bit(info->si_signo)));
    if (a->flags & SA_RESETHAND)
        a->handler = (uint64_t)(uintptr_t)SIG_DFL;
}

void signal_deliver(struct thread *t)
{
    siginfo_t info;

    while (!t->dead && !t->process->ended && signal_take(t, ~t->mask, &info)) {
        const struct user_action *a = &t->process->action[info.si_signo];

        if (is_ignored(t->process, info.si_signo))
            continue;
        if (t->process->options->strace)
            strace_signal(t, &info);
        if (a->handler == (uint64_t)(uintptr_t)SIG_DFL) {
            by_default(t, &info);
        } else {
            settle_restart(t, a);
            enter_handler(t, &info, 0);
        }
    }
    settle_restart(t, NULL);
}

void signal_fault(struct thread *t, const siginfo_t *info)
{
    const struct user_action *a = &t->process->action[info->si_signo];
    bool handled = a->handler != (uint64_t)(uintptr_t)SIG_DFL &&
                   a->handler != (uint64_t)(uintptr_t)SIG_IGN &&
                   !(t->mask & signal_bit(info->si_signo));

    if (t->process->options->strace)
        strace_signal(t, info);
    if (handled)
        enter_handler(t, info, (uint64_t)(uintptr_t)info->si_addr);
    else
        by_default(t, info);
}
