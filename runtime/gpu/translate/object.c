/*
 * The code of a trace: LLVM's passes, an object file of it, and its place in memory. An object has
 * no address of this process (lanes_link()), so that a cache can keep it for others. Its key is the
 * module before the passes, in which is all that the code follows from.
 *
 * Bounds      file_cache.h
 */
#include <stdlib.h>

#include <llvm/Config/llvm-config.h>

#include "runtime/gpu/translate/internal.h"

/* Part of an object's key: changed with the passes, or whatever else is done to the module. */
#define OBJECT_VERSION "shader object 7, LLVM " LLVM_VERSION_STRING

static void add_attribute(struct jit_build *j, const char *key, const char *value)
{
    LLVMAttributeRef a = j->l->CreateStringAttribute(j->x, key, (unsigned)strlen(key), value,
                                                     (unsigned)strlen(value));

    j->l->AddAttributeAtIndex(j->fn, LLVMAttributeFunctionIndex, a);
}

static void run_passes(struct jit_build *j, LLVMPassManagerRef p)
{
    j->l->InitializeFunctionPassManager(p);
    j->l->RunFunctionPassManager(p, j->fn);
    j->l->FinalizeFunctionPassManager(p);
    j->l->DisposePassManager(p);
}

/* With AVX-512 the host has 32 registers of 64 bytes. Others count as 16 of 32 bytes. */
static void interleave(struct jit_build *j)
{
    bool large = strstr(j->t->features, "+avx512f") != NULL;
    unsigned row = j->lanes * 4, bytes = large ? 64 : 32;

    lanes_interleave(j, large ? 32 : 16, row > bytes ? row / bytes : 1);
}

static void optimise_function(struct jit_build *j)
{
    const struct llvm *l = j->l;
    LLVMPassManagerRef p = l->CreateFunctionPassManagerForModule(j->module);

    l->AddPromoteMemoryToRegisterPass(p);
    /* removes whole addresses that have no uses, so that later passes do not combine them again */
    l->AddAggressiveDCEPass(p);
    l->AddEarlyCSEPass(p);
    l->AddInstructionCombiningPass(p);
    l->AddCFGSimplificationPass(p);
    l->AddGVNPass(p);
    l->AddLICMPass(p);
    l->AddInstructionCombiningPass(p);
    l->AddAggressiveDCEPass(p);
    l->AddCFGSimplificationPass(p);
    run_passes(j, p);
    lanes_drop_nan_tests(j);
    p = l->CreateFunctionPassManagerForModule(j->module);
    l->AddAggressiveDCEPass(p);
    run_passes(j, p);
    /* other functions have values in registers that their loops would lose */
    if (j->rows || j->patterned)
        lanes_sink(j);
    interleave(j);
}

/* The object file of the module; NULL: LLVM has no code for it. */
static LLVMMemoryBufferRef compile_object(struct jit_build *j)
{
    LLVMMemoryBufferRef object = NULL;
    char *message = NULL;

    optimise_function(j);
    if (!j->l->TargetMachineEmitToMemoryBuffer(j->t->machine, j->module, LLVMObjectFile, &message,
                                               &object))
        return object;
    j->l->DisposeMessage(message);
    return NULL;
}

/* Whether an operation of LLVM succeeded; forgets its error. */
static bool succeeds(const struct llvm *l, LLVMErrorRef error)
{
    if (error)
        l->ConsumeError(error);
    return !error;
}

/* Loads an object, which is then LLVM's. NULL: it cannot be loaded. */
static void *load_object(const struct llvm *l, LLVMMemoryBufferRef object, void **engine)
{
    LLVMOrcLLJITRef jit = NULL;
    LLVMOrcJITDylibRef library;
    LLVMOrcDefinitionGeneratorRef process;
    LLVMOrcJITTargetAddress at = 0;

    if (!succeeds(l, l->OrcCreateLLJIT(&jit, NULL))) {
        l->DisposeMemoryBuffer(object);
        return NULL;
    }
    library = l->OrcLLJITGetMainJITDylib(jit);
    /* LLVM calls functions of C for what the host has no instruction for. */
    if (succeeds(l, l->OrcCreateDynamicLibrarySearchGeneratorForProcess(
                        &process, l->OrcLLJITGetGlobalPrefix(jit), NULL, NULL)))
        l->OrcJITDylibAddGenerator(library, process);
    if (succeeds(l, l->OrcLLJITAddObjectFile(jit, library, object)) &&
        succeeds(l, l->OrcLLJITLookup(jit, &at, LANES_FUNCTION)) && at) {
        *engine = jit;
        return (void *)(uintptr_t)at;
    }
    succeeds(l, l->OrcDisposeLLJIT(jit));
    return NULL;
}

static struct file_key key_of_module(const struct jit_build *j)
{
    LLVMMemoryBufferRef module = j->l->WriteBitcodeToMemoryBuffer(j->module);
    struct file_key key = {0};

    file_key_add(&key, OBJECT_VERSION, sizeof(OBJECT_VERSION));
    file_key_add(&key, j->l->GetBufferStart(module), j->l->GetBufferSize(module));
    j->l->DisposeMemoryBuffer(module);
    return key;
}

/* The code of an object that the cache has; NULL: it has none that can be loaded. */
static void *load_kept(const struct jit_build *j, const struct file_key *key, void **engine)
{
    size_t size;
    void *kept = file_cache_get(j->t->cache, key, &size), *code = NULL;

    if (kept)
        code = load_object(j->l, j->l->CreateMemoryBufferWithMemoryRangeCopy(kept, size, "object"),
                           engine);
    free(kept);
    return code;
}

void *lanes_object_load(struct jit_build *j, void **engine)
{
    struct gpu_translator *t = j->t;
    struct file_key key = {0};
    LLVMMemoryBufferRef object;
    void *code = NULL;

    add_attribute(j, "target-cpu", t->cpu);
    add_attribute(j, "target-features", t->features);
    add_attribute(j, "min-legal-vector-width", "512");
    add_attribute(j, "prefer-vector-width", "512");
    if (t->cache) {
        key = key_of_module(j);
        code = load_kept(j, &key, engine);
        t->functions.kept += !!code;
    }
    if (code)
        return code;
    t->functions.compiled++;
    object = compile_object(j);
    if (!object)
        return NULL;
    if (t->cache)
        file_cache_put(t->cache, &key, j->l->GetBufferStart(object), j->l->GetBufferSize(object));
    return load_object(j->l, object, engine);
}

void lanes_object_free(struct gpu_translator *t, void *engine)
{
    if (engine)
        succeeds(&t->api, t->api.OrcDisposeLLJIT(engine));
}
