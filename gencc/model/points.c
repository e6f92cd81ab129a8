/*
 * Builds operating points: `point MHZ MHz = MILLIVOLT mV "source";` of a GPU.
 */
#include "gencc/model/layout_internal.h"

static void add_point(struct layouts *l, struct gpu *g, const struct ast_gpu_point *a)
{
    struct gpu_point point = {.pos = a->pos, .source = a->source};
    const struct gpu_point *last = g->points.len ? &g->points.data[g->points.len - 1] : NULL;

    point.mhz = layout_uint(l, a->mhz, UINT32_MAX);
    point.millivolt = layout_uint(l, a->millivolt, UINT32_MAX);
    if (!*a->source)
        diag_error(l->diag, a->pos, "the point has no source; name the origin of the numbers");
    if (point.mhz < 1 || point.mhz > 10000 || point.millivolt < 100 || point.millivolt > 2000)
        diag_error(l->diag, a->pos, "a point is 1 to 10000 MHz at 100 to 2000 mV");
    else if (last && (point.mhz <= last->mhz || point.millivolt < last->millivolt))
        diag_error(l->diag, a->pos,
                   "points follow each other by frequency, at voltages that do not fall");
    else if (g->points.len == GPU_MAX_POINTS)
        diag_error(l->diag, a->pos, "a GPU has at most %d points", GPU_MAX_POINTS);
    else
        vec_push_in(l->arena, &g->points, point);
}

static bool has_clock(const struct gpu *g)
{
    vec_for_each (&g->points, p)
        if (p->mhz == g->clock_mhz)
            return true;
    return false;
}

static void forget_points(struct gpu *g)
{
    g->points.data = NULL;
    g->points.len = g->points.cap = 0;
}

void gpu_points_set(struct layouts *l, struct gpu *g, bool own_clock)
{
    if (g->ast->points.len || own_clock)
        forget_points(g);
    vec_for_each (&g->ast->points, a)
        add_point(l, g, a);
    if (g->points.len && !has_clock(g))
        diag_error(l->diag, g->points.data[0].pos, "no point has the GPU's \"clock_mhz\", %llu",
                   (unsigned long long)g->clock_mhz);
    if (!g->points.len)
        vec_push_in(l->arena, &g->points,
                    ((struct gpu_point){.pos = g->ast->pos,
                                        .mhz = g->clock_mhz,
                                        .millivolt = g->power[GPU_POWER_voltage].value,
                                        .source = ""}));
}
