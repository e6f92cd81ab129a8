/* When a loop gets a function for rows abreast (abreast.c): after ROUNDS_HOT * hot rounds, in runs
 * of at least GPU_ABREAST_RUN. In shorter ones the rows' registers would be carried to and fro too
 * often. */
#include "runtime/gpu/shader/running.h"

enum { ROUNDS_HOT = 2 };

void gpu_abreast_heat(struct gpu_worker *k, struct gpu_trace *t, uint64_t rounds)
{
    struct gpu_shader *s = k->cores->job->shader;
    uint32_t runs;

    if (rounds < GPU_ABREAST_RUN)
        return;
    __atomic_store_n(&t->run_rounds, rounds, __ATOMIC_RELAXED);
    if (__atomic_load_n(&t->abreast_tried, __ATOMIC_RELAXED))
        return;
    runs = __atomic_load_n(&t->long_runs, __ATOMIC_RELAXED) + 1;
    if (runs / ROUNDS_HOT < k->hot / GPU_ABREAST_RUN) {
        __atomic_store_n(&t->long_runs, runs, __ATOMIC_RELAXED);
        return;
    }
    pthread_mutex_lock(&s->lock);
    gpu_trace_add_abreast(t, &k->cores->decoder, s);
    if (t->abreast && !s->abreast)
        __atomic_store_n(&s->abreast, t, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&s->lock);
}
