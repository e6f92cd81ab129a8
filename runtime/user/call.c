/* System calls: from the instruction to the function and back. */
#include "runtime/user/user.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "runtime/base/bits.h"

#define CALL(name, format) const struct user_call call_##name = {#name, format, sys_##name};
#include "runtime/user/calls.inc"
#undef CALL

int64_t host_result(int64_t result)
{
    if (result >= 0)
        return result;
    return errno == EINTR ? CALL_RESTART : -errno;
}

int64_t guest_put(struct thread *t, uint64_t va, const void *data, uint64_t len)
{
    void *to = guest_write(t, va, len);

    if (!to)
        return -EFAULT;
    memcpy(to, data, len);
    return 0;
}

int64_t guest_get(struct thread *t, uint64_t va, void *data, uint64_t len)
{
    const void *from = guest_read(t, va, len);

    if (!from)
        return -EFAULT;
    memcpy(data, from, len);
    return 0;
}

/* The call's function has returned. */
static void finish(struct thread *t, const struct user_call *call, int64_t result)
{
    if (result == CALL_WAITS) {
        t->waits = true;
        cpu_set_power(t->cpu, false);
        return;
    }
    if (t->waits) {
        clock_cancel(&t->process->clock, &t->wait.timer);
        t->wait.kind = WAIT_NOT;
        t->waits = false;
        cpu_set_power(t->cpu, true);
    }
    if (t->process->options->strace)
        strace_result(t, call, result);
    t->wait.kind = WAIT_NOT;
    if (result == CALL_RESTART || result == CALL_REPEAT)
        t->restart = result;
    else if (result != CALL_LEAVES)
        user_abi.set_result(t->cpu, result);
    if (t->dead)
        return;
    host_signal_collect(t->process);
    signal_deliver(t);
    signal_call_done(t);
}

static int64_t unknown(struct thread *t, uint64_t number, const uint64_t *arg)
{
    uint64_t *known = t->process->unknown_calls;

    if (number >= 64 * ARRAY_SIZE(t->process->unknown_calls) ||
        !(known[number / 64] >> number % 64 & 1))
        log_printf(t->process->log, LOG_UNIMP, "system call %" PRIu64 " is not implemented\n",
                   number);
    if (number < 64 * ARRAY_SIZE(t->process->unknown_calls))
        known[number / 64] |= UINT64_C(1) << number % 64;
    if (t->process->options->strace)
        strace_unknown(t, number, arg);
    return -ENOSYS;
}

void call_enter(struct thread *t)
{
    struct wait *w = &t->wait;
    const struct user_call *call;

    user_abi.get_call(t->cpu, &w->number, w->arg);
    user_abi.skip_call(t->cpu);
    call = user_abi.call(w->number);
    if (!call) {
        user_abi.set_result(t->cpu, unknown(t, w->number, w->arg));
        return;
    }
    if (t->process->options->strace)
        strace_call(t, call, w->arg);
    w->why = RESUME_FIRST;
    w->fds.len = 0;
    finish(t, call, call->fn(t, w->arg));
}

void call_resume(struct thread *t, enum resume_why why)
{
    const struct user_call *call = user_abi.call(t->wait.number);

    t->wait.why = why;
    finish(t, call, call->fn(t, t->wait.arg));
}
