/* Visits the operations of a bundle as the decoder makes them, for translators and reports. */
#ifndef RUNTIME_GPU_SHADER_VISIT_H
#define RUNTIME_GPU_SHADER_VISIT_H

#include "runtime/gpu/shader/code.h"

enum gpu_visit_kind {
    GPU_VISIT_WORD, /* an instruction */
    GPU_VISIT_MOVE, /* a copy of a result to its register, or of its bits in the mask */
    GPU_VISIT_FILL, /* a word of the pool is written to a slot that other words use as well */
};

struct gpu_visit {
    enum gpu_visit_kind kind;
    const struct gpu_op *op; /* valid during the call */
    gpu_word word;           /* word of the instruction, and the number of its part */
    enum gpu_form_class klass;
    uint16_t to, from; /* offsets of a copy */
    uint32_t mask;
};

typedef void gpu_visitor(void *opaque, struct gpu_decode *d, const struct gpu_visit *v);

/* Calls `visit` for the operations of a decoded bundle, in order. The caller holds the shader's
 * lock. false: the bundle is invalid. */
bool gpu_decode_visit(const struct gpu_decoder *decoder, struct gpu_shader *shader,
                      const struct gpu_code *code, gpu_visitor *visit, void *opaque);

#endif
