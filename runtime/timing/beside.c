/* Runs jobs side by side: one model per lane, of which the one with the earliest event advances. */
#include "runtime/timing/beside.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/timing/model_internal.h"

enum { SPACE_SHIFT = 52 }; /* above the line numbers of groups' private memory */

struct runner {
    struct timing_lane *lane;
    struct timing_shape shape;
    struct model model;
    struct timing_result result;
    size_t next;    /* index of the job after the running one */
    uint64_t ticks; /* ticks of the current pass so far */
    uint64_t space; /* bits that set the lane's address space apart in the shared L2 */
};

static void begin_job(struct runner *r, const struct timing_params *p, struct beyond *beyond,
                      uint64_t now)
{
    r->result = (struct timing_result){0};
    r->model = (struct model){.p = p,
                              .shape = &r->shape,
                              .job = &r->lane->jobs[r->next++],
                              .fidelity = TIMING_DETAILED,
                              .beyond = beyond,
                              .space = r->space,
                              .begin = now,
                              .out = &r->result};
    timing_begin(&r->model);
}

/* Ends the lane's job and begins its next job, after the last one the first. */
static void end_job(struct runner *r)
{
    const struct timing_params *p = r->model.p;
    struct beyond *beyond = r->model.beyond;
    uint64_t now = r->model.now;

    timing_finish(&r->model);
    r->ticks += r->result.ticks;
    if (r->next == r->lane->count) {
        r->lane->passes++;
        r->lane->ticks += r->ticks;
        r->next = r->ticks = 0;
    }
    begin_job(r, p, beyond, now);
}

/* The lane with the earliest event. A lane whose job has no more events precedes all others. */
static struct runner *first_of(struct runner *r, size_t count)
{
    struct runner *first = r;
    uint64_t at = UINT64_MAX;

    for (size_t i = 0; i < count; i++) {
        uint64_t time;

        if (!timing_events_next(&r[i].model.events, &time))
            return &r[i];
        if (time < at) {
            at = time;
            first = &r[i];
        }
    }
    return first;
}

static bool all_passed(const struct timing_lane *lanes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!lanes[i].passes)
            return false;
    return true;
}

static bool check_lanes(const struct timing_params *p, const struct timing_shape *shape,
                        const struct timing_lane *lanes, size_t count, struct error *err)
{
    unsigned cores = 0;

    if (!count || count > TIMING_LANES)
        return error_set(err, "there are 1 to %d lanes, not %zu", TIMING_LANES, count);
    for (size_t i = 0; i < count; i++) {
        if (!lanes[i].cores || lanes[i].cores > shape->cores - cores)
            return error_set(err, "the lanes have other cores than 1 to %u in all", shape->cores);
        cores += lanes[i].cores;
        for (size_t k = 0; k < lanes[i].count; k++) {
            if (!lanes[i].jobs[k].groups.len)
                return error_set(err, "a job has no work-groups");
            if (lanes[i].jobs[k].warp_width != shape->warp_width)
                return error_set(err, "a trace is of warps of %u lanes, the GPU has warps of %u",
                                 lanes[i].jobs[k].warp_width, shape->warp_width);
        }
        if (!lanes[i].count)
            return error_set(err, "a lane has no jobs");
    }
    return timing_model_check(p, shape, TIMING_DETAILED, err);
}

bool timing_run_beside(const struct timing_params *p, const struct timing_shape *shape,
                       struct timing_lane *lanes, size_t count, struct error *err)
{
    struct beyond beyond;
    struct runner *r;

    if (!check_lanes(p, shape, lanes, count, err))
        return false;
    r = xcalloc(count, sizeof(*r));
    timing_beyond_begin(&beyond, p);
    for (size_t i = 0; i < count; i++) {
        lanes[i].passes = lanes[i].ticks = 0;
        r[i].lane = &lanes[i];
        r[i].shape = *shape;
        r[i].shape.cores = lanes[i].cores;
        r[i].space = (uint64_t)i << SPACE_SHIFT;
        begin_job(&r[i], p, &beyond, 0);
    }
    while (!all_passed(lanes, count)) {
        struct runner *now = first_of(r, count);

        if (!timing_advance(&now->model))
            end_job(now);
    }
    for (size_t i = 0; i < count; i++)
        timing_finish(&r[i].model);
    timing_beyond_end(&beyond);
    free(r);
    return true;
}
