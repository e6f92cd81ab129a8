/* What passes between the functions of system calls and the guest: results, memory, structures. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "runtime/user/user.h"

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

struct layout_widths guest_widths(const struct thread *t)
{
    const struct user_row *row = t->wait.row;
    unsigned word = user_abi.word_bytes;

    return (struct layout_widths){word, row && row->long_time ? 8 : word, user_abi.big_endian};
}

int64_t guest_put_struct(struct thread *t, uint64_t va, const struct layout *l, const void *host)
{
    struct layout_widths w = guest_widths(t);
    void *to = guest_write(t, va, layout_bytes(l, w));

    if (!to)
        return -EFAULT;
    layout_to_guest(l, w, to, host);
    return 0;
}

int64_t guest_get_struct(struct thread *t, uint64_t va, const struct layout *l, void *host)
{
    struct layout_widths w = guest_widths(t);
    const void *from = guest_read(t, va, layout_bytes(l, w));

    if (!from)
        return -EFAULT;
    layout_to_host(l, w, from, host);
    return 0;
}

int64_t guest_put_siginfo(struct thread *t, uint64_t va, const siginfo_t *info)
{
    void *to = guest_write(t, va, SIGINFO_BYTES);

    if (!to)
        return -EFAULT;
    layout_put_siginfo(guest_widths(t), to, info);
    return 0;
}

int64_t guest_get_siginfo(struct thread *t, uint64_t va, siginfo_t *info)
{
    const void *from = guest_read(t, va, SIGINFO_BYTES);

    if (!from)
        return -EFAULT;
    *info = layout_get_siginfo(guest_widths(t), from);
    return 0;
}

int64_t guest_put_signals(struct thread *t, uint64_t va, uint64_t set)
{
    void *to = guest_write(t, va, user_abi.set_bytes);

    if (!to)
        return -EFAULT;
    guest_put_set(to, set, user_abi.set_bytes);
    return 0;
}

int64_t guest_get_signals(struct thread *t, uint64_t va, uint64_t *set)
{
    const void *from = guest_read(t, va, user_abi.set_bytes);

    if (!from)
        return -EFAULT;
    *set = guest_get_set(from, user_abi.set_bytes);
    return 0;
}

int64_t guest_put_number(struct thread *t, uint64_t va, uint64_t value, unsigned bytes)
{
    guest_order(&value, bytes);
    return guest_put(t, va, &value, bytes);
}

int64_t guest_get_number(struct thread *t, uint64_t va, uint64_t *value, unsigned bytes)
{
    int64_t failed;

    *value = 0;
    failed = guest_get(t, va, value, bytes);
    guest_order(value, bytes);
    return failed;
}

int64_t guest_put_word(struct thread *t, uint64_t va, uint64_t value)
{
    return guest_put_number(t, va, value, user_abi.word_bytes);
}

int64_t guest_get_word(struct thread *t, uint64_t va, uint64_t *value)
{
    return guest_get_number(t, va, value, user_abi.word_bytes);
}

int64_t guest_get_deadline(struct thread *t, uint64_t va, enum deadline kind, uint64_t *deadline)
{
    uint64_t now = process_now(t->process), start = t->process->start_ns, ns;
    struct timespec ts;

    *deadline = CLOCK_NEVER;
    if (!va)
        return 0;
    if (guest_get_struct(t, va, &layout_timespec, &ts))
        return -EFAULT;
    if (ts.tv_sec < 0 || (uint64_t)ts.tv_nsec >= NS_PER_SEC)
        return -EINVAL;
    if ((uint64_t)ts.tv_sec >= CLOCK_NEVER / NS_PER_SEC - 1)
        return 0;
    ns = (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
    switch (kind) {
    case DEADLINE_RELATIVE:
        *deadline = ns < CLOCK_NEVER - now ? now + ns : CLOCK_NEVER;
        break;
    case DEADLINE_MONOTONIC:
        *deadline = ns;
        break;
    case DEADLINE_REALTIME:
        *deadline = ns > start ? ns - start : 0;
        break;
    }
    return 0;
}
