/*
 * Points, clocks and sensors of a system control processor, out of the device tree.
 *
 * Bounds      SCP_MAX_POINTS, SCP_MAX_SENSORS: what is more is an error of the tree
 */
#include "runtime/dev/scp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/gpu/gpu.h"
#include "runtime/gpu/supply.h"
#include "runtime/gpu/variant.h"

enum { HZ_PER_MHZ = 1000000 };

static bool is_refused(const struct device_env *env, const char *what, struct error *err)
{
    return device_error(env, err, "%s", what) != NULL;
}

/* Fills `count` words from the cells at `first` on; false when there are fewer. */
static bool read_cells(const struct device_env *env, const char *name, unsigned first,
                       uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (!device_prop_u32(env, name, first + i, &words[i]))
            return false;
    }
    return true;
}

static bool read_points(struct scp_points *p, const struct device_env *env, struct error *err)
{
    uint32_t words[3];

    for (; read_cells(env, "operating-points", 3 * p->count, words, 3); p->count++) {
        if (p->count == SCP_MAX_POINTS)
            return is_refused(env, "operating-points has more than 16 points", err);
        p->at[p->count] = (struct scp_point){words[0], words[1], words[2]};
        p->initial = p->count;
    }
    if (!p->count || read_cells(env, "operating-points", 3 * p->count, words, 1))
        return is_refused(env, "operating-points must be Hz, mV and mW of each point", err);
    return true;
}

_Static_assert((int)POWER_POINTS <= (int)SCP_MAX_POINTS, "a domain has room for a GPU's points");

static void read_supply(struct scp_points *p, const struct gpu_supply *s)
{
    *p = (struct scp_points){s->count, s->initial, {{0}}};
    for (unsigned i = 0; i < s->count; i++)
        p->at[i] = (struct scp_point){s->offers[i].at.mhz * HZ_PER_MHZ, s->offers[i].at.millivolt,
                                      s->offers[i].milliwatt};
}

static void read_gpu_domain(struct scp *scp, const struct device_env *env)
{
    if (!env->gpu || !read_cells(env, "gpu-domain", 0, &scp->gpu_domain, 1)) {
        scp->gpu_domain = UINT32_MAX;
        return;
    }
    scp->supply = env->gpu->supply;
    if (scp->supply) {
        read_supply(&scp->gpu, scp->supply);
        return;
    }
    scp->gpu = (struct scp_points){1, 0, {scp->default_points.at[scp->default_points.count - 1]}};
    scp->gpu.at[0].hz = env->gpu->variant->clock_mhz * HZ_PER_MHZ;
}

const struct scp_points *scp_points(const struct scp *scp, unsigned domain)
{
    return domain == scp->gpu_domain ? &scp->gpu : &scp->default_points;
}

const struct scp_point *scp_fastest(const struct scp *scp, unsigned domain)
{
    const struct scp_points *p = scp_points(scp, domain);

    return &p->at[p->count - 1];
}

const struct scp_point *scp_initial(const struct scp *scp, unsigned domain)
{
    const struct scp_points *p = scp_points(scp, domain);

    return &p->at[p->initial];
}

void scp_set_point(const struct scp *scp, unsigned domain, unsigned point)
{
    if (scp->supply && domain == scp->gpu_domain)
        gpu_supply_set(scp->supply, scp->supply->offers[point].at);
}

static bool read_clocks(struct scp *scp, const struct device_env *env, struct error *err)
{
    uint32_t words[3];

    if (!read_cells(env, "transition-latency", 0, &scp->latency_us, 1) ||
        scp->latency_us > UINT16_MAX)
        return is_refused(env, "transition-latency must be a number of 16 bits", err);
    if (!read_cells(env, "clock-rates", 0, words, 3))
        return is_refused(env, "clock-rates must be lowest, highest and initial Hz", err);
    scp->clock_min = words[0];
    scp->clock_max = words[1];
    scp->clock_initial = words[2];
    return true;
}

/* "NAME UNIT VALUE" */
static bool parse_sensor(struct scp_sensor *s, const char *text)
{
    static const char *const units[] = {[SCP_TEMPERATURE] = "temperature",
                                        [SCP_VOLTAGE] = "voltage",
                                        [SCP_CURRENT] = "current",
                                        [SCP_POWER] = "power",
                                        [SCP_ENERGY] = "energy"};
    char unit[16];
    int end = 0;

    _Static_assert(SCP_NAME == 16, "the format below");
    if (sscanf(text, "%15s %15s %" SCNu32 "%n", s->name, unit, &s->value, &end) != 3 || text[end])
        return false;
    for (unsigned i = 0; i < ARRAY_SIZE(units); i++) {
        if (!strcmp(unit, units[i])) {
            s->unit = (enum scp_unit)i;
            return true;
        }
    }
    return false;
}

static bool read_sensors(struct scp *scp, const struct device_env *env, struct error *err)
{
    size_t len = 0;
    const char *text = device_prop(env, "sensors", &len), *end = len ? text + len : text;

    if (len && end[-1])
        return is_refused(env, "sensors must be strings", err);
    for (; text < end; text += strlen(text) + 1, scp->sensors++) {
        if (scp->sensors == SCP_MAX_SENSORS)
            return is_refused(env, "sensors has more than 256 sensors", err);
        if (!parse_sensor(&scp->sensor[scp->sensors], text))
            return device_error(env, err, "the sensor '%.60s' is not NAME UNIT VALUE", text) !=
                   NULL;
    }
    return true;
}

static bool read_gpu_sensors(struct scp *scp, const struct device_env *env, struct error *err)
{
    size_t len = 0;
    const char *name = device_prop(env, "gpu-sensors", &len), *end = len ? name + len : name;

    if (len && end[-1])
        return is_refused(env, "gpu-sensors must be strings", err);
    for (; name < end; name += strlen(name) + 1) {
        unsigned n = 0;

        while (n < scp->sensors && strcmp(scp->sensor[n].name, name) != 0)
            n++;
        if (n == scp->sensors)
            return device_error(env, err, "gpu-sensors: no sensor is called '%.60s'", name) != NULL;
        scp->sensor[n].measures_gpu = true;
    }
    return true;
}

bool scp_read(struct scp *scp, const struct device_env *env, struct error *err)
{
    *scp = (struct scp){0};
    if (!read_points(&scp->default_points, env, err))
        return false;
    read_gpu_domain(scp, env);
    return read_clocks(scp, env, err) && read_sensors(scp, env, err) &&
           read_gpu_sensors(scp, env, err);
}

/* The value of a sensor of the GPU's supply. false: the GPU does not report it. */
static bool supply_value(const struct gpu_supply *supply, enum scp_unit unit, uint64_t *out)
{
    struct gpu_reading r;

    if (unit == SCP_VOLTAGE) {
        *out = supply->at.millivolt;
        return true;
    }
    if (unit == SCP_TEMPERATURE || !gpu_supply_read(supply, &r))
        return false;
    *out = unit == SCP_POWER           ? r.microwatt
           : unit == SCP_ENERGY        ? r.microjoule
           : supply->at.millivolt != 0 ? r.microwatt / supply->at.millivolt
                                       : 0;
    return true;
}

uint64_t scp_sensor_value(const struct scp *scp, unsigned n, uint64_t now_ns)
{
    const struct scp_sensor *s = &scp->sensor[n];
    uint64_t value;

    if (s->measures_gpu && scp->supply && supply_value(scp->supply, s->unit, &value))
        return value;
    return s->unit == SCP_ENERGY ? s->value * (now_ns / 1000000) / 1000 : s->value;
}
