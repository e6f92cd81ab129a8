/* Blocks: their memory, the ticks of their instructions, and the handlers of the runtime in
 * them. */
#include "runtime/base/alloc.h"
#include "runtime/cpu/internal.h"

#include <stdlib.h>

struct block *block_new(unsigned insn_bytes, unsigned n)
{
    size_t counters = CODE_SLOTS * sizeof(uint64_t), insns = (n + (size_t)1) * insn_bytes;
    size_t allocated = counters + sizeof(struct block) + insns + _Alignof(struct block);
    uint8_t *memory = xcalloc(1, allocated);
    uintptr_t at = align_up((uintptr_t)memory + counters, _Alignof(struct block));
    struct block *b = (struct block *)at;

    b->memory = memory;
    b->allocated = allocated;
    b->stride = (uint16_t)insn_bytes;
    return b;
}

void block_free(struct block *b)
{
    if (b)
        free(b->memory);
}

struct block *block_scratch(struct cpu *cpu)
{
    if (!cpu->scratch)
        cpu->scratch = block_new(cpu_insn_bytes(cpu->isa), CPU_MAX_BLOCK);
    return cpu->scratch;
}

/* ---- ticks ----------------------------------------------------------------------------------- */

static unsigned insn_ticks(const struct cpu_isa *isa, const struct insn *i)
{
    return i->form < isa->form_count ? isa->forms[i->form].ticks : 1;
}

unsigned block_sum_ticks(const struct cpu_isa *isa, const struct block *b, unsigned n)
{
    unsigned ticks = 0;

    for (unsigned i = 0; i < n; i++)
        ticks += insn_ticks(isa, (const void *)(b->insns + (size_t)i * b->stride));
    return ticks;
}

unsigned block_ticks(const struct block *b, unsigned n)
{
    return b->ticks == b->count ? n : block_sum_ticks(b->isa->isa, b, n);
}

/* ---- handlers of the runtime ----------------------------------------------------------------- */

/* Handler of the sentinel behind the last instruction of a block that does not end by itself. */
static void continue_behind(struct cpu *cpu, const struct insn *i)
{
    cpu->pc = CPU_PC(cpu, i);
}

static void set_context(struct cpu *cpu, const struct block *b, uint32_t context)
{
    cpu->state[cpu->isa->decoders[b->mode].context] = (uint8_t)context;
    cpu->attention |= CPU_ATT_KEY;
}

/* continue_behind() for blocks that begin or end in a decode context. */
static void continue_in_context(struct cpu *cpu, const struct insn *i)
{
    cpu->pc = CPU_PC(cpu, i);
    set_context(cpu, cpu->block, i->word);
}

void block_end_in_context(struct cpu *cpu, const struct insn *i)
{
    struct block *b = cpu->block;

    set_context(cpu, b, block_insn(b, 1)->word);
    b->inner(cpu, i);
}

void block_end(const struct cpu_decoder *d, struct block *b, uint8_t context)
{
    struct insn *end = block_insn(b, b->count);
    bool plain = !context && !insn_context(d, block_insn(b, 0));

    *end = (struct insn){.fn = plain ? continue_behind : continue_in_context,
                         .word = context,
                         .offset = b->bytes & 0xfff,
                         .form = UINT16_MAX};
}

/* First handler of a dropped block, reached through an out-of-date jump cache entry: executes
 * nothing, takes the accounting back and removes the entry. */
static void run_dropped(struct cpu *cpu, const struct insn *i)
{
    struct block *b = cpu->block;

    (void)i;
    block_take_back(cpu, b);
    if (cpu->counts)
        --*block_runs(b, cpu->slot);
    cpu->jumps[jump_index(cpu->pc)].key = 0;
}

void block_kill(struct block *b)
{
    b->dead = true;
    block_insn(b, 0)->fn = run_dropped;
}
