/*
 * A warp: its lanes execute bundle after bundle. Where they part, those at the lowest address run
 * first, so that they meet again where the paths join. Lanes that wait for others keep the address
 * of their next bundle in `pc`; that of running lanes is written only when something happens to the
 * warp.
 *
 * Bounds      the group's budget: each turn of the loops here takes a bundle off it, ends the warp
 *             or waits for a page
 */
#include "runtime/gpu/shader/core.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"

/* Lanes that run, and where the nearest others wait. */
struct front {
    unsigned count;  /* running lanes */
    uint64_t rejoin; /* lowest address at which others wait; UINT64_MAX: nobody does */
};

static void set_active(const struct gpu_worker *k, struct gpu_warp *w, uint32_t active)
{
    uint32_t *slot = gpu_slot(w, k->cores->decoder.isa->register_count + GPU_SLOT_ACTIVE);

    w->active = active;
    for (unsigned l = 0; l < w->lanes; l++)
        slot[l] = active >> l & 1 ? UINT32_MAX : 0;
}

/* Chooses the lanes that run next; returns the address of their bundle. There is a live one. */
static uint64_t choose(const struct gpu_worker *k, struct gpu_warp *w, struct front *front)
{
    uint64_t lowest = UINT64_MAX;
    uint32_t active = 0;

    *front = (struct front){.rejoin = UINT64_MAX};
    for (unsigned l = 0; l < w->lanes; l++)
        if (w->live >> l & 1 && w->pc[l] < lowest)
            lowest = w->pc[l];
    for (unsigned l = 0; l < w->lanes; l++) {
        if (!(w->live >> l & 1))
            continue;
        if (w->pc[l] == lowest) {
            active |= 1u << l;
            front->count++;
        } else if (w->pc[l] < front->rejoin) {
            front->rejoin = w->pc[l];
        }
    }
    set_active(k, w, active);
    return lowest;
}

/* Running lanes go on at `pc`. */
static void settle(struct gpu_warp *w, uint64_t pc)
{
    for (unsigned l = 0; l < w->lanes; l++)
        if (w->active >> l & 1)
            w->pc[l] = pc;
}

/* Whether all running lanes branched to one address, left in *target. */
static bool branch_together(const struct gpu_warp *w, uint64_t *target)
{
    if (w->branched != w->active)
        return false;
    *target = w->target[__builtin_ctz(w->active)];
    for (unsigned l = 0; l < w->lanes; l++)
        if (w->active >> l & 1 && w->target[l] != *target)
            return false;
    return true;
}

static void fill_pool(struct gpu_worker *k, struct gpu_warp *w, unsigned words)
{
    const struct gpu_compute *compute = k->cores->job;
    unsigned base = gpu_pool_slot(k->cores->decoder.isa) + GPU_SPILL_SLOTS;

    for (; w->pool < words; w->pool++) {
        const struct gpu_pool_word *word = &compute->shader->pool[w->pool];
        uint32_t v = word->uniform ? compute->job.uniform[word->value] : word->value;
        uint32_t *slot = gpu_slot(w, base + w->pool);

        for (unsigned l = 0; l < w->lanes; l++)
            slot[l] = v;
    }
}

/* ---- code ------------------------------------------------------------------------------------ */

static struct gpu_code *bad_pc(struct gpu_warp *w, enum gpu_shader_fault fault, uint64_t address)
{
    w->faulted = fault;
    w->address = address;
    return NULL;
}

/* The bundle at `address`, decoded now if need be; NULL: the warp must end (w->faulted is set). */
static struct gpu_code *code_at(struct gpu_worker *k, struct gpu_warp *w, uint64_t address)
{
    const struct gpu_compute *compute = k->cores->job;
    struct gpu_shader *s = compute->shader;
    struct gpu_code *c = gpu_shader_find(s, address);
    const struct gpu_isa *isa = k->cores->decoder.isa;
    uint8_t bytes[GPU_MAX_BUNDLE_BYTES];
    struct gpu_fault fault;
    bool valid = false;

    while (!c) {
        size_t available;

        if (address % isa->grain_bytes)
            return bad_pc(w, GPU_FAULT_PC, address);
        available = gpu_code_read(compute->as, address, bytes, isa->max_bytes, &fault);
        pthread_mutex_lock(&s->lock);
        c = gpu_shader_find(s, address);
        if (!c && available && s->code_count < GPU_MAX_BUNDLES) {
            c = gpu_decode_bundle(&k->cores->decoder, s, bytes, available, address, &valid);
            if (valid || available == isa->max_bytes) {
                gpu_shader_insert(s, c);
            } else { /* what is missing may be in the page that is not there */
                free(c);
                c = NULL;
            }
        }
        pthread_mutex_unlock(&s->lock);
        if (c)
            break;
        if (available == isa->max_bytes)
            return bad_pc(w, GPU_FAULT_UNIMPLEMENTED, address);
        if (!gpu_worker_park(k, &fault))
            return bad_pc(w, GPU_FAULT_MEMORY, address);
    }
    return c;
}

/* The bundle at `address`, through a link of the bundle before it. */
static struct gpu_code *follow(struct gpu_worker *k, struct gpu_warp *w, struct gpu_code **link,
                               uint64_t address)
{
    struct gpu_code *c = __atomic_load_n(link, __ATOMIC_ACQUIRE);

    if (__builtin_expect(c && c->address == address, 1))
        return c;
    c = code_at(k, w, address);
    if (c)
        __atomic_store_n(link, c, __ATOMIC_RELEASE);
    return c;
}

/* ---- running --------------------------------------------------------------------------------- */

static void set_lanes(struct gpu_warp *w, const struct gpu_decoder *d, enum gpu_preload what,
                      const uint32_t *values, uint32_t enabled)
{
    uint32_t number = d->preload[what];

    if (number < d->isa->register_count && enabled >> what & 1)
        memcpy(gpu_slot(w, number), values, w->lanes * sizeof(*values));
}

/* Registers that hold something when a thread starts. `thread` is the first lane's number. */
static void preload(struct gpu_worker *k, struct gpu_group *g, struct gpu_warp *w, uint32_t thread)
{
    const struct gpu_decoder *d = &k->cores->decoder;
    const struct gpu_compute_job *job = &k->cores->job->job;
    uint32_t v[GPU_PRELOAD_COUNT][GPU_MAX_LANES] = {0};

    for (unsigned l = 0; l < w->lanes; l++, thread++) {
        uint32_t id[3] = {thread % job->size[0], thread / job->size[0] % job->size[1],
                          thread / job->size[0] / job->size[1]};

        v[GPU_PRELOAD_LOCAL_ID_XY][l] = id[0] | id[1] << 16;
        v[GPU_PRELOAD_LOCAL_ID_Z][l] = id[2];
        for (unsigned i = 0; i < 3; i++) {
            v[GPU_PRELOAD_GROUP_ID_X + i][l] = g->id[i];
            v[GPU_PRELOAD_GLOBAL_ID_X + i][l] = g->id[i] * job->size[i] + id[i];
        }
    }
    for (unsigned what = 0; what < GPU_PRELOAD_COUNT; what++)
        set_lanes(w, d, what, v[what], job->preload);
}

void gpu_warp_start(struct gpu_worker *k, struct gpu_group *g, struct gpu_warp *w, unsigned index)
{
    const struct gpu_cores *c = k->cores;
    const struct gpu_compute_job *job = &c->job->job;
    unsigned registers = c->decoder.isa->register_count;
    bool scalar = c->decoder.scalar;
    uint32_t thread = index * w->lanes;
    uint32_t threads = job->threads - thread < w->lanes ? job->threads - thread : w->lanes;

    w->group = g;
    w->index = index;
    w->live = threads == 32 ? UINT32_MAX : (1u << threads) - 1;
    w->active = w->branched = w->ended = 0;
    w->faulted = GPU_FAULT_NONE;
    w->refused = NULL;
    w->refused_detail = NULL;
    w->wait = GPU_WARP_RUNS;
    if (w->pool_job != c->job->number) {
        w->pool_job = c->job->number;
        w->pool = 0;
    }
    memset(w->state, 0, gpu_slot_offset(w->lanes, gpu_pool_slot(c->decoder.isa)));
    for (unsigned l = 0; l < w->lanes; l++) {
        w->pc[l] = job->shader_address;
        w->tls[l] = job->thread_base + (thread + l) * job->thread_bytes;
        gpu_slot(w, registers + GPU_SLOT_SPECIAL + GPU_SPECIAL_LANE_ID)[l] = scalar ? 0 : l;
        gpu_slot(w, registers + GPU_SLOT_SPECIAL + GPU_SPECIAL_WARP_ID)[l] =
            scalar ? thread + l : index;
        gpu_slot(w, registers + GPU_SLOT_SPECIAL + GPU_SPECIAL_CORE_ID)[l] = g->core;
    }
    preload(k, g, w, thread);
    k->warps += scalar ? threads : 1;
    k->threads += threads;
}

/* The warp ends because of w->faulted. `code`: in which bundle; NULL: there is none. */
static void report(struct gpu_worker *k, const struct gpu_warp *w, const struct gpu_code *code)
{
    static const uint32_t error[] = {
        [GPU_FAULT_UNIMPLEMENTED] = GPU_JOB_UNIMPLEMENTED,
        [GPU_FAULT_ENCODING] = GPU_JOB_INVALID_ENCODING,
        [GPU_FAULT_PC] = GPU_JOB_INVALID_PC,
    };

    struct gpu_refusal refusal = {0};

    if (w->faulted >= sizeof(error) / sizeof(*error) || !error[w->faulted])
        return;
    if (code)
        gpu_refusal_describe(k, w, code, &refusal);
    gpu_worker_fail(k, error[w->faulted], w->address, &refusal);
}

/* What happened at the end of a bundle besides going on together. */
static void finish_bundle(struct gpu_worker *k, struct gpu_warp *w, const struct gpu_code *code)
{
    uint64_t first = 0;
    bool some = false, apart = false;

    if (w->faulted) {
        report(k, w, code);
        w->wait = GPU_WARP_ENDED;
        return;
    }
    if (code->flags & GPU_BUNDLE_END)
        w->ended |= w->active & ~w->branched;
    for (unsigned l = 0; l < w->lanes; l++) {
        if (!(w->active >> l & 1) || w->ended >> l & 1)
            continue;
        w->pc[l] = w->branched >> l & 1 ? w->target[l] : code->next;
        apart |= some && w->pc[l] != first;
        first = w->pc[l];
        some = true;
    }
    k->divergent += apart && !k->cores->decoder.scalar;
    w->live &= ~(w->ended & w->active);
    if (!w->live)
        w->wait = GPU_WARP_ENDED;
}

/* Executes the operations of a bundle, and traces them if that is wanted. */
static void execute(struct gpu_worker *k, struct gpu_warp *w, const struct gpu_code *code)
{
    w->address = code->address;
    w->branched = w->ended = 0;
    if (__builtin_expect(k->cores->trace != NULL, 0)) {
        size_t bytes = gpu_slot_offset(w->lanes, k->cores->decoder.isa->register_count);
        uint32_t *before = xcalloc(1, bytes);

        memcpy(before, w->state, bytes);
        code->ops->exec(w, code->ops);
        gpu_trace_bundle(k, w, code, before);
        free(before);
        return;
    }
    code->ops->exec(w, code->ops);
}

/* Spends a bundle of the group's budget; false: it has none, or the program is to end. */
static inline bool spend(const struct gpu_cores *c, struct gpu_group *g)
{
    if (__builtin_expect(g->budget % GPU_HEED_BUNDLES == 0, 0) && c->leaving &&
        __atomic_load_n(c->leaving, __ATOMIC_RELAXED))
        g->budget = 0;
    if (!g->budget)
        return false;
    g->budget--;
    return true;
}

/* Runs the chosen lanes from `code` on, until something has to be decided for the warp. */
static void run_front(struct gpu_worker *k, struct gpu_warp *w, struct gpu_code *code,
                      const struct front *front)
{
    struct gpu_group *g = k->group;
    uint64_t count = GPU_COUNT_WARP + front->count;
    uint64_t next;

    for (;;) {
        if (!spend(k->cores, g)) {
            settle(w, code->address);
            return;
        }
        g->work += code->cycles;
        k->counts[code->index] += count;
        if (w->pool < code->pool)
            fill_pool(k, w, code->pool);
        execute(k, w, code);
        if (w->ended | w->faulted | w->wait | (code->flags & GPU_BUNDLE_END))
            break;
        struct gpu_code **link = &code->following;

        next = code->next;
        if (w->branched) {
            if (!branch_together(w, &next))
                break;
            link = &code->taken;
        }
        if (next >= front->rejoin) {
            settle(w, next);
            return;
        }
        code = follow(k, w, link, next);
        if (!code) {
            report(k, w, NULL);
            w->wait = GPU_WARP_ENDED;
            return;
        }
    }
    finish_bundle(k, w, code);
}

void gpu_warp_run(struct gpu_worker *k, struct gpu_warp *w)
{
    w->core = &k->core;
    while (w->wait == GPU_WARP_RUNS && k->group->budget) {
        struct front front;
        uint64_t address = choose(k, w, &front);
        struct gpu_code *code = code_at(k, w, address);

        if (!code) {
            report(k, w, NULL);
            w->wait = GPU_WARP_ENDED;
            return;
        }
        run_front(k, w, code, &front);
    }
}
