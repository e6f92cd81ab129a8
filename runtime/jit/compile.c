/* Compiling regions: LLVM's passes, and an object file in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/base/alloc.h"
#include "runtime/jit/llvm_build.h"

/* Regions per LLVM context. Contexts keep all constants for ever, so they are replaced. */
enum { CONTEXT_REGIONS = 128 };

bool jit_has_llvm(void)
{
    return true;
}

struct llvm_library *llvm_library_new(void)
{
    struct llvm_library *library = xcalloc(1, sizeof(*library));

    pthread_mutex_init(&library->lock, NULL);
    return library;
}

void llvm_library_free(struct llvm_library *library)
{
    if (!library)
        return;
    pthread_mutex_destroy(&library->lock);
    free(library);
}

/* Loads LLVM at the first call. */
static bool load_library(struct llvm_library *library, struct error *err)
{
    bool ok;

    pthread_mutex_lock(&library->lock);
    if (!library->tried)
        library->ok = llvm_load(&library->api, &library->error);
    library->tried = true;
    ok = library->ok;
    pthread_mutex_unlock(&library->lock);
    return ok || error_set(err, "%s", library->error.text);
}

struct compiler *compiler_new(struct jit *jit, struct error *err)
{
    const struct llvm *l = &jit->llvm->api;
    char *triple, *cpu, *host, *features = NULL, *message = NULL;
    struct compiler *c;
    LLVMTargetRef target;

    if (!load_library(jit->llvm, err))
        return NULL;
    c = xcalloc(1, sizeof(*c));
    *c = (struct compiler){.jit = jit, .l = l};
    triple = l->GetDefaultTargetTriple();
    cpu = llvm_host_cpu(l);
    host = llvm_host_features(l);
    /* Wider vectors do not help guests with 16-byte vectors, and keep.c would have to save more. */
    if (asprintf(&features, "%s,-avx512f", host) > 0 &&
        !l->GetTargetFromTriple(triple, &target, &message))
        c->machine = l->CreateTargetMachine(target, triple, cpu, features, LLVMCodeGenLevelLess,
                                            LLVMRelocPIC, LLVMCodeModelSmall);
    if (!c->machine) {
        error_set(err, "LLVM has no code generator for this host: %s", message ? message : triple);
        compiler_free(c);
        c = NULL;
    }
    l->DisposeMessage(message);
    l->DisposeMessage(triple);
    free(cpu);
    free(host);
    free(features);
    return c;
}

void compiler_free(struct compiler *c)
{
    if (!c)
        return;
    if (c->machine)
        c->l->DisposeTargetMachine(c->machine);
    if (c->context)
        c->l->ContextDispose(c->context);
    free(c);
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
 * The passes that pay for their time: promoting variables to values, removing redundant code that
 * the general translators leave, and hoisting loop invariants.
 */
static void optimise_module(struct compiler *c, LLVMModuleRef module)
{
    const struct llvm *l = c->l;
    LLVMPassManagerRef p = l->CreateFunctionPassManagerForModule(module);

    l->AddTypeBasedAliasAnalysisPass(p); /* kinds of memory; build_tag() */
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

/* Prints the module, for option -jit-dump. */
static void dump_module(struct compiler *c, LLVMModuleRef module)
{
    char *text;

    if (!c->jit->options.dump)
        return;
    text = c->l->PrintModuleToString(module);
    fputs(text, stderr);
    c->l->DisposeMessage(text);
}

static void emit_object(struct compiler *c, struct region *list, LLVMModuleRef module)
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
        optimise_module(c, module);
        late_lower(c, module);
        shuffles_protect(c, module);
        optimised = now_ns();
        dump_module(c, module);
        emit_object(c, list, module);
    }
    c->l->DisposeModule(module);
    list->build_ns = built - from;
    list->optimise_ns = optimised - built;
    list->emit_ns = now_ns() - optimised;
}

void llvm_list_code(struct jit *jit, const uint8_t *code, size_t size)
{
    const struct llvm *l = &jit->llvm->api;
    LLVMDisasmContextRef d;
    char *triple, text[128];
    struct error err;
    size_t len;

    if (!load_library(jit->llvm, &err))
        return;
    triple = l->GetDefaultTargetTriple();
    d = l->CreateDisasm(triple, NULL, 0, NULL, NULL);
    for (size_t at = 0; d && at < size; at += len) {
        len = l->DisasmInstruction(d, (uint8_t *)(uintptr_t)code + at, size - at,
                                   (uintptr_t)code + at, text, sizeof(text));
        if (!len)
            break;
        log_printf(jit->log, LOG_OUT_ASM, "%p: %s\n", (const void *)(code + at), text);
    }
    if (d)
        l->DisasmDispose(d);
    l->DisposeMessage(triple);
}
