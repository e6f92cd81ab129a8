/*
 * Going back: places in a run, running again up to one, and searching the last stop before one.
 *
 * A place is a turn, a CPU of that turn, and the ticks that this CPU has used, or the begin of a
 * turn. CPUs take turns in the order of their indices, so places are ordered. Shaders run when the
 * CPUs have had their turn, and have places of bundles.
 *
 * A run that stops within a shader cannot go on from there: its job was cut off. To go on from such
 * a place is to run again.
 */
#include "runtime/machine/history.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/cpu/debug.h"
#include "runtime/machine/debugger.h"
#include "runtime/machine/history_points.h"
#include "runtime/machine/history_shaders.h"
#include "runtime/machine/replay.h"
#include "runtime/machine/snapshot.h"

enum {
    EVERY = 100000000, /* instructions between saved states */
    KEEP = 64,
    BYTES_MB = 2048,
    /* Ticks before a wanted place at which a state is saved, so that the next step back is short.
     * A turn of one CPU alone is as long as that. */
    NEAR = 1100000,
    MOST_TICKS = 64, /* ticks of an instruction, at most */
    POLL_TURNS = 64, /* between two looks for GDB's Ctrl-C */
};

#define IN_SHADER UINT_MAX /* place.cpu; `ticks` are the bundles executed in the turn */

struct place {
    uint64_t turn;
    unsigned cpu; /* index + 1; 0: the turn has not begun; IN_SHADER */
    uint64_t ticks;
};

struct again;

struct history {
    struct history_points points;
    struct history_shaders shaders;
    struct again *searching; /* NULL: none does */
    uint64_t every, keep, bytes;
    bool wanted;       /* a state, as soon as the machine can be saved */
    struct place head; /* while the machine is in the past: where it was before */
};

static bool is_before(const struct place *a, const struct place *b)
{
    if (a->turn != b->turn)
        return a->turn < b->turn;
    return a->cpu != b->cpu ? a->cpu < b->cpu : a->ticks < b->ticks;
}

static struct place present(const struct machine *m)
{
    unsigned n = m->group.next;

    if (m->in_shader)
        return (struct place){m->turn, IN_SHADER, m->history->shaders.writes.next.bundles};
    if (!m->in_turn || n >= m->cpu_count)
        return (struct place){.turn = m->turn};
    return (struct place){m->turn, n + 1, cpu_ticks_now(m->cpus[n])};
}

/* ---- saving ---------------------------------------------------------------------------------- */

static void save_state(struct machine *m)
{
    struct history *h = m->history;
    struct error ignored;
    bool later;

    if (m->group.open || !machine_can_save(m, &later, &ignored))
        return;
    history_points_add(&h->points, m);
    history_points_thin(&h->points, history_insns(m), h->keep, h->bytes);
    h->wanted = false;
}

/* Index of the last state at or before a place; of the first if there is none. */
static size_t state_before(const struct history *h, const struct place *place)
{
    size_t n = h->points.all.len;

    while (n > 1 && (h->points.all.data[n - 1]->turn > place->turn))
        n--;
    return n - 1;
}

static bool is_due(const struct machine *m)
{
    const struct history *h = m->history;
    struct place now = {.turn = m->turn};

    return h->wanted ||
           history_insns(m) >= h->points.all.data[state_before(h, &now)]->insns + h->every;
}

static bool may_change(struct machine *m)
{
    if (journal_is_replay(m->journal))
        return false;
    /* The first state is taken at the next turn, since this one may be in progress. */
    m->history->wanted = true;
    history_points_clear(&m->history->points);
    return true;
}

/* ---- the end of the past --------------------------------------------------------------------- */

/* The machine is where it was before: input and output are the host's again. */
static void return_from_past(struct machine *m)
{
    struct debug *d = m->group.debug;

    journal_resume(m->journal);
    if (!d)
        return;
    if (m->debugger && debugger_is_connected(m))
        debug_set_stop(d, &(struct debug_stop){.why = DEBUG_GOAL, .cpu = m->cpus[0]});
    else if (debug_is_stopped(d))
        debug_resume(d);
}

static void serve_past(struct machine *m)
{
    const struct place *head = &m->history->head;
    struct place now = present(m);
    struct debug *d = m->group.debug;
    bool stopped = d && debug_is_stopped(d);

    if (!is_before(&now, head) && (!stopped || debug_last_stop(d)->why == DEBUG_GOAL || !head->cpu))
        return_from_past(m);
}

/* Sets the end of the past as the debugger's goal. The debugger may have gone back, or been
 * attached anew, since serve(). */
static void set_end_of_past(struct machine *m)
{
    const struct place *head = &m->history->head;
    struct debug *d = m->group.debug;

    if (!d || !journal_is_past(m->journal))
        return;
    for (unsigned n = 0; n < m->cpu_count; n++)
        debug_set_goal(d, m->cpus[n], head->cpu == n + 1 ? head->ticks : 0);
}

static void serve(struct machine *m)
{
    if (journal_is_past(m->journal))
        serve_past(m);
    if (!m->in_turn && (!m->history->points.all.len || is_due(m)))
        save_state(m);
}

/* Leaves the CPUs stopped, for a client of the debugger. */
static void stop_here(struct machine *m, enum debug_why why, struct cpu *cpu)
{
    if (m->group.debug && (!m->debugger || debugger_is_connected(m)))
        debug_set_stop(m->group.debug, &(struct debug_stop){.why = why, .cpu = cpu});
}

/* ---- running again --------------------------------------------------------------------------- */

/* A run from a saved state up to a place. */
struct again {
    struct machine *m;
    struct place limit; /* the run ends here at the latest; ticks 0 with a CPU: at the goal only */
    struct cpu *near;   /* save a state NEAR ticks before this CPU's `goal`; NULL: none */
    uint64_t goal;
    uint64_t save_turn;      /* save a state when this turn begins; 0: none */
    bool search;             /* note the last stop */
    bool found, interrupted; /* there is a stop; GDB's user ended the run */
    struct place last;
    struct debug_stop stop;
};

/* Goes to the n-th state; `inspect`: shaders are looked at from there on. */
static bool restore(struct machine *m, size_t n, bool inspect, struct error *err)
{
    struct history_point *point = m->history->points.all.data[n];
    struct place now = present(m);

    if (!journal_is_past(m->journal))
        m->history->head = now;
    journal_rewind(m->journal, point->journal, point->turn);
    stop_here(m, DEBUG_NONE, m->cpus[0]);
    machine_reset_devices(m);
    history_shaders_inspect(&m->history->shaders, m, inspect);
    m->in_shader = false;
    if (history_point_restore(point, m, err))
        return true;
    machine_stop(m, 2);
    return false;
}

static void save_near(struct again *a)
{
    struct machine *m = a->m;
    uint64_t used;

    if (m->in_turn)
        return;
    if (a->save_turn && m->turn == a->save_turn) {
        a->save_turn = 0;
        save_state(m);
    }
    if (!a->near)
        return;
    used = cpu_ticks_now(a->near);
    if (used > a->goal || a->goal - used > NEAR)
        return;
    a->near = NULL;
    save_state(m);
}

/* Handles a stop of the debugger; true: it is the goal. */
static bool handle_stop(struct again *a)
{
    struct debug *d = a->m->group.debug;
    const struct debug_stop *stop = debug_last_stop(d);
    struct place here = present(a->m);

    if (stop->why == DEBUG_GOAL)
        return true;
    if (a->search && is_before(&here, &a->limit) &&
        (stop->why == DEBUG_BREAKPOINT || stop->why == DEBUG_WATCHPOINT)) {
        a->found = true;
        a->last = here;
        a->stop = *stop;
    }
    debug_resume(d);
    return false;
}

/* Whether the run has come to its limit, between two turns. */
static bool is_at_limit(const struct again *a)
{
    struct place now = present(a->m);

    return a->limit.cpu ? now.turn > a->limit.turn : !is_before(&now, &a->limit);
}

/* Runs to the limit, or to the goal of a CPU; true: to the goal. */
static bool run_again(struct again *a, struct error *err)
{
    struct machine *m = a->m;
    struct debug *d = m->group.debug;

    if (d && debug_is_stopped(d))
        debug_resume(d);
    for (unsigned turns = 0; !m->stop && !is_at_limit(a); turns++) {
        save_near(a);
        if (!m->in_turn)
            machine_replay_input(m);
        if (!machine_turn(m) && !m->stop && !journal_peek(m->journal)) {
            error_set(err, "nothing happens any more before the wanted place");
            return false;
        }
        if (d && debug_is_stopped(d) && handle_stop(a))
            return true;
        if (turns % POLL_TURNS == 0 && m->debugger && debugger_is_interrupted(m)) {
            a->interrupted = true;
            return false;
        }
    }
    if (m->stop)
        error_set(err, "the run ends before the wanted place%s%s",
                  journal_diverged(m->journal) ? ": " : "",
                  journal_diverged(m->journal) ? journal_diverged(m->journal) : "");
    return false;
}

static enum machine_back end_at_begin(struct machine *m, struct error *err)
{
    if (m->history->points.all.len && !restore(m, 0, false, err))
        return MACHINE_BACK_FAILED;
    stop_here(m, DEBUG_REQUEST, m->cpus[0]);
    return MACHINE_BACK_BEGIN;
}

/* ---- one instruction back -------------------------------------------------------------------- */

/* Index of the last state in which the CPU has used at most `ticks`; -1: none. */
static int state_with(const struct machine *m, unsigned cpu, uint64_t ticks)
{
    int n = (int)m->history->points.all.len - 1;

    while (n >= 0 && m->history->points.all.data[n]->ticks[cpu] > ticks)
        n--;
    return n;
}

/* Runs from the last state before until the CPU has used `goal` ticks or a bit more; there is such
 * a state. False: it failed, was interrupted, or does not get there. */
static bool seek_ticks(struct machine *m, unsigned cpu, uint64_t goal, struct again *a,
                       struct error *err)
{
    *a = (struct again){.m = m, .limit = m->history->head, .near = m->cpus[cpu], .goal = goal};
    a->limit.cpu = a->limit.cpu ? a->limit.cpu : 1; /* the turn itself is within the limit */
    if (!restore(m, (size_t)state_with(m, cpu, goal), false, err))
        return false;
    a->limit.turn = m->history->head.turn;
    debug_set_goal(m->group.debug, m->cpus[cpu], goal);
    return run_again(a, err);
}

static unsigned index_of(const struct machine *m, const struct cpu *cpu)
{
    unsigned n = 0;

    while (n + 1 < m->cpu_count && m->cpus[n] != cpu)
        n++;
    return n;
}

/* From a place before the CPU has used `from` ticks: the ticks of its last place before that. */
static uint64_t last_before(struct again *a, unsigned cpu, uint64_t from, struct error *err)
{
    struct cpu *c = a->m->cpus[cpu];
    uint64_t last = cpu_ticks_now(c);

    for (;;) {
        debug_resume(a->m->group.debug);
        debug_set_goal_behind(a->m->group.debug, c, last + 1);
        if (!run_again(a, err) || cpu_ticks_now(c) >= from)
            return last;
        last = cpu_ticks_now(c);
    }
}

static enum machine_back interrupted(struct machine *m, const struct again *a)
{
    if (!a->interrupted)
        return MACHINE_BACK_FAILED;
    history_shaders_inspect(&m->history->shaders, m, false);
    stop_here(m, DEBUG_REQUEST, m->cpus[0]);
    return MACHINE_BACK_STOPPED;
}

/* ---- in shaders ------------------------------------------------------------------------------ */

/* A write to watched memory: the last one yet of a search, or what a run to a place tells. */
static void note_write(void *opaque, const struct gpu_write *w)
{
    struct machine *m = opaque;
    struct history *h = m->history;
    struct again *a = h->searching;
    struct place here = {w->at.turn, IN_SHADER, w->at.bundles};

    if (!a) {
        history_shaders_tell(&h->shaders, m, w);
    } else if (is_before(&here, &a->limit)) {
        a->found = true;
        a->last = here;
        a->stop = (struct debug_stop){.why = DEBUG_WATCHPOINT, .address = w->address};
    }
}

/* The run is at the wanted bundle; called by a shader core, for which the machine waits. */
static void stop_in_shader(void *opaque)
{
    struct machine *m = opaque;

    m->in_shader = true;
    debug_set_stop(m->group.debug, &(struct debug_stop){.why = DEBUG_GOAL, .cpu = m->cpus[0]});
    cpu_group_stop(&m->group);
}

/* Runs until so many bundles were executed in a turn. */
static bool seek_bundle(struct machine *m, uint64_t turn, uint64_t bundles, struct again *a,
                        struct error *err)
{
    struct gpu_shader_writes *w = &m->history->shaders.writes;
    struct place place = {turn, IN_SHADER, UINT64_MAX};

    *a = (struct again){.m = m, .limit = place, .save_turn = turn};
    if (!restore(m, state_before(m->history, &place), true, err))
        return false;
    w->freezes = true;
    w->freeze = (struct gpu_write_place){turn, bundles};
    run_again(a, err);
    w->freezes = false;
    if (!m->in_shader && !a->interrupted && !*err->text)
        error_set(err, "the shader is not there again");
    return m->in_shader;
}

/* The stop of a watchpoint at this address, or of the monitor's; `note` says who wrote. */
static void stop_at_write(struct machine *m, uint64_t address, struct cpu *cpu)
{
    struct debug *d = m->group.debug;
    struct debug_stop stop = {.why = DEBUG_BREAKPOINT, .cpu = cpu, .address = address};
    uint64_t va, len;
    unsigned kinds;

    for (size_t n = 0; debug_watchpoint(d, n, &va, &len, &kinds); n++) {
        if (!(kinds & DEBUG_WATCH_WRITE) || address < va || address - va >= len)
            continue;
        stop.why = DEBUG_WATCHPOINT;
        stop.watch = (enum debug_watch)kinds;
    }
    stop.note = m->history->shaders.told.note;
    debug_set_stop(d, &stop);
}

/* Goes to a found write: behind its bundle, as for CPUs, from where a debugger steps back. */
static enum machine_back go_to_write(struct machine *m, const struct again *found, struct cpu *cpu,
                                     struct error *err)
{
    struct again a;

    if (!seek_bundle(m, found->last.turn, found->last.ticks + 1, &a, err))
        return interrupted(m, &a);
    m->history->shaders.behind = true;
    stop_at_write(m, found->stop.address, cpu);
    if (debug_last_stop(m->group.debug)->why == DEBUG_WATCHPOINT)
        return MACHINE_BACK_STOPPED;
    if (!seek_bundle(m, found->last.turn, found->last.ticks, &a, err))
        return interrupted(m, &a);
    m->history->shaders.behind = false;
    stop_at_write(m, 0, cpu);
    return MACHINE_BACK_STOPPED;
}

/* From behind the bundle that wrote to before it. */
static enum machine_back step_over_write(struct machine *m, struct cpu *cpu, struct error *err)
{
    struct place here = present(m);
    struct again a;

    if (!seek_bundle(m, here.turn, here.ticks - 1, &a, err))
        return interrupted(m, &a);
    m->history->shaders.behind = false;
    stop_here(m, DEBUG_STEP, cpu);
    return MACHINE_BACK_STOPPED;
}

static void leave_shader(struct machine *m)
{
    struct place here = present(m);
    struct again a = {.m = m, .limit = {.turn = here.turn + 1}};
    bool step = debug_is_stepping(m->group.debug);
    struct error err = {0};

    if (!restore(m, state_before(m->history, &here), false, &err))
        return;
    run_again(&a, &err);
    if (*err.text) {
        fprintf(stderr, "%s: reverse execution: %s\n", m->platform->name, err.text);
        machine_stop(m, 2);
    } else if (step) {
        stop_here(m, DEBUG_STEP, m->cpus[0]);
    }
}

static enum machine_back step_back(struct machine *m, struct cpu *cpu, struct error *err)
{
    unsigned k = index_of(m, cpu);
    uint64_t from = cpu_ticks_now(cpu), ticks = 0;
    struct again a;

    for (unsigned less = 1; less <= MOST_TICKS; less *= 2) {
        if (from < less || state_with(m, k, from - less) < 0)
            return end_at_begin(m, err);
        if (!seek_ticks(m, k, from - less, &a, err))
            return interrupted(m, &a);
        ticks = cpu_ticks_now(cpu);
        if (ticks < from && less > 1) {
            ticks = last_before(&a, k, from, err);
            if (!seek_ticks(m, k, ticks, &a, err))
                return interrupted(m, &a);
        }
        if (ticks < from) {
            stop_here(m, DEBUG_STEP, cpu);
            return MACHINE_BACK_STOPPED;
        }
    }
    return end_at_begin(m, err);
}

/* ---- to the last stop ------------------------------------------------------------------------ */

/* Runs the interval from the n-th state to the limit, and notes the last stop in it. */
static bool search_interval(struct machine *m, size_t n, const struct place *limit, struct again *a,
                            struct error *err)
{
    struct error own = {0};

    *a = (struct again){.m = m, .limit = *limit, .search = true};
    if (!restore(m, n, m->history->shaders.writes.watched.len, err))
        return false;
    if (limit->cpu && limit->cpu != IN_SHADER)
        debug_set_goal(m->group.debug, m->cpus[limit->cpu - 1], limit->ticks);
    m->history->searching = a;
    run_again(a, &own);
    m->history->searching = NULL;
    if (*own.text)
        return error_set(err, "%s", own.text);
    return !a->interrupted;
}

/* Goes to the found stop; behind the instruction of a watchpoint. */
static enum machine_back go_to_stop(struct machine *m, const struct again *found, struct error *err)
{
    unsigned k = found->last.cpu - 1;
    struct cpu *cpu = m->cpus[k];
    struct debug_stop stop = found->stop;
    struct again a;

    if (!seek_ticks(m, k, found->last.ticks, &a, err))
        return interrupted(m, &a);
    if (stop.why == DEBUG_WATCHPOINT) {
        debug_resume(m->group.debug);
        debug_set_goal_behind(m->group.debug, cpu, found->last.ticks + 1);
        if (!run_again(&a, err))
            return interrupted(m, &a);
    }
    if (m->group.debug && debug_is_stopped(m->group.debug))
        debug_set_stop(m->group.debug, &stop);
    return MACHINE_BACK_STOPPED;
}

static enum machine_back continue_back(struct machine *m, struct error *err)
{
    struct cpu *cpu = debug_last_stop(m->group.debug)->cpu;
    struct place limit = present(m);
    struct again a;

    if (!m->history->points.all.len)
        return end_at_begin(m, err);
    history_shaders_watch(&m->history->shaders, m);
    for (size_t n = state_before(m->history, &limit);; n--) {
        const struct history_point *point = m->history->points.all.data[n];
        struct place begin = {.turn = point->turn};

        if (is_before(&begin, &limit)) {
            if (!search_interval(m, n, &limit, &a, err))
                return interrupted(m, &a);
            if (a.found && a.last.cpu == IN_SHADER)
                return go_to_write(m, &a, cpu ? cpu : m->cpus[0], err);
            if (a.found)
                return go_to_stop(m, &a, err);
            limit = begin;
        }
        if (!n)
            return end_at_begin(m, err);
    }
}

/* ---- the monitor ----------------------------------------------------------------------------- */

bool history_go_to(struct machine *m, uint64_t ns, struct error *err)
{
    struct history *h = m->history;
    struct again a = {.m = m};
    size_t n = h->points.all.len;

    while (n > 1 && h->points.all.data[n - 1]->ns > ns)
        n--;
    if (!n || h->points.all.data[0]->ns > ns)
        return error_set(err, "the history begins later");
    if (!restore(m, n - 1, false, err))
        return false;
    while (!m->stop && !a.interrupted && m->clock.now < ns && m->turn < h->head.turn) {
        struct error own = {0};

        a.limit = (struct place){.turn = m->turn + 1};
        run_again(&a, &own);
        if (*own.text)
            return error_set(err, "%s", own.text);
    }
    stop_here(m, DEBUG_REQUEST, m->cpus[0]);
    return true;
}

void history_print(const struct machine *m, FILE *out)
{
    const struct history *h = m->history;

    fprintf(out, "%u states in memory, %.1f MB\n", (unsigned)h->points.all.len,
            (double)h->points.bytes / 1e6);
    vec_for_each (&h->points.all, point)
        fprintf(out, "  %14.6f s  %16" PRIu64 " instructions  turn %" PRIu64 "\n",
                (double)(*point)->ns / 1e9, (*point)->insns, (*point)->turn);
    fprintf(out, "now %.6f s, %" PRIu64 " instructions, turn %" PRIu64 "%s\n",
            (double)m->clock.now / 1e9, history_insns(m), m->turn,
            journal_is_past(m->journal) ? ", in the past" : "");
}

/* ---- life ------------------------------------------------------------------------------------ */

static enum machine_back go_back(struct machine *m, struct cpu *cpu, struct error *err)
{
    if (!cpu)
        return continue_back(m, err);
    if (m->in_shader && m->history->shaders.behind)
        return step_over_write(m, cpu, err);
    return step_back(m, cpu, err);
}

bool history_watch_gpu(struct machine *m, uint64_t pa, uint64_t bytes, struct error *err)
{
    struct history_shaders *s = &m->history->shaders;

    if (!s->gpu)
        return error_set(err, "the machine has no GPU with shader cores");
    if (!bytes)
        s->points.len = 0;
    else if (!bus_ram_ptr(m->bus, pa, bytes))
        return error_set(err, "there is no memory at 0x%" PRIx64, pa);
    else
        vec_push(&s->points, (struct history_gpu_point){pa, bytes});
    return true;
}

bool history_print_writer(const struct machine *m, uint64_t around, FILE *out)
{
    return history_shaders_print(&m->history->shaders, around, out);
}

static const struct machine_history going_back = {serve, set_end_of_past, go_back, may_change,
                                                  leave_shader};

bool history_open(struct machine *m, struct error *err)
{
    const struct options *o = m->options;
    struct history *h;
    bool later;

    if (!o->reverse)
        return true;
    if (o->report || o->timeline || o->cpu_timing || o->gpu_timed)
        return error_set(err, "-reverse takes neither -report, -timeline, -cpu-timing nor "
                              "-gpu-timing");
    if (!machine_can_save(m, &later, err))
        return false;
    h = m->history = xcalloc(1, sizeof(*h));
    h->every = o->reverse_every ? o->reverse_every : EVERY;
    h->keep = o->reverse_keep ? o->reverse_keep : KEEP;
    h->bytes = o->reverse_bytes ? o->reverse_bytes : (uint64_t)BYTES_MB << 20;
    m->going_back = &going_back;
    history_shaders_open(&h->shaders, m);
    h->shaders.writes.found = note_write;
    h->shaders.writes.frozen = stop_in_shader;
    save_state(m);
    return true;
}

void history_close(struct machine *m)
{
    if (m->history) {
        history_points_clear(&m->history->points);
        history_shaders_close(&m->history->shaders);
    }
    free(m->history);
    m->history = NULL;
    m->going_back = NULL;
}
