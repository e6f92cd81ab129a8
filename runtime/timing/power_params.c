/* Reads and prints the parameters of the power model. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/timing/power.h"

static const struct parameter {
    const char *name, *unit, *text;
    uint64_t least, most;
    size_t offset;
} parameters[] = {
#define POWER_PARAMETER(name, unit, least, most, unless_given, text) \
    {#name, #unit, text, least, most, offsetof(struct power_params, name)},
#include "common/prelude/power.inc"
#undef POWER_PARAMETER
};

static uint64_t *value_of(struct power_params *p, const struct parameter *it)
{
    return (uint64_t *)(void *)((char *)p + it->offset);
}

bool power_params_set(struct power_params *p, const char *text, struct error *err)
{
    size_t len = strcspn(text, "=");
    const char *value = text[len] ? text + len + 1 : "";

    for (size_t i = 0; i < ARRAY_SIZE(parameters); i++) {
        const struct parameter *it = &parameters[i];
        char *end;
        uint64_t v;

        if (strlen(it->name) != len || strncmp(it->name, text, len) != 0)
            continue;
        v = strtoull(value, &end, 10);
        if (*value < '0' || *value > '9' || *end || v < it->least || v > it->most)
            return error_set(err, "%s is a number from %" PRIu64 " to %" PRIu64 ", not %.40s",
                             it->name, it->least, it->most, value);
        *value_of(p, it) = v;
        return true;
    }
    return error_set(err, "no power parameter is called %.*s", len < 60 ? (int)len : 60, text);
}

bool power_point_read(const char *text, struct power_point *out, struct error *err)
{
    char *end = NULL;
    unsigned long mhz = strtoul(text, &end, 10), mv = 0;
    bool with_voltage = *end == ':', good = *text >= '0' && *text <= '9';

    if (with_voltage) {
        good = good && end[1] >= '0' && end[1] <= '9';
        mv = strtoul(end + 1, &end, 10);
    }
    *out = (struct power_point){(uint32_t)mhz, (uint32_t)mv};
    return (good && !*end && mhz >= 1 && mhz <= 10000 &&
            (!with_voltage || (mv >= 100 && mv <= 2000))) ||
           error_set(err, "a clock is MHZ or MHZ:MILLIVOLT, 1 to 10000 at 100 to 2000, not %.40s",
                     text);
}

void power_params_print(const struct power_params *p, const struct power_sources *sources,
                        FILE *out)
{
    const char *const *source = (const char *const *)(const void *)sources;
    struct power_params copy = *p;

    for (size_t i = 0; i < ARRAY_SIZE(parameters); i++) {
        const struct parameter *it = &parameters[i];

        fprintf(out, "%-20s %8" PRIu64 " %-2s %s [%s]\n", it->name, *value_of(&copy, it), it->unit,
                it->text, *source[i] ? source[i] : "an assumption");
    }
}
