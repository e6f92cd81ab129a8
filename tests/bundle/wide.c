/*
 * A toy ISA of Midgard's shape: bundles whose units a control word selects, registers of 128 bits,
 * and scalar threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/asm_text.h"
#include "runtime/gpu/stats.h"
#include "tests/bundle/bits.h"

extern const struct gpu_isa wide_isa;

enum { IADD = 1, IMUL, MOV, ISUB };
enum { SADD = 1, SLT };
enum { ST = 1, LD, NOP };
enum { XYZW = 0xe4, WZYX = 0x1b, XXXX = 0, ALL = 0xff, I16 = 1, I32 = 2 };
enum { CONSTANTS = 26, UNIFORMS = 23, SELECT = 31, LAST = 1, THREADS = 21 };

struct vec {
    unsigned op, mode, mask, out, src1, swz1, src2, swz2;
};
struct scalar {
    unsigned op, out, cd, src1, c1, src2, c2;
};

/* An arithmetic bundle; units that it does not use are NULL. */
struct alu {
    const struct vec *mul, *add;
    const struct scalar *sc;
    const int *branch;
    const uint32_t *constants;
};

static void vec_registers(struct bits *b, const struct vec *v)
{
    if (v)
        bits_put(b, 16, v->src1 | v->src2 << 5 | v->out << 10);
}

static void vec_body(struct bits *b, const struct vec *v)
{
    if (!v)
        return;
    bits_put(b, 8, v->op);
    bits_put(b, 2, v->mode);
    bits_put(b, 8, v->swz1);
    bits_put(b, 8, v->swz2);
    bits_put(b, 14, 0);
    bits_put(b, 8, v->mask);
}

static unsigned grains_of(const struct alu *a)
{
    unsigned bits =
        32 + (a->mul ? 64 : 0) + (a->add ? 64 : 0) + (a->sc ? 48 : 0) + (a->branch ? 16 : 0);

    return (bits + 127) / 128 + (a->constants ? 1 : 0);
}

static void put_alu(struct bits *b, struct alu a, unsigned next)
{
    bits_put(b, 4, 8 + grains_of(&a) - 1);
    bits_put(b, 4, next);
    bits_put(b, 8, 0);
    bits_put(b, 4, (a.mul ? 1 : 0) | (a.sc ? 2 : 0) | (a.add ? 4 : 0) | (a.branch ? 8 : 0));
    bits_put(b, 12, 0);
    vec_registers(b, a.mul);
    if (a.sc)
        bits_put(b, 16, a.sc->src1 | a.sc->src2 << 5 | a.sc->out << 10);
    vec_registers(b, a.add);
    vec_body(b, a.mul);
    if (a.sc)
        bits_put(b, 32, a.sc->cd << 6 | a.sc->c1 << 8 | a.sc->c2 << 10 | a.sc->op << 24);
    vec_body(b, a.add);
    if (a.branch)
        bits_put(b, 16, ((unsigned)*a.branch & 0x7ff) | 8u << 11);
    bits_align(b, 128);
    for (unsigned i = 0; a.constants && i < 4; i++)
        bits_put(b, 32, a.constants[i]);
}

static void memory_word(struct bits *b, unsigned op, unsigned reg, unsigned mask, unsigned imm)
{
    bits_put(b, 16, imm);
    bits_put(b, 22, 0);
    bits_put(b, 5, 9); /* address register r9.x */
    bits_put(b, 5, reg);
    bits_put(b, 4, mask);
    bits_put(b, 8, op);
}

struct memory_op {
    unsigned op, reg, mask, imm;
};

static void put_memory_pair(struct bits *b, struct memory_op first, struct memory_op second,
                            unsigned next)
{
    bits_put(b, 8, 5 | next << 4);
    memory_word(b, first.op, first.reg, first.mask, first.imm);
    memory_word(b, second.op, second.reg, second.mask, second.imm);
}

static const uint32_t constants[] = {1, 20, 300, 4000};
static const uint32_t stride[] = {128, BENCH_DATA, 0x10001, 0};

static struct bits make_shader(void)
{
    struct bits b = {.at = 0};
    const int back = -3; /* distance in grains */

    /* r9.x = 128 id + DATA, in two stages; r12.x = id + id in the same bundle */
    put_alu(&b,
            (struct alu){
                .mul = &(struct vec){IMUL, I32, 0x03, 9, 0, XXXX, CONSTANTS, XYZW},
                .sc = &(struct scalar){SADD, 12, 0, 0, 0, 0, 0},
                .add = &(struct vec){IADD, I32, 0x03, 9, 9, XYZW, CONSTANTS, 1},
                .constants = stride,
            },
            8);
    /* r1 = id * constants; r2 = r1 + constants */
    put_alu(&b,
            (struct alu){
                .mul = &(struct vec){IMUL, I32, ALL, 1, 0, XXXX, CONSTANTS, XYZW},
                .add = &(struct vec){IADD, I32, ALL, 2, 1, XYZW, CONSTANTS, XYZW},
                .constants = constants,
            },
            8);
    /*
     * r1 = r1.wzyx in place; in the same stage r3.x reads the old r1.x, in the next r4 reads the
     * new r1
     */
    put_alu(&b,
            (struct alu){
                .mul = &(struct vec){MOV, I32, ALL, 1, 1, WZYX, 0, 0},
                .sc = &(struct scalar){SADD, 3, 0, 1, 0, 20, 0},
                .add = &(struct vec){MOV, I32, 0x0c, 4, 1, XYZW, 0, 0},
            },
            8);
    /*
     * Half registers: only r5.x's upper and r5.z's lower half are written, with uniforms plus
     * 0x10001.
     */
    put_alu(&b,
            (struct alu){
                .mul = &(struct vec){IADD, I16, 0x12, 5, UNIFORMS, XXXX, CONSTANTS, 0xaa},
                .constants = stride,
            },
            8);
    /*
     * do r6.x += uniform.y, r7.x += uniform.y while (r7.x < id): threads differ in their number of
     * rounds
     */
    put_alu(&b,
            (struct alu){
                .mul = &(struct vec){IADD, I32, 0x03, 6, 6, XYZW, UNIFORMS, 0x55},
                .add = &(struct vec){IADD, I32, 0x03, 7, 7, XYZW, UNIFORMS, 0x55},
            },
            8);
    put_alu(&b, (struct alu){.sc = &(struct scalar){SLT, SELECT, 3, 7, 0, 0, 0}, .branch = &back},
            5);
    put_memory_pair(&b, (struct memory_op){ST, 1, 15, 0}, (struct memory_op){ST, 2, 15, 16}, 5);
    put_memory_pair(&b, (struct memory_op){ST, 3, 1, 32}, (struct memory_op){ST, 4, 2, 32}, 5);
    put_memory_pair(&b, (struct memory_op){ST, 5, 15, 48}, (struct memory_op){ST, 6, 1, 64}, 5);
    put_memory_pair(&b, (struct memory_op){LD, 8, 5, 64}, (struct memory_op){NOP, 0, 0, 0}, 5);
    put_memory_pair(&b, (struct memory_op){ST, 8, 15, 80}, (struct memory_op){ST, 12, 1, 96}, LAST);
    return b;
}

static const uint32_t uniforms[] = {0x00050006, 3};

static void check_thread(const struct bench *b, unsigned id)
{
    uint32_t at = BENCH_DATA + 128 * id, times = id ? (id + 2) / 3 : 1;

    for (unsigned k = 0; k < 4; k++) {
        assert_int_equal(bench_word(b, at + 4 * k), id * constants[3 - k]);
        assert_int_equal(bench_word(b, at + 16 + 4 * k), id * constants[k] + constants[k]);
    }
    assert_int_equal(bench_word(b, at + 32), id * constants[0]);
    assert_int_equal(bench_word(b, at + 36), id * constants[2]);
    assert_int_equal(bench_word(b, at + 48), 0x00060000);
    assert_int_equal(bench_word(b, at + 52), 0);
    assert_int_equal(bench_word(b, at + 56), 7);
    assert_int_equal(bench_word(b, at + 60), 0);
    assert_int_equal(bench_word(b, at + 64), 3 * times);
    assert_int_equal(bench_word(b, at + 80), 3 * times);
    assert_int_equal(bench_word(b, at + 96), 2 * id);
}

/* Runs the shader in warps, and as scalar threads, none of which counts as a warp. */
static void shader_runs(void **state)
{
    struct bits b = make_shader();

    (void)state;
    for (unsigned lanes = 1; lanes <= 8; lanes += 7) {
        struct bench *bench = bits_run(&b, &wide_isa, lanes, THREADS, uniforms, 2);
        const struct gpu_counters *c = gpu_stats_total(gpu_cores_stats(bench->cores));

        for (unsigned id = 0; id < THREADS; id++)
            check_thread(bench, id);
        assert_int_equal(c->warps, lanes == 1 ? THREADS : 3);
        assert_int_equal(!c->divergent_branches, lanes == 1);
        bench_free(bench);
    }
}

/* Ends the code with a store of r10.x, and makes the bench's cores anew from its variant. */
static void store_and_end(struct bits *b, struct bench *bench)
{
    put_alu(b,
            (struct alu){
                .add = &(struct vec){MOV, I32, 0x03, 9, CONSTANTS, 0x55, 0, 0},
                .constants = stride,
            },
            5);
    put_memory_pair(b, (struct memory_op){ST, 10, 1, 0}, (struct memory_op){NOP, 0, 0, 0}, LAST);
    memcpy(bench->memory + BENCH_CODE, b->byte, b->at / 8);
    gpu_cores_free(bench->cores);
    bench->cores = gpu_cores_new(&bench->variant, &wide_isa, 1);
}

/* r11.x = 20, r10.x = 300. Returns r10.x as a store reads it. */
static uint32_t run_store(uint32_t traits)
{
    struct bits b = {.at = 0};
    struct bench *bench = bench_new_isa(&wide_isa, 1, 1, 1);
    uint32_t v;

    put_alu(&b,
            (struct alu){
                .mul = &(struct vec){MOV, I32, 0x03, 11, CONSTANTS, 0x55, 0, 0},
                .add = &(struct vec){MOV, I32, 0x03, 10, CONSTANTS, 0xaa, 0, 0},
                .constants = constants,
            },
            8);
    bench->variant.traits = traits;
    store_and_end(&b, bench);
    assert_int_equal(bench_run(bench, 100).progress, GPU_PROGRESS_DONE);
    v = bench_word(bench, BENCH_DATA);
    bench_free(bench);
    return v;
}

/* Register places may differ between GPUs of one ISA. */
static void traits_choose_places(void **state)
{
    (void)state;
    assert_int_equal(run_store(0), 300);
    assert_int_equal(run_store(1), 20);
}

/* r10.x = 300 - 20, by an instruction that requires a feature. */
static struct gpu_outcome run_subtract(struct bench *bench, const char *features)
{
    struct bits b = {.at = 0};

    put_alu(&b,
            (struct alu){
                .add = &(struct vec){ISUB, I32, 0x03, 10, CONSTANTS, 0xaa, CONSTANTS, 0x55},
                .constants = constants,
            },
            8);
    bench->variant.features = features;
    store_and_end(&b, bench);
    return bench_run(bench, 100);
}

/*
 * A GPU executes instructions whose features it has; another one refuses them and names the
 * feature.
 */
static void features_are_required(void **state)
{
    static const struct {
        const char *features;
        bool has;
    } gpus[] = {{"SUBTRACTS", true}, {"MULTIPLIES SUBTRACTS", true}, {"MULTIPLIES", false},
                {"SUBTRACT", false}, {"SUBTRACTSX", false},          {NULL, false}};

    (void)state;
    for (size_t i = 0; i < sizeof(gpus) / sizeof(gpus[0]); i++) {
        struct bench *bench = bench_new_isa(&wide_isa, 1, 1, 1);
        struct gpu_outcome o = run_subtract(bench, gpus[i].features);

        if (gpus[i].has) {
            assert_int_equal(o.progress, GPU_PROGRESS_DONE);
            assert_int_equal(bench_word(bench, BENCH_DATA), 280);
        } else {
            assert_int_equal(o.progress, GPU_PROGRESS_FAILED);
            assert_non_null(o.refused);
            assert_non_null(strstr(o.refused, "requires the feature SUBTRACTS, at "));
        }
        bench_free(bench);
    }
}

static void shader_is_disassembled(void **state)
{
    struct bits b = make_shader();
    char text[4096] = "";
    FILE *out = fmemopen(text, sizeof(text), "w");

    (void)state;
    bits_print(&b, &wide_isa, out);
    fclose(out);
    assert_non_null(strstr(text, "word_0:\nmul.imul.i32 r9:0x3, r0:0x0, r26:0xe4\n"
                                 "sc.sadd r12.0, r0.0, r0.0\n"
                                 "add.iadd.i32 r9:0x3, r9:0xe4, r26:0x1\n"
                                 "constants 2: 0x1000000000080, 0x10001\n\n"));
    assert_non_null(strstr(text, "sc.slt r31.3, r7.0, r0.0\nbr.cond -3 -> 8\nback\n\n"));
    assert_non_null(strstr(text, "\nld r8:0x5, [r9.0 + 64]\n\n"));
    assert_non_null(strstr(text, "\nst r12:0x1, [r9.0 + 96]\nend\n\n"));
    assert_null(strstr(text, "nop"));
}

/* The number of a job's uniforms decides which registers are uniforms. */
static void reads_uniforms(void **state)
{
    struct bits b = {.at = 0};
    char text[256];

    (void)state;
    put_alu(&b, (struct alu){.mul = &(struct vec){MOV, I32, ALL, 1, 22, XYZW, 0, 0}}, LAST);
    for (unsigned words = 4; words <= 8; words++) {
        struct asm_out out = {.text = text, .size = sizeof(text)};

        assert_int_equal(wide_isa.disasm_bundle(b.byte, b.at / 8, 0, words, &out), b.at / 8);
        assert_non_null(strstr(text, words > 4 ? ", u1:0xe4\n" : ", r22:0xe4\n"));
    }
}

/* Code that is cut off, or whose pieces do not fit in its stated length, is invalid. */
static void invalid_code_is_refused(void **state)
{
    struct bits b = make_shader();
    struct gpu_bundle bundle;

    (void)state;
    assert_true(wide_isa.unpack(b.byte, 48, 0, &bundle));
    assert_int_equal(bundle.bytes, 48);
    assert_int_equal(bundle.stages, 2);
    assert_int_equal(bundle.constants, 2);
    assert_int_equal(bundle.stage[0].present, 3);
    assert_int_equal(bundle.stage[1].present, 4);
    assert_false(wide_isa.unpack(b.byte, 47, 0, &bundle));
    b.byte[0] &= 0xfc; /* claims a length of one grain */
    assert_false(wide_isa.unpack(b.byte, 48, 0, &bundle));
    b.byte[0] = 0x0f; /* a tag that no bundle has */
    assert_false(wide_isa.unpack(b.byte, 64, 0, &bundle));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shader_runs),           cmocka_unit_test(traits_choose_places),
        cmocka_unit_test(features_are_required), cmocka_unit_test(shader_is_disassembled),
        cmocka_unit_test(reads_uniforms),        cmocka_unit_test(invalid_code_is_refused),
    };
    struct bits b = make_shader();

    if (argc > 1)
        return !bits_command(&b, &wide_isa, argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
