/* Dispatches system calls: from the instruction to the function, and the result back. */
#include "runtime/user/user.h"

#include <errno.h>
#include <inttypes.h>

#include "runtime/base/bits.h"

#define CALL(name, format) const struct user_call call_##name = {#name, format, sys_##name};
#include "common/linux/calls.inc"
#undef CALL

/* ---- calls ----------------------------------------------------------------------------------- */

static const struct user_row *find_row(uint64_t number)
{
    for (unsigned n = 0; n < user_abi.number_count; n++) {
        const struct user_numbers *numbers = &user_abi.numbers[n];

        if (number >= numbers->first && number - numbers->first < numbers->count &&
            numbers->row[number - numbers->first].call)
            return &numbers->row[number - numbers->first];
    }
    return NULL;
}

/* Reads the arguments on the stack, which follow those in registers; false: not readable. */
static bool read_stack(struct thread *t, uint64_t reg[USER_WORDS])
{
    const struct user_registers *r = &user_abi.registers;
    uint64_t at = user_stack_pointer(t->cpu) + r->stack_args;

    for (unsigned n = r->arg_count; n < USER_WORDS; n++, at += user_abi.word_bytes) {
        if (guest_get_word(t, at, &reg[n]))
            return false;
    }
    return true;
}

static uint64_t argument_value(const struct user_arg *a, const uint64_t reg[USER_WORDS])
{
    uint64_t constant = (uint64_t)(int64_t)a->value, value, next;

    if (a->kind == ARG_CONSTANT)
        return constant;
    value = reg[a->value];
    next = a->value + 1 < USER_WORDS ? reg[a->value + 1] : 0;
    switch (a->kind) {
    case ARG_SIGNED:
        return (uint64_t)(int32_t)value;
    case ARG_PAIR:
        return user_abi.big_endian ? value << 32 | (uint32_t)next : next << 32 | (uint32_t)value;
    case ARG_PAIR_LOW:
        return next << 32 | (uint32_t)value;
    case ARG_PAIR_HIGH:
        return value << 32 | (uint32_t)next;
    case ARG_PAGES:
        return value * 4096;
    default:
        return value;
    }
}

/* The type of a socket, with flags that are those of open(). */
static uint64_t socket_type(uint64_t guest)
{
    enum { TYPE = 15 };

    return number_to_host(USER_SOCKET, guest & TYPE) |
           flags_to_host(USER_OPEN, (uint32_t)guest & ~(uint32_t)TYPE);
}

/* The host's number for an argument, by its letter in calls.inc. */
static uint64_t to_host(char letter, uint64_t value)
{
    switch (letter) {
    case 'g':
        return (uint64_t)(int32_t)number_to_host(USER_SIGNAL, (uint32_t)value);
    case 'h':
        return number_to_host(USER_MASK, (uint32_t)value);
    case 'm':
        return flags_to_host(USER_MAP, (uint32_t)value);
    case 'c':
        return number_to_host(USER_FCNTL, (uint32_t)value);
    case 'i':
        return number_to_host(USER_IOCTL, (uint32_t)value);
    case 'l':
        return number_to_host(USER_LIMIT, (uint32_t)value);
    case 'k':
        return socket_type(value);
    case 'F':
        return flags_to_host(USER_OPEN, (uint32_t)value);
    default:
        return value;
    }
}

static void get_arguments(struct wait *w, const uint64_t reg[USER_WORDS])
{
    const char *letter = w->row->call->format;

    for (unsigned n = 0; n < USER_ARGS; n++) {
        w->arg[n] = w->row->mapped ? argument_value(&w->row->arg[n], reg) : reg[n];
        if (*letter)
            w->arg[n] = to_host(*letter++, w->arg[n]);
    }
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
    uint64_t reg[USER_WORDS], number = user_begin_call(t->cpu, reg);
    struct wait *w = &t->wait;
    const struct user_call *call;

    w->row = find_row(number);
    if (!w->row) {
        user_set_result(t->cpu, report_unknown(t, number, reg));
        return;
    }
    call = w->row->call;
    w->first = reg[0];
    if (user_abi.registers.stack_args && !read_stack(t, reg)) {
        user_set_result(t->cpu, -EFAULT);
        return;
    }
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
