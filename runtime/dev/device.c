/*
 * What every device needs: its class, its registers on the bus, properties, logs.
 *
 * Bounds      only logs depend on the guest: one line per mistake, on an enabled channel
 */
#include "runtime/dev/device.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/bits.h"

#define DEVICE_CLASS(x) extern const struct device_class x##_class;
#include "runtime/dev/classes.inc"
#undef DEVICE_CLASS

const struct device_class *const device_classes[] = {
#define DEVICE_CLASS(x) &x##_class,
#include "runtime/dev/classes.inc"
#undef DEVICE_CLASS
    NULL,
};

static bool matches_pattern(const char *pattern, const char *compatible)
{
    size_t len = strlen(pattern);

    if (len && pattern[len - 1] == '*')
        return !strncmp(pattern, compatible, len - 1);
    return !strcmp(pattern, compatible);
}

const struct device_class *device_class_find(const char *compatible)
{
    for (const struct device_class *const *c = device_classes; *c; c++) {
        for (const char *const *name = (*c)->compatible; *name; name++) {
            if (matches_pattern(*name, compatible))
                return *c;
        }
    }
    return NULL;
}

const struct device_class *device_class_by_name(const char *name)
{
    for (const struct device_class *const *c = device_classes; *c; c++) {
        if (!strcmp((*c)->name, name))
            return *c;
    }
    return NULL;
}

void *device_error(const struct device_env *env, struct error *err, const char *fmt, ...)
{
    char text[200];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    return error_null(err, "%s: %s", env->path, text);
}

static bool has_big_endian_registers(const struct device_env *env)
{
    return device_prop(env, "big-endian", NULL) ||
           (env->big_endian && device_prop(env, "native-endian", NULL));
}

bool device_map(const struct device_env *env, unsigned index, uint64_t max_size,
                const struct mmio_ops *ops, void *dev, struct error *err)
{
    const struct bus_region *region;
    char group[100];
    uint64_t size;

    if (index >= env->reg_count) {
        device_error(env, err, "the node has no reg[%u]", index);
        return false;
    }
    size = env->reg[index].size;
    if (max_size && size > max_size)
        size = max_size;
    region = bus_add_mmio(env->bus, env->name, (struct bus_range){env->reg[index].base, size}, ops,
                          dev, err);
    if (!region) {
        error_prefix(err, "%s: ", env->path);
        return false;
    }
    if (has_big_endian_registers(env))
        bus_reverse_bytes(region);
    snprintf(group, sizeof(group), "devices/%.80s", env->name);
    stats_add(env->stats, group, "reads", &region->reads);
    stats_add(env->stats, group, "writes", &region->writes);
    return true;
}

void *device_start(const struct device_env *env, uint64_t max_size, const struct mmio_ops *ops,
                   void *dev, void (*reset)(void *dev), struct error *err)
{
    if (!device_map(env, 0, max_size, ops, dev, err)) {
        free(dev);
        return NULL;
    }
    if (reset)
        reset(dev);
    return dev;
}

struct irq_line device_gpio(const struct device_env *env, const char *name)
{
    struct irq_line line = {0};

    if (env->gpio && !env->gpio(env->opaque, name, &line))
        line = (struct irq_line){0};
    return line;
}

struct irq_line device_cpu_input(const struct device_env *env, unsigned cpu, unsigned n)
{
    return env->cpu_input ? env->cpu_input(env->opaque, cpu, n) : (struct irq_line){0};
}

struct irq_line device_irq(const struct device_env *env, unsigned index)
{
    return index < env->irq_count ? env->irq[index] : (struct irq_line){0};
}

struct irq_line device_irq_cpu(const struct device_env *env, unsigned index, unsigned cpu)
{
    if (index >= env->irq_count || cpu >= env->cpu_count)
        return (struct irq_line){0};
    if (!env->irq_cpu)
        return cpu ? (struct irq_line){0} : env->irq[index];
    return env->irq_cpu[index * env->cpu_count + cpu];
}

uint64_t device_clock_hz(const struct device_env *env, unsigned index, uint64_t fallback)
{
    if (index < env->clock_count && env->clock_hz[index])
        return env->clock_hz[index];
    return fallback;
}

const void *device_prop(const struct device_env *env, const char *name, size_t *len)
{
    return env->prop ? env->prop(env->opaque, name, false, len) : NULL;
}

static bool prop_u32(const struct device_env *env, const char *name, unsigned index, bool inherit,
                     uint32_t *value)
{
    size_t len = 0;
    const uint8_t *bytes = env->prop ? env->prop(env->opaque, name, inherit, &len) : NULL;

    if (!bytes || len / 4 <= index)
        return false;
    *value = be32_get(bytes + 4 * (size_t)index);
    return true;
}

bool device_prop_u32(const struct device_env *env, const char *name, unsigned index,
                     uint32_t *value)
{
    return prop_u32(env, name, index, false, value);
}

bool device_prop_u32_inherited(const struct device_env *env, const char *name, unsigned index,
                               uint32_t *value)
{
    return prop_u32(env, name, index, true, value);
}

void device_log_unimp(const struct device_env *env, struct device_seen *seen, const char *what,
                      uint64_t offset, bool write, uint64_t value)
{
    unsigned reg = (unsigned)(offset / 4 % 1024);

    if (!log_enabled(env->log, LOG_UNIMP) || (seen->bits[reg / 32] >> (reg % 32) & 1))
        return;
    seen->bits[reg / 32] |= UINT32_C(1) << (reg % 32);
    if (write)
        log_printf(env->log, LOG_UNIMP, "%s: %s: write of %#" PRIx64 " to offset %#" PRIx64 "\n",
                   env->path, what, value, offset);
    else
        log_printf(env->log, LOG_UNIMP, "%s: %s: read of offset %#" PRIx64 "\n", env->path, what,
                   offset);
}

void device_log_guest(const struct device_env *env, const char *fmt, ...)
{
    char text[200];
    va_list args;

    if (!log_enabled(env->log, LOG_GUEST_ERRORS))
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    log_printf(env->log, LOG_GUEST_ERRORS, "%s: %s\n", env->path, text);
}

uint32_t primecell_id(uint64_t periph_id, uint32_t cell_id, uint64_t offset)
{
    unsigned reg = (unsigned)((offset & 0xfff) / 4);

    if (reg >= 0x3fc)
        return cell_id >> (8 * (reg - 0x3fc)) & 0xff;
    if (reg >= 0x3f8)
        return (uint32_t)(periph_id >> (8 * (reg - 0x3f8))) & 0xff;
    if (reg == 0x3f4)
        return (uint32_t)(periph_id >> 32) & 0xff;
    return 0;
}
