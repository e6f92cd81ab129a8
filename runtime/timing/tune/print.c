/* Prints the tuner's results, for people and for programs. */
#include <inttypes.h>
#include <math.h>

#include "runtime/timing/tune/tuner.h"

static void print_quality(const char *name, const struct tune_quality *q, FILE *out)
{
    if (q->rows)
        fprintf(out, "%-24s %5zu %9.2f %% %9.4f %9.4f\n", name, q->rows, q->mape, q->pearson,
                q->spearman);
}

static void print_parameters(const struct tune_options *o, const struct tune_result *r, FILE *out)
{
    fprintf(out, "%-24s %10s %10s %10s %10s %10s\n", "parameter", "least", "most", "step", "before",
            "tuned");
    for (size_t i = 0; i < o->axis_count; i++) {
        const struct tune_axis *a = &o->axes[i];
        double before = NAN;

        timing_params_get(&o->params, &o->shape, a->name, &before, NULL);
        fprintf(out, "%-24s %10.6g %10.6g %10.6g %10.6g %10.6g\n", a->name, a->least, a->most,
                a->step, before, tune_axis_value(a, r->model.point.at[i]));
    }
    if (o->scale)
        fprintf(out, "%-24s %54.6g\n", "a factor on all times", r->model.scale);
}

static void print_number(double v, const char *form, FILE *out)
{
    if (isnan(v))
        fprintf(out, " %12s", "");
    else
        fprintf(out, form, v);
}

void tune_print(const struct tune_table *t, const struct tune_options *o,
                const struct tune_result *r, FILE *out)
{
    print_parameters(o, r, out);
    fprintf(out, "\n%-24s %5s %12s %12s %12s %12s\n", "row", "set",
            t->microseconds ? "us" : "cycles", "before", "tuned", "left out");
    for (size_t i = 0; i < t->rows.len; i++) {
        fprintf(out, "%-24.24s %5s %12.3f %12.3f", t->rows.data[i].name,
                r->train[i] ? "train" : "test", t->rows.data[i].measured, r->untuned[i]);
        print_number(r->tuned[i], " %12.3f", out);
        print_number(r->held_out[i], " %12.3f", out);
        fputc('\n', out);
    }
    fprintf(out, "\n%-24s %5s %11s %9s %9s\n", "", "rows", "MAPE", "Pearson", "Spearman");
    print_quality("before, training rows", &r->before_train, out);
    print_quality("before, test rows", &r->before_test, out);
    print_quality("tuned, training rows", &r->train_quality, out);
    print_quality("tuned, test rows", &r->test_quality, out);
    print_quality("left out", &r->held_out_quality, out);
    fprintf(out, "%" PRIu64 " searches, %" PRIu64 " predictions\n", r->searches, r->predictions);
}

static void csv_number(double v, FILE *out)
{
    fputc(',', out);
    if (!isnan(v))
        fprintf(out, "%.9g", v);
}

void tune_print_csv(const struct tune_table *t, const struct tune_result *r, FILE *out)
{
    fputs("name,set,measured,before,tuned,left_out\n", out);
    for (size_t i = 0; i < t->rows.len; i++) {
        fprintf(out, "%s,%s", t->rows.data[i].name, r->train[i] ? "train" : "test");
        csv_number(t->rows.data[i].measured, out);
        csv_number(r->untuned[i], out);
        csv_number(r->tuned[i], out);
        csv_number(r->held_out[i], out);
        fputc('\n', out);
    }
}

void tune_print_description(const struct tune_options *o, const struct tune_result *r,
                            const char *table, FILE *out)
{
    for (size_t i = 0; i < o->axis_count; i++) {
        const char *unit = NULL;
        double now;

        if (timing_params_get(&o->params, &o->shape, o->axes[i].name, &now, &unit) && unit)
            fprintf(out, "    timing %s = %.10g %s \"tuned to %zu rows of %s, MAPE %.2f %%\";\n",
                    o->axes[i].name, tune_axis_value(&o->axes[i], r->model.point.at[i]), unit,
                    r->train_quality.rows, table, r->train_quality.mape);
    }
}
