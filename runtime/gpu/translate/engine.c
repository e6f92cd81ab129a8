/*
 * LLVM for shaders: a module per trace, whose code object.c makes.
 *
 * Bounds      memory: GPU_HOST_CODE for the traces of all shaders that are kept or run
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/translate/internal.h"

struct gpu_translator *gpu_translator_new(void)
{
    struct gpu_translator *t = xcalloc(1, sizeof(*t));

    pthread_mutex_init(&t->lock, NULL);
    t->room = GPU_HOST_CODE;
    return t;
}

void gpu_translator_set_room(struct gpu_translator *t, unsigned room)
{
    if (t)
        t->room = room;
}

unsigned gpu_translator_room(const struct gpu_translator *t)
{
    return t ? t->room : 0;
}

static void free_one(struct gpu_trace *trace)
{
    lanes_object_free(trace->owner, trace->engine);
    lanes_object_free(trace->owner, trace->rows_engine);
    lanes_object_free(trace->owner, trace->phase_engine);
    lanes_object_free(trace->owner, trace->abreast_engine);
    free(trace->links);
    free(trace->rows_links);
    free(trace->phase_links);
    free(trace->abreast_links);
    __atomic_sub_fetch(&trace->owner->room_used, trace->room_used, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < trace->copy_count; i++)
        free(trace->copies[i]);
    free(trace->copies);
    free(trace->diverges);
    free(trace->ways);
    free(trace->has_ways);
    free(trace->note_counts);
    free(trace->kept_form);
    free(trace->patterns);
    free(trace->codes);
    free(trace->costs);
    free(trace);
}

void gpu_trace_free(struct gpu_trace *trace)
{
    while (trace) {
        struct gpu_trace *other = trace->next_trace;

        if (trace->through)
            free_one(trace->through);
        gpu_trace_free(trace->wide);
        free_one(trace);
        trace = other;
    }
}

void gpu_translator_free(struct gpu_translator *t)
{
    if (!t)
        return;
    free(t->cpu);
    free(t->features);
    if (t->machine)
        t->api.DisposeTargetMachine(t->machine);
    file_cache_close(t->cache);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

bool gpu_translator_keep(struct gpu_translator *t, const char *where, struct error *err)
{
    if (!t)
        return true;
    file_cache_close(t->cache);
    t->cache = NULL;
    t->keeps = !where;
    return !where || file_cache_choose(&t->cache, where, "shaders", err);
}

struct gpu_host_functions gpu_translator_functions(const struct gpu_translator *t)
{
    return t ? t->functions : (struct gpu_host_functions){0};
}

/* Makes LLVM's generator of code for this host. Functions name the processor. */
static bool make_machine(struct gpu_translator *t)
{
    char *triple = t->api.GetDefaultTargetTriple(), *message = NULL;
    LLVMTargetRef target;

    if (t->api.GetTargetFromTriple(triple, &target, &message))
        t->api.DisposeMessage(message);
    else /* constants at absolute addresses: code that finds them by distance is slower */
        t->machine = t->api.CreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelDefault,
                                                LLVMRelocDefault, LLVMCodeModelJITDefault);
    t->api.DisposeMessage(triple);
    return t->machine;
}

/* Loads LLVM for the first trace. */
static bool load_llvm(struct gpu_translator *t)
{
    struct error err;

    if (t->tried)
        return t->works;
    t->tried = true;
    t->works = llvm_load(&t->api, &err) && make_machine(t);
    if (!t->works)
        return false;
    t->cpu = llvm_host_cpu(&t->api);
    t->features = llvm_host_features(&t->api);
    t->gathers = t->features && strstr(t->features, "+avx512f");
    /* A folder that the user did not name may be missing. */
    if (t->keeps)
        (void)file_cache_choose(&t->cache, NULL, "shaders", NULL);
    return true;
}

static void start_engine(struct jit_build *j, struct gpu_translator *t)
{
    const struct llvm *l = j->l = &t->api;

    j->head.backend = &lanes_backend;
    j->t = t;
    j->x = l->ContextCreate();
    j->module = l->ModuleCreateWithNameInContext("trace", j->x);
    j->b = l->CreateBuilderInContext(j->x);
    j->entry_builder = l->CreateBuilderInContext(j->x);
    j->row_builder = j->rows ? l->CreateBuilderInContext(j->x) : j->entry_builder;
    j->i1 = l->IntTypeInContext(j->x, 1);
    j->i8 = l->IntTypeInContext(j->x, 8);
    j->i16 = l->IntTypeInContext(j->x, 16);
    j->i32 = l->IntTypeInContext(j->x, 32);
    j->i64 = l->IntTypeInContext(j->x, 64);
    j->f32 = l->FloatTypeInContext(j->x);
    j->f64 = l->DoubleTypeInContext(j->x);
    j->bytes = l->PointerType(j->i8, 0);
}

static void end_build(struct jit_build *j)
{
    const struct llvm *l = j->l;

    l->DisposeBuilder(j->b);
    l->DisposeBuilder(j->entry_builder);
    if (j->rows)
        l->DisposeBuilder(j->row_builder);
    l->DisposeModule(j->module);
    l->ContextDispose(j->x);
    for (size_t i = 0; i < j->kept_count; i++)
        free(j->allocations[i]);
    free(j->allocations);
    free(j->link);
    free(j);
}

/* Undoes what a build has determined of the trace, so that it can be built again. */
static void reset_trace(struct gpu_trace *trace)
{
    for (unsigned i = 0; i < trace->copy_count; i++)
        free(trace->copies[i]);
    trace->copy_count = trace->sides = trace->way_count = 0;
    memset(trace->written, 0, sizeof(trace->written));
}

/* Begins the build of a function of the trace. */
static struct jit_build *begin_build(struct gpu_translator *t, const struct gpu_decoder *decoder,
                                     const struct gpu_shader *shader,
                                     const struct gpu_rows_shape *shape)
{
    struct jit_build *j = xcalloc(1, sizeof(*j));

    j->abreast = shape ? shape->abreast : 0;
    j->rows = j->abreast ? NULL : shape;
    start_engine(j, t);
    j->decoder = decoder;
    j->shader = shader;
    j->row_lanes = decoder->lanes;
    j->lanes = j->abreast ? j->abreast * decoder->lanes : decoder->lanes;
    return j;
}

/* Makes the function of a trace, or its function for rows of a shape. */
static void translate_trace(struct gpu_translator *t, struct gpu_trace *trace,
                            const struct gpu_decoder *decoder, const struct gpu_shader *shader,
                            const struct gpu_rows_shape *shape)
{
    struct jit_build *j = begin_build(t, decoder, shader, shape);
    bool built = lanes_build_trace(j, trace);
    void *code = NULL;

    while (built && j->build_again) { /* each time with fewer patterns */
        end_build(j);
        reset_trace(trace);
        j = begin_build(t, decoder, shader, shape);
        built = lanes_build_trace(j, trace);
    }
    if (built)
        code = lanes_object_load(j, &trace->engine);
    if (code && j->abreast)
        trace->abreast = (gpu_abreast_fn *)(uintptr_t)code;
    else if (code && shape)
        trace->rows = (gpu_rows_fn *)(uintptr_t)code;
    else if (code)
        trace->run = (gpu_trace_fn *)(uintptr_t)code;
    if (code) {
        trace->links = j->link;
        j->link = NULL;
    }
    end_build(j);
}

/* Reserves room for a function of the trace. false: there is none. Under the lock. */
static bool reserve_room(struct gpu_trace *trace)
{
    struct gpu_translator *t = trace->owner;
    unsigned held = __atomic_load_n(&t->room_used, __ATOMIC_RELAXED);
    unsigned wanted = trace->count + GPU_FUNCTION_CODE;

    if (held > t->room || wanted > t->room - held)
        return false;
    trace->room_used += wanted;
    __atomic_add_fetch(&t->room_used, wanted, __ATOMIC_RELAXED);
    return true;
}

/* The lowest address of lanes beside which the trace must not run: it may reach that address
 * itself. */
static uint64_t lowest_rejoin(const struct gpu_trace *trace)
{
    uint64_t highest = 0;

    for (unsigned n = 0; n < trace->count; n++)
        if ((n || trace->loops) && trace->codes[n]->address > highest)
            highest = trace->codes[n]->address;
    return highest;
}

/* A trace of the first `count` recorded bundles, without host code. */
static struct gpu_trace *trace_new(struct gpu_translator *t, const struct gpu_decoder *decoder,
                                   const struct gpu_recording *r, unsigned count, bool loops)
{
    struct gpu_trace *trace = xcalloc(1, sizeof(*trace));

    trace->owner = t;
    trace->codes = xcalloc(count, sizeof(struct gpu_code *));
    memcpy(trace->codes, r->codes, count * sizeof(struct gpu_code *));
    trace->costs = xcalloc(count, sizeof(*trace->costs));
    for (unsigned n = 0; n < count; n++)
        trace->costs[n].kinds = r->kinds[n];
    trace->count = count;
    trace->loops = loops;
    trace->lanes_leave = loops && r->lanes_leave;
    /* in other loops scalars were no gain */
    trace->pattern_count = trace->lanes_leave ? r->pattern_count : 0;
    trace->patterns = xcalloc(trace->pattern_count + 1, sizeof(*trace->patterns));
    memcpy(trace->patterns, r->patterns, trace->pattern_count * sizeof(*trace->patterns));
    trace->note_counts = decoder->observed ? xcalloc(count, sizeof(*trace->note_counts)) : NULL;
    if (decoder->flow && r->diverged) {
        trace->ways = xcalloc(GPU_TRACE_WAYS, sizeof(*trace->ways));
        trace->has_ways = xcalloc(count, sizeof(*trace->has_ways));
    }
    return trace;
}

/* Adds the cost of a bundle to the costs of earlier bundles of the same lanes. */
static void add_cost(struct gpu_trace *trace, unsigned n)
{
    struct gpu_trace_cost *c = &trace->costs[n];
    struct gpu_side_cost *side = &trace->side_costs[c->side ? c->side - 1 : 0];
    unsigned path = gpu_trace_path_of(trace, n);
    unsigned before = path && trace->fork[path - 1].at == n ? trace->fork[path - 1].behind : n - 1;

    if (n) {
        c->bundles_to = trace->costs[before].bundles_to;
        c->cycles_to = trace->costs[before].cycles_to;
    }
    if (c->side) {
        side->bundles++;
        side->cycles += c->cycles;
    } else {
        c->bundles_to++;
        c->cycles_to += c->cycles;
    }
}

/* Computes the needs and costs of the trace from its bundles. */
static void sum_costs(struct gpu_trace *trace)
{
    for (unsigned n = 0; n < trace->count; n++) {
        const struct gpu_code *code = trace->codes[n];

        if (code->pool > trace->pool)
            trace->pool = code->pool;
        trace->costs[n].index = code->index;
        trace->costs[n].cycles = code->cycles;
        add_cost(trace, n);
    }
    trace->end_address = lowest_rejoin(trace);
}

/* The trace up to its first divergence; NULL: that is the whole trace, or it cannot be made
 * either. */
static struct gpu_trace *shorten_trace(struct gpu_trace *trace, const struct gpu_decoder *decoder,
                                       const struct gpu_recording *r)
{
    struct gpu_trace *shorter;
    unsigned count = 0;

    if (trace->run || !trace->diverges)
        return NULL;
    while (count < trace->count && !trace->diverges[count])
        count++;
    if (count == trace->count)
        return NULL;
    shorter = trace_new(trace->owner, decoder, r, count + 1, false);
    shorter->room_used = trace->room_used;
    trace->room_used = 0;
    free_one(trace);
    return shorter;
}

/* Gives a trace its counts in gpu_worker.passes, and adds its code to that of the shader. false:
 * there is no place. */
static bool take_places(struct gpu_trace *trace, struct gpu_shader *shader)
{
    unsigned places;

    trace->counters = trace->sides + trace->way_count;
    places = trace->count + trace->counters;
    if (shader->pass_count + places > GPU_MAX_PLACES)
        return false;
    trace->place = shader->pass_count;
    shader->pass_count += places;
    shader->host_code += trace->room_used;
    return true;
}

struct gpu_trace *gpu_trace_new(struct gpu_translator *t, const struct gpu_decoder *decoder,
                                struct gpu_shader *shader, const struct gpu_recording *r,
                                bool loops)
{
    struct gpu_trace *trace, *shorter;
    struct gpu_decoder plain = *decoder;

    if (!t)
        return NULL;
    if (r->diverged) { /* accesses of sides are not noted, so that traced groups do not run them */
        plain.observed = false;
        decoder = &plain;
    }
    trace = trace_new(t, decoder, r, r->count, loops);
    if (r->diverged) {
        trace->diverges = xcalloc(r->count, sizeof(*trace->diverges));
        memcpy(trace->diverges, r->diverges, r->count * sizeof(*trace->diverges));
    }
    pthread_mutex_lock(&t->lock);
    if (reserve_room(trace) && load_llvm(t)) {
        translate_trace(t, trace, decoder, shader, NULL);
        shorter = shorten_trace(trace, decoder, r);
        if (shorter) {
            trace = shorter;
            translate_trace(t, trace, decoder, shader, NULL);
        }
    }
    sum_costs(trace);
    trace->path_waits[0] = trace->waits;
    pthread_mutex_unlock(&t->lock);
    if (trace->run && take_places(trace, shader))
        return trace;
    free_one(trace);
    return NULL;
}

/* Copies the forks of a recording, and numbers the places to which their paths lead. */
static void add_forks(struct gpu_trace *trace, const struct gpu_recording *r)
{
    trace->forks = r->forks;
    memcpy(trace->fork, r->fork, sizeof(trace->fork));
    memcpy(trace->path_waits, r->path_waits, sizeof(trace->path_waits));
    for (unsigned n = 1; n <= r->forks; n++) {
        uint64_t next = r->codes[gpu_trace_path_end(trace, n)]->next;
        unsigned like = 0;

        while (like < n &&
               (r->path_waits[like] != r->path_waits[n] ||
                (r->path_waits[n] && r->codes[gpu_trace_path_end(trace, like)]->next != next)))
            like++;
        trace->place_of[n] = like < n ? trace->place_of[like] : (uint8_t)n;
        trace->has_places |= trace->place_of[n] != 0;
    }
}

/* Makes the only function of a trace for rows of a work-group. */
static void translate_rows(struct gpu_trace *trace, const struct gpu_decoder *decoder,
                           const struct gpu_shader *shader, const struct gpu_recording *r,
                           const struct gpu_rows_shape *shape)
{
    struct gpu_translator *t = trace->owner;

    trace->shape = *shape;
    trace->diverges = xcalloc(r->count, sizeof(*trace->diverges));
    memcpy(trace->diverges, r->diverges, r->count * sizeof(*trace->diverges));
    pthread_mutex_lock(&t->lock);
    if (reserve_room(trace) && load_llvm(t))
        translate_trace(t, trace, decoder, shader, shape);
    sum_costs(trace);
    pthread_mutex_unlock(&t->lock);
}

struct gpu_trace *gpu_trace_new_through(struct gpu_translator *t, const struct gpu_decoder *decoder,
                                        struct gpu_shader *shader, const struct gpu_recording *r,
                                        const struct gpu_rows_shape *shape)
{
    struct gpu_trace *trace;

    if (!t)
        return NULL;
    trace = trace_new(t, decoder, r, r->count, false);
    trace->crosses = true;
    translate_rows(trace, decoder, shader, r, shape);
    if (trace->rows && trace->ends_unused && trace->count == r->count && take_places(trace, shader))
        return trace;
    free_one(trace);
    return NULL;
}

struct gpu_trace *gpu_trace_new_wide(struct gpu_translator *t, const struct gpu_decoder *decoder,
                                     struct gpu_shader *shader, const struct gpu_recording *r,
                                     const struct gpu_rows_shape *shape)
{
    struct gpu_trace *trace;

    if (!t)
        return NULL;
    trace = trace_new(t, decoder, r, r->count, false);
    add_forks(trace, r);
    translate_rows(trace, decoder, shader, r, shape);
    if (trace->rows && trace->count == r->count && !trace->copy_count &&
        (shape->in_memory || trace->ends_unused) && take_places(trace, shader))
        return trace;
    free_one(trace);
    return NULL;
}

/* Makes another function of the trace, for rows of a shape, of which *made becomes a copy. */
static void add_function(struct gpu_trace *trace, struct gpu_trace *made,
                         const struct gpu_decoder *decoder, struct gpu_shader *shader,
                         const struct gpu_rows_shape *shape)
{
    struct gpu_decoder plain = *decoder;

    plain.observed = trace->note_counts;
    /* What the build of the trace determined is not needed again. */
    memcpy(made, trace, offsetof(struct gpu_trace, next_trace));
    made->engine = NULL;
    made->links = NULL;
    made->copies = NULL;
    made->copy_count = made->sides = made->way_count = 0;
    /* the trace's own costs are read by other threads */
    made->costs = xcalloc(trace->count, sizeof(*made->costs));
    memcpy(made->costs, trace->costs, trace->count * sizeof(*made->costs));
    pthread_mutex_lock(&trace->owner->lock);
    shader->host_code -= trace->room_used;
    if (reserve_room(trace))
        translate_trace(trace->owner, made, &plain, shader, shape);
    shader->host_code += trace->room_used;
    pthread_mutex_unlock(&trace->owner->lock);
    for (unsigned i = 0; i < made->copy_count; i++)
        free(made->copies[i]);
    free(made->copies);
    free(made->costs);
}

void gpu_trace_add_rows(struct gpu_trace *trace, const struct gpu_decoder *decoder,
                        struct gpu_shader *shader, const struct gpu_rows_shape *shape)
{
    struct gpu_trace made = {0};

    if (trace->rows_tried)
        return;
    trace->shape = *shape;
    add_function(trace, &made, decoder, shader, shape);
    trace->rows_engine = made.engine;
    trace->rows_links = made.links;
    __atomic_store_n(&trace->rows, made.rows, __ATOMIC_RELEASE);
    __atomic_store_n(&trace->rows_tried, true, __ATOMIC_RELAXED);
}

void gpu_trace_add_phase(struct gpu_trace *trace, const struct gpu_decoder *decoder,
                         struct gpu_shader *shader)
{
    struct gpu_rows_shape shape = {.in_memory = true};
    struct gpu_trace made = {0};

    if (trace->phase_tried)
        return;
    /* copies of operations are the trace's own, of which the other function has its */
    if (!trace->copy_count)
        add_function(trace, &made, decoder, shader, &shape);
    trace->phase_engine = made.engine;
    trace->phase_links = made.links;
    if (made.count == trace->count)
        __atomic_store_n(&trace->phase, made.rows, __ATOMIC_RELEASE);
    __atomic_store_n(&trace->phase_tried, true, __ATOMIC_RELAXED);
}

void gpu_trace_add_abreast(struct gpu_trace *trace, const struct gpu_decoder *decoder,
                           struct gpu_shader *shader)
{
    struct gpu_rows_shape shape = {0};
    struct gpu_trace made = {0};

    if (trace->abreast_tried)
        return;
    shape.abreast = abreast_rows(trace->owner, decoder, trace);
    if (shape.abreast)
        add_function(trace, &made, decoder, shader, &shape);
    trace->abreast_engine = made.engine;
    trace->abreast_links = made.links;
    trace->abreast_rows = shape.abreast;
    __atomic_store_n(&trace->abreast, made.abreast, __ATOMIC_RELEASE);
    __atomic_store_n(&trace->abreast_tried, true, __ATOMIC_RELAXED);
}
