/* mali-dse: predicts a space of designs from one trace of each kernel. */
#include <stdio.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/base/cli.h"
#include "programs/mali-dse/ranks.h"
#include "runtime/gpu/variant.h"
#include "runtime/timing/dse/explore.h"
#include "runtime/timing/dse/journal.h"

struct options {
    const char *space, *out;
    uint64_t threads, progress;
};

#define OPTION(member) struct options, member
static const struct cli_option table[] = {
    CLI_TEXT("out", OPTION(out), "DIR",
             "the folder of the results; one that a run left unfinished is gone on with"),
    CLI_NUMBER("threads", OPTION(threads), 1, 256, "N", "host threads a process (default 1)"),
    CLI_NUMBER("progress", OPTION(progress), 0, 86400, "S",
               "tell every S seconds how far it is (default 10; 0: never)"),
};

static bool take_space(void *opaque, char **words, struct error *err)
{
    struct options *o = opaque;

    return cli_only_operand(&o->space, "space", *words, err);
}

static const struct cli command_line = {
    .table = table, .count = ARRAY_SIZE(table), .operand = take_space};

static void print_help(FILE *out)
{
    fputs("mali-dse SPACE -out DIR [options]\n"
          "mpirun -n N mali-dse SPACE -out DIR [options]\n"
          "Explores a space of GPU designs: each point is predicted from one trace of each "
          "kernel.\n\n"
          "Lines of SPACE ('#' begins a comment):\n"
          "  gpu NAME                    its description is the baseline; the first line\n"
          "  timing reassemble|detailed  the model (default reassemble)\n"
          "  set NAME=N …                replace numbers of the description for all points\n"
          "  trace NAME FILE…            a kernel: files of mali-run -trace-timing, from SPACE's\n"
          "                              folder, one per width of warps; other widths are formed\n"
          "                              of the first\n"
          "  axis NAME VALUE…            points: each combination of values of all axes\n"
          "  sweep NAME VALUE…           points: each value, with the baseline's other numbers\n"
          "  point LABEL NAME=VALUE …    a point\n"
          "  cost NAME…                  a point's cost is the product of these (default cores\n"
          "                              engines warp_width)\n"
          "Names are those of mali-run -timing-set help. A value is a number, or *N, N times the\n"
          "baseline's.\n\n"
          "DIR receives points.csv and results.csv, the same in results.sqlite, and intermediate\n"
          "results. The same command continues a run that was stopped. Results do not depend on\n"
          "threads or processes. scripts/dse-report makes pictures of them.\n\n",
          out);
    cli_print(&command_line, out);
    fputs("\nExit status: 0 all good, 2 bad option or file.\n", out);
}

static bool find_gpu(const char *name, struct dse_gpu *out)
{
    const struct gpu_variant *v = gpu_variant_by_name(name);

    if (v)
        *out = (struct dse_gpu){
            v->timing, {v->cores, v->engines, v->max_threads, v->warp_width, v->clock_mhz}};
    return v;
}

/* Worker 0 opens the folder before all others begin, and writes the results after all have
 * ended. */
static bool explore_space(const struct options *o, const struct ranks *r, struct error *err)
{
    struct dse_worker w = {r->number,           r->count,  (unsigned)o->threads,
                           (double)o->progress, ranks_all, r};
    struct dse_space s = {0};
    bool good =
        (o->space && o->out) || error_set(err, "a space and -out DIR are needed (try --help)");

    good = good && dse_space_read(&s, o->space, find_gpu, err);
    if (good && !r->number)
        good = dse_folder_open(o->out, s.key, err);
    if (ranks_all(r, good))
        good = dse_explore(&s, o->out, &w, err);
    if (ranks_all(r, good) && !r->number) {
        good = dse_write(&s, o->out, err);
        if (good)
            printf("%u points, %u kernels: %s/points.csv, results.csv, results.sqlite\n",
                   s.points.len, s.kernels.len, o->out);
    }
    dse_space_release(&s);
    return good;
}

int main(int argc, char **argv)
{
    enum { DEFAULT_PROGRESS = 10 };
    struct options o = {.threads = 1, .progress = DEFAULT_PROGRESS};
    struct error err = {""};
    struct ranks r;
    bool good = true;

    (void)argc;
    switch (cli_read(&command_line, &o, argv, &err)) {
    case CLI_HELP:
        print_help(stdout);
        break;
    case CLI_VERSION:
        cli_print_version("mali-dse", stdout);
        break;
    case CLI_WRONG:
        good = false;
        break;
    case CLI_DONE:
        r = ranks_begin();
        good = explore_space(&o, &r, &err);
        ranks_end(&r);
    }
    if (!good && err.text[0])
        fprintf(stderr, "mali-dse: %s\n", err.text);
    return good ? 0 : 2;
}
