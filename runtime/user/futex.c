/* Futexes without an owner: which threads wait at a word of memory, and waking them. */
#include "runtime/user/futex.h"

#include <linux/futex.h>

bool futex_is_awaited(const struct thread *t, uint64_t va)
{
    const struct wait *w = &t->wait;

    return w->kind == WAIT_FUTEX && w->futex == va && !w->owned && !w->requeue && !t->dead;
}

int futex_wake(struct process *p, uint64_t va, int count, uint32_t bits)
{
    int woken = 0;

    for (size_t n = 0; n < p->threads.len && woken < count; n++) {
        struct thread *t = p->threads.data[n];

        if (!futex_is_awaited(t, va) || !(t->wait.bits & bits))
            continue;
        thread_wake(t, 0);
        woken++;
    }
    return woken;
}

enum deadline futex_clock(int op)
{
    if ((op & FUTEX_CMD_MASK) == FUTEX_WAIT)
        return DEADLINE_RELATIVE;
    return op & FUTEX_CLOCK_REALTIME ? DEADLINE_REALTIME : DEADLINE_MONOTONIC;
}
