/* A toy ISA of Valhall's shape: instructions of 64 bits that are bundles by themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/bundle/bits.h"

extern const struct gpu_isa single_isa;

enum { NOP, MOV, IADD, IMAD, STORE, LOAD, BRANCH };
enum { UNIFORM = 128, NUMBER = 192, ID = 60, END = 15, THREADS = 11 };

struct op {
    unsigned opcode, dst, s2, s1, s0, imm, flow;
};

static void put_op(struct bits *b, struct op o)
{
    bits_put(b, 22, o.imm);
    bits_put(b, 8, o.s0);
    bits_put(b, 8, o.s1);
    bits_put(b, 8, o.s2);
    bits_put(b, 6, o.dst);
    bits_put(b, 8, o.opcode);
    bits_put(b, 4, o.flow);
}

static void put_store(struct bits *b, unsigned address, unsigned data, unsigned imm, unsigned flow)
{
    bits_put(b, 8, address);
    bits_put(b, 8, data);
    bits_put(b, 14, 0);
    bits_put(b, 22, imm);
    bits_put(b, 8, STORE);
    bits_put(b, 4, flow);
}

static void put_load(struct bits *b, unsigned dst, unsigned address, unsigned imm)
{
    bits_put(b, 8, address);
    bits_put(b, 16, 0);
    bits_put(b, 6, dst);
    bits_put(b, 22, imm);
    bits_put(b, 8, LOAD);
    bits_put(b, 4, 0);
}

static void put_branch(struct bits *b, unsigned condition, int offset)
{
    bits_put(b, 8, condition);
    bits_put(b, 22, 0);
    bits_put(b, 22, (unsigned)offset & 0x3fffff);
    bits_put(b, 8, BRANCH);
    bits_put(b, 4, 0);
}

/*
 * r1 = id + 1; do r2 += u1, r1 -= 1 while (r1); address = DATA + 4 id; [address] = r2 + [address +
 * 1024]
 */
static struct bits make_shader(void)
{
    struct bits b = {.at = 0};

    put_op(&b, (struct op){IADD, 1, 0, NUMBER + 1, ID, 0, 0});
    put_op(&b, (struct op){MOV, 3, 0, 0, 0, BENCH_DATA, 0});
    put_op(&b, (struct op){IMAD, 3, 3, NUMBER + 4, ID, 0, 0});
    put_op(&b, (struct op){NOP, 0, 0, 0, 0, 1, 0});
    put_op(&b, (struct op){IADD, 2, 0, UNIFORM + 1, 2, 0, 0});
    put_op(&b, (struct op){IADD, 1, 0, UNIFORM, 1, 0, 0});
    put_branch(&b, 1, -3);
    put_load(&b, 4, 3, 1024);
    put_op(&b, (struct op){IADD, 2, 0, 4, 2, 0, 0});
    put_store(&b, 3, 2, 0, END);
    return b;
}

static void shader_runs(void **state)
{
    const uint32_t uniforms[] = {UINT32_MAX, 7};
    struct bits b = make_shader();
    struct bench *bench = bits_run(&b, &single_isa, 4, THREADS, uniforms, 2);

    (void)state;
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(bench_word(bench, BENCH_DATA + 4 * i), 7 * (i + 1));
    bench_free(bench);
}

static void shader_is_disassembled(void **state)
{
    struct bits b = make_shader();
    char text[2048] = "";
    FILE *out = fmemopen(text, sizeof(text), "w");

    (void)state;
    bits_print(&b, &single_isa, out);
    fclose(out);
    assert_non_null(strstr(text, "instruction_2:\nimad r3, r60, #4, r3\n"));
    assert_non_null(strstr(text, "instruction_4:\niadd r2, r2, u1\n"));
    assert_non_null(strstr(text, "instruction_6:\nbranch r1, -3\n"));
    assert_non_null(strstr(text, "instruction_9:\nend store [r3 + 0], r2\n"));
}

/*
 * Encodings with an invalid place, bits that match no instruction, and fewer bytes than a grain are
 * invalid.
 */
static void invalid_code_is_refused(void **state)
{
    struct bits b = {.at = 0};
    struct gpu_bundle bundle;
    struct bench *bench = bench_new_isa(&single_isa, 4, 1, 4);
    struct gpu_outcome out;

    (void)state;
    put_op(&b, (struct op){IADD, 1, 0, 64, ID, 0, END});
    put_op(&b, (struct op){77, 0, 0, 0, 0, 0, END});
    assert_true(single_isa.unpack(b.byte, 8, 0, &bundle));
    assert_false(single_isa.unpack(b.byte, 7, 0, &bundle));
    for (unsigned i = 0; i < 2; i++) {
        memcpy(bench->memory + BENCH_CODE, b.byte + 8 * i, 8);
        out = bench_run(bench, 10);
        assert_int_equal(out.progress, GPU_PROGRESS_FAILED);
        assert_int_equal(out.code, GPU_JOB_INVALID_ENCODING);
    }
    bench_free(bench);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shader_runs),
        cmocka_unit_test(shader_is_disassembled),
        cmocka_unit_test(invalid_code_is_refused),
    };
    struct bits b = make_shader();

    if (argc > 1)
        return !bits_command(&b, &single_isa, argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
