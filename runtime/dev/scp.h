/*
 * Operating points, clocks and sensors of a system control processor, which both of its protocols
 * (SCPI, SCMI) report. Properties of the node define them. Only the GPU's point changes anything:
 * the machine's GPU follows it. Sensors have constant values, but for those of the GPU's supply.
 *
 *     operating-points      cells: Hz, millivolts, milliwatts of each point, slowest first; every
 *                           frequency domain offers the same, but:
 *     gpu-domain            a cell, optional: the domain of the machine's GPU, if it has one. The
 *                           domain offers the points of that GPU's supply (runtime/gpu/supply.h)
 *     gpu-sensors           strings, optional: names of sensors of that supply. A voltage sensor
 *                           reports the GPU's operating point. If the GPU's energy is metered,
 *                           power, energy and current sensors report the meter
 *     transition-latency    a cell: microseconds that a change of points takes
 *     clock-rates           cells: lowest, highest and initial rate of each clock, in Hz
 *     sensors               strings "NAME UNIT VALUE", numbered from 0. UNIT is temperature (VALUE
 *                           in millidegrees), voltage (mV), current (mA), power (uW), or energy
 *                           (uW that add up to uJ)
 */
#ifndef RUNTIME_DEV_SCP_H
#define RUNTIME_DEV_SCP_H

#include "runtime/dev/device.h"

enum { SCP_MAX_POINTS = 16, SCP_MAX_SENSORS = 256, SCP_NAME = 16 };

struct scp_point {
    uint32_t hz, millivolt, milliwatt;
};

struct scp_points {
    unsigned count;   /* at least one */
    unsigned initial; /* index of the point at power-on */
    struct scp_point at[SCP_MAX_POINTS];
};

enum scp_unit { SCP_TEMPERATURE, SCP_VOLTAGE, SCP_CURRENT, SCP_POWER, SCP_ENERGY };

struct scp_sensor {
    char name[SCP_NAME];
    enum scp_unit unit;
    uint32_t value;
    bool measures_gpu;
};

struct scp {
    struct scp_points default_points, gpu;
    uint32_t gpu_domain; /* UINT32_MAX: none */
    unsigned sensors;
    struct scp_sensor sensor[SCP_MAX_SENSORS];
    uint32_t latency_us;
    uint32_t clock_min, clock_max, clock_initial; /* Hz */
    struct gpu_supply *supply;                    /* NULL: no GPU follows */
};

/* Reads the properties; an error names the one that is missing or wrong. */
bool scp_read(struct scp *scp, const struct device_env *env, struct error *err);

/* The operating points of a frequency domain; its fastest point; its point at power-on. */
const struct scp_points *scp_points(const struct scp *scp, unsigned domain);
const struct scp_point *scp_fastest(const struct scp *scp, unsigned domain);
const struct scp_point *scp_initial(const struct scp *scp, unsigned domain);

/* Software has set a domain's point, below its count. The machine's GPU follows, if it is its
 * domain. */
void scp_set_point(const struct scp *scp, unsigned domain, unsigned point);

/* The value of sensor `n`, below scp->sensors, at a virtual time. */
uint64_t scp_sensor_value(const struct scp *scp, unsigned n, uint64_t now_ns);

#endif
