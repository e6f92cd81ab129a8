/*
 * The inspector of the shader debugger: it decides at each bundle, stage, access and fault whether
 * the job stops, and lets the front serve its user meanwhile.
 *
 * Bounds      between two looks at the front: POLL_BUNDLES bundles of rows
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/debug/internal.h"
#include "runtime/gpu/observer.h"

enum { POLL_BUNDLES = 1024 };

/* ---- stopping -------------------------------------------------------------------------------- */

/* Starts the rows of the group that have not run, so that all its warps can be seen. */
static void begin_rows(struct gpu_debug *d)
{
    struct gpu_group *g = d->at.worker->group;

    while (g->started < g->rows)
        gpu_group_begin_row(d->at.worker, g, g->started);
}

/* Stops. `row_lane` is the lane of the row that is the cause. */
static void stop_here(struct gpu_debug *d, enum gpu_debug_reason reason, unsigned row_lane,
                      const struct debug_point *point)
{
    begin_rows(d);
    d->stop.reason = reason;
    d->stop.thread = debug_thread_of(d, row_lane, &d->stop.lane);
    d->stop.point = point ? point->number : 0;
    d->pause = false;
    gpu_debug_go(d, GPU_DEBUG_RUN);
    d->stopped = true;
    d->front.stopped(d->front.opaque, d);
    d->stopped = false;
}

static void say(struct gpu_debug *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct gpu_debug *d, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(d->stop.text, sizeof(d->stop.text), fmt, args);
    va_end(args);
}

/* The lane of the row by which the moving warp, or lane, is in the bundle; -1: it is not. */
static int moving_lane(const struct gpu_debug *d, bool of_item)
{
    int found = -1;

    for (uint32_t left = d->at.row->active; left; left &= left - 1) {
        unsigned lane, l = (unsigned)__builtin_ctz(left);

        if (debug_thread_of(d, l, &lane) != d->motion_thread)
            continue;
        if (lane == d->motion_lane)
            return (int)l;
        found = found < 0 && !of_item ? (int)l : found;
    }
    return found;
}

/* Whether the moving warp has ended, or its group. */
static bool has_ended(struct gpu_debug *d)
{
    struct gpu_debug_warp w;

    return !gpu_debug_find_warp(d, d->motion_thread, &w) ||
           (d->motion == GPU_DEBUG_BY_ITEM && !(w.live >> d->motion_lane & 1));
}

/* The lane at which a step ends with this bundle; -1: it goes on. */
static int end_of_step(struct gpu_debug *d)
{
    int first = __builtin_ctz(d->at.row->active), lane;

    switch (d->motion) {
    case GPU_DEBUG_RUN:
        return -1;
    case GPU_DEBUG_BY_WARP:
        return moving_lane(d, false) < 0 ? first : -1;
    case GPU_DEBUG_OUT:
        return has_ended(d) ? first : -1;
    case GPU_DEBUG_BY_STAGE:
    case GPU_DEBUG_BY_BUNDLE:
    case GPU_DEBUG_BY_ITEM:
        break;
    }
    lane = moving_lane(d, d->motion == GPU_DEBUG_BY_ITEM);
    return lane >= 0 ? lane : has_ended(d) ? first : -1;
}

/* ---- the inspector --------------------------------------------------------------------------- */

static bool is_compute(const struct gpu_debug *d)
{
    return debug_job(d)->job.stage == GPU_STAGE_COMPUTE;
}

static bool stop_at_point(struct gpu_debug *d)
{
    static const enum gpu_debug_kind kinds[] = {GPU_DEBUG_AT_KERNEL, GPU_DEBUG_AT_ADDRESS,
                                                GPU_DEBUG_AT_BUNDLE};
    unsigned lane;

    for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        struct debug_point *p = debug_meet(d, kinds[i], d->at.row->active, NULL, &lane);

        if (p) {
            say(d, "breakpoint %u", p->number);
            stop_here(d, GPU_DEBUG_BREAK, lane, p);
            return true;
        }
    }
    return false;
}

static void stop_if_due(struct gpu_debug *d)
{
    int lane;

    if (d->front.poll && !(d->executed % POLL_BUNDLES) && d->front.poll(d->front.opaque))
        d->pause = true;
    if (d->points.len && stop_at_point(d))
        return;
    lane = end_of_step(d);
    if (lane >= 0) {
        say(d, "step");
        stop_here(d, GPU_DEBUG_STEP, (unsigned)lane, NULL);
    } else if (d->pause) {
        say(d, "stopped");
        stop_here(d, GPU_DEBUG_PAUSE, (unsigned)__builtin_ctz(d->at.row->active), NULL);
    }
}

/* Takes a jump in place of the bundle: lanes that do not jump come back to it. */
static void take_jump(struct gpu_debug *d)
{
    struct gpu_warp *w = d->at.row;

    for (uint32_t left = w->active; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);

        w->target[l] = d->jump >> l & 1 ? d->jump_to : d->at.code->address;
    }
    w->branched = w->active;
    d->jump = 0;
}

static size_t kept_slots(const struct gpu_debug *d)
{
    return d->isa->register_count + GPU_SLOT_RESULT + gpu_result_slots(d->isa);
}

static void keep_slots(struct gpu_debug *d)
{
    size_t words = kept_slots(d) * d->at.row->lanes;

    if (d->before_words < words) {
        free(d->before);
        d->before = xcalloc(words, sizeof(*d->before));
        d->before_words = words;
    }
    memcpy(d->before, d->at.row->state, words * sizeof(*d->before));
}

static bool on_begin(void *opaque, const struct gpu_inspected *at)
{
    struct gpu_debug *d = opaque;

    d->at = *at;
    if (!is_compute(d))
        return true;
    d->executed++;
    d->jump = 0;
    stop_if_due(d);
    if (d->jump) {
        take_jump(d);
        return false;
    }
    if (debug_has_kind(d, GPU_DEBUG_AT_NAN))
        keep_slots(d);
    d->nan_read = 0;
    return true;
}

static void on_stage(void *opaque, const struct gpu_inspected *at)
{
    struct gpu_debug *d = opaque;
    int lane;

    d->at = *at;
    if (!is_compute(d) || d->motion != GPU_DEBUG_BY_STAGE || (lane = moving_lane(d, false)) < 0)
        return;
    say(d, "step");
    stop_here(d, GPU_DEBUG_STEP, (unsigned)lane, NULL);
}

/* ---- behind a bundle ------------------------------------------------------------------------- */

static uint64_t next_pc(const struct gpu_debug *d, unsigned lane)
{
    const struct gpu_warp *w = d->at.row;

    return w->branched >> lane & 1 ? w->target[lane] : d->at.code->next;
}

/* The lanes that leave others of their warp here. */
static uint32_t diverging(const struct gpu_debug *d)
{
    const struct gpu_warp *w = d->at.row;
    uint32_t going = w->active & ~w->ended, apart = 0;

    if (d->at.code->flags & GPU_BUNDLE_END)
        going &= w->branched;
    for (uint32_t left = going; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        uint32_t peers = going & w->full << w->first[l];

        if (next_pc(d, l) != next_pc(d, (unsigned)__builtin_ctz(peers)))
            apart |= 1u << l;
    }
    return apart;
}

static bool is_nan_made(uint32_t v)
{
    return (v & INT32_MAX) == 0x7fc00000;
}

static bool is_nan(uint32_t v)
{
    return (v & INT32_MAX) > 0x7f800000;
}

/* Whether the lane had a NaN before the bundle, or got one from memory, that may have come through
 * it. */
static bool had_nan(const struct gpu_debug *d, unsigned lane)
{
    for (size_t s = 0; s < d->isa->register_count; s++)
        if (is_nan(d->before[s * d->at.row->lanes + lane]))
            return true;
    for (unsigned i = 0; i < debug_job(d)->job.uniform_words; i++)
        if (is_nan(debug_job(d)->job.uniform[i]))
            return true;
    return d->nan_read >> lane & 1;
}

/* The lanes in which the bundle made a NaN. *slot becomes where, in one of them. */
static uint32_t making_nan(const struct gpu_debug *d, unsigned *slot)
{
    const uint32_t *now = (const uint32_t *)(const void *)d->at.row->state;
    unsigned lanes = d->at.row->lanes;
    uint32_t found = 0;

    for (unsigned s = 0; s < d->isa->register_count; s++)
        for (uint32_t left = d->at.row->active & ~found; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left), i = s * lanes + l;

            if (now[i] == d->before[i] || !is_nan_made(now[i]) || had_nan(d, l))
                continue;
            found |= 1u << l;
            *slot = s;
        }
    return found;
}

static void stop_at_nan(struct gpu_debug *d)
{
    unsigned slot = 0, lane;
    uint32_t lanes = making_nan(d, &slot);
    struct debug_point *p = lanes ? debug_meet(d, GPU_DEBUG_AT_NAN, lanes, NULL, &lane) : NULL;
    unsigned words = d->isa->register_slots ? d->isa->register_slots : 1;

    if (!p)
        return;
    say(d, "a NaN is made, in r%u%s%.1s", slot / words, words > 1 ? "." : "",
        words > 1 ? &"xyzw"[slot % words & 3] : "");
    stop_here(d, GPU_DEBUG_NAN, lane, p);
}

static void stop_at_divergence(struct gpu_debug *d)
{
    uint32_t lanes = diverging(d);
    unsigned lane;
    struct debug_point *p =
        lanes ? debug_meet(d, GPU_DEBUG_AT_DIVERGENCE, lanes, NULL, &lane) : NULL;

    if (!p)
        return;
    say(d, "divergence: the lane goes to 0x%" PRIx64 ", others of its warp do not",
        next_pc(d, lane));
    stop_here(d, GPU_DEBUG_DIVERGENCE, lane, p);
}

static void on_end(void *opaque, const struct gpu_inspected *at)
{
    struct gpu_debug *d = opaque;
    unsigned lane;
    struct debug_point *p;

    d->at = *at;
    d->at.stage = 0;
    if (!is_compute(d) || !d->points.len)
        return;
    if (at->row->faulted && at->row->faulted != GPU_FAULT_MEMORY &&
        (p = debug_meet(d, GPU_DEBUG_AT_FAULT, at->row->active, NULL, &lane))) {
        say(d, "fault: the %s cannot be executed", d->isa->bundle_name);
        stop_here(d, GPU_DEBUG_FAULT, lane, p);
    }
    if (debug_has_kind(d, GPU_DEBUG_AT_NAN) && d->before)
        stop_at_nan(d);
    if (debug_has_kind(d, GPU_DEBUG_AT_DIVERGENCE))
        stop_at_divergence(d);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static const char *verb_of(enum gpu_access access)
{
    return access == GPU_ACCESS_READ ? "reads" : access == GPU_ACCESS_WRITE ? "writes" : "updates";
}

/* Notes that a lane loads a NaN, which it does not make. */
static void note_nan(struct gpu_debug *d, const struct gpu_inspected_access *a)
{
    uint32_t words[2] = {0};

    if (a->access != GPU_ACCESS_WRITE && a->bytes <= sizeof(words) &&
        gpu_debug_read(d, a->va, words, a->bytes) == a->bytes &&
        (is_nan(words[0]) || is_nan(words[1])))
        d->nan_read |= 1u << a->lane;
}

static void on_access(void *opaque, struct gpu_warp *row, const struct gpu_inspected_access *a)
{
    struct gpu_debug *d = opaque;
    const struct debug_finding *f;
    struct debug_point *p;
    unsigned lane;

    (void)row;
    if (!d->points.len || !is_compute(d))
        return;
    if (debug_has_kind(d, GPU_DEBUG_AT_NAN))
        note_nan(d, a);
    p = debug_meet(d, GPU_DEBUG_AT_ACCESS, 1u << a->lane, a, &lane);
    if (p) {
        say(d, "watchpoint %u: the lane %s %u bytes at 0x%" PRIx64, p->number, verb_of(a->access),
            a->bytes, a->va);
        if (a->access == GPU_ACCESS_WRITE)
            snprintf(d->stop.text + strlen(d->stop.text),
                     sizeof(d->stop.text) - strlen(d->stop.text), ", 0x%" PRIx64, a->value);
        d->stop.va = p->p.address;
        stop_here(d, GPU_DEBUG_WATCH, a->lane, p);
    }
    f = debug_finding_of(d, a);
    if (!f)
        return;
    p = debug_meet(d, f->f.reason == GPU_DEBUG_RACE ? GPU_DEBUG_AT_RACE : GPU_DEBUG_AT_UNWRITTEN,
                   1u << a->lane, NULL, &lane);
    if (p) {
        say(d, "%s", f->text);
        stop_here(d, f->f.reason, a->lane, p);
    }
}

static void on_fault(void *opaque, struct gpu_warp *row, const struct gpu_fault *fault)
{
    struct gpu_debug *d = opaque;
    unsigned lane = row->core->lane;
    struct debug_point *p =
        is_compute(d) ? debug_meet(d, GPU_DEBUG_AT_FAULT, 1u << lane, NULL, &lane) : NULL;

    if (!p)
        return;
    say(d, "fault: the lane %s 0x%" PRIx64 ", where no memory is", verb_of(fault->access),
        fault->va);
    stop_here(d, GPU_DEBUG_FAULT, lane, p);
}

/* ---- life ------------------------------------------------------------------------------------ */

struct gpu_debug *gpu_debug_new(const struct gpu_isa *isa, const char *kernel,
                                const struct gpu_debug_front *front)
{
    struct gpu_debug *d = xcalloc(1, sizeof(*d));

    d->isa = isa;
    d->kernel = kernel ? xstrdup(kernel) : NULL;
    d->front = *front;
    d->inspector = (struct gpu_inspector){d, on_begin, on_stage, on_end, on_access, on_fault};
    debug_registers_make(d);
    return d;
}

void gpu_debug_free(struct gpu_debug *d)
{
    if (!d)
        return;
    debug_points_free(d);
    vec_for_each (&d->findings, f)
        free(f->text);
    vec_free(&d->findings);
    vec_free(&d->registers);
    free(d->before);
    gpu_kernels_free(d->kernels);
    free(d->kernel);
    free(d);
}

void gpu_debug_attach(struct gpu_debug *d, struct gpu_cores *cores)
{
    gpu_cores_inspect(cores, &d->inspector);
}

const struct gpu_inspector *gpu_debug_inspector(const struct gpu_debug *d)
{
    return &d->inspector;
}

void gpu_debug_pause(struct gpu_debug *d)
{
    d->pause = true;
}

void gpu_debug_leave(struct gpu_debug *d)
{
    debug_points_free(d);
    gpu_debug_go(d, GPU_DEBUG_RUN);
}

const struct gpu_debug_stop *gpu_debug_last_stop(const struct gpu_debug *d)
{
    return &d->stop;
}

void gpu_debug_go(struct gpu_debug *d, enum gpu_debug_motion motion)
{
    d->motion = motion;
    d->motion_thread = d->stop.thread;
    d->motion_lane = d->stop.lane;
}

unsigned gpu_debug_stage(const struct gpu_debug *d)
{
    return d->at.stage;
}

const struct gpu_isa *gpu_debug_isa(const struct gpu_debug *d)
{
    return d->isa;
}
