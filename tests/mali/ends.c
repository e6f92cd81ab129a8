/*
 * Whether the description says of each instruction whether it ends lanes: counts of the decoder are
 * compared with the disassembler's text of the bundle, for all bundles of the shaders of snapshots.
 *
 *     mali_ends SNAP.elf ...
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/gpu/chain.h"
#include "runtime/gpu/shader/core.h"
#include "runtime/gpu/snapshot.h"
#include "runtime/gpu/variant.h"
#include "runtime/gpu/walk.h"

enum { MAX_JOBS = 300, MAX_CYCLES = 400000 };

extern const struct gpu_isa bifrost_isa, midgard_isa;

static unsigned long bundles, ends, wrong;

/* Ends of lanes in the text: branches to the end of the shader, or, as the last instruction, a
 * branch to 0. */
static unsigned count_ends(const char *text)
{
    static const char end[] = " -> break", zero[] = ", #0.x";
    const char *last = text + strlen(text);
    unsigned count = 0;

    for (const char *at = text; (at = strstr(at, end)); at += sizeof(end) - 1)
        count++;
    while (last > text && (isspace((unsigned char)last[-1]) || last[-1] == '}'))
        last--;
    if ((size_t)(last - text) >= sizeof(zero) - 1 &&
        !memcmp(last - (sizeof(zero) - 1), zero, sizeof(zero) - 1))
        count++;
    return count;
}

/* Compares a bundle that the shader has decoded. */
static bool compare_bundle(void *opaque, const struct gpu_walked *at)
{
    const struct gpu_code *code = gpu_shader_find(opaque, at->address);
    unsigned count = count_ends(at->text);

    if (!code || !code->profile.instructions[GPU_CLASS_CONTROL])
        return true;
    bundles++;
    ends += count;
    if (code->ends == count)
        return true;
    printf("%u ends in place of %u:\n%s\n", code->ends, count, at->text);
    wrong++;
    return true;
}

/* Runs the chains of a snapshot, so that its shaders are decoded, and looks at these. */
static bool compare_snapshot(const char *path)
{
    struct error err;
    struct gpu_snapshot *s = gpu_snapshot_read(path, &err);
    const struct gpu_variant *variant = s ? gpu_variant_by_product(s->product) : NULL;
    bool midgard = variant && !strcmp(variant->isa, midgard_isa.name);
    const struct gpu_isa *isa = midgard ? &midgard_isa : &bifrost_isa;
    struct gpu_cores *cores = variant ? gpu_cores_new(variant, isa, 1) : NULL;
    struct gpu_chain *chain;

    if (!cores) {
        fprintf(stderr, "%s: cannot be used\n", path);
        gpu_snapshot_free(s);
        return false;
    }
    chain = gpu_chain_new(&(struct gpu_chain_env){.variant = variant, .cores = cores});
    for (size_t i = 0; i < s->submit_count; i++) {
        struct gpu_chain_budget budget = {MAX_JOBS, MAX_CYCLES};
        struct gpu_chain_outcome out;

        gpu_chain_run(chain, &s->space, s->submits[i].head, GPU_CHAIN_WRITE_BACK, &budget, &out);
    }
    for (unsigned i = 0; i < GPU_MAX_SHADERS; i++)
        if (cores->shaders[i])
            gpu_walk_shader(isa, &s->space, cores->shaders[i]->address, cores->shaders[i]->uniforms,
                            compare_bundle, cores->shaders[i]);
    gpu_chain_free(chain);
    gpu_cores_free(cores);
    gpu_snapshot_free(s);
    return true;
}

int main(int argc, char **argv)
{
    bool good = argc > 1;

    for (int i = 1; i < argc; i++)
        good &= compare_snapshot(argv[i]);
    printf("%lu bundles of control, %lu ends, %lu wrong\n", bundles, ends, wrong);
    return !good || wrong || !ends;
}
