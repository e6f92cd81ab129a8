/* The table of the AArch64 host: its registers and calling convention, moves, and small pieces of
 * code. */
#include "runtime/jit/quick/a64/host.h"

#define HOST(r)            ((q_hosts)1 << (r))
#define HOSTS(first, last) ((HOST(last) - HOST(first)) | HOST(last))

/* Every AArch64 processor that runs Linux has all that is used. */
static bool is_supported(struct error *err)
{
    (void)err;
    return true;
}

/* Instructions have a register or a displacement, not both. */
static bool is_near(uintptr_t flat_base)
{
    (void)flat_base;
    return false;
}

/* ---- moves ----------------------------------------------------------------------------------- */

static void move_register(struct quick *q, unsigned dst, unsigned src)
{
    if (dst >= Q_V)
        a64_vmov(&q->out, dst - Q_V, src - Q_V);
    else
        a64_mov(&q->out, 64, dst, src);
}

static void load_place(struct quick *q, unsigned bits, unsigned dst, struct q_place from)
{
    if (dst >= Q_V)
        a64_vload(&q->out, bits, dst - Q_V, a64_place(from));
    else
        a64_load(&q->out, bits, dst, a64_place(from));
}

static void store_place(struct quick *q, unsigned bits, struct q_place to, unsigned src)
{
    if (src >= Q_V)
        a64_vstore(&q->out, bits, a64_place(to), src - Q_V);
    else
        a64_store(&q->out, bits, a64_place(to), src);
}

static void store_constant(struct quick *q, unsigned bits, struct q_place to, uint64_t value)
{
    unsigned from = A64_ZERO;

    if (value) {
        a64_mov_i(&q->out, Q_SCRATCH, value);
        from = Q_SCRATCH;
    }
    a64_store(&q->out, bits, a64_place(to), from);
}

static void load_constant(struct quick *q, unsigned dst, const struct q_node *n)
{
    if (dst >= Q_V)
        a64_load_vector(q, dst - Q_V, n);
    else
        a64_mov_i(&q->out, dst, n->imm);
}

static void load_address(struct quick *q, unsigned dst, size_t frame_offset)
{
    a64_arith_i(&q->out, A64_ADD_I, 64, dst, A64_STACK, (uint32_t)frame_offset);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static uint8_t *subtract_ticks(struct quick *q, unsigned count)
{
    if (a64_is_arith(count)) {
        a64_arith_i(&q->out, A64_SUBS_I, 64, Q_LEFT, Q_LEFT, count);
    } else {
        a64_mov_i(&q->out, Q_SCRATCH, count);
        a64_rrr(&q->out, A64_SUBS, 64, Q_LEFT, Q_LEFT, Q_SCRATCH);
    }
    return a64_b_if(&q->out, A64_LT);
}

static void refund(struct quick *q)
{
    unsigned ticks = q_use(q, q_node(q, q->at)->in[0]);

    a64_rrr(&q->out, A64_ADD, 64, Q_LEFT, Q_LEFT, ticks);
}

static void give_back(struct quick *q, unsigned count)
{
    a64_add_i(&q->out, Q_LEFT, Q_LEFT, count, Q_SCRATCH);
}

static void keep_low(struct quick *q, unsigned host, unsigned bits)
{
    if (host < Q_V)
        a64_extend(&q->out, true, bits, host, host);
    else
        a64_fmov(&q->out, bits, host - Q_V, host - Q_V);
}

static void count_run(struct quick *q, const struct block *b)
{
    struct q_buffer *x = &q->out;
    struct a64_mem count = a64_at(Q_SCRATCH, -8);

    a64_load(x, 32, Q_SCRATCH2, a64_member(offsetof(struct cpu, slot)));
    q_fix_pointer(q, Q_FIX_BLOCK, b);
    a64_mov_pointer(x, Q_SCRATCH, b);
    a64_rrr(x, a64_shifted(A64_SUB, 3), 64, Q_SCRATCH, Q_SCRATCH, Q_SCRATCH2);
    a64_load(x, 64, Q_SCRATCH2, count);
    a64_arith_i(x, A64_ADD_I, 64, Q_SCRATCH2, Q_SCRATCH2, 1);
    a64_store(x, 64, count, Q_SCRATCH2);
}

static void emit_call(struct quick *q, const void *fn)
{
    a64_leave_floats(&q->out);
    q_fix_pointer(q, Q_FIX_FUNCTION, fn);
    a64_mov_pointer(&q->out, Q_SCRATCH, fn);
    a64_blr(&q->out, Q_SCRATCH);
    a64_enter_floats(&q->out);
}

static uint8_t *emit_jump(struct quick *q)
{
    return a64_b(&q->out);
}

/* ---- floats ---------------------------------------------------------------------------------- */

/* Every AArch64 processor has the flags. */
static bool has_traps(void)
{
    return true;
}

static bool was_inexact(const struct q_frame *f)
{
    return (f->float_flags & A64_TRAPS_ALL) == (A64_TRAPS_ALL & ~A64_TRAPS);
}

/* ---- signals --------------------------------------------------------------------------------- */

static uintptr_t signal_pc(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.pc;
}

static void set_signal_pc(ucontext_t *context, uintptr_t pc)
{
    context->uc_mcontext.pc = pc;
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct q_target q_target = {
    .name = "AArch64",
    .reach = (size_t)1 << 27,
    .is_supported = is_supported,
    .is_near = is_near,

    .allocatable = HOSTS(0, 14) | HOSTS(19, 24) | HOSTS(Q_V, Q_V + 7) | HOSTS(Q_V + 16, Q_V + 29),
    .without_base = HOST(Q_FLAT),
    .preserved = HOSTS(19, 24) | HOST(Q_FLAT),
    .left = Q_LEFT,
    .scratch = Q_SCRATCH,
    .vector_scratch = Q_V + Q_XSCRATCH,

    .arguments = {0, 1, 2, 3, 4, 5, 6, 7},
    .argument_count = 8,
    .vector_arguments = 8,
    .result = 0,
    .vector_result = Q_V,

    .move = move_register,
    .load = load_place,
    .store = store_place,
    .store_constant = store_constant,
    .load_constant = load_constant,
    .load_pc = a64_load_pc,
    .load_address = load_address,

    .can_select = a64_can_select_vector,
    .select = a64_select,
    .select_load = a64_select_load,
    .select_store = a64_select_store,
    .select_addend = a64_select_addend,
    .look_up = a64_look_up,
    .select_guard = a64_select_guard,
    .select_trap = a64_select_trap,

    .has_traps = has_traps,
    .set_traps = a64_set_traps,
    .was_inexact = was_inexact,
    .take = subtract_ticks,
    .refund = refund,
    .give_back = give_back,
    .near_guards = true,
    .differs = a64_differs,
    .keep_low = keep_low,
    .count_run = count_run,
    .call = emit_call,
    .check_page = a64_check_page,

    .store_map = a64_store_map,
    .call_thunk = a64_call_thunk,
    .add_to_member = a64_add_to_member,
    .jump = emit_jump,
    .set_address = a64_set_address,
    .jump_to_value = a64_jump_to_value,

    .patch = a64_patch,
    .set_pointer = a64_set_pointer,
    .make_thunks = a64_make_thunks,
    .signal_pc = signal_pc,
    .set_signal_pc = set_signal_pc,
};
