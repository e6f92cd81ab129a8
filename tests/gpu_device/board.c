/* The board with a GPU, and its driver: what Linux's panfrost does, step by step. */

#include "tests/gpu_device/board.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"

#define SHADERS UINT64_C(0xfff)
#define SLOTS   UINT32_C(7)

/* ---- the machine ----------------------------------------------------------------------------- */

/* An invented GPU. */
static const struct gpu_variant invented = {
    .name = "test",
    .title = "Test",
    .compatible = "arm,mali-bifrost",
    .isa = "none",
    .product = 0x6221,
    .revision = 0x10,
    .architecture = 6,
    .cores = 12,
    .shader_present = SHADERS,
    .warp_width = 4,
    .engines = 3,
    .max_threads = 384,
    .max_group = 384,
    .clock_mhz = 1000, /* a cycle takes a nanosecond */
    .values =
        {
            {MALI_L2_FEATURES, 0x07120206},
            {MALI_MEM_FEATURES, 0x101},
            {MALI_MMU_FEATURES, 0x2830},
            {MALI_AS_PRESENT, 0xff},
            {MALI_JS_PRESENT, SLOTS},
            {MALI_JS_FEATURES(0), 0x20e},
            {MALI_JS_FEATURES(1), 0x1fe},
            {MALI_JS_FEATURES(2), 0x7e},
            {MALI_TILER_PRESENT_LO, 1},
            {MALI_L2_PRESENT_LO, 1},
        },
    .value_count = 10,
};

struct board *board_new(void)
{
    return board_new_metered(NULL, NULL);
}

/* A board with this GPU, which is not created yet. */
static struct board *prepare(const struct gpu_variant *variant, const struct gpu_isa *isa)
{
    struct board *d = xcalloc(1, sizeof(*d));

    d->variant = *variant;
    d->config = (struct gpu_config){.variant = &d->variant, .threads = 1, .isa = isa};
    return d;
}

/* Creates the GPU. */
static void plug_in(struct board *d)
{
    static const char names[] = "gpu\0JOB\0mmu";
    struct error err = {""};

    d->b = bench_new();
    d->b->env.gpu = &d->config;
    d->b->env.irq_count = 3;
    d->b->reg[0].size = 0x4000;
    bench_prop(d->b, "interrupt-names", names, sizeof(names));
    if (!bus_add_ram(d->b->bus, "ram", BOARD_RAM, BOARD_SIZE, &err))
        fail_msg("%s", err.text);
    bench_create(d->b, "gpu");
    d->free_page = BOARD_RAM;
    fake_starts = fake_steps = fake_live = 0;
    fake_energy = (struct power_energy){{0}, {0}};
    fake_mhz = 0;
}

struct board *board_new_metered(struct gpu_supply *supply, const struct power_params *power)
{
    /* The fake cores do not use the ISA. */
    struct board *d = prepare(&invented, (const struct gpu_isa *)&invented);

    d->config.supply = supply;
    d->config.power = power != NULL;
    if (power)
        d->variant.power = *power;
    plug_in(d);
    return d;
}

struct board *board_new_gpu(const struct gpu_variant *variant, const struct gpu_isa *isa)
{
    struct board *d = prepare(variant, isa);

    plug_in(d);
    return d;
}

void board_free(struct board *d)
{
    bench_free(d->b);
    assert_int_equal(fake_live, 0);
    free(d);
}

uint32_t rd(struct board *d, uint32_t offset)
{
    return bench_read(d->b, offset);
}

void wr(struct board *d, uint32_t offset, uint32_t value)
{
    bench_write(d->b, offset, value);
}

void wr64(struct board *d, uint32_t low, uint64_t value)
{
    wr(d, low, (uint32_t)value);
    wr(d, low + 4, (uint32_t)(value >> 32));
}

void board_wait(struct board *d, uint64_t ns)
{
    d->now += ns;
    bench_run_to(d->b, d->now);
}

bool board_wait_for(struct board *d, uint32_t offset, uint32_t mask, uint32_t value, uint64_t ns)
{
    for (uint64_t end = d->now + ns; d->now < end; board_wait(d, 1000)) {
        if ((rd(d, offset) & mask) == value)
            return true;
    }
    return (rd(d, offset) & mask) == value;
}

/* ---- the driver's power ---------------------------------------------------------------------- */

void driver_reset(struct board *d)
{
    wr(d, MALI_GPU_IRQ_MASK, 0);
    wr(d, MALI_GPU_IRQ_CLEAR, MALI_GPU_IRQ_RAWSTAT_RESET_COMPLETED);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_SOFT_RESET);
    assert_true(board_wait_for(d, MALI_GPU_IRQ_RAWSTAT, MALI_GPU_IRQ_RAWSTAT_RESET_COMPLETED,
                               MALI_GPU_IRQ_RAWSTAT_RESET_COMPLETED, 10000000));
    wr(d, MALI_GPU_IRQ_CLEAR, UINT32_MAX);
    wr(d, MALI_GPU_IRQ_MASK,
       MALI_GPU_IRQ_RAWSTAT_FAULT | MALI_GPU_IRQ_RAWSTAT_MULTIPLE_FAULT |
           MALI_GPU_IRQ_RAWSTAT_PRFCNT_SAMPLE_COMPLETED |
           MALI_GPU_IRQ_RAWSTAT_CLEAN_CACHES_COMPLETED);
}

void driver_power_on(struct board *d)
{
    wr(d, MALI_L2_PWRON_LO, 1);
    assert_true(board_wait_for(d, MALI_L2_READY_LO, UINT32_MAX, 1, 20000000));
    wr(d, MALI_SHADER_PWRON_LO, SHADERS);
    assert_true(board_wait_for(d, MALI_SHADER_READY_LO, UINT32_MAX, SHADERS, 20000000));
    wr(d, MALI_TILER_PWRON_LO, 1);
    assert_true(board_wait_for(d, MALI_TILER_READY_LO, UINT32_MAX, 1, 1000000));
}

void driver_power_off(struct board *d)
{
    wr(d, MALI_SHADER_PWROFF_LO, SHADERS);
    assert_true(board_wait_for(d, MALI_SHADER_PWRTRANS_LO, UINT32_MAX, 0, 2000000));
    wr(d, MALI_TILER_PWROFF_LO, 1);
    assert_true(board_wait_for(d, MALI_TILER_PWRTRANS_LO, UINT32_MAX, 0, 2000000));
    wr(d, MALI_L2_PWROFF_LO, 1);
    assert_true(board_wait_for(d, MALI_L2_PWRTRANS_LO, UINT32_MAX, 0, 2000000));
}

void driver_resume(struct board *d)
{
    driver_reset(d);
    driver_power_on(d);
    wr(d, MALI_MMU_IRQ_CLEAR, UINT32_MAX);
    wr(d, MALI_MMU_IRQ_MASK, UINT32_MAX);
    wr(d, MALI_JOB_IRQ_CLEAR, SLOTS | SLOTS << 16);
    wr(d, MALI_JOB_IRQ_MASK, SLOTS | SLOTS << 16);
}

/* ---- memory ---------------------------------------------------------------------------------- */

uint32_t peek(struct board *d, uint64_t pa)
{
    return (uint32_t)bench_read_as(d->b, 0, pa, 4);
}

void poke(struct board *d, uint64_t pa, uint32_t value)
{
    bench_write_as(d->b, 0, pa, 4, value);
}

void poke64(struct board *d, uint64_t pa, uint64_t value)
{
    bench_write_as(d->b, 0, pa, 8, value);
}

uint64_t board_page(struct board *d)
{
    uint64_t page = d->free_page;

    d->free_page += 0x1000;
    assert_true(d->free_page <= BOARD_RAM + BOARD_SIZE);
    return page;
}

/* ---- page tables, by the bits that Linux writes ---------------------------------------------- */

uint64_t space_new(struct board *d)
{
    return board_page(d);
}

/* Returns the address of the entry at `level`, and makes the tables above it. */
static uint64_t entry_of(struct board *d, uint64_t table, uint64_t va, unsigned level)
{
    for (unsigned l = 0;; l++) {
        uint64_t at = table + (va >> (39 - 9 * l) & 0x1ff) * 8;

        if (l == level)
            return at;
        if (!peek(d, at))
            poke64(d, at, board_page(d) | 3);
        table = bench_read_as(d->b, 0, at, 8) & UINT64_C(0xfffffffff000);
    }
}

static uint64_t leaf_entry(uint64_t pa, unsigned rights)
{
    return pa | (rights & PAGE_R ? 1u << 6 : 0) | (rights & PAGE_W ? 1u << 7 : 0) |
           (rights & PAGE_X ? 0 : UINT64_C(3) << 53) | 1;
}

void space_map(struct board *d, uint64_t root, uint64_t va, uint64_t pa, unsigned rights)
{
    poke64(d, entry_of(d, root, va, 3), leaf_entry(pa, rights));
}

void space_map_large(struct board *d, uint64_t root, uint64_t va, uint64_t pa, unsigned rights)
{
    poke64(d, entry_of(d, root, va, 2), leaf_entry(pa, rights));
}

static void as_command(struct board *d, unsigned as, uint32_t command)
{
    assert_true(board_wait_for(d, MALI_AS_STATUS(as), MALI_AS_STATUS_ACTIVE, 0, 100000));
    wr(d, MALI_AS_COMMAND(as), command);
}

static void lock_region(struct board *d, unsigned as, uint64_t region)
{
    wr64(d, MALI_AS_LOCKADDR_LO(as), region);
    as_command(d, as, MALI_AS_COMMAND_LOCK);
}

static void use_table(struct board *d, unsigned as, uint64_t table, uint64_t attributes)
{
    lock_region(d, as, 47);
    as_command(d, as, MALI_AS_COMMAND_FLUSH_MEM);
    wr64(d, MALI_AS_TRANSTAB_LO(as), table);
    wr64(d, MALI_AS_MEMATTR_LO(as), attributes);
    as_command(d, as, MALI_AS_COMMAND_UPDATE);
}

void driver_enable(struct board *d, unsigned as, uint64_t root)
{
    use_table(d, as, root | 4 | 3, 0x8d888d);
}

void driver_disable(struct board *d, unsigned as)
{
    use_table(d, as, 0, 0);
}

void driver_flush(struct board *d, unsigned as, uint64_t va)
{
    lock_region(d, as, (va & ~UINT64_C(0x1fffff)) | 20);
    as_command(d, as, MALI_AS_COMMAND_FLUSH_PT);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

void job_header(struct board *d, uint64_t pa, unsigned type, unsigned index, uint64_t next)
{
    for (unsigned i = 0; i < 4; i++)
        poke(d, pa + 4 * i, 0);
    poke(d, pa + 16, 1 | type << 1 | index << 16);
    poke(d, pa + 20, index > 1 ? index - 1 : 0);
    poke64(d, pa + 24, next);
}

void job_write_value(struct board *d, uint64_t pa, uint64_t next, unsigned type, uint64_t va,
                     uint64_t value)
{
    job_header(d, pa, MALI_JOB_TYPE_WRITE_VALUE, 1, next);
    poke64(d, pa + 32, va);
    poke(d, pa + 40, type);
    poke64(d, pa + 48, value);
}

void job_fake(struct board *d, uint64_t pa, uint64_t next, const struct fake_job *job)
{
    job_header(d, pa, MALI_JOB_TYPE_COMPUTE, 1, next);
    poke(d, pa + 32, job->steps);
    poke(d, pa + 36, job->cycles);
    poke64(d, pa + 40, job->target);
    poke(d, pa + 48, job->failure);
    poke(d, pa + 52, job->code);
}

void driver_submit(struct board *d, unsigned slot, uint64_t head, uint32_t flags)
{
    assert_int_equal(rd(d, MALI_JS_COMMAND_NEXT(slot)), MALI_SLOT_COMMAND_NOP);
    wr64(d, MALI_JS_HEAD_NEXT_LO(slot), head);
    wr64(d, MALI_JS_AFFINITY_NEXT_LO(slot), SHADERS);
    wr(d, MALI_JS_CONFIG_NEXT(slot),
       flags | 8u << 16 | MALI_JS_CONFIG_START_FLUSH | MALI_JS_CONFIG_END_FLUSH |
           MALI_JS_CONFIG_ENABLE_FLUSH_REDUCTION);
    wr(d, MALI_JS_FLUSH_ID_NEXT(slot), rd(d, MALI_LATEST_FLUSH));
    wr(d, MALI_JS_COMMAND_NEXT(slot), MALI_SLOT_COMMAND_START);
}

uint32_t driver_finish(struct board *d, unsigned slot, uint64_t ns, uint32_t *state)
{
    uint32_t bits = UINT32_C(0x10001) << slot, got;

    for (uint64_t end = d->now + ns; !(rd(d, MALI_JOB_IRQ_RAWSTAT) & bits) && d->now < end;)
        board_wait(d, 1000);
    got = rd(d, MALI_JOB_IRQ_RAWSTAT) & bits;
    assert_int_not_equal(got, 0);
    assert_true(d->b->level[LINE_JOB]);
    if (got >> 16)
        wr(d, MALI_JS_COMMAND_NEXT(slot), MALI_SLOT_COMMAND_NOP);
    wr(d, MALI_JOB_IRQ_CLEAR, got);
    if (state)
        *state = rd(d, MALI_JOB_IRQ_JS_STATE) & bits;
    return rd(d, MALI_JS_STATUS(slot));
}
