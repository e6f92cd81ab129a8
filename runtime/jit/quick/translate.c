/* Translation of a trace: from its guest blocks to host code. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "runtime/base/alloc.h"
#include "runtime/jit/quick/commit.h"
#include "runtime/jit/quick/emit.h"
#include "runtime/jit/quick/job.h"
#include "runtime/jit/quick/target.h"

enum {
    NODE_BYTES = 24, /* bytes of code per node, about */
    ROOM = 4096,     /* further bytes */
    MAX_ROOM = 1 << 20,
};

/* ---- nodes ----------------------------------------------------------------------------------- */

static void append_exit(struct quick *q, unsigned source, struct q_side_exit out)
{
    struct q_node n = {.op = Q_EXIT, .imm = q->side_exits.len};

    out.source = (uint16_t)source;
    out.index = (uint16_t)(q->r->sources[source].count - 1);
    if (out.kind != Q_TO_KNOWN)
        n.in[0] = out.address;
    vec_push(&q->side_exits, out);
    q_append(q, n);
}

static bool crosses_page(const struct quick *q, int64_t from, int64_t to)
{
    int64_t base = (int64_t)(q->r->sources[0].pa & CPU_PAGE_MASK);

    return (base + from) >> CPU_PAGE_BITS != (base + to) >> CPU_PAGE_BITS;
}

/* Appends a check, by the jump cache, that another page is mapped as it was. */
static void append_page(struct quick *q, unsigned source, int64_t delta)
{
    struct q_side_exit out = {.kind = Q_TO_KNOWN,
                              .source = (uint16_t)source,
                              .index = (uint16_t)(q->r->sources[source].count - 1),
                              .delta = delta};

    vec_push(&q->side_exits, out);
    q_append(q, (struct q_node){
                    .op = Q_PAGE, .imm = q->side_exits.len - 1, .imm2 = (uint64_t)source + 1});
}

/* Bytes of the first instructions of a source. */
static int64_t skipped_bytes(const struct quick *q, const struct source *s)
{
    int64_t bytes = 0;

    for (unsigned k = 0; k < s->skips; k++)
        bytes += source_insn(q->r, s, k)->bytes;
    return bytes;
}

/* Appends one guest block; false: the trace ends with it. */
static bool append_source(struct quick *q, unsigned n)
{
    const struct source *s = &q->r->sources[n];
    const int64_t *next = n + 1 < q->r->source_count ? &q->r->sources[n + 1].delta : NULL;
    const struct q_block_facts *facts = q_facts_of(q, n);
    struct commit_end end = {0};
    unsigned k = 0;

    q_append(q, (struct q_node){.op = Q_HEAD, .imm = n, .imm2 = q->trace->choice});
    if (q->trace->choice) {
        q_append_skipped(q, n);
        k = s->skips;
    }
    q->trace->choice = 0;
    q->trace->may_skip =
        next && (q->flat || !crosses_page(q, s->delta, *next)) && q_can_skip(q, n + 1);
    q->trace->has_usual = !next && facts->has_usual;
    q->trace->usual_to = s->delta + facts->usual;
    if (q->trace->may_skip)
        q->trace->skip_to = *next + skipped_bytes(q, &q->r->sources[n + 1]);
    for (; k < s->count; k++)
        end = q_append_insn(q, n, k, k + 1 == s->count ? next : NULL);
    q->r->built++;
    if (next && end.known && end.delta == *next) {
        if (!q->flat && crosses_page(q, s->delta, *next))
            append_page(q, n, *next);
        return true;
    }
    if (end.known) {
        append_exit(q, n, (struct q_side_exit){.kind = Q_TO_KNOWN, .delta = end.delta});
    } else {
        append_exit(q, n, q_side_exit_of_end(q, &end));
    }
    return false;
}

/* ---- code ------------------------------------------------------------------------------------ */

/* Whether the trace has operations of floats; notes whether all of them are comparisons. */
static bool has_floats(struct quick *q)
{
    bool found = false;

    q->compares = true;
    for (uint32_t n = 1; n < q->nodes.len; n++) {
        if (!q_may_trap(q_node(q, n)))
            continue;
        found = true;
        q->compares &= q_is_comparison(q_node(q, n));
    }
    return found;
}

/* The exceptions of floats, behind the first head, where bridges enter: those of traces that have
 * set the same ones enter behind that. */
static void emit_traps(struct quick *q)
{
    bool is_inner = q->out.at == q->code->inner;

    q_target.set_traps(q);
    q->code->sets_traps = true;
    q->code->compares = q->compares;
    q->code->past_traps = is_inner ? q->out.at : NULL;
}

static void emit_nodes(struct quick *q)
{
    bool floats = q->tier->traps && has_floats(q);

    q->code->head = q->out.at;
    for (uint32_t n = 1; n < q->count && !q->failure; n++) {
        if (q_node(q, n)->op == Q_NOP)
            continue;
        q->at = n;
        q_node_begin(q);
        q_select_node(q);
        q_node_end(q);
        if (n == 1 && floats)
            emit_traps(q);
    }
    if (!q->failure)
        q_emit_cold(q);
}

/* Emits the code into `room` bytes. Nodes and tables are reset for each attempt. */
static bool emit_code(struct quick *q, enum arena_user user, size_t room)
{
    struct arena *a = &q->r->jit->arena;
    struct region *r = q->r;

    q->out.start = arena_take(a, user, room, ARENA_ALIGN, &r->chunk);
    if (!q->out.start) {
        q->failure = "there is no memory for code";
        return false;
    }
    q->out.at = q->out.start;
    q->out.end = q->out.start + room;
    q->out.write = a->write;
    q->out.full = false;
    q->pool.constants.len = q->pool.uses.len = 0;
    q->out.pool = q_target.emit_pool ? &q->pool : NULL;
    q_allocate_begin(q);
    q_exits_begin(q);
    emit_nodes(q);
    r->text_size = (size_t)(q->out.at - q->out.start);
    if (q->out.pool)
        q_target.emit_pool(&q->out);
    if (q->out.full && !q->failure)
        q->failure = "the code needs more room";
    __builtin___clear_cache((char *)q->out.start, (char *)q->out.at);
    r->code = r->entry = q->out.start;
    r->code_size = (size_t)(q->out.at - q->out.start);
    arena_trim(a, r->chunk, q->out.start, room, r->code_size);
    return !q->failure;
}

/* ---- the trace ------------------------------------------------------------------------------- */

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void append_all(struct quick *q)
{
    q_append(q, (struct q_node){.op = Q_NOP});
    for (unsigned n = 0; n < q->r->source_count && !q->trace->whole; n++) {
        if (!append_source(q, n))
            break;
    }
}

enum { PIECES = 2 /* writes of pieces of parts for each write of a whole part */ };

/* Whether the trace would rather have larger registers than their parts. */
static bool wants_wholes(const struct quick *q)
{
    const struct quick_trace *t = q->trace;

    return q->parts && (t->whole || t->piece_writes > PIECES * t->part_writes);
}

static void fail_translation(struct quick *q)
{
    struct region *r = q->r;

    snprintf(r->failure, sizeof(r->failure), "%s", q->failure);
    if (r->entry)
        arena_give(&r->jit->arena, r->chunk);
    r->code = r->entry = NULL;
    quick_free(r->job->code);
    r->job->code = NULL;
}

/* Buffers of translation, kept from one trace to the next. */
struct q_work {
    struct quick q;
    struct quick_record record;
    struct quick_trace trace;
    struct q_code spare; /* room for the tables of the next trace */
};

bool quick_has_traps(struct q_tier *t)
{
    struct error why;

    if (!t->asked_traps)
        t->traps = q_target.select_trap && q_target.has_traps() && quick_catch_faults(t, &why);
    t->asked_traps = true;
    return t->traps;
}

/* The buffers of one of the threads that translate. */
static struct q_work *work_of(struct q_tier *t, enum arena_user user)
{
    if (!t->work[user])
        t->work[user] = xcalloc(1, sizeof(*t->work[user]));
    return t->work[user];
}

/* Nothing of the trace is appended yet. */
static void begin_nodes(struct quick *q, bool parts)
{
    struct quick_trace *t = q->trace;
    size_t bytes = (q->map->slots.len + 1) * sizeof(*t->now);

    q->parts = parts;
    q->may_trap.count = 0;
    q->ahead = 0;
    q->code->inexact = false;
    q->r->built = 0;
    q->nodes.len = q->calls.len = q->side_exits.len = 0;
    t->now = xrealloc(t->now, bytes, 1);
    memset(t->now, 0, bytes);
    memset(t->shared, 0, sizeof(t->shared));
    t->facts.len = 0;
    t->may_skip = t->has_usual = t->whole = false;
    t->choice = 0;
    t->part_writes = t->piece_writes = 0;
}

static struct quick *begin_trace(struct jit *jit, struct region *r, struct q_work *w)
{
    w->q.head.backend = &quick_backend;
    w->q.r = r;
    w->q.map = r->map;
    w->q.tier = jit->quick;
    w->q.flat = r->flat;
    w->q.out.features = jit->quick->features;
    w->q.base_is_near = r->flat && q_target.is_near(r->flat_base);
    w->q.job = r->job;
    w->q.traps = r->job->traps;
    w->q.failure = NULL;
    w->q.record = &w->record;
    w->q.trace = &w->trace;
    w->q.code = r->job->code = xcalloc(1, sizeof(*r->job->code));
    quick_borrow(w->q.code, &w->spare);
    w->q.code->traps = w->q.traps;
    begin_nodes(&w->q, r->map->slots.len > r->map->first_part);
    return &w->q;
}

void quick_free_work(struct q_work *w)
{
    if (!w)
        return;
    record_free(&w->q);
    q_exits_free(&w->q);
    q_allocate_free(&w->q);
    vec_free(&w->q.pool.constants);
    vec_free(&w->q.pool.uses);
    vec_free(&w->q.detours);
    quick_free_tables(&w->spare);
    vec_free(&w->trace.undo);
    vec_free(&w->trace.facts);
    free(w->trace.now);
    vec_free(&w->q.nodes);
    vec_free(&w->q.calls);
    vec_free(&w->q.side_exits);
    free(w->q.next_use);
    free(w->q.first_write);
    free(w->q.lives);
    free(w);
}

void quick_translate(struct jit *jit, struct region *r, enum arena_user user)
{
    uint64_t from = now_ns();
    struct q_work *w = work_of(jit->quick, user);
    struct quick *q = begin_trace(jit, r, w);
    size_t room;

    append_all(q);
    if (wants_wholes(q)) {
        begin_nodes(q, false);
        append_all(q);
    }
    q_drop_nan_tests(q);
    q_narrow(q);
    q_keep_floats(q);
    q_drop_zeros(q);
    q_share_addends(q);
    q_join_halves(q);
    q_group_heads(q);
    q_liveness(q);
    q->count = (uint32_t)q->nodes.len;
    q_choose_entry(q);
    r->build_ns = now_ns() - from;
    if (jit->options.dump) {
        fprintf(stderr, "trace %#" PRIx64 "\n", r->pc);
        q_print(q);
    }
    room = ROOM + q->nodes.len * NODE_BYTES * 4;
    if (emit_code(q, user, room < MAX_ROOM ? room : MAX_ROOM))
        quick_fit(q->code, &w->spare);
    else
        fail_translation(q);
    r->emit_ns = now_ns() - from - r->build_ns;
}
