#include "runtime/dev/scp.h"

const struct scp_point scp_points[SCP_POINTS] = {
    {450000000, 820, 300},
    {800000000, 900, 700},
    {950000000, 980, 1000},
};

/* The numbers of temperatures are those that the Juno's device tree uses; the rest is ours. */
const struct scp_sensor scp_sensors[SCP_SENSORS] = {
    [0] = {"pmic", SCP_TEMPERATURE, 35000},
    [1] = {"vsys", SCP_VOLTAGE, 980},
    [2] = {"vgpu", SCP_VOLTAGE, 980},
    [3] = {"soc", SCP_TEMPERATURE, 40000},
    [4] = {"vbig", SCP_VOLTAGE, 980},
    [5] = {"vlittle", SCP_VOLTAGE, 980},
    [6] = {"isys", SCP_CURRENT, 400},
    [7] = {"igpu", SCP_CURRENT, 100},
    [8] = {"ibig", SCP_CURRENT, 500},
    [9] = {"ilittle", SCP_CURRENT, 200},
    [10] = {"psys", SCP_POWER, 392000},
    [11] = {"pgpu", SCP_POWER, 98000},
    [12] = {"pbig", SCP_POWER, 490000},
    [13] = {"plittle", SCP_POWER, 196000},
    [14] = {"esys", SCP_ENERGY, 392000},
    [15] = {"egpu", SCP_ENERGY, 98000},
    [16] = {"ebig", SCP_ENERGY, 490000},
    [17] = {"elittle", SCP_ENERGY, 196000},
    [18] = {"v3v3", SCP_VOLTAGE, 3300},
    [19] = {"v1v8", SCP_VOLTAGE, 1800},
    [20] = {"v5v0", SCP_VOLTAGE, 5000},
    [21] = {"big_cluster", SCP_TEMPERATURE, 42000},
    [22] = {"little_cluster", SCP_TEMPERATURE, 41000},
    [23] = {"gpu0", SCP_TEMPERATURE, 40000},
    [24] = {"gpu1", SCP_TEMPERATURE, 40000},
};

uint64_t scp_sensor_value(unsigned sensor, uint64_t now_ns)
{
    const struct scp_sensor *s = &scp_sensors[sensor % SCP_SENSORS];

    return s->unit == SCP_ENERGY ? s->value * (now_ns / 1000000) / 1000 : s->value;
}
