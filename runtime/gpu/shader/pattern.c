/*
 * What is known of registers where a loop begins, so that host code of the loop computes with one
 * word in place of one per lane: a register is the same in all active lanes, as the counter of a
 * loop, or grows by a constant step from lane to lane, as the position of a thread.
 *
 * The recorded row shows which registers these are. Host code keeps those that the loop itself
 * preserves (translate/loop.c), and rows that enter it are tested for them.
 *
 * Bounds      GPU_PATTERNS registers per recording
 */
#include "runtime/gpu/shader/running.h"

/* The word of the first lane, so that active lane l has it plus l * `step`. */
static uint32_t first_word(const uint32_t *words, unsigned lane, uint32_t step)
{
    return words[lane] - lane * step;
}

/* Whether the active lanes' words grow by `step` from lane to lane. */
static bool has_pattern(const struct gpu_warp *w, const uint32_t *words, uint32_t step)
{
    uint32_t first = first_word(words, (unsigned)__builtin_ctz(w->active), step), differ = 0;

    for (unsigned l = 0; l < w->lanes; l++)
        differ |= (words[l] - first - l * step) & (w->active >> l & 1 ? UINT32_MAX : 0);
    return !differ;
}

/* The step from lane to lane between the first two active lanes. */
static uint32_t step_of(const struct gpu_warp *w, const uint32_t *words)
{
    int first = __builtin_ctz(w->active), second = __builtin_ctz(w->active & (w->active - 1));

    return (uint32_t)((int32_t)(words[second] - words[first]) / (second - first));
}

void gpu_patterns_observe(struct gpu_recording *r, struct gpu_warp *w, unsigned registers)
{
    r->pattern_count = 0;
    if (__builtin_popcount(w->active) < GPU_PATTERN_LANES)
        return;
    for (unsigned n = 0; n < registers && r->pattern_count < GPU_PATTERNS; n++) {
        uint32_t step = step_of(w, gpu_slot(w, n));

        if (has_pattern(w, gpu_slot(w, n), step))
            r->patterns[r->pattern_count++] = (struct gpu_pattern){(uint16_t)n, step};
    }
}

bool gpu_patterns_hold(const struct gpu_trace *t, struct gpu_warp *w)
{
    for (unsigned n = 0; n < t->pattern_count; n++)
        if (!has_pattern(w, gpu_slot(w, t->patterns[n].slot), t->patterns[n].step))
            return false;
    return true;
}
