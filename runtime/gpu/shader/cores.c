/*
 * The shader cores: host threads that share the work-groups of a window.
 *
 * A window ends when all its groups have ended or spent their budget. The last worker to leave
 * closes it and opens the next one while the step lasts (crew.c). The thread that waits for the
 * step sleeps meanwhile. All other workers wait for the one that closes a window. Counts are
 * therefore added up once per step, unless a time model needs those of each window.
 *
 * Before its first atomic operation on global memory a group waits until all groups before it have
 * run, so that atomic operations happen in one order. (Groups that race without them are as
 * undefined here as on the real GPU.) A worker whose access meets an unmapped page stays inside the
 * access until the page is served or the job is given up.
 *
 * Bounds      a step: GPU_STEP_WINDOWS windows, of which one with a larger budget counts as
 *             several, and none is opened after GPU_WINDOW_WORK bundles. A window (window.c) of
 *             slow bundles may take seconds of the host's time. Workers therefore read `leaving`
 *             every GPU_LEAVING_BUNDLES bundles
 */
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/mix.h"
#include "runtime/gpu/shader/flow.h"
#include "runtime/gpu/shader/window.h"

enum {
    BUSY_CYCLES = 1000, /* until a job tries again to get cores that another job holds */
    WARP_UNIT = 4,      /* divides the width of every warp */
    HOT_AGAIN = 1024,   /* executions until a bundle is hot, after AGAIN jobs */
    HOT_OFTEN = 256,    /* the same after OFTEN jobs */
    AGAIN = 3,          /* earlier jobs with a shader from which on it is expected to come again */
    OFTEN = 7,          /* the same, to come often */
};

_Static_assert((GPU_WINDOW_WORK +
                UINT64_C(1) * GPU_WINDOW_PARTS * GPU_WINDOW_GROUPS * GPU_WINDOW_BUNDLES) *
                       GPU_MAX_LANES <
                   GPU_COUNT_WARP,
               "the lanes that a worker counts in a step leave the number of warps alone");

/* ---- windows --------------------------------------------------------------------------------- */

/* The worker that waits for a page and has the group of lowest index; NULL: none waits. */
static const struct gpu_worker *first_parked(const struct gpu_cores *c)
{
    const struct gpu_worker *first = NULL;

    for (unsigned i = 0; i < c->worker_count; i++) {
        const struct gpu_worker *k = c->workers[i];

        if (k->parked && (!first || k->group->index < first->group->index))
            first = k;
    }
    return first;
}

/* Whether all groups of the job have ended and no window is open. */
static bool is_through(const struct gpu_compute *job)
{
    return !job->window.unfinished && job->next_group == job->job.group_total;
}

/* Most bundles of a step, after which it has no other window. */
static uint64_t step_bundles(const struct gpu_compute *job)
{
    return GPU_WINDOW_WORK / job->window.divisor;
}

/* Windows of the usual budget that a step has time for. */
static unsigned usual_windows(const struct gpu_compute *job)
{
    return (unsigned)(job->window.budget / job->cores->window_bundles);
}

/* Whether no other window will follow in the step, if the groups of the window, which has been
 * opened, are like those before. */
static bool probably_ends_step(const struct gpu_compute *job)
{
    const struct gpu_window *w = &job->window;

    return job->next_group == job->job.group_total ||
           job->windows + usual_windows(job) >= GPU_STEP_WINDOWS ||
           job->bundles + gpu_window_parts(w) * w->part_bundles >= step_bundles(job);
}

/* No worker is in a window. */
static void open_window(struct gpu_cores *c)
{
    gpu_window_open(c->job);
    c->job->window.ends_step = probably_ends_step(c->job);
    c->next_place = 0;
    c->first_unrun = 0;
    gpu_crew_open(c, c->inspector ? 1 : c->worker_count);
}

/* The cycles of a window by the time model. They follow from the counts of this window alone. */
static uint64_t modelled_cycles(struct gpu_compute *job)
{
    uint64_t cycles;

    for (unsigned i = 0; i < job->cores->worker_count; i++)
        gpu_tally_collect(job->cores->workers[i], job->shader);
    cycles = gpu_model_window(job);
    gpu_counts_collect(job);
    return cycles;
}

/* Closes the window, which no worker is in, and opens the next one or ends the step. */
static void end_window(struct gpu_cores *c)
{
    struct gpu_compute *job = c->job;
    uint64_t cycles = gpu_window_close(job);
    bool more;

    if (c->model)
        cycles = modelled_cycles(job);
    job->cycles += cycles;
    job->unreported += cycles;
    job->windows += usual_windows(job);
    more = !c->cancelled && !job->error && !is_through(job);
    if (more && job->windows < GPU_STEP_WINDOWS && job->bundles < step_bundles(job)) {
        open_window(c);
        return;
    }
    gpu_counts_collect(job);
    gpu_crew_end(c, more);
}

/* ---- workers --------------------------------------------------------------------------------- */

/* Executions until a bundle is hot in the job. Programs that go through time, or along a matrix,
 * start a short job very often, of which none makes a bundle hot. So a shader that came several
 * times is expected to come many times more. Draws are not: scenes have many shaders of few
 * threads. */
static uint32_t hot_after(const struct gpu_compute *job)
{
    uint32_t after = job->cores->translate_after;
    uint32_t again = job->came_before < OFTEN ? HOT_AGAIN : HOT_OFTEN;

    return job->functions || job->came_before < AGAIN || after < again ? after : again;
}

static void run_window(struct gpu_worker *k)
{
    struct gpu_cores *c = k->cores;
    struct gpu_group *g;

    if (k->job_number != c->job->number) {
        k->entry = NULL;
        k->hot = hot_after(c->job);
    }
    if (k->job_number != c->job->number || k->generation != c->job->generation) {
        k->job_number = c->job->number;
        k->generation = c->job->generation;
        gpu_worker_flush(k);
    }
    k->uncounted = true;
    gpu_window_enter(k);
    while ((g = gpu_window_take(k))) {
        if (c->job->functions && c->job->functions->run)
            c->job->functions->run(k, g);
        else
            gpu_group_run(k, g, gpu_window_next);
        gpu_window_put(k, g);
        gpu_worker_end_turn(k);
    }
    /* An unfinished group may continue in another worker. */
    gpu_worker_leave_group(k);
    k->group = NULL;
    gpu_window_add(k);
    if (!c->job->window.ends_step || __atomic_load_n(&c->job->window.any_left, __ATOMIC_RELAXED))
        return;
    if (c->worker_count > 1)
        gpu_crew_announce_end(c);
    gpu_counts_add_up(k);
}

static void *worker_main(void *opaque)
{
    struct gpu_worker *k = opaque;

    while (gpu_crew_enter(k)) {
        run_window(k);
        if (gpu_crew_leave(k))
            end_window(k->cores);
    }
    return NULL;
}

/* The addend to a bundle's count for an execution by `lanes`, with warps of `width` lanes. */
static uint64_t lane_count(unsigned lanes, unsigned width)
{
    uint64_t count = (unsigned)__builtin_popcount(lanes);

    for (unsigned first = 0; first < GPU_COUNTED_LANES; first += width)
        if (lanes >> first & ((1u << width) - 1))
            count += GPU_COUNT_WARP;
    return count;
}

static struct gpu_worker *worker_new(struct gpu_cores *c)
{
    struct gpu_worker *k = xalloc_apart(sizeof(*k));

    k->cores = c;
    k->number = c->worker_count;
    k->host.core.worker = k;
    k->counts = xcalloc(GPU_MAX_BUNDLES, sizeof(*k->counts));
    k->passes = xcalloc(GPU_MAX_PLACES, sizeof(*k->passes));
    for (unsigned n = 0; n < 1 << GPU_COUNTED_LANES && c->decoder.width <= GPU_COUNTED_LANES; n++)
        k->host.lane_counts[n] = lane_count(n, c->decoder.width);
    k->filled_count = GPU_FILLED_ENTRIES + 1;
    if (gpu_page_map_init(&k->map))
        gpu_worker_flush(k);
    k->host.core.distance = k->map.distance;
    k->host.core.regions = k->map.region[0];
    k->host.core.place_bits = GPU_MAP_PLACE;
    if (!k->map.distance || pthread_create(&k->thread, NULL, worker_main, k)) {
        gpu_page_map_release(&k->map);
        free(k->passes);
        free(k->counts);
        free(k);
        return NULL;
    }
    return k;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* What the statistics count a form as, as in gpu_decoder.classes. Other classes are arithmetic. */
static uint8_t class_of_form(const struct gpu_form *form)
{
    static const struct {
        const char *name;
        uint8_t klass;
    } names[] = {
        {"load_store", GPU_CLASS_LOAD_STORE},
        {"control", GPU_CLASS_CONTROL},
        {"barrier", GPU_CLASS_CONTROL | GPU_CLASS_IS_BARRIER},
        {"nop", GPU_CLASS_NOP},
        {"attribute", GPU_CLASS_ATTRIBUTE},
    };

    for (unsigned i = 0; form->klass && i < ARRAY_SIZE(names); i++)
        if (!strcmp(names[i].name, form->klass))
            return names[i].klass;
    return GPU_CLASS_ARITHMETIC;
}

/* Checks that the ISA and the width fit together, and prepares decoding. */
static bool prepare_decoder(struct gpu_decoder *d, const struct gpu_variant *variant,
                            const struct gpu_isa *isa)
{
    unsigned fixed = gpu_pool_slot(isa) + GPU_SPILL_SLOTS;
    bool scalar = variant->warp_width == 1;
    unsigned width = variant->warp_width;
    unsigned lanes = (width + GPU_LANE_CHUNK - 1) / GPU_LANE_CHUNK * GPU_LANE_CHUNK;
    unsigned slots = lanes ? UINT16_MAX / (lanes * 4) : 0;

    if (!width || lanes > GPU_MAX_LANES || (width % WARP_UNIT && !scalar) ||
        isa->register_count > GPU_MAX_REGISTERS || slots <= fixed || !variant->cores ||
        !variant->engines)
        return false;
    *d = (struct gpu_decoder){
        .isa = isa,
        .variant = variant,
        .lanes = lanes,
        .width = width,
        .row = lanes / width * width,
        .scalar = scalar,
        .pool_slots = slots - fixed < GPU_POOL_SLOTS ? slots - fixed : GPU_POOL_SLOTS,
        .bundle_cycles = variant->bundle_cycles,
        .stage_cycles = variant->stage_cycles,
        .traits = variant->traits,
    };
    for (unsigned u = 0; u < isa->unit_count; u++) {
        d->form_base[u] = (uint16_t)gpu_mix_base(isa, u);
        d->classes[u] = xcalloc(isa->unit[u]->form_count, 1);
        for (unsigned f = 0; f < isa->unit[u]->form_count; f++)
            d->classes[u][f] = class_of_form(&isa->unit[u]->forms[f]);
    }
    for (unsigned what = 0; what < GPU_PRELOAD_COUNT; what++)
        d->preload[what] = isa->preload(what);
    return true;
}

static size_t warp_bytes(const struct gpu_decoder *d)
{
    size_t slots = gpu_pool_slot(d->isa) + GPU_SPILL_SLOTS + d->pool_slots;
    size_t bytes = sizeof(struct gpu_warp) + slots * d->lanes * 4;

    return (bytes + 63) & ~(size_t)63;
}

struct gpu_cores *gpu_cores_new(const struct gpu_variant *variant, const struct gpu_isa *isa,
                                unsigned threads)
{
    struct gpu_cores *c = xalloc_apart(sizeof(*c));

    c->variant = variant;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->go, NULL);
    pthread_cond_init(&c->idle, NULL);
    c->stats = gpu_stats_new();
    c->translator = gpu_translator_new();
    c->translate_after = GPU_TRANSLATE_AFTER;
    c->draws_left = UINT64_MAX;
    c->window_bundles = GPU_WINDOW_BUNDLES;
    if (!prepare_decoder(&c->decoder, variant, isa)) {
        gpu_cores_free(c);
        return NULL;
    }
    c->warp_bytes = warp_bytes(&c->decoder);
    threads = threads < 1 ? 1 : threads < GPU_MAX_WORKERS ? threads : GPU_MAX_WORKERS;
    c->patient = (long)threads <= sysconf(_SC_NPROCESSORS_ONLN);
    c->workers = xcalloc(threads, sizeof(struct gpu_worker *));
    while (c->worker_count < threads && (c->workers[c->worker_count] = worker_new(c)))
        c->worker_count++;
    if (!c->worker_count) {
        gpu_cores_free(c);
        return NULL;
    }
    return c;
}

static void worker_free(struct gpu_worker *k)
{
    pthread_join(k->thread, NULL);
    gpu_page_set_release(&k->pages);
    gpu_page_map_release(&k->map);
    gpu_flow_free(k->flow);
    free(k->host.log.start);
    gpu_groups_free(k);
    for (unsigned i = 0; i < k->spare_count; i++)
        free(k->free_rows[i]);
    free(k->counts);
    free(k->passes);
    free(k->kept);
    free(k);
}

void gpu_cores_free(struct gpu_cores *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->quit = true;
    pthread_cond_broadcast(&c->go);
    pthread_mutex_unlock(&c->lock);
    for (unsigned i = 0; i < c->worker_count; i++)
        worker_free(c->workers[i]);
    free(c->workers);
    for (unsigned i = 0; i < GPU_MAX_SHADERS; i++)
        gpu_shader_drop(c->shaders[i]);
    for (unsigned u = 0; u < GPU_MAX_UNITS; u++)
        free(c->decoder.classes[u]);
    gpu_translator_free(c->translator);
    gpu_refusals_free(c);
    gpu_timing_free(c->timing);
    gpu_model_free(c->model);
    free(c->accounts);
    gpu_stats_free(c->stats);
    gpu_mix_free(c->mix);
    pthread_cond_destroy(&c->go);
    pthread_cond_destroy(&c->idle);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

struct gpu_stats *gpu_cores_stats(struct gpu_cores *c)
{
    return c->stats;
}

void gpu_cores_set_leaving(struct gpu_cores *c, const bool *leaving)
{
    c->leaving = leaving;
}

void gpu_cores_set_window(struct gpu_cores *c, unsigned bundles)
{
    c->window_bundles = bundles;
}

void gpu_cores_translate(struct gpu_cores *c, uint32_t after)
{
    c->translate_after = after;
}

bool gpu_cores_keep_code(struct gpu_cores *c, const char *where, struct error *err)
{
    return gpu_translator_keep(c->translator, where, err);
}

struct gpu_host_functions gpu_cores_host_functions(const struct gpu_cores *c)
{
    return gpu_translator_functions(c->translator);
}

void gpu_cores_describe_shaders(struct gpu_cores *c)
{
    c->describe = true;
    if (!c->mix)
        c->mix = gpu_mix_new(c->decoder.isa);
    gpu_stats_mix(c->stats, c->mix);
}

void gpu_cores_inspect(struct gpu_cores *c, const struct gpu_inspector *in)
{
    c->awaited = in && c->existing ? in : NULL;
    if (c->awaited)
        return;
    if (in && !c->inspector) {
        c->translate_before = c->translate_after;
        for (unsigned i = 0; i < GPU_MAX_SHADERS; i++) {
            gpu_shader_drop(c->shaders[i]);
            c->shaders[i] = NULL;
        }
    }
    if (in || c->inspector)
        gpu_cores_translate(c, in ? 0 : c->translate_before);
    c->inspector = in;
    c->inspected = in || c->trace;
}

void gpu_cores_trace(struct gpu_cores *c, FILE *out)
{
    c->trace = out;
    c->inspected = out || c->inspector;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Adds the pages that the workers touched to the job. This must happen before another job uses the
 * workers, as the job reports their number at its end. */
static void collect_pages(struct gpu_compute *job)
{
    struct gpu_cores *c = job->cores;

    for (unsigned i = 0; i < c->worker_count; i++)
        gpu_page_set_merge(&job->pages, &c->workers[i]->pages);
}

/* Lets workers that wait for a page try again. */
static void retry_parked(struct gpu_cores *c)
{
    unsigned parked = 0;

    pthread_mutex_lock(&c->lock);
    for (unsigned i = 0; i < c->worker_count; i++)
        parked += c->workers[i]->parked;
    gpu_crew_wake(c, parked);
    c->retry_number++;
    pthread_cond_broadcast(&c->go);
    pthread_mutex_unlock(&c->lock);
}

/* Runs the workers until each is idle or waits for a page. */
static void run_workers(struct gpu_compute *job)
{
    struct gpu_cores *c = job->cores;

    if (c->job && c->job != job)
        collect_pages(c->job);
    c->job = job;
    if (job->window.open) {
        retry_parked(c);
    } else {
        job->windows = 0;
        job->bundles = 0;
        open_window(c);
    }
    gpu_crew_await(c);
}

/* A job without groups opens no window, and takes a cycle. */
static void pass_without_groups(struct gpu_compute *job)
{
    uint64_t cycles = job->cores->model ? gpu_model_window(job) : 1;

    job->cycles += cycles;
    job->unreported += cycles;
}

void gpu_compute_step(struct gpu_compute *job, struct gpu_outcome *out)
{
    const struct gpu_worker *parked;

    *out = (struct gpu_outcome){.progress = GPU_PROGRESS_MORE, .cycles = BUSY_CYCLES};
    if (job->cores->job && job->cores->job != job && job->cores->job->window.open)
        return; /* the cores run a job that waits for a page */
    if (job->generation != job->as->generation)
        job->generation = job->as->generation;
    if (job->job.group_total)
        run_workers(job);
    else
        pass_without_groups(job);
    out->cycles = job->unreported;
    job->unreported = 0;
    parked = first_parked(job->cores);
    if (parked) {
        if (out->cycles)
            return; /* the cycles of earlier windows pass first */
        out->progress = GPU_PROGRESS_FAULT;
        out->fault = parked->fault;
        return;
    }
    if (job->error) {
        out->progress = GPU_PROGRESS_FAILED;
        out->code = job->error;
        out->address = job->error_address;
        if (job->refusal.text[0])
            out->refused = gpu_refusal_keep(job->cores, &job->refusal);
    } else if (is_through(job)) {
        out->progress = GPU_PROGRESS_DONE;
        if (job->cores->model && !job->functions) {
            uint64_t rest = gpu_model_rest(job);

            out->cycles += rest;
            job->cycles += rest;
        }
    }
}

void gpu_cores_watch_stores(struct gpu_cores *c,
                            void (*take)(void *opaque, const struct gpu_store *store), void *opaque)
{
    c->watch_store = take;
    c->watch_opaque = opaque;
    gpu_cores_translate(c, 0);
}

/* ---- beginning and end of a job -------------------------------------------------------------- */

struct gpu_compute *gpu_stage_start(struct gpu_cores *c, const struct gpu_address_space *as,
                                    struct gpu_compute_job *what,
                                    const struct gpu_stage_functions *functions, void *stage)
{
    struct gpu_compute *job = xcalloc(1, sizeof(*job));

    if (c->awaited && !c->existing)
        gpu_cores_inspect(c, c->awaited);
    c->existing++;
    job->cores = c;
    job->as = as;
    job->functions = functions;
    job->stage = stage;
    job->generation = as->generation;
    gpu_window_init(&job->window);
    job->job = *what;
    gpu_places_make(&job->places, &c->decoder, &job->job);
    job->group_bytes = gpu_window_group_bytes(job);
    job->number = ++c->job_count;
    job->shader = gpu_shader_get(c, as, job->job.shader_address, job->job.uniform_words);
    job->came_before = job->shader->jobs++;
    if (c->describe && !job->shader->summarised)
        gpu_shader_summarise(&c->decoder, as, job->shader);
    if (c->mix)
        job->mix = xcalloc(gpu_mix_base(c->decoder.isa, c->decoder.isa->unit_count) + 1,
                           sizeof(*job->mix));
    gpu_flow_job_begin(job);
    if (c->timing && !functions)
        gpu_timing_job_begin(job);
    return job;
}

struct gpu_compute *gpu_compute_start(struct gpu_cores *c, const struct gpu_address_space *as,
                                      uint64_t header, struct gpu_outcome *out)
{
    struct gpu_compute_job job;

    *out = (struct gpu_outcome){.progress = GPU_PROGRESS_MORE, .cycles = 1};
    if (gpu_compute_read(c->variant, as, header, &job, out))
        return gpu_stage_start(c, as, &job, NULL, NULL);
    gpu_compute_job_release(&job);
    return NULL;
}

/* Resumes parked workers, whose accesses return 0, until the window has ended. */
static void finish_parked(struct gpu_compute *job)
{
    struct gpu_cores *c = job->cores;

    if (!job->window.open)
        return;
    c->cancelled = true;
    run_workers(job);
    c->cancelled = false;
}

void gpu_compute_free(struct gpu_compute *job)
{
    struct gpu_cores *c;

    if (!job)
        return;
    c = job->cores;
    finish_parked(job);
    gpu_timing_job_end(job);
    if (c->job == job)
        collect_pages(job);
    if (!c->model)
        gpu_compute_count_active(job);
    job->sum.jobs = 1;
    job->sum.cycles = job->cycles;
    job->sum.groups = job->next_group;
    job->sum.pages = job->pages.count;
    gpu_stats_job(c->stats, &job->sum, job->job.header, job->job.shader_address,
                  &job->shader->summary, c->variant->architecture);
    if (job->mix)
        gpu_mix_add(c->mix, job->job.shader_address, job->mix);
    free(job->mix);
    gpu_flow_job_end(job);
    gpu_flow_sum_free(job->flow);
    gpu_shader_put(job->shader);
    gpu_page_set_release(&job->pages);
    gpu_window_release(job);
    if (c->job == job)
        c->job = NULL;
    c->existing--;
    gpu_places_release(&job->places);
    gpu_compute_job_release(&job->job);
    free(job);
}
