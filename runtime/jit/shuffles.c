/*
 * Works around a fault of LLVM's code generator, versions 13 to 15 (llvm-project, issue 63091).
 *
 * A shuffle of two results of one operation may become that operation on shuffled operands. x86's
 * code generator looks through bitcasts there, without checking that both operations have lanes of
 * the same size. A vector of which half was negated as bytes and half as words is then negated as
 * words. Descriptions contain such code: registers of 8 bytes are halves of those of 16.
 *
 * So where two computed vectors are combined in one, the computation of one of them is hidden.
 */
#include "runtime/jit/opaque.h"
#include "runtime/jit/llvm_build.h"

struct shuffles {
    const struct llvm *l;
    LLVMBuilderRef b;
    LLVMTypeRef i32;
    unsigned widest; /* bits of a vector register */
};

static bool is_vector(const struct shuffles *s, LLVMValueRef v)
{
    return s->l->GetTypeKind(s->l->TypeOf(v)) == LLVMVectorTypeKind;
}

/* Whether LLVM cannot see how an instruction computes its vector. */
static bool is_opaque(const struct shuffles *s, LLVMValueRef v)
{
    switch (s->l->GetInstructionOpcode(v)) {
    case LLVMLoad:
    case LLVMPHI:
    case LLVMExtractValue: /* from the result of inline assembly */
        return true;
    case LLVMCall:
        return s->l->IsAInlineAsm(s->l->GetCalledValue(v));
    default:
        return false;
    }
}

/* The operation on vectors whose result, or a piece of it, the value is; NULL: none. */
static LLVMValueRef computing_operation(const struct shuffles *s, LLVMValueRef v)
{
    while (s->l->IsAInstruction(v)) {
        LLVMOpcode op = s->l->GetInstructionOpcode(v);

        if (op != LLVMBitCast && is_vector(s, v))
            return is_opaque(s, v) ? NULL : v;
        switch (op) {
        case LLVMBitCast:
        case LLVMTrunc:
        case LLVMZExt:
        case LLVMSExt:
        case LLVMShl:
        case LLVMLShr:
        case LLVMAShr:
        case LLVMExtractElement:
            v = s->l->GetOperand(v, 0);
            break;
        default:
            return NULL;
        }
    }
    return NULL;
}

static void hide_operand(const struct shuffles *s, LLVMValueRef v)
{
    LLVMTypeRef type = s->l->TypeOf(v);
    unsigned lane = vector_lane_bits(s->l, type);
    struct opaque hidden;

    if (lane < 8 || lane * s->l->GetVectorSize(type) > s->widest)
        return;
    s->l->PositionBuilderBefore(s->b, s->l->GetNextInstruction(v));
    hidden = build_opaque(s->l, s->b, s->i32, v);
    s->l->ReplaceAllUsesWith(v, hidden.value);
    s->l->SetOperand(hidden.first, 0, v);
}

/* Whether a value consists of lanes or bytes of its operand, or may be rewritten so. */
static bool takes_pieces(const struct shuffles *s, LLVMValueRef v)
{
    while (s->l->IsAInstruction(v) && s->l->GetInstructionOpcode(v) == LLVMBitCast)
        v = s->l->GetOperand(v, 0);
    if (!s->l->IsAInstruction(v))
        return false;
    switch (s->l->GetInstructionOpcode(v)) {
    case LLVMAnd:
    case LLVMShl:
    case LLVMLShr:
        return s->l->IsConstant(s->l->GetOperand(v, 1));
    default:
        return false;
    }
}

/* Whether an instruction combines its operands *n and *n + 1 to a vector. */
static bool is_shuffle(const struct shuffles *s, LLVMValueRef v, unsigned *n)
{
    LLVMOpcode op = s->l->GetInstructionOpcode(v);

    *n = op == LLVMSelect;
    if (!is_vector(s, v))
        return false;
    return op == LLVMInsertElement || op == LLVMShuffleVector ||
           (op == LLVMSelect && s->l->IsConstant(s->l->GetOperand(v, 0))) ||
           (op == LLVMOr &&
            (takes_pieces(s, s->l->GetOperand(v, 0)) || takes_pieces(s, s->l->GetOperand(v, 1))));
}

void shuffles_protect(struct compiler *c, LLVMModuleRef module)
{
    const struct llvm *l = c->l;
    struct shuffles s = {.l = l,
                         .b = l->CreateBuilderInContext(c->context),
                         .i32 = l->IntTypeInContext(c->context, 32),
                         .widest = __builtin_cpu_supports("avx") ? 256 : 128};

    for (LLVMValueRef fn = l->GetFirstFunction(module); fn; fn = l->GetNextFunction(fn)) {
        for (LLVMBasicBlockRef b = l->GetFirstBasicBlock(fn); b; b = l->GetNextBasicBlock(b)) {
            for (LLVMValueRef v = l->GetFirstInstruction(b); v; v = l->GetNextInstruction(v)) {
                LLVMValueRef first, second;
                unsigned n;

                if (!is_shuffle(&s, v, &n))
                    continue;
                first = computing_operation(&s, l->GetOperand(v, n));
                second = computing_operation(&s, l->GetOperand(v, n + 1));
                if (first && second && first != second)
                    hide_operand(&s, second);
            }
        }
    }
    l->DisposeBuilder(s.b);
}
