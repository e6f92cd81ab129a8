/*
 * Accesses to words of lanes anywhere, one after the other, without a branch for each lane. Hosts
 * without masked gathers and scatters have these where all lanes access.
 */
#include "runtime/gpu/translate/access.h"

/* Pointers to words of each lane at host addresses, integers or pointers; those of lanes that do not
 * access are `other`, or, if that is NULL, all do. */
static void place_each(struct jit_build *j, const struct access *a, LLVMValueRef at,
                       LLVMValueRef other, LLVMValueRef *place)
{
    const struct llvm *l = j->l;
    LLVMTypeRef pointer = l->PointerType(a->lane, 0);

    if (l->TypeOf(at) != lanes_vector(j, j->i64))
        at = l->BuildPtrToInt(j->b, at, lanes_vector(j, j->i64), "");
    if (other) {
        other = lanes_splat(j, l->BuildPtrToInt(j->b, other, j->i64, ""));
        at = l->BuildSelect(j->b, lanes_from_bits(j, a->bits), at, other, "");
    }
    for (unsigned n = 0; n < j->lanes; n++)
        place[n] = l->BuildIntToPtr(
            j->b, l->BuildExtractElement(j->b, at, lanes_int(j->i32, n, j), ""), pointer, "");
}

static LLVMValueRef load_each(struct jit_build *j, const struct access *a, LLVMValueRef at)
{
    LLVMValueRef place[GPU_MAX_LANES], v = j->l->GetUndef(lanes_vector(j, a->lane)), one;

    place_each(j, a, at, NULL, place);
    for (unsigned n = 0; n < j->lanes; n++) {
        one = j->l->BuildLoad2(j->b, a->lane, place[n], "");
        j->l->SetAlignment(one, 1);
        v = j->l->BuildInsertElement(j->b, v, one, lanes_int(j->i32, n, j), "");
    }
    return v;
}

static void store_each(struct jit_build *j, const LLVMValueRef *place, LLVMValueRef words)
{
    LLVMValueRef one;

    for (unsigned n = 0; n < j->lanes; n++) {
        one = j->l->BuildExtractElement(j->b, words, lanes_int(j->i32, n, j), "");
        j->l->SetAlignment(j->l->BuildStore(j->b, one, place[n]), 1);
    }
}

void access_store_each(struct jit_build *j, const struct access *a, LLVMValueRef at,
                       LLVMValueRef words)
{
    LLVMValueRef place[GPU_MAX_LANES];

    /* A branch for each lane would often be predicted wrongly. */
    place_each(j, a, at, lanes_variable(j, a->lane), place);
    store_each(j, place, words);
}

LLVMValueRef access_transfer_each(struct jit_build *j, const struct access *a, LLVMValueRef at,
                                  LLVMValueRef store)
{
    const struct llvm *l = j->l;
    LLVMBasicBlockRef some = lanes_new_block(j), end = lanes_new_block(j), from[2];
    LLVMValueRef place[GPU_MAX_LANES], v[2] = {NULL}, phi;

    access_continue_if(j, access_all_lanes(j, a), some);
    if (store) {
        place_each(j, a, at, NULL, place);
        store_each(j, place, store);
    } else {
        v[0] = load_each(j, a, at);
    }
    from[0] = l->GetInsertBlock(j->b);
    l->BuildBr(j->b, end);
    l->PositionBuilderAtEnd(j->b, some);
    v[1] = access_transfer_at_once(j, a, at, store);
    from[1] = l->GetInsertBlock(j->b);
    l->BuildBr(j->b, end);
    l->PositionBuilderAtEnd(j->b, end);
    if (store)
        return NULL;
    phi = l->BuildPhi(j->b, lanes_vector(j, a->lane), "");
    l->AddIncoming(phi, v, from, 2);
    return phi;
}
