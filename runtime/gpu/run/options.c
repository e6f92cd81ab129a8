#include "runtime/gpu/run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 256, DEFAULT_JOBS = 100000 };

/* More than a second of the fastest GPU: Linux's driver gives a job half of one. */
#define DEFAULT_CYCLES UINT64_C(1000000000)

enum option_kind { TEXT, SWITCH, THREADS, COUNT };

static const struct option {
    const char *name;
    enum option_kind kind;
    size_t field;
    const char *argument, *help;
} options[] = {
    {"expect", TEXT, offsetof(struct run_options, expect), "EXP.elf",
     "compare memory with this file afterwards; differences give exit status 1"},
    {"gpu", TEXT, offsetof(struct run_options, gpu), "NAME",
     "run on this GPU instead of the one that the snapshot names"},
    {"threads", THREADS, offsetof(struct run_options, threads), "N",
     "host threads of the shader cores (default 1); results are the same for any N"},
    {"max-jobs", COUNT, offsetof(struct run_options, max_jobs), "N",
     "give up after so many jobs of all chains (default 100000): a chain may be a circle"},
    {"max-cycles", COUNT, offsetof(struct run_options, max_cycles), "N",
     "give up after so many cycles of the GPU (default 1000000000): a shader may be endless"},
    {"disasm", SWITCH, offsetof(struct run_options, disasm), "",
     "print each shader before the run"},
    {"dump-jobs", SWITCH, offsetof(struct run_options, dump_jobs), "",
     "print the job chains and their descriptors before the run"},
    {"trace", TEXT, offsetof(struct run_options, trace), "FILE",
     "write each executed clause and the registers it changes; runs on one thread"},
    {"stats", TEXT, offsetof(struct run_options, stats), "DIR",
     "write statistics as text and JSON into this folder"},
    {"h", SWITCH, offsetof(struct run_options, help), "", "print this and exit"},
    {"help", SWITCH, offsetof(struct run_options, help), "", "the same"},
};

static const struct option *find(const char *name)
{
    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
        if (!strcmp(options[i].name, name))
            return &options[i];
    return NULL;
}

static bool read_number(const char *text, uint64_t *to, const struct option *option,
                        struct error *err)
{
    uint64_t max = option->kind == THREADS ? MAX_THREADS : INT64_MAX;
    char *end;

    errno = 0;
    *to = strtoull(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || !*to || *to > max)
        return error_set(err, "-%s wants a number from 1 to %llu, not '%s'", option->name,
                         (unsigned long long)max, text);
    return true;
}

/* Takes one option; *i is its place, and is moved over its argument. */
static bool read_option(struct run_options *o, int argc, char **argv, int *i, struct error *err)
{
    const char *name = argv[*i] + 1 + (argv[*i][1] == '-');
    const struct option *option = find(name);
    void *field;

    if (!option)
        return error_set(err, "there is no option %s (-h lists them)", argv[*i]);
    field = (char *)o + option->field;
    if (option->kind == SWITCH) {
        *(bool *)field = true;
        return true;
    }
    if (++*i == argc)
        return error_set(err, "-%s needs %s", name, option->argument);
    if (option->kind == THREADS || option->kind == COUNT)
        return read_number(argv[*i], field, option, err);
    *(const char **)field = argv[*i];
    return true;
}

bool run_options_read(struct run_options *o, int argc, char **argv, struct error *err)
{
    *o = (struct run_options){.threads = 1, .max_jobs = DEFAULT_JOBS, .max_cycles = DEFAULT_CYCLES};
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1]) {
            if (!read_option(o, argc, argv, &i, err))
                return false;
        } else if (o->snapshot) {
            return error_set(err, "more than one snapshot: %s and %s", o->snapshot, argv[i]);
        } else {
            o->snapshot = argv[i];
        }
    }
    return o->snapshot || o->help || error_set(err, "no snapshot to run (-h helps)");
}

void run_options_help(FILE *out)
{
    fputs("mali-run SNAP.elf [options]\n"
          "Runs the job chains of a GPU memory snapshot on a simulated Mali.\n\n",
          out);
    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
        fprintf(out, "  -%s %s\n        %s\n", options[i].name, options[i].argument,
                options[i].help);
    fputs("\nExit status: 0 all good, 1 memory differs or a job failed, 2 bad option or file, 124 "
          "the\n"
          "run was given up (-max-jobs, -max-cycles).\n",
          out);
}
