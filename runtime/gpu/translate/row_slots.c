/* The memory of rows abreast (abreast.c): a register is one vector of the lanes of all of them. */
#include "runtime/gpu/translate/internal.h"

void abreast_find_rows(struct jit_build *j)
{
    const struct llvm *l = j->l;
    LLVMBuilderRef b = j->entry_builder;
    LLVMValueRef all = l->BuildBitCast(b, l->GetParam(j->fn, 0), l->PointerType(j->bytes, 0), "");

    for (unsigned n = 0; n < j->abreast; n++) {
        LLVMValueRef at = j->l->ConstInt(j->i64, n, 0);

        at = l->BuildGEP2(b, j->bytes, all, &at, 1, "");
        j->row_abreast[n] = l->BuildLoad2(b, j->bytes, at, "");
    }
    j->warp = j->first_warp = j->row_abreast[0];
}

/* Pointer to a slot in the memory of row n. */
static LLVMValueRef slot_of_row(struct jit_build *j, LLVMBuilderRef b, unsigned n, unsigned slot)
{
    size_t offset = offsetof(struct gpu_warp, state) + (size_t)slot * j->row_lanes * 4;
    LLVMTypeRef row = j->l->VectorType(j->i32, j->row_lanes);
    LLVMValueRef at = j->l->ConstInt(j->i64, offset, 0);

    at = j->l->BuildGEP2(b, j->i8, j->row_abreast[n], &at, 1, "");
    return j->l->BuildBitCast(b, at, j->l->PointerType(row, 0), "");
}

/* `count` elements of two vectors, or of one (`v` NULL), from element `first` on. */
static LLVMValueRef elements(struct jit_build *j, LLVMBuilderRef b, LLVMValueRef u, LLVMValueRef v,
                             unsigned first, unsigned count)
{
    LLVMValueRef which[GPU_ABREAST_LANES];

    for (unsigned n = 0; n < count; n++)
        which[n] = j->l->ConstInt(j->i32, first + n, 0);
    return j->l->BuildShuffleVector(b, u, v ? v : j->l->GetUndef(j->l->TypeOf(u)),
                                    j->l->ConstVector(which, count), "");
}

LLVMValueRef abreast_load_slot(struct jit_build *j, LLVMBuilderRef b, unsigned slot)
{
    LLVMTypeRef row = j->l->VectorType(j->i32, j->row_lanes);
    LLVMValueRef v[GPU_ABREAST_ROWS];

    for (unsigned n = 0; n < j->abreast; n++) {
        v[n] = j->l->BuildLoad2(b, row, slot_of_row(j, b, n, slot), "");
        j->l->SetAlignment(v[n], 64);
    }
    for (unsigned joined = 1; joined < j->abreast; joined *= 2)
        for (unsigned n = 0; n < j->abreast; n += 2 * joined)
            v[n] = elements(j, b, v[n], v[n + joined], 0, 2 * joined * j->row_lanes);
    return v[0];
}

void abreast_store_slot(struct jit_build *j, unsigned slot, LLVMValueRef v)
{
    for (unsigned n = 0; n < j->abreast; n++) {
        LLVMValueRef row = elements(j, j->b, v, NULL, n * j->row_lanes, j->row_lanes);

        j->l->SetAlignment(j->l->BuildStore(j->b, row, slot_of_row(j, j->b, n, slot)), 64);
    }
}
