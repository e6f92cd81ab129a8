/* The trace of executed bundles: who, where, which lanes, and the registers that changed. */
#include "runtime/gpu/shader/core.h"

void gpu_trace_bundle(struct gpu_worker *k, const struct gpu_warp *w, const struct gpu_code *code,
                      const uint32_t *before)
{
    FILE *out = k->cores->trace;
    const uint32_t *now = (const uint32_t *)(const void *)w->state;

    flockfile(out);
    fprintf(out, "group %llu warp %u lanes %x bundle 0x%llx\n", (unsigned long long)k->group->index,
            w->index, w->active, (unsigned long long)code->address);
    for (unsigned r = 0; r < k->cores->decoder.isa->register_count; r++) {
        const uint32_t *was = before + r * w->lanes, *is = now + r * w->lanes;

        if (!memcmp(was, is, w->lanes * sizeof(*is)))
            continue;
        fprintf(out, "    r%u", r);
        for (unsigned l = 0; l < w->lanes; l++)
            fprintf(out, " %08x", is[l]);
        fputc('\n', out);
    }
    funlockfile(out);
}
