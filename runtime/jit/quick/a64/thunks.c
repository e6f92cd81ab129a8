/* Thunks: entering and leaving translated code, and calling C from it. */
#include "runtime/jit/quick/a64/host.h"

enum { ARGUMENT_1 = 0, ARGUMENT_2 = 1, ARGUMENT_3 = 2, RESULT = 0 };

/* X19 to X30, which the procedure call standard preserves, are above the frame. Vector registers
 * whose halves it preserves are not used. */
enum { SAVED = 19, SAVED_COUNT = 12, FRAME = sizeof(struct q_frame) + SAVED_COUNT * 8 };

static struct a64_mem saved_at(unsigned n)
{
    return a64_at(A64_STACK, (int32_t)(sizeof(struct q_frame) + (n - SAVED) * 8));
}

/* ---- floating-point control ------------------------------------------------------------------ */

/* Floats do not trap here. Traces look after each operation whether it has raised a flag. FPCR.FZ
 * is set meanwhile, so that denormal operands and results raise flags, too. */
enum floats {
    PLAIN, /* as C has them */
    TRAPS,
    TRAPS_ALL, /* inexact results leave the trace as well: their flag is clear at its head */
};

enum { FZ = 1 << 24 };

/* The enum floats of the translated code that runs or has called C. */
static struct a64_mem control(void)
{
    return a64_member(offsetof(struct cpu, host_float));
}

static void start_flags(struct q_buffer *x)
{
    a64_set_system(x, A64_FPSR, A64_ZERO);
    a64_mov_i(x, Q_SCRATCH, FZ);
    a64_set_system(x, A64_FPCR, Q_SCRATCH);
}

void a64_leave_floats(struct q_buffer *x)
{
    uint8_t *plain;

    a64_load(x, 32, Q_SCRATCH, control());
    plain = a64_cbz(x, 32, Q_SCRATCH);
    a64_get_system(x, A64_FPSR, Q_SCRATCH);
    a64_store(x, 64, a64_at(A64_STACK, offsetof(struct q_frame, float_flags)), Q_SCRATCH);
    a64_set_system(x, A64_FPCR, A64_ZERO);
    a64_bind(x, plain);
}

void a64_enter_floats(struct q_buffer *x)
{
    uint8_t *plain;

    a64_load(x, 32, Q_SCRATCH, control());
    plain = a64_cbz(x, 32, Q_SCRATCH);
    start_flags(x);
    a64_bind(x, plain);
}

void a64_set_traps(struct quick *q)
{
    enum floats floats = q->code->inexact ? TRAPS_ALL : q->traps ? TRAPS : PLAIN;
    bool any = q->traps && q->compares;
    struct q_buffer *x = &q->out;
    uint8_t *same;

    a64_load(x, 32, Q_SCRATCH, control());
    a64_compare_i(x, 32, Q_SCRATCH, any ? PLAIN : floats);
    same = a64_b_if(x, any ? A64_NE : A64_EQ);
    a64_mov_i(x, Q_SCRATCH, floats);
    a64_store(x, 32, control(), Q_SCRATCH);
    if (floats == PLAIN)
        a64_set_system(x, A64_FPCR, A64_ZERO);
    else
        start_flags(x);
    a64_bind(x, same);
}

/* ---- thunks ---------------------------------------------------------------------------------- */

static void call_c(struct q_buffer *x, const void *fn)
{
    a64_leave_floats(x);
    a64_mov_i(x, Q_SCRATCH, (uintptr_t)fn);
    a64_blr(x, Q_SCRATCH);
    a64_enter_floats(x);
}

static void emit_enter(struct q_buffer *x)
{
    _Static_assert(FRAME % 16 == 0, "the stack pointer is a multiple of 16");
    a64_arith_i(x, A64_SUB_I, 64, A64_STACK, A64_STACK, FRAME);
    for (unsigned n = SAVED; n < SAVED + SAVED_COUNT; n++)
        a64_store(x, 64, saved_at(n), n);
    a64_mov(x, 64, Q_CPU, ARGUMENT_1);
    a64_add_i(x, Q_STATE, Q_CPU, offsetof(struct cpu, state), Q_SCRATCH);
    a64_load(x, 64, Q_LEFT, a64_member(offsetof(struct cpu, left_base)));
    a64_load(x, 64, Q_SCRATCH, a64_member(offsetof(struct cpu, ticks)));
    a64_rrr(x, A64_SUB, 64, Q_LEFT, Q_LEFT, Q_SCRATCH);
    a64_store(x, 32, control(), A64_ZERO); /* PLAIN */
    a64_load(x, 64, Q_FLAT, a64_member(offsetof(struct cpu, flat_base)));
    a64_br(x, ARGUMENT_2);
}

static void emit_leave(struct q_buffer *x)
{
    a64_leave_floats(x);
    a64_load(x, 64, Q_SCRATCH, a64_member(offsetof(struct cpu, left_base)));
    a64_rrr(x, A64_SUB, 64, Q_SCRATCH, Q_SCRATCH, Q_LEFT);
    a64_store(x, 64, a64_member(offsetof(struct cpu, ticks)), Q_SCRATCH);
    for (unsigned n = SAVED; n < SAVED + SAVED_COUNT; n++)
        a64_load(x, 64, n, saved_at(n));
    a64_arith_i(x, A64_ADD_I, 64, A64_STACK, A64_STACK, FRAME);
    a64_ret(x);
}

/* Target of an exit that is not linked: leaves with cpu->pc = cpu->region_pc. */
static void emit_unlinked(struct q_buffer *x)
{
    a64_load(x, 64, Q_SCRATCH, a64_member(offsetof(struct cpu, region_pc)));
    a64_store(x, 64, a64_member(offsetof(struct cpu, pc)), Q_SCRATCH);
    emit_leave(x);
}

static struct a64_mem general_at(unsigned n)
{
    return a64_at(A64_STACK, (int32_t)(offsetof(struct q_frame, general) + n * 8));
}

static struct a64_mem vector_at(unsigned n)
{
    return a64_at(A64_STACK, (int32_t)(offsetof(struct q_frame, vector) + n * 16));
}

/* Whether traces use the register: not X18, which belongs to the platform, nor the scratch ones. */
static bool is_kept(unsigned n)
{
    return n != Q_SCRATCH && n != Q_ADDRESS && n != 18;
}

/* Saves all registers in the frame, calls quick_trap(), and restores them. `vectors`: vector
 * registers, too. */
static void emit_trap(struct q_buffer *x, bool vectors)
{
    for (unsigned n = 0; n < A64_REGISTERS; n++) {
        if (n != A64_STACK && is_kept(n))
            a64_store(x, 64, general_at(n), n);
        if (vectors)
            a64_vstore(x, 128, vector_at(n), n);
    }
    a64_mov(x, 64, ARGUMENT_1, Q_CPU);
    a64_mov(x, 64, ARGUMENT_2, Q_SCRATCH);
    a64_arith_i(x, A64_ADD_I, 64, ARGUMENT_3, A64_STACK, 0);
    call_c(x, (const void *)(uintptr_t)quick_trap);
    /* Continues where C says, or behind the call. */
    a64_load(x, 64, Q_SCRATCH, general_at(A64_LINK));
    a64_arith_i(x, A64_SUBS_I, 64, A64_ZERO, RESULT, 0);
    a64_rrr(x, a64_if(A64_CSEL, A64_EQ), 64, Q_SCRATCH, Q_SCRATCH, RESULT);
    for (unsigned n = 0; n < A64_REGISTERS; n++) {
        if (n != A64_STACK && is_kept(n))
            a64_load(x, 64, n, general_at(n));
        if (vectors)
            a64_vload(x, 128, n, vector_at(n));
    }
    a64_br(x, Q_SCRATCH);
}

static void pass_site(struct q_buffer *x)
{
    a64_mov(x, 64, ARGUMENT_1, Q_CPU);
    a64_mov(x, 64, ARGUMENT_2, Q_SCRATCH);
    a64_mov(x, 64, ARGUMENT_3, Q_LEFT);
}

/* The return address waits in a register that C preserves: all of the trace's are empty. */
static void emit_handler(struct q_buffer *x)
{
    pass_site(x);
    a64_mov(x, 64, SAVED, A64_LINK);
    call_c(x, (const void *)(uintptr_t)quick_handle);
    a64_mov(x, 64, Q_LEFT, RESULT);
    a64_br(x, SAVED);
}

static void emit_follow(struct q_buffer *x)
{
    pass_site(x);
    call_c(x, (const void *)(uintptr_t)quick_follow);
    a64_br(x, RESULT);
}

static void emit_search(const struct q_thunks *t, struct q_buffer *x)
{
    a64_mov(x, 64, ARGUMENT_1, Q_CPU);
    a64_mov_i(x, ARGUMENT_2, (uintptr_t)t);
    call_c(x, (const void *)(uintptr_t)quick_search);
    a64_br(x, RESULT);
}

void a64_make_thunks(struct q_thunks *t, struct q_buffer *x)
{
    t->enter = (void (*)(struct cpu *, const void *))(uintptr_t)x->at;
    emit_enter(x);
    t->leave = x->at;
    emit_leave(x);
    t->unlinked = x->at;
    emit_unlinked(x);
    t->search = x->at;
    emit_search(t, x);
    t->lookup = x->at;
    a64_load(x, 64, Q_SCRATCH, a64_member(offsetof(struct cpu, region_pc)));
    a64_patch(a64_follow_jump(x), t->search, x->write);
    t->handler = x->at;
    emit_handler(x);
    t->link = x->at;
    emit_follow(x);
    t->trap = x->at;
    emit_trap(x, true);
    t->trap_general = x->at;
    emit_trap(x, false);
}
