/* Values of lanes: types, scalars and vectors, and words of slots in the row's memory. */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/translate/internal.h"

void lanes_fail_op(struct jit_build *j, const char *why)
{
    if (!j->current_block->reached)
        return; /* no lane reaches it */
    (void)why;  /* for a debugger */
    j->op_failed = true;
}

void *lanes_keep(struct jit_build *j, size_t bytes)
{
    void *p = xcalloc(1, bytes);

    if (j->kept_count == j->kept_capacity) {
        j->kept_capacity = j->kept_capacity ? 2 * j->kept_capacity : 256;
        j->allocations = xrealloc(j->allocations, j->kept_capacity, sizeof(*j->allocations));
    }
    j->allocations[j->kept_count++] = p;
    return p;
}

LLVMTypeRef lanes_type(struct jit_build *j, jit_type t)
{
    if (t >> 16 > 1 || jit_type_bits(t) > 64)
        lanes_fail_op(j, "a type that lanes do not have here");
    if (!jit_type_bits(t) || jit_type_bits(t) > 64)
        return j->i64;
    return llvm_lane_type(&j->place, t);
}

LLVMValueRef lanes_intrinsic(struct jit_build *j, const char *name, LLVMTypeRef type, unsigned n,
                             LLVMValueRef *args)
{
    return llvm_intrinsic(&j->place, name, (LLVMTypeRef[]){type, NULL}, n, args);
}

LLVMTypeRef lanes_vector(struct jit_build *j, LLVMTypeRef t)
{
    return j->l->VectorType(t, j->lanes);
}

jit_value lanes_wrap(struct jit_build *j, LLVMValueRef v, bool uniform)
{
    struct lanes_value *value = lanes_keep(j, sizeof(*value));

    *value = (struct lanes_value){.v = v, .uniform = uniform};
    return (jit_value)(void *)value;
}

/* Makes a value that was deferred. */
static void make_deferred(struct jit_build *j, struct lanes_value *v)
{
    if (!v->v && v->make)
        v->make(j, v);
}

bool lanes_is_uniform(struct jit_build *j, jit_value v)
{
    make_deferred(j, lanes_value_of(v));
    return lanes_value_of(v)->uniform;
}

LLVMValueRef lanes_scalar(struct jit_build *j, jit_value v)
{
    make_deferred(j, lanes_value_of(v));
    return lanes_value_of(v)->v;
}

LLVMValueRef lanes_splat(struct jit_build *j, LLVMValueRef scalar)
{
    return llvm_in_lanes(&j->place, scalar, j->lanes);
}

LLVMValueRef lanes_wide(struct jit_build *j, jit_value v)
{
    make_deferred(j, lanes_value_of(v));
    return lanes_value_of(v)->uniform ? lanes_splat(j, lanes_value_of(v)->v) : lanes_value_of(v)->v;
}

LLVMValueRef lanes_int(LLVMTypeRef t, uint64_t v, struct jit_build *j)
{
    return j->l->ConstInt(t, v, false);
}

LLVMValueRef lanes_slot_pointer(struct jit_build *j, LLVMBuilderRef b, unsigned slot,
                                LLVMTypeRef type)
{
    LLVMValueRef at =
        lanes_int(j->i64, offsetof(struct gpu_warp, state) + (size_t)slot * j->row_lanes * 4, j);
    LLVMValueRef warp = b == j->entry_builder ? j->first_warp : j->warp;
    LLVMValueRef p = j->l->BuildGEP2(b, j->i8, warp, &at, 1, "");

    return j->l->BuildBitCast(b, p, j->l->PointerType(type, 0), "");
}

LLVMValueRef lanes_load_slot(struct jit_build *j, LLVMBuilderRef b, unsigned slot)
{
    LLVMTypeRef t = lanes_vector(j, j->i32);
    LLVMValueRef v;

    if (j->abreast)
        return abreast_load_slot(j, b, slot);
    v = j->l->BuildLoad2(b, t, lanes_slot_pointer(j, b, slot, t), "");
    j->l->SetAlignment(v, 64);
    return v;
}

LLVMValueRef lanes_load_uniform(struct jit_build *j, LLVMBuilderRef b, unsigned slot)
{
    return j->l->BuildLoad2(b, j->i32, lanes_slot_pointer(j, b, slot, j->i32), "");
}
