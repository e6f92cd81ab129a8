/* System calls: futex, and lists of robust futexes. */
#include "runtime/user/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>

static int requeue_waiters(struct process *p, uint64_t from, uint64_t to, int count)
{
    int moved = 0;

    for (size_t n = 0; n < p->threads.len && moved < count; n++) {
        if (!futex_is_awaited(p->threads.data[n], from))
            continue;
        p->threads.data[n]->wait.futex = to;
        moved++;
    }
    return moved;
}

static uint32_t load_word(const uint32_t *word)
{
    uint32_t value = *word;

    guest_order(&value, sizeof(value));
    return value;
}

static int64_t wait_on(struct thread *t, const uint64_t *arg, uint32_t bits)
{
    const uint32_t *word = guest_read(t, arg[0], sizeof(*word));
    uint64_t deadline;
    int64_t failed;

    if (t->wait.why == RESUME_TIMEOUT)
        return -ETIMEDOUT;
    if (!word)
        return -EFAULT;
    /* In shared memory, another process changes the word before it wakes the waiters. */
    if (t->wait.why == RESUME_READY &&
        (load_word(word) != (uint32_t)arg[2] || t->wait.futex != arg[0]))
        return 0;
    failed = guest_get_deadline(t, arg[3], futex_clock((int)arg[1]), &deadline);
    if (failed)
        return failed;
    if (t->wait.why == RESUME_FIRST && load_word(word) != (uint32_t)arg[2])
        return -EAGAIN;
    t->wait.futex = arg[0];
    t->wait.bits = bits;
    t->wait.owned = false;
    t->wait.requeue = 0;
    return thread_wait(t, WAIT_FUTEX, deadline);
}

/* Executes the operation of FUTEX_WAKE_OP's last argument; false: an unknown operation. */
static bool change_word(uint32_t *word, uint32_t code)
{
    uint32_t operand = code >> 12 & 0xfff;

    if (code >> 31)
        operand = UINT32_C(1) << (operand & 31);
    switch (code >> 28 & 7) {
    case FUTEX_OP_SET:
        *word = operand;
        return true;
    case FUTEX_OP_ADD:
        *word += operand;
        return true;
    case FUTEX_OP_OR:
        *word |= operand;
        return true;
    case FUTEX_OP_ANDN:
        *word &= ~operand;
        return true;
    case FUTEX_OP_XOR:
        *word ^= operand;
        return true;
    default:
        return false;
    }
}

static bool comparison_holds(int32_t old, uint32_t code)
{
    int32_t with = (int32_t)(code << 20) >> 20;

    switch (code >> 24 & 15) {
    case FUTEX_OP_CMP_EQ:
        return old == with;
    case FUTEX_OP_CMP_NE:
        return old != with;
    case FUTEX_OP_CMP_LT:
        return old < with;
    case FUTEX_OP_CMP_LE:
        return old <= with;
    case FUTEX_OP_CMP_GT:
        return old > with;
    default:
        return old >= with;
    }
}

/* FUTEX_WAKE_OP: changes a second word, and wakes its waiters if its old value compares. */
static int64_t wake_op(struct thread *t, const uint64_t *arg)
{
    uint32_t code = (uint32_t)arg[5], *word, old, new;
    int woken;

    if (arg[4] & 3)
        return -EINVAL;
    word = guest_write(t, arg[4], sizeof(*word));
    if (!word)
        return -EFAULT;
    new = old = load_word(word);
    if (!change_word(&new, code))
        return -ENOSYS;
    guest_order(&new, sizeof(new));
    *word = new;
    woken = futex_wake(t->process, arg[0], (int)arg[2], ~0u);
    if (comparison_holds((int32_t)old, code))
        woken += futex_wake(t->process, arg[4], (int)arg[3], ~0u);
    return woken;
}

int64_t sys_futex(struct thread *t, const uint64_t *arg)
{
    struct process *p = t->process;
    const uint32_t *word;
    int woken;

    if (arg[0] & 3)
        return -EINVAL;
    switch ((int)arg[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
        return wait_on(t, arg, ~0u);
    case FUTEX_WAIT_BITSET:
        return (uint32_t)arg[5] ? wait_on(t, arg, (uint32_t)arg[5]) : -EINVAL;
    case FUTEX_WAKE:
        return futex_wake(p, arg[0], (int)arg[2], ~0u);
    case FUTEX_WAKE_BITSET:
        return (uint32_t)arg[5] ? futex_wake(p, arg[0], (int)arg[2], (uint32_t)arg[5]) : -EINVAL;
    case FUTEX_CMP_REQUEUE:
        word = guest_read(t, arg[0], sizeof(*word));
        if (!word)
            return -EFAULT;
        if (load_word(word) != (uint32_t)arg[5])
            return -EAGAIN;
        /* fall through */
    case FUTEX_REQUEUE:
        woken = futex_wake(p, arg[0], (int)arg[2], ~0u);
        return woken + requeue_waiters(p, arg[0], arg[4], (int)arg[3]);
    case FUTEX_WAKE_OP:
        return wake_op(t, arg);
    default:
        return futex_pi(t, arg);
    }
}

/* Stores the list for futex_release_all(). */
int64_t sys_set_robust_list(struct thread *t, const uint64_t *arg)
{
    if (arg[1] != 3 * user_abi.word_bytes)
        return -EINVAL;
    t->robust = arg[0];
    t->robust_len = arg[1];
    return 0;
}

int64_t sys_get_robust_list(struct thread *t, const uint64_t *arg)
{
    struct thread *other = arg[0] ? thread_find(t->process, (int)arg[0]) : t;

    if (!other)
        return -ESRCH;
    if (guest_put_word(t, arg[1], other->robust) || guest_put_word(t, arg[2], other->robust_len))
        return -EFAULT;
    return 0;
}
