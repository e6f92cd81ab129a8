/*
 * Performance counters: a block of 64 for the job manager, the tiler, each slice of the memory
 * system and each shader core, dumped to memory on command.
 *
 * What is counted here is counted since the last dump or clear; what is not modelled stays 0. The
 * cores' work is spread evenly over the core blocks: which core ran a work-group depends on the host.
 */
#include <string.h>

#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/internal.h"
#include "runtime/gpu/stats.h"

#define BLOCK_WORDS (MALI_PERFCNT_BLOCK_BYTES / 4)

/* ---- registers ------------------------------------------------------------------------------- */

static uint32_t *enable_of(struct gpu_perfcnt *p, uint32_t offset)
{
    switch (offset) {
    case MALI_PRFCNT_JM_EN:
        return &p->enable[GPU_BLOCK_JOBS];
    case MALI_PRFCNT_TILER_EN:
        return &p->enable[GPU_BLOCK_TILER];
    case MALI_PRFCNT_MMU_L2_EN:
        return &p->enable[GPU_BLOCK_MEMORY];
    case MALI_PRFCNT_SHADER_EN:
        return &p->enable[GPU_BLOCK_SHADER];
    case MALI_PRFCNT_CONFIG:
        return &p->config;
    }
    return NULL;
}

bool gpu_perfcnt_read(struct gpu *gpu, uint32_t offset, uint32_t *value)
{
    const uint32_t *word = enable_of(&gpu->perfcnt, offset);

    if (word)
        *value = *word;
    else if (offset == MALI_PRFCNT_BASE_LO || offset == MALI_PRFCNT_BASE_HI)
        *value = gpu_half(gpu->perfcnt.base, offset == MALI_PRFCNT_BASE_HI);
    else
        return false;
    return true;
}

bool gpu_perfcnt_write(struct gpu *gpu, uint32_t offset, uint32_t value)
{
    uint32_t *word = enable_of(&gpu->perfcnt, offset);

    if (word)
        *word = value;
    else if (offset == MALI_PRFCNT_BASE_LO || offset == MALI_PRFCNT_BASE_HI)
        gpu_set_half(&gpu->perfcnt.base, offset == MALI_PRFCNT_BASE_HI, value);
    else
        return false;
    return true;
}

bool gpu_perfcnt_active(const struct gpu *gpu)
{
    return (gpu->perfcnt.config & MALI_PRFCNT_CONFIG_MODE) >> MALI_PRFCNT_CONFIG_MODE_SHIFT !=
           MALI_PRFCNT_MODE_OFF;
}

/* ---- what is counted ------------------------------------------------------------------------- */

static void set(uint8_t *block, size_t offset, uint64_t value)
{
    le_put(block + offset, 4, value > UINT32_MAX ? UINT32_MAX : value);
}

static void fill_jobs(const struct gpu *gpu, uint8_t *block)
{
    const size_t slot_bytes =
        MALI_PERFCNT_JOBS_SLOT_1_JOBS_OFFSET - MALI_PERFCNT_JOBS_SLOT_0_JOBS_OFFSET;

    set(block, MALI_PERFCNT_JOBS_GPU_ACTIVE_OFFSET, gpu->perfcnt.active_cycles);
    set(block, MALI_PERFCNT_JOBS_IRQS_OFFSET, gpu->perfcnt.irqs);
    for (unsigned n = 0; n < MALI_PERFCNT_SLOTS; n++) {
        const struct gpu_slot_count *s = &gpu->perfcnt.slot[n];

        set(block, n * slot_bytes + MALI_PERFCNT_JOBS_SLOT_0_JOBS_OFFSET, s->jobs);
        set(block, n * slot_bytes + MALI_PERFCNT_JOBS_SLOT_0_TASKS_OFFSET, s->tasks);
        set(block, n * slot_bytes + MALI_PERFCNT_JOBS_SLOT_0_ACTIVE_OFFSET, s->active_cycles);
    }
}
