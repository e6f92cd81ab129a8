/* The snapshot, and the run of its jobs in the debugger. */
#include <stdlib.h>
#include <string.h>

#include "programs/gencc-dap/dap.h"
#include "programs/mali-run/isas.h"
#include "programs/mali-run/run.h"
#include "runtime/base/alloc.h"
#include "runtime/base/log.h"
#include "runtime/check/check.h"
#include "runtime/gpu/chain.h"
#include "runtime/gpu/variant.h"

/* As of mali-run's -max-jobs; a debugged job may take as long as it wants. */
enum { MAX_JOBS = 100000 };

/* ---- while the job is stopped, or runs ------------------------------------------------------- */

static const char *reason_of(const struct gpu_debug_stop *stop, bool entry)
{
    switch (stop->reason) {
    case GPU_DEBUG_PAUSE:
        return entry ? "entry" : "pause";
    case GPU_DEBUG_STEP:
        return "step";
    case GPU_DEBUG_BREAK:
        return "breakpoint";
    case GPU_DEBUG_WATCH:
        return "data breakpoint";
    default:
        return "exception";
    }
}

/* Ends the program, or lets the job run to its end, since nobody is there. */
static void leave_job(struct dap *d)
{
    if (d->end)
        d->end(d);
    gpu_debug_leave(d->debug);
    d->resumed = true;
}

/* Whether a step by lines has not come to another line. */
static bool is_within_line(const struct dap *d)
{
    const struct gpu_debug_stop *stop = gpu_debug_last_stop(d->debug);
    struct gpu_debug_warp w;
    const struct dap_line *line;

    if (!d->by_line || stop->reason != GPU_DEBUG_STEP ||
        !gpu_debug_find_warp(d->debug, stop->thread, &w))
        return false;
    line = dap_line_at(d, w.pc);
    return !line || line->first == d->step_line;
}

static void on_stopped(void *opaque, struct gpu_debug *debug)
{
    struct dap *d = opaque;
    const struct gpu_debug_stop *stop = gpu_debug_last_stop(debug);
    bool entry = d->stop_on_entry;

    d->stop_on_entry = false;
    if (is_within_line(d)) {
        gpu_debug_go(debug, GPU_DEBUG_BY_BUNDLE);
        return;
    }
    d->by_line = d->resumed = d->pause = false;
    d->stopped = true;
    dap_event(d, "stopped",
              json_pack("{s:s, s:s, s:s, s:I, s:b}", "reason", reason_of(stop, entry),
                        "description", stop->text, "text", stop->text, "threadId",
                        (json_int_t)stop->thread, "allThreadsStopped", true));
    while (!d->resumed)
        if (!d->answer_next(d))
            leave_job(d);
    d->stopped = false;
}

static bool on_poll(void *opaque)
{
    struct dap *d = opaque;

    while (!d->leave && rpc_pending(&d->rpc))
        d->answer_next(d);
    if (d->leave)
        leave_job(d);
    return d->pause;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static struct gpu_cores *new_cores(void *opaque)
{
    const struct dap *d = opaque;

    return gpu_cores_new(d->variant, d->isa, 1);
}

static uint64_t cores_of(void *opaque, const struct gpu_chain_job *job)
{
    const struct dap *d = opaque;

    (void)job;
    return d->variant->shader_present;
}

static int run_chains(void *opaque, struct gpu_cores *cores)
{
    struct dap *d = opaque;
    struct log log = {0};
    struct gpu_chain_env env = {
        .variant = d->variant, .cores = cores, .log = &log, .cores_of = cores_of, .opaque = d};
    struct gpu_chain *chain = gpu_chain_new(&env);
    struct gpu_chain_budget budget = {MAX_JOBS, UINT64_MAX};
    struct gpu_chain_outcome out = {.progress = GPU_CHAIN_DONE};

    for (size_t i = 0; i < d->snapshot->submit_count && out.progress == GPU_CHAIN_DONE; i++)
        gpu_chain_run(chain, &d->snapshot->space, d->snapshot->submits[i].head,
                      GPU_CHAIN_WRITE_BACK, &budget, &out);
    gpu_chain_free(chain);
    return out.progress == GPU_CHAIN_DONE ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void expect_place(void *opaque, const struct check_place *place)
{
    struct dap *d = opaque;

    gpu_debug_expect(d->debug,
                     &(struct gpu_debug_finding){place->race ? GPU_DEBUG_RACE : GPU_DEBUG_UNWRITTEN,
                                                 place->shader, place->bundle, place->group,
                                                 place->address, place->item, place->text});
}

int dap_run(struct dap *d)
{
    static const struct kernel none;
    struct run_checked checked = {.snapshot = d->snapshot,
                                  .isa = d->isa,
                                  .kernel = &none,
                                  .new_cores = new_cores,
                                  .run_chains = run_chains,
                                  .opaque = d};

    d->cores = new_cores(d);
    if (!d->cores)
        return EXIT_FAILURE;
    if (gpu_debug_needs_findings(d->debug))
        run_check_before(&checked, expect_place, d);
    gpu_debug_attach(d->debug, d->cores);
    if (d->stop_on_entry)
        gpu_debug_pause(d->debug);
    return run_chains(d, d->cores);
}

/* ---- launching ------------------------------------------------------------------------------- */

static char *copy_text(const json_t *arguments, const char *name)
{
    const char *text = dap_text(arguments, name);

    return text ? xstrdup(text) : NULL;
}

static bool open_gpu(struct dap *d, const char *gpu, struct error *err)
{
    d->variant = gpu ? gpu_variant_by_name(gpu) : gpu_variant_by_product(d->snapshot->product);
    if (!d->variant)
        return error_set(err, "there is no GPU %.40s", gpu ? gpu : "of the snapshot's product id");
    d->isa = isa_built_in(d->variant->isa);
    return d->isa || error_set(err, "the instructions of %s are not modelled", d->variant->title);
}

json_t *dap_launch(struct dap *d, const json_t *arguments, struct error *err)
{
    const char *snapshot = dap_text(arguments, "snapshot"), *gpu = dap_text(arguments, "gpu");

    if (d->launched || !snapshot) {
        error_set(err, "%s",
                  d->launched ? "the snapshot is launched already"
                              : "`snapshot`, the path of a file, is missing");
        return NULL;
    }
    d->snapshot = gpu_snapshot_read(snapshot, err);
    if (!d->snapshot || !open_gpu(d, gpu, err)) {
        gpu_snapshot_free(d->snapshot);
        d->snapshot = NULL;
        return NULL;
    }
    d->source = copy_text(arguments, "source");
    d->kernel = copy_text(arguments, "kernel");
    d->stop_on_entry = json_is_true(json_object_get(arguments, "stopOnEntry"));
    d->debug = gpu_debug_new(d->isa, d->kernel, &(struct gpu_debug_front){d, on_stopped, on_poll});
    if (d->source)
        dap_find_lines(d, snapshot, d->variant->name);
    d->launched = true;
    return NULL;
}

void dap_release(struct dap *d)
{
    gpu_cores_free(d->cores);
    gpu_debug_free(d->debug);
    gpu_snapshot_free(d->snapshot);
    free(d->source);
    free(d->kernel);
    vec_free(&d->lines);
    for (unsigned i = 0; i < DAP_LISTS; i++)
        vec_free(&d->points[i]);
}
