/*
 * SCMI commands: base, power domains, performance domains, clocks, sensors.
 *
 * Bounds      an answer is cut at SCMI_MAX_DATA bytes
 * Manual      Arm System Control and Management Interface (DEN 0056), chapter 4; version 1 of each
 *             protocol
 */
#include <stdio.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/dev/scmi.h"

enum { BASE = 0x10, POWER = 0x11, PERFORMANCE = 0x13, CLOCKS = 0x14, SENSORS = 0x15 };
enum {
    SUCCESS = 0,
    NOT_SUPPORTED = -1,
    INVALID_PARAMETERS = -2,
    NOT_FOUND = -4,
    OUT_OF_RANGE = -7
};

/* Commands that every protocol has. */
enum { VERSION = 0, ATTRIBUTES = 1, MESSAGE_ATTRIBUTES = 2 };

#define PROTOCOL_VERSION 0x10000u

static void put_value(struct scmi_message *m, unsigned bytes, uint64_t value)
{
    if (m->out_len + bytes > SCMI_MAX_DATA)
        return;
    le_put(m->out + m->out_len, bytes, value);
    m->out_len += bytes;
}

static void put_name(struct scmi_message *m, const char *name)
{
    char text[SCP_NAME] = "";

    strncpy(text, name, sizeof(text) - 1);
    for (unsigned i = 0; i < sizeof(text); i++)
        put_value(m, 1, (uint8_t)text[i]);
}

/* Appends a numbered name such as "power3". */
static void put_numbered(struct scmi_message *m, const char *what, unsigned number)
{
    char text[SCP_NAME];

    snprintf(text, sizeof(text), "%s%u", what, number);
    put_name(m, text);
}

static uint32_t argument_word(const struct scmi_message *m, unsigned index)
{
    return 4 * index + 4 <= m->in_len ? (uint32_t)le_get(m->in + 4 * index, 4) : 0;
}

static int no_statistics(struct scmi_message *m)
{
    put_value(m, 8, 0);
    put_value(m, 4, 0);
    return SUCCESS;
}

/* ---- base ------------------------------------------------------------------------------------ */

static const uint8_t protocols[] = {POWER, PERFORMANCE, CLOCKS, SENSORS};

static int run_base(struct scmi *s, unsigned id, struct scmi_message *m)
{
    enum { VENDOR = 3, SUB_VENDOR, IMPLEMENTATION, LIST_PROTOCOLS, DISCOVER_AGENT };
    uint32_t skip = argument_word(m, 0);

    (void)s;
    switch (id) {
    case ATTRIBUTES:
        put_value(m, 4, ARRAY_SIZE(protocols) | 1 << 8); /* bits 15:8: the number of agents, 1 */
        return SUCCESS;
    case VENDOR:
        put_name(m, "gencc");
        return SUCCESS;
    case SUB_VENDOR:
        put_name(m, "");
        return SUCCESS;
    case IMPLEMENTATION:
        put_value(m, 4, 1);
        return SUCCESS;
    case LIST_PROTOCOLS:
        if (skip > ARRAY_SIZE(protocols))
            return INVALID_PARAMETERS;
        put_value(m, 4, ARRAY_SIZE(protocols) - skip);
        for (unsigned i = skip; i < skip + align_up(ARRAY_SIZE(protocols) - skip, 4); i++)
            put_value(m, 1, i < ARRAY_SIZE(protocols) ? protocols[i] : 0);
        return SUCCESS;
    case DISCOVER_AGENT:
        if (skip > 1)
            return NOT_FOUND;
        put_name(m, skip ? "system" : "platform");
        return SUCCESS;
    }
    return NOT_FOUND;
}

/* ---- power domains --------------------------------------------------------------------------- */

static int run_power(struct scmi *s, unsigned id, struct scmi_message *m)
{
    enum { DOMAIN_ATTRIBUTES = 3, STATE_SET, STATE_GET };
    uint32_t domain = argument_word(m, id == STATE_SET ? 1 : 0);

    if (id == ATTRIBUTES) {
        put_value(m, 4, SCMI_DOMAINS);
        return no_statistics(m);
    }
    if (domain >= SCMI_DOMAINS)
        return NOT_FOUND;
    switch (id) {
    case DOMAIN_ATTRIBUTES:
        put_value(m, 4, 0);
        put_numbered(m, "power", domain);
        return SUCCESS;
    case STATE_SET:
        s->power[domain] = argument_word(m, 2);
        return SUCCESS;
    case STATE_GET:
        put_value(m, 4, s->power[domain]);
        return SUCCESS;
    }
    return NOT_FOUND;
}

/* ---- performance domains --------------------------------------------------------------------- */

static uint32_t level_of(const struct scp_point *point)
{
    return point->hz / 1000000;
}

/* Describes performance levels of a domain from the requested index on, until the answer is full.
 * The answer says how many levels remain; the caller requests these by another call. */
static int describe_levels(const struct scp *scp, struct scmi_message *m)
{
    enum { DESCRIPTOR = 12 };
    const struct scp_points *p = scp_points(scp, argument_word(m, 0));
    uint32_t first = argument_word(m, 1), count = (SCMI_MAX_DATA - m->out_len - 4) / DESCRIPTOR;

    if (first >= p->count)
        return OUT_OF_RANGE;
    count = count < p->count - first ? count : p->count - first;
    put_value(m, 2, count);
    put_value(m, 2, p->count - first - count);
    for (uint32_t i = first; i < first + count; i++) {
        put_value(m, 4, level_of(&p->at[i]));
        put_value(m, 4, p->at[i].milliwatt);
        put_value(m, 2, scp->latency_us);
        put_value(m, 2, 0);
    }
    return SUCCESS;
}

static int set_level(struct scmi *s, uint32_t domain, uint32_t level)
{
    const struct scp_points *p = scp_points(&s->scp, domain);

    for (unsigned i = 0; i < p->count; i++) {
        if (level_of(&p->at[i]) == level) {
            s->level[domain] = level;
            scp_set_point(&s->scp, domain, i);
            return SUCCESS;
        }
    }
    return OUT_OF_RANGE;
}

static int run_performance(struct scmi *s, unsigned id, struct scmi_message *m)
{
    enum { DOMAIN_ATTRIBUTES = 3, DESCRIBE_LEVELS, LIMITS_SET, LIMITS_GET, LEVEL_SET, LEVEL_GET };
    const struct scp *scp = &s->scp;
    uint32_t domain = argument_word(m, 0);

    if (id == ATTRIBUTES) {
        put_value(m, 2, SCMI_DOMAINS);
        put_value(m, 2, 1); /* power in milliwatts */
        return no_statistics(m);
    }
    if (domain >= SCMI_DOMAINS)
        return NOT_FOUND;
    switch (id) {
    case DOMAIN_ATTRIBUTES:
        put_value(m, 4, UINT32_C(1) << 30); /* the level can be set */
        put_value(m, 4, 0);
        put_value(m, 4, scp_fastest(scp, domain)->hz / 1000);
        put_value(m, 4, level_of(scp_fastest(scp, domain)));
        put_numbered(m, "perf", domain);
        return SUCCESS;
    case DESCRIBE_LEVELS:
        return describe_levels(scp, m);
    case LIMITS_SET:
        return NOT_SUPPORTED;
    case LIMITS_GET:
        put_value(m, 4, level_of(scp_fastest(scp, domain)));
        put_value(m, 4, level_of(&scp_points(scp, domain)->at[0]));
        return SUCCESS;
    case LEVEL_SET:
        return set_level(s, domain, argument_word(m, 1));
    case LEVEL_GET:
        put_value(m, 4, s->level[domain]);
        return SUCCESS;
    }
    return NOT_FOUND;
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static int describe_rates(const struct scp *scp, struct scmi_message *m)
{
    enum { RANGE = 1 << 12, VALUES = 3 };

    put_value(m, 4, RANGE | VALUES);
    put_value(m, 8, scp->clock_min);
    put_value(m, 8, scp->clock_max);
    put_value(m, 8, 1); /* in steps of */
    return SUCCESS;
}

static int run_clocks(struct scmi *s, unsigned id, struct scmi_message *m)
{
    enum { CLOCK_ATTRIBUTES = 3, DESCRIBE_RATES, RATE_SET, RATE_GET, CONFIG_SET };
    uint32_t clock = argument_word(m, id == RATE_SET ? 1 : 0);

    if (id == ATTRIBUTES) {
        put_value(m, 4, SCMI_CLOCKS);
        return SUCCESS;
    }
    if (clock >= SCMI_CLOCKS)
        return NOT_FOUND;
    switch (id) {
    case CLOCK_ATTRIBUTES:
        put_value(m, 4, s->clock_on[clock]);
        put_numbered(m, "clock", clock);
        return SUCCESS;
    case DESCRIBE_RATES:
        return describe_rates(&s->scp, m);
    case RATE_SET:
        s->clock_hz[clock] = argument_word(m, 2) | (uint64_t)argument_word(m, 3) << 32;
        return SUCCESS;
    case RATE_GET:
        put_value(m, 8, s->clock_hz[clock]);
        return SUCCESS;
    case CONFIG_SET:
        s->clock_on[clock] = argument_word(m, 1) & 1;
        return SUCCESS;
    }
    return NOT_FOUND;
}

/* ---- sensors --------------------------------------------------------------------------------- */

/* Type and power of ten of each unit, numbered as in the manual's table of sensor types. */
static uint32_t sensor_kind(enum scp_unit unit)
{
    enum { CELSIUS = 2, VOLTS = 5, AMPS = 6, WATTS = 7, JOULES = 8 };
    static const struct {
        uint8_t type;
        int scale;
    } kinds[] = {[SCP_TEMPERATURE] = {CELSIUS, -3},
                 [SCP_VOLTAGE] = {VOLTS, -3},
                 [SCP_CURRENT] = {AMPS, -3},
                 [SCP_POWER] = {WATTS, -6},
                 [SCP_ENERGY] = {JOULES, -6}};

    return kinds[unit].type | ((uint32_t)kinds[unit].scale & 0x1f) << 11;
}

static int describe_sensors(const struct scp *scp, struct scmi_message *m)
{
    enum { DESCRIPTOR = 28 };
    uint32_t first = argument_word(m, 0), count;

    if (first >= scp->sensors)
        return OUT_OF_RANGE;
    count = (SCMI_MAX_DATA - m->out_len - 4) / DESCRIPTOR;
    count = count < scp->sensors - first ? count : scp->sensors - first;
    put_value(m, 2, count);
    put_value(m, 2, scp->sensors - first - count);
    for (uint32_t i = first; i < first + count; i++) {
        put_value(m, 4, i);
        put_value(m, 4, 0);
        put_value(m, 4, sensor_kind(scp->sensor[i].unit));
        put_name(m, scp->sensor[i].name);
    }
    return SUCCESS;
}

static int run_sensors(struct scmi *s, unsigned id, struct scmi_message *m)
{
    enum { DESCRIPTION_GET = 3, TRIP_POINT_NOTIFY, TRIP_POINT_CONFIG, READING_GET };
    uint32_t sensor = argument_word(m, 0);

    switch (id) {
    case ATTRIBUTES:
        put_value(m, 4, s->scp.sensors);
        return no_statistics(m);
    case DESCRIPTION_GET:
        return describe_sensors(&s->scp, m);
    case READING_GET:
        if (sensor >= s->scp.sensors)
            return NOT_FOUND;
        put_value(m, 8, scp_sensor_value(&s->scp, sensor, clock_now(s->env->clock)));
        return SUCCESS;
    }
    return NOT_FOUND;
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static const struct {
    uint8_t protocol, commands; /* commands with numbers below this */
    int (*run)(struct scmi *s, unsigned id, struct scmi_message *m);
} table[] = {
    {BASE, 8, run_base},     {POWER, 6, run_power},     {PERFORMANCE, 9, run_performance},
    {CLOCKS, 8, run_clocks}, {SENSORS, 7, run_sensors},
};

static int run_message(struct scmi *s, unsigned row, unsigned id, struct scmi_message *m)
{
    switch (id) {
    case VERSION:
        put_value(m, 4, PROTOCOL_VERSION);
        return SUCCESS;
    case MESSAGE_ATTRIBUTES:
        put_value(m, 4, 0);
        return argument_word(m, 0) < table[row].commands ? SUCCESS : NOT_FOUND;
    }
    return table[row].run(s, id, m);
}

void scmi_run(struct scmi *s, unsigned protocol, unsigned id, struct scmi_message *m)
{
    int status = NOT_SUPPORTED;

    m->out_len = 0;
    put_value(m, 4, 0);
    for (unsigned row = 0; row < ARRAY_SIZE(table); row++)
        if (table[row].protocol == protocol)
            status = run_message(s, row, id, m);
    if (status)
        m->out_len = 4;
    le_put(m->out, 4, (uint32_t)status);
}
