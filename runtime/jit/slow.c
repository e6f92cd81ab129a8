/* The slow path of memory accesses in code of LLVM. */
#include "runtime/jit/llvm_build.h"

/* Sets what the interpreter sets before it runs a block. */
static void enter_block(struct cpu *cpu, const struct site *s)
{
    cpu->block = s->block;
    cpu->block_pc = cpu->region_pc + (uint64_t)s->delta;
}

static uint64_t ticks_to_subtract(const struct cpu *cpu, uint64_t stop_at)
{
    return cpu->attention || cpu->stop_at != stop_at ? (uint64_t)LOOK_UP : 0;
}

uint128_t jit_read_slow(struct cpu *cpu, uint64_t va, const struct site *s)
{
    uint64_t stop_at = cpu->stop_at, value;

    enter_block(cpu, s);
    value = cpu_read_slow(cpu, s->insn, s->iface, va, s->size);
    return (uint128_t)ticks_to_subtract(cpu, stop_at) << 64 | value;
}

uint64_t jit_write_slow(struct cpu *cpu, uint64_t va, const struct site *s, uint64_t value)
{
    uint64_t stop_at = cpu->stop_at;

    enter_block(cpu, s);
    cpu_write_slow(cpu, s->insn, s->iface, va, s->size, value);
    return ticks_to_subtract(cpu, stop_at);
}

uint128_t jit_read128_slow(struct cpu *cpu, uint64_t va, const struct site *s)
{
    enter_block(cpu, s);
    return cpu_read128_slow(cpu, s->insn, s->iface, va);
}

void jit_write128_slow(struct cpu *cpu, uint64_t va, const struct site *s, uint128_t value)
{
    enter_block(cpu, s);
    cpu_write128_slow(cpu, s->insn, s->iface, va, value);
}
