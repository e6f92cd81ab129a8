/* The printed trace of executed bundles: warp, address, active lanes and changed registers. */
#include "runtime/gpu/shader/core.h"

static uint32_t lane_mask(unsigned width)
{
    return width == 32 ? UINT32_MAX : (UINT32_C(1) << width) - 1;
}

/* Prints one warp of the row, with the lanes from `first`. A row of scalar threads is printed as
 * one warp. */
static void trace_warp(const struct gpu_worker *k, const struct gpu_warp *w,
                       const struct gpu_code *code, const uint32_t *before, unsigned first,
                       unsigned width)
{
    const struct gpu_decoder *d = &k->cores->decoder;
    const uint32_t *now = (const uint32_t *)(const void *)w->state;
    FILE *out = k->cores->trace;

    fprintf(out, "group %llu warp %u lanes %x bundle 0x%llx\n", (unsigned long long)k->group->index,
            w->index * (d->row / width) + first / width, w->active >> first & lane_mask(width),
            (unsigned long long)code->address);
    for (unsigned r = 0; r < d->isa->register_count; r++) {
        const uint32_t *was = before + r * w->lanes + first, *is = now + r * w->lanes + first;

        if (!memcmp(was, is, width * sizeof(*is)))
            continue;
        fprintf(out, "    r%u", r);
        for (unsigned l = 0; l < width; l++)
            fprintf(out, " %08x", is[l]);
        fputc('\n', out);
    }
}

void gpu_trace_bundle(struct gpu_worker *k, const struct gpu_warp *w, const struct gpu_code *code,
                      const uint32_t *before)
{
    unsigned width = k->cores->decoder.scalar ? w->lanes : w->width;

    flockfile(k->cores->trace);
    for (unsigned first = 0; first < w->lanes; first += width)
        if (w->active >> first & lane_mask(width))
            trace_warp(k, w, code, before, first, width);
    funlockfile(k->cores->trace);
}
