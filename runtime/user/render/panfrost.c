/* What Linux's panfrost driver serves: parameters, buffers, jobs. Error numbers are its own. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/constants.h"
#include "runtime/gpu/snapshot.h"
#include "runtime/user/render/internal.h"

/* The driver ends a job after this time. */
#define JOB_NS UINT64_C(500000000)

/* ---- parameters ------------------------------------------------------------------------------ */

/* Numbers of parameters, in the driver's order. */
enum param {
    PARAM_PRODUCT,
    PARAM_REVISION,
    PARAM_TEXTURE_FEATURES = 18,
    PARAM_SLOT_FEATURES = 22,
    PARAM_CORE_GROUPS = 38,
    PARAM_TIMESTAMP = 41,
    PARAM_TIMESTAMP_FREQUENCY = 42,
};

/* Parameters that are registers. */
static const struct {
    unsigned param;
    uint32_t offset;
    bool pair; /* the parameter is two registers */
} params[] = {
    {2, MALI_SHADER_PRESENT_LO, true},
    {3, MALI_TILER_PRESENT_LO, true},
    {4, MALI_L2_PRESENT_LO, true},
    {5, MALI_STACK_PRESENT_LO, true},
    {6, MALI_AS_PRESENT, false},
    {7, MALI_JS_PRESENT, false},
    {8, MALI_L2_FEATURES, false},
    {9, MALI_CORE_FEATURES, false},
    {10, MALI_TILER_FEATURES, false},
    {11, MALI_MEM_FEATURES, false},
    {12, MALI_MMU_FEATURES, false},
    {13, MALI_THREAD_FEATURES, false},
    {14, MALI_THREAD_MAX_THREADS, false},
    {15, MALI_THREAD_MAX_WORKGROUP_SIZE, false},
    {16, MALI_THREAD_MAX_BARRIER_SIZE, false},
    {17, MALI_COHERENCY_FEATURES, false},
    {39, MALI_THREAD_TLS_ALLOC, false},
    {40, MALI_AFBC_FEATURES, false},
};

static uint64_t read_pair(const struct gpu_variant *v, uint32_t offset)
{
    return gpu_variant_register(v, offset) | (uint64_t)gpu_variant_register(v, offset + 4) << 32;
}

/* The GPU's time in ns: that of the program, and of the jobs, during which the program's clock
 * stands. */
static uint64_t gpu_now(const struct render_device *d)
{
    return process_now(d->process) + d->busy_cycles * 1000 / d->variant->clock_mhz;
}

struct get_param {
    uint32_t param, pad;
    uint64_t value;
};

static bool read_param(const struct render_device *d, uint32_t param, uint64_t *value)
{
    const struct gpu_variant *v = d->variant;

    for (unsigned n = 0; n < ARRAY_SIZE(params); n++) {
        if (params[n].param == param) {
            *value = params[n].pair ? read_pair(v, params[n].offset)
                                    : gpu_variant_register(v, params[n].offset);
            return true;
        }
    }
    if (param == PARAM_PRODUCT)
        *value = v->product;
    else if (param == PARAM_REVISION)
        *value = v->revision;
    else if (param - PARAM_TEXTURE_FEATURES < MALI_TEXTURE_FEATURES_COUNT)
        *value = gpu_variant_register(v, MALI_TEXTURE_FEATURES(param - PARAM_TEXTURE_FEATURES));
    else if (param - PARAM_SLOT_FEATURES < MALI_JS_FEATURES_COUNT)
        *value = gpu_variant_register(v, MALI_JS_FEATURES(param - PARAM_SLOT_FEATURES));
    else if (param == PARAM_CORE_GROUPS)
        *value = (uint64_t)__builtin_popcountll(read_pair(v, MALI_L2_PRESENT_LO));
    else if (param == PARAM_TIMESTAMP)
        *value = gpu_now(d);
    else if (param == PARAM_TIMESTAMP_FREQUENCY)
        *value = NS_PER_SEC;
    else
        return false;
    return true;
}

int64_t render_get_param(struct thread *t, struct render_file *f, void *arg)
{
    struct get_param *g = arg;

    (void)t;
    return !g->pad && read_param(f->device, g->param, &g->value) ? 0 : -EINVAL;
}

/* ---- buffers --------------------------------------------------------------------------------- */

struct create_bo {
    uint32_t size, flags, handle, pad;
    uint64_t offset;
};

int64_t render_create_bo(struct thread *t, struct render_file *f, void *arg)
{
    enum { NOEXEC = 1, HEAP = 2 };
    struct create_bo *c = arg;
    int64_t handle;

    (void)t;
    if (!c->size || c->pad || (c->flags & ~(uint32_t)(NOEXEC | HEAP)) || c->flags == HEAP)
        return -EINVAL;
    handle = render_buffer_new(f, c->size, !(c->flags & NOEXEC), c->flags & HEAP);
    if (handle < 0)
        return handle;
    c->handle = (uint32_t)handle;
    c->offset = render_buffer_find(f, c->handle)->va;
    return 0;
}

/* The structure of MMAP_BO and GET_BO_OFFSET. */
struct bo_offset {
    uint32_t handle, flags;
    uint64_t offset;
};

int64_t render_mmap_bo(struct thread *t, struct render_file *f, void *arg)
{
    struct bo_offset *m = arg;
    const struct render_buffer *b;

    (void)t;
    if (m->flags)
        return -EINVAL;
    b = render_buffer_find(f, m->handle);
    if (!b)
        return -ENOENT;
    if (b->heap)
        return -EINVAL;
    m->offset = b->va;
    return 0;
}

int64_t render_get_bo_offset(struct thread *t, struct render_file *f, void *arg)
{
    struct bo_offset *m = arg;
    const struct render_buffer *b = render_buffer_find(f, m->handle);

    (void)t;
    if (!b)
        return -ENOENT;
    m->offset = b->va;
    return 0;
}

int64_t render_wait_bo(struct thread *t, struct render_file *f, void *arg)
{
    const struct bo_offset *w = arg; /* a handle, padding, and a time: all jobs have ended */

    (void)t;
    if (w->flags)
        return -EINVAL;
    return render_buffer_find(f, w->handle) ? 0 : -ENOENT;
}

struct madvise_bo {
    uint32_t handle, advice, retained;
};

/* No memory is ever taken back. */
int64_t render_madvise(struct thread *t, struct render_file *f, void *arg)
{
    struct madvise_bo *m = arg;

    (void)t;
    m->retained = 1;
    return render_buffer_find(f, m->handle) ? 0 : -ENOENT;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

struct submit {
    uint64_t head, in_syncs;
    uint32_t in_sync_count, out_sync;
    uint64_t buffers;
    uint32_t buffer_count, requirements;
};

static uint64_t read_clock(void *opaque, enum gpu_chain_clock which)
{
    const struct render_device *d = opaque;
    uint64_t now = gpu_now(d);

    return which == GPU_CHAIN_CYCLE_COUNT ? now * d->variant->clock_mhz / 1000 : now;
}

static bool start_cores(struct render_device *d)
{
    struct gpu_chain_env env = {
        .variant = d->variant, .log = d->process->log, .clock = read_clock, .opaque = d};

    if (!d->cores)
        d->cores = gpu_cores_new(d->variant, d->isa, (unsigned)d->process->options->gpu_threads);
    env.cores = d->cores;
    if (d->cores && !d->chain)
        d->chain = gpu_chain_new(&env);
    return d->chain;
}

void render_stop(struct render_device *d)
{
    gpu_chain_free(d->chain);
    if (d->cores)
        gpu_cores_free(d->cores);
    d->chain = NULL;
    d->cores = NULL;
}

/* Writes the memory before a chain into the folder of -gpu-snapshot. */
static void write_snapshot(struct render_file *f, const struct submit *s)
{
    struct render_device *d = f->device;
    VEC(struct gpu_snapshot_range) ranges = {0};
    struct error err = {""};
    char path[PATH_BYTES];
    uint64_t bytes;

    for (uint64_t page = 0, end; page < RENDER_PAGES; page = end) {
        for (end = page + 1; end < RENDER_PAGES && f->rights[end] == f->rights[page];)
            end++;
        if (f->rights[page] & RIGHT_MAPPED)
            vec_push(&ranges,
                     (struct gpu_snapshot_range){page * RENDER_PAGE, (end - page) * RENDER_PAGE,
                                                 true, f->rights[page] & RIGHT_EXECUTE});
    }
    snprintf(path, sizeof(path), "%s/chain%05u.%s.snap.elf", d->process->options->gpu_snapshots,
             d->snapshots++, d->variant->name);
    if (!gpu_snapshot_write(path,
                            &(struct gpu_snapshot_content){
                                .as = &f->space,
                                .ranges = ranges.data,
                                .count = ranges.len,
                                .product = d->variant->product,
                                .revision = d->variant->revision,
                                .submit = {s->head, s->requirements & 1},
                            },
                            RENDER_BYTES, &bytes, &err))
        fprintf(stderr, "%s: warning: %s\n", user_abi.program, err.text);
    vec_free(&ranges);
}

/* Runs a chain to its end. A job that fails or does not end is logged; to the program it has ended,
 * as after the driver's reset. */
static void run_chain(struct render_file *f, const struct submit *s)
{
    struct render_device *d = f->device;
    struct gpu_chain_budget budget = {UINT64_MAX, JOB_NS / 1000 * d->variant->clock_mhz};
    uint64_t cycles = budget.cycles;
    struct gpu_chain_outcome out;

    f->space.generation++; /* the program may have written other shaders to the same addresses */
    gpu_chain_run(d->chain, &f->space, s->head, GPU_CHAIN_WRITE_BACK, &budget, &out);
    d->busy_cycles += cycles - budget.cycles;
    if (out.progress == GPU_CHAIN_FAULT)
        log_printf(d->process->log, LOG_GUEST_ERRORS,
                   "gpu: job at %#" PRIx64 ": page fault %#" PRIx32 " at %#" PRIx64 "\n", out.tail,
                   out.fault.code, out.fault.va);
    else if (out.progress == GPU_CHAIN_MORE)
        log_printf(d->process->log, LOG_GUEST_ERRORS,
                   "gpu: job at %#" PRIx64 ": has not ended after 500 ms\n", out.tail);
    else if (out.progress == GPU_CHAIN_FAILED)
        log_printf(d->process->log, LOG_GUEST_ERRORS,
                   "gpu: job at %#" PRIx64 ": exception %#" PRIx32 "\n", out.tail, out.code);
}

/* Whether all objects that the job waits for have a fence: 0 or a negative errno. */
static int64_t check_syncs(struct thread *t, struct render_file *f, const struct submit *s)
{
    for (uint32_t n = 0; n < s->in_sync_count; n++) {
        struct render_sync *sync;
        int64_t failed = render_sync_get(t, f, s->in_syncs, n, &sync);

        if (failed)
            return failed;
        if (!sync->signalled)
            return -EINVAL;
    }
    return 0;
}

static int64_t check_buffers(struct thread *t, struct render_file *f, const struct submit *s)
{
    for (uint32_t n = 0; n < s->buffer_count; n++) {
        uint64_t handle;

        if (guest_get_number(t, s->buffers + UINT64_C(4) * n, &handle, 4))
            return -EFAULT;
        if (!render_buffer_find(f, (uint32_t)handle))
            return -ENOENT;
    }
    return 0;
}

int64_t render_submit(struct thread *t, struct render_file *f, void *arg)
{
    enum { REQUIREMENTS = 3 }; /* fragment jobs, a running cycle counter */
    const struct submit *s = arg;
    int64_t failed;

    if (!s->head || (s->requirements & ~(uint32_t)REQUIREMENTS))
        return -EINVAL;
    if (s->out_sync && !render_sync_find(f, s->out_sync))
        return -ENODEV;
    failed = check_syncs(t, f, s);
    if (!failed)
        failed = check_buffers(t, f, s);
    if (failed)
        return failed;
    if (!start_cores(f->device))
        return -ENOMEM;
    if (t->process->options->gpu_snapshots)
        write_snapshot(f, s);
    run_chain(f, s);
    if (s->out_sync)
        render_sync_find(f, s->out_sync)->signalled = true;
    return 0;
}
