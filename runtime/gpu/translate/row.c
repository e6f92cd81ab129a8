/*
 * Lane-by-lane accesses of a row, and rows that leave a function for rows, as translated code calls
 * them.
 */
#include "runtime/gpu/translate/row.h"

#include <string.h>

#include "runtime/gpu/lane_memory.h"
#include "runtime/gpu/shader/core.h"

#define EACH_LANE(lanes, l)                                                                \
    for (uint32_t left_ = (lanes), l; left_ && (l = (uint32_t)__builtin_ctz(left_), true); \
         left_ &= left_ - 1)

#define READ(bits)                                 \
    do {                                           \
        uint##bits##_t *to = out;                  \
                                                   \
        EACH_LANE(lanes, l)                        \
        to[l] = gpu_read##bits(w, NULL, l, va[l]); \
    } while (0)

#define WRITE(bits)                                  \
    do {                                             \
        const uint##bits##_t *from = in;             \
                                                     \
        EACH_LANE(lanes, l)                          \
        gpu_write##bits(w, NULL, l, va[l], from[l]); \
    } while (0)

/* `count` if the lowest `count` lanes access adjacent words in one page; else 0. */
static unsigned side_by_side(uint32_t lanes, unsigned count, const uint64_t *va, uint32_t bytes)
{
    unsigned first = lanes ? (unsigned)__builtin_ctz(lanes) : 0;
    uint64_t in_page = va[first] & ((UINT64_C(1) << GPU_TLB_PAGE_SHIFT) - 1);

    if (count < 2 || in_page + (uint64_t)count * bytes > UINT64_C(1) << GPU_TLB_PAGE_SHIFT)
        return 0;
    for (unsigned n = 0; n < count; n++)
        if (!(lanes >> first >> n & 1) || va[first + n] != va[first] + (uint64_t)n * bytes)
            return 0;
    return count;
}

/* Host memory of the other `count` - 1 lanes, whose accesses it counts, after the first has
 * accessed `va` and thereby usually filled the soft TLB. NULL: the page is not in it. */
static uint8_t *host_of_others(struct gpu_core *core, const struct gpu_tlb_entry *table,
                               uint64_t va, unsigned count)
{
    uint64_t page = va >> GPU_TLB_PAGE_SHIFT;
    const struct gpu_tlb_entry *e = &table[gpu_tlb_index(page, GPU_TLB_ENTRIES)];

    if (e->page != page)
        return NULL;
    core->accesses[e->kind] += count - 1;
    return e->host + (va & ((UINT64_C(1) << GPU_TLB_PAGE_SHIFT) - 1));
}

static void read_each(struct gpu_warp *w, uint32_t lanes, const uint64_t *va, void *out,
                      uint32_t bytes)
{
    switch (bytes) {
    case 1:
        READ(8);
        break;
    case 2:
        READ(16);
        break;
    case 4:
        READ(32);
        break;
    default:
        READ(64);
    }
}

/* Subtracts the expected count of an access of `lanes` lanes. Returns the bytes per lane. */
static uint32_t subtract_expected(struct gpu_warp *w, unsigned lanes, uint32_t what)
{
    w->core->accesses[what >> GPU_ROW_COUNTER] -= lanes;
    return what & ((1u << GPU_ROW_COUNTER) - 1);
}

void gpu_row_read(struct gpu_warp *w, uint32_t lanes, const uint64_t *va, void *out, uint32_t what)
{
    unsigned all = (unsigned)__builtin_popcount(lanes);
    uint32_t bytes = subtract_expected(w, all, what);
    unsigned count = side_by_side(lanes, all, va, bytes);
    unsigned first = count ? (unsigned)__builtin_ctz(lanes) : 0;
    const uint8_t *host;

    if (count) {
        read_each(w, lanes & -lanes, va, out, bytes);
        lanes &= lanes - 1;
        host = host_of_others(w->core, w->core->read, va[first], count);
        if (host) {
            memcpy((uint8_t *)out + (size_t)first * bytes, host, (size_t)count * bytes);
            return;
        }
    }
    read_each(w, lanes, va, out, bytes);
}

static void write_each(struct gpu_warp *w, uint32_t lanes, const uint64_t *va, const void *in,
                       uint32_t bytes)
{
    switch (bytes) {
    case 1:
        WRITE(8);
        break;
    case 2:
        WRITE(16);
        break;
    case 4:
        WRITE(32);
        break;
    default:
        WRITE(64);
    }
}

void gpu_row_write(struct gpu_warp *w, uint32_t lanes, const uint64_t *va, const void *in,
                   uint32_t what)
{
    unsigned all = (unsigned)__builtin_popcount(lanes);
    uint32_t bytes = subtract_expected(w, all, what);
    unsigned count = side_by_side(lanes, all, va, bytes);
    unsigned first = count ? (unsigned)__builtin_ctz(lanes) : 0;
    uint8_t *host;

    if (count) {
        write_each(w, lanes & -lanes, va, in, bytes);
        lanes &= lanes - 1;
        host = host_of_others(w->core, w->core->write, va[first], count);
        if (host) {
            memcpy(host, (const uint8_t *)in + (size_t)first * bytes, (size_t)count * bytes);
            return;
        }
    }
    write_each(w, lanes, va, in, bytes);
}

uint64_t gpu_row_read_one(struct gpu_warp *w, uint32_t lanes, uint64_t va, uint32_t what)
{
    uint32_t bytes = subtract_expected(w, (unsigned)__builtin_popcount(lanes), what);
    uint64_t v = 0;

    EACH_LANE(lanes, l)
    {
        switch (bytes) {
        case 1:
            v = gpu_read8(w, NULL, l, va);
            break;
        case 2:
            v = gpu_read16(w, NULL, l, va);
            break;
        case 4:
            v = gpu_read32(w, NULL, l, va);
            break;
        default:
            v = gpu_read64(w, NULL, l, va);
        }
    }
    return v;
}

void gpu_rows_leave(struct gpu_warp *w, struct gpu_row_range *r, uint64_t through)
{
    r->rows_ended = through;
    if (r->path) /* rows that do not end are begun, and counted, one by one */
        gpu_warp_move(w->core->worker, w, (unsigned)through);
    else
        gpu_warp_skip(w->core->worker, w, (unsigned)through);
    if (r->passed)
        gpu_rows_restore(w, r, through, (unsigned)r->passed);
}
