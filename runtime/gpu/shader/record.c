/*
 * Which bundles follow each other: what a worker executes from a hot one on, for a trace.
 *
 * Bounds      GPU_TRACE_MAX bundles a recording, GPU_TRACES traces a bundle
 */
#include "runtime/gpu/shader/running.h"

/* A recording whose row parts is made anew so often, so many executions later: no round number, as groups have. */
enum { PARTED_TRIES = 3, PARTED_REST = 37 };

/* Makes a trace of what was recorded. */
static void end_recording(struct gpu_worker *k, bool loops)
{
    struct gpu_shader *s = k->cores->job->shader;
    struct gpu_code *first = k->recorded[0];
    struct gpu_trace **end = &first->trace, *made;

    pthread_mutex_lock(&s->lock);
    if (first->traces < GPU_TRACES) {
        made = gpu_trace_new(k->cores->translator, &k->cores->decoder, s, k->recorded,
                             k->recorded_count, loops);
        while (*end)
            end = &(*end)->other;
        __atomic_store_n(end, made, __ATOMIC_RELEASE);
        __atomic_store_n(&first->traces, made ? first->traces + 1 : GPU_TRACES, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&s->lock);
    k->recorded_count = 0;
}

/* What was recorded is the way of a row that parted; others may go on together, as most of an image beside those at its
 * edge do: one that comes soon is recorded in its place, unless that was tried before. */
static void end_parted(struct gpu_worker *k)
{
    struct gpu_code *first = k->recorded[0];
    uint32_t hot = k->cores->translate_after;
    uint32_t tries = __atomic_load_n(&first->parted, __ATOMIC_RELAXED);

    if (tries >= PARTED_TRIES || hot <= PARTED_REST) {
        end_recording(k, false);
        return;
    }
    __atomic_store_n(&first->parted, tries + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&first->heat, hot - PARTED_REST, __ATOMIC_RELAXED);
    k->recorded_count = 0;
}

/* Notes a bundle behind the others; the recording ends where one comes that it has. */
static void note(struct gpu_worker *k, struct gpu_code *code)
{
    unsigned n = 0;

    while (n < k->recorded_count && k->recorded[n] != code)
        n++;
    if (n < k->recorded_count || n == GPU_TRACE_MAX)
        end_recording(k, code == k->recorded[0]);
    else
        k->recorded[k->recorded_count++] = code;
}

/* That the bundle has traces does not mean that one can run beside lanes that wait; and often it grew hot with those
 * before it, while they were recorded. */
void gpu_record_bundle(struct gpu_worker *k, struct gpu_code *code)
{
    if (k->recorded_count) {
        note(k, code);
    } else if (__atomic_load_n(&code->traces, __ATOMIC_RELAXED) < GPU_TRACES) {
        __atomic_store_n(&code->heat, 0, __ATOMIC_RELAXED);
        k->recorded[k->recorded_count++] = code;
    }
}

void gpu_record_finish(struct gpu_worker *k, bool parted)
{
    if (parted)
        end_parted(k);
    else
        end_recording(k, false);
}

bool gpu_records_thread(const struct gpu_worker *k)
{
    return k->recorded_count && k->recorded[0]->address == k->cores->job->job.shader_address;
}
