/*
 * Calls on cold paths that preserve all registers, so that the hot code around them need not spill.
 *
 * jit_keep(fn, a, b, c, d, e) calls fn(a, b, c, d, e) and preserves all registers but the result's
 * and r11, as LLVM's calling convention preserve_all requires; jit_keep2 is for results in two
 * registers. Code is generated for at most AVX2 (compile.c), so there are 16 vector registers of 32
 * bytes.
 */
#include "runtime/jit/llvm_build.h"

#define EACH_VECTOR(F) \
    F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15)
#define SAVE_AVX(n)    "vmovups %ymm" #n ", 32*" #n "(%rsp)\n"
#define RESTORE_AVX(n) "vmovups 32*" #n "(%rsp), %ymm" #n "\n"
#define SAVE_SSE(n)    "movups %xmm" #n ", 32*" #n "(%rsp)\n"
#define RESTORE_SSE(n) "movups 32*" #n "(%rsp), %xmm" #n "\n"

/* The frame holds seven registers and the aligned vectors. `rdx` is the code for rdx at the end:
 * restore it, or drop the saved value. */
#define STUB(name, save, restore, rdx)                                                        \
    __asm__(".text\n.globl " name "\n.hidden " name "\n.p2align 4\n.type " name               \
            ", @function\n" name ":\n"                                                        \
            "pushq %rbp\nmovq %rsp, %rbp\n"                                                   \
            "pushq %rcx\npushq %rdx\npushq %rsi\npushq %rdi\n"                                \
            "pushq %r8\npushq %r9\npushq %r10\nsubq $520, %rsp\n" EACH_VECTOR(                \
                save) "movq %rdi, %rax\nmovq %rsi, %rdi\nmovq %rdx, %rsi\nmovq %rcx, %rdx\n"  \
                      "movq %r8, %rcx\nmovq %r9, %r8\ncall *%rax\n" EACH_VECTOR(              \
                          restore) "addq $520, %rsp\npopq %r10\npopq %r9\npopq %r8\n"         \
                                   "popq %rdi\npopq %rsi\n" rdx "popq %rcx\npopq %rbp\nret\n" \
                                   ".size " name ", .-" name "\n")

STUB("jit_keep_avx", SAVE_AVX, RESTORE_AVX, "popq %rdx\n");
STUB("jit_keep2_avx", SAVE_AVX, RESTORE_AVX, "leaq 8(%rsp), %rsp\n");
STUB("jit_keep_sse", SAVE_SSE, RESTORE_SSE, "popq %rdx\n");
STUB("jit_keep2_sse", SAVE_SSE, RESTORE_SSE, "leaq 8(%rsp), %rsp\n");

bool build_can_keep(struct jit_build *j, LLVMTypeRef result, unsigned n, LLVMValueRef *args)
{
    unsigned words = 0;

    if (result != j->l->VoidTypeInContext(j->x) && j->l->GetTypeKind(result) != LLVMIntegerTypeKind)
        return false;
    for (unsigned k = 0; k < n; k++) {
        LLVMTypeRef type = j->l->TypeOf(args[k]);

        if (j->l->GetTypeKind(type) == LLVMPointerTypeKind)
            words++;
        else if (j->l->GetTypeKind(type) == LLVMIntegerTypeKind)
            words += j->l->GetIntTypeWidth(type) > 64 ? 2 : 1;
        else
            return false;
    }
    return words <= KEEP_WORDS;
}

LLVMValueRef build_keep(struct jit_build *j, const void *fn, LLVMTypeRef result, unsigned n,
                        LLVMValueRef *args)
{
    const struct llvm *l = j->l;
    bool wide = result == j->i128, avx = __builtin_cpu_supports("avx");
    const char *stub =
        wide ? (avx ? "jit_keep2_avx" : "jit_keep2_sse") : (avx ? "jit_keep_avx" : "jit_keep_sse");
    LLVMTypeRef types[KEEP_WORDS + 1], type;
    unsigned cold;
    LLVMValueRef values[KEEP_WORDS + 1], call;

    values[0] = l->ConstIntToPtr(build_int(j, j->i64, (uintptr_t)fn), j->bytes);
    for (unsigned k = 0; k < n; k++)
        values[k + 1] = args[k];
    for (unsigned k = 0; k <= n; k++)
        types[k] = l->TypeOf(values[k]);
    /* The stub changes rax even for functions without a result. */
    type = l->FunctionType(result == l->VoidTypeInContext(j->x) ? j->i64 : result, types, n + 1,
                           false);
    call = l->BuildCall2(j->b, type, build_own_function(j, stub, type), values, n + 1, "");
    l->SetInstructionCallConv(call, LLVMPreserveAllCallConv);
    cold = l->GetEnumAttributeKindForName("cold", 4);
    l->AddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                            l->CreateEnumAttribute(j->x, cold, 0));
    return call;
}
