/* Each rule of the verifier has a function that violates it. */
#include "gencc/ir/pass.h"
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#define F      "helper f(uint8 a, uint32 b, float c) -> uint8 {\nb0:\n%0 = param uint8 0\n"
#define V      "%1 = param uint32 1\n%2 = param float 2\n"
#define END    "ret %0\n}"
#define VECTOR "%3 = splat uint32[4] %1\n"
#define X(s)   "execute f() -> void format FMT {\nb0:\n" s "ret\n}"
#define D(s)   "decode f(uint32 w) -> uint8 format FMT {\nb0:\n%0 = const uint8 1\n" s END

static const struct {
    const char *text, *message;
} broken[] = {
    /* control flow */
    {"helper f() -> void {\nb0:\nbr b0\n}", "nothing branches to the entry"},
    {"helper f() -> void {\nb0:\n%0 = const uint8 1\n}", "the block has no terminator"},
    {"helper f() -> void {\nb0:\n}", "the block is empty"},
    {"helper f() -> void {\n}", "it has no blocks"},
    {F "ret %0\n%1 = const uint8 1\nret %1\n}", "a terminator comes last"},
    {F "br b1\nb1:\n%1 = const uint8 1\n%2 = phi uint8 b0: %0\n" END, "PHIs come first"},
    {F "br b1\nb1:\n%2 = phi uint8\n" END, "0 operands for 1 predecessors"},
    {F "cbr %0, b1, b2\nb1:\nbr b2\nb2:\n%2 = phi uint8 b0: %0, b2: %0\n" END,
     "b2 is no predecessor"},
    {F "br b1\nb1:\n%2 = phi uint8 b0: %0, b0: %0\n" END, "two operands come from b0"},
    {F "cbr %0, b1, b2\nb1:\n%1 = const uint8 1\nbr b2\nb2:\n%2 = phi uint8 b0: %1, b1: %0\n" END,
     "operand %1 is not computed on every path to it"},
    {F "cbr %0, b1, b2\nb1:\n%1 = const uint8 1\nbr b2\nb2:\nret %1\n}",
     "operand %1 is not computed on every path to it"},
    {F "cbr %0, b1, b2\nb1:\nbr b2\nb2:\n%2 = phi uint8 b2: %0, b0: %0\n" END,
     "b2 is no predecessor"},
    /*
     * Dominance in later blocks, and in loops where it takes several rounds; messages name the
     * block.
     */
    {F "br b1\nb1:\ncbr %0, b2, b3\nb2:\n%1 = const uint8 1\nbr b3\nb3:\nret %1\n}",
     "block b3, %5 (ret): operand %1 is not computed on every path to it"},
    {F "cbr %0, b3, b4\nb1:\nbr b2\nb2:\nret %1\nb3:\n%1 = const uint8 1\nbr b4\nb4:\nbr b1\n}",
     "operand %1 is not computed on every path to it"},
    {F "%1 = not uint8 %2\n%2 = not uint8 %1\n" END, "operand %2 is not computed"},
    /* terminators */
    {F "ret\n}", "0 values returned instead of 1"},
    {F V "ret %1\n}", "operand 0 is uint32, not uint8"},
    {"helper f() -> void, uint8 {\nb0:\n%0 = const uint16 1\n" END,
     "operand 0 is uint16, not uint8"},
    {F V "cbr %2, b1, b1\nb1:\n" END, "the condition is no integer"},
    {F "cbr %0, b1\nb1:\n" END, "it has two targets"},
    {F "br b1, b1\nb1:\n" END, "the number of targets is wrong"},
    {F V "switch %2, b1 []\nb1:\n" END, "it switches on no integer"},
    {F "switch %0, b1 [0x100: b1]\nb1:\n" END, "a case does not fit"},
    {F "switch %0, b1 [0x1: b1, 0x1: b1]\nb1:\n" END, "two cases are alike"},
    /* types of operations */
    {F V "%3 = add uint8 %0, %1\n" END, "operand 1 is uint32, not uint8"},
    {F V "%3 = add uint8 %0\n" END, "1 operands instead of 2"},
    {F V "%3 = and float %2, %2\n" END, "bits of a float"},
    {F V "%3 = not float %2\n" END, "bits of a float"},
    {F V "%3 = shl float %2, %0\n" END, "bits of a float"},
    {F V "%3 = shl uint8 %0, %2\n" END, "the amount is an integer"},
    {F V VECTOR "%4 = shl uint8 %0, %3\n" END, "the amount is an integer, or a vector of as many"},
    {F V "%3 = eq uint8 %0, %1\n" END, "operand 1 is uint32, not uint8"},
    {F V "%3 = eq uint32 %1, %1\n" END, "the result is uint32, not uint8"},
    {F V VECTOR "%4 = eq uint8 %3, %3\n" END, "the result is uint8, not uint32[4]"},
    {F V "%3 = select uint8 %1, %0, %0\n" END, "the condition is uint8 or a mask"},
    {F V "%3 = select uint8 %0, %0, %1\n" END, "operand 2 is uint32, not uint8"},
    {F V VECTOR "%4 = convert uint8 %3\n" END, "lanes differ"},
    {F V "%3 = bitcast uint8 %1\n" END, "sizes differ"},
    {F V "%3 = splat uint8[4] %1\n" END, "operand 0 is uint32, not uint8"},
    {F V VECTOR "%4 = extract uint8 %3, %0\n" END, "the result is uint8, not uint32"},
    {F V VECTOR "%4 = extract uint32 %3, %2\n" END, "the index is no integer"},
    {F V VECTOR "%4 = insert uint32[4] %3, %2, %1\n" END, "the index is no integer"},
    {F V VECTOR "%4 = insert uint32[4] %3, %0, %0\n" END, "operand 2 is uint8, not uint32"},
    {F V "%4 = build uint32[4] %1, %1\n" END, "one operand a lane"},
    {F V "%4 = build uint32[2] %1, %0\n" END, "operand 1 is uint8, not uint32"},
    {F V VECTOR "%4 = concat uint32[4] %3, %3\n" END, "lanes do not add up"},
    {F V VECTOR "%4 = concat uint8[8] %3, %3\n" END, "operand 0 is uint32[4], not uint8[4]"},
    {F "br b1\nb1:\n%1 = phi uint32 b0: %0\n" END, "operand 0 is uint8, not uint32"},
    {F "%1 = add void %0, %0\n" END, "its type is not one it can have"},
    /* leaves */
    {F "%1 = const uint8 0x100\n" END, "the constant does not fit"},
    {F "%1 = param uint8 3\n" END, "no such parameter"},
    {F "%1 = param uint8 1\n" END, "the result is uint8, not uint32"},
    {F "%1 = field uint8 FMT.rn\n" END, "the format has no such field"},
    {X("%1 = field uint32 FMT.rn\n"), "the result is uint32, not uint8"},
    {F "%1 = word uint32\n" END, "there is no instruction here"},
    {X("%1 = word sint32\n"), "the word is an unsigned integer"},
    /* state */
    {F "%1 = reg.read uint64 X\n" END, "an index for a bank and none for a slot"},
    {F "%1 = reg.read uint64 PC[%0]\n" END, "an index for a bank and none for a slot"},
    {F V "%3 = reg.read uint64 X[%2]\n" END, "the index is no integer"},
    {F "%1 = reg.read uint128 X[%0]\n" END, "wider than the register"},
    {F V VECTOR "reg.write PC, %3\n" END, "wider than the register"},
    {X("%0 = const uint64 1\nfield.write FMT.imm, %0\n"), "only decode functions write fields"},
    {D("field.write FMT.rn, %0\n"), "the field is not a computed one"},
    {D("field.write FMT.imm, %0\n"), "operand 0 is uint8, not uint64"},
    {"helper f() -> void {\nvar $0 uint8 x\nb0:\n%0 = var.read uint16 $0\nret\n}",
     "the result is uint16, not uint8"},
    {"helper f() -> void {\nvar $0 uint8 x\nb0:\n%0 = const uint16 1\nvar.write $0, %0\nret\n}",
     "operand 0 is uint16, not uint8"},
    /* calls */
    {F "%1 = call uint8 g()\n" END, "0 arguments instead of 1"},
    {F V "%3 = call uint8 g(%1)\n" END, "operand 0 is uint32, not uint8"},
    {F "%1 = call uint16 g(%0)\n" END, "the result is uint16, not uint8"},
    {F "%1 = call uint8 g(%0)\n%2 = result uint8 %1, 2\n" END, "the result is uint8, not void"},
    {F "%1 = call uint8 g(%0)\n%2 = result uint8 %1, 1\n" END, "the result is uint8, not uint16"},
    {F "%1 = result uint8 %0, 1\n" END, "its operand is no call"},
    {F "%1 = intrinsic uint32 ext_sum()\n" END, "the other kind of function"},
    {F "%1 = external uint64 read_pc()\n" END, "the other kind of function"},
    {F "%1 = intrinsic void asm_text(\"x\")\n" END, "assembly text outside a disassembly function"},
    {F "%1 = convert sint64 %0\n%2 = intrinsic uint8 asm_has(%1, %1)\n" END,
     "text is expected first"},
    {F "%1 = intrinsic void trap()\n%2 = not uint8 %1\n" END, "an operand has no value"},
};

/* Functions that just satisfy the rules. */
static const char *const sound[] = {
    F V VECTOR "%4 = shl uint32[4] %3, %0\n" END, /* amount: scalar, then one per lane */
    F V VECTOR "%4 = shl uint32[4] %3, %3\n" END,
    F V "%3 = splat uint32[2] %1\n%4 = splat uint32[4] %1\n%5 = concat uint32[6] %3, %4\n" END,
    F V "%3 = splat uint32[4] %1\n%4 = splat uint32[2] %1\n%5 = concat uint32[6] %3, %4\n" END,
    F V VECTOR "%4 = extract uint32 %3, %0\n%5 = insert uint32[4] %3, %0, %4\n" END,
    F V VECTOR "%4 = eq uint32[4] %3, %3\n%5 = select uint32[4] %4, %3, %3\n" END,
    F V VECTOR "%4 = select uint32[4] %0, %3, %3\n%5 = bitcast uint64[2] %3\n" END,
    F V "%3 = build uint32[2] %1, %1\n%4 = convert uint8 %2\n%5 = bitcast uint32 %2\n" END,
    F "%1 = reg.read uint64 X[%0]\nreg.write X[%0], %1\nreg.write PC, %1\n" END,
    F "%1 = const uint8 0xff\n" END,
    X("%1 = word uint32\n%2 = field uint8 FMT.rn\n"),
    D("%1 = const uint64 1\nfield.write FMT.imm, %1\n"),
    F "switch %0, b1 [0xff: b1, 0x0: b1]\nb1:\n" END,
    F "cbr %0, b1, b1\nb1:\n" END,
    F "%1 = call uint8 g(%0)\n%2 = result uint16 %1, 1\n" END,
};

static void sound_is_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(sound) / sizeof(*sound); i++) {
        struct world w;
        struct ir_func *f;

        world_open(&w);
        world_parse(&w, "helper g(uint8 x) -> uint8, uint16 {\nb0:\n%0 = param uint8 0\n"
                        "%1 = convert uint16 %0\nret %0, %1\n}");
        f = world_parse(&w, sound[i]);
        if (!f || !ir_verify(&w.diag, f))
            fail_msg("%s: %s", sound[i], world_messages(&w));
        world_close(&w);
    }
}

static void expect_bad(struct world *w, const struct ir_func *f, const char *message,
                       const char *text)
{
    bool accepted = ir_verify(&w->diag, f);
    const char *said = world_messages(w);

    if (accepted)
        fail_msg("accepted, though: %s\n%s", message, text);
    if (!strstr(said, message))
        fail_msg("%s: expected '%s', got '%s'", text, message, said);
}

static void rules_are_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
        struct world w;
        struct ir_func *f;

        world_open(&w);
        world_parse(&w, "helper g(uint8 x) -> uint8, uint16 {\nb0:\n%0 = param uint8 0\n"
                        "%1 = convert uint16 %0\nret %0, %1\n}");
        f = world_parse(&w, broken[i].text);
        if (!f)
            fail_msg("%s: %s", broken[i].text, world_messages(&w));
        expect_bad(&w, f, broken[i].message, broken[i].text);
        world_close(&w);
    }
}

/* Errors that the text form cannot express. */
static void structure_is_checked(void **state)
{
    struct world w;
    struct ir_func *f;
    struct ir_value *v;

    (void)state;
    world_open(&w);
#define FRESH()                                                                                \
    (f = world_parse(&w, "helper f() -> uint8 {\nb0:\n%0 = const uint8 1\n%1 = not uint8 %0\n" \
                         "ret %1\n}"),                                                         \
     v = f->blocks.data[0]->first->next)
    FRESH();
    assert_true(ir_verify(&w.diag, f));
    v->prev = NULL;
    expect_bad(&w, f, "the list of values is broken", "prev");
    FRESH();
    f->blocks.data[0]->last = v;
    expect_bad(&w, f, "the list of values is broken", "last");
    FRESH();
    v->id = 0;
    expect_bad(&w, f, "the value's number is not its own", "id");
    FRESH();
    v->op = IR_OP_COUNT;
    expect_bad(&w, f, "(?): no such operation", "op");
    FRESH();
    f->blocks.data[0]->id = 9;
    expect_bad(&w, f, "the block's number is not its own", "block id");
    FRESH();
    f->blocks.data[0]->id = f->next_block;
    expect_bad(&w, f, "the block's number is not its own", "block id");
    FRESH();
    v->id = f->next_value;
    expect_bad(&w, f, "the value's number is not its own", "id");
    FRESH();
    v->ops.data[0] = ir_value_new(f, IR_CONST, IR_T_U8, v->pos);
    expect_bad(&w, f, "an operand is not in the function", "operand");
    FRESH();
    v->next->targets.data = &f->blocks.data[0];
    v->next->targets.len = 1;
    expect_bad(&w, f, "nothing branches to the entry", "target");
    FRESH();
    f->result = ir_type(IR_UINT, 7, 1);
    expect_bad(&w, f, "the result has no valid type", "result");
    FRESH();
    vec_push_in(&w.arena, &f->params, ir_type(IR_UINT, 8, 0));
    expect_bad(&w, f, "a parameter has no valid type", "param");
    FRESH();
    vec_push_in(&w.arena, &f->outs, ir_type(IR_UINT, 8, 65));
    expect_bad(&w, f, "an output has no valid type", "out");
    FRESH();
    ir_var_new(f, "x", IR_T_VOID, f->pos);
    expect_bad(&w, f, "a variable has no valid type", "var");
    FRESH();
    ir_var_new(f, "x", IR_T_U8, f->pos);
    ir_var_new(f, "y", IR_T_U8, f->pos);
    assert_true(ir_verify(&w.diag, f));
    f->vars.data[1]->id = 0;
    expect_bad(&w, f, "the wrong number", "var");
    FRESH();
    v->type = ir_type(IR_UINT, 8, 65);
    expect_bad(&w, f, "its type is not one it can have", "type");
#undef FRESH
    world_close(&w);
}

/*
 * Verifies 67 blocks in a row. If `skips`, a block near the end branches to the last one, past the
 * definition of the returned value.
 */
static bool long_row(bool skips)
{
    char text[4096];
    int at = snprintf(text, sizeof(text), "%s", F);
    struct world w;
    bool ok;

    for (int n = 1; n <= 64; n++)
        at += snprintf(text + at, sizeof(text) - (size_t)at, "br b%d\nb%d:\n", n, n);
    snprintf(text + at, sizeof(text) - (size_t)at, "%s\nb65:\n%s",
             skips ? "cbr %0, b65, b66" : "br b65", "%1 = const uint8 1\nbr b66\nb66:\nret %1\n}");
    world_open(&w);
    ok = ir_verify(&w.diag, world_parse(&w, text));
    world_close(&w);
    return ok;
}

static void more_blocks_than_bits(void **state)
{
    (void)state;
    assert_true(long_row(false));
    assert_false(long_row(true));
}

/* Unreachable blocks may use values without dominance, as long as types are right. */
static void unreachable_code(void **state)
{
    struct world w;

    (void)state;
    world_open(&w);
    assert_true(ir_verify(&w.diag, world_parse(&w, F "ret %0\nb1:\n%1 = not uint8 %2\nbr b2\nb2:\n"
                                                     "%2 = not uint8 %0\nbr b1\n}")));
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_checked),    cmocka_unit_test(sound_is_accepted),
        cmocka_unit_test(structure_is_checked), cmocka_unit_test(more_blocks_than_bits),
        cmocka_unit_test(unreachable_code),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
