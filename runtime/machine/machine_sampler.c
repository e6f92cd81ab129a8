/*
 * Samples after each turn what the CPUs do: for the tracks of CPUs in a timeline, and for
 * statistics of where their time went. The time of a task switch is therefore exact to one turn, at
 * most 10,000 ticks.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "runtime/cpu/layout.h"
#include "runtime/gpu/stats.h"
#include "runtime/machine/code_parts.h"
#include "runtime/machine/gpu_timeline.h"
#include "runtime/machine/linux_modules.h"
#include "runtime/machine/linux_tasks.h"
#include "runtime/machine/machine.h"
#include "runtime/machine/program_memory.h"
#include "runtime/machine/program_symbols.h"
#include "runtime/machine/system_view.h"

enum { CPUS = 1 }; /* the timeline's process of CPUs; gpu_timeline.c has the others */

/* Virtual time between two looks for statistics. */
#define SAMPLE_NS UINT64_C(100000)

/* What a CPU does since a time. */
struct stretch {
    uint64_t since;
    uint64_t task; /* address, or a value of enum unknown */
    uint32_t name, args, track;
};

/* Values of stretch.task while the task is not known. */
enum unknown { NOTHING, RUNNING };

struct machine_sampler {
    struct linux_tasks *tasks; /* NULL: the platform has no /gencc/linux */
    struct programs *programs; /* NULL: the platform does not say where programs are, or there is no
                                  report */

    FILE *file; /* the timeline's file; NULL: no timeline */
    uint64_t from, until;
    struct timeline *timeline;
    struct gpu_timeline *gpu;
    struct stretch cpu[DEVICE_MAX_CPUS];

    struct system_view *view; /* NULL: not wanted */
    uint64_t sampled_ns;
    uint64_t instructions[DEVICE_MAX_CPUS], used_ps[DEVICE_MAX_CPUS]; /* at the last look */
    struct program_symbols *objects; /* of programs; NULL without a view */
    struct linux_modules *modules;
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

static void track_cpu(const struct machine *m, unsigned cpu, const struct linux_task *task)
{
    struct machine_sampler *s = m->sampler;
    uint64_t is = task_of(m, cpu, task), now = m->clock.now;
    const char *name = is <= RUNNING ? "running" : task->name[0] ? task->name : "task";

    if (is == s->cpu[cpu].task &&
        (is <= RUNNING || timeline_text(s->timeline, name) == s->cpu[cpu].name))
        return;
    end_stretch(s, cpu, now);
    begin_stretch(s, cpu, is, name, now);
}

/* ---- where the time went --------------------------------------------------------------------- */

static bool read_memory(void *opaque, uint64_t va, void *buf, uint64_t len)
{
    return cpu_memory_read(opaque, va, buf, len);
}

/* The kernel's function that the CPU is in. */
static void find_kernel(const struct machine_sampler *s, struct cpu *cpu, struct system_sample *to)
{
    const struct linux_symbols *symbols = s->tasks ? linux_tasks_symbols(s->tasks) : NULL;
    const struct guest_reader from = {read_memory, cpu};
    struct linux_module_place place;
    const struct linux_symbol *symbol;
    uint64_t pc = cpu_pc(cpu), distance;

    if (!symbols)
        return;
    distance = linux_tasks_distance(s->tasks, pc);
    if (distance != UINT64_MAX) {
        symbol = linux_symbol_at(symbols, distance);
        to->symbol = symbol ? linux_symbol_name(symbols, symbol) : NULL;
        return;
    }
    if (linux_modules_find(s->modules, &from, linux_tasks_variable(s->tasks, "modules"), pc,
                           &place)) {
        to->object = place.module;
        to->symbol = place.symbol;
    }
}

/* The library and function of the program that the CPU is in. */
static void find_program(const struct machine_sampler *s, struct cpu *cpu, struct system_sample *to)
{
    const struct guest_reader from = {read_memory, cpu};
    struct program_place place;

    if (!program_symbols_find(s->objects, &from, cpu_pc(cpu), &place))
        return;
    to->object = place.object;
    to->symbol = place.symbol;
}

static void view_cpu(const struct machine *m, unsigned number, const struct linux_task *task,
                     uint64_t ns)
{
    struct machine_sampler *s = m->sampler;
    struct cpu *cpu = m->cpus[number];
    uint64_t instructions = cpu_insns_now(cpu), used_ps = cpu_used_ps(cpu);
    struct system_sample sample = {.instructions = instructions - s->instructions[number],
                                   .ns = ns,
                                   .used_ns = (used_ps - s->used_ps[number]) / 1000,
                                   .kernel = cpu->ring != 0,
                                   .task = task && task->address ? task->name : NULL};

    s->instructions[number] = instructions;
    s->used_ps[number] = used_ps;
    if (sample.instructions && sample.kernel)
        find_kernel(s, cpu, &sample);
    else if (sample.instructions)
        find_program(s, cpu, &sample);
    sample.part = code_part(m->info.dt, sample.kernel, sample.object);
    system_view_sample(s->view, number, &sample);
}

/* ---- sampling -------------------------------------------------------------------------------- */

static bool timeline_is_on(const struct machine *m)
{
    const struct machine_sampler *s = m->sampler;

    return s->timeline && m->clock.now >= s->from && m->clock.now <= s->until &&
           !timeline_is_full(s->timeline);
}

void machine_sample(struct machine *m)
{
    struct machine_sampler *s = m->sampler;
    uint64_t ns = m->clock.now - s->sampled_ns;
    bool tracks = timeline_is_on(m), views = s->view && ns >= SAMPLE_NS;

    if (!tracks && !views)
        return;
    for (unsigned i = 0; i < m->cpu_count; i++) {
        const struct linux_task *task = s->tasks ? linux_tasks_current(s->tasks, i) : NULL;

        if (s->programs)
            programs_see(s->programs, m->cpus[i]);
        if (tracks)
            track_cpu(m, i, task);
        if (views)
            view_cpu(m, i, task, ns);
    }
    if (views)
        s->sampled_ns = m->clock.now;
}

/* ---- the machine's part ---------------------------------------------------------------------- */

static void add_observer(struct machine *m, struct gpu_observer *observer)
{
    observer->next = m->gpu.observers;
    m->gpu.observers = observer;
}

static void open_timeline(struct machine *m)
{
    const struct options *o = m->options;
    struct machine_sampler *s = m->sampler;

    s->from = o->timeline_from;
    s->until = o->timeline_for < CLOCK_NEVER - s->from ? s->from + o->timeline_for : CLOCK_NEVER;
    s->timeline = timeline_new(&(struct timeline_bounds){s->from, s->until, o->timeline_events});
    for (unsigned i = 0; i < m->cpu_count; i++) {
        char name[16];

        snprintf(name, sizeof(name), "cpu%u", i);
        s->cpu[i].track = timeline_track(s->timeline, CPUS, "CPUs", i, name);
    }
    s->gpu = gpu_timeline_new(s->timeline, &m->clock, m->gpu.kernel_name, m->gpu.kernel_opaque);
    gpu_timeline_show_warps(s->gpu, o->timeline_warps);
    add_observer(m, gpu_timeline_observer(s->gpu));
}

static uint64_t pages_touched(void *opaque)
{
    return stats_get(((const struct machine *)opaque)->stats, "gpu/shader", "pages_touched");
}

/* Turns stay short, since they are what is looked at. Where another CPU may be switched on, the
 * length of turns before that is something that a guest can observe. */
static void shorten_turns(struct machine *m)
{
    if (m->cpu_count == 1)
        m->group.lone_quantum = m->sampler->timeline ? 0 : m->group.quantum * 10;
}

/* The timeline's file: -timeline, or a part of the report. False: none is wanted. */
static bool timeline_path(const struct options *o, char path[4096])
{
    if (o->timeline)
        snprintf(path, 4096, "%s", o->timeline);
    else if (o->report)
        snprintf(path, 4096, "%s/timeline.json", o->report);
    return o->timeline || o->report;
}

bool machine_open_sampler(struct machine *m, struct error *err)
{
    const struct options *o = m->options;
    struct machine_sampler *s;
    char path[4096];

    if (!o->timeline && !o->stats_dir && !o->report)
        return true;
    m->sampler = s = xcalloc(1, sizeof(*s));
    if (timeline_path(o, path)) {
        s->file = fopen(path, "w");
        if (!s->file)
            return error_set(err, "%.200s: %s", path, strerror(errno));
        open_timeline(m);
    }
    if (o->stats_dir || o->report) {
        s->view = system_view_new(m->cpu_count, &m->clock, pages_touched, m);
        add_observer(m, system_view_observer(s->view));
        s->objects = program_symbols_new();
        s->modules = linux_modules_new();
    }
    s->tasks = linux_tasks_new(&m->info, m->bus, m->cpus, m->cpu_count);
    s->programs = o->report ? programs_new(&m->info, m->bus, m->cpus[0]) : NULL;
    shorten_turns(m);
    return true;
}

void machine_restart_sampler(struct machine *m)
{
    const struct kernel *kernel = &m->boot.kernel;

    if (!m->sampler)
        return;
    if (m->sampler->tasks)
        linux_tasks_place(m->sampler->tasks, kernel->start, kernel->end);
    if (m->sampler->modules)
        linux_modules_forget(m->sampler->modules);
    machine_sample(m);
}

static bool write_timeline(struct machine *m, struct error *err)
{
    struct machine_sampler *s = m->sampler;
    bool ok;

    for (unsigned i = 0; i < m->cpu_count; i++)
        end_stretch(s, i, m->clock.now < s->until ? m->clock.now : s->until);
    gpu_timeline_finish(s->gpu);
    ok = timeline_write(s->timeline, s->file);
    ok = !fclose(s->file) && ok;
    s->file = NULL;
    if (timeline_is_full(s->timeline))
        fprintf(stderr, "%s: the timeline has %" PRIu64 " events and stops there\n",
                m->platform->name, m->options->timeline_events);
    return ok || error_set(err, "the timeline cannot be written: %s", strerror(errno));
}

const struct programs *machine_programs(const struct machine *m)
{
    return m->sampler ? m->sampler->programs : NULL;
}

json_t *machine_system_json(const struct machine *m)
{
    return m->sampler && m->sampler->view ? system_view_json(m->sampler->view) : NULL;
}

static bool write_view(const struct machine *m, struct error *err)
{
    json_t *system = machine_system_json(m);
    char path[4096];
    bool ok;

    snprintf(path, sizeof(path), "%s/system.json", m->options->stats_dir);
    ok = !json_dump_file(system, path, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    json_decref(system);
    return ok || error_set(err, "cannot write %.200s", path);
}

bool machine_finish_sampler(struct machine *m, struct error *err)
{
    struct machine_sampler *s = m->sampler;

    if (s && s->timeline && !write_timeline(m, err))
        return false;
    return !s || !m->options->stats_dir || write_view(m, err);
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
    system_view_free(s->view);
    program_symbols_free(s->objects);
    linux_modules_free(s->modules);
    linux_tasks_free(s->tasks);
    programs_free(s->programs);
    free(s);
}
