/*
 * The exported helpers of the clause's description against a second statement, by hand, of the
 * rules of the register block, of fast-access uniforms and of embedded constants.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "runtime/gpu/isa.h"

extern const struct gpu_isa bifrost_isa;

enum { FMA, ADD };
/* Bytes of a register that a write changes. */
enum { LOW = 3 << 16, HIGH = 12 << 16, FULL = 15 << 16 };
enum { SLOT_0, SLOT_1, SLOT_2, STAGE, FAU_LOW, FAU_HIGH, PASS_FMA, PASS_ADD };

struct block {
    unsigned control, reg1, reg0, reg2, reg3, fau;
};

static uint64_t pack_block(struct block b)
{
    return (uint64_t)b.control << 31 | (uint64_t)b.reg1 << 25 | (uint64_t)b.reg0 << 20 |
           (uint64_t)b.reg2 << 14 | (uint64_t)b.reg3 << 8 | b.fau;
}

static uint64_t make_place(enum gpu_place_kind kind, uint32_t value)
{
    return (uint64_t)kind << 32 | value;
}

static uint64_t operand_place(unsigned unit, unsigned selector, uint64_t block, unsigned first)
{
    struct gpu_bundle b = {.stages = 3};
    struct gpu_at at = {.stage = first ? 0 : 1, .unit = unit};

    b.stage[at.stage].block = block;
    return bifrost_isa.operand_place(&b, &at, selector);
}

/*
 * Value of a constant operand: the clause's constant `raw`, changed by its modifier, with low bits
 * that the operand adds.
 */
static uint32_t constant_operand(uint64_t raw, unsigned modifier, unsigned low, unsigned high,
                                 uint64_t address)
{
    return bifrost_isa.constant_value(raw, modifier, low << 8 | high << 16, address);
}

static uint32_t flags_of_header(uint64_t header)
{
    struct gpu_bundle b = {.header = header};

    return bifrost_isa.bundle_flags(&b);
}

static void is_register(unsigned selector, struct block b, unsigned number)
{
    assert_int_equal(operand_place(FMA, selector, pack_block(b), 0),
                     make_place(GPU_PLACE_REGISTER, number));
    assert_int_equal(operand_place(ADD, selector, pack_block(b), 0),
                     make_place(GPU_PLACE_REGISTER, number));
}

static void test_registers(void **s)
{
    (void)s;
    is_register(SLOT_0, (struct block){1, 30, 20, 7, 8, 0}, 20);
    is_register(SLOT_1, (struct block){1, 30, 20, 7, 8, 0}, 30);
    is_register(SLOT_2, (struct block){1, 30, 20, 7, 8, 0}, 7);
    /* With the greater number first, both are stored as differences from 63. */
    is_register(SLOT_0, (struct block){1, 3, 20, 7, 8, 0}, 43);
    is_register(SLOT_1, (struct block){1, 3, 20, 7, 8, 0}, 60);
    /* Without slot 1 its field holds the top bit of slot 0, and the control bits. */
    is_register(SLOT_0, (struct block){0, 1 << 2 | 1, 20, 7, 8, 0}, 52);
    is_register(SLOT_0, (struct block){0, 1 << 2, 20, 7, 8, 0}, 20);
    /* Mode 0 is reserved, and so is mode 16 except in a first tuple. */
    assert_int_equal(operand_place(FMA, SLOT_0, pack_block((struct block){.reg1 = 2}), 0) >> 32,
                     GPU_PLACE_REGISTER);
    assert_int_equal(operand_place(FMA, SLOT_0, pack_block((struct block){0, 2, 0, 1, 2, 0}), 0),
                     GPU_PLACE_INVALID);
}

static const struct block plain = {1, 30, 20, 7, 8, 0};

static uint64_t fau_place(unsigned fau, unsigned selector)
{
    struct block b = plain;

    b.fau = fau;
    return operand_place(ADD, selector, pack_block(b), 0);
}

static void test_results(void **s)
{
    uint64_t b = pack_block(plain);

    (void)s;
    assert_int_equal(operand_place(FMA, STAGE, b, 0), make_place(GPU_PLACE_VALUE, 0));
    assert_int_equal(operand_place(ADD, STAGE, b, 0), make_place(GPU_PLACE_SAME, FMA));
    assert_int_equal(operand_place(ADD, PASS_FMA, b, 0), make_place(GPU_PLACE_PREVIOUS, FMA));
    assert_int_equal(operand_place(FMA, PASS_ADD, b, 0), make_place(GPU_PLACE_PREVIOUS, ADD));
    assert_int_equal(operand_place(FMA, 8, b, 0), GPU_PLACE_INVALID);
}

static void test_fast_access(void **s)
{
    static const unsigned groups[] = {4, 5, 6, 7, 2, 3};

    (void)s;
    assert_int_equal(fau_place(0x85, FAU_LOW), make_place(GPU_PLACE_UNIFORM, 10));
    assert_int_equal(fau_place(0xff, FAU_HIGH), make_place(GPU_PLACE_UNIFORM, 255));
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(fau_place(groups[i] << 4 | 9, FAU_LOW),
                         make_place(GPU_PLACE_CONSTANT, i | 9 << 8));
        assert_int_equal(fau_place(groups[i] << 4 | 9, FAU_HIGH),
                         make_place(GPU_PLACE_CONSTANT, i | 9 << 8 | 1 << 16));
    }
    assert_int_equal(fau_place(0, FAU_LOW), make_place(GPU_PLACE_VALUE, 0));
    assert_int_equal(fau_place(1, FAU_LOW), make_place(GPU_PLACE_SPECIAL, GPU_SPECIAL_LANE_ID));
    assert_int_equal(fau_place(1, FAU_HIGH), make_place(GPU_PLACE_VALUE, 0));
    assert_int_equal(fau_place(2, FAU_LOW), make_place(GPU_PLACE_SPECIAL, GPU_SPECIAL_WARP_ID));
    assert_int_equal(fau_place(3, FAU_LOW), make_place(GPU_PLACE_SPECIAL, GPU_SPECIAL_CORE_ID));
    assert_int_equal(fau_place(4, FAU_LOW),
                     make_place(GPU_PLACE_SPECIAL, GPU_SPECIAL_FRAMEBUFFER_SIZE));
    assert_int_equal(fau_place(5, FAU_LOW), make_place(GPU_PLACE_SPECIAL, GPU_SPECIAL_ATEST_DATUM));
    assert_int_equal(fau_place(6, FAU_HIGH),
                     make_place(GPU_PLACE_SPECIAL, GPU_SPECIAL_SAMPLE_POSITIONS + 1));
    assert_int_equal(fau_place(10, FAU_HIGH),
                     make_place(GPU_PLACE_SPECIAL, GPU_SPECIAL_BLEND_DESCRIPTOR + 2 * 2 + 1));
    assert_int_equal(fau_place(7, FAU_LOW), GPU_PLACE_INVALID);
    assert_int_equal(fau_place(16, FAU_LOW), GPU_PLACE_INVALID);
    assert_int_equal(fau_place(31, FAU_HIGH), GPU_PLACE_INVALID);
}

static uint32_t result_register(unsigned unit, unsigned control, unsigned reg2, unsigned reg3,
                                unsigned last)
{
    struct block block = {control, 30, 20, reg2, reg3, 0};
    struct gpu_bundle b = {.stages = 3};
    struct gpu_at at = {.stage = last ? 2 : 1, .unit = unit};
    uint64_t where;

    b.stage[last ? 0 : 2].block = pack_block(block);
    where = bifrost_isa.result_place(&b, &at, 0);
    assert_true(!where || where >> 32 == GPU_PLACE_REGISTER);
    return (uint32_t)where;
}

static void test_writes(void **s)
{
    (void)s;
    /* Mode 3: slot 3 takes all of FMA's result. Mode 5: it takes the upper half of ADD's. */
    assert_int_equal(result_register(FMA, 3, 7, 8, 0), FULL | 8);
    assert_int_equal(result_register(ADD, 3, 7, 8, 0), 0);
    assert_int_equal(result_register(ADD, 5, 7, 8, 0), HIGH | 8);
    assert_int_equal(result_register(FMA, 5, 7, 8, 0), 0);
    /* Mode 13: slot 2 takes FMA's result, slot 3 the lower half of ADD's. */
    assert_int_equal(result_register(FMA, 13, 7, 8, 0), FULL | 7);
    assert_int_equal(result_register(ADD, 13, 7, 8, 0), LOW | 8);
    /* Equal registers add 16 to the mode: 24 writes both halves of one register. */
    assert_int_equal(result_register(FMA, 8, 9, 9, 0), LOW | 9);
    assert_int_equal(result_register(ADD, 8, 9, 9, 0), HIGH | 9);
    assert_int_equal(result_register(ADD, 5, 9, 9, 0), FULL | 9);
    /* The first tuple's block holds the last tuple's writes: bit 3 of its mode stands for bit 4. */
    assert_int_equal(result_register(ADD, 13, 9, 9, 1), FULL | 9);
    assert_int_equal(result_register(FMA, 9, 9, 9, 1), FULL | 9);
    assert_int_equal(result_register(FMA, 8, 9, 9, 1), 0);
}

static void test_constants(void **s)
{
    uint64_t raw = UINT64_C(0x123456789abcdef0);
    uint64_t back = (UINT64_C(1) << 60) - 32;
    uint64_t words = UINT64_C(0x0ffffff000000040);

    (void)s;
    assert_int_equal(constant_operand(raw, 0, 5, 0, 0x1000), 0x9abcdef5);
    assert_int_equal(constant_operand(raw, 0, 5, 1, 0x1000), 0x12345678);
    /* 64 bits relative to the clause */
    assert_int_equal(constant_operand(back, 1, 0, 0, UINT64_C(0x200000000)), 0xffffffe0);
    assert_int_equal(constant_operand(back, 1, 0, 1, UINT64_C(0x200000000)), 1);
    /* Modifiers of the upper word, and of each word. */
    assert_int_equal(constant_operand(words, 2, 0, 0, 0x1000), 0x40);
    assert_int_equal(constant_operand(words, 2, 0, 1, 0x1000), 0xff0);
    assert_int_equal(constant_operand(words, 3, 0, 0, 0x1000), 0x1040);
    assert_int_equal(constant_operand(words, 3, 0, 1, 0x1000), 0xff0);
}

static void test_header(void **s)
{
    struct gpu_bundle staging = {.header = UINT64_C(45) << 18};

    (void)s;
    assert_int_equal(flags_of_header(0), GPU_BUNDLE_END);
    assert_int_equal(flags_of_header(UINT64_C(3) << 11), 0);
    assert_int_equal(flags_of_header(UINT64_C(5) << 35 | 3 << 11),
                     GPU_BUNDLE_MESSAGE + GPU_BUNDLE_SLOT);
    assert_int_equal(flags_of_header(UINT64_C(5) << 35 | UINT64_C(6) << 32 | 3 << 11),
                     GPU_BUNDLE_MESSAGE + 7 * GPU_BUNDLE_SLOT);
    assert_int_equal(flags_of_header(UINT64_C(0x85) << 24 | 3 << 11), 0x85 * GPU_BUNDLE_WAITS);
    assert_int_equal(flags_of_header(UINT64_C(5) << 40 | 3 << 11), 0);
    assert_int_equal(flags_of_header(2 << 5 | 1 << 11), GPU_BUNDLE_FLUSH);
    assert_int_equal(bifrost_isa.bundle_staging(&staging), 45);
}

static void test_preload(void **s)
{
    static const uint8_t registers[GPU_PRELOAD_COUNT] = {
        55, 56, 57, 58, 59, 60, 61, 62, 61, 62, /* compute, and vertices */
        58, 59, 57, 58, 59, 60, 61};            /* the position's address, and fragments */

    (void)s;
    for (unsigned i = 0; i < GPU_PRELOAD_COUNT; i++)
        assert_int_equal(bifrost_isa.preload(i), registers[i]);
    assert_int_equal(bifrost_isa.preload(GPU_PRELOAD_COUNT), 255);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers),   cmocka_unit_test(test_results),
        cmocka_unit_test(test_fast_access), cmocka_unit_test(test_writes),
        cmocka_unit_test(test_constants),   cmocka_unit_test(test_header),
        cmocka_unit_test(test_preload),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
