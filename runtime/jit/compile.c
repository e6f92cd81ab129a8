/* From a region to host code: LLVM's passes, and an object file in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/jit/internal.h"

/* A context never forgets a constant: it is made anew after so many regions. */
enum { CONTEXT_REGIONS = 128 };

bool compiler_init(struct compiler *c, struct jit *jit, struct error *err)
{
    const struct llvm *l = &jit->llvm;
    char *triple = l->GetDefaultTargetTriple(), *cpu = l->GetHostCPUName(),
         *host = l->GetHostCPUFeatures(), *features = NULL, *message = NULL;
    LLVMTargetRef target;
    /* Wider vectors gain nothing for guests of 16 bytes, and keep.c would have to save more. */
    bool ok = asprintf(&features, "%s,-avx512f", host) > 0 &&
              !l->GetTargetFromTriple(triple, &target, &message);

    *c = (struct compiler){.jit = jit, .l = l};
    if (ok)
        c->machine = l->CreateTargetMachine(target, triple, cpu, features, LLVMCodeGenLevelLess,
                                            LLVMRelocPIC, LLVMCodeModelSmall);
    if (!c->machine)
        ok = error_set(err, "LLVM has no code generator for this host: %s",
                       message ? message : triple);
    l->DisposeMessage(message);
    l->DisposeMessage(triple);
    l->DisposeMessage(cpu);
    l->DisposeMessage(host);
    free(features);
    return ok;
}

void compiler_free(struct compiler *c)
{
    if (!c->l)
        return;
    if (c->machine)
        c->l->DisposeTargetMachine(c->machine);
    if (c->context)
        c->l->ContextDispose(c->context);
    *c = (struct compiler){0};
}

static void fresh_context(struct compiler *c)
{
    if (c->context && c->used++ < CONTEXT_REGIONS)
        return;
    if (c->context)
        c->l->ContextDispose(c->context);
    c->context = c->l->ContextCreate();
    c->used = 1;
}

/*
 * What pays for its time: variables become values, then what the translators' generality left
 * behind goes away; loops lose what does not change in them.
 */
static void optimise(struct compiler *c, LLVMModuleRef module)
{
    const struct llvm *l = c->l;
    LLVMPassManagerRef p = l->CreateFunctionPassManagerForModule(module);

    l->AddPromoteMemoryToRegisterPass(p);
    l->AddEarlyCSEPass(p);
    l->AddInstructionCombiningPass(p);
    l->AddCFGSimplificationPass(p);
    l->AddGVNPass(p);
    l->AddInstructionCombiningPass(p);
    l->AddAggressiveDCEPass(p);
    l->AddCFGSimplificationPass(p);
    l->InitializeFunctionPassManager(p);
    for (LLVMValueRef fn = l->GetFirstFunction(module); fn; fn = l->GetNextFunction(fn))
        l->RunFunctionPassManager(p, fn);
    l->FinalizeFunctionPassManager(p);
    l->DisposePassManager(p);
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* For whoever looks into the translator: with GENCC_JIT_DUMP the code of all regions. */
static void dump(struct compiler *c, LLVMModuleRef module)
{
    char *text;

    if (!c->jit->options.dump)
        return;
    text = c->l->PrintModuleToString(module);
    fputs(text, stderr);
    c->l->DisposeMessage(text);
}

static void emit(struct compiler *c, struct region *list, LLVMModuleRef module)
{
    LLVMMemoryBufferRef object = NULL;
    char *message = NULL;

    if (c->l->TargetMachineEmitToMemoryBuffer(c->machine, module, LLVMObjectFile, &message,
                                              &object)) {
        for (struct region *r = list; r; r = r->queue_next)
            snprintf(r->failure, sizeof(r->failure), "%s", message ? message : "no code");
        c->l->DisposeMessage(message);
        return;
    }
    object_load(list, c->l->GetBufferStart(object), c->l->GetBufferSize(object));
    c->l->DisposeMemoryBuffer(object);
}

void compiler_translate(struct compiler *c, struct region *list)
{
    uint64_t from = now_ns(), built, optimised;
    LLVMModuleRef module;
    bool any = false;

    fresh_context(c);
    module = c->l->ModuleCreateWithNameInContext("regions", c->context);
    for (struct region *r = list; r; r = r->queue_next) {
        if (!atomic_load_explicit(&r->killed, memory_order_relaxed))
            any |= region_build(c, module, r);
    }
    built = optimised = now_ns();
    if (any) {
        optimise(c, module);
        optimised = now_ns();
        dump(c, module);
        emit(c, list, module);
    }
    c->l->DisposeModule(module);
    list->build_ns = built - from;
    list->optimise_ns = optimised - built;
    list->emit_ns = now_ns() - optimised;
}
