/* The GPU of the board: chooses the variant, and edits its node in the tree. */
#include <string.h>

#include "runtime/gpu/isa.h"
#include "runtime/gpu/stats.h"
#include "runtime/gpu/variant.h"
#include "runtime/machine/kernel_names.h"
#include "runtime/machine/leave.h"
#include "runtime/machine/machine.h"

#define HZ_PER_MHZ UINT64_C(1000000)
#define UW_PER_MW  1000

static bool is_gpu(const struct dt *dt, const struct dt_node *node)
{
    for (const char *name = NULL; (name = dt_next_string(dt, node, "compatible", name)) != NULL;) {
        if (device_class_find(name) == &gpu_class)
            return true;
    }
    return false;
}

/* The first enabled node of a GPU behind `after`, or NULL. */
static const struct dt_node *next_gpu(const struct dt *dt, const struct dt_node *after)
{
    for (unsigned n = after ? (unsigned)(after - dt->nodes) + 1 : 0; n < dt->count; n++) {
        if (dt->nodes[n].enabled && is_gpu(dt, &dt->nodes[n]))
            return &dt->nodes[n];
    }
    return NULL;
}

static const struct gpu_isa *find_isa(const struct platform *platform, const char *name)
{
    const struct gpu_isa *const *isa = platform->gpu_isas;

    while (isa && *isa && strcmp((*isa)->name, name) != 0)
        isa++;
    return isa ? *isa : NULL;
}

/* The variant that the node names, if the platform has its shader ISA; else NULL. */
static const struct gpu_variant *gpu_of_node(const struct machine *m, const struct dt_node *node)
{
    const char *name = NULL;

    while (node && (name = dt_next_string(m->dt, node, "compatible", name)) != NULL) {
        const struct gpu_variant *v = gpu_variant_by_compatible(name);

        if (v && find_isa(m->platform, v->isa))
            return v;
    }
    return NULL;
}

static bool disable_gpus(struct machine *m, struct error *err)
{
    dt_node_list gpus = {0};
    bool ok;

    for (const struct dt_node *node = NULL; (node = next_gpu(m->dt, node)) != NULL;)
        vec_push(&gpus, node);
    ok = dt_set_status_of(m->dt, &gpus, "disabled", err);
    vec_free(&gpus);
    return ok;
}

/* Reads the plan of shader cores, if there is one. */
static bool set_cores(struct machine *m, struct error *err)
{
    if (!m->options->gpu_cores)
        return true;
    m->core_plan = gpu_core_plan_read(m->options->gpu_cores, err);
    if (!m->core_plan) {
        error_prefix(err, "-gpu-cores ");
        return false;
    }
    m->core_policy = gpu_core_plan_policy(m->core_plan);
    m->gpu.core_policy = &m->core_policy;
    return true;
}

/* The operating points that firmware offers: that of -gpu-clock, or those of the GPU. */
static void make_supply(struct machine *m, const struct gpu_variant *v)
{
    const struct power_model model = {v->power, v->clock_mhz};
    const struct timing_shape shape = {v->cores, v->engines, v->max_threads, v->warp_width,
                                       v->clock_mhz};
    const struct power_point *fixed = &m->options->gpu_clock;
    struct gpu_supply *s = &m->supply;

    *s = (struct gpu_supply){.count = fixed->mhz ? 1 : v->point_count};
    for (unsigned i = 0; i < s->count; i++) {
        struct power_point at = v->points[i];

        if (fixed->mhz)
            at = power_point_for(v->points, v->point_count, fixed->mhz);
        if (fixed->millivolt)
            at.millivolt = fixed->millivolt;
        if (at.mhz == v->clock_mhz)
            s->initial = i;
        s->offers[i].at = at;
        s->offers[i].milliwatt =
            (uint32_t)(power_full_uw(&model, &at, &v->timing, &shape) / UW_PER_MW);
    }
    s->at = s->offers[s->initial].at;
}

static void set_gpu(struct machine *m, const struct gpu_variant *v)
{
    make_supply(m, v);
    m->gpu = (struct gpu_config){
        .variant = v,
        .isa = find_isa(m->platform, v->isa),
        .threads = (unsigned)m->options->gpu_threads,
        .translate_after = (uint32_t)m->options->gpu_translate,
        .keep_code = true,
        .code_folder = m->options->shader_cache,
        .timed = m->options->gpu_timed || m->options->gpu_power,
        .fidelity = m->options->gpu_timed ? m->options->gpu_fidelity : TIMING_DETAILED,
        .power = m->options->gpu_power,
        .supply = &m->supply,
        .leaving = m->leave ? leave_wanted(m->leave) : NULL,
        .describe_shaders = m->options->stats_dir != NULL,
        .snapshots = m->options->gpu_snapshots,
        .snapshot_bytes = m->options->gpu_snapshot_bytes,
        .kernel_name = kernel_name,
        .kernel_opaque = m->names,
    };
}

static const struct dt_node *clock_of(const struct machine *m, const struct dt_node *node)
{
    uint32_t phandle;

    return dt_cell(m->dt, node, "clocks", 0, &phandle) ? dt_by_phandle(m->dt, phandle) : NULL;
}

/* Tells the guest of the operating points, among which firmware lets it choose. */
static bool add_points(struct machine *m, const struct dt_node *node, struct error *err)
{
    const struct dt_node *clock = clock_of(m, node);
    struct dt_operating_point points[POWER_POINTS];

    if (!clock || dt_compatible(m->dt, clock, "fixed-clock"))
        return error_set(err, "-gpu-clock guest: no firmware of the board sets the GPU's clock");
    for (unsigned i = 0; i < m->supply.count; i++)
        points[i] = (struct dt_operating_point){m->supply.offers[i].at.mhz * HZ_PER_MHZ,
                                                m->supply.offers[i].at.millivolt * 1000,
                                                m->supply.offers[i].milliwatt * 1000};
    return dt_add_operating_points(m->dt, node->path, points, m->supply.count, err);
}

/* Sets a fixed clock of the node to this GPU's frequency. Firmware that controls a clock gets the
 * frequency from gpu_config. */
static bool set_clock(struct machine *m, const struct dt_node *node, struct error *err)
{
    const struct dt_node *clock = clock_of(m, node);
    uint64_t hz = m->supply.at.mhz * HZ_PER_MHZ;

    if (!clock || !dt_compatible(m->dt, clock, "fixed-clock"))
        return true;
    return dt_set_cell(m->dt, clock->path, "clock-frequency",
                       hz < UINT32_MAX ? (uint32_t)hz : UINT32_MAX, err) &&
           dt_index(m->dt, err);
}

bool machine_choose_gpu(struct machine *m, struct error *err)
{
    const struct gpu_variant *wanted = m->options->gpu, *v = wanted;
    const struct dt_node *node = next_gpu(m->dt, NULL);

    if (!v && !m->options->no_gpu)
        v = gpu_of_node(m, node);
    if (!v)
        return disable_gpus(m, err);
    if (!node)
        return error_set(err, "-gpu %s: the board has no GPU", v->name);
    if (m->options->gpu_names && !(m->names = kernel_names_read(m->options->gpu_names, err)))
        return false;
    set_gpu(m, v);
    if (!set_cores(m, err))
        return false;
    if (!m->gpu.isa)
        return error_set(err, "-gpu %s: this simulator was built without its shader ISA '%s'",
                         v->name, v->isa);
    if (m->options->report && !machine_open_report(m, err))
        return false;
    if (m->options->gpu_guest_clock && !add_points(m, node, err))
        return false;
    if (!wanted && !m->options->gpu_clock.mhz)
        return true;
    node = next_gpu(m->dt, NULL);
    if (!set_clock(m, node, err))
        return false;
    if (!wanted)
        return true;
    return (node = next_gpu(m->dt, NULL)) != NULL &&
           dt_set_string(m->dt, node->path, "compatible", v->compatible, err) &&
           dt_index(m->dt, err);
}

bool machine_write_gpu_stats(struct machine *m, struct error *err)
{
    void *gpu = machine_find_device(m, &gpu_class);
    const struct gpu_stats *stats = gpu ? gpu_device_stats(gpu) : NULL;

    return !stats || gpu_stats_write(stats, m->options->stats_dir, err);
}
