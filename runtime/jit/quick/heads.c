/*
 * Heads that take the ticks of several guest blocks at once. What leaves the trace in between gives
 * back those of blocks that have not begun (struct quick, `ahead`), so ticks are as exact as with a
 * head for each block.
 *
 *     head A: takes A + B + C; too few are left: C (the interpreter runs a block, if it fits)
 *     guard in A ── fails: gives back B + C, leaves
 *     head B, head C: no code
 *
 * C that the trace calls may shorten the budget, so no head takes ticks beyond a node that calls C
 * and goes on. Accesses of flat memory call C only where the host refuses them. With ticks ahead
 * the interpreter then does the instruction and the rest of its block (trap.c); behaviours write
 * registers behind their accesses, so it can begin anew. Accesses of other memory call C all the
 * time, and turns are short there: each head takes its own block's ticks.
 */
#include "runtime/jit/quick/emit.h"
#include "runtime/jit/quick/target.h"

/* Whether the CPU may go on in the trace with another budget behind the node. */
static bool ends_group(const struct q_node *n)
{
    switch (n->op) {
    case Q_CPU_MEMBER:
    case Q_CALL:
    case Q_PAGE:
    case Q_REFUND:
    case Q_HANDLER:
        return true;
    case Q_HEAD:
        return n->imm2 != 0; /* its trap chooses an address */
    default:
        return false;
    }
}

void q_group_heads(struct quick *q)
{
    struct q_node *first = NULL; /* the head that takes ticks now */

    for (uint32_t at = 1; at < q->nodes.len; at++) {
        struct q_node *n = q_node(q, at);

        if (!q->flat || !q_target.give_back || ends_group(n))
            first = NULL;
        if (n->op != Q_HEAD)
            continue;
        first = first ? first : n;
        first->disp += (int32_t)q->r->sources[n->imm].ticks;
    }
    q->code->first_ticks = (uint32_t)q_node(q, 1)->disp;
}
