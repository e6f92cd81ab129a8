/* Host code of one operation of a shader (operation.h). */
#include "tests/gpu_core/operation.h"

#include <stdlib.h>

bool operation_open(struct jit_build *j, struct llvm *api)
{
    if (!llvm_load(api, NULL))
        return false;
    j->l = api;
    j->lanes = OPERATION_LANES;
    j->x = api->ContextCreate();
    j->module = api->ModuleCreateWithNameInContext("operation", j->x);
    j->b = api->CreateBuilderInContext(j->x);
    j->i1 = api->IntTypeInContext(j->x, 1);
    j->i8 = api->IntTypeInContext(j->x, 8);
    j->i32 = api->IntTypeInContext(j->x, 32);
    j->i64 = api->IntTypeInContext(j->x, 64);
    return true;
}

void operation_begin(struct jit_build *j, LLVMTypeRef *param, unsigned count)
{
    LLVMTypeRef type = j->l->FunctionType(j->l->VoidTypeInContext(j->x), param, count, false);

    j->fn = j->l->AddFunction(j->module, "operation", type);
    j->l->PositionBuilderAtEnd(j->b, lanes_new_block(j));
    lanes_begin(j);
}

void operation_close(struct jit_build *j)
{
    j->l->DisposeBuilder(j->b);
    j->l->DisposeModule(j->module);
    j->l->ContextDispose(j->x);
    for (size_t i = 0; i < j->kept_count; i++)
        free(j->allocations[i]);
    free(j->allocations);
}
