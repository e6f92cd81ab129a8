/* Translates each block of an interpreter's CPU as soon as it is decoded. */

#include "tests/jit_diff/translate.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/cpu/group.h"
#include "runtime/cpu/layout.h"
#include "runtime/jit/jit.h"

struct translation {
    struct cpu_group group;
};

struct translation *translate_all(struct interpreter *n, bool by_llvm, bool base)
{
    struct translation *t = calloc(1, sizeof(*t));
    struct jit_options o = jit_defaults();
    struct cpu *cpu = interpreter_cpu(n);
    struct error err = {0};

    o.enabled = o.sync = true;
    o.tier = by_llvm ? JIT_TIER_LLVM : JIT_TIER_QUICK;
    o.base = base;
    o.threshold = o.quick_threshold = 1;
    if (t && cpu_group_init(&t->group, &cpu, 1, cpu->bus, NULL, &err) &&
        jit_new(t->group.code, cpu->log, &o, &err))
        return t;
    fprintf(stderr, "jit_diff: %s\n", err.text);
    free(t);
    return NULL;
}

void translation_free(struct translation *t)
{
    if (!t)
        return;
    cpu_group_free(&t->group);
    free(t);
}
