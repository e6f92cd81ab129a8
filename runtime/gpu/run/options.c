#include "runtime/gpu/run/run.h"

#include "runtime/base/bits.h"
#include "runtime/base/cli.h"

enum { MAX_THREADS = 256, DEFAULT_JOBS = 100000 };

/* More than a second of the fastest GPU: Linux's driver gives a job half of one. */
#define DEFAULT_CYCLES UINT64_C(1000000000)

#define OPTION(member) struct run_options, member

static const struct cli_option table[] = {
    CLI_TEXT("expect", OPTION(expect), "EXP.elf",
             "compare memory with this file afterwards; differences give exit status 1"),
    CLI_TEXT("gpu", OPTION(gpu), "NAME",
             "run on this GPU instead of the one that the snapshot names"),
    CLI_NUMBER("threads", OPTION(threads), 1, MAX_THREADS, "N",
               "host threads of the shader cores (default 1); results are the same for any N"),
    CLI_NUMBER(
        "max-jobs", OPTION(max_jobs), 1, INT64_MAX, "N",
        "give up after so many jobs of all chains (default 100000): a chain may be a circle"),
    CLI_NUMBER(
        "max-cycles", OPTION(max_cycles), 1, INT64_MAX, "N",
        "give up after so many cycles of the GPU (default 1000000000): a shader may be endless"),
    CLI_SWITCH("disasm", OPTION(disasm), "print each shader before the run"),
    CLI_SWITCH("dump-jobs", OPTION(dump_jobs),
               "print the job chains and their descriptors before the run"),
    CLI_TEXT("trace", OPTION(trace), "FILE",
             "write each executed clause and the registers it changes; runs on one thread"),
    CLI_TEXT("stats", OPTION(stats), "DIR", "write statistics as text and JSON into this folder"),
};

static bool take_snapshot(void *options, char **words, struct error *err)
{
    struct run_options *o = options;

    if (o->snapshot)
        return error_set(err, "more than one snapshot: %s and %s", o->snapshot, *words);
    o->snapshot = *words;
    return true;
}

static const struct cli command_line = {
    .table = table, .count = ARRAY_SIZE(table), .operand = take_snapshot};

bool run_options_read(struct run_options *o, char **argv, struct error *err)
{
    enum cli_result result;

    *o = (struct run_options){.threads = 1, .max_jobs = DEFAULT_JOBS, .max_cycles = DEFAULT_CYCLES};
    result = cli_read(&command_line, o, argv, err);
    o->help = result == CLI_HELP;
    if (result != CLI_DONE)
        return o->help;
    return o->snapshot || error_set(err, "no snapshot to run (-h helps)");
}

void run_options_help(FILE *out)
{
    fputs("mali-run SNAP.elf [options]\n"
          "Runs the job chains of a GPU memory snapshot on a simulated Mali.\n\n",
          out);
    cli_print(&command_line, out);
    fputs("\nExit status: 0 all good, 1 memory differs or a job failed, 2 bad option or file,\n"
          "124 the run was given up (-max-jobs, -max-cycles).\n",
          out);
}
