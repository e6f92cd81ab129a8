/*
 * Traces for time models. A group that has begun has a writer for each of its warps; when it ends, their
 * streams go to the job, and when the job ends, the job goes to whoever asked for it.
 */
#include "runtime/gpu/timing_capture.h"

#include <stdlib.h>

#include "runtime/gpu/shader/core.h"

struct open_group {
    const struct gpu_group *group;
    uint64_t index;
    unsigned warps;
    struct timing_writer *writer;
};

struct gpu_timing {
    gpu_timing_sink *sink;
    void *opaque;
    uint64_t most_groups, step;
    struct timing_job job;
    VEC(struct open_group) open;
    VEC(struct timing_writer) spare;
    size_t last; /* in `open`: used last */
};

void gpu_cores_timing(struct gpu_cores *c, uint64_t most_groups, gpu_timing_sink *sink,
                      void *opaque)
{
    struct gpu_timing *t = xcalloc(1, sizeof(*t));

    t->sink = sink;
    t->opaque = opaque;
    t->most_groups = most_groups;
    gpu_timing_free(c->timing);
    c->timing = t;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static struct timing_writer take_writer(struct gpu_timing *t)
{
    return t->spare.len ? t->spare.data[--t->spare.len] : (struct timing_writer){0};
}

static unsigned lanes_of(const struct gpu_timing *t, unsigned warp)
{
    unsigned left = t->job.group_threads - warp * t->job.warp_width;

    return left < t->job.warp_width ? left : t->job.warp_width;
}

static struct open_group *open_group(struct gpu_timing *t, const struct gpu_group *g)
{
    struct open_group o = {.group = g, .index = g->index};

    o.warps = (t->job.group_threads + t->job.warp_width - 1) / t->job.warp_width;
    o.writer = xcalloc(o.warps, sizeof(*o.writer));
    for (unsigned i = 0; i < o.warps; i++) {
        unsigned lanes = lanes_of(t, i);

        o.writer[i] = take_writer(t);
        timing_writer_begin(&o.writer[i], lanes >= 32 ? UINT32_MAX : (1u << lanes) - 1);
    }
    t->last = t->open.len;
    vec_push(&t->open, o);
    return &t->open.data[t->last];
}

/* The group with its writers; NULL: it is not in the sample. */
static struct open_group *find_group(struct gpu_timing *t, const struct gpu_group *g)
{
    if (t->last < t->open.len && t->open.data[t->last].group == g)
        return &t->open.data[t->last];
    if (g->index % t->step)
        return NULL;
    for (t->last = 0; t->last < t->open.len; t->last++)
        if (t->open.data[t->last].group == g)
            return &t->open.data[t->last];
    return open_group(t, g);
}

/* The writer of the warp that has this lane of the row. */
static struct timing_writer *writer_of(const struct gpu_worker *k, const struct open_group *o,
                                       const struct gpu_warp *w, unsigned lane)
{
    return &o->writer[w->index * (k->cores->decoder.row / w->width) + lane / w->width];
}

void gpu_timing_bundle(struct gpu_worker *k, const struct gpu_warp *w, const struct gpu_code *code)
{
    struct open_group *o = find_group(k->cores->timing, k->group);

    if (!o)
        return;
    for (uint32_t left = w->active; left;) {
        unsigned first = w->first[__builtin_ctz(left)];
        struct timing_writer *writer = writer_of(k, o, w, first);

        timing_writer_bundle(writer, code->index, left >> first & w->full);
        if (w->wait == GPU_WARP_BARRIER)
            timing_writer_barrier(writer);
        left &= ~(w->full << first);
    }
}

void gpu_timing_access(struct gpu_worker *k, const struct gpu_warp *w, uint64_t va, unsigned bytes,
                       enum gpu_access access, enum gpu_access_counter kind)
{
    static const enum timing_access loads[] = {
        [GPU_COUNT_GLOBAL_READ] = TIMING_LOAD,
        [GPU_COUNT_LOCAL_READ] = TIMING_GROUP_LOAD,
        [GPU_COUNT_THREAD_READ] = TIMING_THREAD_LOAD,
    };
    struct open_group *o = find_group(k->cores->timing, k->group);
    enum timing_access what = loads[kind];

    if (!o)
        return;
    if (access == GPU_ACCESS_ATOMIC)
        what = what == TIMING_LOAD ? TIMING_ATOMIC : TIMING_GROUP_STORE;
    else if (access == GPU_ACCESS_WRITE)
        what = what == TIMING_LOAD         ? TIMING_STORE
               : what == TIMING_GROUP_LOAD ? TIMING_GROUP_STORE
                                           : TIMING_THREAD_STORE;
    timing_writer_access(writer_of(k, o, w, k->core.lane), what, va, bytes);
}

void gpu_timing_group_end(struct gpu_worker *k, const struct gpu_group *g)
{
    struct gpu_timing *t = k->cores->timing;
    struct open_group *o = find_group(t, g);
    struct timing_group out;

    if (!o)
        return;
    out = (struct timing_group){.index = o->index, .warp_count = o->warps};
    out.warps = xcalloc(out.warp_count, sizeof(*out.warps));
    for (unsigned i = 0; i < o->warps; i++) {
        out.warps[i].lanes = lanes_of(t, i);
        timing_writer_end(&o->writer[i], &out.warps[i]);
        vec_push(&t->spare, o->writer[i]);
    }
    vec_push(&t->job.groups, out);
    free(o->writer);
    *o = t->open.data[--t->open.len];
    t->last = SIZE_MAX;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static void forget(struct gpu_timing *t)
{
    for (size_t i = 0; i < t->open.len; i++) { /* of a job that was given up */
        for (unsigned n = 0; n < t->open.data[i].warps; n++)
            vec_push(&t->spare, t->open.data[i].writer[n]);
        free(t->open.data[i].writer);
    }
    t->open.len = 0;
    timing_job_release(&t->job);
}

void gpu_timing_job_begin(struct gpu_timing *t, const struct gpu_compute *job)
{
    forget(t);
    t->job = (struct timing_job){
        .header = job->job.header,
        .shader = job->job.shader_address,
        .group_threads = job->job.threads,
        .warp_width = job->cores->decoder.width,
        .group_total = job->job.group_total,
    };
    t->step = timing_sample_step(t->job.group_total, t->most_groups);
    t->last = SIZE_MAX;
}

static struct timing_bundle bundle_of(const struct gpu_code *c)
{
    return (struct timing_bundle){
        .address = c->address,
        .bytes = c->bytes,
        .stages = c->profile.stages,
        .words =
            {
                [TIMING_PIPE_ARITHMETIC] = (uint8_t)c->profile.instructions[GPU_CLASS_ARITHMETIC],
                [TIMING_PIPE_MEMORY] = (uint8_t)c->profile.instructions[GPU_CLASS_LOAD_STORE],
                [TIMING_PIPE_CONTROL] = (uint8_t)c->profile.instructions[GPU_CLASS_CONTROL],
                [TIMING_PIPE_TEXTURE] = (uint8_t)c->profile.instructions[GPU_CLASS_ATTRIBUTE],
            },
    };
}

static int by_index(const void *a, const void *b)
{
    const struct timing_group *x = a, *y = b;

    return x->index < y->index ? -1 : x->index > y->index;
}

void gpu_timing_job_end(struct gpu_timing *t, const struct gpu_compute *job)
{
    for (unsigned i = 0; i < job->shader->code_count; i++)
        vec_push(&t->job.bundles, bundle_of(job->shader->codes[i]));
    if (t->job.groups.len > 1)
        qsort(t->job.groups.data, t->job.groups.len, sizeof(*t->job.groups.data), by_index);
    if (t->job.groups.len)
        t->sink(t->opaque, &t->job);
    forget(t);
}

void gpu_timing_free(struct gpu_timing *t)
{
    if (!t)
        return;
    forget(t);
    for (size_t i = 0; i < t->spare.len; i++)
        timing_writer_release(&t->spare.data[i]);
    vec_free(&t->spare);
    vec_free(&t->open);
    free(t);
}
