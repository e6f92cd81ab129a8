/*
 * Rows of a work-group abreast: where they begin with a trace that leads to a loop, several are
 * taken to its head and then run at once, by a function of translate/abreast.c. All of that has no
 * other effects than registers. So the rows run ahead of their turn, and are counted when it comes:
 * what a window of the group contains is what it would be if they ran one after the other. If
 * little of the group's budget is left then, they begin again in their turn.
 *
 * Bounds      rows: GPU_ABREAST_ROWS, and bundles: the group's budget
 */
#include "runtime/gpu/lane.h"
#include "runtime/gpu/shader/running.h"

/* A loop's function is used until MISSED_MOST tries have gained nothing, and more than
 * 1 / MISSED_SHARE of those that have. */
enum { MISSED_MOST = 64, MISSED_SHARE = 4 };

/* Counts whether a try to run rows abreast has gained something. */
static void count_try(struct gpu_shader *s, bool gained)
{
    uint32_t *counter = gained ? &s->abreast_gained : &s->abreast_missed;
    uint32_t missed;

    __atomic_store_n(counter, __atomic_load_n(counter, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
    missed = __atomic_load_n(&s->abreast_missed, __ATOMIC_RELAXED);
    if (missed > MISSED_MOST + __atomic_load_n(&s->abreast_gained, __ATOMIC_RELAXED) / MISSED_SHARE)
        __atomic_store_n(&s->abreast, NULL, __ATOMIC_RELAXED);
}

/* ---- rows ahead of their turn ---------------------------------------------------------------- */

/* Begins a row, which is counted in its turn. */
static struct gpu_warp *begin_row(struct gpu_worker *k, struct gpu_group *g, unsigned row,
                                  const struct gpu_front *front)
{
    struct gpu_warp *w = gpu_group_begin_row(k, g, row);

    k->rows.rows_begun--;
    k->warps -= front->lanes / w->width;
    k->threads -= front->lanes;
    return w;
}

void gpu_group_drop_ahead(struct gpu_worker *k, struct gpu_group *g)
{
    struct gpu_ahead *a = &k->ahead;

    if (a->next == a->end)
        return;
    for (unsigned n = a->next; n < a->end; n++)
        gpu_group_end_row(k, g, n);
    g->started = a->next;
    a->next = a->end = 0;
}

/* Counts what the next of the rows that have run ahead has run. false: the budget does not suffice.
 * */
static bool count_ahead(struct gpu_worker *k, const struct gpu_front *front)
{
    struct gpu_ahead *a = &k->ahead;
    const struct gpu_trace_cost *way = &a->way->costs[a->way->count - 1];
    const struct gpu_trace_cost *loop = &a->loop->costs[a->loop->count - 1];

    if ((way->bundles_to + a->rounds * loop->bundles_to) * front->warps > k->group->budget)
        return false;
    gpu_warp_count(k, 1);
    gpu_tally_trace(k, a->way, front, 0, a->way->count - 1, 1);
    gpu_tally_trace(k, a->loop, front, a->rounds - 1, a->loop->count - 1, 1);
    k->rows.rows_abreast++;
    a->next++;
    return true;
}

/* ---- running --------------------------------------------------------------------------------- */

/* The trace, without other effects, with which rows begin; NULL: there is none. */
static struct gpu_trace *way_of(const struct gpu_worker *k, const struct gpu_front *front)
{
    struct gpu_trace *t;

    if (!k->entry || k->entry->address != k->cores->job->job.shader_address)
        return NULL;
    t = gpu_trace_usable(k, NULL, k->entry, front);
    return t && t->is_plain && !t->loops ? t : NULL;
}

/* Takes a row that begins to the loop's head. false: it does not come there with all its lanes. */
static bool set_out(struct gpu_worker *k, struct gpu_warp *w, const struct gpu_front *front)
{
    struct gpu_trace *way = k->ahead.way, *loop = k->ahead.loop;
    uint64_t done, next;

    gpu_warp_set_out(k, w);
    if (w->pool < way->pool || w->pool < loop->pool)
        gpu_warp_fill_pool(k, w, way->pool > loop->pool ? way->pool : loop->pool);
    done = way->run(w, 1, way->links);
    gpu_trace_note_written(w, way);
    gpu_trace_note_written(w, loop);
    if (done != way->count - 1 || !gpu_warp_stays(w, way->codes[done], &next) ||
        next != loop->codes[0]->address)
        return false;
    gpu_warp_bar(w, next);
    w->barred = 0;
    return gpu_trace_usable(k, w, loop->codes[0], front) == loop;
}

/* The rounds for each of the rows that the budget has room for; 0: fewer than they need. */
static uint64_t room_for(const struct gpu_worker *k, const struct gpu_front *front)
{
    const struct gpu_trace *way = k->ahead.way, *loop = k->ahead.loop;
    uint64_t each = k->group->budget / ((uint64_t)front->warps * loop->abreast_rows);
    uint64_t rounds = each > way->count ? (each - way->count) / loop->count : 0;

    return rounds > __atomic_load_n(&loop->run_rounds, __ATOMIC_RELAXED) ? rounds : 0;
}

/* Runs up to `most` rounds, until a lane leaves the loop or the program ends. Returns their number.
 * */
static uint64_t run_loop(const struct gpu_worker *k, struct gpu_warp **w,
                         const struct gpu_front *front, uint64_t most)
{
    struct gpu_trace *t = k->ahead.loop;
    uint64_t at_once = GPU_TRACE_BUNDLES / ((uint64_t)t->count * front->warps) + 1, sum = 0, rounds;

    do {
        rounds = t->abreast(w, most - sum < at_once ? most - sum : at_once, t->abreast_links);
        sum += rounds;
    } while (rounds == at_once && sum < most && gpu_trace_usable(k, w[0], t->codes[0], front) == t);
    return sum;
}

/* Runs rows from k->ahead.next on ahead, if they come to the loop and stay in it long enough. */
static void run_ahead(struct gpu_worker *k, struct gpu_group *g, const struct gpu_front *front)
{
    struct gpu_ahead *a = &k->ahead;
    unsigned first = a->next, rows = a->loop->abreast_rows;
    uint64_t most = room_for(k, front);
    bool ready = true;

    if (!most || first + rows > k->cores->job->job.threads / front->lanes)
        return;
    while (ready && a->end < first + rows)
        ready = set_out(k, begin_row(k, g, a->end++, front), front);
    a->rounds = ready ? run_loop(k, g->warp + first, front, most) : 0;
    if (a->rounds >= GPU_ABREAST_RUN)
        __atomic_store_n(&a->loop->run_rounds, a->rounds, __ATOMIC_RELAXED);
    else
        gpu_group_drop_ahead(k, g);
    count_try(k->cores->job->shader, a->rounds >= GPU_ABREAST_RUN);
}

/* Whether the group may run rows ahead of their turn: it is of a compute job, and no recording,
 * trace file or count of ways needs its bundles in order. */
static bool is_allowed(const struct gpu_worker *k, const struct gpu_group *g)
{
    return !(k->recorded.count || g->trace || k->flow || k->cores->job->functions);
}

bool gpu_group_take_abreast(struct gpu_worker *k, struct gpu_group *g, unsigned row)
{
    struct gpu_trace *loop = __atomic_load_n(&k->cores->job->shader->abreast, __ATOMIC_ACQUIRE);
    struct gpu_front front = gpu_whole_rows(k);
    struct gpu_trace *way;

    if (loop && row == g->started && is_allowed(k, g)) {
        way = way_of(k, &front);
        k->ahead = (struct gpu_ahead){.way = way, .loop = loop, .next = row, .end = row};
        if (way)
            run_ahead(k, g, &front);
    }
    if (k->ahead.next == k->ahead.end || row != k->ahead.next)
        return false;
    if (count_ahead(k, &front))
        return true;
    gpu_group_drop_ahead(k, g);
    return false;
}
