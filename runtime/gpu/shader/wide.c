/*
 * Traces with forks. Where rows of one trace often leave it together, by a branch that all their
 * lanes take, or none, what they run from there on is added to the trace as another path. So the
 * function for many rows need not be left by those that go another way than the recorded one.
 *
 * Bounds      GPU_TRACE_FORKS forks; TRIES tries, each after twice as many rows as the one before
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/shader/running.h"

/* A fork is added when hot / SHARE rows have left the trace. */
enum { SHARE = 4, TRIES = 6 };

struct gpu_trace *gpu_trace_wide(const struct gpu_trace *t, const struct gpu_rows_shape *shape)
{
    struct gpu_trace *w = __atomic_load_n(&t->wide, __ATOMIC_ACQUIRE);

    if (!w || w->shape.in_memory != shape->in_memory)
        return NULL;
    return shape->in_memory ||
                   (w->shape.preload == shape->preload && (!w->shape.in_line || shape->in_line))
               ? w
               : NULL;
}

/* Appends the bundles of a trace. false: there are too many. */
static bool append_trace(struct gpu_recording *r, const struct gpu_trace *t)
{
    if (r->count + t->count > GPU_TRACE_MAX)
        return false;
    for (unsigned n = 0; n < t->count; n++, r->count++) {
        r->codes[r->count] = t->codes[n];
        r->diverges[r->count] = t->diverges && t->diverges[n];
        r->kinds[r->count] = t->costs[n].kinds;
        r->diverged |= r->diverges[r->count];
    }
    return true;
}

/* The trace without a loop that rows run from the address on; NULL: there is none. */
static const struct gpu_trace *trace_from(const struct gpu_shader *s, uint64_t address)
{
    const struct gpu_code *code = gpu_shader_find(s, address);
    const struct gpu_trace *t = code ? __atomic_load_n(&code->trace, __ATOMIC_ACQUIRE) : NULL;

    while (t && __atomic_load_n(&t->retired, __ATOMIC_RELAXED))
        t = __atomic_load_n(&t->next_trace, __ATOMIC_ACQUIRE);
    return t && !t->loops && !t->copy_count ? t : NULL;
}

/* Appends what rows run from the address on to a barrier, or to their end. false: no traces lead
 * there. */
static bool append_path(const struct gpu_shader *s, struct gpu_recording *r, uint64_t address)
{
    const struct gpu_trace *t;

    while ((t = trace_from(s, address)) && append_trace(r, t)) {
        if (t->waits || t->ends_unused) {
            r->path_waits[r->forks] = t->waits;
            return true;
        }
        address = t->codes[t->count - 1]->next;
    }
    return false;
}

/* Begins a recording with all paths of a trace. */
static bool copy_trace(struct gpu_recording *r, const struct gpu_trace *t)
{
    r->forks = t->forks;
    for (unsigned n = 0; n < GPU_TRACE_FORKS; n++)
        r->fork[n] = t->fork[n];
    for (unsigned n = 0; n <= GPU_TRACE_FORKS; n++)
        r->path_waits[n] = t->path_waits[n];
    return append_trace(r, t);
}

/* Makes a trace with one more fork, behind bundle `n`, from where rows go on at `address`. */
static void add_fork(struct gpu_worker *k, struct gpu_trace *t, const struct gpu_trace *in,
                     unsigned n, uint64_t address, const struct gpu_rows_shape *shape)
{
    struct gpu_shader *s = k->cores->job->shader;
    struct gpu_recording *r = xcalloc(1, sizeof(*r));
    struct gpu_trace *made = NULL, *older;

    pthread_mutex_lock(&s->lock);
    older = t->wide;
    if ((older ? older : t) == in && in->forks < GPU_TRACE_FORKS && copy_trace(r, in)) {
        r->fork[r->forks++] = (struct gpu_trace_fork){(uint16_t)r->count, (uint16_t)n};
        if (append_path(s, r, address))
            made = gpu_trace_new_wide(k->cores->translator, &k->cores->decoder, s, r, shape);
    }
    if (made) {
        made->next_trace = older;
        __atomic_store_n(&t->wide, made, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&s->lock);
    free(r);
}

/* Whether the row left the trace behind a bundle with all its lanes, for *address. */
static bool left_together(const struct gpu_trace *in, const struct gpu_warp *w, unsigned last,
                          uint64_t *address)
{
    const struct gpu_code *code = in->codes[last];

    if (w->faulted || w->wait || w->ended || gpu_trace_ends_path(in, last) ||
        code->flags & GPU_BUNDLE_END || (w->branched && w->branched != w->active))
        return false;
    *address = w->branched ? w->target[__builtin_ctz(w->active)] : code->next;
    return true;
}

void gpu_wide_heat(struct gpu_worker *k, struct gpu_trace *t, const struct gpu_trace *in,
                   const struct gpu_warp *w, uint64_t done, const struct gpu_rows_shape *shape)
{
    unsigned tries = __atomic_load_n(&t->wide_tries, __ATOMIC_RELAXED);
    unsigned last = done & GPU_TRACE_LAST;
    uint64_t address;

    if (done & (GPU_TRACE_ENDED | GPU_TRACE_SETTLED) || tries == TRIES ||
        k->cores->decoder.observed || k->cores->decoder.flow ||
        !left_together(in, w, last, &address))
        return;
    if (__atomic_add_fetch(&t->parted, 1, __ATOMIC_RELAXED) < k->hot / SHARE << tries)
        return;
    __atomic_store_n(&t->parted, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&t->wide_tries, (uint8_t)(tries + 1), __ATOMIC_RELAXED);
    add_fork(k, t, in, last, address, shape);
}
