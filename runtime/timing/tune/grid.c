/* The grid that searches walk: its axes, and the function at a point. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/timing/tune/search_internal.h"

enum { MAX_STEPS = 1 << 24 };

uint32_t tune_axis_count(const struct tune_axis *a)
{
    return (uint32_t)floor((a->most - a->least) / a->step + 1e-9) + 1;
}

double tune_axis_value(const struct tune_axis *a, uint32_t at)
{
    return a->least + a->step * at;
}

uint32_t tune_axis_nearest(const struct tune_axis *a, double value)
{
    double at = round((value - a->least) / a->step), last = tune_axis_count(a) - 1;

    return at <= 0 ? 0 : (uint32_t)(at < last ? at : last);
}

bool tune_axis_read(struct tune_axis *a, const char *text, struct error *err)
{
    size_t len = strcspn(text, "=");
    double *const number[] = {&a->least, &a->most, &a->step};
    const char *at = text + len;
    unsigned numbers;
    char *end;

    a->step = 1;
    if (!len || len >= sizeof(a->name) || !*at)
        return error_set(err, "a free parameter is NAME=LEAST:MOST[:STEP], not %.60s", text);
    memcpy(a->name, text, len);
    a->name[len] = 0;
    for (numbers = 0; numbers < 3 && *at; numbers++) {
        *number[numbers] = strtod(at + 1, &end);
        if (end == at + 1 || !isfinite(*number[numbers]) || (*end && *end != ':'))
            return error_set(err, "%.40s: not a number: %.40s", a->name, at + 1);
        at = end;
    }
    if (*at || numbers < 2)
        return error_set(err, "%.40s is LEAST:MOST[:STEP], not %.60s", a->name, text + len + 1);
    if (!(a->least < a->most) || !(a->step > 0) || (a->most - a->least) / a->step > MAX_STEPS)
        return error_set(err, "%.40s: there is no range from %g to %g in steps of %g", a->name,
                         a->least, a->most, a->step);
    return true;
}

double tune_progress_value(struct tune_progress *s, const struct tune_point *p)
{
    double v, smooth;

    if (s->failed)
        return INFINITY;
    s->failed = !s->problem->value(s->problem->opaque, p, &v, &smooth, s->err);
    if (s->failed)
        return INFINITY;
    if (v < s->least) {
        s->least = v;
        s->best = *p;
    }
    return s->smooth ? smooth : v;
}
