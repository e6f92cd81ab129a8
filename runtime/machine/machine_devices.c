/*
 * Makes devices from nodes of the tree. A node whose `compatible` has a model becomes that device.
 * Any other node with registers becomes a stub, which logs accesses and answers them, unless a
 * device covers the stub's addresses. Devices of a CPU itself are made without a node, too.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/chardev.h"
#include "runtime/dev/virtio.h"
#include "runtime/machine/firmware.h"
#include "runtime/machine/machine.h"

#define MAX_REGS  64
#define MAX_IRQS  256
#define MAX_PARTS 64

struct machine_device {
    struct machine *m;
    const struct dt_node *node;
    const struct device_class *cls;
    void *dev;     /* NULL until the model's create() has returned */
    bool stateful; /* `dev` was made by a model */

    /* The node itself, then its enabled children without `compatible`: frames of a timer, ports. */
    unsigned part_count;
    const struct dt_node *parts[MAX_PARTS];

    struct device_env env;
    VEC(struct device_reg) regs;
    VEC(struct irq_line) irqs, irqs_cpu;
    VEC(uint64_t) clocks;
    VEC(void *) gathered; /* owned; properties that gather_property() made */
};

static struct machine_device *make_device(struct machine *m, const struct dt_node *node,
                                          const struct device_class *cls, const char *compatible,
                                          struct error *err);

/* ---- callbacks of device_env ----------------------------------------------------------------- */

static struct machine_device *device_of(const struct machine *m, const struct dt_node *node)
{
    vec_for_each (&m->devices, d) {
        if ((*d)->node == node)
            return *d;
    }
    return NULL;
}

/* The concatenated values of a property that only the parts have. */
static const void *gather_property(struct machine_device *d, const char *name, size_t *len)
{
    uint8_t *all = NULL;
    size_t total = 0;

    for (unsigned i = 1; i < d->part_count; i++) {
        size_t n;
        const void *bytes = dt_prop(d->m->dt, d->parts[i], name, &n);

        if (!bytes || !n)
            continue;
        all = xrealloc(all, total + n, 1);
        memcpy(all + total, bytes, n);
        total += n;
    }
    if (all)
        vec_push(&d->gathered, all);
    if (len)
        *len = total;
    return all;
}

/* A property of a child; `name` is CHILD/PROPERTY: "protocol@13/mboxes". */
static const void *child_prop(const struct machine_device *d, const char *name, size_t *len)
{
    const struct dt *dt = d->m->dt;
    size_t child = strcspn(name, "/");

    for (unsigned i = 0; i < dt->count; i++) {
        const struct dt_node *node = &dt->nodes[i];

        if (node->parent == d->node && strlen(node->name) == child &&
            !memcmp(node->name, name, child))
            return dt_prop(dt, node, name + child + 1, len);
    }
    return NULL;
}

/* A property of any node; `name` is its path and the property: "/cpus/timebase-frequency". */
static const void *path_prop(const struct dt *dt, const char *name, size_t *len)
{
    const char *last = strrchr(name, '/');
    size_t path = last == name ? 1 : (size_t)(last - name);

    for (unsigned i = 0; i < dt->count; i++) {
        const struct dt_node *node = &dt->nodes[i];

        if (strlen(node->path) == path && !memcmp(node->path, name, path))
            return dt_prop(dt, node, last + 1, len);
    }
    return NULL;
}

static const void *read_property(void *opaque, const char *name, bool inherit, size_t *len)
{
    struct machine_device *d = opaque;
    const struct dt *dt = d->m->dt;
    const void *bytes;

    if (*name == '/')
        return path_prop(dt, name, len);
    if (strchr(name, '/'))
        return child_prop(d, name, len);
    /* For a device of a CPU itself, d->node is the CPU's node, whose properties are the CPU's. */
    bytes = dt_compatible(dt, d->node, d->env.compatible) ? dt_prop(dt, d->node, name, len) : NULL;
    for (const struct dt_node *up = d->node->parent; inherit && up && !bytes; up = up->parent)
        bytes = dt_prop(dt, up, name, len);
    if (!bytes)
        bytes = platform_device_prop(&d->m->info, d->env.compatible, name, len);
    return bytes ? bytes : gather_property(d, name, len);
}

static const struct device_class *class_of(const struct dt *dt, const struct dt_node *node,
                                           const char **compatible)
{
    const struct device_class *cls = NULL;

    *compatible = NULL;
    while (!cls && (*compatible = dt_next_string(dt, node, "compatible", *compatible)) != NULL)
        cls = device_class_find(*compatible);
    return cls;
}

/* The device of the node, made now if it does not exist; NULL: the node is no device. */
static struct machine_device *find_or_make(struct machine *m, const struct dt_node *node,
                                           struct error *err)
{
    struct machine_device *d = node ? device_of(m, node) : NULL;
    const struct device_class *cls;
    const char *compatible;

    if (d || !node || !node->enabled)
        return d;
    cls = class_of(m->dt, node, &compatible);
    return cls ? make_device(m, node, cls, compatible, err) : NULL;
}

static void *device_by_phandle(void *opaque, uint32_t phandle, const struct device_class **cls)
{
    struct machine_device *d = opaque, *other;

    other = find_or_make(d->m, dt_by_phandle(d->m->dt, phandle), NULL);
    if (!other || !other->stateful)
        return NULL;
    if (cls)
        *cls = other->cls;
    return other->dev;
}

static bool reg_by_phandle(void *opaque, uint32_t phandle, unsigned index, struct device_reg *reg)
{
    struct machine_device *d = opaque;
    const struct dt_node *node = dt_by_phandle(d->m->dt, phandle);

    return node && dt_reg(d->m->dt, node, index, &reg->base, &reg->size);
}

/* Connects to the controller input of the specifier; without such an input, connects nothing. */
static bool connect_input(struct machine *m, const struct dt_interrupt *irq, unsigned cpu,
                          struct irq_line *line)
{
    struct machine_device *d = find_or_make(m, irq->controller, NULL);
    struct error err = {0};

    *line = (struct irq_line){0};
    if (!d || !d->stateful || !d->cls->irq_input)
        return false;
    if (d->cls->irq_input(d->dev, irq->cells, irq->count, cpu, line, &err))
        return true;
    log_printf(&m->log, LOG_UNIMP, "%s: %s\n", irq->controller->path, err.text);
    return false;
}

static bool parent_irq(void *opaque, const uint32_t *cells, unsigned count, struct irq_line *line)
{
    struct machine_device *d = opaque;
    struct dt_interrupt irq = {.controller = dt_interrupt_parent(d->m->dt, d->node)};

    if (!irq.controller || count > DT_MAX_CELLS)
        return false;
    irq.count = count;
    memcpy(irq.cells, cells, count * sizeof(*cells));
    return connect_input(d->m, &irq, 0, line);
}

static void *parent_device(void *opaque, const struct device_class **cls)
{
    struct machine_device *d = opaque, *other = find_or_make(d->m, d->node->parent, NULL);

    if (!other || !other->stateful)
        return NULL;
    if (cls)
        *cls = other->cls;
    return other->dev;
}

static bool connect_gpio(void *opaque, const char *name, struct irq_line *line)
{
    struct machine_device *d = opaque, *pins;
    const struct dt *dt = d->m->dt;
    const struct dt_node *node = NULL;
    uint32_t phandle, count, cells[DT_MAX_CELLS];

    if (dt_cell(dt, d->node, name, 0, &phandle))
        node = dt_by_phandle(dt, phandle);
    pins = find_or_make(d->m, node, NULL);
    if (!pins || !pins->stateful || !pins->cls->gpio_input ||
        !dt_cell(dt, node, "#gpio-cells", 0, &count) || count > DT_MAX_CELLS)
        return false;
    for (unsigned i = 0; i < count; i++) {
        if (!dt_cell(dt, d->node, name, i + 1, &cells[i]))
            return false;
    }
    return pins->cls->gpio_input(pins->dev, cells, count, line);
}

static struct irq_line cpu_input(void *opaque, unsigned cpu, unsigned n)
{
    struct machine_device *d = opaque;

    return (struct irq_line){cpu_set_line, d->m->cpus[cpu], n};
}

static void on_power_request(void *opaque, enum device_power what, int status)
{
    struct machine_device *d = opaque;

    if (what == DEVICE_POWER_RESET)
        machine_request_reset(d->m);
    else
        machine_stop(d->m, status);
}

static void cpu_counts(void *opaque, unsigned cpu, struct device_counts *counts)
{
    const struct machine *m = ((struct machine_device *)opaque)->m;

    counts->insns = cpu_insns_now(m->cpus[cpu]);
    counts->ticks = cpu_ticks_now(m->cpus[cpu]);
    counts->within = cpu_within(m->cpus[cpu]);
    counts->ps_per_tick = cpu_tick_ps(m->cpus[cpu]);
    machine_timing_cycles(m, cpu, &counts->ticks, &counts->ps_per_tick);
}

static bool cpu_by_phandle(void *opaque, uint32_t phandle, unsigned *cpu)
{
    const struct machine *m = ((struct machine_device *)opaque)->m;
    const struct dt_node *node = dt_by_phandle(m->dt, phandle);

    for (unsigned i = 0; node && i < m->cpu_count; i++) {
        if (m->cpu_nodes[i] == node) {
            *cpu = i;
            return true;
        }
    }
    return false;
}

static void tell_firmware(void *opaque, uint64_t value)
{
    struct machine_device *d = opaque;

    if (d->m->firmware)
        firmware_tell(d->m->firmware, value);
}

/* ---- making one ------------------------------------------------------------------------------ */

/* Sets d->parts. */
static void find_parts(struct machine_device *d)
{
    const struct dt *dt = d->m->dt;

    d->parts[d->part_count++] = d->node;
    for (unsigned n = (unsigned)(d->node - dt->nodes) + 1; n < dt->count; n++) {
        const struct dt_node *child = &dt->nodes[n];

        if (child->parent == d->node && child->enabled && d->part_count < MAX_PARTS &&
            !dt_prop(dt, child, "compatible", NULL))
            d->parts[d->part_count++] = child;
    }
}

static bool same_line(const struct irq_line *a, const struct irq_line *b)
{
    return a->set == b->set && a->opaque == b->opaque && a->n == b->n;
}

/* An output wired to `input` through a gate, since several devices may share an input. */
static struct irq_line output_through_gate(struct machine *m, const struct irq_line *input)
{
    struct irq_line line = *input;
    struct irq_or *gate = NULL;

    vec_for_each (&m->gates, known) {
        if (same_line(&(*known)->out, input))
            gate = *known;
    }
    if (!gate) {
        gate = xcalloc(1, sizeof(*gate));
        gate->out = *input;
        vec_push(&m->gates, gate);
    }
    irq_or_input(gate, &line); /* a 65th device is wired to the input itself */
    return line;
}

/* The interrupt's lines, one per CPU; a shared interrupt has the same line for all CPUs. */
static void fill_interrupt(struct machine_device *d, const struct dt_interrupt *irq)
{
    struct irq_line input, last = {0}, line = {0};

    for (unsigned cpu = 0; cpu < d->m->cpu_count; cpu++) {
        connect_input(d->m, irq, cpu, &input);
        if (!same_line(&input, &last))
            line = input.set ? output_through_gate(d->m, &input) : input;
        last = input;
        vec_push(&d->irqs_cpu, line);
        if (!cpu)
            vec_push(&d->irqs, line);
    }
}

static void fill_part(struct machine_device *d, const struct dt_node *part)
{
    struct machine *m = d->m;
    struct dt_interrupt irq;
    struct device_reg reg;
    uint64_t hz;

    for (unsigned i = 0; i < MAX_REGS && dt_reg(m->dt, part, i, &reg.base, &reg.size); i++)
        vec_push(&d->regs, reg);
    for (unsigned i = 0; i < MAX_IRQS && dt_interrupt(m->dt, part, i, &irq); i++)
        fill_interrupt(d, &irq);
    for (unsigned i = 0; i < MAX_IRQS && dt_clock(m->dt, part, i, &hz); i++)
        vec_push(&d->clocks, hz);
}

/* The back end of a serial port: number N for the alias serialN, 0 for the console. */
static struct chardev *chardev_for(const struct machine *m, const struct dt_node *node)
{
    for (unsigned i = 0; i < m->chardevs.len; i++) {
        char alias[24];

        snprintf(alias, sizeof(alias), "serial%u", i);
        if (dt_find(m->dt, alias) == node || (!i && node == m->console))
            return m->chardevs.data[i];
    }
    return NULL;
}

/* The function of a virtio slot: the n-th slot of the tree has the n-th function. */
static struct virtio_function *function_for(const struct machine *m, const struct dt_node *node)
{
    size_t n = 0;

    for (const struct dt_node *slot = NULL;
         (slot = dt_next_compatible(m->dt, slot, VIRTIO_MMIO_COMPATIBLE)) != NULL; n++) {
        if (slot == node)
            return n < m->functions.len ? m->functions.data[n] : NULL;
    }
    return NULL;
}

/* Number of the CPU whose node is `node` or an ancestor of it, or cpu_count. */
static unsigned cpu_above(const struct machine *m, const struct dt_node *node)
{
    for (const struct dt_node *up = node; up; up = up->parent) {
        for (unsigned cpu = 0; cpu < m->cpu_count; cpu++) {
            if (m->cpu_nodes[cpu] == up)
                return cpu;
        }
    }
    return m->cpu_count;
}

static void fill_env(struct machine_device *d, const char *compatible)
{
    struct machine *m = d->m;

    for (unsigned i = 0; i < d->part_count; i++)
        fill_part(d, d->parts[i]);
    d->env = (struct device_env){
        .name = d->node->name,
        .path = d->node->path,
        .compatible = compatible,
        .reg_count = (unsigned)d->regs.len,
        .reg = d->regs.data,
        .irq_count = (unsigned)d->irqs.len,
        .irq = d->irqs.data,
        .irq_cpu = d->irqs_cpu.data,
        .clock_count = (unsigned)d->clocks.len,
        .clock_hz = d->clocks.data,
        .cpu_count = m->cpu_count,
        .cpu = cpu_above(m, d->node),
        .big_endian = m->platform->isa->big_endian,
        .bus = m->bus,
        .clock = &m->clock,
        .log = &m->log,
        .stats = m->stats,
        .chardev = chardev_for(m, d->node),
        .virtio = function_for(m, d->node),
        .gpu = m->gpu.variant ? &m->gpu : NULL,
        .display = m->display,
        .start_time = m->start_time,
        .cpu_input = cpu_input,
        .prop = read_property,
        .device_by_phandle = device_by_phandle,
        .reg_by_phandle = reg_by_phandle,
        .parent_irq = parent_irq,
        .parent_device = parent_device,
        .gpio = connect_gpio,
        .power = on_power_request,
        .cpu_counts = cpu_counts,
        .cpu_by_phandle = cpu_by_phandle,
        .tell_firmware = tell_firmware,
        .opaque = d,
    };
}

static struct machine_device *make_device(struct machine *m, const struct dt_node *node,
                                          const struct device_class *cls, const char *compatible,
                                          struct error *err)
{
    struct machine_device *d = xcalloc(1, sizeof(*d));

    d->m = m;
    d->node = node;
    d->cls = cls;
    vec_push(&m->devices, d); /* before create(), so that circular references end */
    find_parts(d);
    fill_env(d, compatible);
    machine_plug(m, node, cls, &d->env);
    d->dev = cls->create(&d->env, err);
    d->stateful = d->dev != NULL;
    return d->stateful ? d : NULL;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool overlaps_region(struct machine *m, const struct dt_node *node)
{
    uint64_t base, size;

    for (unsigned i = 0; dt_reg(m->dt, node, i, &base, &size); i++) {
        for (size_t r = 0; r < m->bus->count; r++) {
            const struct bus_region *region = m->bus->regions[r];

            if (base < region->base + region->size && region->base < base + size)
                return true;
        }
    }
    return false;
}

static void add_stub(struct machine *m, const struct dt_node *node)
{
    const struct device_class *cls = device_class_by_name("stub");
    const char *compatible = dt_string(m->dt, node, "compatible", 0);
    uint64_t base, size;

    if (!compatible || !node->enabled || device_of(m, node) || dt_is_type(m->dt, node, "memory") ||
        !dt_reg(m->dt, node, 0, &base, &size) || overlaps_region(m, node))
        return;
    if (cls && make_device(m, node, cls, compatible, NULL))
        log_printf(&m->log, LOG_UNIMP, "%s: '%s' is not modelled\n", node->path, compatible);
}

/* Connects the device to its port of each CPU, unless an earlier device has the port. */
static void connect_port(struct machine *m, const struct machine_device *d)
{
    for (unsigned i = 0; i < m->cpu_count; i++) {
        if (!cpu_get_device(m->cpus[i], d->cls->port).read &&
            (!d->cls->port_cpu || d->cls->port_cpu(d->dev, i)))
            cpu_set_device(m->cpus[i], d->cls->port,
                           (struct cpu_device){d->dev, d->cls->port_read, d->cls->port_write});
    }
}

static void connect_ports(struct machine *m)
{
    vec_for_each (&m->devices, d) {
        if ((*d)->stateful && (*d)->cls->port_read)
            connect_port(m, *d);
    }
}

/* Makes the devices of the CPU itself (platform.h), except those that have a node in the tree. */
static bool add_own_devices(struct machine *m, unsigned cpu, struct error *err)
{
    const struct dt_node *node = m->cpu_nodes[cpu];
    const char *name;

    for (unsigned i = 0;
         (name = platform_cpu_device(&m->info, m->dt, node, m->choice.name, i)) != NULL; i++) {
        const struct device_class *cls = device_class_find(name);
        struct machine_device *d;

        if (!cls || !cls->port_read)
            return error_set(err, "platform %s: no CPU can have a device '%s'", m->platform->name,
                             name);
        if (cpu_get_device(m->cpus[cpu], cls->port).read)
            continue;
        d = make_device(m, node, cls, name, err);
        if (!d)
            return false;
        connect_port(m, d);
    }
    return true;
}

bool machine_add_devices(struct machine *m, struct error *err)
{
    for (unsigned n = 0; n < m->dt->count; n++) {
        struct error why = {0};

        if (!find_or_make(m, &m->dt->nodes[n], &why) && *why.text) {
            if (err)
                *err = why;
            return false;
        }
    }
    for (unsigned n = 0; n < m->dt->count; n++)
        add_stub(m, &m->dt->nodes[n]);
    connect_ports(m);
    for (unsigned cpu = 0; cpu < m->cpu_count; cpu++) {
        if (!add_own_devices(m, cpu, err))
            return false;
    }
    return machine_all_plugged(m, err);
}

void *machine_find_device(const struct machine *m, const struct device_class *cls)
{
    vec_for_each (&m->devices, d) {
        if ((*d)->cls == cls && (*d)->stateful)
            return (*d)->dev;
    }
    return NULL;
}

bool machine_part(const struct machine *m, size_t index, struct machine_part *part)
{
    const struct machine_device *d;

    if (index >= m->devices.len)
        return false;
    d = m->devices.data[index];
    *part = (struct machine_part){d->stateful ? d->dev : NULL, d->cls, d->node->path};
    return true;
}

void machine_list_devices(const struct machine *m, FILE *out)
{
    vec_for_each (&m->devices, d) {
        if ((*d)->stateful)
            fprintf(out, "%-20s %s: %s\n", (*d)->cls->name, (*d)->node->path, (*d)->env.compatible);
    }
}

void machine_reset_devices(struct machine *m)
{
    vec_for_each (&m->devices, d) {
        if ((*d)->stateful && (*d)->cls->reset)
            (*d)->cls->reset((*d)->dev);
    }
}

static void free_device(struct machine_device *d)
{
    if (d->stateful && d->cls->destroy)
        d->cls->destroy(d->dev);
    vec_for_each (&d->gathered, bytes)
        free(*bytes);
    vec_free(&d->gathered);
    vec_free(&d->regs);
    vec_free(&d->irqs);
    vec_free(&d->irqs_cpu);
    vec_free(&d->clocks);
    free(d);
}

void machine_free_devices(struct machine *m)
{
    /* In reverse order, since later devices refer to earlier ones. */
    while (m->devices.len)
        free_device(m->devices.data[--m->devices.len]);
    vec_free(&m->devices);
    vec_for_each (&m->gates, gate)
        free(*gate);
    vec_free(&m->gates);
}
