/*
 * Snapshots of what the guest submits: all memory that is mapped in the chain's address space, as it
 * is before the chain runs.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mali_layout.h"
#include "runtime/gpu/internal.h"
#include "runtime/gpu/snapshot.h"

/* Tables that name themselves have no end: a snapshot holds at most so many pieces. */
#define MAX_RANGES (1u << 20)

typedef VEC(struct gpu_snapshot_range) range_list;

struct listing {
    const struct gpu_mmu *mmu;
    range_list ranges;
};

static void add(struct listing *l, uint64_t va, uint64_t bytes, const struct mali_page_entry *entry)
{
    struct gpu_snapshot_range range = {va, bytes, entry->write != 0, entry->no_execute == 0};
    struct gpu_snapshot_range *last = l->ranges.len ? &l->ranges.data[l->ranges.len - 1] : NULL;

    if (last && last->va + last->bytes == va && last->write == range.write &&
        last->execute == range.execute)
        last->bytes += bytes;
    else
        vec_push(&l->ranges, range);
}

static void list_table(struct listing *l, uint64_t table, uint64_t va, unsigned level)
{
    unsigned shift = MALI_PAGE_SHIFT + (MALI_PAGE_LEVELS - 1 - level) * MALI_PAGE_LEVEL_BITS;

    for (uint64_t i = 0; i < UINT64_C(1) << MALI_PAGE_LEVEL_BITS; i++) {
        struct mali_page_entry entry;

        if (l->ranges.len >= MAX_RANGES ||
            !gpu_mmu_read_entry(l->mmu, table + i * MALI_PAGE_ENTRY_BYTES, &entry))
            return;
        if (entry.type == MALI_PAGE_ENTRY_TYPE_LEAF && level >= MALI_PAGE_FIRST_LEAF && entry.read)
            add(l, va + (i << shift), UINT64_C(1) << shift, &entry);
        else if (entry.type == MALI_PAGE_ENTRY_TYPE_TABLE && level < MALI_PAGE_LEVELS - 1)
            list_table(l, entry.address, va + (i << shift), level + 1);
    }
}

bool gpu_record_open(const struct gpu *gpu, struct error *err)
{
    const char *folder = gpu->env->gpu->snapshots;

    if (!folder)
        return true;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return error_set(err, "%s: %s", folder, strerror(errno));
    if (access(folder, W_OK))
        return error_set(err, "%s: %s", folder, strerror(errno));
    return true;
}

void gpu_record_submit(struct gpu *gpu, unsigned slot, unsigned space, uint64_t head)
{
    const struct gpu_space_regs *regs = &gpu->mmu.regs[space];
    struct listing l = {.mmu = &gpu->mmu};
    struct error err = {0};
    char path[4096];

    if (!gpu->env->gpu->snapshots ||
        (regs->live_table & MALI_AS_TRANSTAB_LO_MODE) != MALI_AS_MODE_TABLE)
        return;
    list_table(&l, regs->live_table >> MALI_PAGE_SHIFT << MALI_PAGE_SHIFT, 0, 0);
    snprintf(path, sizeof(path), "%s/chain%05u.%s.snap.elf", gpu->env->gpu->snapshots,
             gpu->recorded++, gpu->variant->name);
    /* Fragment jobs have the first slot to themselves. */
    if (!gpu_snapshot_write(path, &gpu->mmu.space[space].view, l.ranges.data, l.ranges.len,
                            gpu->variant->product, gpu->variant->revision, head, slot == 0, &err))
        fprintf(stderr, "%s: warning: %s\n", gpu->env->path, err.text);
    vec_free(&l.ranges);
}
