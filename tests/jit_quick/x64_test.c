/*
 * The assembler at the end of its buffer, and the distances of its branches. x64_listing tests the
 * instructions themselves.
 */
#include "runtime/jit/quick/x64/assemble.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 512, UNTOUCHED = 0xa5, MAX_INSNS = 64 };

/* Assembles one instruction of each shape. Returns their number, and in `ends` where each ends. */
static unsigned some_of_everything(struct q_buffer *x, size_t ends[MAX_INSNS])
{
    unsigned n = 0;
#define ONE(call) ((call), ends[n++] = (size_t)(x->at - x->start))
    ONE(x64_mov_rr(x, 64, RAX, R15));
    ONE(x64_mov_ri(x, R9, 0x123456789abcdef0));
    ONE(x64_store_i(x, 64, x64_at_index(RSP, R12, 3, 0x1000), -1));
    ONE(x64_push(x, RBX));
    ONE(x64_alu_ri(x, X64_ADD, 16, RAX, 0x1234));
    ONE(x64_cqo(x, 64));
    ONE(x64_shift_rrr(x, X64_SHL, 64, RAX, RCX, RDX));
    ONE(x64_jmp_to(x, x->start));
    ONE(x64_jcc_to(x, CC_E, x->start));
    ONE(x64_patch(x64_call(x), x->start, x->write));
    ONE(x64_v_rrri(x, X64_VOP(1, 3, 0, 0x0f), 1, 2, 3, 4));
    ONE(x64_vstore(x, 128, x64_at(RBP, 0), 15));
    ONE(x64_nop(x, 9));
    ONE(x64_ud2(x));
    ONE(x64_ldmxcsr(x, x64_at(RSP, -8)));
    ONE(x64_ret(x));
#undef ONE
    return n;
}

static void test_full(void **state)
{
    (void)state;
    static uint8_t whole[ROOM], buffer[ROOM];
    size_t whole_ends[MAX_INSNS], ends[MAX_INSNS];
    struct q_buffer x = {whole, whole, whole + ROOM, 0, false, 0, NULL};
    unsigned n = some_of_everything(&x, whole_ends);
    assert_false(x.full);
    size_t total = whole_ends[n - 1];
    for (size_t room = 0; room <= total; room++) {
        memset(buffer, UNTOUCHED, ROOM);
        x = (struct q_buffer){buffer, buffer, buffer + room, 0, false, 0, NULL};
        some_of_everything(&x, ends);
        assert_int_equal(x.full, room < total);
        /* Whole instructions up to the first that did not fit, and nothing after it. */
        size_t fits = 0;
        for (unsigned i = 0; i < n && whole_ends[i] <= room; i++)
            fits = whole_ends[i];
        assert_int_equal(x.at - buffer, fits);
        assert_memory_equal(buffer, whole, fits);
        for (size_t i = fits; i < ROOM; i++)
            assert_int_equal(buffer[i], UNTOUCHED);
    }
}

static void test_bind(void **state)
{
    (void)state;
    uint8_t buffer[ROOM];
    struct q_buffer x = {buffer, buffer, buffer + sizeof(buffer), 0, false, 0, NULL};
    uint8_t *distance = x64_jmp(&x);
    assert_ptr_equal(distance, buffer + 1);
    assert_memory_equal(distance, ((uint8_t[]){0, 0, 0, 0}), 4);
    x64_patch(distance, buffer, 0);
    assert_memory_equal(distance, ((uint8_t[]){0xfb, 0xff, 0xff, 0xff}), 4);
    x64_patch(distance, buffer + 0x105, 0);
    assert_memory_equal(distance, ((uint8_t[]){0x00, 0x01, 0x00, 0x00}), 4);
    assert_ptr_equal(x64_jcc(&x, CC_E), buffer + 5 + 2);
    assert_ptr_equal(x64_call(&x), buffer + 11 + 1);
}

/* Code that runs at another address than the one where it is written. */
static void test_two_places(void **state)
{
    (void)state;
    static uint8_t here[ROOM], two[2 * ROOM];
    size_t ends[MAX_INSNS];
    struct q_buffer x = {here, here, here + ROOM, 0, false, 0, NULL};
    unsigned n = some_of_everything(&x, ends);
    memset(two, UNTOUCHED, ROOM);
    x = (struct q_buffer){two, two, two + ROOM, ROOM, false, 0, NULL};
    some_of_everything(&x, ends);
    assert_memory_equal(two + ROOM, here, ends[n - 1]);
    x.at = x.start;
    uint8_t *distance = x64_jmp(&x);
    x64_bind(&x, distance);
    assert_memory_equal(distance + ROOM, ((uint8_t[]){0, 0, 0, 0}), 4);
    x64_patch(distance, two, ROOM);
    assert_memory_equal(distance + ROOM, ((uint8_t[]){0xfb, 0xff, 0xff, 0xff}), 4);
    for (size_t i = 0; i < ROOM; i++)
        assert_int_equal(two[i], UNTOUCHED);
}

static void test_no_room_for_branch(void **state)
{
    (void)state;
    uint8_t buffer[4];
    struct q_buffer x = {buffer, buffer, buffer + sizeof(buffer), 0, false, 0, NULL};
    assert_null(x64_jmp(&x));
    assert_null(x64_jcc(&x, CC_E));
    assert_null(x64_call(&x));
    assert_true(x.full);
    x64_patch(NULL, buffer, 0);
    x64_bind(&x, NULL);
}

/* Code that reads two constants of the pool, one of them twice. */
static void test_pool(void **state)
{
    (void)state;
    static const struct q_pooled want[] = {{{1, 2}}, {{3, 4}}};
    static _Alignas(16) uint8_t buffer[ROOM];
    struct q_pool pool = {0};
    struct q_buffer x = {buffer, buffer, buffer + ROOM, 0, false, 0, &pool};
    struct x64_mem m;

    assert_true(x64_pooled(&x, 1, 2, &m));
    x64_vload(&x, 128, 3, m);
    assert_true(x64_pooled(&x, 3, 4, &m));
    x64_v_rrmi(&x, X64_VOP(1, 3, 0, 0x0f), 4, 5, m, 7); /* VPALIGNR: a byte behind the distance */
    assert_true(x64_pooled(&x, 1, 2, &m));
    x64_vload(&x, 128, 9, m);
    x64_emit_pool(&x);
    assert_false(x.full);
    assert_int_equal(pool.constants.len, 2);
    assert_int_equal(pool.uses.len, 3);
    assert_int_equal((x.at - buffer) % 16, 0);
    assert_memory_equal(x.at - sizeof(want), want, sizeof(want));
    for (unsigned n = 0; n < 3; n++) {
        const struct q_pool_use *use = &pool.uses.data[n];
        int32_t distance;

        memcpy(&distance, use->distance, sizeof(distance));
        assert_memory_equal(use->end + distance, &want[n == 1], sizeof(want[0]));
        assert_int_equal(use->end - use->distance, n == 1 ? 5 : 4);
    }
    x.end = x.at; /* another pool does not fit */
    x64_emit_pool(&x);
    assert_true(x.full);
    vec_free(&pool.constants);
    vec_free(&pool.uses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_pool),
        cmocka_unit_test(test_bind),
        cmocka_unit_test(test_two_places),
        cmocka_unit_test(test_no_room_for_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
