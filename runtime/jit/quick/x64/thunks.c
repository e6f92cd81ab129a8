/* Thunks: entering and leaving translated code, and calling C from it. */
#include "runtime/jit/quick/x64/host.h"

enum { ARGUMENT_1 = RDI, ARGUMENT_2 = RSI, ARGUMENT_3 = RDX };

/* Registers that the System V ABI preserves. After pushing them, RSP is 16 n + 8. */
static const uint8_t saved[] = {RBX, RBP, R12, R13, R14, R15};

enum { FRAME = sizeof(struct q_frame) + 8 };

/* ---- floating-point control ------------------------------------------------------------------ */

static struct x64_mem control(void)
{
    return x64_member(offsetof(struct cpu, host_float));
}

/* The jump that is taken if translated code has set MXCSR to `value`, or by CC_NE to another one.
 * Changes the flags. */
static uint8_t *skip_if(struct q_buffer *x, enum x64_cc cc, uint32_t value)
{
    x64_alu_mi(x, X64_CMP, 32, control(), (int32_t)value);
    return x64_jcc(x, cc);
}

/* Masks all exceptions, as C expects. cpu->host_float stays, for unmask_again(). The value is
 * written below the stack pointer, where signal handlers leave 128 bytes alone. */
static void mask_for_c(struct q_buffer *x)
{
    uint8_t *masked = skip_if(x, CC_E, X64_MASKED);

    x64_store_i(x, 32, x64_at(RSP, -8), X64_MASKED);
    x64_ldmxcsr(x, x64_at(RSP, -8));
    x64_bind(x, masked);
}

static void unmask_again(struct q_buffer *x)
{
    uint8_t *masked = skip_if(x, CC_E, X64_MASKED);

    x64_ldmxcsr(x, control());
    x64_bind(x, masked);
}

void x64_call_c(struct q_buffer *x)
{
    mask_for_c(x);
    x64_call_r(x, RAX);
    unmask_again(x);
}

void x64_set_traps(struct quick *q)
{
    struct q_buffer *x = &q->out;
    uint32_t value = q->code->inexact ? X64_TRAPS_ALL : q->traps ? X64_TRAPS : X64_MASKED;
    bool any = q->traps && q->compares;
    uint8_t *same = skip_if(x, any ? CC_NE : CC_E, any ? X64_MASKED : value);

    x64_store_i(x, 32, control(), (int32_t)value);
    x64_ldmxcsr(x, control());
    x64_bind(x, same);
}

/* ---- thunks ---------------------------------------------------------------------------------- */

static void emit_enter(struct q_buffer *x)
{
    for (unsigned n = 0; n < ARRAY_SIZE(saved); n++)
        x64_push(x, saved[n]);
    x64_alu_ri(x, X64_SUB, 64, RSP, FRAME);
    x64_lea(x, 64, Q_CPU, x64_at(ARGUMENT_1, X64_MIDDLE));
    x64_store_i(x, 32, control(), X64_MASKED);
    x64_load(x, 64, Q_LEFT, x64_member(offsetof(struct cpu, left_base)));
    x64_alu_rm(x, X64_SUB, 64, Q_LEFT, x64_member(offsetof(struct cpu, ticks)));
    x64_load(x, 64, Q_FLAT, x64_member(offsetof(struct cpu, flat_base)));
    x64_jmp_r(x, ARGUMENT_2);
}

static void emit_leave(struct q_buffer *x)
{
    mask_for_c(x);
    x64_load(x, 64, RAX, x64_member(offsetof(struct cpu, left_base)));
    x64_alu_rr(x, X64_SUB, 64, RAX, Q_LEFT);
    x64_store(x, 64, x64_member(offsetof(struct cpu, ticks)), RAX);
    x64_alu_ri(x, X64_ADD, 64, RSP, FRAME);
    for (unsigned n = ARRAY_SIZE(saved); n--;)
        x64_pop(x, saved[n]);
    x64_ret(x);
}

/* Target of an exit that is not linked: leaves with cpu->pc = cpu->region_pc. */
static void emit_unlinked(struct q_buffer *x)
{
    x64_load(x, 64, RAX, x64_member(offsetof(struct cpu, region_pc)));
    x64_store(x, 64, x64_member(offsetof(struct cpu, pc)), RAX);
    emit_leave(x);
}

/* Places in the frame while a return address is on the stack below it. */
static struct x64_mem gpr_at(unsigned n)
{
    return x64_at(RSP, (int32_t)(8 + offsetof(struct q_frame, general) + n * 8));
}

static struct x64_mem xmm_at(unsigned n)
{
    return x64_at(RSP, (int32_t)(8 + offsetof(struct q_frame, vector) + n * 16));
}

/* Saves all registers in the frame, calls quick_trap(), and restores them. `vectors`: vector
 * registers, too. */
static void emit_trap(struct q_buffer *x, bool vectors)
{
    unsigned vector_count = !vectors ? 0 : x->features & X64_AVX512 ? 32 : 16;
    uint8_t *resume;

    for (unsigned n = 0; n < 16; n++) {
        if (n != RSP)
            x64_store(x, 64, gpr_at(n), n);
    }
    for (unsigned n = 0; n < vector_count; n++)
        x64_vstore(x, 128, xmm_at(n), n);
    x64_lea(x, 64, ARGUMENT_1, x64_member(0));
    x64_mov_rr(x, 64, ARGUMENT_2, RAX);
    x64_lea(x, 64, ARGUMENT_3, x64_at(RSP, 8));
    x64_alu_ri(x, X64_SUB, 64, RSP, 8);
    x64_mov_ri(x, RAX, (uintptr_t)quick_trap);
    x64_call_c(x);
    x64_alu_ri(x, X64_ADD, 64, RSP, 8);
    x64_store(x, 64, gpr_at(RSP), RAX);
    x64_test_rr(x, 64, RAX, RAX); /* the moves below preserve the flags */
    for (unsigned n = 0; n < 16; n++) {
        if (n != RSP)
            x64_load(x, 64, n, gpr_at(n));
    }
    for (unsigned n = 0; n < vector_count; n++)
        x64_vload(x, 128, n, xmm_at(n));
    resume = x64_jcc(x, CC_E);
    x64_lea(x, 64, RSP, x64_at(RSP, 8));
    x64_jmp_m(x, x64_at(RSP, (int32_t)(offsetof(struct q_frame, general) + RSP * 8)));
    x64_bind(x, resume);
    x64_ret(x);
}

static void emit_handler(struct q_buffer *x)
{
    x64_lea(x, 64, ARGUMENT_1, x64_member(0));
    x64_mov_rr(x, 64, ARGUMENT_2, RAX);
    x64_mov_rr(x, 64, ARGUMENT_3, Q_LEFT);
    x64_alu_ri(x, X64_SUB, 64, RSP, 8);
    x64_mov_ri(x, RAX, (uintptr_t)quick_handle);
    x64_call_c(x);
    x64_alu_ri(x, X64_ADD, 64, RSP, 8);
    x64_mov_rr(x, 64, Q_LEFT, RAX);
    x64_ret(x);
}

static void emit_follow(struct q_buffer *x)
{
    x64_lea(x, 64, ARGUMENT_1, x64_member(0));
    x64_mov_rr(x, 64, ARGUMENT_2, RAX);
    x64_mov_rr(x, 64, ARGUMENT_3, Q_LEFT);
    x64_alu_ri(x, X64_SUB, 64, RSP, 8);
    x64_mov_ri(x, RAX, (uintptr_t)quick_follow);
    x64_call_c(x);
    x64_alu_ri(x, X64_ADD, 64, RSP, 16);
    x64_jmp_r(x, RAX);
}

static void emit_search(const struct q_thunks *t, struct q_buffer *x)
{
    x64_lea(x, 64, ARGUMENT_1, x64_member(0));
    x64_mov_ri(x, ARGUMENT_2, (uintptr_t)t);
    x64_mov_ri(x, RAX, (uintptr_t)quick_search);
    x64_call_c(x);
    x64_jmp_r(x, RAX);
}

static struct x64_mem entry_member(unsigned table, size_t member)
{
    size_t tlb = offsetof(struct cpu, tlbs) + table * sizeof(struct tlb);

    return x64_at_index(Q_CPU, RDX, 0, (int32_t)(tlb + member) - X64_MIDDLE);
}

/*
 * Whether cpu->region_pc + EAX lies in the physical page RDX, which has the bit for fetches, by a
 * soft TLB. Carry: it does not; or it does, and C may give a new stamp.
 */
static void emit_mapped(struct q_buffer *x, unsigned table)
{
    uint8_t *no[2];

    x64_movsx(x, 64, 32, RAX, RAX);
    x64_alu_rm(x, X64_ADD, 64, RAX, x64_member(offsetof(struct cpu, region_pc)));
    x64_push(x, RDX);
    x64_rorx(x, 32, RDX, RAX, CPU_PAGE_BITS - 5);
    x64_alu_ri(x, X64_AND, 32, RDX, (TLB_SIZE - 1) << 5);
    x64_alu_ri(x, X64_AND, 64, RAX, -(int32_t)CPU_PAGE_SIZE);
    x64_alu_rm(x, X64_CMP, 64, RAX, entry_member(table, offsetof(struct tlb_entry, read_tag)));
    x64_pop(x, RAX);
    no[0] = x64_jcc(x, CC_NE);
    x64_alu_rm(x, X64_XOR, 64, RAX, entry_member(table, offsetof(struct tlb_entry, info)));
    x64_test_ri(x, 64, RAX, -(int32_t)CPU_PAGE_SIZE | 1 << CPU_FETCH);
    no[1] = x64_jcc(x, CC_NE);
    x64_compare_turn(x, Q_TURN_SHIFT);
    x64_ret(x);
    for (unsigned n = 0; n < 2; n++)
        x64_bind(x, no[n]);
    x64_alu_rr(x, X64_XOR, 32, RAX, RAX);
    x64_alu_ri(x, X64_CMP, 32, RAX, 1);
    x64_ret(x);
}

void x64_make_thunks(struct q_thunks *t, struct q_buffer *x)
{
    uint8_t *fails[2];

    t->enter = (void (*)(struct cpu *, const void *))(uintptr_t)x->at;
    emit_enter(x);
    t->leave = x->at;
    emit_leave(x);
    t->unlinked = x->at;
    emit_unlinked(x);
    t->search = x->at;
    emit_search(t, x);
    t->lookup = x->at;
    x64_load(x, 64, RAX, x64_member(offsetof(struct cpu, region_pc)));
    x64_follow_jump(x, 1, fails); /* unit 1: for CPUs of any ISA */
    for (unsigned n = 0; n < 2; n++)
        x64_patch(fails[n], t->search, x->write);
    t->handler = x->at;
    emit_handler(x);
    t->link = x->at;
    emit_follow(x);
    t->trap = x->at;
    emit_trap(x, true);
    t->trap_general = x->at;
    emit_trap(x, false);
    for (unsigned n = 0; n < CPU_BANKS * CPU_RINGS; n++) {
        t->mapped[n] = x->at;
        emit_mapped(x, n);
    }
}
