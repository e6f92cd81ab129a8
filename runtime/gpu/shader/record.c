/*
 * Recordings: the bundles that a worker executes from a hot one on, of which a trace is made. If
 * the row diverges and reconverges, or ends, the bundles of the divergent sides are part of the
 * trace.
 *
 * Bounds      GPU_TRACE_MAX bundles per recording, GPU_TRACES traces per bundle
 */
#include "runtime/gpu/shader/running.h"

/* A recording whose row diverges without reconvergence is repeated up to DIVERGED_TRIES times, each
 * DIVERGED_REST executions later. The number is odd because groups have round numbers of rows. */
enum { DIVERGED_TRIES = 3, DIVERGED_REST = 37 };

/* Most repetitions of a recording whose row does not diverge where rows often do. */
enum { UNDIVERGED_TRIES = 64 };

/* Recordings that few lanes would begin are tried again THIN_TRIES times, each after
 * 1 / THIN_REST of the executions that make a bundle hot. */
enum { THIN_TRIES = 128, THIN_REST = 64 };

/* Notes which kinds of memory the last recorded bundle accessed, after its execution. */
static void note_access_kinds(struct gpu_worker *k)
{
    struct gpu_recording *r = &k->recorded;
    struct gpu_bundle_kinds *last = &r->kinds[r->count - 1];

    *last = (struct gpu_bundle_kinds){GPU_COUNT_GLOBAL_READ, GPU_COUNT_GLOBAL_WRITE};
    for (uint8_t n = 0; n < GPU_ACCESS_COUNTERS; n++)
        if (k->host.core.accesses[n] != r->accesses[n])
            *(n % 2 == GPU_COUNT_GLOBAL_READ ? &last->read : &last->write) = n;
}

/* Whether a trace from the bundle may ask for patterns of registers: rows that do not have them
 * find another trace there, or can get one. */
static bool may_have_patterns(const struct gpu_code *first)
{
    const struct gpu_trace *t = first->trace;

    while (t && (__atomic_load_n(&t->retired, __ATOMIC_RELAXED) || !t->pattern_count))
        t = t->next_trace;
    return !t && first->traces < GPU_TRACES - 1;
}

/* Makes a trace of the recorded bundles. */
static void end_recording(struct gpu_worker *k, bool loops)
{
    struct gpu_shader *s = k->cores->job->shader;
    struct gpu_code *first = k->recorded.codes[0];
    struct gpu_trace **end = &first->trace, *made;

    pthread_mutex_lock(&s->lock);
    if (!may_have_patterns(first))
        k->recorded.pattern_count = 0;
    if (first->traces < GPU_TRACES) {
        made = gpu_trace_new(k->cores->translator, &k->cores->decoder, s, &k->recorded, loops);
        while (*end)
            end = &(*end)->next_trace;
        __atomic_store_n(end, made, __ATOMIC_RELEASE);
        __atomic_store_n(&first->traces, made ? first->traces + 1 : GPU_TRACES, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&s->lock);
    k->recorded.count = 0;
}

/* Whether a diverged recording may be repeated. It is the path of a single row, and most rows may
 * stay together, as those of an image do except at its edge. So a row that comes soon is recorded
 * instead, unless that was tried before. */
static bool may_retry(const struct gpu_worker *k)
{
    const struct gpu_code *first = k->recorded.codes[0];

    return k->hot > DIVERGED_REST &&
           __atomic_load_n(&first->diverged, __ATOMIC_RELAXED) < DIVERGED_TRIES;
}

static void end_diverged(struct gpu_worker *k)
{
    struct gpu_code *first = k->recorded.codes[0];
    uint32_t hot = k->hot;

    if (!may_retry(k)) {
        end_recording(k, false);
        return;
    }
    __atomic_fetch_add(&first->diverged, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&first->heat, hot - DIVERGED_REST, __ATOMIC_RELAXED);
    k->recorded.count = 0;
}

static enum gpu_divergence divergence_behind(const struct gpu_code *code)
{
    return __atomic_load_n(&code->divergence, __ATOMIC_RELAXED);
}

/* Reinstates the retired traces: rows that diverge behind `last` do not reconverge, so no better
 * trace can be made. */
static void restore_retired(struct gpu_worker *k, struct gpu_code *last)
{
    struct gpu_code *first = k->recorded.codes[0];

    __atomic_store_n(&last->divergence, GPU_DIVERGENCE_PERMANENT, __ATOMIC_RELAXED);
    for (struct gpu_trace *t = __atomic_load_n(&first->trace, __ATOMIC_ACQUIRE); t;
         t = __atomic_load_n(&t->next_trace, __ATOMIC_ACQUIRE))
        __atomic_store_n(&t->retired, false, __ATOMIC_RELAXED);
    k->recorded.count = 0;
}

/* Whether the recorded row stayed together behind a bundle where many rows diverge, so that another
 * row should be recorded. */
static bool lacks_divergence(const struct gpu_recording *r)
{
    return r->count && !r->diverged_at && !r->diverges[r->count - 1] &&
           divergence_behind(r->codes[r->count - 1]) == GPU_DIVERGENCE_FREQUENT;
}

/* Drops a recording without divergence; the next row is recorded instead. */
static void drop_undiverged(struct gpu_worker *k)
{
    struct gpu_recording *r = &k->recorded;
    struct gpu_code *first = r->codes[0];

    if (__atomic_add_fetch(&first->undiverged, 1, __ATOMIC_RELAXED) > UNDIVERGED_TRIES) {
        restore_retired(k, r->codes[r->count - 1]);
        return;
    }
    __atomic_store_n(&first->heat, k->hot - 1, __ATOMIC_RELAXED);
    r->count = 0;
}

void gpu_record_finish(struct gpu_worker *k)
{
    struct gpu_recording *r = &k->recorded;

    if (lacks_divergence(r)) {
        drop_undiverged(k);
        return;
    }
    note_access_kinds(k);
    if (!r->diverged_at) {
        end_recording(k, false);
        return;
    }
    if (divergence_behind(r->codes[r->diverged_at - 1]) == GPU_DIVERGENCE_FREQUENT) {
        restore_retired(k, r->codes[r->diverged_at - 1]);
        return;
    }
    r->count = r->diverged_at;
    r->diverges[r->count - 1] = false;
    r->diverged_at = 0;
    end_diverged(k);
}

static uint64_t highest_address(const struct gpu_recording *r)
{
    uint64_t highest = 0;

    for (unsigned n = 0; n < r->count; n++)
        if (r->codes[n]->address > highest)
            highest = r->codes[n]->address;
    return highest;
}

/* Whether the lanes that are at the start of the recording again are in a loop that the others of
 * its lanes have left: they have ended, or wait behind all its bundles. */
static bool others_left_loop(const struct gpu_recording *r, const struct gpu_warp *w)
{
    uint32_t others = r->lanes & w->live & ~w->active;
    uint64_t highest = highest_address(r);

    for (; others; others &= others - 1)
        if (w->pc[__builtin_ctz(others)] <= highest)
            return false;
    return true;
}

/* Appends a bundle. The recording ends if it contains the bundle already. */
static void append_bundle(struct gpu_worker *k, const struct gpu_warp *w, struct gpu_code *code)
{
    struct gpu_recording *r = &k->recorded;
    unsigned n = 0;

    while (n < r->count && r->codes[n] != code)
        n++;
    if (n == r->count && n < GPU_TRACE_MAX) {
        r->diverges[n] = false;
        r->codes[r->count++] = code;
        memcpy(r->accesses, k->host.core.accesses, sizeof(r->accesses));
    } else if (r->diverged_at && code == r->codes[0] && others_left_loop(r, w)) {
        r->lanes_leave = true;
        end_recording(k, true);
    } else if (r->diverged_at) {
        gpu_record_finish(k);
    } else {
        end_recording(k, code == r->codes[0]);
    }
}

/* Whether a recording should wait for a row that shows patterns of registers: most lanes of this
 * one are elsewhere. */
static bool waits_for_lanes(const struct gpu_worker *k, const struct gpu_warp *w,
                            struct gpu_code *code)
{
    uint32_t hot = k->cores->translate_after;

    if (__builtin_popcount(w->active) >= GPU_PATTERN_LANES ||
        __builtin_popcount(w->live) < GPU_PATTERN_LANES ||
        __atomic_add_fetch(&code->thin, 1, __ATOMIC_RELAXED) > THIN_TRIES)
        return false;
    __atomic_store_n(&code->heat, hot - hot / THIN_REST, __ATOMIC_RELAXED);
    return true;
}

/* A bundle with traces may be recorded: none of them may be usable beside waiting lanes, and often
 * it became hot together with the bundles before it, while those were recorded. */
void gpu_record_bundle(struct gpu_worker *k, struct gpu_warp *w, struct gpu_code *code)
{
    struct gpu_recording *r = &k->recorded;

    if (lacks_divergence(r)) {
        drop_undiverged(k);
    } else if (r->count && r->diverged_at && w->active & ~r->lanes) {
        gpu_record_finish(k); /* lanes that waited all the time have joined */
    } else if (r->count) {
        if (r->diverged_at && w->active == r->lanes)
            r->diverged_at = 0;
        note_access_kinds(k);
        append_bundle(k, w, code);
    } else if (__atomic_load_n(&code->traces, __ATOMIC_RELAXED) < GPU_TRACES &&
               !waits_for_lanes(k, w, code)) {
        __atomic_store_n(&code->heat, 0, __ATOMIC_RELAXED);
        r->diverged_at = 0;
        r->diverged = r->lanes_leave = false;
        r->at_start = code == k->row_start;
        __atomic_store_n(&code->thin, 0, __ATOMIC_RELAXED);
        gpu_patterns_observe(r, w, k->cores->decoder.isa->register_count);
        append_bundle(k, w, code);
    }
}

/* Whether all lanes of the row end with the bundle. */
static bool row_ends(const struct gpu_warp *w, const struct gpu_code *code)
{
    uint32_t ended = code->flags & GPU_BUNDLE_END ? w->active & ~w->branched : w->ended;

    return !(w->live & ~(ended & w->active));
}

/* Whether the trace may contain a divergence here. It may if all other lanes of the row wait behind
 * its bundles, since the divergent lanes come to bundles of their own. */
static bool may_diverge(const struct gpu_worker *k, const struct gpu_warp *w,
                        const struct gpu_code *code, const struct gpu_front *front)
{
    if (k->recorded.diverged)
        return true;
    return front->lowest_waiting > highest_address(&k->recorded) && !w->barred &&
           !k->group->trace &&
           (divergence_behind(code) == GPU_DIVERGENCE_FREQUENT || !may_retry(k));
}

void gpu_record_turn(struct gpu_worker *k, const struct gpu_warp *w, const struct gpu_code *code,
                     const struct gpu_front *front)
{
    struct gpu_recording *r = &k->recorded;

    if (w->faulted | w->wait) {
        gpu_record_finish(k);
    } else if (row_ends(w, code) && lacks_divergence(r)) {
        drop_undiverged(k);
    } else if (row_ends(w, code)) {
        r->diverges[r->count - 1] = r->diverged_at != 0;
        note_access_kinds(k);
        end_recording(k, false);
    } else if (may_diverge(k, w, code, front)) {
        if (!r->diverged_at) {
            r->diverged_at = r->count;
            r->lanes = w->active;
        }
        r->diverged = true;
        r->diverges[r->count - 1] = true;
    } else {
        if (!r->diverged_at && (w->branched | w->ended))
            r->diverged_at = r->count;
        gpu_record_finish(k);
    }
}

bool gpu_records_anew(const struct gpu_worker *k, const struct gpu_trace *t,
                      const struct gpu_code *last)
{
    return !k->group->trace && !(last && divergence_behind(last) == GPU_DIVERGENCE_PERMANENT) &&
           __atomic_load_n(&t->codes[0]->traces, __ATOMIC_RELAXED) != GPU_TRACES;
}

void gpu_record_anew(struct gpu_worker *k, struct gpu_trace *t, struct gpu_code *last)
{
    struct gpu_code *first = t->codes[0];

    if (last)
        __atomic_store_n(&last->divergence, GPU_DIVERGENCE_FREQUENT, __ATOMIC_RELAXED);
    __atomic_store_n(&first->undiverged, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&first->heat, k->hot - 1, __ATOMIC_RELAXED);
    __atomic_store_n(&t->retired, true, __ATOMIC_RELAXED);
}

/* Whether rows often diverge behind a bundle where the trace has sides; no further trace is made
 * for them then. */
static bool stop_dividing(const struct gpu_trace *t)
{
    bool found = false;

    for (unsigned n = 0; n < t->count; n++) {
        if (!t->diverges[n] || divergence_behind(t->codes[n]) != GPU_DIVERGENCE_FREQUENT)
            continue;
        __atomic_store_n(&t->codes[n]->divergence, GPU_DIVERGENCE_PERMANENT, __ATOMIC_RELAXED);
        found = true;
    }
    return found;
}

void gpu_record_undo(struct gpu_trace *t)
{
    struct gpu_trace *older = NULL;

    for (struct gpu_trace *o = __atomic_load_n(&t->codes[0]->trace, __ATOMIC_ACQUIRE); o && o != t;
         o = __atomic_load_n(&o->next_trace, __ATOMIC_ACQUIRE))
        if (__atomic_load_n(&o->retired, __ATOMIC_RELAXED))
            older = o;
    if (older && t->diverges && stop_dividing(t))
        __atomic_store_n(&older->retired, false, __ATOMIC_RELAXED);
}

bool gpu_records_through(const struct gpu_worker *k)
{
    const struct gpu_recording *r = &k->recorded;

    return r->count && (r->diverged || r->at_start);
}
