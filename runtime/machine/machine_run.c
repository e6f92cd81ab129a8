/* The main loop: turns of the CPUs, posted work of host threads, and waiting in host time. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "runtime/cpu/debug.h"
#include "runtime/cpu/watch.h"
#include "runtime/dev/chardev.h"
#include "runtime/machine/debugger.h"
#include "runtime/machine/gpu_debugger.h"
#include "runtime/machine/leave.h"
#include "runtime/machine/replay.h"
#include "runtime/machine/snapshot.h"

enum { STATUS_LIMIT = 124 };

struct runner {
    struct machine *m;
    struct event limit;
    bool host_time;
};

static uint64_t host_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec;
}

static void limit_reached(void *opaque)
{
    struct machine *m = opaque;

    fprintf(stderr, "\n%s: the virtual time limit is reached\n", m->platform->name);
    machine_stop(m, STATUS_LIMIT);
}

static bool is_executing(void *opaque)
{
    struct machine *m = opaque;

    return __atomic_load_n(&m->group.running, __ATOMIC_RELAXED) != NULL;
}

/* Called by the watching thread. Virtual time stands still in an instruction that does not end, so
 * that -limit would not be reached. */
static void report_stuck(void *opaque)
{
    const struct machine *m = opaque;

    chardev_restore_terminal();
    fprintf(stderr,
            "\n%s: stopped: an instruction has not ended after %d s of work; its behaviour loops\n",
            m->platform->name, CPU_WATCH_SECONDS);
    for (unsigned i = 0; i < m->cpu_count; i++)
        fprintf(stderr, "  cpu%u at %#" PRIx64 " or in the block that begins there\n", i,
                cpu_pc(m->cpus[i]));
    _exit(STATUS_LIMIT);
}

/* Whether all CPUs wait for an event or for the host. */
static bool all_wait(const struct machine *m)
{
    for (unsigned i = 0; i < m->cpu_count; i++) {
        if (cpu_can_run(m->cpus[i]))
            return false;
    }
    return true;
}

/* Waits in host time for as long as virtual time would jump to the next event. */
static void keep_pace_with_host(struct machine *m)
{
    uint64_t next = clock_next(&m->clock), now = m->clock.now, from, passed;

    if (next == CLOCK_NEVER || next <= now || !all_wait(m))
        return;
    from = host_ns();
    if (!clock_wait_posted(&m->clock, next - now))
        return;
    passed = host_ns() - from;
    if (passed < next - now)
        machine_journal_time(m, now + passed);
}

static void restart_or_stop(struct machine *m)
{
    struct error err = {0};

    if (m->options->no_reboot) {
        machine_stop(m, 0);
    } else if (!machine_reset(m, &err)) {
        fprintf(stderr, "%s: %s\n", m->platform->name, err.text);
        machine_stop(m, 2);
    }
}

/* Whether the debugger stopped the CPUs in the midst of a turn. */
static bool is_in_turn(const struct machine *m)
{
    return (m->group.open || m->in_shader) && m->group.debug && debug_is_stopped(m->group.debug);
}

bool machine_turn(struct machine *m)
{
    bool turned = cpu_group_turn(&m->group);

    m->in_turn = m->journal && is_in_turn(m);
    if (m->journal && !m->in_turn)
        machine_journal_turned(m, turned);
    if (m->sampler)
        machine_sample(m);
    if (m->reset_wanted && !m->in_turn && !m->stop)
        restart_or_stop(m);
    return turned;
}

/* Input comes between turns, and may not come while the debugger stops the CPUs within one. */
static void take_input(struct machine *m)
{
    if (m->in_turn) {
        if (m->leave && __atomic_load_n(leave_wanted(m->leave), __ATOMIC_RELAXED))
            machine_stop(m, 0);
        return;
    }
    clock_run_posted(&m->clock);
    if (m->journal)
        machine_replay_input(m);
}

/* Serves the debuggers of the CPUs and of the GPU; false: one of them holds the machine. */
static bool serve_debuggers(struct machine *m)
{
    bool held = m->gpu_debugger && !gpu_debugger_serve(m);

    if (m->debugger && !debugger_serve(m))
        return false;
    if (held)
        clock_wait_posted(&m->clock, CLOCK_NEVER);
    return !held;
}

static void run_turn(struct runner *r)
{
    struct machine *m = r->m;

    take_input(m);
    if (m->watch.opaque)
        m->watch.serve(m->watch.opaque);
    if (m->stop || m->reset_wanted)
        return;
    if (m->going_back)
        m->going_back->serve(m);
    if (!serve_debuggers(m))
        return;
    if (m->in_shader && !debug_is_stopped(m->group.debug)) {
        m->going_back->leave_shader(m);
        return;
    }
    if (m->going_back)
        m->going_back->set_end(m);
    if (m->snapshots)
        machine_serve_snapshots(m);
    if (m->paused) {
        clock_wait_posted(&m->clock, CLOCK_NEVER);
        return;
    }
    if (r->host_time && !m->in_turn && !journal_is_past(m->journal))
        keep_pace_with_host(m);
    if (!machine_turn(m) && !m->stop && !(m->journal && journal_is_replay(m->journal)))
        clock_wait_posted(&m->clock, CLOCK_NEVER);
}

int machine_run(struct machine *m)
{
    enum clock_mode mode = m->options->clock;
    struct cpu_watch *watch = NULL;
    struct runner r = {.m = m};

    r.host_time = mode == CLOCK_HOST || (mode == CLOCK_AUTO && machine_is_interactive(m));
    r.host_time = r.host_time && !(m->journal && journal_is_replay(m->journal));
    event_init(&r.limit, limit_reached, m);
    clock_add(&m->clock, &r.limit, m->options->limit_ns);
    if (m->options->limit_ns != CLOCK_NEVER)
        watch = cpu_watch_start(is_executing, report_stuck, m);
    while (!m->stop) {
        run_turn(&r);
        cpu_watch_turn(watch);
        if (m->reset_wanted && !m->stop)
            restart_or_stop(m);
    }
    cpu_watch_end(watch);
    clock_cancel(&m->clock, &r.limit);
    return m->status;
}
