/* What a bundle does, operation by operation, as the decoder makes them: for those who make something else of it. */
#ifndef RUNTIME_GPU_SHADER_VISIT_H
#define RUNTIME_GPU_SHADER_VISIT_H

#include "runtime/gpu/shader/core.h"

enum gpu_visit_kind {
    GPU_VISIT_WORD, /* an instruction */
    GPU_VISIT_MOVE, /* a result goes to its register: its bits of the mask */
    GPU_VISIT_FILL, /* a word of the pool goes to its slot, which others use too */
};

struct gpu_visit {
    enum gpu_visit_kind kind;
    const struct gpu_op *op; /* stays for the time of the call */
    gpu_word word;           /* of an instruction, with its part */
    enum gpu_form_class klass;
    uint16_t to, from; /* of a move: offsets */
    uint32_t mask;
};

typedef void gpu_visitor(void *opaque, struct gpu_decode *d, const struct gpu_visit *v);

/* Calls `visit` for the operations of a decoded bundle, in order. Under the shader's lock. false: the bundle is none. */
bool gpu_decode_visit(const struct gpu_decoder *decoder, struct gpu_shader *shader,
                      const struct gpu_code *code, gpu_visitor *visit, void *opaque);

#endif
