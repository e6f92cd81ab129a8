/*
 * Chains of jobs: the input is a snapshot (runtime/gpu/snapshot.h), whose memory holds headers,
 * descriptors and shaders. They run as mali-run lets them, within a smaller budget: what does not
 * come back is a hang, which libFuzzer's -timeout or the test's reports. The cores of a GPU are
 * made once, and keep what they made of a shader for other inputs with the same bytes at its
 * address.
 */
#include <string.h>

#include "runtime/gpu/chain.h"
#include "runtime/gpu/isa.h"
#include "runtime/gpu/snapshot.h"
#include "runtime/gpu/variant.h"
#include "tests/fuzz/fuzz.h"

enum {
    MAX_JOBS = 200,
    MAX_CYCLES = 5000,
    MAX_SUBMITS = 4,
    MAX_MEMORY = 1 << 28,
    MAX_VARIANTS = 64,
    TRANSLATED = 64,     /* 1 / TRANSLATED of the inputs is translated: 10 times slower */
    AFTER = 8,           /* executions before a shader becomes host code */
    WINDOW_BUNDLES = 64, /* a step has 16 windows of 64 groups, and ends far behind MAX_CYCLES */
};

extern const struct gpu_isa bifrost_isa, midgard_isa;

/* The cores of a GPU, and the memory that they see: that of the present input. */
struct kept {
    struct gpu_cores *cores;
    struct gpu_address_space space;
};

static uint32_t translate_page(void *opaque, uint64_t va, enum gpu_access access,
                               struct gpu_page *out)
{
    const struct gpu_address_space *now = *(const struct gpu_address_space **)opaque;

    return now->translate(now->opaque, va, access, out);
}

/* Cores that translate are kept apart; other inputs must not execute host code. */
static struct kept *cores_of(const struct gpu_variant *variant, bool is_translated)
{
    static struct kept all[MAX_VARIANTS][2];
    struct kept *k = &all[variant - gpu_variants][is_translated];
    bool is_midgard = !strcmp(variant->isa, midgard_isa.name);

    if (k->cores)
        return k;
    k->space.translate = translate_page;
    k->cores = gpu_cores_new(variant, is_midgard ? &midgard_isa : &bifrost_isa, 1);
    if (k->cores) {
        gpu_cores_set_window(k->cores, WINDOW_BUNDLES);
        gpu_cores_translate(k->cores, is_translated ? AFTER : 0);
    }
    return k;
}

static void run_all(const struct gpu_snapshot *s, const struct gpu_variant *variant,
                    bool is_translated)
{
    const struct gpu_address_space *now = &s->space;
    struct kept *k = cores_of(variant, is_translated);
    struct gpu_chain_env env = {.variant = variant, .cores = k->cores};
    struct gpu_chain_budget budget = {MAX_JOBS, MAX_CYCLES};
    struct gpu_chain *chain = env.cores ? gpu_chain_new(&env) : NULL;
    struct gpu_chain_outcome out;

    k->space.opaque = &now;
    k->space.generation++;
    for (size_t i = 0; chain && i < s->submit_count && i < MAX_SUBMITS; i++)
        gpu_chain_run(chain, &k->space, s->submits[i].head, GPU_CHAIN_WRITE_BACK, &budget, &out);
    gpu_chain_free(chain);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    return fuzz_without_leaks(argc, argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err;
    struct gpu_snapshot *s = gpu_snapshot_parse(data, size, "input", &err);
    const struct gpu_variant *variant;
    uint64_t bytes = 0;
    unsigned sum = 0;

    if (!s)
        return 0;
    for (size_t i = 0; i < size; i++)
        sum += data[i];
    for (size_t i = 0; i < s->segment_count; i++)
        bytes += s->segments[i].bytes;
    variant = gpu_variant_by_product(s->product);
    if (!variant)
        variant = gpu_variant_by_name("g52");
    if (bytes <= MAX_MEMORY)
        run_all(s, variant, sum % TRANSLATED == 0);
    gpu_snapshot_free(s);
    return 0;
}
