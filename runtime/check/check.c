/* Checks: the jobs of the cores, each when its trace is complete. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/check/internal.h"
#include "runtime/gpu/account.h"
#include "runtime/gpu/shader/job.h"
#include "runtime/gpu/timing_capture.h"

struct check *check_new(const struct gpu_isa *isa, const struct gpu_address_space *as,
                        const struct check_buffer *buffers, size_t count)
{
    struct check *c = xcalloc(1, sizeof(*c));

    c->isa = isa;
    c->as = as;
    c->buffers = xcalloc(count + 1, sizeof(*buffers));
    if (count)
        memcpy(c->buffers, buffers, count * sizeof(*buffers));
    c->buffer_count = count;
    return c;
}

void check_free(struct check *c)
{
    if (!c)
        return;
    vec_for_each (&c->jobs, job)
        vec_free(&job->uniforms);
    vec_free(&c->jobs);
    check_findings_free(c);
    vec_free(&c->keys);
    free(c->key_table);
    free(c->buffers);
    free(c);
}

static void begin_job(void *opaque, const struct gpu_compute_job *job,
                      const struct gpu_address_space *as)
{
    struct check *c = opaque;
    struct check_job it = {
        .header = job->header,
        .shader = job->shader_address,
        .threads = job->threads,
        .local_base = job->local_base,
        .local_bytes = job->local_bytes,
        .thread_base = job->thread_base,
        .thread_bytes = job->thread_bytes,
        .total = job->group_total,
    };

    (void)as;
    memcpy(it.size, job->size, sizeof(it.size));
    memcpy(it.groups, job->groups, sizeof(it.groups));
    for (unsigned i = 0; i < job->block_count; i++)
        vec_push(&it.uniforms, (struct check_span){job->blocks[i].address, job->blocks[i].bytes});
    vec_push(&c->jobs, it);
}

static void end_account(void *opaque, const struct gpu_account *job)
{
    (void)opaque;
    (void)job;
}

static void check_job(void *opaque, const struct timing_job *trace)
{
    struct check *c = opaque;

    c->trace = trace;
    c->job = &c->jobs.data[c->jobs.len - 1];
    c->group_count = c->job->checked = trace->groups.len;
    c->order = xcalloc(c->group_count + 1, sizeof(*c->order));
    check_cells_begin(c);
    check_updates_begin(c);
    check_written_begin(c);
    for (uint32_t i = 0; i < c->group_count; i++)
        check_group(c, &trace->groups.data[i], i);
    check_written_end(c);
    check_updates_end(c);
    check_cells_end(c);
    for (size_t i = 0; i < c->group_count; i++)
        vec_free(&c->order[i].atomics);
    free(c->order);
    c->order = NULL;
    c->trace = NULL;
}

void check_attach(struct check *c, struct gpu_cores *cores)
{
    gpu_cores_account(cores, &(struct gpu_account_sink){begin_job, end_account, c});
    gpu_cores_timing(cores, 0, check_job, c);
}
