/* Searches of a grid: axis by axis by halving, or all axes at once. */
#include "runtime/timing/tune/search.h"

#include <math.h>
#include <string.h>

#include "runtime/timing/tune/search_internal.h"

/* ---- one at a time --------------------------------------------------------------------------- */

/* Halves the range of an axis as long as the value is lower on one side of the middle. */
static void halve_range(struct tune_progress *s, struct tune_point *p, size_t axis)
{
    uint32_t low = 0, high = tune_axis_count(&s->problem->axes[axis]) - 1;

    while (low < high && !s->failed) {
        uint32_t middle = low + (high - low) / 2;
        double here, next;

        p->at[axis] = middle;
        here = tune_progress_value(s, p);
        p->at[axis] = middle + 1;
        next = tune_progress_value(s, p);
        if (here <= next)
            high = middle;
        else
            low = middle + 1;
    }
    p->at[axis] = low;
}

/* Sorts axes by decreasing range. */
static void order_axes(const struct tune_problem *t, size_t *order)
{
    for (size_t i = 0; i < t->count; i++) {
        double range = t->axes[i].most - t->axes[i].least;
        size_t k = i;

        for (; k && t->axes[order[k - 1]].most - t->axes[order[k - 1]].least < range; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}

static void one_at_a_time(struct tune_progress *s, struct tune_point p)
{
    size_t order[TUNE_AXES];

    order_axes(s->problem, order);
    for (unsigned round = 0; round < s->problem->rounds && !s->failed; round++) {
        struct tune_point before = p;

        for (size_t i = 0; i < s->problem->count; i++)
            halve_range(s, &p, order[i]);
        if (!memcmp(&before, &p, sizeof(p)))
            break;
    }
}

/* ---- all at once ----------------------------------------------------------------------------- */

/* Tries single steps on each axis from the best point. */
static void step_from_best(struct tune_progress *s)
{
    bool better = true;

    while (better && !s->failed) {
        double before = s->least;

        for (size_t i = 0; i < s->problem->count; i++) {
            struct tune_point p = s->best;
            uint32_t at = p.at[i];

            if (at) {
                p.at[i] = at - 1;
                tune_progress_value(s, &p);
            }
            if (at + 1 < tune_axis_count(&s->problem->axes[i])) {
                p.at[i] = at + 1;
                tune_progress_value(s, &p);
            }
        }
        better = s->least < before;
    }
}

/* Searches the whole space with half of the evaluations, then from the best point with a quarter
 * each time, while that improves it. */
static bool all_at_once(struct tune_progress *s)
{
    unsigned quarter = s->problem->evaluations / 4 + 1;
    bool good = tune_search_globally(s, 2 * quarter) && tune_search_smoothly(s, quarter);

    for (double before = INFINITY; good && s->least < before;) {
        before = s->least;
        good = tune_search_locally(s, quarter);
        step_from_best(s);
    }
    return good;
}

bool tune_search_read(const char *text, enum tune_search *out, struct error *err)
{
    if (strcmp(text, "binary") != 0 && strcmp(text, "direct") != 0)
        return error_set(err, "a search is binary or direct, not %.40s", text);
    *out = *text == 'b' ? TUNE_BINARY : TUNE_DIRECT;
    return true;
}

bool tune_search(const struct tune_problem *t, enum tune_search how, struct tune_point *p,
                 double *value, struct error *err)
{
    struct tune_progress s = {.problem = t, .best = *p, .least = INFINITY, .err = err};
    bool good = true;

    tune_progress_value(&s, p);
    if (t->count && how == TUNE_BINARY) {
        one_at_a_time(&s, *p);
    } else if (t->count && !s.failed) {
        good = all_at_once(&s);
    }
    *p = s.best;
    *value = s.least;
    return good && !s.failed;
}
