/*
 * What generated translators of lanes are written in: runtime/jit/build.h, whose operations here build
 * code for all lanes of a row at once, and what only lanes have.
 *
 * A value is what one lane has. Where it is the same in all lanes, it is kept and computed once. Branches
 * inside of an operation make no branches in the code: both sides are built, one after the other, and
 * what has an effect has it in those lanes only that come there.
 *
 * An operation that cannot be built (jit_interpret, a type or a call that is not known here) is left to its
 * handler.
 */
#ifndef RUNTIME_GPU_TRANSLATE_BUILD_H
#define RUNTIME_GPU_TRANSLATE_BUILD_H

#include "runtime/gpu/isa.h"
#include "runtime/jit/build.h"

/* The value of a special place (enum gpu_special). */
jit_value lanes_special(struct jit_build *j, unsigned special);
/* The k-th register from the operation's staging register, of `registers` in all: 0 beyond. */
jit_value lanes_staging(struct jit_build *j, const struct gpu_op *op, unsigned registers,
                        unsigned k);
/* Beyond the registers nothing happens. */
void lanes_set_staging(struct jit_build *j, const struct gpu_op *op, unsigned registers, unsigned k,
                       jit_value v);
/* Where the local memory of the work-group, and the private memory of the lane, begin. */
jit_value lanes_local_base(struct jit_build *j);
jit_value lanes_thread_base(struct jit_build *j);
/* As gpu_uniform_buffer() of runtime/gpu/lane_memory.h. */
jit_value lanes_uniform_buffer(struct jit_build *j, jit_value index, jit_value offset,
                               jit_value bytes);
/* What only handlers can do, with arguments that do not matter (NULL: none): where a lane comes here, the operation is left to its handler. */
jit_value lanes_nothing(struct jit_build *j, const jit_value *args);
/* The lane goes on there, or ends, after the bundle. */
void lanes_branch(struct jit_build *j, jit_value target);
void lanes_end(struct jit_build *j);
/* The warp waits after the bundle until all of its work-group do. */
void lanes_barrier(struct jit_build *j);

#endif
