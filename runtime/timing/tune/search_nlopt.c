/*
 * Search of the whole space by NLopt. Times have corners and steps, so only methods without
 * derivatives are suitable. DIRECT-L divides the space where it is promising or large; it needs no
 * random numbers and no starting point, but is slow near the minimum. A mean of absolute errors has
 * ridges on which all of these methods stop, while a mean of squares has none: BOBYQA follows it by
 * a quadratic model. Subplex, a Nelder-Mead method on subspaces, does the rest.
 */
#include <math.h>
#include <nlopt.h>

#include "runtime/timing/tune/search_internal.h"

static double value_at(unsigned n, const double *x, double *gradient, void *opaque)
{
    struct tune_progress *s = opaque;
    struct tune_point p = {{0}};
    double v;

    (void)gradient;
    for (unsigned i = 0; i < n; i++) {
        uint32_t last = tune_axis_count(&s->problem->axes[i]) - 1;
        double at = round(x[i] * last);

        p.at[i] = at <= 0 ? 0 : at < last ? (uint32_t)at : last;
    }
    v = tune_progress_value(s, &p);
    return isfinite(v) ? v : 1e30;
}

static bool run_phase(struct tune_progress *s, nlopt_algorithm algorithm, unsigned evaluations)
{
    unsigned n = (unsigned)s->problem->count;
    double x[TUNE_AXES], value;
    nlopt_opt opt = nlopt_create(algorithm, n);
    nlopt_result result = NLOPT_OUT_OF_MEMORY;

    if (opt) {
        for (unsigned i = 0; i < n; i++)
            x[i] = s->best.at[i] / (double)(tune_axis_count(&s->problem->axes[i]) - 1);
        nlopt_set_lower_bounds1(opt, 0);
        nlopt_set_upper_bounds1(opt, 1);
        nlopt_set_min_objective(opt, value_at, s);
        nlopt_set_maxeval(opt, (int)evaluations);
        nlopt_set_xtol_rel(opt, 1e-4);
        result = nlopt_optimize(opt, x, &value);
        nlopt_destroy(opt);
    }
    /* A stop because of rounding is not a failure. */
    if (result < 0 && result != NLOPT_ROUNDOFF_LIMITED && !s->failed)
        return error_set(s->err, "NLopt gave up (%d)", (int)result);
    return !s->failed;
}

bool tune_search_globally(struct tune_progress *s, unsigned evaluations)
{
    return run_phase(s, NLOPT_GN_DIRECT_L, evaluations);
}

bool tune_search_smoothly(struct tune_progress *s, unsigned evaluations)
{
    bool good;

    s->smooth = true;
    /* BOBYQA needs at least two axes. */
    good = run_phase(s, s->problem->count > 1 ? NLOPT_LN_BOBYQA : NLOPT_LN_SBPLX, evaluations);
    s->smooth = false;
    return good;
}

bool tune_search_locally(struct tune_progress *s, unsigned evaluations)
{
    return run_phase(s, NLOPT_LN_SBPLX, evaluations);
}
