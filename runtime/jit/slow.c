/* Memory accesses of translated code that the soft TLB does not serve. */
#include "runtime/jit/llvm_build.h"

/* What the interpreter has set when it runs a block. */
static void enter(struct cpu *cpu, const struct site *s)
{
    cpu->block = s->block;
    cpu->block_pc = cpu->region_pc + (uint64_t)s->delta;
}

uint64_t jit_read_slow(struct cpu *cpu, uint64_t va, const struct site *s)
{
    enter(cpu, s);
    return cpu_read_slow(cpu, s->insn, s->iface, va, s->size);
}

void jit_write_slow(struct cpu *cpu, uint64_t va, const struct site *s, uint64_t value)
{
    enter(cpu, s);
    cpu_write_slow(cpu, s->insn, s->iface, va, s->size, value);
}

uint128_t jit_read128_slow(struct cpu *cpu, uint64_t va, const struct site *s)
{
    enter(cpu, s);
    return cpu_read128_slow(cpu, s->insn, s->iface, va);
}

void jit_write128_slow(struct cpu *cpu, uint64_t va, const struct site *s, uint128_t value)
{
    enter(cpu, s);
    cpu_write128_slow(cpu, s->insn, s->iface, va, value);
}
