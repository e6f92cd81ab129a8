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

/* Copies an item of 1, 2, 4 or 8 bytes. */
static inline void copy_item(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    switch (bytes) {
    case 1:
        *to = *from;
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    default:
        memcpy(to, from, 8);
    }
}

/* Finds the host memory of lanes by the page map, of the lowest first, up to one that has to go
 * another way. Returns that lane and those behind it. The lines may be far apart: the host fetches
 * them while it looks for the next ones. */
static uint32_t map_lanes(struct gpu_core *core, uint32_t lanes, const uint64_t *va, uint32_t bytes,
                          uint32_t counter, uint8_t *host[GPU_MAX_LANES])
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);

        host[l] = gpu_worker_mapped(core->worker, va[l], bytes, counter);
        if (!host[l])
            break;
        __builtin_prefetch(host[l]);
    }
    return lanes;
}

/* Reads lanes by the page map. Returns those that have to go another way. */
static uint32_t read_mapped(struct gpu_core *core, uint32_t lanes, const uint64_t *va, uint8_t *out,
                            uint32_t bytes, uint32_t counter)
{
    unsigned count = side_by_side(lanes, (unsigned)__builtin_popcount(lanes), va, bytes);
    unsigned first = count ? (unsigned)__builtin_ctz(lanes) : 0;
    uint8_t *host[GPU_MAX_LANES];
    uint32_t rest;

    if (count) {
        host[0] = gpu_worker_mapped(core->worker, va[first], bytes, counter);
        if (host[0])
            memcpy(out + (size_t)first * bytes, host[0], (size_t)count * bytes);
        return host[0] ? 0 : lanes;
    }
    rest = map_lanes(core, lanes, va, bytes, counter, host);
    EACH_LANE(lanes & ~rest, l)
    copy_item(out + (size_t)l * bytes, host[l], bytes);
    return rest;
}

/* Writes lanes by the page map, the lowest first. Returns those that have to go another way. */
static uint32_t write_mapped(struct gpu_core *core, uint32_t lanes, const uint64_t *va,
                             const uint8_t *in, uint32_t bytes, uint32_t counter)
{
    unsigned count = side_by_side(lanes, (unsigned)__builtin_popcount(lanes), va, bytes);
    unsigned first = count ? (unsigned)__builtin_ctz(lanes) : 0;
    uint8_t *host[GPU_MAX_LANES];
    uint32_t rest;

    if (count) {
        host[0] = gpu_worker_mapped(core->worker, va[first], bytes, counter);
        if (host[0])
            memcpy(host[0], in + (size_t)first * bytes, (size_t)count * bytes);
        return host[0] ? 0 : lanes;
    }
    rest = map_lanes(core, lanes, va, bytes, counter, host);
    EACH_LANE(lanes & ~rest, l)
    copy_item(host[l], in + (size_t)l * bytes, bytes);
    return rest;
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

static uint32_t bytes_of(uint32_t what)
{
    return what & ((1u << GPU_ROW_COUNTER) - 1);
}

/* Subtracts the expected count of an access of these lanes. Returns the bytes per lane. */
static uint32_t subtract_expected(struct gpu_warp *w, uint32_t lanes, uint32_t what)
{
    w->core->accesses[what >> GPU_ROW_COUNTER] -= (unsigned)__builtin_popcount(lanes);
    return bytes_of(what);
}

void gpu_row_read(struct gpu_warp *w, uint32_t lanes, const uint64_t *va, void *out, uint32_t what)
{
    lanes = read_mapped(w->core, lanes, va, out, bytes_of(what), what >> GPU_ROW_COUNTER);
    if (lanes)
        read_each(w, lanes, va, out, subtract_expected(w, lanes, what));
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
    lanes = write_mapped(w->core, lanes, va, in, bytes_of(what), what >> GPU_ROW_COUNTER);
    if (lanes)
        write_each(w, lanes, va, in, subtract_expected(w, lanes, what));
}

uint64_t gpu_row_read_one(struct gpu_warp *w, uint32_t lanes, uint64_t va, uint32_t what)
{
    uint32_t bytes = subtract_expected(w, lanes, what);
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

/* ---- atomic operations ----------------------------------------------------------------------- */

/* The soft TLB's entry for an aligned word at an address; NULL: there is none. */
static const struct gpu_tlb_entry *atomic_entry(const struct gpu_core *core, uint64_t va)
{
    uint64_t page = va >> GPU_TLB_PAGE_SHIFT;
    const struct gpu_tlb_entry *e = &core->atomic[gpu_tlb_index(page, GPU_TLB_ATOMIC_ENTRIES)];

    return e->page == page ? e : NULL;
}

/* Whether all lanes of the mask, of which `first` is the lowest, have one address. */
static bool have_one_address(uint32_t lanes, unsigned first, const uint64_t *va)
{
    uint64_t others = 0;

    EACH_LANE(lanes, l)
    others |= va[l] ^ va[first];
    return !others;
}

/* Adds the words of all lanes, which have one address, at once. false: its page is not known. */
static bool add_together(struct gpu_core *core, uint32_t lanes, uint64_t va, uint32_t *v)
{
    const struct gpu_tlb_entry *e = atomic_entry(core, va);
    uint32_t sum = 0, old, *at;

    if (!e)
        return false;
    core->accesses[e->kind] += (unsigned)__builtin_popcount(lanes);
    EACH_LANE(lanes, l)
    {
        uint32_t word = v[l];

        v[l] = sum;
        sum += word;
    }
    at = (uint32_t *)(void *)(e->host + (va & ((1u << GPU_TLB_PAGE_SHIFT) - 4)));
    old = __atomic_fetch_add(at, sum, __ATOMIC_RELAXED);
    EACH_LANE(lanes, l)
    v[l] += old;
    return true;
}

/* Adds a word to memory of the work-group, which no other host thread reaches meanwhile. false: the
 * page is not known, or of another kind. */
static inline bool add_alone(struct gpu_core *core, uint64_t va, uint32_t *v)
{
    const struct gpu_tlb_entry *e = atomic_entry(core, va);
    uint32_t old, sum;
    uint8_t *at;

    if (!e || e->kind != GPU_COUNT_LOCAL_WRITE)
        return false;
    core->accesses[e->kind]++;
    at = e->host + (va & ((1u << GPU_TLB_PAGE_SHIFT) - 4));
    memcpy(&old, at, sizeof(old));
    sum = old + *v;
    memcpy(at, &sum, sizeof(sum));
    *v = old;
    return true;
}

static void add_words(struct gpu_warp *w, uint32_t lanes, const uint64_t *va, uint32_t *v)
{
    unsigned first = lanes ? (unsigned)__builtin_ctz(lanes) : 0;

    if (have_one_address(lanes, first, va)) {
        if (lanes & (lanes - 1) && add_together(w->core, lanes, va[first], v))
            return;
    }
    EACH_LANE(lanes, l)
    if (!add_alone(w->core, va[l], &v[l]))
        v[l] = gpu_atomic32(w, NULL, l, GPU_ATOMIC_ADD, va[l], v[l]);
}

static void compare_words(struct gpu_warp *w, uint32_t lanes, const uint64_t *va, void *old,
                          const void *value, uint32_t bytes)
{
    EACH_LANE(lanes, l)
    {
        if (bytes == 4)
            ((uint32_t *)old)[l] = gpu_cmpxchg32(w, NULL, l, va[l], ((uint32_t *)old)[l],
                                                 ((const uint32_t *)value)[l]);
        else
            ((uint64_t *)old)[l] = gpu_cmpxchg64(w, NULL, l, va[l], ((uint64_t *)old)[l],
                                                 ((const uint64_t *)value)[l]);
    }
}

void gpu_row_atomic(struct gpu_warp *w, uint32_t lanes, const uint64_t *va, void *old,
                    const void *value, uint32_t what)
{
    uint32_t bytes = bytes_of(what), kind = what >> 8;
    uint64_t *wide = old;
    uint32_t *words = old;

    if (kind == GPU_ROW_CMPXCHG) {
        compare_words(w, lanes, va, old, value, bytes);
    } else if (bytes == 4 && kind == GPU_ATOMIC_ADD) {
        add_words(w, lanes, va, words);
    } else if (bytes == 4) {
        EACH_LANE(lanes, l)
        words[l] = gpu_atomic32(w, NULL, l, kind, va[l], words[l]);
    } else {
        EACH_LANE(lanes, l)
        wide[l] = gpu_atomic64(w, NULL, l, kind, va[l], wide[l]);
    }
}

void gpu_row_store_part(uint8_t *host, const uint8_t *words, uint32_t what)
{
    uint32_t lanes = what & UINT8_MAX, bytes = what >> 8 & UINT8_MAX, stride = what >> 16;

    for (uint32_t n = 0; n < lanes; n++)
        memcpy(host + (size_t)n * stride, words + (size_t)n * bytes, bytes);
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
