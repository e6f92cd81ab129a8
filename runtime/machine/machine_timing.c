/*
 * -cpu-timing: ticks of instructions by their class, and misses of data caches. The numbers are in
 * the node `timing` of the platform's kind of CPU, which may name an ac_timing of the description.
 * Sizes and sharing of caches come from the board's tree, or from that node where the tree lacks
 * them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/base/state.h"
#include "common/vec.h"
#include "runtime/cpu/ticks.h"
#include "runtime/machine/machine.h"
#include "runtime/timing/delays.h"
#include "runtime/timing/mesh.h"

#define PS_PER_SECOND UINT64_C(1000000000000)
#define PS_PER_NS     1000
#define HZ_PER_MHZ    UINT64_C(1000000)
#define PERCENT       100

/* A kind of CPU that the machine has. */
struct kind {
    const struct dt_node *node;         /* the kind's `timing` */
    const struct cpu_timing *described; /* the description's that the node names, or NULL */
    const struct cpu_isa *isa;
    uint64_t cycle_ps, tick_ps;
    uint32_t ticks_per_cycle;
    struct timing_delay_costs costs;
};

struct shared_cache {
    const struct dt_node *node; /* the board's or the kind's; CPUs with the same node share it */
    struct timing_sets sets;
};

struct timed_cpu {
    struct machine *m;
    unsigned number;
    const struct kind *kind;
    struct timing_delays delays;
    struct cpu_delays hook;
};

struct machine_timing {
    VEC(struct kind *) kinds;
    VEC(struct shared_cache *) shared;
    struct timed_cpu cpus[DEVICE_MAX_CPUS];
};

/* ---- a kind's numbers ------------------------------------------------------------------------ */

/* A number of a property, which must be in a range. */
struct number {
    const char *name;
    unsigned index; /* index of the cell in the property */
    uint32_t least, most, *out;
};

static bool read_number(const struct machine *m, const struct dt_node *node, const struct number *n,
                        struct error *err)
{
    if (dt_cell(m->info.dt, node, n->name, n->index, n->out) && *n->out >= n->least &&
        *n->out <= n->most)
        return true;
    return error_set(err, "platform %s: %s: %s must be %" PRIu32 " to %" PRIu32, m->platform->name,
                     node->path, n->name, n->least, n->most);
}

/* Looks up a class in `class-ticks`, a list of strings "NAME TICKS". */
struct class_ticks {
    const struct machine *m;
    const struct kind *kind;
};

static bool parse_class_ticks(const char *row, const char *klass, unsigned *ticks)
{
    size_t len = strlen(klass);

    return !strncmp(row, klass, len) && row[len] == ' ' && (*ticks = strtoul(row + len, NULL, 10));
}

static uint16_t ticks_of(const void *opaque, const char *klass)
{
    const struct class_ticks *c = opaque;
    const struct cpu_timing *described = c->kind->described;
    const struct cpu_class_ticks *known = described ? described->classes : NULL;
    const char *row;
    unsigned ticks;

    for (; known && known->name; known++)
        if (!strcmp(known->name, klass))
            return known->ticks;
    for (unsigned i = 0; (row = dt_string(c->m->info.dt, c->kind->node, "class-ticks", i)); i++)
        if (parse_class_ticks(row, klass, &ticks))
            return (uint16_t)ticks;
    return (uint16_t)c->kind->ticks_per_cycle;
}

static bool check_classes(const struct machine *m, const struct kind *k, struct error *err)
{
    const char *row;

    for (unsigned i = 0; (row = dt_string(m->info.dt, k->node, "class-ticks", i)); i++) {
        char klass[64], rest;
        unsigned ticks;

        if (sscanf(row, "%63s %u%c", klass, &ticks, &rest) != 2 || !ticks || ticks > UINT16_MAX)
            return error_set(err, "platform %s: %s: class-ticks has \"%s\", not CLASS TICKS",
                             m->platform->name, k->node->path, row);
        if (!cpu_isa_has_class(m->platform->isa, klass))
            return error_set(err, "platform %s: %s: %s has no class of instructions '%s'",
                             m->platform->name, k->node->path, m->platform->isa->name, klass);
    }
    return true;
}

/* Finds the description's timing that the kind's node names, if it names one. */
static bool find_described(const struct machine *m, struct kind *k, struct error *err)
{
    const char *name = dt_string(m->info.dt, k->node, "description", 0);
    const struct cpu_timing *t = m->platform->isa->timings;

    for (; name && t && t->name; t++)
        if (!strcmp(t->name, name))
            k->described = t;
    if (!name || k->described)
        return true;
    return error_set(err, "platform %s: %s: %s describes no timing '%s'", m->platform->name,
                     k->node->path, m->platform->isa->name, name);
}

/* Reads the clock and the ticks per cycle from the description or from the node, whose own clock
 * is stronger. */
static bool read_clock(const struct machine *m, struct kind *k, uint64_t *hz, struct error *err)
{
    const struct cpu_timing *t = k->described;
    uint32_t own;
    const struct number clock = {"clock-frequency", 0, 1000000, UINT32_MAX, &own};
    const struct number ticks = {"ticks-per-cycle", 0, 1, 64, &k->ticks_per_cycle};

    if (t)
        k->ticks_per_cycle = t->ticks_per_cycle;
    else if (!read_number(m, k->node, &ticks, err))
        return false;
    if (t && !dt_prop(m->info.dt, k->node, "clock-frequency", NULL)) {
        *hz = t->mhz * HZ_PER_MHZ;
        return true;
    }
    if (!read_number(m, k->node, &clock, err))
        return false;
    *hz = own;
    return true;
}

static bool read_kind(const struct machine *m, struct kind *k, struct error *err)
{
    const struct dt_node *n = k->node;
    uint64_t hz;
    uint32_t l2, memory, line;
    const struct number numbers[] = {
        {"l2-cycles", 0, 0, 10000, &l2},
        {"memory-ns", 0, 0, 100000, &memory},
        {"memory-line-ns", 0, 0, 100000, &line},
        {"exposed-percent", 0, 0, PERCENT, &k->costs.loads},
        {"exposed-percent", 1, 0, PERCENT, &k->costs.stores},
    };

    for (unsigned at = 0; at < ARRAY_SIZE(numbers); at++)
        if (!read_number(m, n, &numbers[at], err))
            return false;
    if (!find_described(m, k, err) || !read_clock(m, k, &hz, err) || !check_classes(m, k, err))
        return false;
    k->cycle_ps = (PS_PER_SECOND + hz / 2) / hz;
    k->tick_ps = (PS_PER_SECOND / k->ticks_per_cycle + hz / 2) / hz;
    if (!k->tick_ps)
        return error_set(err, "platform %s: %s: a tick takes no time", m->platform->name, n->path);
    k->costs.shared_ps = l2 * k->cycle_ps;
    k->costs.memory_ps = (uint64_t)memory * PS_PER_NS;
    k->costs.stream_ps = (uint64_t)line * PS_PER_NS;
    return true;
}

static struct kind *kind_of(struct machine *m, const struct dt_node *cpu, struct error *err)
{
    struct machine_timing *t = m->timing;
    const struct dt_node *node = platform_cpu_timing(&m->info, m->dt, cpu, m->choice.name);
    const char *name = m->choice.name ? m->choice.name : dt_string(m->dt, cpu, "compatible", 0);
    struct kind *k;

    if (!node)
        return error_null(err, "-cpu-timing: %s has no numbers for %s", m->platform->name,
                          name ? name : cpu->path);
    vec_for_each (&t->kinds, known)
        if ((*known)->node == node)
            return *known;
    k = xcalloc(1, sizeof(*k));
    k->node = node;
    vec_push(&t->kinds, k);
    if (!read_kind(m, k, err))
        return NULL;
    k->isa = cpu_isa_with_ticks(m->platform->isa, ticks_of, &(struct class_ticks){m, k});
    return k;
}

/* ---- caches ---------------------------------------------------------------------------------- */

struct shape {
    uint32_t bytes, sets, line;
};

/* Reads a cache's size and shape from a node of the board's tree or of the kind. The properties are
 * those of Devicetree Specification 0.4, 3.8.2 and 3.9, with a prefix. */
static bool read_shape(const struct dt *dt, const struct dt_node *node, const char *prefix,
                       struct shape *s)
{
    char name[64];

    snprintf(name, sizeof(name), "%scache-size", prefix);
    if (!node || !dt_cell(dt, node, name, 0, &s->bytes))
        return false;
    snprintf(name, sizeof(name), "%scache-sets", prefix);
    if (!dt_cell(dt, node, name, 0, &s->sets))
        return false;
    snprintf(name, sizeof(name), "%scache-line-size", prefix);
    return dt_cell(dt, node, name, 0, &s->line);
}

static bool make_sets(struct timing_sets *c, const struct shape *s, const struct dt_node *node,
                      struct error *err)
{
    uint32_t way = s->line && s->sets <= UINT32_MAX / s->line ? s->sets * s->line : 0;

    if (!way || s->bytes % way || !s->bytes || (s->line & (s->line - 1)))
        return error_set(
            err, "%s: no cache has %" PRIu32 " bytes in %" PRIu32 " sets of lines of %" PRIu32,
            node->path, s->bytes, s->sets, s->line);
    timing_sets_init(c, s->sets, s->bytes / way);
    return true;
}

static bool find_shared(struct machine *m, struct timed_cpu *c, const struct dt_node *cpu,
                        uint32_t line, struct error *err)
{
    const struct dt_node *node = NULL;
    struct shared_cache *s;
    struct shape shape;
    uint32_t phandle;

    if (dt_cell(m->dt, cpu, "next-level-cache", 0, &phandle))
        node = dt_by_phandle(m->dt, phandle);
    if (!read_shape(m->dt, node, "", &shape)) {
        node = c->kind->node;
        if (!read_shape(m->info.dt, node, "l2-", &shape))
            return true;
    }
    vec_for_each (&m->timing->shared, known) {
        if ((*known)->node == node) {
            c->delays.shared = &(*known)->sets;
            return true;
        }
    }
    if (shape.line != line)
        return error_set(err, "%s: its lines are not those of %s", node->path, cpu->path);
    s = xcalloc(1, sizeof(*s));
    s->node = node;
    vec_push(&m->timing->shared, s);
    c->delays.shared = &s->sets;
    return make_sets(&s->sets, &shape, node, err);
}

static bool make_caches(struct machine *m, struct timed_cpu *c, const struct dt_node *cpu,
                        struct error *err)
{
    struct shape own;

    if (!read_shape(m->dt, cpu, "d-", &own) && !read_shape(m->info.dt, c->kind->node, "d-", &own))
        return error_set(err, "-cpu-timing: nothing says what data cache %s has", cpu->path);
    c->delays.costs = c->kind->costs;
    if (!make_sets(&c->delays.own, &own, cpu, err))
        return false;
    c->delays.line_bits = (unsigned)__builtin_ctz(own.line);
    return find_shared(m, c, cpu, own.line, err);
}

static uint64_t access_delay(void *opaque, uint64_t pa, unsigned size, enum cpu_access access)
{
    struct timed_cpu *c = opaque;
    bool write = access == CPU_WRITE;

    if (c->m->mesh && timing_mesh_has(c->m->mesh, pa))
        return machine_mesh_access(c->m, c->number, pa, write);
    return timing_delays_access(&c->delays, pa, size, write);
}

/* ---- the machine ----------------------------------------------------------------------------- */

bool machine_timing_open(struct machine *m, struct error *err)
{
    if (!m->options->cpu_timing)
        return true;
    if (m->options->ps_per_tick)
        return error_set(err, "-cpu-timing and -icount both say what an instruction takes");
    m->timing = xcalloc(1, sizeof(*m->timing));
    if (!machine_mesh_open(m, err))
        return false;
    for (unsigned i = 0; i < m->cpu_count; i++) {
        struct timed_cpu *c = &m->timing->cpus[i];

        c->m = m;
        c->number = i;
        c->kind = kind_of(m, m->cpu_nodes[i], err);
        if (!c->kind || !make_caches(m, c, m->cpu_nodes[i], err))
            return false;
        c->hook = (struct cpu_delays){c, access_delay};
    }
    return true;
}

const struct cpu_isa *machine_timing_isa(const struct machine *m, unsigned cpu)
{
    return m->timing ? m->timing->cpus[cpu].kind->isa : m->platform->isa;
}

void machine_timing_apply(struct machine *m)
{
    for (unsigned i = 0; m->timing && i < m->cpu_count; i++) {
        cpu_set_speed(m->cpus[i], m->timing->cpus[i].kind->tick_ps);
        cpu_set_delays(m->cpus[i], &m->timing->cpus[i].hook);
    }
    if (m->mesh)
        m->group.quantum = m->mesh_turn;
}

bool machine_timing_cycles(const struct machine *m, unsigned cpu, uint64_t *cycles,
                           uint64_t *cycle_ps)
{
    if (!m->timing)
        return false;
    *cycle_ps = m->timing->cpus[cpu].kind->cycle_ps;
    *cycles = cpu_used_ps(m->cpus[cpu]) / *cycle_ps;
    return true;
}

static uint64_t busy_ps(const void *cpu)
{
    return cpu_used_ps(cpu);
}

void machine_timing_register_stats(const struct machine *m)
{
    for (unsigned i = 0; m->timing && i < m->cpu_count; i++) {
        struct timing_delays *d = &m->timing->cpus[i].delays;
        char room[32];

        snprintf(room, sizeof(room), "cpu%u.timing", i);
        stats_add_fn(m->stats, room, "busy_ps", busy_ps, m->cpus[i]);
        stats_add(m->stats, room, "l1d_hits", &d->own.hits);
        stats_add(m->stats, room, "l1d_misses", &d->own.misses);
        stats_add(m->stats, room, "lines_fetched_ahead", &d->streamed);
        stats_add(m->stats, room, "memory_ps", &d->waited_ps);
    }
    for (size_t i = 0; m->timing && i < m->timing->shared.len; i++) {
        struct timing_sets *s = &m->timing->shared.data[i]->sets;
        char room[32];

        snprintf(room, sizeof(room), "l2_%zu", i);
        stats_add(m->stats, room, "hits", &s->hits);
        stats_add(m->stats, room, "misses", &s->misses);
    }
    machine_mesh_register_stats(m);
}

/* ---- snapshots ------------------------------------------------------------------------------- */

/* Hits, misses and times are among the statistics. */
static const struct state_field delay_fields[] = {
    STATE_FIELD(struct timing_delays, next),
    STATE_FIELD(struct timing_delays, oldest),
    STATE_END,
};

static const struct state_field mesh_fields[] = {
    STATE_FIELD(struct timing_mesh, free_at),
    STATE_END,
};

static size_t bytes_of_lines(const struct timing_sets *s)
{
    return (size_t)s->sets * s->ways * sizeof(*s->lines);
}

/* Calls fn for the lines of each cache, with the name of their section. */
typedef bool lines_fn(void *opaque, const char *section, struct timing_sets *s);

static bool each_cache(const struct machine *m, lines_fn *fn, void *opaque)
{
    struct machine_timing *t = m->timing;
    char section[32];

    for (unsigned i = 0; i < m->cpu_count; i++) {
        snprintf(section, sizeof(section), "lines of cpu%u", i);
        if (!fn(opaque, section, &t->cpus[i].delays.own))
            return false;
    }
    for (size_t i = 0; i < t->shared.len; i++) {
        snprintf(section, sizeof(section), "lines of l2_%zu", i);
        if (!fn(opaque, section, &t->shared.data[i]->sets))
            return false;
    }
    return true;
}

static bool save_lines(void *opaque, const char *section, struct timing_sets *s)
{
    state_save_bytes(opaque, section, s->lines, bytes_of_lines(s));
    return true;
}

struct lines_load {
    const struct state_buf *buf;
    bool apply;
    struct error *err;
};

static bool load_lines(void *opaque, const char *section, struct timing_sets *s)
{
    const struct lines_load *load = opaque;
    size_t len;
    const uint8_t *bytes = state_bytes(load->buf, section, &len);

    if (!bytes || len != bytes_of_lines(s))
        return error_set(load->err, "the snapshot has no %s of that size", section);
    if (load->apply)
        memcpy(s->lines, bytes, len);
    return true;
}

static void delays_name(unsigned cpu, char name[32])
{
    snprintf(name, 32, "delays of cpu%u", cpu);
}

void machine_timing_save(const struct machine *m, struct state_buf *buf)
{
    char name[32];

    if (!m->timing)
        return;
    for (unsigned i = 0; i < m->cpu_count; i++) {
        delays_name(i, name);
        state_save(buf, name, delay_fields, &m->timing->cpus[i].delays);
    }
    each_cache(m, save_lines, buf);
    if (m->mesh)
        state_save(buf, "mesh", mesh_fields, m->mesh);
}

bool machine_timing_load(struct machine *m, const struct state_buf *buf, bool apply,
                         struct error *err)
{
    struct lines_load load = {buf, apply, err};
    struct timing_mesh mesh;
    char name[32];

    if (!m->timing)
        return true;
    for (unsigned i = 0; i < m->cpu_count; i++) {
        struct timing_delays delays = m->timing->cpus[i].delays;

        delays_name(i, name);
        if (!state_load(buf, name, delay_fields, &delays, err))
            return false;
        delays.oldest %= TIMING_STREAMS; /* a file may hold any value */
        if (apply)
            m->timing->cpus[i].delays = delays;
    }
    if (!each_cache(m, load_lines, &load))
        return false;
    if (!m->mesh)
        return true;
    mesh = *m->mesh;
    if (!state_load(buf, "mesh", mesh_fields, &mesh, err))
        return false;
    if (apply)
        *m->mesh = mesh;
    return true;
}

void machine_timing_free(struct machine *m)
{
    struct machine_timing *t = m->timing;

    if (!t)
        return;
    machine_mesh_free(m);
    for (unsigned i = 0; i < DEVICE_MAX_CPUS; i++)
        timing_sets_release(&t->cpus[i].delays.own);
    for (size_t i = 0; i < t->shared.len; i++) {
        timing_sets_release(&t->shared.data[i]->sets);
        free(t->shared.data[i]);
    }
    for (size_t i = 0; i < t->kinds.len; i++) {
        cpu_isa_free(t->kinds.data[i]->isa);
        free(t->kinds.data[i]);
    }
    vec_free(&t->shared);
    vec_free(&t->kinds);
    free(t);
    m->timing = NULL;
}
