/* Blocks: their memory, the ticks of their instructions, and the handlers of the runtime in
 * them. */
#include "runtime/base/alloc.h"
#include "runtime/cpu/internal.h"

#include <stdlib.h>

enum { COUNTERS = CODE_SLOTS * sizeof(uint64_t) /* bytes of a block's counters */ };
_Static_assert(COUNTERS % _Alignof(struct block) == 0, "blocks with counters are aligned, too");
_Static_assert(POOL_UNIT % _Alignof(struct block) == 0, "pieces of a pool are aligned");
_Static_assert(COUNTERS + sizeof(struct block) + (CPU_MAX_BLOCK + 1) * CPU_MAX_DECODED <
                   POOL_UNIT * (POOL_SIZES - 1),
               "any block is a piece of a pool");

/* Bytes of a block with n instructions, without counters. */
static size_t block_bytes(unsigned insn_bytes, unsigned n)
{
    return sizeof(struct block) + (n + (size_t)1) * insn_bytes;
}

struct block *block_new(struct code_cache *code, unsigned insn_bytes, unsigned n)
{
    size_t counters = code->uncounted ? 0 : COUNTERS;
    size_t allocated = counters + block_bytes(insn_bytes, n);
    uint8_t *memory = pool_take(&code->pool, allocated);
    struct block *b = (void *)(memory + counters);

    memset(memory, 0, allocated);
    b->allocated = (uint32_t)allocated;
    b->counted = counters;
    b->stride = (uint16_t)insn_bytes;
    return b;
}

void block_free(struct code_cache *code, struct block *b)
{
    pool_give(&code->pool, (uint8_t *)b - (b->counted ? COUNTERS : 0), b->allocated);
}

struct block *block_scratch(struct cpu *cpu)
{
    unsigned insn_bytes = cpu_insn_bytes(cpu->isa);
    uint8_t *memory;

    if (!cpu->scratch) { /* the scratch block has counters as others do; they are not read */
        memory = xalloc_aligned(_Alignof(struct block),
                                COUNTERS + block_bytes(insn_bytes, CPU_MAX_BLOCK));
        cpu->scratch = (void *)(memory + COUNTERS);
        cpu->scratch->after = 0;
        cpu->scratch->stride = (uint16_t)insn_bytes;
    }
    return cpu->scratch;
}

void block_free_scratch(struct cpu *cpu)
{
    if (cpu->scratch)
        free((uint8_t *)cpu->scratch - COUNTERS);
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
