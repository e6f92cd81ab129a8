/* Reads, checks and prints the parameters of the time models. */
#include "runtime/timing/params.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/timing/trace.h"

enum unit { cycles, bytes, threads, groups, ways, lines, words, warps };

static const struct parameter {
    const char *name, *text;
    enum unit unit;
    uint64_t least, most, unless_given;
    size_t offset;
} parameters[] = {
#define TIMING_PARAMETER(name, unit, least, most, unless_given, text) \
    {#name, text, unit, least, most, unless_given, offsetof(struct timing_params, name)},
#include "common/prelude/timing.inc"
#undef TIMING_PARAMETER
};

static const struct dimension {
    const char *name, *text;
    uint64_t most;
    size_t offset;
} dimensions[] = {
    {"cores", "shader cores", 4096, offsetof(struct timing_shape, cores)},
    {"engines", "of a core", 64, offsetof(struct timing_shape, engines)},
    {"max_threads", "of a core", 65536, offsetof(struct timing_shape, max_threads)},
    {"warp_width", "lanes; if a trace has others, its warps are formed anew", TIMING_ROW_LANES,
     offsetof(struct timing_shape, warp_width)},
    {"clock_mhz", "of the GPU", 100000, offsetof(struct timing_shape, clock_mhz)},
};

static const char *const units[] = {"cycles", "bytes", "threads", "groups",
                                    "ways",   "lines", "words",   "warps"};

static uint64_t unit_scale(const struct parameter *p)
{
    return p->unit == cycles ? TIMING_TICKS : 1;
}

struct timing_params timing_params_default(void)
{
    struct timing_params p;

    for (size_t i = 0; i < ARRAY_SIZE(parameters); i++)
        *(uint64_t *)(void *)((char *)&p + parameters[i].offset) =
            parameters[i].unless_given * unit_scale(&parameters[i]);
    return p;
}

/* Reads a number in whole ticks, or in the unit of the parameter. */
static bool read_number(const char *text, uint64_t scale, uint64_t least, uint64_t most,
                        uint64_t *out)
{
    char *end;
    double v;

    errno = 0;
    v = strtod(text, &end);
    if (end == text || *end || errno || !(v >= (double)least && v <= (double)most))
        return false;
    *out = (uint64_t)llround(v * (double)scale);
    return fabs((double)*out - v * (double)scale) < 1e-6;
}

bool timing_params_set(struct timing_params *p, struct timing_shape *shape, const char *text,
                       struct error *err)
{
    size_t len = strcspn(text, "=");
    const char *value = text[len] ? text + len + 1 : "";

    for (size_t i = 0; i < ARRAY_SIZE(parameters); i++) {
        const struct parameter *it = &parameters[i];

        if (strlen(it->name) != len || strncmp(it->name, text, len) != 0)
            continue;
        return read_number(value, unit_scale(it), it->least, it->most,
                           (uint64_t *)(void *)((char *)p + it->offset)) ||
               error_set(err, "%s is a number from %" PRIu64 " to %" PRIu64 ", not %.40s", it->name,
                         it->least, it->most, value);
    }
    for (size_t i = 0; i < ARRAY_SIZE(dimensions); i++) {
        const struct dimension *it = &dimensions[i];
        uint64_t v;

        if (strlen(it->name) != len || strncmp(it->name, text, len) != 0)
            continue;
        if (!read_number(value, 1, 1, it->most, &v))
            return error_set(err, "%s is a number from 1 to %" PRIu64 ", not %.40s", it->name,
                             it->most, value);
        *(unsigned *)(void *)((char *)shape + it->offset) = (unsigned)v;
        return true;
    }
    return error_set(err, "no timing parameter is called %.*s", len < 60 ? (int)len : 60, text);
}

bool timing_params_get(const struct timing_params *p, const struct timing_shape *shape,
                       const char *name, double *value, const char **unit)
{
    double dummy_value;
    const char *dummy_unit;

    value = value ? value : &dummy_value;
    unit = unit ? unit : &dummy_unit;
    for (size_t i = 0; i < ARRAY_SIZE(parameters); i++)
        if (!strcmp(parameters[i].name, name)) {
            uint64_t v = *(const uint64_t *)(const void *)((const char *)p + parameters[i].offset);

            *value = (double)v / (double)unit_scale(&parameters[i]);
            *unit = units[parameters[i].unit];
            return true;
        }
    for (size_t i = 0; i < ARRAY_SIZE(dimensions); i++)
        if (!strcmp(dimensions[i].name, name)) {
            *value = *(const unsigned *)(const void *)((const char *)shape + dimensions[i].offset);
            *unit = NULL;
            return true;
        }
    return false;
}

void timing_params_set_clock(struct timing_params *p, unsigned from, unsigned to)
{
    if (!from || !to || from == to)
        return;
    p->l2_miss_latency = p->l2_miss_latency * to / from;
    if (p->dram_bandwidth) {
        p->dram_bandwidth = (p->dram_bandwidth * from + to / 2) / to;
        p->dram_bandwidth += !p->dram_bandwidth;
    }
}

bool timing_params_check(const struct timing_params *p, const struct timing_shape *shape,
                         struct error *err)
{
    if (p->line_bytes < 16)
        return error_set(err, "a line has at least 16 bytes");
    if (!shape->cores || !shape->engines || !shape->max_threads || !shape->warp_width)
        return error_set(err, "a GPU without cores, engines or threads has no time");
    return true;
}

void timing_params_print(const struct timing_params *p, const struct timing_shape *shape,
                         const struct timing_sources *sources, FILE *out)
{
    const char *const *source = (const char *const *)(const void *)sources;

    for (size_t i = 0; i < ARRAY_SIZE(dimensions); i++)
        fprintf(out, "%-20s %12u %-8s %s\n", dimensions[i].name,
                *(const unsigned *)(const void *)((const char *)shape + dimensions[i].offset), "",
                dimensions[i].text);
    for (size_t i = 0; i < ARRAY_SIZE(parameters); i++) {
        const struct parameter *it = &parameters[i];
        uint64_t v = *(const uint64_t *)(const void *)((const char *)p + it->offset);

        fprintf(out, "%-20s %12.10g %-8s %s [%s]\n", it->name, (double)v / (double)unit_scale(it),
                units[it->unit], it->text, *source[i] ? source[i] : "an assumption");
    }
}
