/* Selection of code for steps of AES and SHA-256 (runtime/fp/crypto_ops.h). */
#include "runtime/fp/crypto_ops.h"
#include "runtime/jit/quick/x64/select_vector.h"

#define VAESIMC     OP_66_38(0xdb)
#define VAESENC     OP_66_38(0xdc)
#define VAESENCLAST OP_66_38(0xdd)
#define VAESDEC     OP_66_38(0xde)
#define VAESDECLAST OP_66_38(0xdf)
#define VPALIGNR    OP_66_3A(0x0f)

/* Shuffles: of the higher two words, and of words 1 and 0, or 3 and 2, of two operands. */
enum { HIGH_PAIR = 0x0e, LOW_SWAPPED = 0x11, HIGH_SWAPPED = 0xbb };

/* Of instructions without an EVEX form: the operand, or a copy of it. */
static unsigned in_low(struct quick *q, unsigned r, unsigned scratch)
{
    if (r < 16)
        return r;
    x64_vmov(&q->out, scratch, r);
    return scratch;
}

/* x86 adds the key after the other steps of a round: here it is zero, and b is added before. */
static void round_of(struct quick *q, x64_vop op, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), b = q_use_x(q, n->in[1]), d = q_def_x(q);

    x64_v_rrr(&q->out, VPXOR, Q_XSCRATCH, a, b);
    x64_zero(&q->out, Q_XSCRATCH2);
    x64_v_rrr(&q->out, op, d, Q_XSCRATCH, Q_XSCRATCH2);
}

/* A whole round on the inverse of its substitution and shift leaves the mixing of columns. */
static void mix(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), d = q_def_x(q);

    x64_zero(&q->out, Q_XSCRATCH);
    x64_v_rrr(&q->out, VAESDECLAST, Q_XSCRATCH2, a, Q_XSCRATCH);
    x64_v_rrr(&q->out, VAESENC, d, Q_XSCRATCH2, Q_XSCRATCH);
}

static void unmix(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), d = q_def_x(q), low = d < 16 ? d : Q_XSCRATCH;

    x64_v_rrr(&q->out, VAESIMC, low, X64_NO_VVVV, in_low(q, a, Q_XSCRATCH));
    if (d != low)
        x64_vmov(&q->out, d, low);
}

static void order_words(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), b = q_use_x(q, n->in[1]);

    x64_v_rrri(&q->out, VSHUFPS, q_def_x(q), a, b,
               n->sub == CRYPTO_LOW_WORDS ? LOW_SWAPPED : HIGH_SWAPPED);
}

/* The words are in XMM0, whose value waits in a temporary register, and the result replaces an
 * operand. */
static void two_rounds(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), b = q_use_x(q, n->in[1]), words = q_use_x(q, n->in[2]),
             temp = q_temp_x(q), d = q_def_x(q);
    struct q_buffer *x = &q->out;

    x64_vmov(x, Q_XSCRATCH, a);
    if (b == 0 || b >= 16)
        x64_vmov(x, Q_XSCRATCH2, b);
    b = b == 0 || b >= 16 ? Q_XSCRATCH2 : b;
    if (temp != 0)
        x64_vmov(x, temp, 0);
    if (n->sub == CRYPTO_ROUNDS_2)
        x64_v_rrri(x, VPSHUFD, 0, X64_NO_VVVV, words, HIGH_PAIR);
    else if (words != 0)
        x64_vmov(x, 0, words);
    x64_sha(x, X64_SHA256RNDS2, Q_XSCRATCH, b);
    if (temp != 0)
        x64_vmov(x, 0, temp);
    x64_vmov(x, d, Q_XSCRATCH);
}

static void message_1(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), b = q_use_x(q, n->in[1]), d = q_def_x(q);

    x64_vmov(&q->out, Q_XSCRATCH, a);
    x64_sha(&q->out, X64_SHA256MSG1, Q_XSCRATCH, in_low(q, b, Q_XSCRATCH2));
    x64_vmov(&q->out, d, Q_XSCRATCH);
}

static void message_2(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), b = q_use_x(q, n->in[1]), c = q_use_x(q, n->in[2]),
             d = q_def_x(q);

    x64_v_rrri(&q->out, VPALIGNR, Q_XSCRATCH, c, b, 4);
    x64_v_rrr(&q->out, VPADDD, Q_XSCRATCH, Q_XSCRATCH, a);
    x64_sha(&q->out, X64_SHA256MSG2, Q_XSCRATCH, in_low(q, c, Q_XSCRATCH2));
    x64_vmov(&q->out, d, Q_XSCRATCH);
}

void x64_select_crypto(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);

    switch (n.sub) {
    case CRYPTO_ENCRYPT:
        round_of(q, VAESENCLAST, &n);
        break;
    case CRYPTO_DECRYPT:
        round_of(q, VAESDECLAST, &n);
        break;
    case CRYPTO_ROUND:
        round_of(q, VAESENC, &n);
        break;
    case CRYPTO_UNROUND:
        round_of(q, VAESDEC, &n);
        break;
    case CRYPTO_MIX:
        mix(q, &n);
        break;
    case CRYPTO_UNMIX:
        unmix(q, &n);
        break;
    case CRYPTO_MESSAGE_1:
        message_1(q, &n);
        break;
    case CRYPTO_MESSAGE_2:
        message_2(q, &n);
        break;
    case CRYPTO_LOW_WORDS:
    case CRYPTO_HIGH_WORDS:
        order_words(q, &n);
        break;
    default:
        two_rounds(q, &n);
        break;
    }
}
