/*
 * Futexes with an owner: locks with priority inheritance, and releasing a thread's locks when it
 * ends. All threads have the same priority, so nothing is inherited: an unlocked futex goes to its
 * next waiter.
 *
 * A word in memory that processes share is polled every millisecond (thread.c).
 */
#include "runtime/user/futex.h"

#include <errno.h>
#include <linux/futex.h>

/* Most entries of a robust list that are read: ROBUST_LIST_LIMIT of Linux. */
enum { MAX_ROBUST = 2048 };

/* ---- the word -------------------------------------------------------------------------------- */

static uint32_t load_word(const uint32_t *word)
{
    uint32_t value = __atomic_load_n(word, __ATOMIC_SEQ_CST);

    guest_order(&value, sizeof(value));
    return value;
}

/* Compare and exchange, since other processes may change the word; on failure *old is its value. */
static bool exchange_word(uint32_t *word, uint32_t *old, uint32_t new)
{
    uint32_t expected = *old;
    bool done;

    guest_order(&expected, sizeof(expected));
    guest_order(&new, sizeof(new));
    done = __atomic_compare_exchange_n(word, &expected, new, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
    guest_order(&expected, sizeof(expected));
    *old = expected;
    return done;
}

static bool waits_for(const struct thread *t, uint64_t va)
{
    return !t->dead && t->wait.kind == WAIT_FUTEX && t->wait.owned && t->wait.futex == va;
}

/* The first thread that waits for the lock, other than `but`; NULL: none. */
static struct thread *next_waiter(const struct process *p, uint64_t va, const struct thread *but)
{
    for (size_t n = 0; n < p->threads.len; n++) {
        if (p->threads.data[n] != but && waits_for(p->threads.data[n], va))
            return p->threads.data[n];
    }
    return NULL;
}

/* Locks for the thread: 0, -EBUSY if another thread has the lock, or another negative errno. */
static int64_t take_lock(const struct thread *t, uint64_t va, uint32_t *word)
{
    uint32_t old = load_word(word), tid = (uint32_t)t->tid;

    do {
        if ((old & FUTEX_TID_MASK) == tid)
            return -EDEADLK;
        if (old & FUTEX_TID_MASK)
            return -EBUSY;
    } while (!exchange_word(word, &old,
                            (old & FUTEX_OWNER_DIED) | tid |
                                (next_waiter(t->process, va, t) ? FUTEX_WAITERS : 0)));
    return 0;
}

/* Sets FUTEX_WAITERS, so that the owner unlocks by a system call. False: already unlocked. */
static bool announce_waiter(uint32_t *word)
{
    uint32_t old = load_word(word);

    do {
        if (!(old & FUTEX_TID_MASK))
            return false;
    } while (!exchange_word(word, &old, old | FUTEX_WAITERS));
    return true;
}

/* Passes the lock from the owner to the next waiter; `died` is 0 or FUTEX_OWNER_DIED. */
static bool hand_over(struct process *p, uint64_t va, uint32_t *word, uint32_t owner, uint32_t died)
{
    struct thread *next = next_waiter(p, va, NULL);
    uint32_t old = load_word(word), new = died;

    if (next)
        new |= (uint32_t)next->tid | (next_waiter(p, va, next) ? FUTEX_WAITERS : 0);
    do {
        bool abandoned = died && next && !(old & FUTEX_TID_MASK); /* unlocked without waking */

        if ((old & FUTEX_TID_MASK) != owner && !abandoned)
            return false;
    } while (!exchange_word(word, &old, new));
    if (next)
        thread_wake(next, 0);
    return true;
}

/* ---- locking --------------------------------------------------------------------------------- */

static bool may_have_owner(const struct thread *t, uint64_t va, uint32_t word)
{
    const struct area *a = space_find(&t->process->space, va);

    return thread_find(t->process, (int)(word & FUTEX_TID_MASK)) || (a && a->shared);
}

static int64_t lock_pi(struct thread *t, const uint64_t *arg, int op)
{
    uint32_t *word = guest_write(t, arg[0], sizeof(*word));
    uint64_t deadline;
    int64_t result;

    if (!word)
        return -EFAULT;
    result = guest_get_deadline(t, arg[3], futex_clock(op), &deadline);
    if (result)
        return result;
    do {
        result = take_lock(t, arg[0], word);
        if (result != -EBUSY)
            return result;
        if (!may_have_owner(t, arg[0], load_word(word)))
            return -ESRCH;
    } while (!announce_waiter(word));
    if (t->wait.why == RESUME_TIMEOUT)
        return -ETIMEDOUT;
    if (t->wait.why == RESUME_SIGNAL)
        return CALL_AGAIN;
    t->wait.futex = arg[0];
    t->wait.owned = true;
    return thread_wait(t, WAIT_FUTEX, deadline);
}

static int64_t try_lock(struct thread *t, const uint64_t *arg)
{
    uint32_t *word = guest_write(t, arg[0], sizeof(*word));
    int64_t result = word ? take_lock(t, arg[0], word) : -EFAULT;

    return result == -EBUSY ? -EAGAIN : result;
}

static int64_t unlock_pi(struct thread *t, const uint64_t *arg)
{
    uint32_t *word = guest_write(t, arg[0], sizeof(*word));

    if (!word)
        return -EFAULT;
    return hand_over(t->process, arg[0], word, (uint32_t)t->tid, 0) ? 0 : -EPERM;
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* Waits at one word, until the thread is requeued to a lock and owns the lock. */
static int64_t wait_requeue(struct thread *t, const uint64_t *arg)
{
    const uint32_t *word = guest_read(t, arg[0], sizeof(*word));
    uint64_t deadline;
    int64_t failed;

    if (t->wait.why == RESUME_TIMEOUT)
        return -ETIMEDOUT;
    if (t->wait.why == RESUME_SIGNAL)
        return t->wait.owned ? -EAGAIN : CALL_AGAIN;
    if (t->wait.why == RESUME_READY) /* shared memory: the state of both words is unknown */
        return -EAGAIN;
    if (!word || !guest_write(t, arg[4], sizeof(*word)))
        return -EFAULT;
    if (arg[0] == arg[4] || arg[4] & 3)
        return -EINVAL;
    failed = guest_get_deadline(t, arg[3], futex_clock((int)arg[1]), &deadline);
    if (failed)
        return failed;
    if (load_word(word) != (uint32_t)arg[2])
        return -EAGAIN;
    t->wait.futex = arg[0];
    t->wait.requeue = arg[4];
    return thread_wait(t, WAIT_FUTEX, deadline);
}

/* Gives the waiting thread the lock at va, or makes the thread wait for the lock. */
static int64_t requeue_one(struct thread *t, uint64_t va, uint32_t *word)
{
    int64_t result = take_lock(t, va, word);

    if (result == -EBUSY && !announce_waiter(word))
        return requeue_one(t, va, word);
    t->wait.requeue = 0;
    if (result == -EBUSY) {
        t->wait.futex = va;
        t->wait.owned = true;
    } else {
        thread_wake(t, result);
    }
    return result == -EBUSY ? 0 : result;
}

static int64_t requeue_pi(struct thread *t, const uint64_t *arg)
{
    const uint32_t *from = guest_read(t, arg[0], sizeof(*from));
    uint32_t *to = guest_write(t, arg[4], sizeof(*to));
    const struct process *p = t->process;
    int64_t moved = 0;

    if (!from || !to)
        return -EFAULT;
    if ((int)arg[2] != 1 || arg[0] == arg[4] || (int)arg[3] < 0)
        return -EINVAL;
    if (load_word(from) != (uint32_t)arg[5])
        return -EAGAIN;
    for (size_t n = 0; n < p->threads.len && moved <= (int)arg[3]; n++) {
        const struct wait *w = &p->threads.data[n]->wait;

        if (w->kind != WAIT_FUTEX || w->futex != arg[0] || p->threads.data[n]->dead)
            continue;
        if (w->requeue != arg[4])
            return -EINVAL;
        if (requeue_one(p->threads.data[n], arg[4], to) == 0)
            moved++;
    }
    return moved;
}

int64_t futex_pi(struct thread *t, const uint64_t *arg)
{
    int op = (int)arg[1];

    if (t->wait.why == RESUME_FIRST) {
        t->wait.owned = false;
        t->wait.requeue = 0;
    }
    switch (op & FUTEX_CMD_MASK) {
    case FUTEX_LOCK_PI:
        return lock_pi(t, arg, op | FUTEX_CLOCK_REALTIME);
    case FUTEX_LOCK_PI2:
        return lock_pi(t, arg, op);
    case FUTEX_TRYLOCK_PI:
        return try_lock(t, arg);
    case FUTEX_UNLOCK_PI:
        return unlock_pi(t, arg);
    case FUTEX_WAIT_REQUEUE_PI:
        return wait_requeue(t, arg);
    case FUTEX_CMP_REQUEUE_PI:
        return requeue_pi(t, arg);
    default:
        return -ENOSYS;
    }
}

/* ---- owners that end ------------------------------------------------------------------------- */

/* Releases the lock at va if the thread owns it. */
static void release_lock(struct thread *t, uint64_t va, bool inherits)
{
    uint32_t *word = va & 3 ? NULL : guest_write(t, va, sizeof(*word)), old;

    if (!word)
        return;
    if (inherits) {
        hand_over(t->process, va, word, (uint32_t)t->tid, FUTEX_OWNER_DIED);
        return;
    }
    old = load_word(word);
    do {
        if ((old & FUTEX_TID_MASK) != (uint32_t)t->tid)
            return;
    } while (!exchange_word(word, &old, (old & FUTEX_WAITERS) | FUTEX_OWNER_DIED));
    if (old & FUTEX_WAITERS)
        futex_wake(t->process, va, 1, ~0u);
}

/* Releases the lock of a list entry, whose bit 0 marks a lock with priority inheritance. */
static void release_entry(struct thread *t, uint64_t entry, uint64_t offset)
{
    uint64_t va = (entry & ~UINT64_C(1)) + offset;

    release_lock(t, user_abi.word_bytes == 4 ? (uint32_t)va : va, entry & 1);
}

/* Releases the locks of a robust list. Its head has the first entry, the offset from an entry to
 * its futex, and an entry that is being locked or unlocked. Each entry begins with the next. */
static void release_list(struct thread *t)
{
    uint64_t word = user_abi.word_bytes, entry, offset, pending;

    if (!t->robust || guest_get_word(t, t->robust, &entry) ||
        guest_get_word(t, t->robust + word, &offset) ||
        guest_get_word(t, t->robust + 2 * word, &pending))
        return;
    for (unsigned n = 0; n < MAX_ROBUST && (entry & ~UINT64_C(1)) != t->robust; n++) {
        uint64_t next;
        bool more = !guest_get_word(t, entry & ~UINT64_C(1), &next);

        if (entry != pending)
            release_entry(t, entry, offset);
        if (!more)
            break;
        entry = next;
    }
    if (pending)
        release_entry(t, pending, offset);
}

void futex_release_all(struct thread *t)
{
    struct process *p = t->process;

    release_list(t);
    t->robust = 0;
    for (size_t n = 0; n < p->threads.len; n++) { /* locks that are not in the list */
        struct thread *other = p->threads.data[n];

        if (other != t && waits_for(other, other->wait.futex))
            release_lock(t, other->wait.futex, true);
    }
}
