/*
 * The MMU: address spaces, their registers and commands, translation, faults.
 *
 * A translation walks the tables in memory. The shader cores cache its result until the address
 * space's generation changes. Commands complete at once, so AS_STATUS never shows one.
 *
 * Bounds      a walk: at most MALI_PAGE_LEVELS entries; its result is at most MAX_PAGE;
 *             memory: one element per page of RAM that cores may write
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mali_layout.h"
#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/internal.h"

/* Bound of the result of one translation, as each of its pages of 4 KB is recorded. */
#define MAX_PAGE (UINT64_C(1) << 21)

/* ---- RAM ------------------------------------------------------------------------------------- */

static void forget_granted(struct gpu_granted *g)
{
    vec_for_each (&g->pages, page)
        g->granted_pages[*page / 8] = 0;
    g->pages.len = 0;
}

/* Updates the device's own table of the bus's RAM. It must not be called while cores run. */
static void refresh_ram(struct gpu_mmu *mmu)
{
    if (mmu->bus_generation == mmu->bus->generation && mmu->ram.len)
        return;
    mmu->bus_generation = mmu->bus->generation;
    mmu->ram.len = 0;
    mmu->ram_pages = 0;
    for (size_t i = 0; i < mmu->bus->count; i++) {
        const struct bus_region *r = mmu->bus->regions[i];

        if (r->kind != BUS_RAM)
            continue;
        vec_push(&mmu->ram,
                 ((struct gpu_ram){r->base, r->size, r->host, r->page_flags, mmu->ram_pages}));
        mmu->ram_pages += r->size >> BUS_PAGE_BITS;
    }
    for (unsigned i = 0; i < GPU_MAX_SPACES; i++) {
        free(mmu->space[i].granted.granted_pages);
        mmu->space[i].granted.granted_pages = NULL;
        mmu->space[i].granted.pages.len = 0;
        mmu->space[i].view.generation++;
    }
}

static const struct gpu_ram *find_ram(const struct gpu_mmu *mmu, uint64_t pa)
{
    vec_for_each (&mmu->ram, r) {
        if (pa - r->base < r->size)
            return r;
    }
    return NULL;
}

/*
 * Records that the cores may write a page from now on, so that CPU code decoded from it is dropped
 * after each step. Called from the cores' threads.
 */
static void grant_page(struct gpu_space *s, const struct gpu_ram *r, uint64_t pa, uint64_t bytes)
{
    uint64_t first = r->first_page + ((pa - r->base) >> BUS_PAGE_BITS);
    struct gpu_granted *g = &s->granted;

    pthread_mutex_lock(&s->lock);
    if (!g->granted_pages)
        g->granted_pages = xcalloc(s->mmu->ram_pages / 8 + 1, 1);
    for (uint64_t page = first; page < first + (bytes >> BUS_PAGE_BITS); page++) {
        if (g->granted_pages[page / 8] >> (page % 8) & 1)
            continue;
        g->granted_pages[page / 8] |= (uint8_t)(1u << (page % 8));
        vec_push(&g->pages, page);
    }
    pthread_mutex_unlock(&s->lock);
}

/* ---- translation ----------------------------------------------------------------------------- */

/* The result of a walk. */
struct leaf {
    uint64_t pa, bytes; /* the whole page of the tables */
    unsigned level;
    bool read, write, execute;
};

bool gpu_mmu_read_entry(const struct gpu_mmu *mmu, uint64_t pa, struct mali_page_entry *entry)
{
    const struct gpu_ram *r = find_ram(mmu, pa);

    if (!r || r->size - (pa - r->base) < MALI_PAGE_ENTRY_BYTES)
        return false;
    mali_page_entry_unpack(mmu->architecture, r->host + (pa - r->base), entry);
    return true;
}

/* Returns 0 or the exception code. */
static uint32_t walk_tables(const struct gpu_space *s, uint64_t va, struct leaf *leaf)
{
    const unsigned address_bits = MALI_PAGE_SHIFT + MALI_PAGE_LEVELS * MALI_PAGE_LEVEL_BITS;
    uint64_t table = s->regs->live_table >> MALI_PAGE_SHIFT << MALI_PAGE_SHIFT;

    if (va >> address_bits)
        return MALI_EXCEPTION_TRANSLATION_FAULT;
    for (unsigned level = 0; level < MALI_PAGE_LEVELS; level++) {
        unsigned shift = MALI_PAGE_SHIFT + (MALI_PAGE_LEVELS - 1 - level) * MALI_PAGE_LEVEL_BITS;
        uint64_t index = va >> shift & ((UINT64_C(1) << MALI_PAGE_LEVEL_BITS) - 1);
        struct mali_page_entry entry;

        if (!gpu_mmu_read_entry(s->mmu, table + index * MALI_PAGE_ENTRY_BYTES, &entry))
            return MALI_EXCEPTION_TRANSTAB_BUS_FAULT + level;
        if (entry.type == MALI_PAGE_ENTRY_TYPE_LEAF && level >= MALI_PAGE_FIRST_LEAF) {
            uint64_t bytes = UINT64_C(1) << shift;

            *leaf = (struct leaf){
                entry.address & ~(bytes - 1), bytes, level, entry.read != 0, entry.write != 0,
                entry.no_execute == 0};
            return 0;
        }
        if (entry.type != MALI_PAGE_ENTRY_TYPE_TABLE || level == MALI_PAGE_LEVELS - 1)
            return MALI_EXCEPTION_TRANSLATION_FAULT + level;
        table = entry.address;
    }
    return MALI_EXCEPTION_TRANSLATION_FAULT;
}

static bool is_permitted(const struct leaf *leaf, enum gpu_access access)
{
    switch (access) {
    case GPU_ACCESS_READ:
        return leaf->read;
    case GPU_ACCESS_WRITE:
        return leaf->write;
    case GPU_ACCESS_EXECUTE:
        return leaf->read && leaf->execute;
    case GPU_ACCESS_ATOMIC:
        break;
    }
    return leaf->read && leaf->write;
}

/*
 * The largest page around `va` that is entirely in RAM and at most MAX_PAGE. A page of the tables
 * may reach beyond the machine's memory.
 */
static uint32_t to_host(struct gpu_space *s, uint64_t va, const struct leaf *leaf,
                        struct gpu_page *out)
{
    uint64_t bytes = leaf->bytes, pa = leaf->pa + (va & (bytes - 1));
    const struct gpu_ram *r = find_ram(s->mmu, pa);

    if (s->mmu->pa_bits < 64 && leaf->pa >> s->mmu->pa_bits)
        return MALI_EXCEPTION_ADDR_SIZE_FAULT_OUT + leaf->level;
    if (!r)
        return MALI_EXCEPTION_JOB_BUS_FAULT;
    while (bytes > MAX_PAGE || (bytes > BUS_PAGE_SIZE && ((pa & ~(bytes - 1)) < r->base ||
                                                          (pa | (bytes - 1)) - r->base >= r->size)))
        bytes /= 2;
    pa &= ~(bytes - 1);
    *out =
        (struct gpu_page){r->host + (pa - r->base), bytes, leaf->read, leaf->write, leaf->execute};
    if (leaf->write)
        grant_page(s, r, pa, bytes);
    return 0;
}

/* gpu_address_space.translate() */
static uint32_t translate_address(void *opaque, uint64_t va, enum gpu_access access,
                                  struct gpu_page *out)
{
    struct gpu_space *s = opaque;
    struct leaf leaf = {va & ~(BUS_PAGE_SIZE - 1), BUS_PAGE_SIZE, 0, true, true, true};
    uint32_t code;

    *out = (struct gpu_page){0};
    switch (s->regs->live_table & MALI_AS_TRANSTAB_LO_MODE) {
    case MALI_AS_MODE_TABLE:
        code = walk_tables(s, va, &leaf);
        break;
    case MALI_AS_MODE_IDENTITY:
        code = 0;
        break;
    default:
        code = MALI_EXCEPTION_TRANSLATION_FAULT;
    }
    if (!code && !is_permitted(&leaf, access))
        code = MALI_EXCEPTION_PERMISSION_FAULT + leaf.level;
    return code ? code : to_host(s, va, &leaf, out);
}

/* ---- address spaces for jobs ----------------------------------------------------------------- */

bool gpu_mmu_enabled(const struct gpu *gpu, unsigned space)
{
    uint32_t mode = gpu->mmu.regs[space].live_table & MALI_AS_TRANSTAB_LO_MODE;

    return mode == MALI_AS_MODE_TABLE || mode == MALI_AS_MODE_IDENTITY;
}

struct gpu_address_space *gpu_mmu_enter(struct gpu *gpu, unsigned space)
{
    refresh_ram(&gpu->mmu);
    return &gpu->mmu.space[space].view;
}

void gpu_mmu_leave(struct gpu *gpu, unsigned space)
{
    struct gpu_mmu *mmu = &gpu->mmu;

    vec_for_each (&mmu->space[space].granted.pages, page) {
        const struct gpu_ram *r = mmu->ram.data;

        while (*page - r->first_page >= r->size >> BUS_PAGE_BITS)
            r++;
        if (r->page_flags[*page - r->first_page] & BUS_PAGE_CODE)
            bus_touched(mmu->bus, r->base + ((*page - r->first_page) << BUS_PAGE_BITS),
                        BUS_PAGE_SIZE);
    }
}

static void invalidate_space(struct gpu_space *s)
{
    s->view.generation++;
    forget_granted(&s->granted);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static uint32_t access_code(enum gpu_access access)
{
    static const uint32_t codes[] = {
        [GPU_ACCESS_ATOMIC] = MALI_FAULT_ACCESS_ATOMIC,
        [GPU_ACCESS_EXECUTE] = MALI_FAULT_ACCESS_EXECUTE,
        [GPU_ACCESS_READ] = MALI_FAULT_ACCESS_READ,
        [GPU_ACCESS_WRITE] = MALI_FAULT_ACCESS_WRITE,
    };

    return codes[access];
}

bool gpu_mmu_fault(struct gpu *gpu, unsigned space, const struct gpu_fault *fault)
{
    struct gpu_space_regs *regs = &gpu->mmu.regs[space];
    bool bus_error = fault->code == MALI_EXCEPTION_JOB_BUS_FAULT;
    uint32_t bit = UINT32_C(1) << space;

    log_printf(gpu->env->log, LOG_GPU,
               "gpu: address space %u: exception %#" PRIx32 " at %#" PRIx64 "\n", space,
               fault->code, fault->va);
    gpu_observe_fault(gpu, space, fault->va, fault->code);
    /* The registers keep the first fault until the driver has read it. */
    if (!(gpu->irq[GPU_OUTPUT_MMU].raw & (bit << MALI_MMU_IRQ_RAWSTAT_PAGE_FAULT_SHIFT |
                                          bit << MALI_MMU_IRQ_RAWSTAT_BUS_ERROR_SHIFT))) {
        regs->fault_status = fault->code << MALI_AS_FAULTSTATUS_EXCEPTION_SHIFT |
                             access_code(fault->access) << MALI_AS_FAULTSTATUS_ACCESS_SHIFT;
        regs->fault_address = fault->va;
        regs->fault_extra = 0;
    }
    gpu_raise(gpu, GPU_OUTPUT_MMU,
              bit << (bus_error ? MALI_MMU_IRQ_RAWSTAT_BUS_ERROR_SHIFT
                                : MALI_MMU_IRQ_RAWSTAT_PAGE_FAULT_SHIFT));
    return !bus_error;
}

/* ---- registers ------------------------------------------------------------------------------- */

static void run_command(struct gpu *gpu, unsigned space, uint32_t value,
                        struct gpu_mmu_change *change)
{
    struct gpu_space *s = &gpu->mmu.space[space];
    struct gpu_space_regs *regs = &gpu->mmu.regs[space];

    switch (value) {
    case MALI_AS_COMMAND_NOP:
    case MALI_AS_COMMAND_LOCK:
        return;
    case MALI_AS_COMMAND_UPDATE:
        regs->live_table = regs->table;
        invalidate_space(s);
        change->translations = UINT32_C(1) << space;
        return;
    case MALI_AS_COMMAND_UNLOCK:
    case MALI_AS_COMMAND_FLUSH_PT:
    case MALI_AS_COMMAND_FLUSH_MEM:
        invalidate_space(s);
        gpu->control.flush_id += value == MALI_AS_COMMAND_FLUSH_MEM;
        change->translations = UINT32_C(1) << space;
        return;
    }
    gpu_misused(gpu, MALI_AS_COMMAND(space), "unknown MMU command", value);
}

/* The value of the register pair that contains `reg`, an offset in address space 0; NULL: none. */
static uint64_t *find_pair(struct gpu_space_regs *regs, uint32_t reg, bool *high, bool *writable)
{
    *writable = true;
    switch (reg) {
    case MALI_AS_TRANSTAB_LO(0):
    case MALI_AS_TRANSTAB_HI(0):
        *high = reg == MALI_AS_TRANSTAB_HI(0);
        return &regs->table;
    case MALI_AS_MEMATTR_LO(0):
    case MALI_AS_MEMATTR_HI(0):
        *high = reg == MALI_AS_MEMATTR_HI(0);
        return &regs->attributes;
    case MALI_AS_LOCKADDR_LO(0):
    case MALI_AS_LOCKADDR_HI(0):
        *high = reg == MALI_AS_LOCKADDR_HI(0);
        return &regs->lock;
    case MALI_AS_TRANSCFG_LO(0):
    case MALI_AS_TRANSCFG_HI(0):
        *high = reg == MALI_AS_TRANSCFG_HI(0);
        return &regs->config;
    case MALI_AS_FAULTADDRESS_LO(0):
    case MALI_AS_FAULTADDRESS_HI(0):
        *writable = false;
        *high = reg == MALI_AS_FAULTADDRESS_HI(0);
        return &regs->fault_address;
    case MALI_AS_FAULTEXTRA_LO(0):
    case MALI_AS_FAULTEXTRA_HI(0):
        *writable = false;
        *high = reg == MALI_AS_FAULTEXTRA_HI(0);
        return &regs->fault_extra;
    }
    return NULL;
}

/* Splits an offset into the number of an address space that the GPU has and the register's offset
 * in address space 0. */
static bool space_of(const struct gpu *gpu, uint32_t offset, unsigned *space, uint32_t *reg)
{
    uint32_t at = offset - MALI_ADDRESS_SPACE_BASE;

    *space = at / MALI_ADDRESS_SPACE_STRIDE;
    *reg = MALI_ADDRESS_SPACE_BASE + at % MALI_ADDRESS_SPACE_STRIDE;
    if (offset < MALI_ADDRESS_SPACE_BASE || *space >= MALI_ADDRESS_SPACE_COUNT ||
        *space >= GPU_MAX_SPACES)
        return false;
    return gpu_constant(gpu, MALI_AS_PRESENT) >> *space & 1;
}

static bool space_read(struct gpu *gpu, uint32_t offset, uint32_t *value)
{
    bool high, writable;
    const uint64_t *both;
    unsigned space;
    uint32_t reg;

    if (!space_of(gpu, offset, &space, &reg))
        return false;
    both = find_pair(&gpu->mmu.regs[space], reg, &high, &writable);
    if (both)
        *value = gpu_half(*both, high);
    else if (reg == MALI_AS_FAULTSTATUS(0))
        *value = gpu->mmu.regs[space].fault_status;
    else
        *value = 0; /* AS_STATUS: no command is in progress; AS_COMMAND is write-only */
    return both || reg == MALI_AS_FAULTSTATUS(0) || reg == MALI_AS_STATUS(0) ||
           reg == MALI_AS_COMMAND(0);
}

static bool space_write(struct gpu *gpu, uint32_t offset, uint32_t value,
                        struct gpu_mmu_change *change)
{
    bool high, writable;
    unsigned space;
    uint64_t *both;
    uint32_t reg;

    if (!space_of(gpu, offset, &space, &reg))
        return false;
    both = find_pair(&gpu->mmu.regs[space], reg, &high, &writable);
    if (both && writable)
        gpu_set_half(both, high, value);
    else if (reg == MALI_AS_COMMAND(0))
        run_command(gpu, space, value, change);
    else
        return false;
    return true;
}

bool gpu_mmu_read(struct gpu *gpu, uint32_t offset, uint32_t *value)
{
    switch (offset) {
    case MALI_MMU_IRQ_RAWSTAT:
        *value = gpu->irq[GPU_OUTPUT_MMU].raw;
        return true;
    case MALI_MMU_IRQ_MASK:
        *value = gpu->irq[GPU_OUTPUT_MMU].mask;
        return true;
    case MALI_MMU_IRQ_STATUS:
        *value = gpu_irq_status(gpu, GPU_OUTPUT_MMU);
        return true;
    case MALI_MMU_IRQ_CLEAR:
        *value = 0;
        return true;
    }
    return space_read(gpu, offset, value);
}

bool gpu_mmu_write(struct gpu *gpu, uint32_t offset, uint32_t value, struct gpu_mmu_change *change)
{
    switch (offset) {
    case MALI_MMU_IRQ_RAWSTAT:
        gpu_raise(gpu, GPU_OUTPUT_MMU, value);
        return true;
    case MALI_MMU_IRQ_CLEAR:
        gpu_clear(gpu, GPU_OUTPUT_MMU, value);
        change->faults_read = value >> MALI_MMU_IRQ_RAWSTAT_PAGE_FAULT_SHIFT;
        return true;
    case MALI_MMU_IRQ_MASK:
        gpu_set_mask(gpu, GPU_OUTPUT_MMU, value);
        return true;
    }
    return space_write(gpu, offset, value, change);
}

/* ---- the device ------------------------------------------------------------------------------ */

void gpu_mmu_create(struct gpu *gpu)
{
    struct gpu_mmu *mmu = &gpu->mmu;
    uint32_t features = gpu_constant(gpu, MALI_MMU_FEATURES);

    mmu->bus = gpu->env->bus;
    mmu->architecture = gpu->variant->architecture;
    mmu->pa_bits = (features & MALI_MMU_FEATURES_PA_BITS) >> MALI_MMU_FEATURES_PA_BITS_SHIFT;
    for (unsigned i = 0; i < GPU_MAX_SPACES; i++) {
        struct gpu_space *s = &mmu->space[i];

        s->mmu = mmu;
        s->regs = &mmu->regs[i];
        s->view = (struct gpu_address_space){.opaque = s, .translate = translate_address};
        pthread_mutex_init(&s->lock, NULL);
    }
}

void gpu_mmu_destroy(struct gpu *gpu)
{
    for (unsigned i = 0; i < GPU_MAX_SPACES; i++) {
        struct gpu_space *s = &gpu->mmu.space[i];

        pthread_mutex_destroy(&s->lock);
        vec_free(&s->granted.pages);
        free(s->granted.granted_pages);
    }
    vec_free(&gpu->mmu.ram);
}

void gpu_mmu_reset(struct gpu *gpu)
{
    memset(gpu->mmu.regs, 0, sizeof(gpu->mmu.regs));
    gpu_mmu_post_load(gpu);
}

void gpu_mmu_post_load(struct gpu *gpu)
{
    for (unsigned i = 0; i < GPU_MAX_SPACES; i++)
        invalidate_space(&gpu->mmu.space[i]);
}
