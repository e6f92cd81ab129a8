/* Size and contents of a shader in memory: the figures of Mesa's shader-db. */
#include "runtime/gpu/shader/core.h"

#include <stdlib.h>

#include "common/hash.h"
#include "runtime/base/alloc.h"
#include "runtime/gpu/walk.h"

struct summing {
    const struct gpu_decoder *decoder;
    struct gpu_shader *scratch;
    struct gpu_shader_summary s;
};

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
    m->s.hash = gpu_walk_hash(m->s.hash, bundle);
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
              .hash = HASH_START},
    };

    m.scratch->uniforms = shader->uniforms;
    if (d->isa->disasm_bundle && shader->address % d->isa->grain_bytes == 0)
        m.s.known = gpu_walk_shader(d->isa, as, shader->address, shader->uniforms, sum_bundle, &m);
    free(m.scratch);
    shader->summary = m.s;
    shader->summarised = true;
}
