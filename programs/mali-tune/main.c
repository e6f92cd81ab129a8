/* mali-tune: tunes parameters of the time models to measured times. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/base/cli.h"
#include "runtime/gpu/variant.h"
#include "runtime/timing/tune/tuner.h"

enum { DEFAULT_ROUNDS = 10, DEFAULT_EVALUATIONS = 400, MAX_EVALUATIONS = 1000000 };

struct options {
    const char *table, *gpu, *csv, *description;
    VEC(char *) settings;
    struct tune_options tune;
};

static bool take_free(void *opaque, char *value, struct error *err)
{
    struct tune_options *t = &((struct options *)opaque)->tune;

    if (t->axis_count == TUNE_AXES)
        return error_set(err, "at most %d parameters can be free", TUNE_AXES);
    return tune_axis_read(&t->axes[t->axis_count++], value, err);
}

static bool take_setting(void *opaque, char *value, struct error *err)
{
    struct options *o = opaque;

    (void)err;
    vec_push(&o->settings, xstrdup(value)); /* `value` is not valid after the call */
    return true;
}

static bool take_timing(void *opaque, char *value, struct error *err)
{
    return timing_fidelity_read(value, &((struct options *)opaque)->tune.fidelity, err);
}

static bool take_search(void *opaque, char *value, struct error *err)
{
    return tune_search_read(value, &((struct options *)opaque)->tune.search, err);
}

static bool take_goal(void *opaque, char *value, struct error *err)
{
    return tune_goal_read(value, &((struct options *)opaque)->tune.goal, err);
}

#define OPTION(member) struct options, member
static const struct cli_option table[] = {
    CLI_HEADING("The model"),
    CLI_TEXT("gpu", OPTION(gpu), "NAME", "start with the numbers of this GPU; help: list the GPUs"),
    CLI_CALL("timing", take_timing, "reassemble|detailed", "the model (default reassemble)"),
    CLI_CALL("timing-set", take_setting, "NAME=N",
             "a known parameter, which replaces the number of the GPU's description"),
    CLI_HEADING("The search"),
    CLI_CALL("free", take_free, "NAME=LEAST:MOST[:STEP]",
             "an unknown parameter (or cores, engines, max_threads, clock_mhz), in steps of STEP\n"
             "(default 1)"),
    CLI_SWITCH(
        "scale", OPTION(tune.scale),
        "also tune one factor on all predicted times, for measurements whose unit, or whose\n"
        "size of input, is not known"),
    CLI_CALL("search", take_search, "binary|direct",
             "binary: one parameter at a time, by halving its range, and all of them again until\n"
             "nothing changes; direct: all at once, DIRECT-L, Subplex and steps of one (default)"),
    CLI_CALL("goal", take_goal, "mape|pearson|spearman",
             "the least mean absolute percent error (default), or the largest correlation of\n"
             "times or of ranks"),
    CLI_NUMBER("rounds", OPTION(tune.rounds), 1, 1000, "N",
               "binary: at most N passes through all parameters (default 10)"),
    CLI_NUMBER("evaluations", OPTION(tune.evaluations), 2, MAX_EVALUATIONS, "N",
               "direct: N/2 points for DIRECT-L, N/4 for each Subplex (default 400)"),
    CLI_HEADING("Training and test rows"),
    CLI_NUMBER("test", OPTION(tune.test_percent), 0, 99, "PERCENT",
               "share of test rows among those whose set the table leaves open"),
    CLI_NUMBER("subset", OPTION(tune.subset), 1, 1000000, "N",
               "train on the N other rows that differ most in the causes of their time by the\n"
               "model (benchmark subsetting); the remaining rows are test rows"),
    CLI_NUMBER("folds", OPTION(tune.folds), 2, 1000000, "N",
               "cross-validation: predict each N-th of the training rows by a model of the others"),
    CLI_SWITCH("leave-one-out", OPTION(tune.leave_one_out),
               "cross-validation: predict each training row by a model of all others"),
    CLI_NUMBER("seed", OPTION(tune.seed), 0, INT64_MAX, "N",
               "seed of the choice of rows by -test and -folds (default 1)"),
    CLI_HEADING("Other options"),
    CLI_NUMBER("threads", OPTION(tune.threads), 1, 256, "N",
               "host threads; the result is the same for any number (default 1)"),
    CLI_TEXT("csv", OPTION(csv), "FILE", "write measured and predicted times of each row"),
    CLI_TEXT("description", OPTION(description), "FILE",
             "write the tuned parameters as lines of the GPU's description"),
};

static bool take_table(void *opaque, char **words, struct error *err)
{
    struct options *o = opaque;

    return cli_only_operand(&o->table, "table", *words, err);
}

static const struct cli command_line = {
    .table = table, .count = ARRAY_SIZE(table), .operand = take_table};

static void print_help(FILE *out)
{
    fputs("mali-tune TABLE.csv -gpu NAME -free NAME=LEAST:MOST[:STEP] … [options]\n"
          "Tunes parameters of the time models to measured times.\n\n"
          "The table's first line names its fields: trace (a file of mali-run -trace-timing, from\n"
          "the table's folder, or several with semicolons between them, whose times are added),\n"
          "cycles or us (the measured time), and optionally name, job (number of the job in the\n"
          "file, from 1 on) and set (train, test or nothing).\n\n",
          out);
    cli_print(&command_line, out);
    fputs("\nExit status: 0 all good, 2 bad option or file.\n", out);
}

/* Determines the GPU and its numbers. */
static bool resolve_gpu(struct options *o, struct error *err)
{
    const struct gpu_variant *v = o->gpu ? gpu_variant_by_name(o->gpu) : NULL;

    if (!o->table || !o->gpu)
        return error_set(err, "a table and -gpu NAME are needed (try --help)");
    if (!v)
        return error_set(err, "there is no GPU called %.40s (-gpu help lists them)", o->gpu);
    if (o->tune.folds && o->tune.leave_one_out)
        return error_set(err, "-folds and -leave-one-out exclude each other");
    if (o->tune.subset && o->tune.test_percent)
        return error_set(err, "-subset and -test exclude each other");
    o->tune.params = v->timing;
    o->tune.shape =
        (struct timing_shape){v->cores, v->engines, v->max_threads, v->warp_width, v->clock_mhz};
    for (size_t i = 0; i < o->settings.len; i++)
        if (!timing_params_set(&o->tune.params, &o->tune.shape, o->settings.data[i], err))
            return false;
    return timing_params_check(&o->tune.params, &o->tune.shape, err);
}

static bool write_files(const struct options *o, const struct tune_table *t,
                        const struct tune_result *r, struct error *err)
{
    const char *const paths[] = {o->csv, o->description};

    for (unsigned i = 0; i < 2; i++) {
        FILE *f = paths[i] ? fopen(paths[i], "w") : NULL;
        bool good = f;

        if (!paths[i])
            continue;
        if (f && i == 0)
            tune_print_csv(t, r, f);
        else if (f)
            tune_print_description(&o->tune, r, o->table, f);
        good = good && !ferror(f);
        if ((f && fclose(f)) || !good)
            return error_set(err, "cannot write %.150s: %s", paths[i], strerror(errno));
    }
    return true;
}

static bool tune_parameters(struct options *o, struct error *err)
{
    struct tune_table t = {0};
    struct tune_result r = {0};
    bool good = resolve_gpu(o, err) && tune_table_read(&t, o->table, err) &&
                tune_run(&t, &o->tune, &r, err) && write_files(o, &t, &r, err);

    if (good)
        tune_print(&t, &o->tune, &r, stdout);
    tune_result_release(&r);
    tune_table_release(&t);
    return good;
}

int main(int argc, char **argv)
{
    struct options o = {.tune = {.search = TUNE_DIRECT,
                                 .rounds = DEFAULT_ROUNDS,
                                 .evaluations = DEFAULT_EVALUATIONS,
                                 .threads = 1,
                                 .seed = 1}};
    struct error err = {""};
    bool good = true;

    (void)argc;
    switch (cli_read(&command_line, &o, argv, &err)) {
    case CLI_HELP:
        print_help(stdout);
        break;
    case CLI_VERSION:
        cli_print_version("mali-tune", stdout);
        break;
    case CLI_WRONG:
        good = false;
        break;
    case CLI_DONE:
        if (o.gpu && !strcmp(o.gpu, "help"))
            gpu_variants_print(stdout);
        else
            good = tune_parameters(&o, &err);
    }
    for (size_t i = 0; i < o.settings.len; i++)
        free(o.settings.data[i]);
    vec_free(&o.settings);
    if (!good)
        fprintf(stderr, "mali-tune: %s\n", err.text);
    return good ? 0 : 2;
}
