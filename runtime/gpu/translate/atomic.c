/*
 * Atomic operations of a row of lanes. A function of row.h performs them lane by lane, in the order
 * of lanes, so the code around them keeps its registers, and lanes that have diverged may reach
 * them.
 */
#include "runtime/gpu/translate/access.h"
#include "runtime/gpu/translate/row.h"

/* The address, and the operands of the lanes, as row.h has them; returns the old words. */
static jit_value call_atomic(struct jit_build *j, unsigned bits, unsigned kind, jit_value address,
                             jit_value expected, jit_value value)
{
    const struct llvm *l = j->l;
    struct access a = {.active = j->active, .mask = lanes_mask(j), .bits = j->active};
    LLVMValueRef args[6], words = lanes_wide(j, value), old;
    LLVMTypeRef type = l->TypeOf(words);

    if (a.mask)
        a.bits = l->BuildAnd(j->b, j->active, lanes_bits(j, a.mask), "");
    j->memory = j->op_effects = true;
    j->access_count++;
    access_note_address(j);
    args[0] = j->warp;
    args[1] = access_bits32(j, &a);
    args[2] = access_in_memory(j, lanes_address(j, address));
    args[3] = access_in_memory(j, expected ? lanes_wide(j, expected) : words);
    args[4] = expected ? access_in_memory(j, words) : args[3];
    args[5] = lanes_int(j->i32, GPU_ROW_ATOMIC(bits / 8, kind), j);
    lanes_call_c(j, (const void *)gpu_row_atomic, l->VoidTypeInContext(j->x), 6, args);
    old = l->BuildBitCast(j->b, args[3], l->PointerType(type, 0), "");
    return lanes_wrap(j, l->BuildLoad2(j->b, type, old, ""), false);
}

/* Whether the operation is built. If its accesses are observed, the handler reports them. */
static bool is_built(struct jit_build *j)
{
    if (!lanes_takes_effect(j))
        return false;
    if (j->decoder->observed) {
        lanes_fail_op(j, "an observed atomic operation");
        return false;
    }
    lanes_finish_writes(j);
    j->reading = NULL;
    lanes_forget_accesses(j);
    return true;
}

static jit_value no_word(struct jit_build *j, unsigned bits)
{
    return lanes_wrap(j, lanes_int(j->l->IntTypeInContext(j->x, bits), 0, j), true);
}

jit_value lanes_atomic(struct jit_build *j, unsigned bits, unsigned kind, jit_value address,
                       jit_value value)
{
    return is_built(j) ? call_atomic(j, bits, kind, address, NULL, value) : no_word(j, bits);
}

jit_value lanes_cmpxchg(struct jit_build *j, unsigned bits, jit_value address, jit_value expected,
                        jit_value value)
{
    return is_built(j) ? call_atomic(j, bits, GPU_ROW_CMPXCHG, address, expected, value)
                       : no_word(j, bits);
}
