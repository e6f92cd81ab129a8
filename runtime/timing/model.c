/*
 * The event loop that both models share: warps, stations, barriers and the account of the engines'
 * time.
 */
#include "runtime/timing/model.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/timing/cut.h"
#include "runtime/timing/model_internal.h"

/* ---- what a warp does next ------------------------------------------------------------------- */

static uint64_t count_instructions(const struct model *m, uint32_t first, uint32_t count)
{
    return m->instructions[first + count] - m->instructions[first];
}

/* Adds an engine's ticks to the bundle's line, or to the line of no bundle. */
static void charge_ticks(struct model *m, uint32_t bundle, enum timing_cause cause, uint64_t ticks)
{
    m->out->account[cause] += ticks;
    if (m->lines)
        m->lines[bundle == NO_BUNDLE ? m->job->bundles.len : bundle].account[cause] += ticks;
}

static void charge_issue(struct model *m, uint32_t first, uint32_t count, uint64_t times)
{
    for (uint32_t i = first; m->lines && i < first + count; i++) {
        m->lines[i].executions += times;
        m->lines[i].account[TIMING_ISSUE] +=
            count_instructions(m, i, 1) * times * m->p->arithmetic_latency;
    }
}

/* Reassemble: a barrier occupies the warp's engine. */
static uint64_t issue_barrier(struct model *m, const struct warp *w)
{
    charge_ticks(m, w->bundle, TIMING_AT_BARRIER, m->p->barrier_issue);
    return m->p->barrier_issue;
}

/* Reassemble: the engine waits for the code of the bundles that it runs. */
static uint64_t fetch_run(struct model *m, struct warp *w, uint64_t done)
{
    struct timing_cursor *c = &w->cursor;
    uint64_t ticks = timing_code_fetch_run(m, &m->cores[m->groups.data[w->group].core], c,
                                           m->now + done * m->p->arithmetic_latency);

    charge_ticks(m, c->first, TIMING_DEPENDENCY, ticks);
    return ticks;
}

/* Reassemble: runs all bundles up to the next one for which the warp waits. Returns the ticks for
 * which it occupies its engine. */
static uint64_t run_on(struct model *m, struct warp *w)
{
    struct timing_cursor *c = &w->cursor;
    uint64_t done = 0, fetching = 0;

    do {
        timing_cursor_next(c);
        if (c->event == TIMING_END || c->event == TIMING_BARRIER)
            break;
        if (m->p->icache_bytes)
            fetching += fetch_run(m, w, done);
        done += count_instructions(m, c->first, c->count) * c->times;
        charge_issue(m, c->first, c->count, c->times);
        w->bundle = c->first + c->count - 1;
        m->out->bundles += c->count * c->times;
    } while (c->event == TIMING_RUN);
    m->out->instructions += done;
    w->after = c->event;
    m->out->account[TIMING_ISSUE] += done * m->p->arithmetic_latency;
    return done * m->p->arithmetic_latency + fetching +
           (c->event == TIMING_BARRIER ? issue_barrier(m, w) : 0);
}

/* Detailed: finds the next bundle. false: there is none, w->after says why. */
static inline bool find_bundle(struct warp *w)
{
    struct timing_cursor *c = &w->cursor;

    if (w->run_at == w->run_count && w->run_times > 1) {
        w->run_times--;
        w->run_at = 0;
    }
    if (w->run_at == w->run_count) {
        timing_cursor_next(c);
        w->after = c->event;
        if (c->event == TIMING_END || c->event == TIMING_BARRIER)
            return false;
        w->run_first = c->first;
        w->run_count = c->count;
        w->run_times = c->times;
        w->run_at = 0;
    }
    return true;
}

/* Detailed: issues one bundle. */
static uint64_t run_one(struct model *m, struct warp *w)
{
    bool found = w->found == NEXT_UNKNOWN ? find_bundle(w) : w->found == NEXT_BUNDLE;

    w->found = NEXT_UNKNOWN;
    if (!found)
        return 0;
    w->bundle = w->run_first + w->run_at++;
    m->out->instructions += count_instructions(m, w->bundle, 1);
    m->out->bundles++;
    if (m->lines)
        m->lines[w->bundle].executions++;
    charge_ticks(m, w->bundle, TIMING_ISSUE, m->issue_ticks[w->bundle]);
    return m->issue_ticks[w->bundle];
}

/* ---- stations -------------------------------------------------------------------------------- */

/* Charges the idle time of the engine that takes the warp to the cause for which the warp
 * waited. */
static void account_idle(struct model *m, struct station *s, struct warp *w)
{
    uint64_t idle = m->now - s->since[--s->idle];
    uint64_t launch = idle < w->launch ? idle : w->launch;

    if (w->waits_for == TIMING_LAUNCH) {
        charge_ticks(m, NO_BUNDLE, TIMING_LAUNCH, launch);
        charge_ticks(m, NO_BUNDLE, TIMING_IMBALANCE, idle - launch);
    } else {
        charge_ticks(m, w->waits_bundle, w->waits_for, idle);
    }
}

static void begin_warp(struct model *m, uint32_t id)
{
    struct warp *w = &m->warps.data[id];
    uint64_t ticks = m->fidelity == TIMING_DETAILED ? run_one(m, w) : run_on(m, w);

    w->state = WARP_RUNS;
    m->station[w->station].issued++;
    timing_events_push(&m->events, m->now + ticks, id);
}

static void wait_for(struct model *m, uint32_t id, enum timing_cause cause, uint32_t bundle,
                     uint64_t ticks)
{
    struct warp *w = &m->warps.data[id];

    w->state = WARP_WAITS;
    w->waits_for = cause;
    w->waits_bundle = bundle;
    timing_events_push(&m->events, m->now + ticks, id);
}

/* Detailed: fetches the code of the warp's next bundle. true: the warp waits for it. */
static bool awaits_code(struct model *m, uint32_t id)
{
    struct warp *w = &m->warps.data[id];
    uint64_t ticks;

    if (!m->p->icache_bytes || m->fidelity != TIMING_DETAILED || w->found != NEXT_UNKNOWN)
        return false;
    w->found = find_bundle(w) ? NEXT_BUNDLE : NEXT_NONE;
    if (w->found == NEXT_NONE)
        return false;
    ticks = timing_code_fetch(m, &m->cores[m->groups.data[w->group].core], w->run_first + w->run_at,
                              m->now);
    if (ticks)
        wait_for(m, id, TIMING_DEPENDENCY, w->run_first + w->run_at, ticks);
    return ticks;
}

static void push_warp(struct model *m, struct warp_queue *q, uint32_t id)
{
    m->warps.data[id].next = NO_WARP;
    if (q->first == NO_WARP)
        q->first = id;
    else
        m->warps.data[q->last].next = id;
    q->last = id;
}

static uint32_t pop_warp(struct model *m, struct warp_queue *q)
{
    uint32_t id = q->first;

    if (id != NO_WARP)
        q->first = m->warps.data[id].next;
    return id;
}

static void enqueue_warp(struct model *m, uint32_t id)
{
    struct warp *w = &m->warps.data[id];
    struct station *s = &m->station[w->station];

    if (s->idle) {
        if (awaits_code(m, id))
            return;
        account_idle(m, s, w);
        begin_warp(m, id);
        return;
    }
    w->state = WARP_READY;
    push_warp(m, &s->ready, id);
}

/* Enqueues a ready warp if its engines have a place for it. */
static void admit_warp(struct model *m, uint32_t id)
{
    struct warp *w = &m->warps.data[id];
    struct station *s = &m->station[w->station];

    if (m->p->engine_warps && !w->held) {
        if (s->held == m->p->engine_warps * m->engines) {
            w->state = WARP_READY;
            push_warp(m, &s->outside, id);
            return;
        }
        s->held++;
        w->held = true;
    }
    enqueue_warp(m, id);
}

/* Gives the place of `left`, which ends or is at a barrier, to a warp that has no place. That warp
 * takes over the cause of waiting: engines that were idle waited for what `left` did. */
static void leave_place(struct model *m, const struct warp *left)
{
    struct station *s = &m->station[left->station];
    enum timing_cause cause = left->waits_for;
    uint32_t id;

    if (!m->p->engine_warps)
        return;
    s->held--;
    id = pop_warp(m, &s->outside);
    if (id == NO_WARP)
        return;
    m->warps.data[id].waits_for = cause;
    m->warps.data[id].waits_bundle = left->waits_bundle;
    admit_warp(m, id);
}

/* Gives an engine that became free the station's next ready warp, or makes it idle. */
static void run_next_warp(struct model *m, struct station *s)
{
    uint32_t id;

    while ((id = pop_warp(m, &s->ready)) != NO_WARP) {
        if (!awaits_code(m, id)) {
            begin_warp(m, id);
            return;
        }
    }
    s->since[s->idle++] = m->now;
}

/* ---- ends of what a warp did ----------------------------------------------------------------- */

/* Continues all warps that wait at the barrier if no other has to come. */
static void open_barrier(struct model *m, struct resident *g)
{
    uint64_t last = g->arrived > m->now ? g->arrived - m->now : 0;

    if (g->waiting < g->warps_left)
        return;
    g->waiting = 0;
    for (unsigned i = 0; i < g->warps; i++)
        if (m->warps.data[g->warp[i]].state == WARP_WAITS)
            wait_for(m, g->warp[i], TIMING_AT_BARRIER, m->warps.data[g->warp[i]].bundle,
                     last + m->p->barrier_latency);
}

static void at_barrier(struct model *m, struct warp *w)
{
    struct resident *g = &m->groups.data[w->group];

    w->state = WARP_WAITS;
    g->arrived = m->fidelity == TIMING_DETAILED ? timing_detailed_barrier(m, g->core) : m->now;
    g->waiting++;
    w->held = false;
    leave_place(m, w);
    open_barrier(m, g);
}

/* Tells of the stay of a warp that ends. */
static void tell_warp(const struct model *m, const struct resident *g, const struct warp *w)
{
    struct timing_stay stay = {.core = g->core,
                               .slot = g->slot,
                               .warps = 1,
                               .begin = g->begin,
                               .end = m->now,
                               .is_warp = true,
                               .engine = w->station % m->stations};

    while (&m->warps.data[g->warp[stay.warp]] != w)
        stay.warp++;
    m->stay(m->stay_opaque, &stay);
}

static void handle_end(struct model *m, struct warp *w)
{
    uint32_t group = w->group;
    struct resident *g = &m->groups.data[group];

    w->state = WARP_ENDED;
    if (m->stay)
        tell_warp(m, g, w);
    m->station[w->station].warps--;
    w->held = false;
    leave_place(m, w);
    g = &m->groups.data[group];
    if (!--g->warps_left)
        timing_retire(m, group);
    else if (g->waiting)
        open_barrier(m, g);
}

/* ---- detailed: what a warp waits for --------------------------------------------------------- */

/* The longest wait of a warp's next bundle. */
struct wait {
    uint64_t ticks;
    enum timing_cause cause;
    uint32_t bundle;
};

static void wait_longer(struct wait *wait, uint64_t ticks, enum timing_cause cause, uint32_t bundle)
{
    if (ticks > wait->ticks)
        *wait = (struct wait){ticks, cause, bundle};
}

static void wait_for_slots(const struct model *m, const struct warp *w, unsigned slots,
                           struct wait *wait)
{
    for (; slots; slots &= slots - 1) {
        unsigned n = (unsigned)__builtin_ctz(slots);

        if (w->slot[n].free > m->now)
            wait_longer(wait, w->slot[n].free - m->now, w->slot[n].cause, w->slot[n].bundle);
    }
}

/* Handles an access of the bundle: its slot is occupied, or the next bundle waits. */
static void handle_access(struct model *m, struct warp *w, struct wait *wait)
{
    enum timing_cause cause;
    uint64_t ticks = timing_detailed_memory(m, w, &cause);
    unsigned slot = m->job->bundles.data[w->bundle].slot;

    if (slot == TIMING_NO_SLOT) {
        if (ticks)
            *wait = (struct wait){wait->ticks + ticks, cause, w->bundle};
    } else if (m->now + ticks > w->slot[slot].free) {
        w->slot[slot].free = m->now + ticks;
        w->slot[slot].cause = cause;
        w->slot[slot].bundle = w->bundle;
    }
}

/* Handles the issue of a bundle. */
static void handle_issue(struct model *m, uint32_t id)
{
    struct warp *w = &m->warps.data[id];
    uint64_t turn = m->p->stage_issue ? m->p->stage_issue : m->p->arithmetic_latency;
    struct wait wait = {m->p->pipe_depth > turn ? m->p->pipe_depth - turn : 0, TIMING_DEPENDENCY,
                        w->bundle};

    if (w->after == TIMING_MEMORY)
        handle_access(m, w, &wait);
    wait_for_slots(m, w, m->job->bundles.data[w->bundle].waits, &wait);
    wait_for(m, id, wait.cause, wait.bundle, wait.ticks);
}

/* Handles the end of a warp's stream. true: the warp waits for slots that are still occupied. */
static bool await_slots(struct model *m, uint32_t id)
{
    struct warp *w = &m->warps.data[id];
    struct wait wait = {0, TIMING_DEPENDENCY, w->bundle};

    wait_for_slots(m, w, (1u << TIMING_SLOTS) - 1, &wait);
    if (wait.ticks)
        wait_for(m, id, wait.cause, wait.bundle, wait.ticks);
    return wait.ticks;
}

/* ---- what comes next ------------------------------------------------------------------------- */

/* Handles the end of the bundles that the warp ran: selects what it waits for now. */
static void handle_done(struct model *m, uint32_t id)
{
    struct warp *w = &m->warps.data[id];
    enum timing_cause cause = TIMING_DEPENDENCY;
    bool detailed = m->fidelity == TIMING_DETAILED;
    uint64_t ticks;

    switch (w->after) {
    case TIMING_MEMORY:
    case TIMING_RUN:
        if (detailed) {
            handle_issue(m, id);
            break;
        }
        ticks = timing_memory(m, w, &cause);
        wait_for(m, id, ticks ? cause : TIMING_DEPENDENCY, w->bundle, ticks);
        break;
    case TIMING_BARRIER:
        at_barrier(m, w);
        break;
    case TIMING_END:
        if (!detailed || !await_slots(m, id))
            handle_end(m, w);
        break;
    }
}

static inline bool advance_model(struct model *m)
{
    struct timing_event_entry e;

    if (!timing_events_take(&m->events, &e))
        return false;
    m->now = e.time;
    if (m->out->bundles >= m->stop && timing_cut_here(m))
        return false;
    if (m->warps.data[e.warp].state == WARP_RUNS) {
        struct station *s = &m->station[m->warps.data[e.warp].station];

        handle_done(m, e.warp);
        run_next_warp(m, s);
    } else {
        admit_warp(m, e.warp);
    }
    return true;
}

bool timing_advance(struct model *m)
{
    return advance_model(m);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static uint32_t lines_of(uint64_t bytes, uint64_t line)
{
    uint64_t n = bytes / line;

    return n < TIMING_CACHE_INFINITE ? (uint32_t)n : TIMING_CACHE_INFINITE;
}

static void begin_caches(struct model *m)
{
    timing_code_begin(m);
    if (m->fidelity == TIMING_DETAILED) {
        timing_detailed_begin(m);
        return;
    }
    for (unsigned i = 0; i < m->shape->cores; i++)
        timing_cache_init(&m->cores[i].l1, lines_of(m->p->l1_bytes, m->p->line_bytes));
    timing_cache_init(&m->l2, lines_of(m->p->l2_bytes, m->p->line_bytes));
}

static void end_caches(struct model *m)
{
    struct timing_result *r = m->out;

    timing_code_end(m);
    if (m->fidelity == TIMING_DETAILED) {
        timing_detailed_end(m);
        return;
    }
    for (unsigned i = 0; i < m->shape->cores; i++) {
        r->l1_hits += m->cores[i].l1.hits;
        r->l1_misses += m->cores[i].l1.misses;
        timing_cache_release(&m->cores[i].l1);
    }
    r->l2_hits = m->l2.hits;
    r->l2_misses = m->l2.misses;
    timing_cache_release(&m->l2);
}

static void prepare_model(struct model *m)
{
    const struct timing_shape *shape = m->shape;
    bool own = m->fidelity == TIMING_DETAILED;
    size_t n = m->job->bundles.len;

    m->stations = own ? shape->engines : 1;
    m->engines = own ? 1 : shape->engines;
    m->free_warps = m->free_groups = NO_WARP;
    m->line_shift = timing_line_shift(m->p->line_bytes);
    m->cores = xcalloc(shape->cores, sizeof(*m->cores));
    m->station = xcalloc((size_t)shape->cores * m->stations, sizeof(*m->station));
    begin_caches(m);
    for (unsigned i = 0; i < shape->cores * m->stations; i++) {
        m->station[i].ready.first = m->station[i].outside.first = NO_WARP;
        m->station[i].idle = m->engines;
        for (unsigned k = 0; k < m->engines; k++)
            m->station[i].since[k] = m->begin;
    }
    m->instructions = xcalloc(n + 1, sizeof(*m->instructions));
    m->issue_ticks = xcalloc(n + 1, sizeof(*m->issue_ticks));
    for (size_t i = 0; i < n; i++) {
        m->issue_ticks[i] = timing_bundle_issue(m->p, m->fidelity, &m->job->bundles.data[i]);
        m->instructions[i + 1] = m->instructions[i];
        for (unsigned k = 0; k < TIMING_PIPES; k++)
            m->instructions[i + 1] += m->job->bundles.data[i].words[k];
    }
}

/* Returns n * scale, at most UINT64_MAX. The scale comes from a file, which names the number of
 * groups. */
static uint64_t scale_count(uint64_t n, double scale)
{
    double product = (double)n * scale;

    return product < 0x1p64 ? (uint64_t)product : UINT64_MAX;
}

static void scale_lines(struct model *m)
{
    for (size_t i = 0; m->lines && i <= m->job->bundles.len; i++) {
        struct timing_line *l = &m->lines[i];

        l->executions = scale_count(l->executions, m->out->scale);
        for (unsigned k = 0; k < TIMING_CAUSES; k++)
            l->account[k] = scale_count(l->account[k], m->out->scale);
    }
}

/* The ticks of each core with a group, of the whole job: what was simulated, grown as its time. */
static void count_active(struct model *m)
{
    struct timing_result *r = m->out;
    uint64_t simulated = m->now - m->begin;
    double grown = simulated ? (double)r->ticks / (double)simulated : 1;

    for (unsigned i = 0; i < m->shape->cores && i < TIMING_COUNTED_CORES; i++) {
        const struct core *c = &m->cores[i];
        uint64_t active = c->active + (c->threads ? m->now - c->active_since : 0);

        r->active[i] = scale_count(active, r->scale * grown);
    }
}

/* Adds the idle time at the end of the job and the counts of the caches. */
static void finish_accounts(struct model *m)
{
    struct timing_result *r = m->out;

    r->ticks = m->now - m->begin;
    r->scale = (double)m->job->group_total / (double)m->job->groups.len;
    for (unsigned i = 0; i < m->shape->cores * m->stations; i++)
        while (m->station[i].idle)
            charge_ticks(m, NO_BUNDLE, TIMING_IMBALANCE,
                         m->now - m->station[i].since[--m->station[i].idle]);
    end_caches(m);
    r->part = 1;
    timing_cut_end(m);
    count_active(m);
    if (r->scale > 1) {
        r->ticks = scale_count(r->ticks, r->scale);
        for (unsigned i = 0; i < TIMING_CAUSES; i++)
            r->account[i] = scale_count(r->account[i], r->scale);
        scale_lines(m);
    }
}

static void release_model(struct model *m)
{
    for (unsigned i = 0; i < m->shape->cores; i++)
        vec_free(&m->cores[i].slots);
    for (size_t i = 0; i < m->groups.len; i++)
        free(m->groups.data[i].warp);
    timing_events_release(&m->events);
    vec_free(&m->accessed_lines);
    vec_free(&m->warps);
    vec_free(&m->groups);
    free(m->instructions);
    free(m->issue_ticks);
    free(m->station);
    free(m->cores);
}

bool timing_fidelity_read(const char *text, enum timing_fidelity *out, struct error *err)
{
    if (strcmp(text, "reassemble") != 0 && strcmp(text, "detailed") != 0)
        return error_set(err, "a time model is reassemble or detailed, not %.40s", text);
    *out = *text == 'r' ? TIMING_REASSEMBLE : TIMING_DETAILED;
    return true;
}

uint64_t timing_bundle_issue(const struct timing_params *p, enum timing_fidelity fidelity,
                             const struct timing_bundle *b)
{
    uint64_t words = 0;

    if (fidelity == TIMING_DETAILED)
        return p->stage_issue ? p->stage_issue * b->stages + p->bundle_issue
                              : p->arithmetic_latency;
    for (unsigned k = 0; k < TIMING_PIPES; k++)
        words += b->words[k];
    return words * p->arithmetic_latency;
}

bool timing_model_check(const struct timing_params *p, const struct timing_shape *shape,
                        enum timing_fidelity fidelity, struct error *err)
{
    if (!timing_params_check(p, shape, err))
        return false;
    return fidelity != TIMING_DETAILED || p->pipe_depth ||
           error_set(err, "this GPU's pipe_depth is not known: there is no detailed model of it");
}

void timing_begin(struct model *m)
{
    m->now = m->begin;
    prepare_model(m);
    timing_cut_begin(m);
    timing_dispatch(m);
}

void timing_finish(struct model *m)
{
    finish_accounts(m);
    release_model(m);
}

/* Ends the stays of warps that have not ended: the model was cut. */
static void end_stays(const struct model *m)
{
    for (size_t i = 0; i < m->warps.len; i++) {
        const struct warp *w = &m->warps.data[i];

        if (w->state != WARP_ENDED)
            tell_warp(m, &m->groups.data[w->group], w);
    }
}

static bool run_model(struct model *m, struct error *err)
{
    struct beyond beyond;

    *m->out = (struct timing_result){0};
    if (m->lines)
        memset(m->lines, 0, (m->job->bundles.len + 1) * sizeof(*m->lines));
    if (!timing_model_check(m->p, m->shape, m->fidelity, err))
        return false;
    if (!m->job->groups.len)
        return error_set(err, "a job has no work-groups");
    timing_beyond_begin(&beyond, m->p);
    m->beyond = &beyond;
    timing_begin(m);
    while (advance_model(m))
        ;
    if (m->stay)
        end_stays(m);
    timing_finish(m);
    timing_beyond_end(&beyond);
    return true;
}

static struct model model_of(const struct timing_design *design, const struct timing_job *job,
                             struct timing_result *out)
{
    return (struct model){.p = design->params,
                          .shape = design->shape,
                          .fidelity = design->fidelity,
                          .job = job,
                          .out = out};
}

bool timing_run_lines(const struct timing_design *design, const struct timing_job *job,
                      struct timing_result *out, struct timing_line *lines, struct error *err)
{
    struct model m = model_of(design, job, out);

    m.lines = lines;
    return run_model(&m, err);
}

bool timing_run_wanted(const struct timing_params *p, const struct timing_shape *shape,
                       enum timing_fidelity fidelity, const struct timing_job *job,
                       struct timing_result *out, const struct timing_wanted *wanted)
{
    struct model m = {.p = p,
                      .shape = shape,
                      .job = job,
                      .fidelity = fidelity,
                      .out = out,
                      .lines = wanted->lines,
                      .cut = wanted->cut,
                      .stay = wanted->stay,
                      .stay_opaque = wanted->opaque};
    struct error ignored;

    return run_model(&m, wanted->err ? wanted->err : &ignored);
}

bool timing_run(const struct timing_params *p, const struct timing_shape *shape,
                enum timing_fidelity fidelity, const struct timing_job *job,
                struct timing_result *out, struct error *err)
{
    return timing_run_lines(&(struct timing_design){p, shape, fidelity}, job, out, NULL, err);
}
