/*
 * Chains of jobs: the input is a snapshot (runtime/gpu/snapshot.h), whose memory holds headers,
 * descriptors and shaders. What runs for too long is stopped.
 */
#include "runtime/gpu/chain.h"
#include "runtime/gpu/isa.h"
#include "runtime/gpu/snapshot.h"
#include "runtime/gpu/variant.h"
#include "tests/fuzz/fuzz.h"

enum { MAX_STEPS = 16, MAX_MEMORY = 1 << 28 };

extern const struct gpu_isa bifrost_isa;

static void run(struct gpu_chain *chain, const struct gpu_snapshot *s, uint64_t head)
{
    struct gpu_chain_outcome out;
    unsigned steps = 0;

    gpu_chain_start(chain, &s->space, head, 0, GPU_CHAIN_WRITE_BACK);
    do {
        gpu_chain_step(chain, &out);
        if (out.progress == GPU_CHAIN_FAULT || ++steps == MAX_STEPS)
            gpu_chain_cancel(chain, out.progress == GPU_CHAIN_FAULT ? out.fault.code : 1);
    } while (gpu_chain_running(chain));
}

static void run_all(const struct gpu_snapshot *s, const struct gpu_variant *variant)
{
    struct gpu_chain_env env = {
        .variant = variant,
        .cores = gpu_cores_new(variant, &bifrost_isa, 1),
    };
    struct gpu_chain *chain = env.cores ? gpu_chain_new(&env) : NULL;

    for (size_t i = 0; chain && i < s->submit_count && i < 4; i++)
        run(chain, s, s->submits[i].head);
    gpu_chain_free(chain);
    gpu_cores_free(env.cores);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err;
    struct gpu_snapshot *s = gpu_snapshot_parse(data, size, "input", &err);
    const struct gpu_variant *variant;
    uint64_t bytes = 0;

    if (!s)
        return 0;
    for (size_t i = 0; i < s->segment_count; i++)
        bytes += s->segments[i].bytes;
    variant = gpu_variant_by_product(s->product);
    if (!variant)
        variant = gpu_variant_by_name("g52");
    if (bytes <= MAX_MEMORY)
        run_all(s, variant);
    gpu_snapshot_free(s);
    return 0;
}
