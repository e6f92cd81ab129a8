/* The GPU of the board: which one, and its node in the tree. */
#include <string.h>

#include "runtime/gpu/isa.h"
#include "runtime/gpu/stats.h"
#include "runtime/gpu/variant.h"
#include "runtime/machine/leave.h"
#include "runtime/machine/machine.h"

/* The next enabled node after the `from`-th that is a GPU's, or NULL. */
static const struct dt_node *find_gpu(const struct dt *dt, unsigned from)
{
    const char *name;

    for (unsigned n = from; n < dt->count; n++) {
        for (unsigned i = 0; (name = dt_string(dt, &dt->nodes[n], "compatible", i)); i++) {
            if (dt->nodes[n].enabled && device_class_find(name) == &gpu_class)
                return &dt->nodes[n];
        }
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

bool machine_choose_gpu(struct machine *m, struct error *err)
{
    const struct gpu_variant *v = m->options->gpu;
    const struct dt_node *node;

    while (!v && (node = find_gpu(m->dt, 0)) != NULL) {
        if (!dt_set_status(m->dt, node->path, "disabled", err) || !dt_index(m->dt, err))
            return false;
    }
    if (!v)
        return true;
    node = find_gpu(m->dt, 0);
    if (!node)
        return error_set(err, "-gpu %s: the board has no GPU", v->name);
    m->gpu = (struct gpu_config){
        .variant = v,
        .isa = find_isa(m->platform, v->isa),
        .threads = m->options->gpu_threads,
        .leaving = m->leave ? leave_wanted(m->leave) : NULL,
        .describe_shaders = m->options->stats_dir != NULL,
        .snapshots = m->options->gpu_snapshots,
        .snapshot_bytes = m->options->gpu_snapshot_bytes,
    };
    if (!m->gpu.isa)
        return error_set(err, "-gpu %s: this simulator was built without its shader ISA '%s'",
                         v->name, v->isa);
    return dt_set_string(m->dt, node->path, "compatible", v->compatible, err) &&
           dt_index(m->dt, err);
}

bool machine_write_gpu_stats(struct machine *m, struct error *err)
{
    void *gpu = machine_find_device(m, &gpu_class);
    const struct gpu_stats *stats = gpu ? gpu_device_stats(gpu) : NULL;

    return !stats || gpu_stats_write_jobs(stats, m->options->stats_dir, err);
}
