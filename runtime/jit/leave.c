/* The function that host code of LLVM ends with when it leaves a region. */
#include "runtime/jit/internal.h"

void jit_leave(struct cpu *cpu, const struct insn *i)
{
    uint64_t pc = cpu->pc;
    const struct jump_entry *e = &cpu->jumps[jump_index(pc)];
    struct block *b = e->block;

    (void)i;
    if (CPU_UNLIKELY(cpu->attention || e->pc != pc || e->key != cpu->key || !block_fits(cpu, b)))
        return;
    cpu->block = b;
    cpu->block_pc = pc;
    block_account(cpu, b);
    if (cpu->counts)
        ++*block_runs(b, cpu->slot);
    block_insn(b, 0)->fn(cpu, block_insn(b, 0));
}
