/*
 * A row of warps: its lanes execute bundle after bundle. After a divergence the lanes at the lowest
 * address run first, so that they reconverge where the paths join. Waiting lanes keep the address
 * of their next bundle in `pc`. The `pc` of running lanes is written only when they diverge,
 * reconverge, wait or fault.
 *
 * The lanes of a warp that are at the lowest address of the row are also at the lowest of their
 * warp. So each warp executes, and counts, the bundles that it would execute alone.
 *
 * Bounds      the group's budget: each iteration of the loops here takes a bundle off it, ends the
 *             row or waits for a page
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/lane.h"
#include "runtime/gpu/shader/flow.h"

static void set_active(const struct gpu_worker *k, struct gpu_warp *w, uint32_t active)
{
    static const uint32_t bit[GPU_LANE_CHUNK] = {
        /* a table suits the host's vector unit */
        1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
        1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
    uint32_t *slot = gpu_slot(w, k->cores->decoder.isa->register_count + GPU_SLOT_ACTIVE);

    if (w->active == active)
        return;
    w->active = active;
    for (unsigned first = 0; first < w->lanes; first += GPU_LANE_CHUNK)
        for (unsigned l = 0; l < GPU_LANE_CHUNK; l++)
            slot[first + l] = (active >> first & bit[l]) == bit[l] ? UINT32_MAX : 0;
}

/* Number of warps with active lanes. */
static unsigned count_warps(const struct gpu_warp *w)
{
    unsigned count = 0;

    for (unsigned first = 0; first < w->lanes; first += w->width)
        count += (w->active >> first & w->full) != 0;
    return count;
}

/*
 * Lane values for the host's vector unit, since compilers do not vectorise loops that gather bits.
 * `BITS` holds each lane's bit in the lane's element.
 */
typedef uint64_t some_lanes __attribute__((vector_size(32), aligned(8)));
enum { SOME = sizeof(some_lanes) / sizeof(uint64_t) };

#define BITS(n)             ((const some_lanes){1, 2, 4, 8} << (n))
#define EACH_SOME(lanes, n) for (unsigned n = 0; n < (lanes); n += SOME)

/* ~0 in the lanes of a mask, 0 in others. */
#define IN(mask, n) ((some_lanes)(((uint64_t)(mask)&BITS(n)) == BITS(n)))

static inline some_lanes *vector_at(uint64_t *of, unsigned lane)
{
    return (some_lanes *)(void *)(of + lane);
}

static inline const some_lanes *const_at(const uint64_t *of, unsigned lane)
{
    return (const some_lanes *)(const void *)(of + lane);
}

/* Mask of the lanes whose value is `v`. */
static inline uint32_t lanes_with(const uint64_t *of, unsigned lanes, uint64_t v)
{
    some_lanes bits = {0};

    EACH_SOME(lanes, n)
    bits |= (some_lanes)(*const_at(of, n) == v) & BITS(n);
    return (uint32_t)(bits[0] | bits[1] | bits[2] | bits[3]);
}

/* Whether all lanes of the mask have the value of its first lane. */
static inline bool is_common(const uint64_t *of, unsigned lanes, uint32_t mask)
{
    return !(mask & ~lanes_with(of, lanes, of[__builtin_ctz(mask)]));
}

/* The least value of the mask's lanes; UINT64_MAX: the mask is empty. */
static inline uint64_t least_of_lanes(const uint64_t *of, unsigned lanes, uint32_t mask)
{
    some_lanes v = ~(some_lanes){0};
    uint64_t low, high;

    EACH_SOME(lanes, n)
    {
        some_lanes lane = *const_at(of, n) | ~IN(mask, n), less = (some_lanes)(lane < v);

        v = GPU_BLEND(less, lane, v);
    }
    low = v[0] < v[1] ? v[0] : v[1];
    high = v[2] < v[3] ? v[2] : v[3];
    return low < high ? low : high;
}

/* to[lane] = v in the lanes of the mask. */
static inline void put_lanes(uint64_t *to, unsigned lanes, uint32_t mask, uint64_t v)
{
    EACH_SOME(lanes, n)
    *vector_at(to, n) = GPU_BLEND(IN(mask, n), v, *vector_at(to, n));
}

/* Activates the live lanes at the lowest address and returns the address of their bundle. At least
 * one live lane must not be at a barrier. */
static uint64_t choose_lanes(const struct gpu_worker *k, struct gpu_warp *w,
                             struct gpu_front *front)
{
    uint32_t able = w->live & ~w->barred;
    uint64_t lowest = w->fresh ? k->cores->job->job.shader_address : w->pc[__builtin_ctz(able)];

    *front = (struct gpu_front){.lowest_waiting = UINT64_MAX};
    if (!w->fresh && !is_common(w->pc, w->lanes, able)) {
        uint32_t all = able;

        lowest = least_of_lanes(w->pc, w->lanes, all);
        able &= lanes_with(w->pc, w->lanes, lowest);
        front->lowest_waiting = least_of_lanes(w->pc, w->lanes, all & ~able);
    }
    w->fresh = false;
    set_active(k, w, able);
    front->lanes = (unsigned)__builtin_popcount(able);
    front->warps = k->cores->decoder.scalar ? 1 : count_warps(w);
    return lowest;
}

void gpu_warp_set_out(struct gpu_worker *k, struct gpu_warp *w)
{
    w->core = &k->host.core;
    w->fresh = false;
    set_active(k, w, w->live);
}

/* Sets the next bundle of the running lanes. */
static void set_pc_of_active(struct gpu_warp *w, uint64_t pc)
{
    put_lanes(w->pc, w->lanes, w->active, pc);
}

/* Whether all running lanes branched to one address, stored in *target. */
static bool branch_together(const struct gpu_warp *w, uint64_t *target)
{
    if (w->branched != w->active)
        return false;
    *target = w->target[__builtin_ctz(w->active)];
    return is_common(w->target, w->lanes, w->active);
}

bool gpu_warp_goes_on(const struct gpu_warp *w, uint32_t all, uint64_t address)
{
    return w->wait == GPU_WARP_RUNS && w->live == all && !(w->barred | w->fresh) &&
           !(all & ~lanes_with(w->pc, w->lanes, address));
}

void gpu_warp_bar(struct gpu_warp *w, uint64_t next)
{
    put_lanes(w->pc, w->lanes, w->live, next);
    w->barred = w->live;
}

void gpu_warp_fill_pool(struct gpu_worker *k, struct gpu_warp *w, unsigned words)
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

/* The bundle at `address`, decoded if necessary. NULL: the warp must end (w->faulted is set). */
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
            } else { /* the rest of the bundle may be in the unmapped page */
                free(c);
                c = NULL;
            }
        }
        pthread_mutex_unlock(&s->lock);
        if (c)
            break;
        if (available == isa->max_bytes)
            return bad_pc(w, GPU_FAULT_UNIMPLEMENTED, address);
        if (!gpu_worker_await_page(k, &fault))
            return bad_pc(w, GPU_FAULT_MEMORY, address);
    }
    return c;
}

/* The bundle at `address`, found by the `link` of the previous bundle if that is right. */
static struct gpu_code *follow_link(struct gpu_worker *k, struct gpu_warp *w,
                                    struct gpu_code **link, uint64_t address)
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

/* Reports the error of a warp that ends because of w->faulted. `code`: the bundle; NULL: there is
 * none. */
static void report_fault(struct gpu_worker *k, const struct gpu_warp *w,
                         const struct gpu_code *code)
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

/* Number of warps with lanes in both masks. */
static unsigned count_shared(const struct gpu_warp *w, uint32_t a, uint32_t b)
{
    unsigned count = 0;

    for (unsigned first = 0; first < w->lanes; first += w->width)
        count += a >> first & w->full && b >> first & w->full;
    return count;
}

/* Number of warps in which the lanes of the mask have different next bundles. */
static unsigned count_divergent(const struct gpu_warp *w, uint32_t going)
{
    uint32_t apart = 0, some, rest;

    some = going & lanes_with(w->pc, w->lanes, w->pc[__builtin_ctz(going)]);
    rest = going & ~some;
    if (!rest || is_common(w->pc, w->lanes, rest))
        return count_shared(w, some, rest);
    for (uint32_t left = going; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        unsigned leader = (unsigned)__builtin_ctz(going >> w->first[l]) + w->first[l];

        if (w->pc[l] != w->pc[leader])
            apart |= 1u << w->first[l];
    }
    return (unsigned)__builtin_popcount(apart);
}

/* Marks the running warps as being at the barrier. */
static void enter_barrier(struct gpu_warp *w)
{
    for (unsigned first = 0; first < w->lanes; first += w->width)
        if (w->active >> first & w->full)
            w->barred |= w->full << first;
}

/* The next state of the row. A row without live lanes ends. A row waits if the warps of all live
 * lanes are at the barrier: the last warp has come to it, or the last other warp has ended. */
static enum gpu_warp_wait state_of_row(const struct gpu_warp *w)
{
    if (!w->live)
        return GPU_WARP_ENDED;
    return w->live & ~w->barred ? GPU_WARP_RUNS : GPU_WARP_BARRIER;
}

/* Sets the next bundle of the mask's lanes: their target where they branched, `next` otherwise.
 * Returns the number of warps that diverge. */
static unsigned set_next_pcs(struct gpu_worker *k, struct gpu_warp *w, uint32_t going,
                             uint64_t next)
{
    uint32_t branching = w->branched & going;
    unsigned divergent;

    put_lanes(w->pc, w->lanes, going & ~branching, next);
    if (!branching)
        return 0;
    EACH_SOME(w->lanes, n)
    *vector_at(w->pc, n) =
        GPU_BLEND(IN(branching, n), *vector_at(w->target, n), *vector_at(w->pc, n));
    divergent = k->cores->decoder.scalar ? 0 : count_divergent(w, going);
    k->host.divergent += GPU_COUNT_WARP * divergent;
    return divergent;
}

/* Handles the end of a bundle behind which the lanes do not simply stay together. */
static void finish_bundle(struct gpu_worker *k, struct gpu_warp *w, const struct gpu_code *code)
{
    unsigned divergent = 0;
    uint32_t going;

    if (w->faulted) {
        report_fault(k, w, code);
        w->wait = GPU_WARP_ENDED;
        if (k->flow)
            gpu_flow_part(k, w, code, 0, 0);
        return;
    }
    if (code->flags & GPU_BUNDLE_END)
        w->ended |= w->active & ~w->branched;
    going = w->active & ~w->ended;
    if (going)
        divergent = set_next_pcs(k, w, going, code->next);
    if (__builtin_expect(k->flow != NULL, 0))
        gpu_flow_part(k, w, code, going, divergent);
    w->live &= ~(w->ended & w->active);
    if (w->wait == GPU_WARP_BARRIER)
        enter_barrier(w);
    w->wait = state_of_row(w);
}

/* Executes a bundle whose effects are printed or inspected. */
static void execute_inspected(struct gpu_worker *k, struct gpu_warp *w, struct gpu_code *code)
{
    size_t bytes = gpu_slot_offset(w->lanes, k->cores->decoder.isa->register_count);
    uint32_t *before = xcalloc(1, bytes);

    memcpy(before, w->state, bytes);
    if (k->cores->inspector)
        gpu_inspect_bundle(k, w, code);
    else
        code->ops->exec(w, code->ops);
    if (k->cores->trace)
        gpu_trace_bundle(k, w, code, before);
    free(before);
}

/* Executes the operations of a bundle and records them in traces if those are on. */
static void execute_bundle(struct gpu_worker *k, struct gpu_warp *w, struct gpu_code *code)
{
    w->address = code->address;
    w->branched = w->ended = 0;
    w->unused_in = 0;
    if (__builtin_expect(k->cores->inspected, 0)) {
        execute_inspected(k, w, code);
        return;
    }
    code->ops->exec(w, code->ops);
    if (__builtin_expect(k->group->trace != NULL, 0))
        gpu_timing_bundle(k, w, code);
}

/* Takes bundles off the group's budget. false: it is spent, or the program ends. */
static inline bool spend_budget(const struct gpu_cores *c, struct gpu_group *g, unsigned bundles)
{
    uint64_t left = g->budget > bundles ? g->budget - bundles : 0;

    if (__builtin_expect(left / GPU_LEAVING_BUNDLES != g->budget / GPU_LEAVING_BUNDLES, 0) &&
        c->leaving && __atomic_load_n(c->leaving, __ATOMIC_RELAXED))
        g->budget = left = 0;
    if (!g->budget)
        return false;
    g->budget = left;
    return true;
}

/* Counts an execution of a bundle outside traces until it is hot, and offers it to the recording.
 * Hot bundles, and those that never become hot, are not written: host threads share the bundles,
 * and writes to a shared cache line cost more than the counted execution. */
static inline void count_execution(struct gpu_worker *k, struct gpu_warp *w, struct gpu_code *code)
{
    uint32_t times = __atomic_load_n(&code->heat, __ATOMIC_RELAXED);
    uint32_t hot = k->hot;

    if (__builtin_expect(times < hot, 0))
        __atomic_store_n(&code->heat, ++times, __ATOMIC_RELAXED);
    if (__builtin_expect(k->recorded.count || (hot && times >= hot), 0))
        gpu_record_bundle(k, w, code);
}

/* Executes a bundle outside traces. false: the group's budget is spent. */
static inline bool run_alone(struct gpu_worker *k, struct gpu_warp *w, struct gpu_code *code,
                             const struct gpu_front *front)
{
    if (!spend_budget(k->cores, k->group, front->warps)) {
        k->recorded.count = 0; /* the next bundle belongs to another row or job */
        set_pc_of_active(w, code->address);
        return false;
    }
    count_execution(k, w, code);
    k->group->work += (uint64_t)code->cycles * front->warps;
    k->counts[code->index] += GPU_COUNT_WARP * front->warps + front->lanes;
    if (w->pool < code->pool)
        gpu_warp_fill_pool(k, w, code->pool);
    execute_bundle(k, w, code);
    return true;
}

/* Whether all running lanes continue at one address behind a bundle, left in *next. Where a bundle
 * ends lanes, they do if all of them branch: the last bundle of a shader may close a loop. */
static inline bool stay_together(const struct gpu_warp *w, const struct gpu_code *code,
                                 uint64_t *next)
{
    *next = code->next;
    if (w->ended | w->faulted | w->wait)
        return false;
    return w->branched ? branch_together(w, next) : !(code->flags & GPU_BUNDLE_END);
}

bool gpu_warp_stays(const struct gpu_warp *w, const struct gpu_code *code, uint64_t *next)
{
    return stay_together(w, code, next);
}

/* The next bundle after an executed one. NULL: the lanes diverged, waited or ended, or reached the
 * address of waiting lanes. */
static inline struct gpu_code *next_bundle(struct gpu_worker *k, struct gpu_warp *w,
                                           struct gpu_code *code, const struct gpu_front *front)
{
    struct gpu_code **link = &code->following;
    uint64_t next;

    if (!stay_together(w, code, &next)) {
        if (__builtin_expect(k->recorded.count != 0, 0))
            gpu_record_turn(k, w, code, front);
        finish_bundle(k, w, code);
        return NULL;
    }
    if (w->branched) {
        link = &code->taken_target;
        if (__builtin_expect(k->flow != NULL, 0))
            gpu_flow_add(k->flow, code, next, GPU_COUNT_WARP * front->warps + front->lanes, 0);
    }
    if (next >= front->lowest_waiting) {
        if (!k->recorded.diverged_at)
            gpu_record_end(k);
        set_pc_of_active(w, next);
        return NULL;
    }
    code = follow_link(k, w, link, next);
    if (!code) {
        k->recorded.count = 0;
        report_fault(k, w, NULL);
        w->wait = GPU_WARP_ENDED;
    }
    return code;
}

/* Runs the active lanes from `code` until the row needs a decision. */
static void run_front(struct gpu_worker *k, struct gpu_warp *w, struct gpu_code *code,
                      const struct gpu_front *front)
{
    struct gpu_trace *before = NULL; /* last trace if no bundle ran outside traces since */
    struct gpu_trace *left = NULL;   /* trace without a loop that was left before its end */

    while (code) {
        struct gpu_trace *trace = gpu_trace_usable(k, w, code, front);

        /* Recordings pass through traces, but not through loops. */
        if (trace && (trace->loops || !gpu_records_through(k))) {
            if (trace == left || (trace == before && !trace->loops))
                gpu_trace_count_return(k, trace);
            gpu_record_end(k);
            if (w->pool < trace->pool)
                gpu_warp_fill_pool(k, w, trace->pool);
            code = gpu_trace_run(k, w, trace, front);
            if (!code)
                return;
            if (!trace->loops && code != trace->codes[trace->count - 1])
                left = trace;
            before = trace;
        } else {
            if (!run_alone(k, w, code, front))
                return;
            before = NULL;
        }
        code = next_bundle(k, w, code, front);
    }
}

void gpu_warp_run(struct gpu_worker *k, struct gpu_warp *w)
{
    w->core = &k->host.core;
    k->row_start = NULL;
    while (w->wait == GPU_WARP_RUNS && k->group->budget) {
        struct gpu_front front;
        bool fresh = w->fresh;
        uint64_t address = choose_lanes(k, w, &front);
        struct gpu_code *code =
            fresh ? follow_link(k, w, &k->entry, address) : code_at(k, w, address);

        if (!code) {
            k->recorded.count = 0;
            report_fault(k, w, NULL);
            w->wait = GPU_WARP_ENDED;
            return;
        }
        if (!k->row_start)
            k->row_start = code;
        run_front(k, w, code, &front);
    }
}

void gpu_warp_resume(struct gpu_worker *k, struct gpu_warp *w, struct gpu_code *code,
                     const struct gpu_front *front)
{
    run_front(k, w, next_bundle(k, w, code, front), front);
}
