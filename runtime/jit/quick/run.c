/* Entering traces, and the ticks that they may use. */
#include "runtime/base/alloc.h"
#include "runtime/jit/quick/target.h"
#include "runtime/jit/quick/worker.h"

enum { THUNK_BYTES = 4096 };

uint64_t quick_refill(struct q_tier *q, struct cpu *cpu)
{
    int64_t budget = (int64_t)(cpu->stop_at - cpu->ticks);
    int64_t sample = q->hot ? (int64_t)(q->sample_at - cpu->ticks) : INT64_MAX, left = 0;

    if (!cpu->attention)
        left = budget < sample ? budget : sample;
    cpu->left_base = cpu->ticks + (uint64_t)left;
    return (uint64_t)left;
}

void quick_run(struct cpu *cpu, const struct insn *i)
{
    struct block *b = cpu->block;
    struct jit *jit = b->tier->opaque;
    struct q_tier *q = jit->quick;

    if (CPU_UNLIKELY(atomic_load_explicit(&jit->has_finished, memory_order_acquire))) {
        jit_install_finished(jit);
        if (i->fn != quick_run) {
            i->fn(cpu, i);
            return;
        }
    }
    if (CPU_UNLIKELY((int64_t)(cpu->ticks - q->retry_at) >= 0) && q->may_retry) {
        quick_retry(q, cpu);
        if (i->fn != quick_run) {
            i->fn(cpu, i);
            return;
        }
    }
    block_take_back(cpu, b);
    if (cpu->counts)
        --*block_runs(b, cpu->slot);
    cpu->region_pc = cpu->block_pc;
    q->sample_at = cpu->ticks + q->sample_left;
    quick_refill(q, cpu);
    if (CPU_UNLIKELY(!cpu->half[0])) {
        cpu->half[0] = cpu->half[1] = 0.5;
        for (unsigned n = 0; n < ARRAY_SIZE(cpu->half_single); n++)
            cpu->half_single[n] = 0.5F;
    }
    q->thunks.enter(cpu, b->host);
    q->sample_left = q->sample_at - cpu->ticks;
}

void quick_sample(struct q_tier *q, struct cpu *cpu, struct region *r)
{
    q->sample_at = cpu->ticks + SAMPLE_TICKS;
    if (++r->quick->samples != q->hot)
        return;
    if (queue_has_room(q->jit))
        jit_ask(q->jit, cpu, r->sources[0].block, cpu->region_pc);
    else
        r->quick->samples /= 2;
}

static bool make_thunks(struct q_tier *q, struct arena *a)
{
    struct q_thunks *t = &q->thunks;
    struct q_buffer out = {.start = arena_take(a, ARENA_GUEST, THUNK_BYTES, ARENA_ALIGN, &t->chunk),
                           .write = a->write,
                           .features = q->features};

    if (!out.start)
        return false;
    out.at = out.start;
    out.end = out.start + THUNK_BYTES;
    q_target.make_thunks(t, &out);
    __builtin___clear_cache((char *)out.start, (char *)out.at);
    return !out.full;
}

bool quick_start(struct jit *jit, struct error *err)
{
    struct q_tier *q;

    if (!q_target.is_supported(err))
        return false;
    q = xcalloc(1, sizeof(*q));
    q->jit = jit;
    q->run = quick_run;
    q->sample_left = SAMPLE_TICKS;
    if (q_target.find_features && !jit->options.base)
        q->features = q_target.find_features();
    if (!make_thunks(q, &jit->arena)) {
        free(q);
        return error_set(err, "the quick tier has no memory for code");
    }
    jit->quick = q;
    q->worker = worker_new(jit);
    return true;
}

void quick_stop(struct jit *jit)
{
    if (!jit->quick)
        return;
    quick_release_faults(jit->quick);
    for (unsigned n = 0; n < ARENA_USERS; n++)
        quick_free_work(jit->quick->work[n]);
    free(jit->quick);
    jit->quick = NULL;
}
