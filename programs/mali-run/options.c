/* The command line of mali-run. */
#include "programs/mali-run/run.h"

#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/base/cli.h"

enum {
    MAX_THREADS = 256,
    MAX_REPEAT = 1000000,
    DEFAULT_JOBS = 100000,
    DEFAULT_SAMPLE = 512,
    DEFAULT_LOCAL = 32768,
    DEFAULT_STACK = 1024,
    DEFAULT_REGISTERS = 16,
    MAX_REGISTERS = 31,
    MAX_LOCAL = 1 << 20,
    MAX_STACK = 1 << 16,
};

/* More than a second of the fastest GPU; Linux's driver allows a job half a second. */
#define DEFAULT_CYCLES UINT64_C(1000000000)

#define OPTION(member) struct run_options, member

/* Options that may be given once per argument, or have three numbers. Their values are kept. */
#define KERNEL_OPTION(name, call)                                    \
    static bool name(void *options, char *value, struct error *err)  \
    {                                                                \
        struct kernel *k = &((struct run_options *)options)->kernel; \
        char *text = xstrdup(value);                                 \
                                                                     \
        vec_push(&k->values, text);                                  \
        return call;                                                 \
    }
KERNEL_OPTION(take_global, kernel_read_size(k->global, "-global", text, err))
KERNEL_OPTION(take_local, kernel_read_size(k->local, "-local", text, err))
KERNEL_OPTION(take_argument, kernel_read_argument(k, text, err))
KERNEL_OPTION(take_dump, kernel_read_dump(k, text, err))

static bool take_timing(void *options, char *value, struct error *err)
{
    struct run_timing_options *t = &((struct run_options *)options)->timing;

    t->wanted = true;
    return timing_fidelity_read(value, &t->fidelity, err);
}

static bool take_source(void *options, char *value, struct error *err)
{
    (void)err;
    vec_push(&((struct run_options *)options)->sources, xstrdup(value));
    return true;
}

static bool take_timing_set(void *options, char *value, struct error *err)
{
    struct run_timing_options *t = &((struct run_options *)options)->timing;

    (void)err;
    vec_push(&t->settings, xstrdup(value));
    return true;
}

static bool take_beside(void *options, char *value, struct error *err)
{
    struct run_timing_options *t = &((struct run_options *)options)->timing;

    (void)err;
    vec_push(&t->beside, xstrdup(value));
    return true;
}

static bool take_clock(void *options, char *value, struct error *err)
{
    return power_point_read(value, &((struct run_options *)options)->timing.clock, err);
}

static bool take_power_set(void *options, char *value, struct error *err)
{
    (void)err;
    vec_push(&((struct run_options *)options)->timing.power_settings, xstrdup(value));
    return true;
}

/* -fuzz has a command line of its own and is handled earlier if it is the first option. */
static bool refuse_fuzz(void *options, char *value, struct error *err)
{
    (void)options;
    return error_set(err, "-fuzz %.100s must be the first option", value);
}

static const struct cli_option table[] = {
    CLI_TEXT("expect", OPTION(expect), "EXP.elf",
             "compare memory with this file afterwards; differences give exit status 1"),
    CLI_TEXT("gpu", OPTION(gpu), "NAME|help",
             "run on this GPU instead of the one that the snapshot names"),
    CLI_NUMBER("threads", OPTION(threads), 1, MAX_THREADS, "N",
               "host threads of the shader cores (default 1); results are the same for any N"),
    CLI_NUMBER(
        "cores", OPTION(cores), 1, UINT64_MAX, "BITS",
        "shader cores that jobs may use, as bits (0x5: the first and the third); default all"),
    CLI_NUMBER("translate", OPTION(translate), 0, UINT32_MAX, "N",
               "make host code of bundles that were executed N times (default 8192; 0: never)"),
    CLI_TEXT("shader-cache", OPTION(shader_cache), "DIR|off",
             "the folder that keeps host code for later runs, at most 256 MB (default:\n"
             "gencc/shaders in $XDG_CACHE_HOME or ~/.cache); results are the same without"),
    CLI_NUMBER(
        "repeat", OPTION(repeat), 1, MAX_REPEAT, "N",
        "run the chains N times, each time from the snapshot's memory, and print the best and the\n"
        "median time of running (without loading and comparing), and the numbers of rows of lanes\n"
        "that began, that ran in host code for many rows, and whose registers had to be cleared,\n"
        "and how many functions of host code were compiled, or kept from earlier runs.\n"
        "-expect and -dump apply to the last run; -stats, -trace and -timing to all runs"),
    CLI_NUMBER("max-jobs", OPTION(max_jobs), 1, INT64_MAX, "N",
               "stop after N jobs of all chains (default 100000), since a chain may be a circle"),
    CLI_NUMBER(
        "max-cycles", OPTION(max_cycles), 1, INT64_MAX, "N",
        "stop after N cycles of the GPU (default 1000000000), since a shader may be endless"),
    CLI_SWITCH("disasm", OPTION(disasm), "print all reachable code of each shader before the run"),
    CLI_SWITCH(
        "disasm-bytes", OPTION(disasm_bytes),
        "the same, with a line //= HEX with the bytes of a bundle before its text; `gencc asm`\n"
        "reads the text of one shader"),
    CLI_SWITCH("dump-jobs", OPTION(dump_jobs),
               "print the job chains and their descriptors before the run"),
    CLI_TEXT("trace", OPTION(trace), "FILE",
             "write each executed bundle and the registers that it changes; runs on one thread"),
    CLI_TEXT(
        "stats", OPTION(stats), "DIR",
        "write totals (stats), sums per shader (gpu_shaders) and one line per job (gpu_jobs) to\n"
        "this folder, as text and JSON"),
    CLI_TEXT(
        "report", OPTION(report), "DIR",
        "write a report of what each kernel executed and why its time passed into this folder,\n"
        "as JSON and CSV, and a page of it by gencc-report"),
    CLI_TEXT("kernel-name", OPTION(kernel_name), "NAME",
             "name of the snapshot's kernel, for -report, -debug and -gdb (default: the file's)"),
    CLI_CALL("report-source", take_source, "FILE",
             "OpenCL C of the report's kernels; may be given for several files"),
    CLI_SWITCH(
        "check", OPTION(check),
        "check what the work-items of compute jobs do to memory: races, reads of what nobody\n"
        "wrote, accesses beside buffers, misaligned ones, barriers that not all reach"),
    CLI_SWITCH(
        "debug", OPTION(debug),
        "debug the shaders of compute jobs by commands on standard input; `help` lists them"),
    CLI_TEXT(
        "gdb", OPTION(gdb), "PORT|stdio|unix:PATH|tcp:HOST:PORT",
        "likewise, by GDB, which may connect there; with -check races and reads of what nobody\n"
        "wrote are known as well"),
    CLI_TEXT(
        "png", OPTION(png), "FILE.png",
        "write the colours that each frame stores as PNG files: the first to FILE.png, further\n"
        "targets and frames to FILE-2.png, …"),
    CLI_TEXT("overdraw", OPTION(overdraw), "FILE.png",
             "write how often each pixel of a frame was shaded, 32 levels of grey per fragment"),
    CLI_NUMBER("draw", OPTION(draws), 0, INT64_MAX, "N",
               "draw only the first N draws of all frames; 0: frames are only cleared"),
    CLI_HEADING("Time from traces"),
    CLI_CALL("timing", take_timing, "reassemble|detailed",
             "print the time of each job on the GPU by this model, and the causes"),
    CLI_SWITCH(
        "timing-lines", OPTION(timing.lines),
        "print each bundle's share of that time too, with its text if the code is available"),
    CLI_TEXT("timing-json", OPTION(timing.json), "FILE",
             "write all of that as JSON, one object per job"),
    CLI_CALL("timing-set", take_timing_set, "NAME=N",
             "replace a number of the GPU's description; NAME=help: print all numbers"),
    CLI_SWITCH("power", OPTION(timing.power),
               "print the energy that the job takes in that time, by part and by core"),
    CLI_CALL("power-set", take_power_set, "NAME=N",
             "replace a number of the GPU's power model; NAME=help: print all numbers"),
    CLI_CALL("gpu-clock", take_clock, "MHZ[:MV]",
             "the GPU's clock (default: its clock_mhz), and the voltage (default: that of its\n"
             "operating points) for -timing"),
    CLI_NUMBER(
        "timing-sample", OPTION(timing.sample), 1, INT64_MAX, "N",
        "in jobs with more than N work-groups, trace every second, third, … group, so that\n"
        "at most N are traced (default 512; for -report fewer, so that it is quick). Of traces\n"
        "that are read, that many are taken (default all)"),
    CLI_TEXT("trace-timing", OPTION(timing.write), "FILE",
             "write the trace, the input of the models"),
    CLI_TEXT("timing-from", OPTION(timing.read), "FILE",
             "in place of a snapshot, read such a trace for -timing; -gpu may name another GPU"),
    CLI_CALL(
        "timing-beside", take_beside, "CORES,FILE[,FILE…]",
        "likewise, for several such options: the jobs of these traces run on as many cores of\n"
        "their own, at the same time as those of the other options; each starts again until\n"
        "all have ended once, and the cycles of a pass are printed (-timing-json: too)"),
    CLI_HEADING("Random instructions"),
    CLI_CALL(
        "fuzz", refuse_fuzz, "WHAT",
        "as the first option: run random instructions, with the evaluator of their description as\n"
        "referee; -fuzz WHAT -h has the options"),
    CLI_HEADING("A kernel by hand"),
    CLI_TEXT(
        "kernel", OPTION(kernel.file), "FILE",
        "run this code in place of a snapshot: assembly text if its name ends in .s, else raw\n"
        "code; -gpu must name the GPU"),
    CLI_CALL("global", take_global, "X[,Y[,Z]]", "threads in all (default 1)"),
    CLI_CALL("local", take_local, "X[,Y[,Z]]",
             "threads of a work-group (default: all threads in one group)"),
    CLI_CALL(
        "arg", take_argument, "FORM",
        "the next argument: buffer=FILE or zero:SIZE, a buffer with this content; u32:N, u64:N\n"
        "or f32:X, a number. Argument n is the n-th pair of words of the push uniforms; for a\n"
        "buffer it is the address"),
    CLI_CALL("dump", take_dump, "N=FILE", "write the buffer of argument N (from 0) after the run"),
    CLI_NUMBER("local-memory", OPTION(kernel.local_memory), 0, MAX_LOCAL, "BYTES",
               "memory of a work-group (default 32768)"),
    CLI_NUMBER("stack", OPTION(kernel.stack), 0, MAX_STACK, "BYTES",
               "memory of a thread (default 1024)"),
    CLI_NUMBER("registers", OPTION(kernel.registers), 1, MAX_REGISTERS, "N",
               "work registers that the job requests, on GPUs whose jobs do (default 16)"),
    CLI_TEXT("arch", OPTION(kernel.arch), "FILE.ac",
             "description for the assembler (default: the one with which gencc was built)"),
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

/* Whether the options fit together. */
static bool check_options(const struct run_options *o, struct error *err)
{
    const struct kernel *k = &o->kernel;

    if (k->file && o->snapshot)
        return error_set(err, "both a snapshot, %.100s, and a kernel, %.100s", o->snapshot,
                         k->file);
    if (k->file && !o->gpu)
        return error_set(err, "-kernel needs -gpu NAME");
    if (!k->file && (k->global[0] || k->local[0] || k->argument_count || k->dumps.len || k->arch))
        return error_set(err, "-global, -local, -arg, -dump and -arch are for -kernel");
    if (o->timing.read || o->timing.beside.len)
        return run_timing_check(o->snapshot || k->file, &o->timing, err);
    if ((o->png || o->overdraw) && o->repeat)
        return error_set(err, "-%s is not for -repeat", o->png ? "png" : "overdraw");
    if (o->check && (o->report || o->repeat || o->timing.wanted || o->timing.write))
        return error_set(err, "-check is not for -report, -repeat, -timing and -trace-timing");
    if ((o->debug || o->gdb) &&
        (o->report || o->repeat || o->timing.wanted || o->timing.write || (o->debug && o->gdb)))
        return error_set(err, "-debug and -gdb are not for each other, nor for -report, -repeat, "
                              "-timing and -trace-timing");
    if (o->sources.len && !o->report)
        return error_set(err, "-report-source is for -report");
    if (((o->timing.settings.len && !o->report) || o->timing.lines || o->timing.json) &&
        !o->timing.wanted)
        return error_set(err, "-timing-set (also for -report), -timing-lines and -timing-json are "
                              "for -timing");
    if ((o->timing.power || o->timing.clock.mhz || o->timing.power_settings.len) &&
        !o->timing.wanted)
        return error_set(err, "-power, -power-set and -gpu-clock are for -timing");
    return k->file || o->snapshot || error_set(err, "no snapshot to run (try --help)");
}

bool run_options_read(struct run_options *o, char **argv, struct error *err)
{
    enum cli_result result;

    *o = (struct run_options){.threads = 1,
                              .translate = GPU_TRANSLATE_AFTER,
                              .max_jobs = DEFAULT_JOBS,
                              .draws = UINT64_MAX,
                              .max_cycles = DEFAULT_CYCLES,
                              .kernel = {.local_memory = DEFAULT_LOCAL,
                                         .stack = DEFAULT_STACK,
                                         .registers = DEFAULT_REGISTERS}};
    result = cli_read(&command_line, o, argv, err);
    o->report_sample = o->timing.sample_read = o->timing.sample;
    o->timing.sample = o->timing.sample ? o->timing.sample : DEFAULT_SAMPLE;
    o->help = result == CLI_HELP;
    o->version = result == CLI_VERSION;
    if (result != CLI_DONE)
        return o->help || o->version;
    o->list_gpus = o->gpu && !strcmp(o->gpu, "help");
    if (o->list_gpus)
        return true;
    return check_options(o, err);
}

void run_options_release(struct run_options *o)
{
    for (size_t i = 0; i < o->timing.settings.len; i++)
        free(o->timing.settings.data[i]);
    for (size_t i = 0; i < o->timing.beside.len; i++)
        free(o->timing.beside.data[i]);
    vec_free(&o->timing.beside);
    for (size_t i = 0; i < o->sources.len; i++)
        free(o->sources.data[i]);
    for (size_t i = 0; i < o->timing.power_settings.len; i++)
        free(o->timing.power_settings.data[i]);
    vec_free(&o->timing.settings);
    vec_free(&o->timing.power_settings);
    vec_free(&o->sources);
    kernel_release(&o->kernel);
}

void run_options_help(FILE *out)
{
    fputs("mali-run SNAP.elf [options]\n"
          "mali-run -kernel FILE -gpu NAME [options]\n"
          "mali-run -timing-from FILE -timing MODEL [options]\n"
          "Runs the job chains of a GPU memory snapshot, or one shader, on a simulated Mali.\n\n",
          out);
    cli_print(&command_line, out);
    fputs("\nExit status: 0 all good, 1 memory differs, a job failed or -check found\n"
          "something, 2 bad option or file, 124 the run was stopped (-max-jobs, -max-cycles).\n",
          out);
}
