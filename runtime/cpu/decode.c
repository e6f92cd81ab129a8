/* Decoding of guest code into blocks. */
#include <inttypes.h>

#include "common/asm_text.h"
#include "runtime/cpu/points.h"

/* ---- decoding -------------------------------------------------------------------------------- */

/* A block that is being decoded, from guest address `pc` on. */
struct decoding {
    struct cpu *cpu;
    const struct cpu_decoder *decoder;
    uint64_t pc;
    struct cpu_fetch at;                      /* the next instruction */
    const uint8_t *code;                      /* bytes of the first instruction */
    uint8_t begins;                           /* decode context of the first instruction */
    bool ended;                               /* the last decoded instruction ends the block */
    bool crosses_page;                        /* the first instruction crosses into the next page */
    uint8_t joined_bytes[CPU_MAX_INSN_BYTES]; /* bytes of the instruction that crosses */
};

static void log_instruction(const struct decoding *d, const struct insn *i)
{
    struct cpu_fetch at = {d->code + i->offset, i->bytes, insn_context(d->decoder, i), 0};
    uint64_t pc = cpu_wrap(d->cpu->isa, d->pc + i->offset);
    char text[160] = "";
    struct asm_out out = {.text = text, .size = sizeof(text), .address = pc};

    if (!d->decoder->disasm || !d->decoder->disasm(&at, pc, &out))
        snprintf(text, sizeof(text), "(undefined)");
    log_printf(d->cpu->log, LOG_IN_ASM, "0x%016" PRIx64 ":  %0*" PRIx32 "%*s  %s\n", pc,
               2 * i->bytes, i->word, 2 * (int)d->decoder->max_bytes - 2 * i->bytes, "", text);
}

static void log_block(const struct decoding *d, struct block *b)
{
    log_printf(d->cpu->log, LOG_IN_ASM, "cpu%u: block of ring %u, %u instructions\n",
               d->cpu->number, d->cpu->ring, b->count);
    for (unsigned n = 0; n < b->count; n++)
        log_instruction(d, block_insn(b, n));
}

/* Whether a debugger may have a breakpoint at an instruction of the block. */
static bool may_stop_debugger(const struct decoding *d, struct block *b)
{
    for (unsigned n = 0; d->cpu->debug && n < b->count; n++) {
        if (debug_breakpoint_offset(d->cpu->debug, d->pc + block_insn(b, n)->offset))
            return true;
    }
    return false;
}

/* Decodes the instruction at d->at as number n of a block; false: the block ends before it. */
static bool decode_one(struct decoding *d, struct block *b, unsigned n)
{
    struct insn *insn = block_insn(b, n);
    unsigned offset = (unsigned)(d->at.bytes - d->code), flags;

    if (n && points_stop_at(&d->cpu->points.stops, d->pc + offset))
        return false;
    memset(insn, 0, b->stride);
    flags = d->decoder->decode(d->cpu, &d->at, insn);
    if (flags & DECODE_MORE)
        return false;
    d->ended = flags & DECODE_ENDS_BLOCK;
    if (d->decoder->has_context) {
        /* An instruction that ends a block in a context is alone in it (block_end_in_context()). */
        if (d->ended && n && (d->begins || d->at.next_context)) {
            d->ended = false;
            return false;
        }
        ((uint8_t *)insn)[d->decoder->context_at] = d->at.context;
        d->at.context = d->at.next_context;
    }
    insn->offset = offset & 0xfff;
    d->at.bytes += insn->bytes;
    d->at.available -= insn->bytes;
    return true;
}

/* Decodes up to CPU_MAX_BLOCK instructions into the scratch block and returns their number. A block
 * that begins in a decode context ends when the context does. Other blocks end before a context
 * begins, if they have an instruction before it. */
static unsigned decode_all(struct decoding *d, struct block *b)
{
    unsigned n = 0, clean = 0;

    while (n < CPU_MAX_BLOCK && d->at.available && !d->ended && decode_one(d, b, n)) {
        n++;
        if (!d->at.context)
            clean = n;
        if (d->begins && clean)
            break;
    }
    if (!d->at.context || d->begins || !clean)
        return n;
    d->ended = false;
    d->at.context = 0;
    return clean;
}

/* Joins the bytes of an instruction that crosses into the next page. */
static bool join_pages(struct decoding *d, struct block *b, struct fetch_fault *fault)
{
    unsigned have = d->at.available, want = block_insn(b, 0)->bytes;
    uint64_t va = cpu_wrap(d->cpu->isa, d->pc + have), info;
    const struct bus_region *r;

    if (!code_fetch(d->cpu, va, &info, fault))
        return false;
    b->tail = tlb_address(info, va);
    r = bus_find(d->cpu->bus, b->tail);
    if (!r || r->kind == BUS_MMIO)
        return fetch_failed(fault, va, CPU_FAULT_EXTERNAL);
    memcpy(d->joined_bytes, d->code, have);
    memcpy(d->joined_bytes + have, r->host + (b->tail - r->base), want - have);
    d->code = d->at.bytes = d->joined_bytes;
    d->at.available = want;
    d->crosses_page = true;
    return true;
}

/* A new block with the instructions in the scratch block. */
static struct block *copy_block(const struct decoding *d, const struct block *scratch,
                                unsigned count)
{
    struct cpu *cpu = d->cpu;
    const struct cpu_isa *isa = cpu->isa;
    struct block *b = block_new(cpu->code, scratch->stride, count);
    const struct insn *last;

    b->count = (uint16_t)count;
    b->key = (uint16_t)cpu->key;
    b->ring = (uint8_t)cpu->ring;
    b->mode = (uint8_t)cpu->mode;
    b->bank = (uint8_t)cpu->bank;
    b->crosses_page = d->crosses_page;
    b->tail = d->crosses_page ? scratch->tail : 0;
    memcpy(b->insns, scratch->insns, (size_t)count * b->stride);
    b->checked = points_stop_at(&cpu->points.stops, d->pc) || may_stop_debugger(d, b);
    last = block_insn(b, count - 1);
    b->bytes = last->offset + last->bytes;
    b->ticks = block_sum_ticks(isa, b, count);
    b->interpreted = b->crosses_page || d->begins || d->at.context;
    b->first = b->inner = block_insn(b, 0)->fn;
    if (d->ended && (d->begins || d->at.context))
        b->first = block_insn(b, 0)->fn = block_end_in_context;
    block_end(d->decoder, b,
              d->at.context); /* not reached when the last instruction ends the block */
    return b;
}

struct block *block_decode(struct cpu *cpu, struct code_isa *ci, uint64_t pa,
                           struct fetch_fault *fault)
{
    const struct cpu_decoder *decoder = cpu_decoder(cpu);
    const struct bus_region *r = bus_find(cpu->bus, pa);
    struct decoding d = {.cpu = cpu, .decoder = decoder, .pc = cpu->pc};
    struct block *scratch = block_scratch(cpu), *b;
    unsigned count;

    scratch->stride = (uint16_t)decoder->insn_bytes;
    fetch_failed(fault, cpu->pc, CPU_FAULT_EXTERNAL);
    if (!r || r->kind == BUS_MMIO)
        return NULL;
    d.code = d.at.bytes = r->host + (pa - r->base);
    d.at.available = (unsigned)(CPU_PAGE_SIZE - (pa & CPU_PAGE_MASK));
    if (decoder->has_context)
        d.begins = d.at.context = cpu->state[decoder->context];
    count = decode_all(&d, scratch);
    if (!count) {
        if (!join_pages(&d, scratch, fault))
            return NULL;
        count = decode_all(&d, scratch);
    }
    b = copy_block(&d, scratch, count);
    b->pa = pa;
    b->isa = ci;
    if (log_enabled(cpu->log, LOG_IN_ASM))
        log_block(&d, b);
    return b;
}
