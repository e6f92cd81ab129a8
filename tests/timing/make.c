/* Makes timing traces from texts, and runs a model on them. */

#include "make.h"
#include "runtime/base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { ARITHMETIC, MEMORY, LINE = 64 };

void make_job(struct timing_job *job, unsigned group_threads, unsigned warp_width)
{
    *job = (struct timing_job){
        .group_threads = group_threads, .warp_width = warp_width, .row_width = warp_width};
    vec_push(&job->bundles,
             (struct timing_bundle){.stages = 1, .words = {1}, .slot = TIMING_NO_SLOT});
    vec_push(&job->bundles,
             (struct timing_bundle){.stages = 1, .words = {0, 1}, .slot = TIMING_NO_SLOT});
}

static enum timing_access access_of(char what)
{
    switch (what) {
    case 'l':
        return TIMING_LOAD;
    case 'g':
        return TIMING_GROUP_LOAD;
    case 'x':
        return TIMING_ATOMIC;
    default:
        return TIMING_STORE;
    }
}

static struct timing_row warp_of(const char *text, unsigned lanes)
{
    struct timing_writer w = {0};
    struct timing_row out = {.lanes = lanes};
    uint32_t all = lanes >= 32 ? UINT32_MAX : (1u << lanes) - 1;

    timing_writer_begin(&w, all);
    while (*text) {
        char what = *text++;

        if (what == 'a') {
            timing_writer_bundle(&w, ARITHMETIC, all);
        } else if (what == '|') {
            timing_writer_barrier(&w);
        } else {
            uint64_t line = strtoull(text, (char **)&text, 10);

            timing_writer_access(&w, access_of(what), 0, line * LINE, 4);
            timing_writer_bundle(&w, MEMORY, all);
        }
    }
    timing_writer_end(&w, &out);
    timing_writer_release(&w);
    return out;
}

static void add_group(struct timing_job *job, struct timing_group *g)
{
    g->index = job->group_total++;
    vec_push(&job->groups, *g);
}

void make_group(struct timing_job *job, const char *first, ...)
{
    struct timing_group g = {0};
    va_list list;

    va_start(list, first);
    for (const char *text = first; text; text = va_arg(list, const char *)) {
        g.rows = xrealloc(g.rows, g.row_count + 1, sizeof(*g.rows));
        g.rows[g.row_count++] = warp_of(text, job->warp_width);
    }
    va_end(list);
    add_group(job, &g);
}

void make_groups(struct timing_job *job, unsigned groups, unsigned warps, const char *text)
{
    while (groups--) {
        struct timing_group g = {.row_count = warps};

        g.rows = xcalloc(warps, sizeof(*g.rows));
        for (unsigned i = 0; i < warps; i++)
            g.rows[i] = warp_of(text, job->warp_width);
        add_group(job, &g);
    }
}

char *make_times(const char *text, unsigned times)
{
    size_t len = strlen(text);
    char *out = xcalloc(len * times + 1, 1);

    for (unsigned i = 0; i < times; i++)
        memcpy(out + i * len, text, len);
    return out;
}

struct timing_result make_run(const struct timing_params *p, const struct timing_shape *shape,
                              enum timing_fidelity fidelity, const struct timing_job *job)
{
    struct timing_result r;
    struct error err = {""};
    uint64_t sum = 0;

    if (!timing_job_check(job, &err) || !timing_run(p, shape, fidelity, job, &r, &err))
        fail_msg("%s", err.text);
    for (unsigned i = 0; i < TIMING_CAUSES; i++)
        sum += r.account[i];
    assert_int_equal(sum, r.ticks * shape->cores * shape->engines);
    return r;
}
