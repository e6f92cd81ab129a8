/*
 * Traces for time models. A running group has a writer for each of its rows. When the group ends,
 * the streams of its writers go to the job. When the job ends, it goes to the sink.
 *
 * Bounds      memory: GPU_TRACE_BYTES per job, and what one window adds to that: about 1 MB per
 *             traced group, as each executes GPU_WINDOW_BUNDLES
 */
#include "runtime/gpu/timing_capture.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/shader/core.h"
#include "runtime/gpu/walk.h"

enum {
    SPARE_BYTES = 1 << 16, /* buffer of a free writer */
    BLOCK_TURNS = 4,       /* times that a block occupies the GPU, at least */
};

/* The trace of a running group. */
struct gpu_group_trace {
    unsigned rows;
    struct timing_writer writer[];
};

struct gpu_job_trace {
    struct timing_job job;
    /* Group i >= first is traced if before <= (i - first) % sample_step < before + block. */
    uint64_t first, sample_step, before, block;
    bool chosen;  /* choose_again() has used the number of bundles per group */
    size_t bytes; /* bytes of groups that have ended */
    bool full;    /* no more groups are traced */
};

struct listener {
    gpu_timing_sink *sink;
    void *opaque;
};

struct gpu_timing {
    VEC(struct listener) listeners;
    uint64_t group_limit;
    struct gpu_timing_thin thin; /* share 0: off */
    size_t room;
    pthread_mutex_t lock; /* guards the members below, and the groups of jobs */
    VEC(struct timing_writer) free_writers;
};

void gpu_cores_timing(struct gpu_cores *c, uint64_t most_groups, gpu_timing_sink *sink,
                      void *opaque)
{
    struct gpu_timing *t = xcalloc(1, sizeof(*t));

    vec_push(&t->listeners, (struct listener){sink, opaque});
    t->group_limit = most_groups;
    t->room = GPU_TRACE_BYTES;
    pthread_mutex_init(&t->lock, NULL);
    gpu_timing_free(c->timing);
    c->timing = t;
    c->decoder.observed = true;
}

void gpu_cores_timing_also(struct gpu_cores *c, gpu_timing_sink *sink, void *opaque)
{
    vec_push(&c->timing->listeners, (struct listener){sink, opaque});
}

void gpu_cores_timing_thin(struct gpu_cores *c, const struct gpu_timing_thin *thin)
{
    c->timing->thin = *thin;
}

void gpu_timing_free(struct gpu_timing *t)
{
    if (!t)
        return;
    vec_free(&t->listeners);
    for (size_t i = 0; i < t->free_writers.len; i++)
        timing_writer_release(&t->free_writers.data[i]);
    vec_free(&t->free_writers);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

void gpu_timing_set_room(struct gpu_timing *t, size_t bytes)
{
    t->room = bytes;
}

/* ---- the sample ------------------------------------------------------------------------------ */

/* The work-groups that the GPU holds at once. */
static uint64_t groups_together(const struct gpu_compute *job)
{
    const struct gpu_variant *v = job->cores->variant;
    uint64_t per_core = v->max_threads / job->job.threads;

    return (per_core ? per_core : 1) * v->cores;
}

/* Most work-groups of a job that are traced, if they are thinned. `per_group` is the number of
 * bundles that warps execute per group; 0: not known. */
static uint64_t thin_groups(const struct gpu_compute *job, uint64_t per_group)
{
    const struct gpu_timing *t = job->cores->timing;
    uint64_t total = job->job.group_total, together = groups_together(job);
    uint64_t most = total / t->thin.share, wanted = total / t->thin.least_share;

    if (per_group && t->thin.bundles / per_group < wanted)
        wanted = t->thin.bundles / per_group;
    if (per_group && most < wanted)
        most = wanted;
    if (most > t->thin.turns * together)
        most = t->thin.turns * together;
    if (most < together)
        most = together;
    return t->group_limit && t->group_limit < most ? t->group_limit : most;
}

/* Chooses the groups from `first` on that are traced. Groups that run at the same time are
 * neighbours and share lines, so a thin sample consists of blocks of adjacent groups, evenly spaced
 * in the job. A block has at least BLOCK_TURNS times the groups that the GPU holds, so that not all
 * of its groups begin together. Changes nothing if too few groups follow `first`. */
static void choose_block(const struct gpu_compute *job, uint64_t first, uint64_t per_group)
{
    struct gpu_job_trace *t = job->trace;
    uint64_t most = thin_groups(job, per_group), left = job->job.group_total - first, blocks;

    blocks = most / (BLOCK_TURNS * groups_together(job));
    if (most > left)
        return;
    t->first = first;
    t->sample_step = blocks ? left / blocks : left;
    t->block = blocks ? most / blocks : most;
    t->before = (t->sample_step - t->block) / 2;
}

/* Chooses again when the first window has shown what groups execute. */
static void choose_again(struct gpu_compute *job)
{
    struct gpu_job_trace *t = job->trace;

    if (t->chosen || !job->cores->timing->thin.share || !job->next_group)
        return;
    t->chosen = true;
    if (t->block < t->sample_step && job->next_group <= t->before)
        choose_block(job, job->next_group, job->bundles / job->next_group + 1);
}

static bool is_sampled(const struct gpu_job_trace *t, uint64_t group)
{
    uint64_t at;

    if (group < t->first)
        return false;
    at = (group - t->first) % t->sample_step;
    return at >= t->before && at - t->before < t->block;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static unsigned lanes_of(const struct timing_job *job, unsigned row)
{
    unsigned left = job->group_threads - row * job->row_width;

    return left < job->row_width ? left : job->row_width;
}

void gpu_timing_group_begin(const struct gpu_compute *job, struct gpu_group *g)
{
    struct gpu_timing *t = job->cores->timing;
    struct gpu_group_trace *it;

    if (!job->trace || job->trace->full || !is_sampled(job->trace, g->index))
        return;
    it = xcalloc(1, sizeof(*it) + g->rows * sizeof(*it->writer));
    it->rows = g->rows;
    pthread_mutex_lock(&t->lock);
    for (unsigned i = 0; i < it->rows; i++) {
        unsigned lanes = lanes_of(&job->trace->job, i);

        if (t->free_writers.len)
            it->writer[i] = t->free_writers.data[--t->free_writers.len];
        timing_writer_begin(&it->writer[i], lanes >= 32 ? UINT32_MAX : (1u << lanes) - 1);
    }
    pthread_mutex_unlock(&t->lock);
    g->trace = it;
}

/* Frees the writers of a group. Under the lock. */
static void close_group(struct gpu_timing *t, struct gpu_group *g)
{
    for (unsigned i = 0; i < g->trace->rows; i++) {
        struct timing_writer *w = &g->trace->writer[i];

        if (w->out.cap > SPARE_BYTES)
            timing_writer_release(w);
        vec_push(&t->free_writers, *w);
    }
    free(g->trace);
    g->trace = NULL;
}

void gpu_timing_group_end(struct gpu_worker *k, struct gpu_group *g)
{
    struct gpu_timing *t = k->cores->timing;
    struct gpu_job_trace *job = k->cores->job->trace;
    struct timing_group out = {.index = g->index, .row_count = g->rows};

    out.rows = xcalloc(g->rows, sizeof(*out.rows));
    for (unsigned i = 0; i < g->rows; i++) {
        out.rows[i].lanes = lanes_of(&job->job, i);
        timing_writer_end(&g->trace->writer[i], &out.rows[i]);
    }
    pthread_mutex_lock(&t->lock);
    vec_push(&job->job.groups, out);
    for (unsigned i = 0; i < g->rows; i++)
        job->bytes += out.rows[i].bytes;
    close_group(t, g);
    pthread_mutex_unlock(&t->lock);
}

void gpu_timing_group_drop(struct gpu_cores *c, struct gpu_group *g)
{
    pthread_mutex_lock(&c->timing->lock);
    close_group(c->timing, g);
    pthread_mutex_unlock(&c->timing->lock);
}

/* Bytes of the group's trace so far. */
static size_t bytes_of(const struct gpu_group *g)
{
    size_t sum = 0;

    for (unsigned i = 0; g->trace && i < g->trace->rows; i++)
        sum += g->trace->writer[i].out.len;
    return sum;
}

void gpu_timing_window_end(struct gpu_compute *job)
{
    const struct gpu_window *w = &job->window;
    size_t bytes, room;

    if (!job->trace)
        return;
    choose_again(job);
    bytes = job->trace->bytes;
    room = job->cores->timing->room;
    for (unsigned i = 0; i < w->unfinished; i++)
        bytes += bytes_of(w->group[i]);
    job->trace->full |= bytes > room;
    for (unsigned i = w->unfinished; bytes > room && i--;)
        if (w->group[i]->trace) {
            bytes -= bytes_of(w->group[i]);
            gpu_timing_group_drop(job->cores, w->group[i]);
        }
}

/* ---- what host code notes -------------------------------------------------------------------- */

enum { LOG_BYTES = 1 << 16 }; /* size of the log per run of host code, unless a round needs more */

static void make_room(struct gpu_access_log *log, size_t bytes)
{
    size_t used = (size_t)(log->at - log->start), size = (size_t)(log->end - log->start);

    if (size - used >= bytes)
        return;
    size = 2 * (used + bytes);
    log->start = xrealloc(log->start, size, 1);
    log->at = log->start + used;
    log->end = log->start + size;
}

uint64_t gpu_timing_before_trace(struct gpu_worker *k, const struct gpu_trace *t, uint64_t rounds)
{
    uint64_t most = LOG_BYTES / (t->note_bytes + 1) + 1;

    rounds = rounds < most ? rounds : most;
    k->host.log.at = k->host.log.start;
    k->host.log.unchecked_bytes = rounds * t->note_bytes + 1;
    make_room(&k->host.log, k->host.log.unchecked_bytes);
    k->host.log.host_notes = k->host.log.host_notes_only = 1;
    k->host.log.by_handler = false;
    return rounds;
}

static enum timing_access access_of(enum gpu_access access, enum gpu_access_counter kind)
{
    static const enum timing_access loads[] = {
        [GPU_COUNT_GLOBAL_READ] = TIMING_LOAD,
        [GPU_COUNT_LOCAL_READ] = TIMING_GROUP_LOAD,
        [GPU_COUNT_THREAD_READ] = TIMING_THREAD_LOAD,
    };

    if (access == GPU_ACCESS_READ)
        return loads[kind];
    switch (loads[kind]) {
    case TIMING_LOAD:
        return access == GPU_ACCESS_ATOMIC ? TIMING_ATOMIC : TIMING_STORE;
    case TIMING_GROUP_LOAD:
        return access == GPU_ACCESS_ATOMIC ? TIMING_GROUP_ATOMIC : TIMING_GROUP_STORE;
    default:
        return TIMING_THREAD_STORE;
    }
}

/* The kind of memory at an address, as a trace stores it. */
static enum timing_access access_at(const struct gpu_compute_job *job, enum gpu_access access,
                                    uint64_t va)
{
    enum gpu_access_counter kind = GPU_COUNT_GLOBAL_READ;

    if (job->local_bytes || job->thread_bytes)
        kind = gpu_kind_of_page(job, va >> GPU_TLB_PAGE_SHIFT);
    return access_of(access, kind);
}

static const uint8_t *replay_note(const struct gpu_compute_job *job, struct timing_writer *writer,
                                  const uint8_t *at, unsigned lanes)
{
    struct gpu_access_note note;
    uint64_t address[GPU_MAX_LANES];
    uint32_t left, same = 0;

    memcpy(&note, at, sizeof(note));
    at += sizeof(note);
    if (note.is_uniform) {
        enum timing_access access = access_at(job, (enum gpu_access)note.access, note.address);

        if (note.by_handler)
            timing_writer_access(writer, access, (unsigned)__builtin_ctz(note.lanes), note.address,
                                 note.bytes);
        else
            timing_writer_touch_one(writer, access, note.lanes, note.address, note.bytes);
        return at;
    }
    memcpy(address, at, lanes * sizeof(*address));
    /* each iteration handles the lanes of one kind of memory */
    for (left = note.lanes; left; left &= ~same) {
        enum timing_access access =
            access_at(job, (enum gpu_access)note.access, address[__builtin_ctz(left)]);

        same = left;
        for (uint32_t l = left; l && (job->local_bytes || job->thread_bytes); l &= l - 1)
            if (access_at(job, (enum gpu_access)note.access, address[__builtin_ctz(l)]) != access)
                same &= ~(l & -l);
        timing_writer_touch(writer, access, same, address, note.bytes);
    }
    return at + lanes * sizeof(*address);
}

static bool is_by_handler(const uint8_t *at, const uint8_t *end)
{
    struct gpu_access_note note;

    if (at == end)
        return false;
    memcpy(&note, at, sizeof(note));
    return note.by_handler;
}

/* A reader of the notes that host code made, in their order. */
struct replay {
    const struct gpu_compute_job *job;
    const struct gpu_trace *trace;
    struct timing_writer *writer;
    const uint8_t *at, *end;
    uint32_t active;
    unsigned lanes;
};

/* Replays the first `count` bundles of a round. */
static void replay_round(struct replay *r, unsigned count)
{
    for (unsigned n = 0; n < count; n++) {
        uint32_t index = r->trace->codes[n]->index;

        r->writer->bundle = index;
        for (unsigned i = 0; i < r->trace->note_counts[n]; i++) {
            r->at = replay_note(r->job, r->writer, r->at, r->lanes);
            while (is_by_handler(r->at, r->end))
                r->at = replay_note(r->job, r->writer, r->at, r->lanes);
        }
        timing_writer_bundle(r->writer, index, r->active);
    }
}

/* ---- rounds that are alike ------------------------------------------------------------------- */

/* The accesses of a loop usually advance by the same step in each round. Such rounds are compared
 * by their notes and need not be replayed one by one. */

enum { MOST_NOTES = 32, STEADY = 2 };

/* The step by which all lanes of a note advance per round. */
struct step {
    size_t head, address; /* offsets in the notes of a round */
    unsigned count;       /* number of addresses */
    uint64_t head_word;   /* head of the note */
    uint64_t lane_step;
};

static uint64_t word_at(const uint8_t *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof(word));
    return word;
}

static struct step step_of(const struct replay *r, const uint8_t *last, size_t at, size_t *behind)
{
    struct gpu_access_note note;
    struct step s = {.head = at, .head_word = word_at(last + at)};

    memcpy(&note, last + at, sizeof(note));
    s.address = at + (note.is_uniform ? offsetof(struct gpu_access_note, address) : sizeof(note));
    s.count = !note.lanes ? 0 : note.is_uniform ? 1 : r->lanes;
    if (s.count)
        s.lane_step = word_at(last + s.address) - word_at(last - r->trace->note_bytes + s.address);
    *behind = at + sizeof(note) + (note.is_uniform ? 0 : r->lanes * sizeof(uint64_t));
    return s;
}

/* Determines the steps from the last two replayed rounds. Accesses of one bundle, which may be
 * written as one, must have the same step. Returns the number of notes; 0: the rounds do not
 * advance by steps. */
static unsigned take_steps(const struct replay *r, struct step *steps)
{
    const uint8_t *last = r->at - r->trace->note_bytes;
    unsigned count = 0;
    size_t at = 0;

    for (unsigned n = 0; n < r->trace->count; n++)
        for (unsigned i = 0; i < r->trace->note_counts[n]; i++) {
            if (count == MOST_NOTES)
                return 0;
            steps[count] = step_of(r, last, at, &at);
            if (i && steps[count].lane_step != steps[count - 1].lane_step)
                return 0;
            count++;
        }
    return count;
}

static bool is_of_one_kind(const struct gpu_compute_job *job, uint64_t a, uint64_t b)
{
    a >>= GPU_TLB_PAGE_SHIFT;
    b >>= GPU_TLB_PAGE_SHIFT;
    return a == b || gpu_kind_of_page(job, a) == gpu_kind_of_page(job, b);
}

/* Number of rounds, at most `most`, whose note has the same head. */
static uint64_t rounds_of_head(const struct replay *r, const struct step *s, const uint8_t *round,
                               uint64_t most)
{
    for (uint64_t n = 0; n < most; n++, round += r->trace->note_bytes)
        if (word_at(round + s->head) != s->head_word)
            return n;
    return most;
}

/* Number of rounds, at most `most`, in which an address advances by the step. */
static uint64_t rounds_of_one(const struct replay *r, uint64_t by, const uint8_t *at, uint64_t most)
{
    uint64_t wanted = word_at(at - r->trace->note_bytes);

    for (uint64_t n = 0; n < most; n++, at += r->trace->note_bytes)
        if (word_at(at) != (wanted += by))
            return n;
    return most;
}

/* Addresses that the host processes at once in the notes, and the number of them per test. */
typedef uint64_t two __attribute__((vector_size(16)));
typedef uint64_t two_noted __attribute__((vector_size(16), may_alias, aligned(1)));
enum { TWOS = 8, TOGETHER = 2 * TWOS };

/* Does the same for TOGETHER adjacent addresses. */
static uint64_t rounds_of_many(const struct replay *r, uint64_t by, const uint8_t *at,
                               uint64_t most)
{
    const two_noted *noted = (const two_noted *)(at - r->trace->note_bytes);
    two wanted[TWOS];

#pragma GCC unroll 8
    for (unsigned i = 0; i < TWOS; i++)
        wanted[i] = noted[i];
    for (uint64_t n = 0; n < most; n++, at += r->trace->note_bytes) {
        two wrong = {0};

        noted = (const two_noted *)at;
#pragma GCC unroll 8
        for (unsigned i = 0; i < TWOS; i++) {
            wanted[i] += by;
            wrong |= noted[i] ^ wanted[i];
        }
        if (wrong[0] | wrong[1])
            return n;
    }
    return most;
}

/* Number of rounds, at most `most`, in which the kind of an address's memory is that of the round
 * before. */
static uint64_t rounds_of_kind(const struct replay *r, const uint8_t *at, uint64_t most)
{
    if (!r->job->local_bytes && !r->job->thread_bytes)
        return most;
    for (uint64_t n = 0; n < most; n++, at += r->trace->note_bytes)
        if (!is_of_one_kind(r->job, word_at(at), word_at(at - r->trace->note_bytes)))
            return n;
    return most;
}

static uint64_t rounds_of_step(const struct replay *r, const struct step *s, const uint8_t *round,
                               uint64_t most)
{
    const uint8_t *at = round + s->address;
    unsigned l = 0;

    most = rounds_of_head(r, s, round, most);
    for (; l + TOGETHER <= s->count; l += TOGETHER)
        most = rounds_of_many(r, s->lane_step, at + 8 * l, most);
    for (; l < s->count; l++)
        most = rounds_of_one(r, s->lane_step, at + 8 * l, most);
    for (l = 0; l < s->count; l++)
        most = rounds_of_kind(r, at + 8 * l, most);
    return most;
}

/* Number of rounds, at most `most`, that advance like the last two replayed ones. */
static uint64_t rounds_alike(const struct replay *r, uint64_t most)
{
    struct step steps[MOST_NOTES];
    unsigned count = take_steps(r, steps);
    uint64_t rounds = most + 2;

    for (unsigned i = 0; i < count; i++)
        rounds = rounds_of_step(r, &steps[i], r->at - 2 * r->trace->note_bytes, rounds);
    return !count || rounds < 2 ? 0 : rounds - 2;
}

/* Replays whole rounds. */
static void replay_rounds(struct replay *r, uint64_t rounds, bool may_be_alike)
{
    unsigned steady = 0;

    for (uint64_t n = 0; n < rounds; n++) {
        struct timing_mark before = timing_writer_mark(r->writer);
        uint64_t alike;

        replay_round(r, r->trace->count);
        steady = may_be_alike && timing_writer_is_steady(r->writer, &before) ? steady + 1 : 0;
        if (steady < STEADY || n < STEADY) /* the rounds before them are compared as well */
            continue;
        alike = timing_writer_again(r->writer, &before, rounds_alike(r, rounds - n - 1));
        r->at += alike * r->trace->note_bytes;
        n += alike;
        steady = 0;
    }
}

void gpu_timing_after_trace(struct gpu_worker *k, const struct gpu_warp *w,
                            const struct gpu_trace *t, uint64_t done)
{
    struct replay r = {.job = &k->cores->job->job,
                       .trace = t,
                       .writer = &k->group->trace->writer[w->index],
                       .at = k->host.log.start,
                       .end = k->host.log.at,
                       .active = w->active,
                       .lanes = w->lanes};

    k->host.log.host_notes = k->host.log.host_notes_only = 0;
    k->host.log.unchecked_bytes = 0;
    replay_rounds(&r, done >> 16, !k->host.log.by_handler);
    replay_round(&r, (unsigned)(done & 0xffff) + 1);
    if (w->wait == GPU_WARP_BARRIER)
        timing_writer_barrier(r.writer);
}

/* ---- what rows do ---------------------------------------------------------------------------- */

void gpu_timing_bundle(struct gpu_worker *k, const struct gpu_warp *w, const struct gpu_code *code)
{
    struct timing_writer *writer = &k->group->trace->writer[w->index];

    timing_writer_bundle(writer, code->index, w->active);
    if (w->wait == GPU_WARP_BARRIER)
        timing_writer_barrier(writer);
}

/* Writes an access by a handler that host code called: it follows the note of the call. */
static void note_by_handler(struct gpu_worker *k, uint64_t va, unsigned bytes,
                            enum gpu_access access)
{
    struct gpu_access_log *log = &k->host.log;
    struct gpu_access_note note = {.lanes = 1u << k->host.core.lane,
                                   .bytes = (uint8_t)bytes,
                                   .access = (uint8_t)access,
                                   .is_uniform = true,
                                   .by_handler = true,
                                   .address = va};

    log->by_handler = true;
    make_room(log, sizeof(note) + log->unchecked_bytes);
    memcpy(log->at, &note, sizeof(note));
    log->at += sizeof(note);
}

void gpu_timing_access(struct gpu_worker *k, const struct gpu_warp *w, uint64_t va, unsigned bytes,
                       enum gpu_access access, enum gpu_access_counter kind)
{
    if (k->host.log.unchecked_bytes) {
        note_by_handler(k, va, bytes, access);
        return;
    }
    timing_writer_access(&k->group->trace->writer[w->index], access_of(access, kind),
                         k->host.core.lane, va, bytes);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static bool decode_bundle(void *opaque, const struct gpu_walked *bundle)
{
    struct gpu_compute *job = opaque;
    struct gpu_code *code;
    bool valid = false;

    if (gpu_shader_find(job->shader, bundle->address))
        return true;
    code = gpu_decode_bundle(&job->cores->decoder, job->shader, bundle->code, bundle->available,
                             bundle->address, &valid);
    if (valid && job->shader->code_count < GPU_MAX_BUNDLES)
        gpu_shader_insert(job->shader, code);
    else
        free(code);
    return valid;
}

/* Decodes the whole shader before it runs, so that bundle numbers do not depend on the order of
 * groups. */
static void number_bundles(struct gpu_compute *job)
{
    const struct gpu_isa *isa = job->cores->decoder.isa;

    pthread_mutex_lock(&job->shader->lock);
    if (!job->shader->code_count && isa->disasm_bundle &&
        job->shader->address % isa->grain_bytes == 0)
        gpu_walk_shader(isa, job->as, job->shader->address, job->shader->uniforms, decode_bundle,
                        job);
    pthread_mutex_unlock(&job->shader->lock);
}

void gpu_timing_job_begin(struct gpu_compute *job)
{
    const struct gpu_decoder *d = &job->cores->decoder;
    struct gpu_job_trace *t = xcalloc(1, sizeof(*t));

    number_bundles(job);
    t->job = (struct timing_job){
        .header = job->job.header,
        .shader = job->job.shader_address,
        .group_threads = job->job.threads,
        .warp_width = d->width,
        .row_width = d->row,
        .group_total = job->job.group_total,
    };
    t->block = 1;
    t->sample_step = timing_sample_step(t->job.group_total, job->cores->timing->group_limit);
    job->trace = t;
    if (!job->cores->timing->thin.share)
        return;
    t->sample_step = 1;
    choose_block(job, 0, 0);
}

struct timing_bundle gpu_timing_bundle_of(const struct gpu_code *c)
{
    const uint16_t *words = c->profile.instructions;

    return (struct timing_bundle){
        .address = c->address,
        .bytes = c->bytes,
        .stages = c->profile.stages,
        .words =
            {
                [TIMING_PIPE_ARITHMETIC] = (uint8_t)words[GPU_CLASS_ARITHMETIC],
                [TIMING_PIPE_MEMORY] = (uint8_t)words[GPU_CLASS_LOAD_STORE],
                [TIMING_PIPE_CONTROL] = (uint8_t)words[GPU_CLASS_CONTROL],
                [TIMING_PIPE_TEXTURE] = (uint8_t)words[GPU_CLASS_ATTRIBUTE],
            },
        .slot = (uint8_t)(c->flags / GPU_BUNDLE_SLOT % 16 - 1), /* 255: none */
        .waits = (uint8_t)(c->flags / GPU_BUNDLE_WAITS),
    };
}

static int by_index(const void *a, const void *b)
{
    const struct timing_group *x = a, *y = b;

    return x->index < y->index ? -1 : x->index > y->index;
}

void gpu_timing_job_end(struct gpu_compute *job)
{
    struct gpu_timing *t = job->cores->timing;
    struct gpu_job_trace *it = job->trace;

    if (!it)
        return;
    job->trace = NULL;
    it->job.cores = job->core_bits;
    it->job.executed = job->sum.bundles;
    for (unsigned i = 0; i < job->shader->code_count; i++)
        vec_push(&it->job.bundles, gpu_timing_bundle_of(job->shader->codes[i]));
    if (it->job.groups.len > 1)
        qsort(it->job.groups.data, it->job.groups.len, sizeof(*it->job.groups.data), by_index);
    for (size_t i = 0; it->job.groups.len && i < t->listeners.len; i++)
        t->listeners.data[i].sink(t->listeners.data[i].opaque, &it->job);
    timing_job_release(&it->job);
    free(it);
}
