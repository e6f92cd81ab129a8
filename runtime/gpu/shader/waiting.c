/*
 * How workers in a window wait: for a page, for the turn of their group, and for permission to
 * begin one (cores.c says why).
 */
#include "runtime/gpu/shader/core.h"

/* Spins until the groups from place `turn` to the worker's have run. */
static void await_groups(const struct gpu_worker *k, unsigned turn)
{
    const struct gpu_window *w = &k->cores->job->window;
    struct gpu_moment moment = gpu_moment_begin(k->cores);

    while (turn < k->place)
        if (__atomic_load_n(&w->done[turn], __ATOMIC_RELAXED) == w->mark)
            turn++;
        else if (!gpu_moment_lasts(&moment))
            break;
}

/* ---- pages ----------------------------------------------------------------------------------- */

bool gpu_worker_park(struct gpu_worker *k, const struct gpu_fault *fault)
{
    struct gpu_cores *c = k->cores;
    uint64_t retry;
    bool again;

    pthread_mutex_lock(&c->lock);
    if (!c->cancelled) {
        k->parked = true;
        k->fault = *fault;
        retry = c->retry_number;
        gpu_crew_sleep(c);
        while (c->retry_number == retry)
            pthread_cond_wait(&c->go, &c->lock);
        k->parked = false;
    }
    again = !c->cancelled;
    pthread_mutex_unlock(&c->lock);
    return again;
}

/* ---- turns and permissions of groups --------------------------------------------------------- */

/* Passes the turn on to the first group that has not run, and counts the unfinished groups before
 * it. gpu_worker_surely_begins() reads both numbers without the lock, and must not see the new
 * first_unrun with the old held_groups. Each is written once at most, since all workers read their
 * cache line. */
static void pass_turn(struct gpu_cores *c)
{
    struct gpu_window *w = &c->job->window;
    unsigned turn = c->first_unrun, held = w->held_groups;

    for (; turn < w->count && __atomic_load_n(&w->done[turn], __ATOMIC_SEQ_CST) == w->mark; turn++)
        if ((turn < w->unfinished || __atomic_load_n(&w->any_left, __ATOMIC_RELAXED)) &&
            w->group[turn])
            held++;
    if (held != w->held_groups)
        __atomic_store_n(&w->held_groups, held, __ATOMIC_RELAXED);
    if (turn != c->first_unrun)
        __atomic_store_n(&c->first_unrun, turn, __ATOMIC_RELEASE);
}

/* The place of the first group that has not run; beyond the last place: all have. Under the
 * lock. */
static unsigned whose_turn(struct gpu_cores *c)
{
    struct gpu_window *w = &c->job->window;

    pass_turn(c);
    /* A group begins only if permission_to_begin() has counted fewer than unfinished_limit groups
     * before it. If held_groups has reached the limit, the group at first_unrun has not begun. */
    if (w->gated && w->held_groups >= w->unfinished_limit && c->first_unrun >= w->unfinished &&
        c->first_unrun < w->end)
        w->end = c->first_unrun;
    return c->first_unrun;
}

enum permission { BEGIN_LATER, BEGIN_NOW, BEGIN_NEVER };

/* Whether the group at `place` of a gated window may begin: there is room even if all groups from
 * the turn to it stay unfinished. Under the lock. */
static enum permission permission_to_begin(struct gpu_cores *c, unsigned place)
{
    const struct gpu_window *w = &c->job->window;
    unsigned before = place - whose_turn(c);

    if (place >= w->end)
        return BEGIN_NEVER;
    return w->held_groups + before < w->unfinished_limit ? BEGIN_NOW : BEGIN_LATER;
}

static bool may_continue(struct gpu_cores *c, const struct gpu_worker *k)
{
    return k->beginning ? permission_to_begin(c, k->place) != BEGIN_LATER
                        : k->place == whose_turn(c);
}

/* Wakes workers whose group's turn has come or whose group's beginning is decided. Under the
 * lock. */
static void wake_waiting(struct gpu_cores *c)
{
    for (unsigned i = 0; i < c->worker_count; i++) {
        struct gpu_worker *k = c->workers[i];

        if (!k->waiting || !may_continue(c, k))
            continue;
        k->waiting = false;
        gpu_crew_wake(c, 1);
        pthread_cond_broadcast(&c->go);
    }
}

/* Sleeps until the worker may continue. Under the lock. */
static void await_permission(struct gpu_cores *c, struct gpu_worker *k)
{
    __atomic_add_fetch(&c->waiting, 1, __ATOMIC_SEQ_CST);
    if (!may_continue(c, k)) {
        k->waiting = true;
        gpu_crew_sleep(c);
        while (k->waiting)
            pthread_cond_wait(&c->go, &c->lock);
    }
    __atomic_sub_fetch(&c->waiting, 1, __ATOMIC_SEQ_CST);
}

void gpu_worker_await_turn(struct gpu_worker *k)
{
    struct gpu_cores *c = k->cores;
    unsigned turn;

    pthread_mutex_lock(&c->lock);
    turn = whose_turn(c);
    if (turn != k->place) {
        __atomic_store_n(&c->job->shader->has_waited_turn, true, __ATOMIC_RELAXED);
        pthread_mutex_unlock(&c->lock);
        await_groups(k, turn);
        pthread_mutex_lock(&c->lock);
    }
    await_permission(c, k);
    pthread_mutex_unlock(&c->lock);
}

/* Whether permission_to_begin() is certain by numbers that may be old, without the lock. As the
 * turn is passed on, held_groups grows by at most one and the number of groups before this one
 * falls by one, so that their sum never grows. The worker keeps what follows for other places. */
bool gpu_worker_surely_begins(struct gpu_worker *k, unsigned place)
{
    const struct gpu_window *w = &k->cores->job->window;
    unsigned turn, held;

    if (!w->gated || place < k->begins_before)
        return true;
    turn = __atomic_load_n(&k->cores->first_unrun, __ATOMIC_ACQUIRE);
    held = __atomic_load_n(&w->held_groups, __ATOMIC_RELAXED);
    k->begins_before = turn + (held < w->unfinished_limit ? w->unfinished_limit - held : 0);
    return place < k->begins_before;
}

/* The lock is only tried, since the turn is passed on at the latest when a permission needs it. */
void gpu_worker_look_ahead(struct gpu_worker *k)
{
    struct gpu_cores *c = k->cores;
    const struct gpu_window *w = &c->job->window;
    unsigned turn = __atomic_load_n(&c->first_unrun, __ATOMIC_RELAXED);

    if (k->place - turn < w->unfinished_limit / 2 || pthread_mutex_trylock(&c->lock))
        return;
    whose_turn(c);
    pthread_mutex_unlock(&c->lock);
}

bool gpu_worker_may_begin(struct gpu_worker *k)
{
    struct gpu_cores *c = k->cores;
    bool may;

    if (gpu_worker_surely_begins(k, k->place))
        return true;
    pthread_mutex_lock(&c->lock);
    k->beginning = true;
    /* The worker's earlier groups of this run may be what others wait for. */
    wake_waiting(c);
    if (!may_continue(c, k))
        await_permission(c, k);
    k->beginning = false;
    may = permission_to_begin(c, k->place) == BEGIN_NOW;
    pthread_mutex_unlock(&c->lock);
    return may;
}

void gpu_worker_end_turn(const struct gpu_worker *k)
{
    struct gpu_cores *c = k->cores;
    struct gpu_window *w = &c->job->window;

    /* Within a run of groups no worker is woken. The run's worker comes to the end of the run, or
     * waits for a group before the run, whose worker then wakes all that may continue. */
    if (k->place + 1 < k->places_end) {
        __atomic_store_n(&w->done[k->place], w->mark, __ATOMIC_RELEASE);
        return;
    }
    /* Marks are set before `waiting` is read, and a waiting worker sets `waiting` before it reads
     * marks. So at least one of the two sees the other. */
    __atomic_store_n(&w->done[k->place], w->mark, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&c->waiting, __ATOMIC_SEQ_CST))
        return;
    pthread_mutex_lock(&c->lock);
    wake_waiting(c);
    pthread_mutex_unlock(&c->lock);
}
