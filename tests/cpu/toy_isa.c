/* The toy ISA: handlers, decoder, translation by page tables, registers and hooks. */

#include "tests/cpu/toy_isa.h"

#include "runtime/base/bits.h"

#include <stdio.h>

#include "common/asm_text.h"

struct toy_insn {
    struct insn base;
    uint8_t rd, rs;
    int64_t imm;
};

#define T(i)    ((const struct toy_insn *)(const void *)(i))
#define RD      (toy_state(cpu)->x[T(i)->rd])
#define RS      (toy_state(cpu)->x[T(i)->rs])
#define IMM     (T(i)->imm)
#define ADDRESS (RS + (uint64_t)IMM)
#define HANDLER static void
#define NEXT_PC (CPU_PC(cpu, i) + 4)

enum { IFACE_DATA, IFACE_FETCH, IFACE_USER, IFACES };

static inline void run_next(struct cpu *cpu, const struct insn *i)
{
    const struct insn *n = &(T(i) + 1)->base;

    n->fn(cpu, n);
}

/* ---- arithmetic and branches ----------------------------------------------------------------- */

HANDLER do_nop(struct cpu *cpu, const struct insn *i)
{
    run_next(cpu, i);
}

HANDLER do_addi(struct cpu *cpu, const struct insn *i)
{
    RD = RS + (uint64_t)IMM;
    run_next(cpu, i);
}

HANDLER do_add(struct cpu *cpu, const struct insn *i)
{
    RD += RS;
    run_next(cpu, i);
}

HANDLER do_mix(struct cpu *cpu, const struct insn *i)
{
    RD = RD * 31 + RS;
    run_next(cpu, i);
}

HANDLER do_b(struct cpu *cpu, const struct insn *i)
{
    cpu->pc = CPU_PC(cpu, i) + (uint64_t)IMM * 4;
}

HANDLER do_bnz(struct cpu *cpu, const struct insn *i)
{
    cpu->pc = RS ? CPU_PC(cpu, i) + (uint64_t)IMM * 4 : NEXT_PC;
}

HANDLER do_jr(struct cpu *cpu, const struct insn *i)
{
    cpu->pc = RS;
}

/* ---- memory ---------------------------------------------------------------------------------- */

#define MEMORY(bits)                                                      \
    HANDLER do_ld##bits(struct cpu *cpu, const struct insn *i)            \
    {                                                                     \
        RD = cpu_read##bits(cpu, i, IFACE_DATA, ADDRESS);                 \
        run_next(cpu, i);                                                 \
    }                                                                     \
    HANDLER do_st##bits(struct cpu *cpu, const struct insn *i)            \
    {                                                                     \
        cpu_write##bits(cpu, i, IFACE_DATA, ADDRESS, (uint##bits##_t)RD); \
        run_next(cpu, i);                                                 \
    }
MEMORY(8)
MEMORY(16)
MEMORY(32)
MEMORY(64)

HANDLER do_ld128(struct cpu *cpu, const struct insn *i)
{
    uint128_t value = cpu_read128(cpu, i, IFACE_DATA, ADDRESS);

    RD = (uint64_t)value;
    toy_state(cpu)->high[T(i)->rd] = (uint64_t)(value >> 64);
    run_next(cpu, i);
}

HANDLER do_st128(struct cpu *cpu, const struct insn *i)
{
    uint128_t value = (uint128_t)toy_state(cpu)->high[T(i)->rd] << 64 | RD;

    cpu_write128(cpu, i, IFACE_DATA, ADDRESS, value);
    run_next(cpu, i);
}

HANDLER do_ldu(struct cpu *cpu, const struct insn *i)
{
    RD = cpu_read64(cpu, i, IFACE_USER, ADDRESS);
    run_next(cpu, i);
}

HANDLER do_stc(struct cpu *cpu, const struct insn *i)
{
    cpu_write32(cpu, i, IFACE_DATA, ADDRESS, (uint32_t)RD);
    cpu->pc = NEXT_PC;
}

HANDLER do_probe(struct cpu *cpu, const struct insn *i)
{
    cpu_probe_write(cpu, i, IFACE_DATA, ADDRESS, (unsigned)RD);
    run_next(cpu, i);
}

HANDLER do_ldx(struct cpu *cpu, const struct insn *i)
{
    RD = cpu_read64(cpu, i, IFACE_DATA, RS);
    toy_state(cpu)->monitor = 1;
    toy_state(cpu)->monitor_address = RS;
    run_next(cpu, i);
}

HANDLER do_stx(struct cpu *cpu, const struct insn *i)
{
    struct toy *s = toy_state(cpu);
    bool ok = s->monitor && s->monitor_address == RS;

    if (ok)
        cpu_write64(cpu, i, IFACE_DATA, RS, RD);
    s->monitor = 0;
    RD = !ok;
    run_next(cpu, i);
}

/* ---- system ---------------------------------------------------------------------------------- */

HANDLER do_und(struct cpu *cpu, const struct insn *i)
{
    cpu_undefined(cpu, i);
}

HANDLER do_svc(struct cpu *cpu, const struct insn *i)
{
    cpu_take_exception(cpu, i, (uint32_t)IMM >> 8 & 0xff, (uint32_t)IMM & 0xff);
}

#define ENDS_BLOCK(name, body)                               \
    HANDLER do_##name(struct cpu *cpu, const struct insn *i) \
    {                                                        \
        body;                                                \
        cpu->pc = NEXT_PC;                                   \
    }

static void set_mask(struct cpu *cpu, uint8_t masked)
{
    toy_state(cpu)->masked = masked;
    cpu_pend_interrupt(cpu);
}

ENDS_BLOCK(wfi, cpu_halt(cpu))
ENDS_BLOCK(wfe, cpu_wait_event(cpu))
ENDS_BLOCK(sev, cpu_broadcast_event(cpu, 1))
ENDS_BLOCK(yield, cpu_yield(cpu))
ENDS_BLOCK(devw, cpu_device_write(cpu, i, (uint32_t)IMM >> 8 & 0xff, (uint32_t)IMM & 0xff, RD))
ENDS_BLOCK(mask, set_mask(cpu, (uint8_t)IMM))
ENDS_BLOCK(ring, cpu_set_ring(cpu, (uint32_t)IMM))
ENDS_BLOCK(feat, cpu_set_feature(cpu, T(i)->rd, (uint32_t)RS))
ENDS_BLOCK(step, cpu_set_single_step(cpu, (uint32_t)IMM))
ENDS_BLOCK(fw, RD = cpu_firmware(cpu, i, 0, (uint32_t)IMM))

HANDLER do_devr(struct cpu *cpu, const struct insn *i)
{
    RD = cpu_device_read(cpu, i, (uint32_t)IMM >> 8 & 0xff, (uint32_t)IMM & 0xff);
    run_next(cpu, i);
}

HANDLER do_tlbi(struct cpu *cpu, const struct insn *i)
{
    uint32_t all_cpus = IMM & 4;

    if ((IMM & 3) == 0)
        cpu_flush_all(cpu, all_cpus);
    else if ((IMM & 3) == 1)
        cpu_flush_asid(cpu, 0, all_cpus);
    else
        cpu_flush_va(cpu, RS, all_cpus);
    cpu->pc = NEXT_PC;
}

HANDLER do_eret(struct cpu *cpu, const struct insn *i)
{
    struct toy *s = toy_state(cpu);

    (void)i;
    cpu->pc = s->special[TOY_ELR];
    cpu_set_ring(cpu, s->saved_ring);
    cpu_set_single_step(cpu, s->saved_step);
    set_mask(cpu, s->saved_mask);
}

/* The decoder put the feature's value into the immediate. */
HANDLER do_getfeat(struct cpu *cpu, const struct insn *i)
{
    RD = (uint64_t)IMM;
    run_next(cpu, i);
}

HANDLER do_get(struct cpu *cpu, const struct insn *i)
{
    RD = toy_state(cpu)->special[(uint64_t)IMM % TOY_SPECIALS];
    run_next(cpu, i);
}

ENDS_BLOCK(set, toy_state(cpu)->special[(uint64_t)IMM % TOY_SPECIALS] = RD)

/* ---- decoder --------------------------------------------------------------------------------- */

struct op {
    insn_fn *fn;
    const char *name, *klass;
    bool ends;
};

static const struct op ops[256] = {
    [TOY_UND] = {do_und, "und", "system", true},
    [TOY_NOP] = {do_nop, "nop", "alu", false},
    [TOY_ADDI] = {do_addi, "addi", "alu", false},
    [TOY_ADD] = {do_add, "add", "alu", false},
    [TOY_MIX] = {do_mix, "mix", "alu", false},
    [TOY_B] = {do_b, "b", "branch", true},
    [TOY_BNZ] = {do_bnz, "bnz", "branch", true},
    [TOY_JR] = {do_jr, "jr", "branch", true},
    [TOY_LD8] = {do_ld8, "ld8", "memory", false},
    [TOY_LD16] = {do_ld16, "ld16", "memory", false},
    [TOY_LD32] = {do_ld32, "ld32", "memory", false},
    [TOY_LD64] = {do_ld64, "ld64", "memory", false},
    [TOY_LD128] = {do_ld128, "ld128", "memory", false},
    [TOY_ST8] = {do_st8, "st8", "memory", false},
    [TOY_ST16] = {do_st16, "st16", "memory", false},
    [TOY_ST32] = {do_st32, "st32", "memory", false},
    [TOY_ST64] = {do_st64, "st64", "memory", false},
    [TOY_ST128] = {do_st128, "st128", "memory", false},
    [TOY_SVC] = {do_svc, "svc", "system", true},
    [TOY_WFI] = {do_wfi, "wfi", "system", true},
    [TOY_WFE] = {do_wfe, "wfe", "system", true},
    [TOY_SEV] = {do_sev, "sev", "system", true},
    [TOY_YIELD] = {do_yield, "yield", "system", true},
    [TOY_DEVR] = {do_devr, "devr", "system", false},
    [TOY_DEVW] = {do_devw, "devw", "system", true},
    [TOY_TLBI] = {do_tlbi, "tlbi", "system", true},
    [TOY_ERET] = {do_eret, "eret", "system", true},
    [TOY_MASK] = {do_mask, "mask", "system", true},
    [TOY_RING] = {do_ring, "ring", "system", true},
    [TOY_FEAT] = {do_feat, "feat", "system", true},
    [TOY_GETFEAT] = {do_getfeat, "getfeat", NULL, false},
    [TOY_STEP] = {do_step, "step", "system", true},
    [TOY_FW] = {do_fw, "fw", "system", true},
    [TOY_LDX] = {do_ldx, "ldx", "memory", false},
    [TOY_STX] = {do_stx, "stx", "memory", false},
    [TOY_PROBE] = {do_probe, "probe", "memory", false},
    [TOY_GET] = {do_get, "get", "system", false},
    [TOY_SET] = {do_set, "set", "system", true},
    [TOY_LDU] = {do_ldu, "ldu", "memory", false},
    [TOY_STC] = {do_stc, "stc", "memory", true},
};

static unsigned decode_toy(struct cpu *cpu, struct cpu_fetch *at, struct insn *out)
{
    struct toy_insn *t = (struct toy_insn *)(void *)out;
    uint32_t word = (uint32_t)le_get(at->bytes, 4);
    unsigned number = word >> 24;
    const struct op *op = &ops[number];

    if (!op->fn)
        op = &ops[number = TOY_UND];
    out->fn = op->fn;
    out->word = word;
    out->bytes = 4;
    out->form = (uint16_t)number;
    t->rd = word >> 20 & 15;
    t->rs = word >> 16 & 15;
    t->imm = (int16_t)word;
    if (number == TOY_GETFEAT)
        t->imm = cpu->features[(uint16_t)t->imm % CPU_MAX_FEATURES];
    return op->ends ? DECODE_ENDS_BLOCK : 0;
}

static bool disasm_toy(const struct cpu_fetch *at, uint64_t address, struct asm_out *out)
{
    uint32_t word = (uint32_t)le_get(at->bytes, 4);
    const struct op *op = &ops[word >> 24];

    (void)address;
    if (!op->fn || !(word >> 24))
        return false;
    snprintf(out->text, out->size, "%s r%u, r%u, %d", op->name, word >> 20 & 15, word >> 16 & 15,
             (int16_t)word);
    return true;
}

/* ---- exported helpers ------------------------------------------------------------------------ */

static void enter_exception(struct cpu *cpu, uint64_t cause)
{
    struct toy *s = toy_state(cpu);

    s->special[TOY_ELR] = cpu->pc;
    s->special[TOY_CAUSE] = cause;
    s->saved_ring = (uint8_t)cpu->ring;
    s->saved_mask = s->masked;
    s->saved_step = cpu->single_step;
    s->masked = 1;
    s->stepped = 0;
    s->exceptions++;
    cpu_set_single_step(cpu, 0);
    cpu_set_ring(cpu, 1);
    cpu->pc = s->special[TOY_VBAR];
}

static void reset_toy(struct cpu *cpu)
{
    cpu_set_ring(cpu, 1);
    toy_state(cpu)->masked = 1;
}

static void handle_exception(struct cpu *cpu, uint32_t klass, uint64_t code)
{
    enter_exception(cpu, (uint64_t)klass << 8 | code);
}

static void undefined_instruction(struct cpu *cpu)
{
    enter_exception(cpu, TOY_CAUSE_UNDEFINED);
}

static void memory_fault(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t code)
{
    toy_state(cpu)->special[TOY_FAULT_VA] = va;
    toy_state(cpu)->special[TOY_FAULT] = (uint64_t)access << 32 | code;
    enter_exception(cpu, TOY_CAUSE_FAULT);
}

static uint32_t translate_address(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                                  uint64_t *pa, uint32_t *flags)
{
    uint64_t table = toy_state(cpu)->special[TOY_TTBR], entry;

    *pa = va;
    *flags = TRANSLATE_READ | TRANSLATE_WRITE | TRANSLATE_EXEC | 12u << TRANSLATE_SIZE_SHIFT;
    if (!table)
        return 0;
    if (va >> 27 || !cpu_phys_read(cpu, table + (va >> 12) * 8, 8, &entry) ||
        !(entry & TOY_PTE_VALID))
        return 7;
    *pa = entry & ~UINT64_C(0xfff);
    *flags = (entry & TOY_PTE_LARGE ? 14u : 12u) << TRANSLATE_SIZE_SHIFT;
    if (ring || (entry & TOY_PTE_USER))
        *flags |= TRANSLATE_READ;
    if ((*flags & TRANSLATE_READ) && (entry & TOY_PTE_WRITE))
        *flags |= TRANSLATE_WRITE;
    if ((*flags & TRANSLATE_READ) && (entry & TOY_PTE_EXEC))
        *flags |= TRANSLATE_EXEC;
    if (entry & TOY_PTE_NOT_GLOBAL)
        *flags |= TRANSLATE_NOT_GLOBAL;
    if (entry & TOY_PTE_DEVICE)
        *flags |= TRANSLATE_DEVICE;
    return *flags >> access & 1 ? 0 : 13;
}

static uint8_t take_interrupt(struct cpu *cpu, uint32_t lines)
{
    (void)lines;
    if (toy_state(cpu)->masked)
        return 0;
    enter_exception(cpu, TOY_CAUSE_IRQ);
    return 1;
}

static void clear_monitor(struct cpu *cpu)
{
    toy_state(cpu)->monitor = 0;
    toy_state(cpu)->monitor_clears++;
}

/* Single step: the instruction after ERET runs, then the step exception is taken. */
static uint8_t take_step(struct cpu *cpu)
{
    struct toy *s = toy_state(cpu);

    if (!s->stepped) {
        s->stepped = 1;
        return 0;
    }
    enter_exception(cpu, TOY_CAUSE_STEP);
    return 1;
}

/* System register 1 is SPECIAL's VBAR. Register 2 counts its reads, and traps above level 3. */
static uint64_t sysreg_read(struct cpu *cpu, uint32_t code, uint32_t level)
{
    (void)level;
    if (code == 9)
        cpu_undefined(cpu, NULL);
    return code == 2 ? ++toy_state(cpu)->high[15] : 0;
}

static void sysreg_write(struct cpu *cpu, uint32_t code, uint32_t level, uint64_t value)
{
    (void)level;
    if (code == 1)
        toy_state(cpu)->special[TOY_VBAR] = value & ~UINT64_C(3);
}

static const struct cpu_register registers[] = {
    {"X", NULL, offsetof(struct toy, x), 16, 8, 64, 1, 'u', false, 0},
    {"PC", "PC", 0, 1, 8, 64, 1, 'u', false, 0},
    {"MASK", NULL, offsetof(struct toy, masked), 1, 1, 8, 1, 'u', false, 0},
    {"VBAR", NULL, offsetof(struct toy, special[TOY_VBAR]), 1, 8, 64, 1, 'u', true, 1},
    {"COUNT", NULL, CPU_NO_STORAGE, 1, 8, 64, 1, 'u', true, 2},
    {"TRAPS", NULL, CPU_NO_STORAGE, 1, 8, 64, 1, 'u', true, 9},
};

static struct cpu_form forms[256];

__attribute__((constructor)) static void fill_forms(void)
{
    for (unsigned n = 0; n < 256; n++)
        forms[n] = (struct cpu_form){ops[n].name ? ops[n].name : "?", ops[n].klass, 1, NULL};
}

static const uint32_t feature_values[CPU_MAX_FEATURES] = {5, 6};
static const uint8_t iface_ring[IFACES] = {255, 255, 0};

static const struct cpu_decoder decoder = {.name = "toy",
                                           .unit_bytes = 4,
                                           .max_bytes = 4,
                                           .insn_bytes = sizeof(struct toy_insn),
                                           .decode = decode_toy,
                                           .disasm = disasm_toy};

const struct cpu_isa toy_isa = {
    .name = "toy",
    .state_bytes = sizeof(struct toy),
    .address_bits = 48,
    .iface_count = IFACES,
    .feature_count = CPU_MAX_FEATURES,
    .feature_values = feature_values,
    .iface_ring = iface_ring,
    .decoders = &decoder,
    .decoder_count = 1,
    .forms = forms,
    .form_count = 256,
    .registers = registers,
    .register_count = sizeof(registers) / sizeof(registers[0]),
    .reset = reset_toy,
    .handle_exception = handle_exception,
    .undefined = undefined_instruction,
    .memory_fault = memory_fault,
    .translate = translate_address,
    .interrupt = take_interrupt,
    .clear_monitor = clear_monitor,
    .step = take_step,
    .sysreg_read = sysreg_read,
    .sysreg_write = sysreg_write,
};
