/*
 * Floats in guest registers of 64 bits, as RV64 has them, which behaviours read and write as
 * integers. What operations of floats use and compute is in vector registers, so what such a
 * register had at the trace's start, what was loaded into it, and what exits find in it are there,
 * too: it needs no general register on the way.
 */
#include "runtime/base/alloc.h"
#include "runtime/jit/quick/emit.h"
#include "runtime/jit/quick/simplify.h"

enum { LOOKED_AT = 64 /* nodes behind a value */ };

bool q_may_be_float(const struct quick *q, uint32_t value)
{
    const struct q_node *n = &q->nodes.data[value];

    if ((n->op != Q_REG && n->op != Q_LOAD) || n->result != JIT_U64 || n->type != JIT_U64 ||
        q->nodes.len - value > LOOKED_AT)
        return false;
    for (uint32_t at = value + 1; at < q->nodes.len; at++) {
        n = &q->nodes.data[at];
        if (n->op == Q_CALL || (n->op == Q_HEAD && n->imm2 == value))
            return false;
        for (unsigned k = 0; k < 4; k++) {
            if (n->in[k] == value && n->op != Q_WRITE)
                return false;
        }
    }
    return true;
}

/* Marks the operands of a node that is no WRITE. */
static void mark_operands(struct quick *q, const struct q_node *n, uint8_t *used)
{
    for (unsigned k = 0; k < 4; k++)
        used[n->in[k]] = 1;
    if (n->op == Q_HEAD)
        used[n->imm2] = 1;
    if (n->op == Q_CALL) {
        const struct q_call *call = &q->calls.data[n->imm];

        for (unsigned k = 0; k < call->callee->count; k++)
            used[call->args[k]] = 1;
    }
}

static bool is_float_as_integer(const struct quick *q, const struct q_node *n)
{
    return n->op == Q_BITCAST && n->type == JIT_U64 && q->nodes.data[n->in[0]].result == JIT_F64;
}

void q_keep_floats(struct quick *q)
{
    uint8_t *used = xcalloc(q->nodes.len, 1); /* by node: by others than guest registers */

    for (uint32_t at = 1; at < q->nodes.len; at++) {
        if (q_node(q, at)->op != Q_WRITE)
            mark_operands(q, q_node(q, at), used);
    }
    for (uint32_t at = 1; at < q->nodes.len; at++) {
        struct q_node *n = q_node(q, at);
        const struct q_node *value = q_node(q, n->in[0]);

        if (n->op == Q_WRITE && q->map->slots.data[n->imm].size == 8 && !used[n->in[0]] &&
            is_float_as_integer(q, value))
            n->in[0] = value->in[0];
    }
    free(used);
}
