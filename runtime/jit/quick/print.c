/* Printing a trace's nodes, for option -jit-dump. */
#include <inttypes.h>
#include <stdio.h>

#include "runtime/jit/quick/emit.h"

static const char *const op_names[] = {
    [Q_NOP] = "nop",         [Q_CONST] = "const",
    [Q_REG] = "reg",         [Q_PC] = "pc",
    [Q_CPU_MEMBER] = "cpu",  [Q_UNARY] = "unary",
    [Q_BINARY] = "binary",   [Q_FMA] = "fma",
    [Q_SELECT] = "select",   [Q_BLEND] = "blend",
    [Q_ZEXT] = "zext",       [Q_SEXT] = "sext",
    [Q_CONVERT] = "convert", [Q_BITCAST] = "bitcast",
    [Q_SPLAT] = "splat",     [Q_BUILD2] = "build2",
    [Q_EXTRACT] = "extract", [Q_INSERT] = "insert",
    [Q_CONCAT] = "concat",   [Q_LOAD] = "load",
    [Q_STORE] = "store",     [Q_ADDEND] = "addend",
    [Q_WRITE] = "write",     [Q_CALL] = "call",
    [Q_RESULT] = "result",   [Q_LOW] = "low",
    [Q_GUARD] = "guard",     [Q_GUARD_TEST] = "guard.test",
    [Q_PAGE] = "page",       [Q_HEAD] = "head",
    [Q_EXIT] = "exit",       [Q_REFUND] = "refund",
    [Q_HANDLER] = "handler", [Q_SCALED] = "scaled",
    [Q_TRAP] = "trap",       [Q_PAIR] = "pair",
    [Q_SHUFFLE] = "shuffle", [Q_LOOK_UP] = "look-up",
    [Q_CRYPTO] = "crypto",   [Q_EXTRACT_AT] = "extract.at",
};

static const char *const sub_names[] = {
    [JIT_NEG] = "neg",
    [JIT_NOT] = "not",
    [JIT_ABS] = "abs",
    [JIT_SQRT] = "sqrt",
    [JIT_ROUND_EVEN] = "round.even",
    [JIT_ROUND_UP] = "round.up",
    [JIT_ROUND_DOWN] = "round.down",
    [JIT_ROUND_ZERO] = "round.zero",
    [JIT_CLZ] = "clz",
    [JIT_CTZ] = "ctz",
    [JIT_POPCOUNT] = "popcount",
    [JIT_BITREV] = "bitrev",
    [JIT_BSWAP] = "bswap",
    [JIT_ADD] = "add",
    [JIT_SUB] = "sub",
    [JIT_MUL] = "mul",
    [JIT_DIV] = "div",
    [JIT_MOD] = "mod",
    [JIT_AND] = "and",
    [JIT_OR] = "or",
    [JIT_XOR] = "xor",
    [JIT_UMULH] = "umulh",
    [JIT_SMULH] = "smulh",
    [JIT_POLYMUL] = "polymul",
    [JIT_SHL] = "shl",
    [JIT_SHR] = "shr",
    [JIT_ROL] = "rol",
    [JIT_ROR] = "ror",
    [JIT_EQ] = "eq",
    [JIT_NE] = "ne",
    [JIT_LT] = "lt",
    [JIT_LE] = "le",
    [JIT_GT] = "gt",
    [JIT_GE] = "ge",
    [Q_MINUS] = "minus",
    [Q_PLUS] = "plus",
    [Q_OVERFLOW] = "overflow",
    [Q_NO_OVERFLOW] = "no-overflow",
    [Q_WITHOUT] = "without",
    [Q_LEAST] = "least",
    [Q_GREATEST] = "greatest",
    [Q_LOW_PAIRS] = "low-pairs",
    [Q_HIGH_PAIRS] = "high-pairs",
    [Q_ADD_WITHIN] = "add-within",
    [Q_SUB_WITHIN] = "sub-within",
    [Q_EVEN_LANES] = "even-lanes",
    [Q_DISTANCE] = "distance",
    [Q_AVERAGE] = "average",
    [Q_ROUNDED_PRODUCT] = "rounded-product",
    [Q_WORDS] = "words",
    [Q_BYTES] = "bytes",
};

static bool has_sub(const struct q_node *n)
{
    return n->op == Q_UNARY || n->op == Q_BINARY || n->op == Q_SELECT || n->op == Q_GUARD ||
           n->op == Q_GUARD_TEST;
}

static void print_type(jit_type t)
{
    static const char letters[] = {'v', 'u', 's', 'f'};

    fprintf(stderr, " %s%c%u", q_is_ordered(t) ? "ordered " : "", letters[q_base(t) & 3],
            q_lane_bits(t));
    if (q_lanes(t) > 1)
        fprintf(stderr, "x%u", q_lanes(t));
}

void q_print(const struct quick *q)
{
    for (uint32_t k = 1; k < q->count; k++) {
        const struct q_node *n = &q->nodes.data[k];

        if (n->op == Q_NOP)
            continue;
        fprintf(stderr, "%5" PRIu32 "%s %s", k, n->flags & QF_COLD ? " cold" : "", op_names[n->op]);
        if (has_sub(n))
            fprintf(stderr, " %s", sub_names[n->sub]);
        if (n->op == Q_CONVERT && n->sub)
            fprintf(stderr, " within");
        if (n->op == Q_TRAP)
            fprintf(stderr, "%s%s", n->sub & JIT_TRAP_NAN ? " nan" : "",
                    n->sub & JIT_TRAP_SMALL ? " small" : "");
        if (n->type)
            print_type(n->type);
        for (unsigned a = 0; a < 4; a++) {
            if (n->in[a])
                fprintf(stderr, " %%%" PRIu32, n->in[a]);
        }
        fprintf(stderr, " #%" PRIx64, n->imm);
        if (n->op == Q_HEAD && n->disp)
            fprintf(stderr, " takes %" PRId32, n->disp);
        if (n->when)
            fprintf(stderr, " when %s", sub_names[n->when]);
        if (n->keep)
            fprintf(stderr, " keep %" PRIu32, n->keep);
        fprintf(stderr, "\n");
    }
}
