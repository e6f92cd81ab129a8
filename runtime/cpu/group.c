/*
 * Several CPUs in turns on one host thread, in virtual time.
 *
 * A turn is a stretch of virtual time that begins at clock->now. Each CPU runs until its own time
 * reaches the end of the turn. cpu->ahead_ps is how far a CPU is past clock->now when a turn
 * begins: a block may overrun an event, memory takes time, and an instruction may take several
 * ticks or a fraction of a nanosecond. CPUs differ in speed by the length of their ticks. Nothing
 * here depends on the host, so runs are reproducible.
 */
#include "runtime/base/alloc.h"
#include "runtime/cpu/debug.h"
#include "runtime/cpu/internal.h"

#include <stdlib.h>

#define DEFAULT_QUANTUM 10000

/* Longest time that is counted in picoseconds. Only waiting takes longer, no turn. */
#define MAX_TURN_NS (UINT64_C(1) << 50)

/* ---- life ------------------------------------------------------------------------------------ */

bool cpu_group_init(struct cpu_group *g, struct cpu **cpus, unsigned count, struct bus *bus,
                    struct clock *clock, struct error *err)
{
    *g = (struct cpu_group){.clock = clock};
    g->code = code_acquire(bus);
    if (!g->code)
        return error_set(err, "the bus of the CPUs has another listener for writes to code");
    g->quantum = DEFAULT_QUANTUM;
    g->ps_per_tick = GROUP_TICK_PS;
    for (unsigned n = 0; n < count; n++)
        cpu_group_add(g, cpus[n]);
    if (clock) {
        clock_set_offset_fn(clock, group_offset_ns, g);
        clock_set_sooner_fn(clock, group_sooner, g);
    }
    return true;
}

void cpu_group_free(struct cpu_group *g)
{
    for (unsigned n = 0; n < g->count; n++)
        g->cpu[n]->group = NULL;
    if (g->clock) {
        clock_set_offset_fn(g->clock, NULL, NULL);
        clock_set_sooner_fn(g->clock, NULL, NULL);
    }
    code_release(g->code);
    free(g->cpu);
    *g = (struct cpu_group){0};
}

void cpu_group_add(struct cpu_group *g, struct cpu *cpu)
{
    g->cpu = xrealloc(g->cpu, g->count + 1, sizeof(struct cpu *));
    g->cpu[g->count++] = cpu;
    cpu->group = g;
    cpu->debug = g->debug;
    cpu->ahead_ps = 0;
    code_attach(cpu); /* cannot fail: the group holds the cache of this bus */
}

void cpu_group_remove(struct cpu_group *g, struct cpu *cpu)
{
    unsigned n = 0;

    while (n < g->count && g->cpu[n] != cpu)
        n++;
    if (n == g->count)
        return;
    g->count--;
    memmove(g->cpu + n, g->cpu + n + 1, (g->count - n) * sizeof(struct cpu *));
    if (g->next > n)
        g->next--;
    cpu->group = NULL;
    cpu->debug = NULL;
}

void cpu_group_count(struct cpu_group *g, bool on)
{
    code_set_counting(g->code, on);
}

/* ---- turns ----------------------------------------------------------------------------------- */

/* Whether the CPU is to report the end of a step although it is halted. */
static bool debug_wakes(const struct cpu *cpu)
{
    return cpu->debug_state && cpu->debug && !debug_is_exact(cpu->debug);
}

static bool can_run(const struct cpu *cpu)
{
    return cpu->powered && !cpu->frozen && (!cpu->halted || cpu->lines || debug_wakes(cpu));
}

static bool any_can_run(const struct cpu_group *g)
{
    for (unsigned n = 0; n < g->count; n++) {
        if (can_run(g->cpu[n]))
            return true;
    }
    return false;
}

/* Lets time pass for all CPUs; a CPU that has not run for that long has waited. */
static void pass_time(struct cpu_group *g, int64_t ps)
{
    for (unsigned n = 0; n < g->count; n++) {
        struct cpu *cpu = g->cpu[n];

        cpu->ahead_ps = cpu->ahead_ps > ps ? cpu->ahead_ps - ps : 0;
    }
}

static bool skip_to_event(struct cpu_group *g)
{
    uint64_t next = g->clock ? clock_next(g->clock) : CLOCK_NEVER, ns;

    if (next == CLOCK_NEVER)
        return false;
    ns = next > g->clock->now ? next - g->clock->now : 0;
    pass_time(g, (int64_t)(ns < MAX_TURN_NS ? ns : MAX_TURN_NS) * PS_PER_NS);
    clock_advance_to(g->clock, next);
    return true;
}

/* Length of a tick of the fastest CPU that is on; at least one is. */
static uint64_t shortest_tick(const struct cpu_group *g)
{
    uint64_t ps = UINT64_MAX;

    for (unsigned n = 0; n < g->count; n++) {
        if (g->cpu[n]->powered && group_tick_ps(g, g->cpu[n]) < ps)
            ps = group_tick_ps(g, g->cpu[n]);
    }
    return ps;
}

static void open_turn(struct cpu_group *g)
{
    /* A CPU that runs alone may have longer turns, since no other waits; each turn's end costs the
     * rest of a block. */
    uint64_t quantum = g->lone_quantum && !group_is_shared(g) ? g->lone_quantum : g->quantum;
    uint64_t each = shortest_tick(g), ps = quantum * each, ns = ps / PS_PER_NS, next;

    if (ps / each != quantum || ns > MAX_TURN_NS)
        ns = MAX_TURN_NS;
    ns = ns ? ns : 1;
    if (g->clock) {
        clock_advance_to(g->clock, g->clock->now); /* runs events that are already due */
        next = clock_next(g->clock) - g->clock->now;
        ns = next < ns ? next : ns;
    }
    g->turn_ps = (int64_t)ns * PS_PER_NS;
    g->next = 0;
    g->turns++;
    g->open = true;
}

static void close_turn(struct cpu_group *g)
{
    g->open = false;
    pass_time(g, g->turn_ps);
    if (g->clock)
        clock_advance_to(g->clock, g->clock->now + (uint64_t)g->turn_ps / PS_PER_NS);
}

static void call_clear_monitor(struct cpu *cpu, void *arg)
{
    (void)arg;
    cpu_clear_monitor(cpu);
}

/* Sets the running CPU. The thread that watches for endless instructions reads it at any time. */
static void set_running(struct cpu_group *g, struct cpu *cpu)
{
    __atomic_store_n(&g->running, cpu, __ATOMIC_RELAXED);
}

/* Stops where the CPU's turn has ended, if the debugger's goal is to be reported there. */
static void report_goal_behind(struct cpu *cpu)
{
    if (!cpu->debug || !cpu->goal || !cpu->goal_behind || cpu->ticks < cpu->goal)
        return;
    cpu->goal = 0;
    debug_report(cpu, DEBUG_GOAL, cpu->pc);
}

/* Runs one CPU to the end of the turn. */
static void run_one(struct cpu_group *g, struct cpu *cpu)
{
    uint64_t budget = group_ticks_left(g, cpu), used;

    if ((!budget && !cpu->rest) || !can_run(cpu))
        return;
    cpu->turn_from = cpu->ticks;
    cpu->turn_delayed = cpu->delayed_ps;
    set_running(g, cpu);
    used = cpu_run(cpu, budget);
    set_running(g, NULL);
    cpu->ahead_ps += (int64_t)(used * group_tick_ps(g, cpu) + cpu->delayed_ps - cpu->turn_delayed);
    /* Other CPUs run now and may write to the monitored address, so the monitor is cleared. */
    if (!g->stop && used && group_is_shared(g))
        cpu_guard(cpu, call_clear_monitor, NULL);
    if (!g->stop)
        report_goal_behind(cpu);
}

bool cpu_group_turn(struct cpu_group *g)
{
    g->stop = false;
    if (!g->open) {
        if (!any_can_run(g))
            return skip_to_event(g);
        open_turn(g);
        if (g->stop && g->debug && debug_is_stopped(g->debug))
            return true; /* by an event */
    }
    while (g->next < g->count) {
        run_one(g, g->cpu[g->next]);
        if (g->stop)
            return true;
        g->next++;
    }
    close_turn(g);
    return true;
}
