/*
 * Memory accesses of a shader ISA's handlers, one per lane. Recently used pages are in the soft TLB
 * of the host thread. Other accesses go through gpu_slow_*(), where the host thread waits until a
 * page fault is served. Faults are therefore invisible here. An access that cannot be served reads
 * 0 or writes nothing, and the warp ends with the bundle.
 *
 * `w`, `op` and `lane` identify the accessing lane. `va` is a GPU virtual address with any
 * alignment (atomic operations ignore the low bits that would make them unaligned).
 */
#ifndef RUNTIME_GPU_LANE_MEMORY_H
#define RUNTIME_GPU_LANE_MEMORY_H

#include <string.h>

#include "runtime/gpu/isa.h"
#include "runtime/gpu/stats.h"

enum {
    /* log2 of the page size of the soft TLB; the MMU's pages are not smaller */
    GPU_TLB_PAGE_SHIFT = 12,
    GPU_TLB_ENTRIES = 1024,
    GPU_TLB_ATOMIC_ENTRIES = 16,
};

/* A page in the soft TLB. */
struct gpu_tlb_entry {
    _Alignas(32) uint64_t page; /* its number; GPU_TLB_NONE: there is no page */
    uint8_t *host;              /* address of its first byte */
    uint32_t kind;              /* enum gpu_access_counter by which its accesses are counted */
};

#define GPU_TLB_NONE UINT64_MAX

static inline void gpu_tlb_empty(struct gpu_tlb_entry *e)
{
    e->page = GPU_TLB_NONE;
}

enum { GPU_TLB_MIX_SHIFT = 10 };

/* The index of a page in a table of `entries`. Buffers have round distances and are read in step,
 * so the higher bits keep their pages apart. It is a sum since adjacent pages must have different
 * indices: gpu_tlb_find() relies on that for accesses that cross pages. */
static inline unsigned gpu_tlb_index(uint64_t page, unsigned entries)
{
    return (unsigned)((page + (page >> GPU_TLB_MIX_SHIFT)) % entries);
}

/* Known pages of the threads' own memory that the host has side by side: GPU addresses, and the
 * distance to the host's. Of no pages both addresses are 0. */
struct gpu_span {
    uint64_t first, end, distance;
};

/* The state of a host thread that handlers use. The rest is in core.h. */
struct gpu_core {
    struct gpu_tlb_entry read[GPU_TLB_ENTRIES];
    struct gpu_tlb_entry write[GPU_TLB_ENTRIES];
    /* Pages for atomic operations; pages of global memory only during the turn of the
     * work-group. */
    struct gpu_tlb_entry atomic[GPU_TLB_ATOMIC_ENTRIES];
    uint64_t accesses[GPU_ACCESS_COUNTERS]; /* in this window */
    const uint64_t *distance;               /* gpu_page_map.distance, for host code */
    struct gpu_region *regions;             /* gpu_page_map.region, likewise */
    struct gpu_span span[2];                /* of reads and of writes */
    /* GPU_MAP_PLACE, a constant which host code reads, as LLVM would make it anew in each access */
    uint64_t place_bits;
    uint64_t local_base; /* address of the running work-group's local memory */
    /* The job's uniform buffers for host code, and their number; at least one can be read. */
    const struct gpu_uniform_block *blocks;
    uint32_t block_count;
    unsigned lane; /* lane of an access that the soft TLB does not serve */
    struct gpu_worker *worker;
};

/* Operations of mem_atomic_*. */
enum gpu_atomic_kind {
    GPU_ATOMIC_ADD,
    GPU_ATOMIC_SMIN,
    GPU_ATOMIC_SMAX,
    GPU_ATOMIC_UMIN,
    GPU_ATOMIC_UMAX,
    GPU_ATOMIC_AND,
    GPU_ATOMIC_OR,
    GPU_ATOMIC_XOR,
    GPU_ATOMIC_XCHG,
};

/* Accesses that the soft TLB does not serve; `bytes` is 1, 2, 4 or 8. */
uint64_t gpu_slow_read(struct gpu_warp *w, uint64_t va, unsigned bytes);
void gpu_slow_write(struct gpu_warp *w, uint64_t va, uint64_t v, unsigned bytes);
/* Host memory for an aligned atomic access; NULL: it cannot be served. Work-groups access global
 * memory in their order, so results of atomic operations do not depend on host threads. */
uint8_t *gpu_slow_atomic(struct gpu_warp *w, uint64_t va);

/* Host memory of `bytes` bytes at `va` for an access, which is counted. NULL: the soft TLB does not
 * have all of them at the page's first place. An access that crosses into the next page ends in a
 * page that this entry cannot hold. */
static inline uint8_t *gpu_tlb_find(struct gpu_core *core, const struct gpu_tlb_entry *table,
                                    unsigned entries, uint64_t va, unsigned bytes)
{
    const struct gpu_tlb_entry *e = &table[gpu_tlb_index(va >> GPU_TLB_PAGE_SHIFT, entries)];

    if (__builtin_expect(e->page != (va + bytes - 1) >> GPU_TLB_PAGE_SHIFT, 0))
        return NULL;
    core->accesses[e->kind]++;
    return e->host + (va & ((1u << GPU_TLB_PAGE_SHIFT) - 1));
}

#define GPU_ACCESSORS(bits)                                                                        \
    static inline uint##bits##_t gpu_read##bits(struct gpu_warp *w, const struct gpu_op *op,       \
                                                unsigned lane, uint64_t va)                        \
    {                                                                                              \
        const uint8_t *host = gpu_tlb_find(w->core, w->core->read, GPU_TLB_ENTRIES, va, bits / 8); \
        uint##bits##_t v;                                                                          \
                                                                                                   \
        (void)op;                                                                                  \
        if (__builtin_expect(!host, 0)) {                                                          \
            w->core->lane = lane;                                                                  \
            return (uint##bits##_t)gpu_slow_read(w, va, bits / 8);                                 \
        }                                                                                          \
        memcpy(&v, host, sizeof(v));                                                               \
        return v;                                                                                  \
    }                                                                                              \
    static inline void gpu_write##bits(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, \
                                       uint64_t va, uint##bits##_t v)                              \
    {                                                                                              \
        uint8_t *host = gpu_tlb_find(w->core, w->core->write, GPU_TLB_ENTRIES, va, bits / 8);      \
                                                                                                   \
        (void)op;                                                                                  \
        if (__builtin_expect(!host, 0)) {                                                          \
            w->core->lane = lane;                                                                  \
            gpu_slow_write(w, va, v, bits / 8);                                                    \
            return;                                                                                \
        }                                                                                          \
        memcpy(host, &v, sizeof(v));                                                               \
    }

GPU_ACCESSORS(8)
GPU_ACCESSORS(16)
GPU_ACCESSORS(32)
GPU_ACCESSORS(64)
#undef GPU_ACCESSORS

static inline uint8_t *gpu_atomic_host(struct gpu_warp *w, unsigned lane, uint64_t va,
                                       unsigned bytes)
{
    uint8_t *host = gpu_tlb_find(w->core, w->core->atomic, GPU_TLB_ATOMIC_ENTRIES, va, bytes);

    if (host)
        return host;
    w->core->lane = lane;
    return gpu_slow_atomic(w, va);
}

/*
 * Atomic operations by the host's own, since work-groups run on several host threads. They return
 * the old value. `kind` is an enum gpu_atomic_kind; any other changes nothing.
 */
#define GPU_ATOMICS(bits)                                                                        \
    static inline uint##bits##_t gpu_atomic_new##bits(unsigned kind, uint##bits##_t old,         \
                                                      uint##bits##_t v)                          \
    {                                                                                            \
        switch (kind) {                                                                          \
        case GPU_ATOMIC_SMIN:                                                                    \
            return (int##bits##_t)v < (int##bits##_t)old ? v : old;                              \
        case GPU_ATOMIC_SMAX:                                                                    \
            return (int##bits##_t)v > (int##bits##_t)old ? v : old;                              \
        case GPU_ATOMIC_UMIN:                                                                    \
            return v < old ? v : old;                                                            \
        case GPU_ATOMIC_UMAX:                                                                    \
            return v > old ? v : old;                                                            \
        default:                                                                                 \
            return old;                                                                          \
        }                                                                                        \
    }                                                                                            \
    static inline uint##bits##_t gpu_atomic##bits(struct gpu_warp *w, const struct gpu_op *op,   \
                                                  unsigned lane, unsigned kind, uint64_t va,     \
                                                  uint##bits##_t v)                              \
    {                                                                                            \
        uint##bits##_t *p;                                                                       \
        uint##bits##_t old;                                                                      \
                                                                                                 \
        (void)op;                                                                                \
        p = (uint##bits##_t *)(void *)gpu_atomic_host(w, lane, va & ~(uint64_t)(bits / 8 - 1),   \
                                                      bits / 8);                                 \
        if (__builtin_expect(!p, 0))                                                             \
            return 0;                                                                            \
        switch (kind) {                                                                          \
        case GPU_ATOMIC_ADD:                                                                     \
            return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);                                   \
        case GPU_ATOMIC_AND:                                                                     \
            return __atomic_fetch_and(p, v, __ATOMIC_RELAXED);                                   \
        case GPU_ATOMIC_OR:                                                                      \
            return __atomic_fetch_or(p, v, __ATOMIC_RELAXED);                                    \
        case GPU_ATOMIC_XOR:                                                                     \
            return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED);                                   \
        case GPU_ATOMIC_XCHG:                                                                    \
            return __atomic_exchange_n(p, v, __ATOMIC_RELAXED);                                  \
        default:                                                                                 \
            break;                                                                               \
        }                                                                                        \
        old = __atomic_load_n(p, __ATOMIC_RELAXED);                                              \
        while (!__atomic_compare_exchange_n(p, &old, gpu_atomic_new##bits(kind, old, v), true,   \
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))                 \
            ;                                                                                    \
        return old;                                                                              \
    }                                                                                            \
    static inline uint##bits##_t gpu_cmpxchg##bits(struct gpu_warp *w, const struct gpu_op *op,  \
                                                   unsigned lane, uint64_t va,                   \
                                                   uint##bits##_t expected, uint##bits##_t v)    \
    {                                                                                            \
        uint##bits##_t *p;                                                                       \
                                                                                                 \
        (void)op;                                                                                \
        p = (uint##bits##_t *)(void *)gpu_atomic_host(w, lane, va & ~(uint64_t)(bits / 8 - 1),   \
                                                      bits / 8);                                 \
        if (__builtin_expect(!p, 0))                                                             \
            return 0;                                                                            \
        __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return expected;                                                                         \
    }

GPU_ATOMICS(32)
GPU_ATOMICS(64)
#undef GPU_ATOMICS

/* Address of the local memory of the warp's work-group. */
static inline uint64_t gpu_local_base(const struct gpu_warp *w)
{
    return w->core->local_base;
}

/* Address of the private memory of a lane. */
static inline uint64_t gpu_thread_base(const struct gpu_warp *w, unsigned lane)
{
    return w->tls[lane];
}

/* Address of `bytes` bytes at `offset` of uniform buffer `index`; 0 if they are not all in it. */
uint64_t gpu_uniform_buffer(const struct gpu_warp *w, uint32_t index, uint32_t offset,
                            uint32_t bytes);

/* Flag in an attribute's number: the number is an index into the table of varyings, to which vertex
 * shaders store. Compute shaders have only the table of attributes. */
#define GPU_ATTRIBUTE_VARYING (UINT32_C(1) << 31)

/*
 * The address of an attribute's element, 0 if there is none, and the 22-bit pixel format of the
 * attribute. Compute shaders use attributes for images.
 */
uint64_t gpu_attribute_address(const struct gpu_warp *w, uint32_t index, uint32_t vertex,
                               uint32_t instance);
uint32_t gpu_attribute_format(const struct gpu_warp *w, uint32_t index);

/* The address of a texel in an image of up to three dimensions, 0 if there is none. `xy` and `zw`
 * hold 16-bit coordinates, the first one low. */
uint64_t gpu_image_address(const struct gpu_warp *w, uint32_t index, uint32_t xy, uint32_t zw);

/* Formats of components in registers, for gpu_pixel_*(). */
enum gpu_register_format {
    GPU_REGISTER_F16,
    GPU_REGISTER_F32,
    GPU_REGISTER_S32,
    GPU_REGISTER_U32,
    GPU_REGISTER_S16,
    GPU_REGISTER_U16,
    GPU_REGISTER_F64,
    GPU_REGISTER_I64,
    GPU_REGISTER_AUTO, /* 32 bits, of the type of the memory format */
};

/*
 * Component 0 … 3 of the pixel at `va` in memory format `format` (22 bits), as a register in
 * `register_format`. 16-bit register formats have two components per register: component k returns
 * 2k low and 2k + 1 high. Reads of address 0 return 0.
 */
uint32_t gpu_pixel_load(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint64_t va,
                        uint32_t format, uint32_t register_format, uint32_t component);
/* Stores a pixel of `count` components from registers c0 … c3 (packed as by gpu_pixel_load()). No
 * effect at address 0. */
void gpu_pixel_store(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint64_t va,
                     uint32_t format, uint32_t register_format, uint32_t count, uint32_t c0,
                     uint32_t c1, uint32_t c2, uint32_t c3);

/*
 * The texture unit. A request is composed of operands (enum gpu_texture_operand of
 * texture/texture.h; missing ones are 0). Executing it clears the operands; its results are
 * registers 0 … 3 in the requested format.
 */
void gpu_texture_operand(struct gpu_warp *w, uint32_t which, uint32_t value);
void gpu_texture_request(struct gpu_warp *w, const struct gpu_op *op, unsigned lane,
                         uint32_t operation);
uint32_t gpu_texture_result(const struct gpu_warp *w, uint32_t k);

/* Requests to the fixed-function units of graphics (graphics/unit.h). gpu_graphics_operand() sets
 * operand `which` (enum gpu_graphics_operand); gpu_graphics_request() carries out `operation` (enum
 * gpu_graphics_operation); gpu_graphics_result() returns result register `k`, 0 … 3. */
void gpu_graphics_operand(struct gpu_warp *w, uint32_t which, uint32_t value);
void gpu_graphics_request(struct gpu_warp *w, const struct gpu_op *op, unsigned lane,
                          uint32_t operation);
uint32_t gpu_graphics_result(const struct gpu_warp *w, uint32_t k);

#endif
