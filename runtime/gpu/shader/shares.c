/*
 * Which worker runs which groups of a window. Each worker begins with an equal share of the
 * places, side by side, since adjacent groups share pages, and what the host's processor
 * prefetches. It takes places from the beginning of its share. A worker whose share is used up gets
 * the rear half of the largest other share, so that all workers end at once. A group that goes on
 * in each window is most often taken by the same worker, in whose cache its registers are.
 *
 * A share is one word, which changes by atomic operations:
 *
 *     bits 0 to 23   first place
 *     bits 24 to 47  end
 *     bits 48 to 63  gpu_cores.share_number of its window
 *
 * A word of an earlier window stands for the equal share, so that nobody has to prepare the
 * shares: others may take from that of a worker that has not entered the window yet. Each window
 * with shares ends with all words renewed and used up, so that a word is one such window old at
 * most.
 */
#include "runtime/gpu/shader/window.h"

/* A worker takes 1 / TAKES_PER_SHARE of what is left of its share. */
enum { TAKES_PER_SHARE = 8, END_SHIFT = 24, NUMBER_SHIFT = 48 };

_Static_assert(GPU_WINDOW_PARTS *GPU_WINDOW_GROUPS < 1 << END_SHIFT, "a place has its bits");

static uint64_t packed(const struct gpu_cores *c, uint64_t first, uint64_t end)
{
    return first | end << END_SHIFT | (uint64_t)c->share_number << NUMBER_SHIFT;
}

static unsigned first_of(uint64_t share)
{
    return share & ((1 << END_SHIFT) - 1);
}

static unsigned end_of(uint64_t share)
{
    return first_of(share >> END_SHIFT);
}

static unsigned left_of(uint64_t share)
{
    return end_of(share) - first_of(share);
}

/* The share of worker `number`, whose word is `word`. Only the first one runs an inspected job, and
 * it takes the groups in their order, as they may wait for each other. */
static uint64_t share_of(const struct gpu_cores *c, unsigned number, uint64_t word)
{
    uint64_t count = c->job->window.count, workers = c->inspector ? 1 : c->worker_count;

    if (word >> NUMBER_SHIFT == c->share_number)
        return word;
    if (number >= workers)
        return packed(c, 0, 0);
    return packed(c, count * number / workers, count * (number + 1) / workers);
}

/* Changes a worker's word from *word. false: another worker has changed it; *word has it. */
static bool change(struct gpu_worker *of, uint64_t *word, uint64_t to)
{
    return __atomic_compare_exchange_n(&of->share, word, to, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

/* Takes the first places of the worker's share. false: it is used up. */
static bool take_own(struct gpu_worker *k)
{
    const struct gpu_cores *c = k->cores;
    uint64_t word = __atomic_load_n(&k->share, __ATOMIC_RELAXED), share;
    unsigned take;

    do {
        share = share_of(c, k->number, word);
        if (!left_of(share))
            return false;
        /* Groups that go on are long. */
        take = c->job->window.unfinished ? 1 : (left_of(share) - 1) / TAKES_PER_SHARE + 1;
    } while (!change(k, &word, packed(c, first_of(share) + take, end_of(share))));
    k->place = first_of(share);
    k->places_end = k->place + take;
    return true;
}

/* The worker whose share has the most left; *word is its word. NULL: all are used up. */
static struct gpu_worker *richest(const struct gpu_cores *c, uint64_t *word)
{
    struct gpu_worker *found = NULL;
    unsigned most = 0;

    for (unsigned i = 0; i < c->worker_count; i++) {
        uint64_t of = __atomic_load_n(&c->workers[i]->share, __ATOMIC_RELAXED);
        unsigned left = left_of(share_of(c, i, of));

        if (left > most) {
            found = c->workers[i];
            most = left;
            *word = of;
        }
    }
    return found;
}

/* Moves the rear half of another worker's share to the worker's own, which is used up, so that no
 * other worker changes it. false: all are used up. */
static bool take_from_others(struct gpu_worker *k)
{
    const struct gpu_cores *c = k->cores;
    struct gpu_worker *of;
    uint64_t word, share;
    unsigned half;

    do {
        of = richest(c, &word);
        if (!of)
            return false;
        share = share_of(c, of->number, word);
        half = end_of(share) - (left_of(share) + 1) / 2;
    } while (!change(of, &word, packed(c, first_of(share), half)));
    __atomic_store_n(&k->share, packed(c, half, end_of(share)), __ATOMIC_RELAXED);
    return true;
}

bool gpu_share_take(struct gpu_worker *k)
{
    while (!take_own(k))
        if (!take_from_others(k))
            return false;
    return true;
}
