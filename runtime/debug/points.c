/* Breakpoints of shaders: their list, and whether a bundle or an access meets one. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/debug/internal.h"

enum { MAX_POINTS = 1024, MAX_FINDINGS = 65536 };

/* ---- the list -------------------------------------------------------------------------------- */

unsigned gpu_debug_break(struct gpu_debug *d, const struct gpu_debug_point *p, struct error *err)
{
    struct debug_point point = {.number = d->last_number + 1, .p = *p};

    if (d->points.len == MAX_POINTS) {
        error_set(err, "there are %d breakpoints already", MAX_POINTS);
        return 0;
    }
    if (p->kind == GPU_DEBUG_AT_ACCESS && (!p->bytes || p->address + p->bytes < p->address)) {
        error_set(err, "there is no memory to watch");
        return 0;
    }
    if (p->condition && !debug_check_expression(d, p->condition, err))
        return 0;
    point.p.condition = p->condition ? xstrdup(p->condition) : NULL;
    point.p.kernel = p->kernel ? xstrdup(p->kernel) : NULL;
    vec_push(&d->points, point);
    return ++d->last_number;
}

static void free_point(struct debug_point *p)
{
    free((char *)p->p.condition);
    free((char *)p->p.kernel);
}

bool gpu_debug_delete(struct gpu_debug *d, unsigned number)
{
    for (unsigned i = 0; i < d->points.len; i++)
        if (d->points.data[i].number == number) {
            free_point(&d->points.data[i]);
            d->points.data[i] = d->points.data[--d->points.len];
            return true;
        }
    return false;
}

void debug_points_free(struct gpu_debug *d)
{
    vec_for_each (&d->points, p)
        free_point(p);
    vec_free(&d->points);
}

bool debug_has_kind(const struct gpu_debug *d, enum gpu_debug_kind kind)
{
    vec_for_each (&d->points, p)
        if (p->p.kind == kind)
            return true;
    return false;
}

/* ---- meeting --------------------------------------------------------------------------------- */

/* Whether the point is of the place, or the access, without its condition. */
static bool is_at(struct gpu_debug *d, const struct debug_point *p,
                  const struct gpu_inspected_access *a)
{
    uint64_t here = d->at.code ? d->at.code->address : 0, shader = gpu_debug_shader(d);
    unsigned access = a ? a->access == GPU_ACCESS_READ    ? GPU_DEBUG_LOADS
                          : a->access == GPU_ACCESS_WRITE ? GPU_DEBUG_STORES
                                                          : GPU_DEBUG_LOADS | GPU_DEBUG_STORES
                        : 0;

    switch (p->p.kind) {
    case GPU_DEBUG_AT_ADDRESS:
        return here == p->p.address;
    case GPU_DEBUG_AT_BUNDLE:
        return here - shader == p->p.address * d->isa->grain_bytes;
    case GPU_DEBUG_AT_KERNEL:
        return here == shader && (!p->p.kernel || debug_is_kernel(d, p->p.kernel));
    case GPU_DEBUG_AT_ACCESS:
        return a && p->p.accesses & access && p->met != d->executed &&
               a->va < p->p.address + p->p.bytes && p->p.address < a->va + a->bytes;
    default:
        return true;
    }
}

/* The first lane of the row that the condition holds for; -1: none. A condition that cannot be
 * evaluated does not hold. */
static int lane_of_condition(struct gpu_debug *d, const struct debug_point *p, uint32_t lanes)
{
    struct gpu_debug_warp w = {0};
    struct gpu_debug_value v;

    if (!p->p.condition)
        return __builtin_ctz(lanes);
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left), lane;
        uint64_t thread = debug_thread_of(d, l, &lane);

        if ((w.thread == thread || gpu_debug_find_warp(d, thread, &w)) &&
            gpu_debug_evaluate(d, &w, lane, p->p.condition, &v, NULL) &&
            (v.real ? v.number != 0 : v.whole != 0))
            return (int)l;
    }
    return -1;
}

struct debug_point *debug_meet(struct gpu_debug *d, enum gpu_debug_kind kind, uint32_t lanes,
                               const struct gpu_inspected_access *a, unsigned *lane)
{
    vec_for_each (&d->points, p) {
        int found = p->p.kind == kind && is_at(d, p, a) ? lane_of_condition(d, p, lanes) : -1;

        if (found < 0)
            continue;
        p->hits++;
        p->met = d->executed;
        *lane = (unsigned)found;
        return p;
    }
    return NULL;
}

/* ---- findings -------------------------------------------------------------------------------- */

void gpu_debug_expect(struct gpu_debug *d, const struct gpu_debug_finding *f)
{
    struct debug_finding it = {*f, NULL};

    if (d->findings.len == MAX_FINDINGS)
        return;
    it.text = xstrdup(f->text);
    it.f.text = it.text;
    vec_push(&d->findings, it);
}

bool gpu_debug_needs_findings(const struct gpu_debug *d)
{
    return debug_has_kind(d, GPU_DEBUG_AT_RACE) || debug_has_kind(d, GPU_DEBUG_AT_UNWRITTEN);
}

const struct debug_finding *debug_finding_of(struct gpu_debug *d,
                                             const struct gpu_inspected_access *a)
{
    const struct gpu_warp *w = d->at.row;

    vec_for_each (&d->findings, f)
        if (f->f.bundle == d->at.code->address && f->f.group == w->group->index &&
            f->f.item == w->thread + a->lane && f->f.shader == gpu_debug_shader(d) &&
            f->f.address >= a->va && f->f.address < a->va + a->bytes)
            return f;
    return NULL;
}
