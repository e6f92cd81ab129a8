/*
 * Leaving an instruction before its end, by a jump to cpu_run() or to cpu_guard(), and how much of
 * the running block had been executed at that point.
 */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/cpu/internal.h"

/* Index of the instruction at an offset from the block's start. */
static unsigned index_at(struct block *b, unsigned offset)
{
    unsigned n = 0;

    while (n + 1 < b->count && block_insn(b, n)->offset != offset)
        n++;
    return n;
}

unsigned cpu_index_now(const struct cpu *cpu)
{
    uintptr_t first = (uintptr_t)cpu->block->insns, at = (uintptr_t)cpu->current;
    size_t stride = cpu->block->stride;

    if (at - first < cpu->block->count * stride)
        return (unsigned)((at - first) / stride);
    if (cpu->alone && cpu->current == cpu->alone)
        return index_at(cpu->block, cpu->alone->offset);
    return cpu->block->count - 1;
}

uint64_t cpu_insns_now(const struct cpu *cpu)
{
    if (!cpu->block)
        return cpu_insns(cpu);
    return cpu_insns(cpu) - cpu->block->count + cpu_index_now(cpu);
}

uint64_t cpu_ticks_now(const struct cpu *cpu)
{
    if (!cpu->block)
        return cpu->ticks;
    return cpu->ticks - cpu->block->ticks + block_ticks(cpu->block, cpu_index_now(cpu));
}

bool cpu_within(const struct cpu *cpu)
{
    return cpu->block != NULL;
}

/* ---- leaving --------------------------------------------------------------------------------- */

_Noreturn void cpu_leave(struct cpu *cpu, const struct insn *i)
{
    if (i)
        cpu->current = i;
    if (!cpu->guarded) {
        /* Only programs that call exported helpers directly come here: the runtime guards its
         * calls. */
        fprintf(stderr, "cpu%u: an exported helper took an exception outside of cpu_run()\n",
                cpu->number);
        exit(2);
    }
    cpu_settle(cpu);
    _longjmp(cpu->leave, 1);
}

_Noreturn void cpu_take_exception(struct cpu *cpu, const struct insn *i, uint32_t klass,
                                  uint32_t code)
{
    cpu->left.why = LEAVE_EXCEPTION;
    cpu->left.klass = klass;
    cpu->left.code = code;
    cpu_leave(cpu, i);
}

_Noreturn void cpu_undefined(struct cpu *cpu, const struct insn *i)
{
    cpu->left.why = LEAVE_UNDEFINED;
    cpu_leave(cpu, i);
}

_Noreturn void cpu_memory_fault(struct cpu *cpu, const struct insn *i, uint64_t va, uint32_t access,
                                uint32_t code)
{
    cpu->left.why = LEAVE_FAULT;
    cpu->left.value = va;
    cpu->left.access = access;
    cpu->left.code = code;
    cpu_leave(cpu, i);
}

bool cpu_guard(struct cpu *cpu, void (*fn)(struct cpu *cpu, void *arg), void *arg)
{
    const struct insn *current = cpu->current;
    bool guarded = cpu->guarded;
    jmp_buf outer;
    bool done;

    memcpy(outer, cpu->leave, sizeof(outer));
    cpu->guarded = true;
    done = !_setjmp(cpu->leave);
    if (done)
        fn(cpu, arg);
    memcpy(cpu->leave, outer, sizeof(outer));
    cpu->guarded = guarded;
    cpu->current = current;
    return done;
}
