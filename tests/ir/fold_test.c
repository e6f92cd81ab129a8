/*
 * Folding, almost exhaustively: every chain of two operations with constants on 8-bit numbers,
 * followed by conversions and a comparison, is computed for many operands with and without folding.
 */
#include "gencc/ir/pass.h"

#include <stdio.h>
#include <string.h>

static const struct ir_type types[] = {
    {IR_UINT, 8, 1}, {IR_SINT, 8, 1}, {IR_UINT, 16, 1}, {IR_SINT, 16, 1}};
static const uint8_t constants[] = {0, 1, 2, 3, 7, 8, 0x7f, 0x80, 0xf8, 0xff};
static const uint8_t operands[] = {0,    1,    2,    3,    4,    7,    8,    9,    0x10, 0x2a,
                                   0x55, 0x7e, 0x7f, 0x80, 0x81, 0xaa, 0xf0, 0xf7, 0xfe, 0xff};

enum {
    STEPS = IR_GE - IR_ADD + 1, /* IR_ADD to IR_GE, and CONVERT to each type */
    CONSTANTS = sizeof(constants) / sizeof(*constants),
    OPERANDS = sizeof(operands) / sizeof(*operands),
    TYPES = sizeof(types) / sizeof(*types),
};

/* Appends step number `n` on `v`. */
static struct ir_value *append_step(struct ir_builder *b, unsigned n, struct ir_value *v, u128 c)
{
    enum ir_op op = (enum ir_op)(IR_ADD + n);

    if (n >= STEPS)
        return ir_convert(b, v, types[n - STEPS]);
    if (op == IR_NEG || op == IR_NOT)
        return ir_unary(b, op, v);
    return ir_binary(b, op, v, ir_const(b, op >= IR_SHL && op <= IR_ROR ? IR_T_U8 : v->type, c));
}

static struct ir_func *make_chain(struct arena *a, struct ir_type t, const unsigned *steps,
                                  const uint8_t *consts, unsigned n)
{
    struct ir_func *f = ir_func_new(a, "chain", IR_FUNC_HELPER);
    struct ir_builder b = {.func = f, .block = ir_block_new(f, NULL)};
    struct ir_value *v = ir_emit(&b, IR_PARAM, t, 0, NULL);

    vec_push_in(a, &f->params, t);
    for (unsigned i = 0; i < n; i++)
        v = append_step(&b, steps[i], v, consts[i]);
    f->result = v->type;
    ir_ret(&b, 1, &v);
    return f;
}

static bool check_chain(struct ir_type t, const unsigned *steps, const uint8_t *consts, unsigned n)
{
    static struct ir_data arg, before[OPERANDS], after;
    struct arena a = {0};
    struct diag d = {.arena = &a, .out = stdout};
    struct ir_machine m = {0};
    struct ir_func *f = make_chain(&a, t, steps, consts, n);
    bool ok = true;

    for (unsigned i = 0; i < OPERANDS; i++) {
        arg.lane[0] = t.bits == 8 ? operands[i] : (u128)(uint16_t)(operands[i] * 257);
        ir_eval(&m, f, &arg, &before[i]);
    }
    while (ir_pass_constprop(f))
        ;
    ok = ir_verify(&d, f);
    for (unsigned i = 0; i < OPERANDS && ok; i++) {
        arg.lane[0] = t.bits == 8 ? operands[i] : (u128)(uint16_t)(operands[i] * 257);
        ir_eval(&m, f, &arg, &after);
        ok = after.lane[0] == before[i].lane[0];
        if (!ok) {
            printf("operand %#x: %#llx became %#llx\nbefore:\n", (unsigned)arg.lane[0],
                   (unsigned long long)before[i].lane[0], (unsigned long long)after.lane[0]);
            ir_print(stdout, make_chain(&a, t, steps, consts, n));
            printf("after:\n");
            ir_print(stdout, f);
        }
    }
    arena_free(&a);
    return ok;
}

/* All pairs of steps on all types, with a third step, chosen in turn, after half of them. */
int main(void)
{
    unsigned long long count = 0;
    unsigned kinds = STEPS + TYPES;

    for (unsigned pair = 0; pair < kinds * kinds * TYPES; pair++) {
        for (unsigned cc = 0; cc < CONSTANTS * CONSTANTS; cc++) {
            unsigned steps[3] = {pair / TYPES / kinds, pair / TYPES % kinds,
                                 (unsigned)(count * 7 % kinds)};
            uint8_t consts[3] = {constants[cc / CONSTANTS], constants[cc % CONSTANTS],
                                 constants[count * 3 % CONSTANTS]};

            if (!check_chain(types[pair % TYPES], steps, consts, 2 + (unsigned)(count % 2)))
                return 1;
            count++;
        }
    }
    printf("%llu chains fold to what they compute\n", count);
    return 0;
}
