/*
 * Counts of instructions by task and symbol, and activity of driver and GPU by window of time.
 *
 * Bounds      MOST_NAMES tasks and MOST_NAMES symbols, further ones are counted as "(others)";
 *             MOST_WINDOWS windows, whose length is doubled when all are used
 */
#include "runtime/machine/system_view.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "common/vec.h"

enum {
    NAME_SLOTS = 1 << 15,
    MOST_NAMES = NAME_SLOTS / 2,
    MOST_WINDOWS = 512,
    MOST_SYMBOLS = 300,   /* in the report */
    MOST_WITH_PARTS = 64, /* tasks in the report */
    SPACES = 16,
    LINES = 3,
};

#define FIRST_WINDOW_NS UINT64_C(1000000)

/* ---- counts by name -------------------------------------------------------------------------- */

struct counted {
    /* `where` is "kernel: MODULE" or "user: TASK: LIBRARY" of a symbol, of which the latter part
     * may be missing; a part of a run; or "" */
    char *name, *where;
    uint64_t count;
};

struct tally {
    VEC(struct counted) rows;
    uint32_t *slots; /* hash table of indices into rows, plus 1; 0: free */
};

static uint32_t hash_text(uint32_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 16777619u;
    return hash * 16777619u;
}

static void tally_add(struct tally *t, const char *name, const char *where, uint64_t count)
{
    uint32_t hash;

    if (!t->slots)
        t->slots = xcalloc(NAME_SLOTS, sizeof(*t->slots));
    if (t->rows.len == MOST_NAMES) {
        name = "(others)";
        where = "";
    }
    for (hash = hash_text(hash_text(2166136261u, name), where);; hash++) {
        uint32_t *slot = &t->slots[hash % NAME_SLOTS];
        struct counted *row = *slot ? &t->rows.data[*slot - 1] : NULL;

        if (row && (strcmp(row->name, name) || strcmp(row->where, where)))
            continue;
        if (!row) {
            vec_push(&t->rows, (struct counted){xstrdup(name), xstrdup(where), 0});
            *slot = (uint32_t)t->rows.len;
            row = &t->rows.data[*slot - 1];
        }
        row->count += count;
        return;
    }
}

static void tally_free(struct tally *t)
{
    vec_for_each (&t->rows, row) {
        free(row->name);
        free(row->where);
    }
    vec_free(&t->rows);
    free(t->slots);
}

/* ---- the view -------------------------------------------------------------------------------- */

struct window {
    uint64_t jobs, reads, writes, interrupts, pages;
};

struct cpu_time {
    uint64_t instructions, kernel, idle_ns;
};

struct system_view {
    struct gpu_observer observer;
    const struct clock *clock;
    uint64_t (*pages)(void *opaque);
    void *opaque;
    unsigned cpu_count;
    struct cpu_time *cpus;
    struct tally tasks, symbols; /* instructions */
    struct tally parts;          /* ns of each part of each task */

    uint64_t window_ns, pages_seen, busy_ns;
    struct window sum, windows[MOST_WINDOWS];
    uint64_t rises[LINES], faults[SPACES];
};

void system_view_sample(struct system_view *v, unsigned cpu, const struct system_sample *s)
{
    struct cpu_time *c = &v->cpus[cpu];
    const char *task = s->task && *s->task ? s->task : "(not known)";
    char where[128];

    if (!s->instructions) {
        c->idle_ns += s->ns;
        return;
    }
    c->instructions += s->instructions;
    c->kernel += s->kernel ? s->instructions : 0;
    tally_add(&v->tasks, task, "", s->instructions);
    snprintf(where, sizeof(where), "%s%s%s%s",
             s->kernel ? "kernel" : "user: ", s->kernel ? "" : task, s->object ? ": " : "",
             s->object ? s->object : "");
    tally_add(&v->symbols, s->symbol ? s->symbol : "(no symbol)", where, s->instructions);
    if (s->part)
        tally_add(&v->parts, task, s->part, s->used_ns);
}

/* ---- the GPU --------------------------------------------------------------------------------- */

static void halve_windows(struct system_view *v)
{
    for (unsigned i = 0; i < MOST_WINDOWS; i++) {
        struct window w = v->windows[i];
        struct window *to = &v->windows[i / 2];

        v->windows[i] = (struct window){0};
        to->jobs += w.jobs;
        to->reads += w.reads;
        to->writes += w.writes;
        to->interrupts += w.interrupts;
        to->pages += w.pages;
    }
    v->window_ns *= 2;
}

static struct window *window_now(struct system_view *v)
{
    uint64_t now = clock_now(v->clock);

    while (now / v->window_ns >= MOST_WINDOWS)
        halve_windows(v);
    return &v->windows[now / v->window_ns];
}

static void access_seen(void *opaque, bool write, unsigned cpu)
{
    struct system_view *v = opaque;
    struct window *w = window_now(v);

    (void)cpu;
    w->reads += !write;
    w->writes += write;
    v->sum.reads += !write;
    v->sum.writes += write;
}

static void on_line(void *opaque, unsigned output, enum gpu_line_event event)
{
    struct system_view *v = opaque;

    if (event != GPU_LINE_RISES)
        return;
    v->rises[output]++;
    v->sum.interrupts++;
    window_now(v)->interrupts++;
}

static void on_job(void *opaque, const struct gpu_job_note *j)
{
    struct system_view *v = opaque;
    uint64_t pages = v->pages ? v->pages(v->opaque) : 0;
    struct window *w = window_now(v);

    v->busy_ns += j->end_ns - j->begin_ns;
    v->sum.jobs++;
    w->jobs++;
    w->pages += pages - v->pages_seen;
    v->sum.pages += pages - v->pages_seen;
    v->pages_seen = pages;
}

static void on_fault(void *opaque, unsigned space, uint64_t va, uint32_t code)
{
    struct system_view *v = opaque;

    (void)va, (void)code;
    v->faults[space % SPACES]++;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void set_number(json_t *to, const char *name, uint64_t value)
{
    json_object_set_new(to, name, json_integer((json_int_t)value));
}

static json_t *cpus_json(const struct system_view *v)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < v->cpu_count; i++) {
        const struct cpu_time *c = &v->cpus[i];
        json_t *cpu = json_object();
        char name[16];

        snprintf(name, sizeof(name), "cpu%u", i);
        json_object_set_new(cpu, "name", json_string(name));
        set_number(cpu, "instructions", c->instructions);
        set_number(cpu, "kernel", c->kernel);
        set_number(cpu, "user", c->instructions - c->kernel);
        set_number(cpu, "idle_ns", c->idle_ns);
        json_array_append_new(list, cpu);
    }
    return list;
}

/* Most first; then by name, so that the order is the same in all runs. */
static int compare_counted(const void *left, const void *right)
{
    const struct counted *a = *(const struct counted *const *)left;
    const struct counted *b = *(const struct counted *const *)right;

    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return strcmp(a->name, b->name) ? strcmp(a->name, b->name) : strcmp(a->where, b->where);
}

/* A name of the guest as JSON takes it. */
static json_t *text_json(const char *text)
{
    char plain[256];
    size_t n = 0;

    for (; *text && n + 1 < sizeof(plain); text++)
        plain[n++] = (uint8_t)*text >= ' ' && (uint8_t)*text <= '~' ? *text : '?';
    plain[n] = 0;
    return json_string(plain);
}

static json_t *tally_json(const struct tally *t, const char *key, size_t most)
{
    const struct counted **order = xcalloc(t->rows.len + 1, sizeof(*order));
    json_t *list = json_array();
    uint64_t sum = 0;

    for (size_t i = 0; i < t->rows.len; i++) {
        order[i] = &t->rows.data[i];
        sum += order[i]->count;
    }
    qsort(order, t->rows.len, sizeof(*order), compare_counted);
    for (size_t i = 0; i < t->rows.len && i < most; i++) {
        json_t *row = json_object();

        json_object_set_new(row, key, text_json(order[i]->name));
        if (*order[i]->where)
            json_object_set_new(row, "where", text_json(order[i]->where));
        set_number(row, "instructions", order[i]->count);
        json_object_set_new(row, "share", json_real((double)order[i]->count / (double)sum));
        json_array_append_new(list, row);
    }
    free(order);
    return list;
}

static json_t *windows_json(const struct system_view *v)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < MOST_WINDOWS; i++) {
        const struct window *w = &v->windows[i];
        const uint64_t values[] = {i * v->window_ns, w->jobs,       w->reads,
                                   w->writes,        w->interrupts, w->pages};
        json_t *row;

        if (!(w->jobs | w->reads | w->writes | w->interrupts | w->pages))
            continue;
        row = json_array();
        for (size_t k = 0; k < ARRAY_SIZE(values); k++)
            json_array_append_new(row, json_integer((json_int_t)values[k]));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *gpu_json(const struct system_view *v)
{
    static const char *const lines[LINES] = {"job", "mmu", "gpu"};
    json_t *gpu = json_object(), *interrupts = json_object(), *faults = json_array();

    set_number(gpu, "register_reads", v->sum.reads);
    set_number(gpu, "register_writes", v->sum.writes);
    for (unsigned i = 0; i < LINES; i++)
        set_number(interrupts, lines[i], v->rises[i]);
    for (unsigned i = 0; i < SPACES; i++)
        json_array_append_new(faults, json_integer((json_int_t)v->faults[i]));
    json_object_set_new(gpu, "interrupts", interrupts);
    set_number(gpu, "jobs", v->sum.jobs);
    if (v->pages)
        set_number(gpu, "pages", v->sum.pages);
    json_object_set_new(gpu, "faults", faults);
    set_number(gpu, "busy_ns", v->busy_ns);
    set_number(gpu, "window_ns", v->window_ns);
    json_object_set_new(gpu, "over_time", windows_json(v));
    return gpu;
}

static void add_number(json_t *to, const char *name, uint64_t more)
{
    const json_t *had = json_object_get(to, name);

    set_number(to, name, (had ? (uint64_t)json_integer_value(had) : 0) + more);
}

/* How long CPUs ran the code of each part, and the GPU its jobs, in ns. */
static json_t *phases_json(const struct system_view *v)
{
    json_t *phases = json_object();

    vec_for_each (&v->parts.rows, part)
        add_number(phases, part->where, part->count);
    if (v->sum.jobs)
        set_number(phases, "gpu", v->busy_ns);
    return phases;
}

/* Adds to the first tasks how long each part of them took. */
static json_t *tasks_json(const struct system_view *v)
{
    json_t *list = tally_json(&v->tasks, "name", MOST_NAMES);

    for (size_t i = 0; i < MOST_WITH_PARTS && i < json_array_size(list); i++) {
        json_t *task = json_array_get(list, i), *phases = json_object();
        const char *name = json_string_value(json_object_get(task, "name"));

        vec_for_each (&v->parts.rows, part)
            if (!strcmp(part->name, name))
                add_number(phases, part->where, part->count);
        json_object_set_new(task, "phases", phases);
    }
    return list;
}

json_t *system_view_json(const struct system_view *v)
{
    json_t *system = json_object();

    json_object_set_new(system, "cpu", cpus_json(v));
    json_object_set_new(system, "symbols", tally_json(&v->symbols, "symbol", MOST_SYMBOLS));
    json_object_set_new(system, "tasks", tasks_json(v));
    if (v->parts.rows.len)
        json_object_set_new(system, "phases", phases_json(v));
    json_object_set_new(system, "gpu", gpu_json(v));
    return system;
}

/* ---- life ------------------------------------------------------------------------------------ */

struct system_view *system_view_new(unsigned cpus, const struct clock *clock,
                                    uint64_t (*pages)(void *opaque), void *opaque)
{
    struct system_view *v = xcalloc(1, sizeof(*v));

    v->cpu_count = cpus;
    v->cpus = xcalloc(cpus, sizeof(*v->cpus));
    v->clock = clock;
    v->pages = pages;
    v->opaque = opaque;
    v->window_ns = FIRST_WINDOW_NS;
    v->observer = (struct gpu_observer){
        .opaque = v, .job = on_job, .line = on_line, .access = access_seen, .fault = on_fault};
    return v;
}

void system_view_free(struct system_view *v)
{
    if (!v)
        return;
    tally_free(&v->tasks);
    tally_free(&v->symbols);
    tally_free(&v->parts);
    free(v->cpus);
    free(v);
}

struct gpu_observer *system_view_observer(struct system_view *v)
{
    return &v->observer;
}
