/* Selection of code for steps of AES and SHA-256 (runtime/fp/crypto_ops.h), which are the host's
 * own. */
#include "runtime/fp/crypto_ops.h"
#include "runtime/jit/quick/a64/host.h"

/* d = op a, b: the instruction replaces its first operand. */
static void step(struct quick *q, const struct q_node *n, uint32_t op)
{
    unsigned a = q_use_x(q, n->in[0]), b = q_use_x(q, n->in[1]), d = q_def_x(q);

    a64_vmov(&q->out, Q_XSCRATCH, a);
    a64_vv(&q->out, op, 0, Q_XSCRATCH, b);
    a64_vmov(&q->out, d, Q_XSCRATCH);
}

/* A step, and a mixing of columns of its result. */
static void mixed_step(struct quick *q, const struct q_node *n, uint32_t op, uint32_t mix)
{
    unsigned a = q_use_x(q, n->in[0]), b = q_use_x(q, n->in[1]), d = q_def_x(q);

    a64_vmov(&q->out, Q_XSCRATCH, a);
    a64_vv(&q->out, op, 0, Q_XSCRATCH, b);
    a64_vv(&q->out, mix, 0, d, Q_XSCRATCH);
}

static void mix(struct quick *q, const struct q_node *n, uint32_t op)
{
    unsigned a = q_use_x(q, n->in[0]);

    a64_vv(&q->out, op, 0, q_def_x(q), a);
}

/* d = op a, b, c, of SHA-256. */
static void hash(struct quick *q, const struct q_node *n, uint32_t op)
{
    unsigned a = q_use_x(q, n->in[0]), b = q_use_x(q, n->in[1]), c = q_use_x(q, n->in[2]),
             d = q_def_x(q);

    a64_vmov(&q->out, Q_XSCRATCH, a);
    a64_vvv(&q->out, op, 0, Q_XSCRATCH, b, c);
    a64_vmov(&q->out, d, Q_XSCRATCH);
}

void a64_select_crypto(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);

    switch (n.sub) {
    case CRYPTO_ENCRYPT:
        step(q, &n, A64_AESE);
        break;
    case CRYPTO_DECRYPT:
        step(q, &n, A64_AESD);
        break;
    case CRYPTO_ROUND:
        mixed_step(q, &n, A64_AESE, A64_AESMC);
        break;
    case CRYPTO_UNROUND:
        mixed_step(q, &n, A64_AESD, A64_AESIMC);
        break;
    case CRYPTO_MIX:
        mix(q, &n, A64_AESMC);
        break;
    case CRYPTO_UNMIX:
        mix(q, &n, A64_AESIMC);
        break;
    case CRYPTO_MESSAGE_1:
        step(q, &n, A64_SHA256SU0);
        break;
    case CRYPTO_MESSAGE_2:
        hash(q, &n, A64_SHA256SU1);
        break;
    case CRYPTO_HASH_1:
        hash(q, &n, A64_SHA256H);
        break;
    default:
        hash(q, &n, A64_SHA256H2);
        break;
    }
}
