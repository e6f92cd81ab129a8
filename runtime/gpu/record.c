/*
 * Snapshots of submitted chains: the memory that is mapped in the chain's address space before the
 * chain runs.
 *
 * The translation tables are the guest's: they may name themselves, or one page a million times.
 * Memory beyond the bounds is left out, and the file and a warning say so. Recording ends with the
 * first file that would exceed gpu_config.snapshot_bytes.
 *
 * Bounds      a file: MAX_ENTRIES entries of the tables, MAX_MEMORY bytes, MAX_PIECES pieces;
 *             all files: gpu_config.snapshot_bytes
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mali_layout.h"
#include "runtime/gpu/internal.h"
#include "runtime/gpu/snapshot.h"

#define MAX_ENTRIES (UINT64_C(1) << 22) /* 8192 tables: 16 GiB in pages of 4 KiB */
#define MAX_MEMORY  (UINT64_C(4) << 30)
#define MAX_PIECES  32768 /* a reader maps each piece, and a process has at most 65530 mappings */

typedef VEC(struct gpu_snapshot_range) range_list;

struct listing {
    const struct gpu_mmu *mmu;
    range_list ranges;
    uint64_t entries, bytes;
    uint64_t end;       /* memory from this address on is left out */
    const char *reason; /* reason for leaving memory out; NULL: none is */
};

static void stop_listing(struct listing *l, uint64_t va, const char *reason)
{
    l->end = va;
    l->reason = reason;
}

static void add_range(struct listing *l, uint64_t va, uint64_t bytes,
                      const struct mali_page_entry *entry)
{
    struct gpu_snapshot_range range = {va, bytes, entry->write != 0, entry->no_execute == 0};
    struct gpu_snapshot_range *last = l->ranges.len ? &l->ranges.data[l->ranges.len - 1] : NULL;

    if (bytes > MAX_MEMORY - l->bytes) {
        stop_listing(l, va, "too much is mapped");
        return;
    }
    l->bytes += bytes;
    if (last && last->va + last->bytes == va && last->write == range.write &&
        last->execute == range.execute)
        last->bytes += bytes;
    else if (l->ranges.len < MAX_PIECES)
        vec_push(&l->ranges, range);
    else
        stop_listing(l, va, "it is in too many pieces");
}

static void list_table(struct listing *l, uint64_t table, uint64_t va, unsigned level)
{
    unsigned shift = MALI_PAGE_SHIFT + (MALI_PAGE_LEVELS - 1 - level) * MALI_PAGE_LEVEL_BITS;

    for (uint64_t i = 0; !l->reason && i < UINT64_C(1) << MALI_PAGE_LEVEL_BITS; i++) {
        uint64_t here = va + (i << shift);
        struct mali_page_entry entry;

        if (l->entries++ == MAX_ENTRIES) {
            stop_listing(l, here, "the page tables have too many entries");
            return;
        }
        if (!gpu_mmu_read_entry(l->mmu, table + i * MALI_PAGE_ENTRY_BYTES, &entry))
            return;
        if (entry.type == MALI_PAGE_ENTRY_TYPE_LEAF && level >= MALI_PAGE_FIRST_LEAF && entry.read)
            add_range(l, here, UINT64_C(1) << shift, &entry);
        else if (entry.type == MALI_PAGE_ENTRY_TYPE_TABLE && level < MALI_PAGE_LEVELS - 1)
            list_table(l, entry.address, here, level + 1);
    }
}

bool gpu_record_open(const struct gpu *gpu, struct error *err)
{
    const char *folder = gpu->env->gpu->snapshots;

    return !folder || gpu_snapshot_prepare(folder, err);
}

/* Writes the listed memory into the next file. */
static void write_file(struct gpu *gpu, const struct listing *l,
                       const struct gpu_snapshot_submit *submit, unsigned space)
{
    struct gpu_recorder *r = &gpu->recorder;
    uint64_t left = gpu->env->gpu->snapshot_bytes - r->bytes, bytes;
    struct error err = {0};
    char path[4096], left_out[160];
    struct gpu_snapshot_content content = {
        .as = &gpu->mmu.space[space].view,
        .ranges = l->ranges.data,
        .count = l->ranges.len,
        .product = gpu->variant->product,
        .revision = gpu->variant->revision,
        .submit = *submit,
        .missing_memory = l->reason ? left_out : NULL,
    };

    if (l->reason)
        snprintf(left_out, sizeof(left_out), "memory from %#" PRIx64 " on: %s", l->end, l->reason);
    snprintf(path, sizeof(path), "%s/chain%05u.%s.snap.elf", gpu->env->gpu->snapshots, r->count++,
             gpu->variant->name);
    if (!gpu_snapshot_write(path, &content, left, &bytes, &err)) {
        r->full = bytes > left;
        fprintf(stderr, "%s: warning: %s%s\n", gpu->env->path, err.text,
                r->full ? "; no more are written (-gpu-snapshot-limit)" : "");
        return;
    }
    r->bytes += bytes;
    if (l->reason)
        fprintf(stderr, "%s: warning: %s leaves out %s\n", gpu->env->path, path, left_out);
}

void gpu_record_submit(struct gpu *gpu, unsigned slot, unsigned space, uint64_t head)
{
    const struct gpu_space_regs *regs = &gpu->mmu.regs[space];
    /* Slot 0 is reserved for fragment jobs. */
    struct gpu_snapshot_submit submit = {head, slot == 0};
    struct listing l = {.mmu = &gpu->mmu};

    if (!gpu->env->gpu->snapshots || gpu->recorder.full ||
        (regs->live_table & MALI_AS_TRANSTAB_LO_MODE) != MALI_AS_MODE_TABLE)
        return;
    list_table(&l, regs->live_table >> MALI_PAGE_SHIFT << MALI_PAGE_SHIFT, 0, 0);
    write_file(gpu, &l, &submit, space);
    vec_free(&l.ranges);
}
