/* Size and contents of a shader in memory: the figures of Mesa's shader-db. */
#include "runtime/gpu/shader/core.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/walk.h"

struct summing {
    const struct gpu_decoder *decoder;
    struct gpu_shader *scratch;
    struct gpu_shader_summary s;
};

#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t bytes)
{
    const uint8_t *at = data;

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * FNV_PRIME;
    return hash;
}

static uint64_t hash_bundle(uint64_t hash, const struct gpu_walked *bundle)
{
    uint8_t place[4];

    for (unsigned i = 0; i < sizeof(place); i++)
        place[i] = (uint8_t)(bundle->index >> 8 * i);
    return hash_bytes(hash_bytes(hash, place, sizeof(place)), bundle->code, bundle->bytes);
}

static void add_bundle(const struct gpu_isa *isa, const struct gpu_code *code,
                       struct gpu_shader_summary *s)
{
    const struct gpu_profile *p = &code->profile;

    s->bundles++;
    s->stages += p->stages;
    for (unsigned i = 0; i < GPU_FORM_CLASSES; i++)
        if (i != GPU_CLASS_NOP)
            s->instructions += p->instructions[i];
    s->empty += p->instructions[GPU_CLASS_NOP];
    s->load_store += p->instructions[GPU_CLASS_LOAD_STORE] + p->instructions[GPU_CLASS_ATTRIBUTE];
    s->arithmetic += p->arithmetic_stages;
    s->grains += code->bytes / isa->grain_bytes;
    if (p->registers > s->registers)
        s->registers = p->registers;
}

static bool sum_bundle(void *opaque, const struct gpu_walked *bundle)
{
    struct summing *m = opaque;
    struct gpu_code *code;
    bool valid = false;

    m->scratch->pool_count = 0;
    m->s.hash = hash_bundle(m->s.hash, bundle);
    code = gpu_decode_bundle(m->decoder, m->scratch, bundle->code, bundle->available,
                             bundle->address, &valid);
    if (valid) {
        add_bundle(m->decoder->isa, code, &m->s);
        m->s.loops += bundle->loops;
    }
    free(code);
    return valid;
}

void gpu_shader_summarise(const struct gpu_decoder *d, const struct gpu_address_space *as,
                          struct gpu_shader *shader)
{
    struct summing m = {
        .decoder = d,
        .scratch = xcalloc(1, sizeof(*m.scratch)),
        .s = {.bundle_name = d->isa->bundle_name,
              .stage_name = d->isa->stage_name,
              .hash = FNV_START},
    };

    m.scratch->uniforms = shader->uniforms;
    if (d->isa->disasm_bundle && shader->address % d->isa->grain_bytes == 0)
        m.s.known = gpu_walk_shader(d->isa, as, shader->address, shader->uniforms, sum_bundle, &m);
    free(m.scratch);
    shader->summary = m.s;
    shader->summarised = true;
}
