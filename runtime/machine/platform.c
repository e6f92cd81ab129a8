/* Reads a platform's description (platform.h). */
#include "runtime/machine/platform.h"

#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/machine/dt_edit.h"
#include "runtime/machine/loaders.h"

/* Registers that a property lists, at most `max`. */
struct register_list {
    const char *prop;
    struct cpu_view *views;
    unsigned max, *count;
};

static bool find_listed(const struct platform *p, const struct dt *dt, const struct dt_node *node,
                        const struct register_list *list, struct error *err)
{
    const char *name;

    while (*list->count < list->max && (name = dt_string(dt, node, list->prop, *list->count))) {
        if (!cpu_register_find(p->isa, name, &list->views[(*list->count)++]))
            return error_set(err, "platform %s: %s has no register %s", p->name, p->isa->name,
                             name);
    }
    return true;
}

static bool find_registers(const struct platform *p, struct platform_info *info,
                           const struct dt_node *node, struct error *err)
{
    const struct register_list args = {"argument-registers", info->args, PLATFORM_ARGS,
                                       &info->arg_count};
    const struct register_list results = {"result-register", info->results, PLATFORM_RESULTS,
                                          &info->result_count};

    if (!find_listed(p, info->dt, node, &args, err) ||
        !find_listed(p, info->dt, node, &results, err))
        return false;
    if (!info->arg_count)
        return error_set(err, "platform %s: argument-registers is missing", p->name);
    if (!info->result_count)
        info->results[info->result_count++] = info->args[0];
    return true;
}

static bool find_protocol(const struct platform *p, struct platform_info *info, struct error *err)
{
    const struct dt_node *node = dt_find(info->dt, "/gencc/boot");
    const char *name;

    for (unsigned i = 0; node && (name = dt_string(info->dt, node, "compatible", i)); i++) {
        if (!info->boot)
            info->boot = boot_protocol_find(name);
    }
    return info->boot || error_set(err, "platform %s: /gencc/boot names no boot protocol", p->name);
}

/* ---- kinds of CPU ---------------------------------------------------------------------------- */

static bool is_kind(const struct dt_node *node)
{
    return node->parent && !strcmp(node->parent->path, "/gencc/cpus");
}

static void list_cpus(struct platform_info *info)
{
    unsigned count = 0;

    for (unsigned n = 1; n < info->dt->count && count < PLATFORM_CPUS; n++) {
        if (is_kind(&info->dt->nodes[n]))
            info->cpus[count++] = info->dt->nodes[n].name;
    }
}

bool platform_open(const struct platform *platform, struct platform_info *info, struct error *err)
{
    const struct dt_node *node;
    bool ok;

    *info = (struct platform_info){0};
    info->dt = dt_copy(platform->description, platform->description_len, err);
    ok = info->dt && dt_index(info->dt, err);
    node = ok ? dt_find(info->dt, "/gencc") : NULL;
    if (ok && !node)
        ok = error_set(err, "platform %s has no node /gencc", platform->name);
    if (ok) {
        info->summary = dt_string(info->dt, node, "summary", 0);
        dt_cell(info->dt, node, "firmware-memory", 0, &info->firmware_memory);
        list_cpus(info);
        ok = find_registers(platform, info, node, err) && find_protocol(platform, info, err);
    }
    if (!info->summary)
        info->summary = platform->name;
    if (!ok)
        platform_close(info);
    return ok;
}

void platform_close(struct platform_info *info)
{
    dt_free(info->dt);
    *info = (struct platform_info){0};
}

/* ---- the platform's own tree ----------------------------------------------------------------- */

/* The first node of the description that is no part of the board, or NULL. */
static const struct dt_node *find_foreign(const struct dt *dt)
{
    for (unsigned n = 1; n < dt->count; n++) {
        const struct dt_node *node = &dt->nodes[n];

        if (!strcmp(node->path, "/gencc") || !strncmp(node->path, "/__", 3) ||
            dt_prop(dt, node, "target-path", NULL))
            return node;
    }
    return NULL;
}

struct dt *platform_own_tree(const struct platform_info *info, struct error *err)
{
    const struct dt_node *node;
    struct dt *dt;

    if (!dt_find(info->dt, "/cpus"))
        return error_null(err, "-dtb FILE is needed: the device tree of the board");
    dt = dt_copy(info->dt->blob, dt_size(info->dt), err);
    if (!dt || !dt_index(dt, err)) {
        dt_free(dt);
        return NULL;
    }
    while ((node = find_foreign(dt)) != NULL) {
        if (!dt_remove(dt, node->path, err) || !dt_index(dt, err)) {
            dt_free(dt);
            return NULL;
        }
    }
    return dt;
}

bool platform_fits(const struct platform_info *info, const struct dt *board)
{
    const struct dt_node *node = dt_find(info->dt, "/gencc");
    const char *name;

    for (unsigned i = 0; (name = dt_string(info->dt, node, "boards", i)); i++) {
        if (dt_compatible(board, &board->nodes[0], name))
            return true;
    }
    return false;
}

/* ---- kinds of CPUs and devices --------------------------------------------------------------- */

/* The child of `parent` that has the compatible `name`, or NULL. */
static const struct dt_node *kind_of(const struct platform_info *info, const char *parent,
                                     const char *name)
{
    for (const struct dt_node *kind = NULL;
         (kind = dt_next_compatible(info->dt, kind, name)) != NULL;) {
        if (kind->parent && !strcmp(kind->parent->path, parent))
            return kind;
    }
    return NULL;
}

static const struct dt_node *cpu_kind(const struct platform_info *info, const struct dt *board,
                                      const struct dt_node *node)
{
    const struct dt_node *kind = NULL;
    const char *name = NULL;

    while (!kind && (name = dt_next_string(board, node, "compatible", name)) != NULL)
        kind = kind_of(info, "/gencc/cpus", name);
    return kind;
}

static const struct dt_node *named_kind(const struct platform_info *info, const char *name)
{
    for (unsigned n = 1; n < info->dt->count; n++) {
        if (is_kind(&info->dt->nodes[n]) && !strcmp(info->dt->nodes[n].name, name))
            return &info->dt->nodes[n];
    }
    return NULL;
}

const void *platform_device_prop(const struct platform_info *info, const char *compatible,
                                 const char *name, size_t *len)
{
    const struct dt_node *kind = kind_of(info, "/gencc/devices", compatible);

    return kind ? dt_prop(info->dt, kind, name, len) : NULL;
}

static const struct dt_node *kind_of_cpu(const struct platform_info *info, const struct dt *board,
                                         const struct dt_node *node, const char *name)
{
    return name ? named_kind(info, name) : cpu_kind(info, board, node);
}

const struct dt_node *platform_cpu_timing(const struct platform_info *info, const struct dt *board,
                                          const struct dt_node *node, const char *name)
{
    const struct dt_node *kind = kind_of_cpu(info, board, node, name);

    for (unsigned n = 1; kind && n < info->dt->count; n++)
        if (info->dt->nodes[n].parent == kind && !strcmp(info->dt->nodes[n].name, "timing"))
            return &info->dt->nodes[n];
    return NULL;
}

const char *platform_cpu_device(const struct platform_info *info, const struct dt *board,
                                const struct dt_node *node, const char *name, unsigned index)
{
    const struct dt_node *kind = kind_of_cpu(info, board, node, name);

    return kind ? dt_string(info->dt, kind, "devices", index) : NULL;
}

bool platform_configure_cpu(const struct platform_info *info, const struct platform_cpu *which,
                            struct cpu *cpu, struct error *err)
{
    const struct dt *board = which->board;
    const struct dt_node *node = which->node;
    const struct dt_node *kind = kind_of_cpu(info, board, node, which->name);
    const char *compatible = dt_string(board, node, "compatible", 0);
    uint32_t high, low, index, ps = 0;
    uint64_t affinity;

    if (!kind)
        return error_set(err, "%s: no CPU of kind '%s' is known", node->path,
                         compatible ? compatible : "?");
    for (unsigned i = 0; i < CPU_CONFIGS && dt_cell(info->dt, kind, "config", 2 * i, &high) &&
                         dt_cell(info->dt, kind, "config", 2 * i + 1, &low);
         i++)
        cpu_config(cpu)[i] = (uint64_t)high << 32 | low;
    if (dt_cell(info->dt, kind, "tick-picoseconds", 0, &ps) && !ps)
        return error_set(err, "%s: a tick takes no time", kind->path);
    cpu_set_speed(cpu, ps);
    if (dt_cell(info->dt, kind, "affinity-config", 0, &index) && index < CPU_CONFIGS) {
        if (!dt_raw_address(board, node, 0, &affinity))
            return error_set(err, "%s: the CPU has no reg", node->path);
        cpu_config(cpu)[index] = affinity;
    }
    if (dt_cell(info->dt, kind, "count-config", 0, &index) && index < CPU_CONFIGS)
        cpu_config(cpu)[index] = which->count;
    return true;
}

/* ---- argument registers ---------------------------------------------------------------------- */

static void set_register(struct cpu *cpu, struct cpu_view view, uint64_t value)
{
    uint8_t bytes[CPU_REGISTER_BYTES] = {0};

    le_put(bytes, 8, value);
    cpu_register_write(cpu, view, bytes);
}

void platform_set_args(const struct platform_info *info, struct cpu *cpu, const uint64_t *args,
                       unsigned count)
{
    for (unsigned i = 0; i < info->arg_count; i++)
        set_register(cpu, info->args[i], i < count ? args[i] : 0);
}

void platform_set_results(const struct platform_info *info, struct cpu *cpu,
                          const uint64_t *results, unsigned count)
{
    for (unsigned i = 0; i < info->result_count && i < count; i++)
        set_register(cpu, info->results[i], results[i]);
}

void platform_get_args(const struct platform_info *info, struct cpu *cpu,
                       uint64_t args[PLATFORM_ARGS])
{
    memset(args, 0, PLATFORM_ARGS * sizeof(args[0]));
    for (unsigned i = 0; i < info->arg_count; i++) {
        uint8_t bytes[CPU_REGISTER_BYTES] = {0};

        cpu_register_read(cpu, info->args[i], bytes);
        args[i] = le_get(bytes, 8);
    }
}
