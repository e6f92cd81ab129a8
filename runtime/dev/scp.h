/*
 * What a system control processor rules and both of its protocols (SCPI, SCMI) tell of: operating
 * points and sensors. Virtual time does not change with them; the values are those of a cool board.
 */
#ifndef RUNTIME_DEV_SCP_H
#define RUNTIME_DEV_SCP_H

#include <stdint.h>

enum { SCP_POINTS = 3, SCP_SENSORS = 25, SCP_NAME = 16 };

struct scp_point { /* of a frequency domain; each domain offers the same */
    uint32_t hz, millivolt, milliwatt;
};

enum scp_unit { SCP_TEMPERATURE, SCP_VOLTAGE, SCP_CURRENT, SCP_POWER, SCP_ENERGY };

struct scp_sensor {
    const char *name; /* below SCP_NAME characters */
    enum scp_unit unit;
    uint32_t value; /* millidegrees, millivolts, milliamperes, microwatts; energy: microwatts that
                       add up to microjoules */
};

extern const struct scp_point scp_points[SCP_POINTS];
extern const struct scp_sensor scp_sensors[SCP_SENSORS];

/* What a sensor shows at a virtual time. */
uint64_t scp_sensor_value(unsigned sensor, uint64_t now_ns);

enum { SCP_LATENCY_US = 100 }; /* of a change of points */

#endif
