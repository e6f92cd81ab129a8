/*
 * The hash by which a kernel is known when its name is not.
 *
 * Bounds      GPU_WALK_GRAINS grains per shader; KNOWN shaders are remembered
 */
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "runtime/base/alloc.h"
#include "runtime/gpu/isa.h"
#include "runtime/gpu/observer.h"
#include "runtime/gpu/walk.h"

enum { KNOWN = 256, PIECE = 4096 };

/* A shader whose hash is known. To find its bundles takes long, to see whether its bytes are the
 * same does not. */
struct kernel {
    uint64_t shader, hash;
    uint64_t bytes;   /* from the first to behind the last bundle */
    uint64_t content; /* hash of these bytes */
};

struct gpu_kernels {
    const struct gpu_isa *isa;
    struct kernel known[KNOWN];
};

struct hashing {
    uint64_t hash, start, end;
};

static bool hash_bundle(void *opaque, const struct gpu_walked *bundle)
{
    struct hashing *h = opaque;

    h->hash = gpu_walk_hash(h->hash, bundle);
    if (bundle->address + bundle->bytes > h->end)
        h->end = bundle->address + bundle->bytes;
    return bundle->bytes != 0;
}

/* The hash of memory; 0: not all can be read. */
static uint64_t content_of(const struct gpu_address_space *as, uint64_t va, uint64_t bytes)
{
    uint64_t hash = HASH_START;
    uint8_t piece[PIECE];
    struct gpu_fault fault;

    while (bytes) {
        size_t n = bytes < PIECE ? (size_t)bytes : PIECE;

        if (!gpu_memory_read(as, va, piece, n, &fault))
            return 0;
        hash = hash_more(hash, piece, n);
        va += n;
        bytes -= n;
    }
    return hash;
}

struct gpu_kernels *gpu_kernels_new(const struct gpu_isa *isa)
{
    struct gpu_kernels *k = xcalloc(1, sizeof(*k));

    k->isa = isa;
    return k;
}

void gpu_kernels_free(struct gpu_kernels *k)
{
    free(k);
}

uint64_t gpu_kernel_hash(struct gpu_kernels *k, const struct gpu_address_space *as, uint64_t shader,
                         uint32_t uniforms)
{
    struct kernel *known = &k->known[(shader >> 4 ^ shader >> 12) % KNOWN];
    struct hashing h = {.hash = HASH_START, .start = shader, .end = shader};

    if (!k->isa || !k->isa->disasm_bundle || !shader || shader % k->isa->grain_bytes)
        return 0;
    if (known->shader == shader && known->bytes &&
        content_of(as, shader, known->bytes) == known->content)
        return known->hash;
    gpu_walk_shader(k->isa, as, shader, uniforms, hash_bundle, &h);
    if (h.end == shader)
        return 0;
    *known = (struct kernel){shader, h.hash, h.end - shader, 0};
    known->content = content_of(as, shader, known->bytes);
    return h.hash;
}
