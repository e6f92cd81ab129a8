/*
 * Performance counters: a block of 64 for the job manager, the tiler, each slice of the memory
 * system and each shader core, dumped to memory on command.
 *
 * Counters count from the last dump or clear; those that are not modelled stay 0. Cycles of each
 * core are counted. The cores' other counts are divided in proportion to these cycles, since the
 * host decides which core runs a work-group; evenly, while no job has ended.
 *
 * Bounds      a dump: the blocks that the variant has
 */
#include <string.h>

#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/internal.h"
#include "runtime/gpu/stats.h"

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

/* ---- blocks ---------------------------------------------------------------------------------- */

struct block {
    uint8_t bytes[MALI_PERFCNT_BLOCK_BYTES];
};

static void set_counter(struct block *b, size_t offset, uint64_t value)
{
    le_put(b->bytes + offset, 4, value > UINT32_MAX ? UINT32_MAX : value);
}

static void fill_jobs(const struct gpu *gpu, struct block *b)
{
    set_counter(b, MALI_PERFCNT_JOBS_GPU_ACTIVE_OFFSET, gpu->perfcnt.active_cycles);
    for (unsigned n = 0; n < MALI_PERFCNT_SLOTS; n++) {
        const struct gpu_slot_count *s = &gpu->perfcnt.slot[n];
        size_t at = MALI_PERFCNT_JOBS_SLOTS_OFFSET + n * MALI_PERFCNT_SLOT_BYTES;

        set_counter(b, at + MALI_PERFCNT_SLOT_JOBS_OFFSET, s->jobs);
        set_counter(b, at + MALI_PERFCNT_SLOT_TASKS_OFFSET, s->tasks);
        set_counter(b, at + MALI_PERFCNT_SLOT_ACTIVE_OFFSET, s->active_cycles);
    }
}

/* Part `nth` of `total` divided into `parts`; the first parts have the remainder. */
static uint64_t share_of(uint64_t total, unsigned parts, unsigned nth)
{
    return parts ? total / parts + (nth < total % parts) : 0;
}

/* Cycles for which the first `cores` shader cores were active since the last dump. */
static uint64_t active_of_first(const struct gpu *gpu, unsigned cores)
{
    const uint64_t *now = gpu->cores ? gpu_cores_active(gpu->cores) : NULL;
    uint64_t sum = 0;

    for (unsigned i = 0; now && i < cores && i < GPU_MAX_CORES; i++)
        sum += now[i] - gpu->perfcnt.core_active[i];
    return sum;
}

/* The part of a shader core in what all cores counted. The parts add up to the count. */
static uint64_t core_share(const struct gpu *gpu, uint64_t count, unsigned nth)
{
    uint64_t all = active_of_first(gpu, gpu->variant->cores);

    if (!all)
        return share_of(count, gpu->variant->cores, nth);
    return (uint64_t)((__uint128_t)count * active_of_first(gpu, nth + 1) / all -
                      (__uint128_t)count * active_of_first(gpu, nth) / all);
}

/* Counts of the time model since the last dump; 0 without a model. */
static struct gpu_model_counters model_counts(const struct gpu *gpu)
{
    const struct gpu_model_counters *now = gpu->cores ? gpu_model_counters(gpu->cores) : NULL;
    const struct gpu_model_counters *since = &gpu->model_since;
    struct gpu_model_counters m = {0};

    if (!now)
        return m;
    for (unsigned i = 0; i < TIMING_CAUSES; i++)
        m.engine_cycles[i] = now->engine_cycles[i] - since->engine_cycles[i];
    m.l2_reads = now->l2_reads - since->l2_reads;
    m.l2_writes = now->l2_writes - since->l2_writes;
    m.dram_reads = now->dram_reads - since->dram_reads;
    m.dram_writes = now->dram_writes - since->dram_writes;
    m.l2_read_bytes = now->l2_read_bytes - since->l2_read_bytes;
    m.l2_write_bytes = now->l2_write_bytes - since->l2_write_bytes;
    m.dram_read_bytes = now->dram_read_bytes - since->dram_read_bytes;
    m.dram_write_bytes = now->dram_write_bytes - since->dram_write_bytes;
    return m;
}

struct counter {
    size_t offset;
    uint64_t count;
};

static void fill_memory(const struct gpu *gpu, unsigned slices, unsigned nth, struct block *b)
{
    struct gpu_model_counters m = model_counts(gpu);
    const struct counter counters[] = {
        {MALI_PERFCNT_MEMORY_L2_RD_MSG_IN_OFFSET, m.l2_reads},
        {MALI_PERFCNT_MEMORY_L2_WR_MSG_IN_OFFSET, m.l2_writes},
        {MALI_PERFCNT_MEMORY_L2_ANY_LOOKUP_OFFSET, m.l2_reads + m.l2_writes},
        {MALI_PERFCNT_MEMORY_L2_READ_LOOKUP_OFFSET, m.l2_reads},
        {MALI_PERFCNT_MEMORY_L2_WRITE_LOOKUP_OFFSET, m.l2_writes},
        {MALI_PERFCNT_MEMORY_L2_EXT_READ_OFFSET, m.dram_reads},
        {MALI_PERFCNT_MEMORY_L2_EXT_READ_BEATS_OFFSET, m.dram_read_bytes / MALI_PERFCNT_BEAT_BYTES},
        {MALI_PERFCNT_MEMORY_L2_EXT_WRITE_OFFSET, m.dram_writes},
        {MALI_PERFCNT_MEMORY_L2_EXT_WRITE_BEATS_OFFSET,
         m.dram_write_bytes / MALI_PERFCNT_BEAT_BYTES},
    };

    for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
        set_counter(b, counters[i].offset, share_of(counters[i].count, slices, nth));
}

/* Fills in a shader core's part of the time model's account. */
static void fill_modelled(const struct gpu *gpu, unsigned nth, struct block *b)
{
    struct gpu_model_counters m = model_counts(gpu);
    uint64_t idle = 0;

    for (unsigned i = 0; i < TIMING_CAUSES; i++)
        idle += i == TIMING_ISSUE ? 0 : m.engine_cycles[i];
    const struct counter counters[] = {
        {MALI_PERFCNT_SHADER_EXEC_INSTR_STARVING_OFFSET,
         idle / (gpu->variant->engines ? gpu->variant->engines : 1)},
        {MALI_PERFCNT_SHADER_BEATS_RD_LSC_OFFSET, m.l2_read_bytes / MALI_PERFCNT_BEAT_BYTES},
        {MALI_PERFCNT_SHADER_BEATS_RD_LSC_EXT_OFFSET, m.dram_read_bytes / MALI_PERFCNT_BEAT_BYTES},
        {MALI_PERFCNT_SHADER_BEATS_WR_LSC_OFFSET, m.l2_write_bytes / MALI_PERFCNT_BEAT_BYTES},
    };

    for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
        set_counter(b, counters[i].offset, core_share(gpu, counters[i].count, nth));
}

static void fill_shader(const struct gpu *gpu, unsigned nth, struct block *b)
{
    const struct gpu_counters *now = gpu_work(gpu), *since = &gpu->perfcnt_since;
    const struct {
        size_t offset;
        uint64_t count, since;
    } counters[] = {
        {MALI_PERFCNT_SHADER_COMPUTE_TASKS_OFFSET, now->groups, since->groups},
        {MALI_PERFCNT_SHADER_COMPUTE_WARPS_OFFSET, now->warps, since->warps},
        {MALI_PERFCNT_SHADER_EXEC_INSTR_COUNT_OFFSET, now->stages, since->stages},
        {MALI_PERFCNT_SHADER_EXEC_INSTR_DIVERGED_OFFSET, now->divergent_branches,
         since->divergent_branches},
        {MALI_PERFCNT_SHADER_LS_MEM_READ_FULL_OFFSET, now->accesses[GPU_COUNT_GLOBAL_READ],
         since->accesses[GPU_COUNT_GLOBAL_READ]},
        {MALI_PERFCNT_SHADER_LS_MEM_WRITE_FULL_OFFSET, now->accesses[GPU_COUNT_GLOBAL_WRITE],
         since->accesses[GPU_COUNT_GLOBAL_WRITE]},
        {MALI_PERFCNT_SHADER_ATTR_INSTR_OFFSET, now->instructions[GPU_CLASS_ATTRIBUTE],
         since->instructions[GPU_CLASS_ATTRIBUTE]},
    };
    /* not divided while no job has ended: all cores work at the same time */
    uint64_t cycles = active_of_first(gpu, gpu->variant->cores)
                          ? active_of_first(gpu, nth + 1) - active_of_first(gpu, nth)
                          : now->cycles - since->cycles;

    set_counter(b, MALI_PERFCNT_SHADER_COMPUTE_ACTIVE_OFFSET, cycles);
    set_counter(b, MALI_PERFCNT_SHADER_EXEC_CORE_ACTIVE_OFFSET, cycles);
    set_counter(b, MALI_PERFCNT_SHADER_EXEC_ACTIVE_OFFSET, cycles);
    for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
        set_counter(b, counters[i].offset,
                    core_share(gpu, counters[i].count - counters[i].since, nth));
    fill_modelled(gpu, nth, b);
}

/* ---- dumps ----------------------------------------------------------------------------------- */

struct dump {
    struct gpu *gpu;
    const struct gpu_address_space *as;
    uint64_t at;
    bool failed;
};

static void write_block(struct dump *d, struct block *b, enum gpu_counter_block kind)
{
    const size_t group = MALI_PERFCNT_GROUP_WORDS * 4;
    uint32_t enabled = d->gpu->perfcnt.enable[kind];
    struct gpu_fault fault;

    for (size_t i = 0; i < sizeof(b->bytes) / group; i++) {
        if (!(enabled >> i & 1))
            memset(b->bytes + i * group, 0, group);
    }
    le_put(b->bytes + MALI_PERFCNT_HEADER_TIMESTAMP_OFFSET, 8, gpu_timestamp(d->gpu));
    set_counter(b, MALI_PERFCNT_HEADER_ENABLED_OFFSET, enabled);
    d->failed = d->failed || !gpu_memory_write(d->as, d->at, b->bytes, sizeof(b->bytes), &fault);
    d->at += sizeof(b->bytes);
}

static void put_all(struct dump *d)
{
    const struct gpu *gpu = d->gpu;
    uint32_t memory = gpu_constant(gpu, MALI_MEM_FEATURES);
    unsigned slices =
        ((memory & MALI_MEM_FEATURES_L2_SLICES) >> MALI_MEM_FEATURES_L2_SLICES_SHIFT) + 1;
    struct block b = {{0}};
    unsigned nth = 0;

    fill_jobs(gpu, &b);
    write_block(d, &b, GPU_BLOCK_JOBS);
    b = (struct block){{0}};
    write_block(d, &b, GPU_BLOCK_TILER);
    for (unsigned i = 0; i < slices; i++) {
        b = (struct block){{0}};
        fill_memory(gpu, slices, i, &b);
        write_block(d, &b, GPU_BLOCK_MEMORY);
    }
    for (uint64_t left = gpu->variant->shader_present; left; left >>= 1) {
        b = (struct block){{0}};
        if (left & 1)
            fill_shader(gpu, nth++, &b);
        write_block(d, &b, GPU_BLOCK_SHADER);
    }
}

void gpu_perfcnt_clear(struct gpu *gpu)
{
    memset(gpu->perfcnt.slot, 0, sizeof(gpu->perfcnt.slot));
    gpu->perfcnt.active_cycles = 0;
    gpu->perfcnt_since = *gpu_work(gpu);
    if (gpu->cores)
        memcpy(gpu->perfcnt.core_active, gpu_cores_active(gpu->cores),
               sizeof(gpu->perfcnt.core_active));
    if (gpu->cores && gpu_model_counters(gpu->cores))
        gpu->model_since = *gpu_model_counters(gpu->cores);
}

void gpu_perfcnt_dump(struct gpu *gpu)
{
    unsigned space = (gpu->perfcnt.config & MALI_PRFCNT_CONFIG_AS) >> MALI_PRFCNT_CONFIG_AS_SHIFT;
    struct dump d = {gpu, gpu_mmu_enter(gpu, space), gpu->perfcnt.base, false};

    if (gpu_perfcnt_active(gpu)) {
        put_all(&d);
        gpu_mmu_leave(gpu, space);
    }
    if (d.failed)
        gpu_misused(gpu, MALI_PRFCNT_BASE_LO, "counters cannot be written", gpu_half(d.at, false));
    gpu_perfcnt_clear(gpu);
}
