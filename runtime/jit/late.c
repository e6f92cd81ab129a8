/*
 * Passes on a region between LLVM's own passes and its code generator.
 *
 * Accesses of flat guest memory (cpu->flat_base) are calls of placeholder functions up to here, so
 * that LLVM treats them as accesses of memory that nothing else aliases. Each becomes one host
 * instruction in inline assembly, which also enters the instruction's address into a section of the
 * object. When one faults, the carry flag is set and the instruction skipped (object.c); the code
 * then takes the slow path.
 *
 * Values that only exits and slow paths use, mostly flags, are computed there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/jit/llvm_build.h"

struct late {
    const struct llvm *l;
    LLVMContextRef x;
    LLVMBuilderRef b;
    LLVMTypeRef i8, i16, i32, i64, f32, f64, wide; /* wide: a vector register's 16 bytes */
    LLVMValueRef zero, upper_zero;                 /* values of type `wide` */
    bool avx;
    VEC(uintptr_t) cold; /* marked blocks, sorted by address */
};

/* ---- the functions --------------------------------------------------------------------------- */

enum { SIZES = 5 }; /* accesses of 8 << n bits */
#define LOAD  "guest.load."
#define STORE "guest.store."

static LLVMTypeRef access_type(const struct late *t, unsigned n)
{
    LLVMTypeRef types[SIZES] = {t->i8, t->i16, t->i32, t->i64, t->wide};

    return types[n];
}

static void add_attribute(const struct llvm *l, LLVMContextRef x, LLVMValueRef fn, const char *name)
{
    unsigned kind = l->GetEnumAttributeKindForName(name, strlen(name));

    l->AddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, l->CreateEnumAttribute(x, kind, 0));
}

LLVMValueRef build_flat(struct jit_build *j, bool store, LLVMTypeRef type, LLVMValueRef *args)
{
    const struct llvm *l = j->l;
    LLVMTypeRef params[] = {j->i64, j->i64, type}, results[] = {type, j->i1}, ft;
    LLVMValueRef fn;
    char name[32];

    ft = l->FunctionType(store ? j->i1 : l->StructTypeInContext(j->x, results, 2, false), params,
                         store ? 3 : 2, false);
    snprintf(name, sizeof(name), "%s%u", store ? STORE : LOAD, type_bits(type, j));
    fn = l->GetNamedFunction(j->module, name);
    if (!fn) {
        fn = l->AddFunction(j->module, name, ft);
        add_attribute(l, j->x, fn, "nounwind");
        add_attribute(l, j->x, fn, "willreturn");
        add_attribute(l, j->x, fn, "inaccessiblememonly");
        if (!store)
            add_attribute(l, j->x, fn, "readonly");
    }
    return l->BuildCall2(j->b, ft, fn, args, store ? 3 : 2, "");
}

/* ---- cold blocks ----------------------------------------------------------------------------- */

/* Name of the function whose calls mark cold blocks; LLVM's passes do not move them. */
#define COLD "gencc.cold"

void build_cold(struct jit_build *j)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = l->FunctionType(l->VoidTypeInContext(j->x), NULL, 0, false);
    LLVMValueRef fn = l->GetNamedFunction(j->module, COLD);

    if (!fn) {
        fn = l->AddFunction(j->module, COLD, type);
        add_attribute(l, j->x, fn, "nounwind");
        add_attribute(l, j->x, fn, "willreturn");
        add_attribute(l, j->x, fn, "inaccessiblememonly");
    }
    l->BuildCall2(j->b, type, fn, NULL, 0, "");
}

static int by_address(const void *a, const void *b)
{
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

    return x < y ? -1 : x > y;
}

/* Collects the marked blocks, and removes the marks. */
static void find_cold(struct late *t, LLVMModuleRef module)
{
    const struct llvm *l = t->l;
    LLVMValueRef fn = l->GetNamedFunction(module, COLD), mark;

    if (!fn)
        return;
    while (l->GetFirstUse(fn)) {
        mark = l->GetUser(l->GetFirstUse(fn));
        vec_push(&t->cold, (uintptr_t)l->GetInstructionParent(mark));
        l->InstructionEraseFromParent(mark);
    }
    l->DeleteFunction(fn);
    if (t->cold.len)
        qsort(t->cold.data, t->cold.len, sizeof(*t->cold.data), by_address);
}

static bool is_cold(const struct late *t, LLVMBasicBlockRef b)
{
    uintptr_t key = (uintptr_t)b;

    return t->cold.len &&
           bsearch(&key, t->cold.data, t->cold.len, sizeof(*t->cold.data), by_address);
}

/* Whether a use is in a cold block that can have a copy of the used value. */
static bool is_cold_use(const struct late *t, LLVMUseRef u)
{
    LLVMValueRef user = t->l->GetUser(u);

    return !t->l->IsAPHINode(user) && is_cold(t, t->l->GetInstructionParent(user));
}

/* ---- wider values ---------------------------------------------------------------------------- */

static bool is_opcode(const struct late *t, LLVMValueRef v, LLVMOpcode op)
{
    return t->l->IsAInstruction(v) && t->l->GetInstructionOpcode(v) == op;
}

static bool is_zero(const struct late *t, LLVMValueRef v)
{
    return t->l->IsAConstantInt(v) && !t->l->ConstIntGetZExtValue(v);
}

/* Whether the user puts the scalar into the low part of a vector that is zero otherwise. */
static bool fills_vector(const struct late *t, LLVMValueRef user, LLVMValueRef scalar)
{
    const struct llvm *l = t->l;

    return is_opcode(t, user, LLVMInsertElement) && l->TypeOf(user) == t->wide &&
           (l->GetOperand(user, 0) == t->zero || l->GetOperand(user, 0) == t->upper_zero) &&
           l->GetOperand(user, 1) == scalar && is_zero(t, l->GetOperand(user, 2));
}

static bool is_float(const struct late *t, LLVMTypeRef type)
{
    return type == t->f32 || type == t->f64;
}

/* Whether a value and everything computed of it can be in vector registers. */
static bool wants_vector(const struct late *t, LLVMValueRef v, unsigned depth)
{
    const struct llvm *l = t->l;

    if (!l->GetFirstUse(v) || depth > 4)
        return false;
    for (LLVMUseRef u = l->GetFirstUse(v); u; u = l->GetNextUse(u)) {
        LLVMValueRef user = l->GetUser(u);
        bool ok = fills_vector(t, user, v) || is_cold_use(t, u);

        if (!ok && (is_opcode(t, user, LLVMPHI) || is_opcode(t, user, LLVMZExt)))
            ok = wants_vector(t, user, depth + 1);
        if (!ok && is_opcode(t, user, LLVMBitCast))
            ok = is_float(t, l->TypeOf(user));
        if (!ok)
            return false;
    }
    return true;
}

/* The vector or floating-point number whose low part the scalar is; NULL: there is none. */
static LLVMValueRef low_part_of(const struct late *t, LLVMValueRef v)
{
    const struct llvm *l = t->l;
    LLVMValueRef from;

    if (is_opcode(t, v, LLVMTrunc))
        v = l->GetOperand(v, 0);
    if (is_opcode(t, v, LLVMBitCast)) {
        from = l->GetOperand(v, 0);
        return is_float(t, l->TypeOf(from)) ? from : NULL;
    }
    if (!is_opcode(t, v, LLVMExtractElement) || !is_zero(t, l->GetOperand(v, 1)))
        return NULL;
    from = l->GetOperand(v, 0);
    if (is_opcode(t, from, LLVMBitCast))
        from = l->GetOperand(from, 0);
    return l->TypeOf(from) == t->wide ? from : NULL;
}

/* The type of a vector register with such lanes. */
static LLVMTypeRef vector_of(const struct late *t, LLVMTypeRef lane)
{
    return t->l->VectorType(lane, lane == t->i32 || lane == t->f32 ? 4 : 2);
}

/* A narrow value in the wide type: a vector with zeros above, or a zero-extended i32. */
static LLVMValueRef widen_value(const struct late *t, LLVMValueRef v, LLVMTypeRef wide)
{
    const struct llvm *l = t->l;

    LLVMValueRef number = low_part_of(t, v), zero = l->ConstInt(t->i32, 0, false);

    if (wide == t->i32)
        return l->BuildZExt(t->b, v, wide, "");
    if (number && is_float(t, l->TypeOf(number))) {
        LLVMTypeRef type = vector_of(t, l->TypeOf(number));

        v = l->BuildInsertElement(t->b, l->ConstNull(type), number, zero, "");
        return l->BuildBitCast(t->b, v, wide, "");
    }
    if (l->TypeOf(v) != t->i64)
        v = l->BuildZExt(t->b, v, t->i64, "");
    return l->BuildInsertElement(t->b, t->zero, v, zero, "");
}

/* The narrow value of a wide one. */
static LLVMValueRef narrow_value(const struct late *t, LLVMValueRef w, LLVMTypeRef type)
{
    const struct llvm *l = t->l;

    if (l->TypeOf(w) == t->i32)
        return type == t->i32 ? w : l->BuildTrunc(t->b, w, type, "");
    if (type != t->i64)
        w = l->BuildBitCast(t->b, w, vector_of(t, type), "");
    return l->BuildExtractElement(t->b, w, l->ConstInt(t->i32, 0, false), "");
}

/* A phi of narrow values as a phi of wide ones. If v is not NULL, w is its wide value. */
static LLVMValueRef widen_phi(const struct late *t, LLVMValueRef phi, LLVMTypeRef type,
                              LLVMValueRef v, LLVMValueRef w)
{
    const struct llvm *l = t->l;
    LLVMValueRef wide;

    l->PositionBuilderBefore(t->b, phi);
    wide = l->BuildPhi(t->b, type, "");
    for (unsigned n = 0; n < l->CountIncoming(phi); n++) {
        LLVMBasicBlockRef from = l->GetIncomingBlock(phi, n);
        LLVMValueRef in = l->GetIncomingValue(phi, n);

        l->PositionBuilderBefore(t->b, l->GetBasicBlockTerminator(from));
        in = in == v ? w : in == phi ? wide : widen_value(t, in, type);
        l->AddIncoming(wide, &in, &from, 1);
    }
    return wide;
}

/* The result of a user of v, which is no phi, computed from w; NULL: it needs v itself. */
static LLVMValueRef from_wide(const struct late *t, LLVMValueRef user, LLVMValueRef v,
                              LLVMValueRef w)
{
    const struct llvm *l = t->l;
    LLVMTypeRef type = l->TypeOf(user);
    bool vector = l->TypeOf(w) == t->wide;

    if (vector && fills_vector(t, user, v))
        return w;
    l->PositionBuilderBefore(t->b, user);
    if (vector && is_opcode(t, user, LLVMBitCast) && is_float(t, type))
        return narrow_value(t, w, type);
    if (!vector && is_opcode(t, user, LLVMZExt) && type == t->i32)
        return w;
    if (!vector && is_opcode(t, user, LLVMZExt) && type == t->i64)
        return l->BuildZExt(t->b, w, type, "");
    return NULL;
}

/* The next user of v that can use w instead; NULL: there is none. */
static LLVMValueRef next_user(const struct late *t, LLVMValueRef v, LLVMValueRef w,
                              LLVMValueRef *to)
{
    const struct llvm *l = t->l;
    bool vector = l->TypeOf(w) == t->wide;

    for (LLVMUseRef u = l->GetFirstUse(v); u; u = l->GetNextUse(u)) {
        LLVMValueRef user = l->GetUser(u);

        *to = NULL;
        if (is_opcode(t, user, LLVMPHI) || (vector && is_opcode(t, user, LLVMZExt)))
            return user;
        *to = from_wide(t, user, v, w);
        if (*to)
            return user;
    }
    return NULL;
}

/* Replaces uses of v by uses of w, which is v in a wider type, where possible. */
static void replace_by_wide(const struct late *t, LLVMValueRef v, LLVMValueRef w, unsigned depth)
{
    const struct llvm *l = t->l;
    LLVMValueRef user, to, next;

    while (depth < 5 && (user = next_user(t, v, w, &to))) {
        if (to) {
            l->ReplaceAllUsesWith(user, to);
        } else {
            to = is_opcode(t, user, LLVMPHI) ? widen_phi(t, user, l->TypeOf(w), v, w) : w;
            replace_by_wide(t, user, to, depth + 1);
        }
        l->InstructionEraseFromParent(user);
    }
    if (!l->GetFirstUse(v))
        return;
    next = l->GetNextInstruction(w);
    while (l->IsAPHINode(next))
        next = l->GetNextInstruction(next);
    l->PositionBuilderBefore(t->b, next);
    l->ReplaceAllUsesWith(v, narrow_value(t, w, l->TypeOf(v)));
}

/* ---- the instruction ------------------------------------------------------------------------- */

/* Splits an address into a register and a displacement. */
static LLVMValueRef split_address(const struct late *t, LLVMValueRef va, int64_t *disp)
{
    const struct llvm *l = t->l;
    LLVMValueRef constant;
    int64_t n;

    *disp = 0;
    if (!is_opcode(t, va, LLVMAdd))
        return va;
    constant = l->GetOperand(va, 1);
    if (!l->IsAConstantInt(constant))
        return va;
    n = l->ConstIntGetSExtValue(constant);
    if (n != (int32_t)n)
        return va;
    *disp = n;
    return l->GetOperand(va, 0);
}

/* A call of inline assembly with `instruction`, which may fault. */
static LLVMValueRef call_asm(const struct late *t, LLVMTypeRef type, const char *instruction,
                             const char *constraints, LLVMValueRef *args, unsigned n)
{
    static const char *const names[] = {"nounwind", "inaccessiblememonly"};
    const struct llvm *l = t->l;
    LLVMValueRef code, call;
    char text[256];
    int len = snprintf(text, sizeof(text),
                       "clc\n1:\t%s\n2:\n\t.pushsection .gencc.faults,\"a\",@progbits\n"
                       "\t.long 1b-.\n\t.long 2b-.\n\t.popsection",
                       instruction);

    code = l->GetInlineAsm(type, text, (size_t)len, (char *)(uintptr_t)constraints,
                           strlen(constraints), true, false, LLVMInlineAsmDialectATT, false);
    call = l->BuildCall2(t->b, type, code, args, n, "");
    for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
        unsigned kind = l->GetEnumAttributeKindForName(names[k], strlen(names[k]));

        l->AddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                                l->CreateEnumAttribute(t->x, kind, 0));
    }
    return call;
}

/* The instruction for an access of 8 << n bits, in the general or the vector registers. */
static const char *access_mnemonic(const struct late *t, unsigned n, bool store, bool vector)
{
    static const char *const general[2][4] = {{"movzbl", "movzwl", "movl", "movq"},
                                              {"movb", "movw", "movl", "movq"}};
    static const char *const sse[] = {"movd", "movq", "movdqu"}, *const avx[] = {"vmovd", "vmovq",
                                                                                 "vmovdqu"};

    return !vector ? general[store][n] : t->avx ? avx[n - 2] : sse[n - 2];
}

#define FLAGS_LOST ",~{dirflag},~{fpsr},~{flags}"

/* A load's results: the value, in the type of results[0], and an i8 that is not 0 when it
 * faulted. */
static LLVMValueRef asm_load(const struct late *t, LLVMValueRef call, unsigned n, bool vector)
{
    const struct llvm *l = t->l;
    LLVMTypeRef results[] = {vector ? t->wide : n == 3 ? t->i64 : t->i32, t->i8};
    LLVMTypeRef params[] = {t->i64, t->i64};
    LLVMTypeRef pair = l->StructTypeInContext(t->x, results, 2, false);
    LLVMValueRef args[2];
    char text[64];
    int64_t disp;

    args[0] = l->GetOperand(call, 0);
    args[1] = split_address(t, l->GetOperand(call, 1), &disp);
    snprintf(text, sizeof(text), "%s %" PRId64 "($2,$3), $0", access_mnemonic(t, n, false, vector),
             disp);
    l->PositionBuilderBefore(t->b, call);
    return call_asm(t, l->FunctionType(pair, params, 2, false), text,
                    vector ? "=x,={@ccc},r,r" FLAGS_LOST : "=r,={@ccc},r,r" FLAGS_LOST, args, 2);
}

/* Whether an i8 is not 0, as an i1. */
static LLVMValueRef as_flag(const struct late *t, LLVMValueRef v)
{
    return t->l->BuildICmp(t->b, LLVMIntNE, v, t->l->ConstInt(t->i8, 0, false), "");
}

/* The first extractvalue of a member of the call's result, or NULL. */
static LLVMValueRef member_of(const struct late *t, LLVMValueRef call, unsigned member)
{
    const struct llvm *l = t->l;

    for (LLVMUseRef u = l->GetFirstUse(call); u; u = l->GetNextUse(u)) {
        if (*l->GetIndices(l->GetUser(u)) == member)
            return l->GetUser(u);
    }
    return NULL;
}

static void lower_load(const struct late *t, LLVMValueRef call, unsigned n)
{
    const struct llvm *l = t->l;
    LLVMValueRef value = member_of(t, call, 0), wide, flag, user;
    bool vector = n == 4 || (n >= 2 && value && wants_vector(t, value, 0));
    LLVMValueRef pair = asm_load(t, call, n, vector);

    wide = l->BuildExtractValue(t->b, pair, 0, "");
    flag = as_flag(t, l->BuildExtractValue(t->b, pair, 1, ""));
    while ((user = member_of(t, call, 1))) {
        l->ReplaceAllUsesWith(user, flag);
        l->InstructionEraseFromParent(user);
    }
    while ((user = member_of(t, call, 0))) {
        if (l->TypeOf(wide) == access_type(t, n))
            l->ReplaceAllUsesWith(user, wide);
        else
            replace_by_wide(t, user, wide, 0);
        l->InstructionEraseFromParent(user);
    }
    l->InstructionEraseFromParent(call);
}

static void lower_store(const struct late *t, LLVMValueRef call, unsigned n)
{
    const struct llvm *l = t->l;
    LLVMTypeRef params[3];
    LLVMValueRef args[3], from = NULL, flag;
    char text[64];
    int64_t disp;

    args[0] = l->GetOperand(call, 0);
    args[1] = split_address(t, l->GetOperand(call, 1), &disp);
    args[2] = l->GetOperand(call, 2);
    if (n == 2 || n == 3)
        from = low_part_of(t, args[2]);
    if (from)
        args[2] = from;
    params[0] = params[1] = t->i64;
    params[2] = l->TypeOf(args[2]);
    snprintf(text, sizeof(text), "%s $3, %" PRId64 "($1,$2)",
             access_mnemonic(t, n, true, from || n == 4), disp);
    l->PositionBuilderBefore(t->b, call);
    flag =
        call_asm(t, l->FunctionType(t->i8, params, 3, false), text,
                 from || n == 4 ? "={@ccc},r,r,x" FLAGS_LOST : "={@ccc},r,r,r" FLAGS_LOST, args, 3);
    l->ReplaceAllUsesWith(call, as_flag(t, flag));
    l->InstructionEraseFromParent(call);
}

static void lower_accesses(const struct late *t, LLVMModuleRef module)
{
    const struct llvm *l = t->l;

    for (unsigned n = 0; n < 2 * SIZES; n++) {
        bool store = n & 1;
        LLVMValueRef fn;
        LLVMUseRef u;
        char name[32];

        snprintf(name, sizeof(name), "%s%u", store ? STORE : LOAD, 8u << n / 2);
        fn = l->GetNamedFunction(module, name);
        if (!fn)
            continue;
        while ((u = l->GetFirstUse(fn))) {
            if (store)
                lower_store(t, l->GetUser(u), n / 2);
            else
                lower_load(t, l->GetUser(u), n / 2);
        }
        l->DeleteFunction(fn);
    }
}

/* ---- floating-point numbers in vector registers ---------------------------------------------- */

/* Whether a phi of integers has floating-point numbers that are used in vector registers only. */
static bool is_number(const struct late *t, LLVMValueRef phi)
{
    const struct llvm *l = t->l;

    if (l->TypeOf(phi) != t->i64 && l->TypeOf(phi) != t->i32)
        return false;
    for (unsigned n = 0; n < l->CountIncoming(phi); n++) {
        if (low_part_of(t, l->GetIncomingValue(phi, n)))
            return wants_vector(t, phi, 0);
    }
    return false;
}

/* Extracts floating-point numbers from vectors directly, not by way of integers. */
static void extract_numbers(const struct late *t, LLVMBasicBlockRef b)
{
    const struct llvm *l = t->l;

    for (LLVMValueRef v = l->GetFirstInstruction(b), next; v; v = next) {
        LLVMValueRef from;

        next = l->GetNextInstruction(v);
        if (!is_opcode(t, v, LLVMBitCast) || !is_float(t, l->TypeOf(v)))
            continue;
        from = low_part_of(t, l->GetOperand(v, 0));
        if (!from || l->TypeOf(from) != t->wide)
            continue;
        l->PositionBuilderBefore(t->b, v);
        l->ReplaceAllUsesWith(v, narrow_value(t, from, l->TypeOf(v)));
        l->InstructionEraseFromParent(v);
    }
}

static void widen_numbers(const struct late *t, LLVMBasicBlockRef b)
{
    const struct llvm *l = t->l;
    LLVMValueRef phi = l->GetFirstInstruction(b);

    while (l->IsAPHINode(phi)) {
        if (!is_number(t, phi)) {
            phi = l->GetNextInstruction(phi);
            continue;
        }
        replace_by_wide(t, phi, widen_phi(t, phi, t->wide, NULL, NULL), 0);
        l->InstructionEraseFromParent(phi);
        phi = l->GetFirstInstruction(b);
    }
}

/* ---- sinking into cold blocks ---------------------------------------------------------------- */

static bool is_cheap(const struct late *t, LLVMValueRef v)
{
    switch (t->l->GetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMICmp:
    case LLVMSelect:
    case LLVMBitCast:
    case LLVMInsertElement:
    case LLVMExtractElement:
        return true;
    default:
        return false;
    }
}

/* Whether a value is only a view of a register, of which each block may have a copy. */
static bool is_view(const struct late *t, LLVMValueRef v)
{
    switch (t->l->GetInstructionOpcode(v)) {
    case LLVMBitCast:
    case LLVMInsertElement:
    case LLVMExtractElement:
        return true;
    default:
        return false;
    }
}

static LLVMUseRef cold_use(const struct late *t, LLVMValueRef v)
{
    LLVMUseRef u = t->l->GetFirstUse(v);

    while (u && !is_cold_use(t, u))
        u = t->l->GetNextUse(u);
    return u;
}

static bool only_cold_uses(const struct late *t, LLVMValueRef v)
{
    const struct llvm *l = t->l;

    if (!l->GetFirstUse(v))
        return false;
    for (LLVMUseRef u = l->GetFirstUse(v); u; u = l->GetNextUse(u)) {
        if (!is_cold_use(t, u))
            return false;
    }
    return true;
}

/* A user of v in the block; NULL: there is none. */
static LLVMValueRef user_in(const struct late *t, LLVMValueRef v, LLVMBasicBlockRef b)
{
    const struct llvm *l = t->l;

    for (LLVMUseRef u = l->GetFirstUse(v); u; u = l->GetNextUse(u)) {
        if (is_cold_use(t, u) && l->GetInstructionParent(l->GetUser(u)) == b)
            return l->GetUser(u);
    }
    return NULL;
}

/* Gives each cold block that uses v a copy of it, at the block's start. */
static void sink_value(const struct late *t, LLVMValueRef v)
{
    const struct llvm *l = t->l;
    LLVMUseRef u;

    while ((u = cold_use(t, v))) {
        LLVMBasicBlockRef to = l->GetInstructionParent(l->GetUser(u));
        LLVMValueRef copy = l->InstructionClone(v), user, first = l->GetFirstInstruction(to);

        while (l->IsAPHINode(first))
            first = l->GetNextInstruction(first);
        l->PositionBuilderBefore(t->b, first);
        l->InsertIntoBuilder(t->b, copy);
        while ((user = user_in(t, v, to))) {
            for (unsigned n = 0; n < (unsigned)l->GetNumOperands(user); n++) {
                if (l->GetOperand(user, n) == v)
                    l->SetOperand(user, n, copy);
            }
        }
    }
    if (!l->GetFirstUse(v))
        l->InstructionEraseFromParent(v);
}

static void sink_all(const struct late *t, LLVMValueRef fn)
{
    const struct llvm *l = t->l;

    for (LLVMBasicBlockRef b = l->GetLastBasicBlock(fn); b; b = l->GetPreviousBasicBlock(b)) {
        if (is_cold(t, b))
            continue;
        for (LLVMValueRef v = l->GetLastInstruction(b), before; v; v = before) {
            before = l->GetPreviousInstruction(v);
            if (is_view(t, v) || (is_cheap(t, v) && only_cold_uses(t, v)))
                sink_value(t, v);
        }
    }
}

/* ---- the pass -------------------------------------------------------------------------------- */

void late_lower(struct compiler *c, LLVMModuleRef module)
{
    const struct llvm *l = c->l;
    LLVMContextRef x = c->context;
    LLVMValueRef lanes[2];
    struct late t = {.l = l,
                     .x = x,
                     .b = l->CreateBuilderInContext(x),
                     .i8 = l->IntTypeInContext(x, 8),
                     .i16 = l->IntTypeInContext(x, 16),
                     .i32 = l->IntTypeInContext(x, 32),
                     .i64 = l->IntTypeInContext(x, 64),
                     .f32 = l->FloatTypeInContext(x),
                     .f64 = l->DoubleTypeInContext(x),
                     .avx = __builtin_cpu_supports("avx")};

    t.wide = l->VectorType(t.i64, 2);
    t.zero = l->ConstNull(t.wide);
    lanes[0] = l->GetPoison(t.i64);
    lanes[1] = l->ConstInt(t.i64, 0, false);
    t.upper_zero = l->ConstVector(lanes, 2);
    find_cold(&t, module);
    lower_accesses(&t, module);
    for (LLVMValueRef fn = l->GetFirstFunction(module); fn; fn = l->GetNextFunction(fn)) {
        for (LLVMBasicBlockRef b = l->GetFirstBasicBlock(fn); b; b = l->GetNextBasicBlock(b))
            widen_numbers(&t, b);
        for (LLVMBasicBlockRef b = l->GetFirstBasicBlock(fn); b; b = l->GetNextBasicBlock(b))
            extract_numbers(&t, b);
        if (l->GetFirstBasicBlock(fn))
            sink_all(&t, fn);
    }
    l->DisposeBuilder(t.b);
    vec_free(&t.cold);
}
