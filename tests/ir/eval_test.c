/* The evaluator: how a run ends, its state, and calls through libffi. */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

static struct world w;
static struct ir_data args[4], results[4];

static int open_world(void **state)
{
    (void)state;
    world_open(&w);
    world_reset(&w, 1);
    w.leave_at = 0;
    memset(args, 0, sizeof(args));
    memset(results, 0xa5, sizeof(results));
    return 0;
}

static int close_world(void **state)
{
    (void)state;
    world_close(&w);
    return 0;
}

static enum ir_outcome run_text(const char *text)
{
    struct ir_func *f = world_parse(&w, text);

    if (!f || !ir_verify(&w.diag, f))
        fail_msg("%s", world_messages(&w));
    return ir_eval(&w.machine, f, args, results);
}

static void returns_results(void **state)
{
    (void)state;
    args[0].lane[0] = 5;
    assert_int_equal(run_text("helper f(uint8 a) -> uint8, uint16[2] {\nb0:\n%0 = param uint8 0\n"
                              "%1 = const uint16[2] 7\nret %0, %1\n}"),
                     IR_DONE);
    assert_int_equal(results[0].lane[0], 5);
    assert_int_equal(results[1].lane[0], 7);
    assert_int_equal(results[1].lane[1], 7);
}

static void leaves_by_calls(void **state)
{
    (void)state;
    assert_int_equal(
        run_text("helper f() -> void {\nb0:\n%0 = intrinsic void trap()\nunreachable\n}"), IR_LEFT);
    assert_int_equal(run_text("helper g() -> void {\nb0:\nunreachable\n}"), IR_LEFT);
    w.leave_at = w.calls + 1;
    assert_int_equal(
        run_text("helper h(uint32 a, uint64 b) -> void {\nb0:\n%0 = param uint32 0\n"
                 "%1 = param uint64 1\n%2 = intrinsic void mem_read_64(%0, %1, %1)\nret\n}"),
        IR_LEFT);
}

static void limits_end_runs(void **state)
{
    struct ir_func *f;
    struct ir_builder b;
    struct ir_value *call;

    (void)state;
    w.machine.max_steps = 100;
    assert_int_equal(run_text("helper f() -> void {\nb0:\nbr b1\nb1:\nbr b1\n}"), IR_LIMIT);
    assert_int_equal(run_text("helper g() -> void {\nb0:\nret\n}"), IR_DONE);
    w.machine.max_steps = 0;
    assert_int_equal(run_text("helper h() -> void {\nb0:\nbr b1\nb1:\nbr b1\n}"), IR_LIMIT);
    f = ir_func_new(&w.arena, "deep", IR_FUNC_HELPER);
    b = (struct ir_builder){.func = f, .block = ir_block_new(f, NULL)};
    call = ir_call(&b, f, 0, NULL);
    assert_non_null(call);
    ir_ret(&b, 0, NULL);
    assert_int_equal(ir_eval(&w.machine, f, args, results), IR_LIMIT);
}

static void unbound_functions(void **state)
{
    (void)state;
    assert_int_equal(
        run_text("helper f() -> void {\nb0:\n%0 = external void ext_missing()\nret\n}"), IR_NO_FN);
    assert_string_equal(w.machine.missing, "ext_missing");
    w.machine.external = NULL;
    assert_int_equal(run_text("helper g(sint16 x) -> sint16 {\nb0:\n%0 = param sint16 0\n"
                              "%1 = external sint16 ext_negate(%0)\nret %1\n}"),
                     IR_NO_FN);
    w.machine.intrinsic = NULL;
    assert_int_equal(
        run_text("helper h() -> uint64 {\nb0:\n%0 = intrinsic uint64 read_pc()\nret %0\n}"),
        IR_NO_FN);
    assert_string_equal(w.machine.missing, "read_pc");
}

static void calls_externals(void **state)
{
    (void)state;
    args[0].lane[0] = 0xfffe; /* -2 */
    assert_int_equal(run_text("helper f(sint16 x) -> sint16 {\nb0:\n%0 = param sint16 0\n"
                              "%1 = external sint16 ext_negate(%0)\nret %1\n}"),
                     IR_DONE);
    assert_int_equal(results[0].lane[0], 2);
    args[0].lane[0] = 2;
    assert_int_equal(ir_eval(&w.machine, w.funcs.data[0], args, results), IR_DONE);
    assert_true(results[0].lane[0] == 0xfffe);

    args[0].lane[0] = 3;
    args[1].lane[0] = 0xffffffff;
    args[2].lane[0] = 0;
    assert_int_equal(
        run_text("helper g(uint16 a, uint32 b, sint64 c) -> uint8, uint32, sint64 {\nb0:\n"
                 "%0 = param uint16 0\n%1 = param uint32 1\n%2 = param sint64 2\n"
                 "%3 = external uint8 ext_pair(%0, %1, %2)\n%4 = result uint32 %3, 1\n"
                 "%5 = result sint64 %3, 2\nret %3, %4, %5\n}"),
        IR_DONE);
    assert_int_equal(results[0].lane[0], 3);
    assert_int_equal(results[1].lane[0], 2); /* inputs are passed on, and wrap */
    assert_true(results[2].lane[0] == 0xfffffffffffffffd);

    args[0].lane[0] = 0x3ff8000000000000; /* 1.5 */
    args[1].lane[0] = 0x40000000;         /* 2.0f */
    args[2].lane[0] = 0xff;               /* -1 */
    assert_int_equal(
        run_text("helper h(double a, float b, sint8 c) -> double {\nb0:\n%0 = param double 0\n"
                 "%1 = param float 1\n%2 = param sint8 2\n"
                 "%3 = external double ext_scale(%0, %1, %2)\nret %3\n}"),
        IR_DONE);
    assert_true(results[0].lane[0] == 0x4000000000000000); /* 1.5 * 2 - 1 = 2 */
}

static uint64_t state_word(unsigned offset)
{
    uint64_t x;

    memcpy(&x, w.state + offset, sizeof(x));
    return x;
}

static void accesses_registers(void **state)
{
    (void)state;
    memset(w.state, 0, sizeof(w.state));
    w.state[15] = 0x80;
    w.machine.word = 1u << 5; /* rn = 1 */
    assert_int_equal(
        run_text("execute f() -> uint64, uint32, uint8 format FMT {\nb0:\n%0 = field uint8 FMT.rn\n"
                 "%1 = reg.read uint64 X[%0]\n%2 = const uint32 0x1234\nreg.write W[%0], %2\n"
                 "%3 = reg.read uint32 X[%0]\n%4 = const uint8 9\n%5 = reg.read uint8 B[%4]\n"
                 "ret %1, %3, %5\n}"),
        IR_DONE);
    assert_true(results[0].lane[0] == 0x8000000000000000);
    assert_int_equal(results[1].lane[0], 0x1234);
    assert_int_equal(results[2].lane[0], 0x12);
    assert_true(state_word(8) == 0x8000000000001234);
}

/* Registers beyond a bank read as 0, and writes to them have no effect. */
static void no_register(void **state)
{
    uint8_t before[WORLD_STATE];

    (void)state;
    memcpy(before, w.state, sizeof(before));
    args[0].lane[0] = ~(u128)0 >> 64;
    assert_int_equal(run_text("helper f(uint64 i) -> uint64 {\nb0:\n%0 = param uint64 0\n"
                              "%1 = reg.read uint64 X[%0]\nreg.write X[%0], %0\nret %1\n}"),
                     IR_DONE);
    assert_int_equal(results[0].lane[0], 0);
    args[0].lane[0] = 16;
    assert_int_equal(ir_eval(&w.machine, w.funcs.data[0], args, results), IR_DONE);
    assert_int_equal(results[0].lane[0], 0);
    assert_memory_equal(before, w.state, sizeof(before));
}

/* S has four 16-bit elements, 8 bytes apart; as one number it is its first bytes. */
static void accesses_elements(void **state)
{
    (void)state;
    memset(w.state, 0, sizeof(w.state));
    assert_int_equal(
        run_text("helper f() -> uint16[4], uint16, uint64 {\nb0:\n%0 = const uint16[4] 7\n"
                 "%1 = const uint8 2\n%2 = const uint16 0x1234\n%3 = insert uint16[4] %0, %1, %2\n"
                 "reg.write S, %3\n%4 = reg.read uint16[4] S\n%5 = reg.read uint16 S\n"
                 "%6 = reg.read uint64 S\nret %4, %5, %6\n}"),
        IR_DONE);
    assert_int_equal(state_word(272 + 16), 0x1234);
    assert_int_equal(results[0].lane[2], 0x1234);
    assert_int_equal(results[0].lane[3], 7);
    assert_int_equal(results[1].lane[0], 7);
    assert_int_equal(results[2].lane[0], 7);
}

static void accesses_fields(void **state)
{
    (void)state;
    w.machine.word = 0xffffffff;
    w.computed[4] = 1;
    assert_int_equal(
        run_text("decode f(uint32 w) -> uint8, uint16, uint64 format FMT {\nb0:\n"
                 "%0 = field uint16 FMT.imm12\n%1 = convert uint64 %0\n%2 = field uint64 FMT.imm\n"
                 "field.write FMT.imm, %1\n%3 = field uint8 FMT.sf\nret %3, %0, %2\n}"),
        IR_DONE);
    assert_int_equal(results[0].lane[0], 1);
    assert_int_equal(results[1].lane[0], 0xfff);
    assert_int_equal(results[2].lane[0], 1);
    assert_int_equal(w.computed[4], 0xfff);
}

/* Two PHIs that swap. */
static void swaps_phis(void **state)
{
    (void)state;
    args[0].lane[0] = 3;
    assert_int_equal(
        run_text(
            "helper f(uint8 n) -> uint8, uint8 {\nb0:\n%0 = param uint8 0\n%1 = const uint8 1\n"
            "%2 = const uint8 2\nbr b1\nb1:\n%3 = phi uint8 b0: %1, b1: %4\n"
            "%4 = phi uint8 b0: %2, b1: %3\n%5 = phi uint8 b0: %0, b1: %6\n"
            "%6 = sub uint8 %5, %1\ncbr %6, b1, b2\nb2:\nret %3, %4\n}"),
        IR_DONE);
    assert_int_equal(results[0].lane[0], 1);
    assert_int_equal(results[1].lane[0], 2);
}

static void accesses_variables(void **state)
{
    (void)state;
    assert_int_equal(run_text("helper f() -> uint8, uint8 {\nvar $0 uint8 x\nvar $1 uint8 y\nb0:\n"
                              "%0 = var.read uint8 $0\n%1 = const uint8 4\nvar.write $1, %1\n"
                              "%2 = var.read uint8 $1\nret %0, %2\n}"),
                     IR_DONE);
    assert_int_equal(results[0].lane[0], 0);
    assert_int_equal(results[1].lane[0], 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(returns_results, open_world, close_world),
        cmocka_unit_test_setup_teardown(leaves_by_calls, open_world, close_world),
        cmocka_unit_test_setup_teardown(limits_end_runs, open_world, close_world),
        cmocka_unit_test_setup_teardown(unbound_functions, open_world, close_world),
        cmocka_unit_test_setup_teardown(calls_externals, open_world, close_world),
        cmocka_unit_test_setup_teardown(accesses_registers, open_world, close_world),
        cmocka_unit_test_setup_teardown(no_register, open_world, close_world),
        cmocka_unit_test_setup_teardown(accesses_elements, open_world, close_world),
        cmocka_unit_test_setup_teardown(accesses_fields, open_world, close_world),
        cmocka_unit_test_setup_teardown(swaps_phis, open_world, close_world),
        cmocka_unit_test_setup_teardown(accesses_variables, open_world, close_world),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
