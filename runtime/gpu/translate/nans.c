/*
 * Tests for NaNs that nothing depends on. Each result that is a NaN becomes the GPU's one NaN: `x
 * unordered ? NAN : x`. An operation of floats whose own result is tested takes `x` in place of
 * that, since it only makes another NaN of a NaN, which its test replaces. So a chain of operations
 * waits for no tests, and those of results that nothing else uses are removed. A number that a loop
 * carries becomes two, tested for its exits and not tested for its operations. So does a selection
 * of tested numbers.
 *
 * Bounds      MOST_PHIS values that loops carry or branches choose, selections from selections as
 *             deep as MOST_CHOICES; others keep their tests
 */
#include "runtime/gpu/translate/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"

enum {
    MOST_PHIS = 16,
    MOST_STEPS = 3,  /* operations from a value to the test of what becomes of it */
    MOST_CHOICES = 3 /* selections, one of the results of another, from tests to an operation */
};

struct nans {
    struct jit_build *j;
    unsigned fma, fabs, sqrt; /* numbers of intrinsics */
    LLVMValueRef *taking;     /* operations whose operands need no tests */
    size_t count, capacity;
    struct phi {
        LLVMValueRef tested, raw;
    } phi[MOST_PHIS];
    unsigned phis;
    bool may_add_phis;
};

static unsigned intrinsic(const struct jit_build *j, const char *name)
{
    return j->l->LookupIntrinsicID(name, strlen(name));
}

static bool is_float_type(const struct jit_build *j, LLVMTypeRef t)
{
    if (j->l->GetTypeKind(t) == LLVMVectorTypeKind)
        t = j->l->GetElementType(t);
    return j->l->GetTypeKind(t) == LLVMFloatTypeKind;
}

/* The default NaN in a type of floats. */
static LLVMValueRef default_nan(const struct jit_build *j, LLVMTypeRef t)
{
    LLVMValueRef lane[64], nan = j->l->ConstReal(j->f32, (double)NAN);
    unsigned n;

    if (j->l->GetTypeKind(t) != LLVMVectorTypeKind)
        return nan;
    n = j->l->GetVectorSize(t);
    for (unsigned i = 0; i < n && i < 64; i++)
        lane[i] = nan;
    return n <= 64 ? j->l->ConstVector(lane, n) : NULL;
}

/* Whether v compares x with itself, or with 0, so that the result is whether x is a NaN
 * (`unordered`) or is none. */
static bool tests_nan(const struct jit_build *j, LLVMValueRef v, LLVMValueRef x, bool unordered)
{
    const struct llvm *l = j->l;
    LLVMRealPredicate with_itself = unordered ? LLVMRealUNE : LLVMRealOEQ;
    LLVMRealPredicate with_all = unordered ? LLVMRealUNO : LLVMRealORD;
    LLVMRealPredicate p;

    if (!l->IsAInstruction(v) || l->GetInstructionOpcode(v) != LLVMFCmp || l->GetOperand(v, 0) != x)
        return false;
    p = l->GetFCmpPredicate(v);
    return l->GetOperand(v, 1) == x ? p == with_itself || p == with_all
                                    : p == with_all && l->IsNull(l->GetOperand(v, 1));
}

/* The value that v is the test of; NULL: v is none. */
static LLVMValueRef tested_value(const struct jit_build *j, LLVMValueRef v)
{
    const struct llvm *l = j->l;
    LLVMValueRef cond, nan;

    if (!l->IsAInstruction(v) || l->GetInstructionOpcode(v) != LLVMSelect ||
        !is_float_type(j, l->TypeOf(v)))
        return NULL;
    cond = l->GetOperand(v, 0);
    nan = default_nan(j, l->TypeOf(v));
    for (unsigned arm = 1; arm <= 2; arm++)
        if (l->GetOperand(v, 3 - arm) == nan && tests_nan(j, cond, l->GetOperand(v, arm), arm == 2))
            return l->GetOperand(v, arm);
    return NULL;
}

/* ---- who needs no test ----------------------------------------------------------------------- */

static bool calls(const struct nans *n, LLVMValueRef v, unsigned id)
{
    const struct llvm *l = n->j->l;
    LLVMValueRef fn = l->GetCalledValue(v);

    return l->IsAFunction(fn) && l->GetIntrinsicID(fn) == id;
}

/* Whether the result of an instruction is a NaN if an operand is one. */
static bool keeps_nans(const struct nans *n, LLVMValueRef v)
{
    if (!n->j->l->IsAInstruction(v))
        return false;
    switch (n->j->l->GetInstructionOpcode(v)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFNeg:
    case LLVMFPExt:
    case LLVMFPTrunc:
        return true;
    case LLVMCall:
        return calls(n, v, n->fma) || calls(n, v, n->fabs) || calls(n, v, n->sqrt);
    default:
        return false;
    }
}

/* Whether a selection takes v only where a comparison of v has found that it is no NaN. */
static bool selects_number(const struct jit_build *j, LLVMValueRef select, LLVMValueRef v)
{
    const struct llvm *l = j->l;
    LLVMValueRef cond = l->GetOperand(select, 0);
    bool on = l->GetOperand(select, 1) == v, off = l->GetOperand(select, 2) == v;
    LLVMRealPredicate p;

    if (on == off || !l->IsAInstruction(cond) || l->GetInstructionOpcode(cond) != LLVMFCmp ||
        (l->GetOperand(cond, 0) != v && l->GetOperand(cond, 1) != v))
        return false;
    p = l->GetFCmpPredicate(cond);
    /* LLVM numbers the ordered predicates, then the unordered ones, which hold for NaNs. */
    return on ? p >= LLVMRealOEQ && p <= LLVMRealORD : p >= LLVMRealUNO && p <= LLVMRealUNE;
}

/* Whether the bits of v influence nothing where v is a NaN. */
static bool is_unseen(const struct nans *n, LLVMValueRef v, unsigned steps)
{
    const struct llvm *l = n->j->l;

    for (LLVMUseRef u = l->GetFirstUse(v); u; u = l->GetNextUse(u)) {
        LLVMValueRef user = l->GetUser(u);
        LLVMOpcode o = l->GetInstructionOpcode(user);

        if (o != LLVMFCmp && !(o == LLVMSelect && selects_number(n->j, user, v)) &&
            !(steps && keeps_nans(n, user) && is_unseen(n, user, steps - 1)))
            return false;
    }
    return true;
}

static void note_taking(struct nans *n, LLVMValueRef v)
{
    if (n->count == n->capacity) {
        n->capacity = n->capacity ? 2 * n->capacity : 64;
        n->taking = xrealloc(n->taking, n->capacity, sizeof(LLVMValueRef));
    }
    n->taking[n->count++] = v;
}

/* Collects the operations that need no tested operands: those that compute, or that compare. */
static void collect(struct nans *n, bool compare)
{
    const struct llvm *l = n->j->l;

    n->count = 0;
    for (LLVMBasicBlockRef b = l->GetFirstBasicBlock(n->j->fn); b; b = l->GetNextBasicBlock(b))
        for (LLVMValueRef v = l->GetFirstInstruction(b); v; v = l->GetNextInstruction(v))
            if (compare ? l->GetInstructionOpcode(v) == LLVMFCmp
                        : keeps_nans(n, v) && is_unseen(n, v, MOST_STEPS))
                note_taking(n, v);
}

/* ---- values without their tests -------------------------------------------------------------- */

static LLVMValueRef raw_value(struct nans *n, LLVMValueRef v, unsigned choices);

/* Whether an instruction passes its only operand on: its bits, or those with another sign. */
static bool passes(const struct nans *n, LLVMValueRef v)
{
    const struct llvm *l = n->j->l;
    LLVMOpcode o = l->IsAInstruction(v) ? l->GetInstructionOpcode(v) : LLVMRet;

    return o == LLVMBitCast || o == LLVMFNeg || (o == LLVMCall && calls(n, v, n->fabs));
}

/* Whether a test comes into a phi, as it is or passed on. */
static bool has_test(const struct nans *n, LLVMValueRef phi)
{
    const struct llvm *l = n->j->l;

    for (unsigned i = 0; i < l->CountIncoming(phi); i++) {
        LLVMValueRef v = l->GetIncomingValue(phi, i);

        while (passes(n, v))
            v = l->GetOperand(v, 0);
        if (tested_value(n->j, v))
            return true;
    }
    return false;
}

static LLVMValueRef raw_phi(struct nans *n, LLVMValueRef v)
{
    const struct llvm *l = n->j->l;
    LLVMValueRef raw;

    for (unsigned i = 0; i < n->phis; i++)
        if (n->phi[i].tested == v)
            return n->phi[i].raw;
    if (!n->may_add_phis || n->phis == MOST_PHIS || !has_test(n, v))
        return v;
    l->PositionBuilderBefore(n->j->b, v);
    raw = l->BuildPhi(n->j->b, l->TypeOf(v), "");
    n->phi[n->phis++] = (struct phi){.tested = v, .raw = raw};
    for (unsigned i = 0; i < l->CountIncoming(v); i++) {
        LLVMValueRef in = raw_value(n, l->GetIncomingValue(v, i), MOST_CHOICES);
        LLVMBasicBlockRef from = l->GetIncomingBlock(v, i);

        l->AddIncoming(raw, &in, &from, 1);
    }
    return raw;
}

/* Copies an instruction with other operands, from `first` on, in front of it. */
static LLVMValueRef with_operands(struct nans *n, LLVMValueRef v, unsigned first,
                                  const LLVMValueRef *operands, unsigned count)
{
    const struct llvm *l = n->j->l;
    LLVMValueRef copy = l->InstructionClone(v);

    for (unsigned i = 0; i < count; i++)
        l->SetOperand(copy, first + i, operands[i]);
    l->PositionBuilderBefore(n->j->b, v);
    l->InsertIntoBuilder(n->j->b, copy);
    return copy;
}

/* The value with the bits that a NaN of it had before its test; v itself if it has no test.
 * `choices`: how many selections may be one behind the other. */
static LLVMValueRef raw_value(struct nans *n, LLVMValueRef v, unsigned choices)
{
    const struct llvm *l = n->j->l;
    LLVMValueRef raw[2] = {tested_value(n->j, v)};
    bool select = l->IsAInstruction(v) && l->GetInstructionOpcode(v) == LLVMSelect;
    unsigned first = select, count = 1 + select;
    bool same = true;

    if (raw[0])
        return raw[0];
    if (l->IsAPHINode(v))
        return raw_phi(n, v);
    if (select ? !choices : !passes(n, v))
        return v;
    for (unsigned i = 0; i < count; i++) {
        raw[i] = raw_value(n, l->GetOperand(v, first + i), choices - select);
        same = same && raw[i] == l->GetOperand(v, first + i);
    }
    return same ? v : with_operands(n, v, first, raw, count);
}

static void take_raw(struct nans *n)
{
    const struct llvm *l = n->j->l;

    for (size_t i = 0; i < n->count; i++)
        for (unsigned k = 0; k < (unsigned)l->GetNumOperands(n->taking[i]); k++) {
            LLVMValueRef v = l->GetOperand(n->taking[i], k), raw = raw_value(n, v, MOST_CHOICES);

            if (raw != v)
                l->SetOperand(n->taking[i], k, raw);
        }
}

void lanes_drop_nan_tests(struct jit_build *j)
{
    struct nans n = {.j = j, .may_add_phis = true};

    n.fma = intrinsic(j, "llvm.fma");
    n.fabs = intrinsic(j, "llvm.fabs");
    n.sqrt = intrinsic(j, "llvm.sqrt");
    collect(&n, false);
    take_raw(&n);
    n.may_add_phis = false;
    collect(&n, true);
    take_raw(&n);
    free(n.taking);
}
