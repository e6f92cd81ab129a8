/* mali-run: runs the job chains of a snapshot, or a kernel, and compares memory afterwards. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/base/cli.h"
#include "runtime/base/log.h"
#include "runtime/gpu/chain.h"
#include "runtime/gpu/graphics_watch.h"
#include "programs/mali-run/isas.h"
#include "programs/mali-run/repeat.h"
#include "programs/mali-run/run.h"
#include "runtime/gpu/stats.h"
#include "runtime/gpu/variant.h"
#include "runtime/obs/stats.h"
#include "runtime/report/report.h"

enum { EXIT_DIFFERENT = 1, EXIT_USAGE = 2, EXIT_LIMIT = 124 };

static int usage(const struct error *err)
{
    fprintf(stderr, "mali-run: %s\n", err->text);
    return EXIT_USAGE;
}

/* The cores, memory and chain of a run. */
struct run {
    struct run_options *options;
    char *const *words; /* arguments behind the program's name */
    const struct gpu_variant *variant;
    const struct gpu_isa *isa;
    struct gpu_snapshot *snapshot;
    struct gpu_cores *cores;
    struct gpu_chain_budget budget;
    FILE *trace;
    struct run_timing *timing;
    struct report *report;
    struct run_frames *frames;
    struct run_debugged debugged;
    struct run_debug *debug;
};

static bool choose_gpu(struct run *r, struct error *err)
{
    const struct run_options *o = r->options;

    r->variant =
        o->gpu ? gpu_variant_by_name(o->gpu) : gpu_variant_by_product(r->snapshot->product);
    if (!r->variant && o->gpu)
        return error_set(err, "there is no GPU named '%s' (-gpu help lists them)", o->gpu);
    if (!r->variant)
        return error_set(err, "%s: no GPU has the product id 0x%x (-gpu chooses one)", o->snapshot,
                         r->snapshot->product);
    r->isa = isa_built_in(r->variant->isa);
    return r->isa || error_set(err, "the shader instruction set %s of %s is not modelled",
                               r->variant->isa, r->variant->title);
}

static bool open_snapshot(struct run *r, struct error *err)
{
    r->snapshot = gpu_snapshot_read(r->options->snapshot, err);
    if (!r->snapshot)
        return false;
    if (r->snapshot->missing_memory)
        fprintf(stderr, "mali-run: warning: %s leaves out %s\n", r->options->snapshot,
                r->snapshot->missing_memory);
    return choose_gpu(r, err);
}

static bool open_kernel(struct run *r, struct error *err)
{
    if (!choose_gpu(r, err))
        return false;
    r->snapshot = kernel_build(&r->options->kernel, r->variant, r->isa, err);
    return r->snapshot;
}

static bool open_timing(struct run *r, struct error *err)
{
    if (!r->options->timing.wanted && !r->options->timing.write)
        return true;
    r->timing = run_timing_new(&r->options->timing, r->variant, stdout, err);
    if (r->timing) {
        run_timing_attach(r->timing, r->cores);
        run_timing_code(r->timing, r->isa, &r->snapshot->space);
    }
    return r->timing;
}

static bool open_report(struct run *r, struct error *err)
{
    if (!r->options->report)
        return true;
    r->report = run_report_new(r->options, r->words, r->variant, r->isa, err);
    if (r->report)
        report_attach(r->report, r->cores);
    return r->report;
}

static bool is_debugged(const struct run_options *o)
{
    return o->debug || o->gdb;
}

static bool open_debug(struct run *r, struct error *err)
{
    const struct run_options *o = r->options;
    const char *file = o->kernel.file ? o->kernel.file : o->snapshot;

    r->debugged = (struct run_debugged){
        r->isa, o->kernel_name ? xstrdup(o->kernel_name) : run_kernel_name(file), o->gdb,
        r->variant->warp_width};
    r->debug = run_debug_new(&r->debugged, r->cores, err);
    return r->debug;
}

static bool open_all(struct run *r, struct error *err)
{
    if (!(r->options->kernel.file ? open_kernel(r, err) : open_snapshot(r, err)))
        return false;
    /* One thread if bundles are traced, so that they are in the order of execution. */
    r->cores = gpu_cores_new(
        r->variant, r->isa,
        r->options->trace || is_debugged(r->options) ? 1 : (unsigned)r->options->threads);
    if (!r->cores)
        return error_set(err, "the shader cores of %s cannot be made", r->variant->title);
    gpu_cores_translate(r->cores, (uint32_t)r->options->translate);
    if (!gpu_cores_keep_code(r->cores, r->options->shader_cache, err))
        return false;
    gpu_cores_limit_draws(r->cores, r->options->draws);
    if (r->options->png || r->options->overdraw)
        r->frames = run_frames_new(r->options->png, r->options->overdraw, r->cores);
    if (r->options->stats)
        gpu_cores_describe_shaders(r->cores);
    if (r->options->trace) {
        r->trace = fopen(r->options->trace, "w");
        if (!r->trace)
            return error_set(err, "cannot write %.200s", r->options->trace);
        gpu_cores_trace(r->cores, r->trace);
    }
    if (is_debugged(r->options) && !open_debug(r, err))
        return false;
    return open_timing(r, err) && open_report(r, err);
}

static void close_all(struct run *r)
{
    gpu_cores_free(r->cores);
    gpu_snapshot_free(r->snapshot);
    run_timing_free(r->timing);
    report_free(r->report);
    run_frames_free(r->frames);
    run_debug_free(r->debug);
    free((char *)r->debugged.kernel);
    if (r->trace)
        fclose(r->trace);
}

static const char *access_name(enum gpu_access access)
{
    static const char *const names[] = {"an atomic access", "execution", "a read", "a write"};

    return names[access];
}

/* ", at …" with the place of a bundle; in a kernel, by its number in the text. Empty for address
 * 0. */
static const char *bundle_place(const struct run *r, uint64_t bundle, char *text, size_t size)
{
    const struct kernel *k = &r->options->kernel;
    int n = snprintf(text, size, bundle ? ", at 0x%llx" : "", (unsigned long long)bundle);

    if (bundle && k->file && bundle >= k->code)
        snprintf(text + n, size - (size_t)n, " (%s_%llu of %.100s)", r->isa->bundle_name,
                 (unsigned long long)(bundle - k->code) / r->isa->grain_bytes, k->file);
    return text;
}

/* Runs one chain to its end or its first error, which is printed. Returns the exit status. */
static int run_chain(struct run *r, struct gpu_chain *chain, uint64_t head)
{
    struct gpu_chain_outcome out;
    char at[192];

    gpu_chain_run(chain, &r->snapshot->space, head, GPU_CHAIN_WRITE_BACK, &r->budget, &out);
    switch (out.progress) {
    case GPU_CHAIN_DONE:
        return EXIT_SUCCESS;
    case GPU_CHAIN_MORE:
        fprintf(
            stderr, "mali-run: given up at the job at 0x%llx after %llu %s\n",
            (unsigned long long)out.tail,
            (unsigned long long)(r->budget.cycles ? r->options->max_jobs : r->options->max_cycles),
            r->budget.cycles ? "jobs (-max-jobs)" : "cycles (-max-cycles)");
        return EXIT_LIMIT;
    case GPU_CHAIN_FAULT:
        fprintf(stderr, "mali-run: job at 0x%llx: page fault (exception 0x%x) at 0x%llx, in %s%s\n",
                (unsigned long long)out.tail, out.fault.code, (unsigned long long)out.fault.va,
                access_name(out.fault.access), bundle_place(r, out.fault.bundle, at, sizeof(at)));
        return EXIT_DIFFERENT;
    case GPU_CHAIN_STOPPED:
    case GPU_CHAIN_FAILED:
        break;
    }
    fprintf(stderr, "mali-run: job at 0x%llx failed: exception 0x%x%s\n",
            (unsigned long long)out.tail, out.code, bundle_place(r, out.address, at, sizeof(at)));
    return EXIT_DIFFERENT;
}

static uint64_t cores_of(void *opaque, const struct gpu_chain_job *job)
{
    const struct run *r = opaque;
    uint64_t cores = r->options->cores & r->variant->shader_present;

    (void)job;
    return cores ? cores : r->variant->shader_present;
}

/* Runs the chains one after the other up to the first error, on the given cores. Returns the exit
 * status. */
static int run_chains_on(void *opaque, struct gpu_cores *cores)
{
    struct run *r = opaque;
    struct log log = {0};
    struct gpu_chain_env env = {
        .variant = r->variant, .cores = cores, .log = &log, .cores_of = cores_of, .opaque = r};
    struct gpu_chain *chain = gpu_chain_new(&env);
    int status = EXIT_SUCCESS;

    r->budget = (struct gpu_chain_budget){r->options->max_jobs, r->options->max_cycles};
    for (size_t i = 0; !status && i < r->snapshot->submit_count; i++)
        status = run_chain(r, chain, r->snapshot->submits[i].head);
    gpu_chain_free(chain);
    return status;
}

static int run_chains(struct run *r)
{
    return run_chains_on(r, r->cores);
}

/* The cores of a second run for -check. */
static struct gpu_cores *single_cores(void *opaque)
{
    const struct run *r = opaque;

    return gpu_cores_new(r->variant, r->isa, 1);
}

static struct run_checked checked_run(struct run *r)
{
    return (struct run_checked){.snapshot = r->snapshot,
                                .isa = r->isa,
                                .kernel = &r->options->kernel,
                                .cores = r->cores,
                                .new_cores = single_cores,
                                .run_chains = run_chains_on,
                                .opaque = r};
}

/* Runs the chains in the debugger; with -check, once more before it. */
static int debug_chains(struct run *r)
{
    struct run_checked it = checked_run(r);
    int status;

    if (r->options->check)
        run_check_before(&it, run_debug_expect, r->debug);
    status = run_chains(r);
    run_debug_end(r->debug, status);
    return status;
}

/* Runs the chains with -check; findings are an error. */
static int check_chains(struct run *r)
{
    struct run_checked it = checked_run(r);
    size_t findings;
    int status = run_check(&it, &findings);

    return !status && findings ? EXIT_DIFFERENT : status;
}

/* Prints the times of the runs, and how many rows began in registers that the previous row had left
 * unchanged. */
static void print_runs(const struct run *r, struct run_times *times)
{
    struct gpu_rows rows = gpu_cores_rows(r->cores);
    struct gpu_host_functions functions = gpu_cores_host_functions(r->cores);

    run_times_print(times, stdout);
    printf("rows: %" PRIu64 " begun, %" PRIu64 " in host code of many, %" PRIu64
           " abreast in loops, registers cleared for %" PRIu64 "\n",
           rows.rows_begun, rows.rows_in_host_code, rows.rows_abreast, rows.rows_cleared);
    printf("host code: %" PRIu64 " functions compiled, %" PRIu64 " kept from earlier runs\n",
           functions.compiled, functions.kept);
}

/* Runs the chains as often as -repeat says, each time with the initial memory. Returns the exit
 * status. */
static int repeat_chains(struct run *r)
{
    struct gpu_snapshot_kept *kept = gpu_snapshot_keep(r->snapshot);
    struct run_times times = {0};
    int status = EXIT_SUCCESS;

    for (uint64_t i = 0; !status && i < r->options->repeat; i++) {
        if (i)
            gpu_snapshot_restore(r->snapshot, kept);
        run_times_begin(&times);
        status = run_chains(r);
        run_times_end(&times);
    }
    if (!status)
        print_runs(r, &times);
    run_times_release(&times);
    gpu_snapshot_kept_free(kept);
    return status;
}

static bool write_stats(struct run *r, struct error *err)
{
    struct stats *stats = stats_new();
    bool good;

    gpu_stats_register(gpu_cores_stats(r->cores), stats, "gpu/shader");
    good = stats_write(stats, r->options->stats, err) &&
           gpu_stats_write(gpu_cores_stats(r->cores), r->options->stats, err);
    stats_free(stats);
    return good;
}

static int run_all(struct run *r)
{
    const struct run_options *o = r->options;
    struct error err = {""};
    uint64_t differences = 0;
    int status;

    if (o->dump_jobs)
        run_dump_jobs(r->snapshot, r->variant, stdout);
    if (o->disasm || o->disasm_bytes)
        run_disassemble(r->snapshot, r->variant, r->isa, o->disasm_bytes, stdout);
    status = r->debug    ? debug_chains(r)
             : o->check  ? check_chains(r)
             : o->repeat ? repeat_chains(r)
                         : run_chains(r);
    if (o->stats && !write_stats(r, &err))
        return usage(&err);
    if (r->timing && !run_timing_finish(r->timing, &err))
        return usage(&err);
    if (r->report && !run_report_finish(r->report, &err))
        return usage(&err);
    if (r->frames && !run_frames_finish(r->frames, &err))
        return usage(&err);
    if (!kernel_write_dumps(&o->kernel, r->snapshot, &err))
        return usage(&err);
    if (o->expect && !gpu_snapshot_compare(r->snapshot, o->expect, stdout, &differences, &err))
        return usage(&err);
    if (differences)
        printf("%llu elements differ\n", (unsigned long long)differences);
    return !status && differences ? EXIT_DIFFERENT : status;
}

/* Executes mali-fuzz in place of this program. Returns only if that fails. */
static int execute_fuzz(char **argv)
{
    char path[PATH_MAX];

    kernel_tool(path, sizeof(path), "mali-fuzz");
    argv[0] = path;
    execvp(path, argv);
    return usage(&(struct error){"-fuzz: mali-fuzz does not lie beside this program"});
}

static int run_program(struct run_options *options, char **argv)
{
    struct run r = {.options = options, .words = argv + 1};
    struct error err = {""};
    int status;

    if (!run_options_read(options, argv, &err))
        return usage(&err);
    if (options->help) {
        run_options_help(stdout);
        return EXIT_SUCCESS;
    }
    if (options->version) {
        cli_print_version("mali-run", stdout);
        return EXIT_SUCCESS;
    }
    if (options->list_gpus) {
        gpu_variants_print(stdout);
        return EXIT_SUCCESS;
    }
    if (options->timing.beside.len)
        return run_timing_beside(&options->timing, options->gpu, &err) ? EXIT_SUCCESS : usage(&err);
    if (options->timing.read)
        return run_timing_replay(&options->timing, options->gpu, &err) ? EXIT_SUCCESS : usage(&err);
    status = open_all(&r, &err) ? run_all(&r) : usage(&err);
    close_all(&r);
    return status;
}

int main(int argc, char **argv)
{
    struct run_options options;
    int status;

    if (argc > 2 && (!strcmp(argv[1], "-fuzz") || !strcmp(argv[1], "--fuzz")))
        return execute_fuzz(argv);
    status = run_program(&options, argv);
    run_options_release(&options);
    return status;
}
