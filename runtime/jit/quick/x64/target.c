/* The table of the x86-64 host: its registers and calling convention, moves, and small pieces of
 * code. */
#include "runtime/jit/quick/x64/host.h"

#define HOST(r)   ((q_hosts)1 << (r))
#define VECTOR(n) (Q_V + (n))

/* The sum of the base and q_node.disp must fit a displacement. */
static bool is_near(uintptr_t flat_base)
{
    return flat_base <= INT32_MAX - Q_MAX_DISP;
}

/* ---- moves ----------------------------------------------------------------------------------- */

static void move_register(struct quick *q, unsigned dst, unsigned src)
{
    if (dst >= Q_V)
        x64_vmov(&q->out, dst - Q_V, src - Q_V);
    else
        x64_mov_rr(&q->out, 64, dst, src);
}

static void load_place(struct quick *q, unsigned bits, unsigned dst, struct q_place from)
{
    if (dst >= Q_V)
        x64_vload(&q->out, bits, dst - Q_V, x64_place(from));
    else
        x64_load(&q->out, bits, dst, x64_place(from));
}

static void store_place(struct quick *q, unsigned bits, struct q_place to, unsigned src)
{
    if (src >= Q_V)
        x64_vstore(&q->out, bits, x64_place(to), src - Q_V);
    else
        x64_store(&q->out, bits, x64_place(to), src);
}

static void store_constant(struct quick *q, unsigned bits, struct q_place to, uint64_t value)
{
    if (bits < 64 || (int64_t)value == (int32_t)value) {
        x64_store_i(&q->out, bits, x64_place(to), (int32_t)value);
        return;
    }
    x64_mov_ri(&q->out, Q_SCRATCH, value);
    x64_store(&q->out, 64, x64_place(to), Q_SCRATCH);
}

static void load_constant(struct quick *q, unsigned dst, const struct q_node *n)
{
    if (dst >= Q_V)
        x64_load_vector(q, dst - Q_V, n);
    else
        x64_mov_ri(&q->out, dst, n->imm);
}

static void load_address(struct quick *q, unsigned dst, size_t frame_offset)
{
    x64_lea(&q->out, 64, dst, x64_at(RSP, (int32_t)frame_offset));
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static uint8_t *subtract_ticks(struct quick *q, unsigned count)
{
    x64_alu_ri(&q->out, X64_SUB, 64, Q_LEFT, (int32_t)count);
    return x64_jcc(&q->out, CC_L); /* cannot overflow; hosts fuse SUB and JL */
}

static void refund(struct quick *q)
{
    unsigned ticks = q_use(q, q_node(q, q->at)->in[0]);

    x64_alu_rr(&q->out, X64_ADD, 64, Q_LEFT, ticks);
}

static uint8_t *now_and_then(struct quick *q, unsigned shift)
{
    x64_compare_turn(&q->out, shift);
    return x64_jcc(&q->out, CC_B);
}

static void give_back(struct quick *q, unsigned count)
{
    x64_alu_ri(&q->out, X64_ADD, 64, Q_LEFT, (int32_t)count);
}

static void keep_low(struct quick *q, unsigned host, unsigned bits)
{
    if (host < Q_V)
        x64_movsx(&q->out, 64, bits, host, host);
    else
        x64_vmov_zeros(&q->out, host - Q_V, host - Q_V, bits);
}

static void count_run(struct quick *q, const struct block *b)
{
    struct q_buffer *x = &q->out;

    q_fix_pointer(q, Q_FIX_BLOCK, b);
    x64_mov_pointer(x, RAX, b);
    x64_load(x, 32, RDX, x64_member(offsetof(struct cpu, slot)));
    x64_group3(x, X64_NEG, 64, RDX);
    x64_alu_mi(x, X64_ADD, 64, x64_at_index(RAX, RDX, 3, -8), 1);
}

static void emit_call(struct quick *q, const void *fn)
{
    q_fix_pointer(q, Q_FIX_FUNCTION, fn);
    x64_mov_pointer(&q->out, RAX, fn);
    x64_call_c(&q->out);
}

static uint8_t *emit_jump(struct quick *q)
{
    return x64_jmp(&q->out);
}

/* ---- signals --------------------------------------------------------------------------------- */

static uintptr_t signal_pc(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}

static void set_signal_pc(ucontext_t *context, uintptr_t pc)
{
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct q_target q_target = {
    .name = "x86-64",
    .reach = (size_t)1 << 30,
    .is_supported = x64_is_supported,
    .find_features = x64_find_features,
    .is_near = is_near,

    .allocatable = HOST(RCX) | HOST(RBX) | HOST(RSI) | HOST(RDI) | HOST(R8) | HOST(R9) | HOST(R10) |
                   HOST(R11) | HOST(R14) | HOST(R15) |
                   (HOST(VECTOR(Q_XSCRATCH)) - HOST(VECTOR(0))), /* below the scratch ones */
    .without_base = HOST(Q_FLAT),
    .with_features = UINT64_C(0xffff) << VECTOR(16),
    .preserved = HOST(RBX) | HOST(R12) | HOST(R14) | HOST(R15),
    .left = Q_LEFT,
    .scratch = Q_SCRATCH,
    .vector_scratch = VECTOR(Q_XSCRATCH),

    .arguments = {RDI, RSI, RDX, RCX, R8, R9},
    .argument_count = 6,
    .vector_arguments = 8,
    .result = RAX,
    .vector_result = VECTOR(0),

    .move = move_register,
    .load = load_place,
    .store = store_place,
    .store_constant = store_constant,
    .load_constant = load_constant,
    .load_pc = x64_load_pc,
    .load_address = load_address,

    .can_select = x64_can_select_vector,
    .select = x64_select,
    .select_load = x64_select_load,
    .select_store = x64_select_store,
    .select_addend = x64_select_addend,
    .look_up = x64_look_up,
    .select_guard = x64_select_guard,
    .select_trap = x64_select_trap,
    .zeros_from = x64_zeros_from,
    .joins_halves = true,

    .has_traps = x64_has_traps,
    .set_traps = x64_set_traps,

    .take = subtract_ticks,
    .refund = refund,
    .give_back = give_back,
    .check_stamp = x64_check_stamp,
    .check_mapped = x64_check_mapped,
    .now_and_then = now_and_then,
    .set_stamp = x64_set_stamp,
    .differs = x64_differs,
    .keep_low = keep_low,
    .count_run = count_run,
    .call = emit_call,
    .check_page = x64_check_page,

    .store_map = x64_store_map,
    .call_thunk = x64_call_thunk,
    .add_to_member = x64_add_to_member,
    .jump = emit_jump,
    .set_address = x64_set_address,
    .jump_to_value = x64_jump_to_value,

    .patch = x64_patch,
    .set_pointer = x64_set_pointer,
    .emit_pool = x64_emit_pool,
    .make_thunks = x64_make_thunks,
    .signal_pc = signal_pc,
    .set_signal_pc = set_signal_pc,
};
