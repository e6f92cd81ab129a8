/*
 * What CPUs do, looked at after each turn: the tracks of CPUs in a timeline. So the times at which
 * tasks change are known to a turn, 10,000 ticks at most.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/machine/gpu_timeline.h"
#include "runtime/machine/linux_tasks.h"
#include "runtime/machine/machine.h"

enum { CPUS = 1 }; /* the timeline's process of CPUs; gpu_timeline.c has the others */

/* What a CPU does since a time. */
struct stretch {
    uint64_t since;
    uint64_t task; /* address, or a value of enum unknown */
    uint32_t name, args, track;
};

/* In place of the task's address, when that is not known. */
enum unknown { NOTHING, RUNNING };

struct machine_sampler {
    FILE *file; /* of the timeline; NULL: none is wanted */
    uint64_t from, until;
    struct timeline *timeline;
    struct gpu_timeline *gpu;
    struct linux_tasks *tasks; /* NULL: the platform does not say */
    struct stretch cpu[DEVICE_MAX_CPUS];
};

/* ---- tracks of CPUs -------------------------------------------------------------------------- */

static void end_stretch(struct machine_sampler *s, unsigned cpu, uint64_t now)
{
    struct stretch *is = &s->cpu[cpu];

    if (is->task != NOTHING && now > is->since)
        timeline_slice(s->timeline, is->track, is->name, is->args, is->since, now);
}

/* The task as the timeline has it: idle tasks are none. */
static uint64_t task_of(const struct machine *m, unsigned cpu, const struct linux_task *task)
{
    if (task && task->address)
        return task->idle ? NOTHING : task->address;
    return cpu_can_run(m->cpus[cpu]) ? RUNNING : NOTHING;
}

static void begin_stretch(struct machine_sampler *s, unsigned cpu, uint64_t task, const char *name,
                          uint64_t now)
{
    struct stretch *is = &s->cpu[cpu];
    char args[48];

    is->since = now;
    is->task = task;
    is->args = 0;
    is->name = timeline_text(s->timeline, name);
    if (task > RUNNING) {
        snprintf(args, sizeof(args), "\"task\":\"0x%llx\"", (unsigned long long)task);
        is->args = timeline_text(s->timeline, args);
    }
}

static void sample_cpu(struct machine *m, unsigned cpu, uint64_t now)
{
    struct machine_sampler *s = m->sampler;
    const struct linux_task *task = s->tasks ? linux_tasks_current(s->tasks, cpu) : NULL;
    uint64_t is = task_of(m, cpu, task);
    const char *name = is <= RUNNING ? "running" : task->name[0] ? task->name : "task";

    if (is == s->cpu[cpu].task &&
        (is <= RUNNING || timeline_text(s->timeline, name) == s->cpu[cpu].name))
        return;
    end_stretch(s, cpu, now);
    begin_stretch(s, cpu, is, name, now);
}

/* ---- the machine's part ---------------------------------------------------------------------- */

static void open_timeline(struct machine *m)
{
    const struct options *o = m->options;
    struct machine_sampler *s = m->sampler;
    struct gpu_observer *observer;

    s->from = o->timeline_from;
    s->until = o->timeline_for < CLOCK_NEVER - s->from ? s->from + o->timeline_for : CLOCK_NEVER;
    s->timeline = timeline_new(&(struct timeline_bounds){s->from, s->until, o->timeline_events});
    for (unsigned i = 0; i < m->cpu_count; i++) {
        char name[16];

        snprintf(name, sizeof(name), "cpu%u", i);
        s->cpu[i].track = timeline_track(s->timeline, CPUS, "CPUs", i, name);
    }
    s->gpu = gpu_timeline_new(s->timeline, &m->clock, m->gpu.kernel_name, m->gpu.kernel_opaque);
    observer = gpu_timeline_observer(s->gpu);
    observer->next = m->gpu.observers;
    m->gpu.observers = observer;
}

bool machine_open_sampler(struct machine *m, struct error *err)
{
    const struct options *o = m->options;
    struct machine_sampler *s;

    if (!o->timeline)
        return true;
    m->sampler = s = xcalloc(1, sizeof(*s));
    s->file = fopen(o->timeline, "w");
    if (!s->file)
        return error_set(err, "%s: %s", o->timeline, strerror(errno));
    s->tasks = linux_tasks_new(&m->info, m->bus, m->cpus, m->cpu_count);
    /* Turns stay short, since they are what is looked at. Where another CPU may be switched on, the
     * length of turns before that is something that a guest can observe. */
    if (m->cpu_count == 1)
        m->group.alone = 0;
    open_timeline(m);
    return true;
}

void machine_sample(struct machine *m)
{
    struct machine_sampler *s = m->sampler;
    uint64_t now = m->clock.now;

    if (now < s->from || now > s->until || timeline_is_full(s->timeline))
        return;
    for (unsigned i = 0; i < m->cpu_count; i++)
        sample_cpu(m, i, now);
}

void machine_restart_sampler(struct machine *m)
{
    const struct kernel *kernel = &m->boot.kernel;

    if (!m->sampler)
        return;
    if (m->sampler->tasks)
        linux_tasks_place(m->sampler->tasks, kernel->start, kernel->end);
    machine_sample(m);
}

bool machine_finish_sampler(struct machine *m, struct error *err)
{
    struct machine_sampler *s = m->sampler;
    bool ok;

    if (!s)
        return true;
    for (unsigned i = 0; i < m->cpu_count; i++)
        end_stretch(s, i, m->clock.now < s->until ? m->clock.now : s->until);
    gpu_timeline_finish(s->gpu);
    ok = timeline_write(s->timeline, s->file);
    ok = !fclose(s->file) && ok;
    s->file = NULL;
    if (timeline_is_full(s->timeline))
        fprintf(stderr, "%s: the timeline has %" PRIu64 " events and stops there\n",
                m->platform->name, m->options->timeline_events);
    return ok || error_set(err, "%s: %s", m->options->timeline, strerror(errno));
}

void machine_free_sampler(struct machine *m)
{
    struct machine_sampler *s = m->sampler;

    if (!s)
        return;
    if (s->file)
        fclose(s->file);
    gpu_timeline_free(s->gpu);
    timeline_free(s->timeline);
    linux_tasks_free(s->tasks);
    free(s);
}
