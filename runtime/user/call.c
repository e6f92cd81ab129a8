/* Dispatches system calls: from the instruction to the function, and the result back. */
#include "runtime/user/user.h"

#include <errno.h>
#include <inttypes.h>

#include "runtime/base/bits.h"

#define CALL(name, format) const struct user_call call_##name = {#name, format, sys_##name};
#include "runtime/user/calls.inc"
#undef CALL

/* ---- calls ----------------------------------------------------------------------------------- */

static const struct user_row *find_row(uint64_t number)
{
    for (size_t n = 0; n < ARRAY_SIZE(user_abi.numbers); n++) {
        const struct user_numbers *numbers = &user_abi.numbers[n];

        if (number >= numbers->first && number - numbers->first < numbers->count &&
            numbers->row[number - numbers->first].call)
            return &numbers->row[number - numbers->first];
    }
    return NULL;
}

static uint64_t argument(const struct user_arg *a, const uint64_t reg[USER_ARGS])
{
    uint64_t constant = (uint64_t)(int64_t)a->value, value, next;

    if (a->kind == ARG_CONSTANT)
        return constant;
    value = reg[a->value];
    next = a->value + 1 < USER_ARGS ? reg[a->value + 1] : 0;
    switch (a->kind) {
    case ARG_SIGNED:
        return (uint64_t)(int32_t)value;
    case ARG_PAIR:
        return next << 32 | (uint32_t)value;
    case ARG_PAIR_HIGH:
        return value << 32 | (uint32_t)next;
    case ARG_PAGES:
        return value * 4096;
    default:
        return value;
    }
}

static void get_arguments(struct wait *w, const uint64_t reg[USER_ARGS])
{
    for (unsigned n = 0; n < USER_ARGS; n++)
        w->arg[n] = w->row->mapped ? argument(&w->row->arg[n], reg) : reg[n];
}

/* Writes the result of a call's function, or restarts or waits as the result says. */
static void finish_call(struct thread *t, const struct user_call *call, int64_t result)
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
    if (result == CALL_RESTART || result == CALL_REPEAT || result == CALL_AGAIN)
        t->restart = result;
    else if (result != CALL_LEAVES)
        user_set_result(t->cpu, result);
    if (t->dead)
        return;
    host_signal_collect(t->process);
    signal_deliver(t);
    signal_call_done(t);
}

static int64_t report_unknown(struct thread *t, uint64_t number, const uint64_t *arg)
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

/* Whether an argument of the call is a descriptor of the simulator. */
static bool names_own(const struct process *p, const struct user_call *call, const uint64_t *arg)
{
    for (unsigned n = 0; p->own.len && call->format[n]; n++) {
        if (call->format[n] == 'n' && fd_is_own(p, arg[n]))
            return true;
    }
    return false;
}

void call_enter(struct thread *t)
{
    uint64_t reg[USER_ARGS], number = user_begin_call(t->cpu, reg);
    struct wait *w = &t->wait;
    const struct user_call *call;

    w->row = find_row(number);
    if (!w->row) {
        user_set_result(t->cpu, report_unknown(t, number, reg));
        return;
    }
    call = w->row->call;
    w->first = reg[0];
    get_arguments(w, reg);
    if (t->process->options->strace)
        strace_call(t, call, w->arg);
    w->why = RESUME_FIRST;
    w->fds.len = 0;
    finish_call(t, call, names_own(t->process, call, w->arg) ? -EBADF : call->fn(t, w->arg));
}

void call_resume(struct thread *t, enum resume_why why)
{
    const struct user_call *call = t->wait.row->call;

    t->wait.why = why;
    finish_call(t, call, call->fn(t, t->wait.arg));
}
