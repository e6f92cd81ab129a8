/* A CPU with the quick tier, and pages as the test gives them. */
#include "tests/jit_quick/paged.h"

#include "runtime/cpu/tier.h"
#include "runtime/jit/jit.h"

extern const struct cpu_isa armv8a_isa;

struct paged_fault fault;

static void note_fault(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t code)
{
    (void)access;
    (void)code;
    fault = (struct paged_fault){va, cpu_pc(cpu)};
    cpu_stop(cpu);
}

struct bench *paged_new(uint64_t bytes, translate_fn *translate)
{
    struct bench *b = bench_new(&armv8a_isa, 0, bytes);
    struct jit_options o = jit_defaults();
    struct error err = {0};

    fault = (struct paged_fault){0};
    for (uint64_t at = 0; at < bytes; at += 8)
        poke64(b, at, at);
    o.enabled = o.sync = true;
    o.tier = JIT_TIER_QUICK;
    o.quick_threshold = 4;
    assert_non_null(jit_new(code_of(b->cpu), &b->log, &o, &err));
    cpu_reset(b->cpu);
    cpu_set_power(b->cpu, true);
    cpu_hooks(b->cpu)->translate = translate;
    cpu_hooks(b->cpu)->memory_fault = note_fault;
    return b;
}

void poke_code(struct bench *b, uint64_t at, const uint32_t *words, unsigned count)
{
    for (unsigned n = 0; n < count; n++)
        poke(b, at + n * 4, words[n]);
}
