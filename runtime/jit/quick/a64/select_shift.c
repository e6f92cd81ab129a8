/* Selection of code for shifts in vector registers. Amounts may be larger than the lanes; the
 * host's shifts by a register look at the amount's low 8 bits, as a signed number. */
#include "runtime/jit/quick/a64/host.h"

/* ---- by fixed amounts ------------------------------------------------------------------------ */

/* 128 bits: shifts the halves, and ors the bits that cross between them. */
static void shift_128bit(struct quick *q, const struct q_node *n, uint64_t amount)
{
    unsigned a = q_use_x(q, n->in[0]), d = q_def_x(q), by = amount % 64;
    bool left = n->sub == JIT_SHL;
    unsigned whole = Q_XSCRATCH;
    struct q_buffer *x = &q->out;

    if (amount >= 128) {
        a64_vfill(x, d, false);
        return;
    }
    /* The value moved by 64 bits. */
    a64_vfill(x, Q_XSCRATCH2, false);
    a64_ext(x, Q_XSCRATCH, left ? Q_XSCRATCH2 : a, left ? a : Q_XSCRATCH2, 8);
    if (amount < 64 && by) {
        if (left) {
            a64_vshr_i(x, A64_USHR, 64, Q_XSCRATCH, Q_XSCRATCH, 64 - by);
            a64_vshl_i(x, A64_VSHL, 64, Q_XSCRATCH2, a, by);
        } else {
            a64_vshl_i(x, A64_VSHL, 64, Q_XSCRATCH, Q_XSCRATCH, 64 - by);
            a64_vshr_i(x, A64_USHR, 64, Q_XSCRATCH2, a, by);
        }
        a64_vvv(x, A64_VORR, 0, Q_XSCRATCH, Q_XSCRATCH, Q_XSCRATCH2);
    } else if (by && left) {
        a64_vshl_i(x, A64_VSHL, 64, Q_XSCRATCH, Q_XSCRATCH, by);
    } else if (by) {
        a64_vshr_i(x, A64_USHR, 64, Q_XSCRATCH, Q_XSCRATCH, by);
    } else if (!amount) {
        whole = a;
    }
    a64_vmov(x, d, whole);
}

static void shift_fixed(struct quick *q, const struct q_node *n, uint64_t amount)
{
    unsigned lane = q_lane_bits(n->type), a = q_use_x(q, n->in[0]), d = q_def_x(q);
    bool with_sign = n->sub == JIT_SHR && q_is_signed(n->type);
    struct q_buffer *x = &q->out;

    if (!amount)
        a64_vmov(x, d, a);
    else if (amount >= lane && !with_sign)
        a64_vfill(x, d, false);
    else if (n->sub == JIT_SHL)
        a64_vshl_i(x, A64_VSHL, lane, d, a, (unsigned)amount);
    else
        a64_vshr_i(x, with_sign ? A64_SSHR : A64_USHR, lane, d, a,
                   amount < lane ? (unsigned)amount : lane);
}

/* ---- by registers ---------------------------------------------------------------------------- */

/* Shifts by the amounts in XSCRATCH2, at most 64 in each lane. */
static void shift_register(struct quick *q, const struct q_node *n, unsigned d, unsigned a)
{
    bool with_sign = n->sub == JIT_SHR && q_is_signed(n->type);
    unsigned class = a64_class(n->type);

    if (n->sub == JIT_SHR)
        a64_vv(&q->out, A64_VNEG, class, Q_XSCRATCH2, Q_XSCRATCH2);
    a64_vvv(&q->out, with_sign ? A64_SSHL : A64_USHL, class, d, a, Q_XSCRATCH2);
}

static void shift_scalar(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), amount = q_use(q, n->in[1]), d = q_def_x(q);
    unsigned bits = q_bits(n->from);
    struct q_buffer *x = &q->out;

    if (bits < 64)
        a64_extend(x, false, bits, Q_SCRATCH, amount);
    else
        a64_mov(x, 64, Q_SCRATCH, amount);
    a64_mov_i(x, Q_SCRATCH2, 64);
    a64_rrr(x, A64_SUBS, 64, A64_ZERO, Q_SCRATCH, Q_SCRATCH2);
    a64_rrr(x, a64_if(A64_CSEL, A64_LO), 64, Q_SCRATCH, Q_SCRATCH, Q_SCRATCH2);
    a64_dup(x, a64_class(n->type), Q_XSCRATCH2, Q_SCRATCH);
    shift_register(q, n, d, a);
}

/* Amounts of 64 bits are compared, since the host has no minimum of them. */
static void shift_lanes(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), by = q_use_x(q, n->in[1]), d = q_def_x(q);
    unsigned class = a64_class(n->type);
    struct q_buffer *x = &q->out;

    a64_mov_i(x, Q_SCRATCH, 64);
    a64_dup(x, class, Q_XSCRATCH2, Q_SCRATCH);
    if (class < 3) {
        a64_vvv(x, A64_UMIN, class, Q_XSCRATCH2, Q_XSCRATCH2, by);
    } else {
        a64_vvv(x, A64_CMHI, class, Q_XSCRATCH, Q_XSCRATCH2, by);
        a64_vvv(x, A64_BSL, 0, Q_XSCRATCH, by, Q_XSCRATCH2);
        a64_vmov(x, Q_XSCRATCH2, Q_XSCRATCH);
    }
    shift_register(q, n, d, a);
}

void a64_select_shift(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    uint64_t fixed = 0;
    enum q_amount amount = q_amount_of(q, &n, &fixed);

    if (amount == Q_AMOUNT_FIXED && q_is_int128(n.type))
        shift_128bit(q, &n, fixed);
    else if (amount == Q_AMOUNT_FIXED)
        shift_fixed(q, &n, fixed);
    else if (amount == Q_AMOUNT_SCALAR)
        shift_scalar(q, &n);
    else
        shift_lanes(q, &n);
}
