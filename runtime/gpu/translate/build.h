/*
 * The interface of generated translators of lanes: the operations of runtime/jit/build.h, which
 * here build code for all lanes of a row at once, and operations that only lanes have.
 *
 * A value is that of one lane. A uniform value is kept and computed once. Branches inside an
 * operation make no branches in the code. Both sides are built one after the other, and effects are
 * masked to the lanes that reach them.
 *
 * An operation that cannot be built (jit_interpret, an unknown type or call) is left to its
 * handler.
 */
#ifndef RUNTIME_GPU_TRANSLATE_BUILD_H
#define RUNTIME_GPU_TRANSLATE_BUILD_H

#include "runtime/gpu/isa.h"
#include "runtime/jit/build.h"

/* The value of a special location (enum gpu_special). */
jit_value lanes_special(struct jit_build *j, unsigned special);
/* Register `k` of the operation's `registers` staging registers; 0 if k >= registers. */
jit_value lanes_staging(struct jit_build *j, const struct gpu_op *op, unsigned registers,
                        unsigned k);
/* Writes staging register `k`. No effect if k >= registers. */
void lanes_set_staging(struct jit_build *j, const struct gpu_op *op, unsigned registers, unsigned k,
                       jit_value v);
/* The address of the work-group's local memory, and of the lane's private memory. */
jit_value lanes_local_base(struct jit_build *j);
jit_value lanes_thread_base(struct jit_build *j);
/* As gpu_uniform_buffer() of runtime/gpu/lane_memory.h. */
jit_value lanes_uniform_buffer(struct jit_build *j, jit_value index, jit_value offset,
                               jit_value bytes);
/* An atomic operation (enum gpu_atomic_kind) on `bits` bits, 32 or 64, of memory, or one that
 * compares with `expected`. They return the old value. */
jit_value lanes_atomic(struct jit_build *j, unsigned bits, unsigned kind, jit_value address,
                       jit_value value);
jit_value lanes_cmpxchg(struct jit_build *j, unsigned bits, jit_value address, jit_value expected,
                        jit_value value);
/* An operation that only handlers can do: if a lane reaches it, the instruction is left to its
 * handler. `args` (may be NULL) is not used. */
jit_value lanes_nothing(struct jit_build *j, const jit_value *args);
/* The lane continues at `target` after the bundle, or ends. */
void lanes_branch(struct jit_build *j, jit_value target);
void lanes_end(struct jit_build *j);
/* The warp waits after the bundle until all warps of its work-group do. */
void lanes_barrier(struct jit_build *j);

#endif
