/* The functions of jit.h in a build without translation, for hosts without a folder in quick/. */
#include "runtime/jit/jit.h"

bool jit_available(void)
{
    return false;
}

bool jit_has_llvm(void)
{
    return false;
}

struct jit *jit_new(struct code_cache *code, struct log *log, const struct jit_options *o,
                    struct error *err)
{
    (void)code;
    (void)log;
    (void)o;
    return error_null(err, "built without translation: there is none for this kind of host");
}

void jit_before_fork(struct jit *jit)
{
    (void)jit;
}

void jit_after_fork(struct jit *jit, bool child)
{
    (void)jit;
    (void)child;
}

void jit_register_stats(struct jit *jit, struct stats *stats)
{
    (void)jit;
    (void)stats;
}

bool jit_write_hot(struct jit *jit, const char *dir, struct error *err)
{
    (void)jit;
    (void)dir;
    (void)err;
    return true;
}
