/*
 * Windows: the work-groups of a job that run before virtual time passes. The first places of a
 * window have the unfinished groups of the window before, the others new groups in their order.
 * Which groups are in a window, what each may do and how many GPU cycles it takes depends on the
 * job alone. Only the assignment of groups to host threads depends on the host.
 *
 * A worker begins the groups that it runs, in memory that it has used before, and adds up their
 * counts. The thread that waits for the workers does no work that grows with the job, and the
 * worker that closes a window none that grows with the number of workers: all others wait for it.
 *
 * Groups that have begun and not ended hold memory: private pages and registers, in the numbers
 * that the guest requests. A group does not begin if the groups before it in the window hold all
 * that GPU_GROUPS_BYTES allows; it is left to the next window. This depends on the order of groups,
 * not on time: the groups before a place that have not ended once all of them have run are the same
 * for any number of workers. A group that has begun always continues, as others may wait for its
 * results.
 *
 * Bounds      a window: GPU_WINDOW_GROUPS groups of GPU_WINDOW_BUNDLES bundles each, up to
 *             GPU_WINDOW_PARTS * GPU_WINDOW_GROUPS groups if those of the window before ended after
 *             few bundles, or up to 2^GPU_WINDOW_GROWTH times the bundles if groups did not end. An
 *             endless shader or a job of 2^32 groups can therefore be stopped.
 *             Memory: GPU_GROUPS_BYTES for the unfinished groups of all jobs, or one group per job
 */
#include "runtime/gpu/shader/window.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"

/* In a window without shares a worker takes 1 / TAKES_PER_SHARE of its equal share of the remaining
 * groups, at most 1 / TAKES_PER_LIMIT of that of the groups that may be unfinished. In a window of
 * many parts it takes at least one group per PARTS_PER_GROUP_TAKEN parts. */
enum { TAKES_PER_SHARE = 4, TAKES_PER_LIMIT = 2, PARTS_PER_GROUP_TAKEN = 16 };

unsigned gpu_window_parts(const struct gpu_window *w)
{
    return (w->count + GPU_WINDOW_GROUPS - 1) / GPU_WINDOW_GROUPS;
}

/* ---- opening and closing windows ------------------------------------------------------------- */

void gpu_window_init(struct gpu_window *w)
{
    *w = (struct gpu_window){.part_limit = 1};
}

static void clear_counts(struct gpu_window *w, unsigned cores)
{
    unsigned parts = gpu_window_parts(w);

    if (parts > w->part_capacity) {
        free(w->cycles);
        w->cycles = xalloc_apart((size_t)parts * (cores + 1) * sizeof(*w->cycles));
        w->part_capacity = parts;
    }
    w->whole_cycles = 0;
    w->bundles = 0;
}

/* Makes no place of the window one that has run. */
static void clear_done(struct gpu_window *w)
{
    if (++w->mark)
        return;
    memset(w->done, 0, w->capacity);
    w->mark = 1;
}

static void make_room(struct gpu_window *w, unsigned groups)
{
    if (groups <= w->capacity)
        return;
    w->group = xrealloc(w->group, groups, sizeof(*w->group));
    memset(w->group + w->capacity, 0, (groups - w->capacity) * sizeof(*w->group));
    w->done = xrealloc(w->done, groups, 1);
    memset(w->done + w->capacity, 0, groups - w->capacity);
    w->capacity = groups;
}

uint64_t gpu_window_group_bytes(const struct gpu_compute *job)
{
    const struct gpu_cores *c = job->cores;
    uint64_t rows = (job->job.threads + c->decoder.row - 1) / c->decoder.row;

    return (gpu_private_pages(&job->job) << GPU_TLB_PAGE_SHIFT) + rows * c->warp_bytes;
}

/* Most unfinished groups that the job may have beside those of other jobs. */
static unsigned most_unfinished_of(const struct gpu_compute *job)
{
    uint64_t others = job->cores->held_bytes - job->window.unfinished * job->group_bytes;
    uint64_t most = others < GPU_GROUPS_BYTES ? (GPU_GROUPS_BYTES - others) / job->group_bytes : 0;

    return most < 1 ? 1 : most < UINT32_MAX ? (unsigned)most : UINT32_MAX;
}

/* Bundles of each group in the window, whose groups are chosen. All groups of a window together
 * have at most what those of the largest window have in the usual budget. */
static uint64_t budget_of(const struct gpu_compute *job)
{
    const struct gpu_window *w = &job->window;
    uint64_t usual = job->cores->window_bundles, parts = gpu_window_parts(w);
    uint64_t most = usual * GPU_WINDOW_PARTS / parts, grown = usual << w->growth;

    return grown < most ? grown : most;
}

/* Number of groups in a part. */
static unsigned groups_of_part(const struct gpu_window *w, unsigned part)
{
    unsigned left = w->count - part * GPU_WINDOW_GROUPS;

    return left < GPU_WINDOW_GROUPS ? left : GPU_WINDOW_GROUPS;
}

/* The cycles of a part: those of the modelled core with the most, at least 1. Clears them. */
static uint64_t take_longest(uint64_t *cycles, unsigned cores)
{
    uint64_t longest = 1;

    for (unsigned core = 0; core < cores; core++) {
        if (cycles[core] > longest)
            longest = cycles[core];
        cycles[core] = 0;
    }
    return longest;
}

/* The cycles of a window: the sum of its parts'. */
static uint64_t window_cycles(const struct gpu_compute *job)
{
    const struct gpu_window *w = &job->window;
    unsigned cores = job->cores->variant->cores, part = w->count / GPU_WINDOW_GROUPS;
    uint64_t sum = w->whole_cycles;

    /* In a gated window, workers do not know in which part the first group is that may not
     * begin. */
    if (w->gated && w->count % GPU_WINDOW_GROUPS && w->cycles[part * (cores + 1) + cores]) {
        sum += take_longest(&w->cycles[part * (cores + 1)], cores);
        w->cycles[part * (cores + 1) + cores] = 0;
    }
    return sum ? sum : 1;
}

/* Number of parts of a window whose groups are like those of `like` parts that took `bundles`
 * bundles: all of them began and ended in one window. Parts are added up to GPU_WINDOW_WORK
 * bundles, since waking the workers takes longer than a window of short groups. They have at most
 * GPU_WINDOW_ROWS rows, as the groups may be longer than expected and are then all in memory. */
static unsigned parts_of_short(const struct gpu_compute *job, uint64_t like, uint64_t bundles)
{
    const struct gpu_decoder *d = &job->cores->decoder;
    unsigned divisor = job->window.divisor, limit = GPU_WINDOW_PARTS / divisor;
    uint64_t rows = (job->job.threads + d->row - 1) / d->row, parts, most;

    parts = like * (GPU_WINDOW_WORK / divisor) / (bundles + 1);
    most = GPU_WINDOW_ROWS / divisor / (GPU_WINDOW_GROUPS * rows);
    parts = parts < most ? parts : most;
    return parts < 1 ? 1 : parts > limit ? limit : (unsigned)parts;
}

/* Number of parts of a job's first window. If all groups surely end, their bundles are bounded, and
 * the window is as long as later ones. Windows whose times a model counts stay as short as others'
 * first. */
static unsigned parts_of_first(struct gpu_compute *job)
{
    if (job->window.divisor != 1 || !gpu_groups_surely_end(job))
        return 1;
    return parts_of_short(job, 1, GPU_WINDOW_GROUPS * gpu_group_bundles(job));
}

void gpu_window_open(struct gpu_compute *job)
{
    struct gpu_window *w = &job->window;
    uint64_t left = job->job.group_total - job->next_group;
    unsigned most, room, begin;

    w->divisor = job->cores->model || job->cores->timing ? GPU_WINDOW_DIVISOR : 1;
    if (!job->next_group && left > GPU_WINDOW_GROUPS)
        w->part_limit = parts_of_first(job);
    w->wary = !job->next_group && !job->came_before && w->part_limit > 1;
    most = w->part_limit * GPU_WINDOW_GROUPS;
    room = most > w->unfinished ? most - w->unfinished : 0;
    begin = left < room ? (unsigned)left : room;
    make_room(w, w->unfinished + begin);
    w->count = w->end = w->unfinished + begin;
    w->budget = budget_of(job);
    w->unfinished_limit = most_unfinished_of(job);
    w->gated = w->count > w->unfinished_limit && !gpu_groups_surely_end(job);
    w->held_groups = 0;
    w->first = job->next_group;
    w->open = true;
    job->next_group += begin;
    w->any_left = false;
    w->has_shares = !w->gated && !w->wary && job->cores->worker_count > 1 &&
                    !__atomic_load_n(&job->shader->has_waited_turn, __ATOMIC_RELAXED);
    job->cores->share_number += w->has_shares;
    clear_done(w);
    clear_counts(w, job->cores->variant->cores);
}

/* Moves unfinished groups to the first places of the next window. Behind them, places have none. */
static void keep_groups(struct gpu_window *w)
{
    unsigned end = w->any_left ? w->count : w->unfinished, kept = 0;

    for (unsigned i = 0; i < end; i++)
        if (w->group[i])
            w->group[kept++] = w->group[i];
    for (unsigned i = kept; i < end; i++)
        w->group[i] = NULL;
    w->unfinished = kept;
}

/* Leaves the groups of a gated window that did not begin to the next window. */
static void defer_unstarted(struct gpu_compute *job)
{
    job->next_group -= job->window.count - job->window.end;
    job->window.count = job->window.end;
}

/* Gives long groups more time in the next window: at its end each worker waits for the longest of
 * the last groups. Windows whose times a model counts, and those whose length was chosen, stay as
 * long as they are. */
static void lengthen(struct gpu_compute *job)
{
    struct gpu_window *w = &job->window;

    if (w->divisor == 1 && job->cores->window_bundles == GPU_WINDOW_BUNDLES &&
        w->growth < GPU_WINDOW_GROWTH)
        w->growth += GPU_WINDOW_GROWTH / 2;
}

uint64_t gpu_window_close(struct gpu_compute *job)
{
    struct gpu_window *w = &job->window;
    uint64_t cycles, bundles = w->bundles;
    bool all_began = !w->unfinished;

    defer_unstarted(job);
    cycles = window_cycles(job);
    job->cores->held_bytes -= w->unfinished * job->group_bytes;
    keep_groups(w);
    job->cores->held_bytes += w->unfinished * job->group_bytes;
    job->bundles += bundles;
    w->part_bundles = bundles / gpu_window_parts(w);
    gpu_timing_window_end(job);
    if (w->unfinished) {
        job->ends = GPU_ENDS_MAYBE;
        lengthen(job);
    }
    w->part_limit =
        all_began && !w->unfinished ? parts_of_short(job, gpu_window_parts(w), bundles) : 1;
    w->open = false;
    return cycles;
}

void gpu_window_restore(struct gpu_compute *job, struct gpu_group *const *groups, unsigned count,
                        const struct gpu_window *saved)
{
    struct gpu_window *w = &job->window;

    make_room(w, count);
    if (count)
        memcpy(w->group, groups, count * sizeof(*groups));
    w->unfinished = count;
    w->part_limit = saved->part_limit;
    w->growth = saved->growth;
    job->cores->held_bytes += count * job->group_bytes;
}

void gpu_window_release(struct gpu_compute *job)
{
    struct gpu_window *w = &job->window;

    for (unsigned i = 0; i < w->unfinished; i++)
        gpu_group_drop(job->cores, w->group[i]);
    job->cores->held_bytes -= w->unfinished * job->group_bytes;
    free(w->group);
    free(w->done);
    free(w->cycles);
    *w = (struct gpu_window){0};
}

/* ---- for workers ----------------------------------------------------------------------------- */

void gpu_window_enter(struct gpu_worker *k)
{
    k->place = k->places_end = k->begins_before = 0;
    k->slices.part = 0;
}

/* Adds the cycles of the worker's groups in a part to the part's. The worker that adds the part's
 * last groups knows its cycles. Most parts are run by one worker, and written nowhere else. */
static void add_cycles(struct gpu_worker *k)
{
    unsigned cores = k->cores->variant->cores, groups = k->slices.groups;
    struct gpu_window *w = &k->cores->job->window;
    unsigned all = groups_of_part(w, k->slices.part);
    uint64_t *of_part = &w->cycles[(size_t)k->slices.part * (cores + 1)];

    k->slices.groups = 0;
    if (groups == all) {
        k->slices.of_whole_parts += take_longest(k->slices.cycles, cores);
        return;
    }
    for (unsigned core = 0; core < cores; core++)
        if (k->slices.cycles[core]) {
            __atomic_add_fetch(&of_part[core], k->slices.cycles[core], __ATOMIC_RELAXED);
            k->slices.cycles[core] = 0;
        }
    if (__atomic_add_fetch(&of_part[cores], groups, __ATOMIC_ACQ_REL) == all) {
        k->slices.of_whole_parts += take_longest(of_part, cores);
        of_part[cores] = 0;
    }
}

void gpu_window_add(struct gpu_worker *k)
{
    struct gpu_window *w = &k->cores->job->window;

    if (k->slices.groups)
        add_cycles(k);
    if (k->slices.of_whole_parts)
        __atomic_add_fetch(&w->whole_cycles, k->slices.of_whole_parts, __ATOMIC_RELAXED);
    if (k->slices.bundles)
        __atomic_add_fetch(&w->bundles, k->slices.bundles, __ATOMIC_RELAXED);
    k->slices.of_whole_parts = k->slices.bundles = 0;
}

/* Number of groups that a worker takes at once from `place` on, in a window without shares.
 * Adjacent groups share pages, and what the host's processor prefetches, so it takes many, and
 * fewer towards the end, so that all workers end at once. In a gated window all workers together
 * take at most 1 / TAKES_PER_LIMIT of the groups that may be unfinished, so that none waits long
 * for permission to begin. Groups that wait for others in order are taken singly by several
 * workers: a worker must not hold back a later group while it runs an earlier group. */
static unsigned share_from(const struct gpu_cores *c, unsigned place)
{
    const struct gpu_window *w = &c->job->window;
    unsigned left = place < w->count ? w->count - place : 0;
    unsigned least = 1 + w->part_limit / PARTS_PER_GROUP_TAKEN;
    unsigned share = left / (TAKES_PER_SHARE * c->worker_count);
    unsigned most = w->unfinished_limit / (TAKES_PER_LIMIT * c->worker_count);

    if (c->worker_count == 1)
        return left > 1 ? left : 1;
    if ((w->wary && place < GPU_WINDOW_GROUPS) ||
        __atomic_load_n(&c->job->shader->has_waited_turn, __ATOMIC_RELAXED))
        return 1;
    share = share > least ? share : least;
    if (w->gated && share > most)
        share = most > 1 ? most : 1;
    return share;
}

/* Takes the next free places of the window. false: there are none. */
static bool take_places(struct gpu_worker *k)
{
    struct gpu_cores *c = k->cores;
    const struct gpu_window *w = &c->job->window;
    unsigned first = __atomic_load_n(&c->next_place, __ATOMIC_RELAXED), take;

    if (w->has_shares)
        return gpu_share_take(k);
    do
        take = share_from(c, first);
    while (!__atomic_compare_exchange_n(&c->next_place, &first, first + take, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    k->place = first;
    k->places_end = first + take < w->count ? first + take : w->count;
    if (w->gated && first < w->count)
        gpu_worker_look_ahead(k);
    return first < w->count;
}

struct gpu_group *gpu_window_take(struct gpu_worker *k)
{
    const struct gpu_window *w = &k->cores->job->window;

    if (++k->place >= k->places_end && !take_places(k))
        return NULL;
    if (k->place < w->unfinished)
        return w->group[k->place];
    if (w->gated && !gpu_worker_may_begin(k))
        return NULL;
    return gpu_group_begin(k, w->first + (k->place - w->unfinished));
}

/* Counts what the group at the worker's place took. */
static void count_group(struct gpu_worker *k, const struct gpu_group *g)
{
    const struct gpu_variant *variant = k->cores->variant;
    unsigned part = k->place / GPU_WINDOW_GROUPS;

    if (k->slices.groups && part != k->slices.part)
        add_cycles(k);
    k->slices.part = part;
    k->slices.groups++;
    k->slices.cycles[g->core] += (g->work + variant->engines - 1) / variant->engines;
    k->slices.bundles += k->cores->job->window.budget - g->budget;
}

bool gpu_window_next(struct gpu_worker *k, struct gpu_group *g)
{
    const struct gpu_cores *c = k->cores;

    if (k->place + 1 >= k->places_end || k->place < c->job->window.unfinished ||
        !gpu_worker_surely_begins(k, k->place + 1) ||
        (c->leaving && __atomic_load_n(c->leaving, __ATOMIC_RELAXED)))
        return false;
    count_group(k, g);
    if (k->atomics) /* the next group waits for its own turn */
        gpu_worker_leave_group(k);
    gpu_worker_end_turn(k);
    k->place++;
    gpu_group_advance(c->job, g);
    return true;
}

void gpu_window_put(struct gpu_worker *k, struct gpu_group *g)
{
    struct gpu_window *w = &k->cores->job->window;

    count_group(k, g);
    if (!g->finished) {
        w->group[k->place] = g;
        if (!__atomic_load_n(&w->any_left, __ATOMIC_RELAXED))
            __atomic_store_n(&w->any_left, true, __ATOMIC_RELAXED);
    } else if (k->place < w->unfinished)
        w->group[k->place] = NULL;
    if (g->finished)
        gpu_group_end(k, g);
}
