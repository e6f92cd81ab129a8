/* Decoding of blocks, and their memory. */
#include "runtime/cpu/internal.h"

#include <inttypes.h>

#include "gencc/text/asm_text.h"

struct block *block_new(const struct cpu_isa *isa, unsigned n)
{
    size_t counters = CODE_SLOTS * sizeof(uint64_t);
    size_t allocated = counters + sizeof(struct block) + (n + 1) * isa->insn_bytes;
    uint8_t *memory = xcalloc(1, allocated);
    struct block *b = (struct block *)(void *)(memory + counters);

    b->allocated = allocated;
    return b;
}

void block_free(struct block *b)
{
    if (b)
        free((uint8_t *)b - CODE_SLOTS * sizeof(uint64_t));
}

struct block *block_scratch(struct cpu *cpu)
{
    if (!cpu->scratch)
        cpu->scratch = block_new(cpu->isa, CPU_MAX_BLOCK);
    return cpu->scratch;
}

/* ---- handlers of the runtime's own ----------------------------------------------------------- */

/* Stands after the last instruction of a block that does not end by itself. */
static void go_on(struct cpu *cpu, const struct insn *i)
{
    cpu->pc = CPU_PC(cpu, i);
}

/* Stands in a dropped block, which a jump cache still knew: nothing has been executed. */
static void stale(struct cpu *cpu, const struct insn *i)
{
    struct block *b = cpu->block;

    (void)i;
    block_take_back(cpu, b);
    if (cpu->counts)
        --*block_runs(b, cpu->slot);
    cpu->jumps[jump_index(cpu->pc)].key = 0;
}

static unsigned insn_ticks(const struct cpu_isa *isa, const struct insn *i)
{
    return i->form < isa->form_count ? isa->forms[i->form].ticks : 1;
}

static unsigned sum_ticks(const struct cpu_isa *isa, const struct block *b, unsigned n)
{
    unsigned ticks = 0;

    for (unsigned i = 0; i < n; i++)
        ticks += insn_ticks(isa, (const void *)(b->insns + i * isa->insn_bytes));
    return ticks;
}

unsigned block_ticks(const struct block *b, unsigned n)
{
    return b->ticks == b->count ? n : sum_ticks(b->isa->isa, b, n);
}

void block_end(const struct cpu_isa *isa, struct block *b)
{
    struct insn *end = block_insn(b, isa->insn_bytes, b->count);

    *end = (struct insn){.fn = go_on, .offset = (uint16_t)b->bytes, .form = UINT16_MAX};
}

void block_kill(struct block *b)
{
    b->dead = true;
    block_insn(b, 0, 0)->fn = stale;
}

/* ---- decoding -------------------------------------------------------------------------------- */

static void log_instruction(struct cpu *cpu, uint64_t pc, uint32_t word)
{
    char text[160] = "";
    struct asm_out out = {.text = text, .size = sizeof(text), .address = pc};

    if (!cpu->isa->disasm || !cpu->isa->disasm(word, pc, &out))
        snprintf(text, sizeof(text), "(undefined)");
    log_printf(cpu->log, LOG_IN_ASM, "0x%016" PRIx64 ":  %08" PRIx32 "  %s\n", pc, word, text);
}

static void log_block(struct cpu *cpu, const struct block *b, uint64_t pc, const uint8_t *host)
{
    unsigned size = cpu->isa->fetch_bytes;

    log_printf(cpu->log, LOG_IN_ASM, "cpu%u: block of ring %u, %u instructions\n", cpu->number,
               cpu->ring, b->count);
    for (unsigned n = 0; n < b->count; n++)
        log_instruction(cpu, pc + n * size, (uint32_t)le_get(host + n * size, size));
}

/* Decodes up to `room` instructions into the scratch block; returns how many. */
static unsigned decode_all(struct cpu *cpu, struct block *b, uint64_t pc, const uint8_t *host,
                           unsigned room)
{
    const struct cpu_isa *isa = cpu->isa;
    unsigned size = isa->fetch_bytes, n = 0;
    bool ended = false;

    while (n < room && !ended) {
        struct insn *insn = block_insn(b, isa->insn_bytes, n);
        uint32_t word = (uint32_t)le_get(host + n * size, size);

        if (n && cpu->debug && debug_breakpoint_offset(cpu->debug, pc + n * size))
            break;
        memset(insn, 0, isa->insn_bytes);
        ended = isa->decode(cpu, word, insn) & DECODE_ENDS_BLOCK;
        insn->word = word;
        insn->offset = (uint16_t)(n++ * size);
    }
    return n;
}

struct block *block_decode(struct cpu *cpu, struct code_isa *ci, uint64_t pc, uint64_t pa)
{
    const struct cpu_isa *isa = cpu->isa;
    const struct bus_region *r = bus_find(cpu->bus, pa);
    unsigned room = (unsigned)((CPU_PAGE_SIZE - (pa & CPU_PAGE_MASK)) / isa->fetch_bytes);
    struct block *scratch = block_scratch(cpu), *b;
    const uint8_t *host;
    unsigned count;

    if (!r || r->kind == BUS_MMIO)
        return NULL;
    host = r->host + (pa - r->base);
    count = decode_all(cpu, scratch, pc, host, room < CPU_MAX_BLOCK ? room : CPU_MAX_BLOCK);
    b = block_new(isa, count);
    b->count = count;
    b->key = (uint16_t)cpu->key;
    b->ring = (uint8_t)cpu->ring;
    b->checked = cpu->debug && debug_breakpoint_offset(cpu->debug, pc);
    b->pa = pa;
    b->bytes = count * isa->fetch_bytes;
    b->isa = ci;
    memcpy(b->insns, scratch->insns, count * isa->insn_bytes);
    b->ticks = sum_ticks(isa, b, count);
    b->first = block_insn(b, 0, 0)->fn;
    block_end(isa, b); /* not reached when the last instruction ends the block */
    if (log_enabled(cpu->log, LOG_IN_ASM))
        log_block(cpu, b, pc, host);
    return b;
}
