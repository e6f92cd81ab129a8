/*
 * Machine code of the AArch64 host's assembler and its text, for a referee: one line per
 * instruction, with its word and the text that GNU as must assemble to that word.
 * a64_listing.py compares them. It runs on any host.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/jit/quick/a64/assemble.h"

static uint8_t code[4096];
static struct q_buffer x;

/* Prints the words since the last call, each with a line of the text. */
__attribute__((format(printf, 1, 2))) static void expect(const char *format, ...)
{
    char text[256], *rest = text, *line;
    const uint8_t *at = code;
    uint32_t word;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    while ((line = strsep(&rest, "\n")) != NULL) {
        if (at == x.at) {
            fprintf(stderr, "nothing for %s\n", line);
            exit(1);
        }
        memcpy(&word, at, sizeof(word));
        printf("%08" PRIx32 " %s\n", word, line);
        at += sizeof(word);
    }
    if (at != x.at || x.full) {
        fprintf(stderr, "more than %s\n", text);
        exit(1);
    }
    x.at = code;
}

static char letter(unsigned bits)
{
    return bits == 64 ? 'x' : 'w';
}

/* ---- integers -------------------------------------------------------------------------------- */

static void list_registers(unsigned bits)
{
    static const struct {
        uint32_t op;
        const char *name;
    } three[] = {{A64_ADD, "add"},  {A64_SUB, "sub"},   {A64_SUBS, "subs"}, {A64_AND, "and"},
                 {A64_ORR, "orr"},  {A64_EOR, "eor"},   {A64_ANDS, "ands"}, {A64_BIC, "bic"},
                 {A64_ORN, "orn"},  {A64_UDIV, "udiv"}, {A64_SDIV, "sdiv"}, {A64_LSLV, "lsl"},
                 {A64_LSRV, "lsr"}, {A64_ASRV, "asr"},  {A64_RORV, "ror"}},
      two[] = {{A64_RBIT, "rbit"}, {A64_CLZ, "clz"}},
      chosen[] = {{A64_CSEL, "csel"}, {A64_CSINC, "csinc"}, {A64_CSNEG, "csneg"}};
    const char r = letter(bits);

    for (unsigned n = 0; n < ARRAY_SIZE(three); n++) {
        a64_rrr(&x, three[n].op, bits, 3, 30, 17);
        expect("%s %c3, %c30, %c17", three[n].name, r, r, r);
    }
    for (unsigned n = 0; n < ARRAY_SIZE(two); n++) {
        a64_rr(&x, two[n].op, bits, 9, 28);
        expect("%s %c9, %c28", two[n].name, r, r);
    }
    for (unsigned n = 0; n < ARRAY_SIZE(chosen); n++) {
        a64_rrr(&x, a64_if(chosen[n].op, A64_GT), bits, 1, 2, 3);
        expect("%s %c1, %c2, %c3, gt", chosen[n].name, r, r, r);
    }
    a64_rrr(&x, a64_shifted(A64_ADD, 5), bits, 1, 2, 3);
    expect("add %c1, %c2, %c3, lsl #5", r, r, r);
    a64_rrr(&x, a64_third(A64_MADD, 31), bits, 1, 2, 3);
    expect("mul %c1, %c2, %c3", r, r, r);
    a64_rrr(&x, a64_third(A64_MSUB, 4), bits, 1, 2, 3);
    expect("msub %c1, %c2, %c3, %c4", r, r, r, r);
    a64_rr(&x, bits == 64 ? A64_REV64 : A64_REV32, bits, 1, 2);
    expect("rev %c1, %c2", r, r);
    a64_mov(&x, bits, 1, 2);
    expect("mov %c1, %c2", r, r);
    for (unsigned amount = 0; amount < bits; amount++) {
        a64_lsl_i(&x, bits, 1, 2, amount);
        expect("lsl %c1, %c2, #%u", r, r, amount);
        a64_field(&x, A64_UBFM, bits, 1, 2, A64_RANGE(amount, bits - amount));
        expect("lsr %c1, %c2, #%u", r, r, amount);
        a64_field(&x, A64_SBFM, bits, 1, 2, A64_RANGE(amount, bits - amount));
        expect("asr %c1, %c2, #%u", r, r, amount);
        a64_ror_i(&x, bits, 1, 2, amount);
        expect("ror %c1, %c2, #%u", r, r, amount);
        a64_field(&x, A64_UBFM, bits, 1, 2, A64_RANGE(amount, 1));
        expect("ubfx %c1, %c2, #%u, #1", r, r, amount);
    }
}

static void list_immediates(unsigned bits)
{
    static const uint32_t some[] = {0, 1, 8, 0xfff, 0x1000, 0xfff000};
    const char r = letter(bits);

    for (unsigned n = 0; n < ARRAY_SIZE(some); n++) {
        a64_arith_i(&x, A64_ADD_I, bits, 1, 2, some[n]);
        expect("add %c1, %c2, #%u", r, r, some[n]);
        a64_arith_i(&x, A64_SUBS_I, bits, 31, 2, some[n]);
        expect("cmp %c2, #%u", r, some[n]);
        a64_arith_i(&x, A64_ADDS_I, bits, 31, 2, some[n]);
        expect("cmn %c2, #%u", r, some[n]);
    }
    a64_cset(&x, 5, A64_HI);
    expect("cset w5, hi");
}

/* A run of `ones` in each part of `width` bits, turned right. */
static uint64_t pattern(unsigned bits, unsigned width, unsigned ones, unsigned turn)
{
    uint64_t v = 0;

    for (unsigned at = 0; at < bits; at++) {
        if ((at + turn) % width < ones)
            v |= UINT64_C(1) << at;
    }
    return v;
}

/* All patterns that instructions have, and some numbers that they have not. */
static void list_patterns(unsigned bits)
{
    static const uint64_t others[] = {0, ~UINT64_C(0), 0x1234, 0x5a5a5a5a5a5a5a5a, 0x100000002000};
    const char r = letter(bits);

    for (unsigned width = 2; width <= bits; width *= 2) {
        for (unsigned ones = 1; ones < width; ones++) {
            for (unsigned turn = 0; turn < width; turn++) {
                uint64_t v = pattern(bits, width, ones, turn);

                if (!a64_logic_i(&x, A64_AND_I, bits, 1, 2, v))
                    exit(1);
                expect("and %c1, %c2, #%#" PRIx64, r, r, v);
            }
        }
    }
    for (unsigned n = 0; n < ARRAY_SIZE(others); n++) {
        if (bits == 64 && a64_logic_i(&x, A64_AND_I, bits, 1, 2, others[n]))
            exit(1);
    }
}

/* Moves that are one instruction, and one of several. */
static void list_constants(void)
{
    static const uint64_t one[] = {0,
                                   1,
                                   0xffff,
                                   0x10000,
                                   0xffff0000,
                                   ~UINT64_C(0),
                                   0xffffffffffff1234,
                                   0x5555555555555555,
                                   0xffff000000000000,
                                   0xffffffff};

    for (unsigned n = 0; n < ARRAY_SIZE(one); n++) {
        a64_mov_i(&x, 1, one[n]);
        expect("mov x1, #%#" PRIx64, one[n]);
    }
    a64_mov_i(&x, 1, 0x123456789abc);
    expect("movz x1, #0x9abc\nmovk x1, #0x5678, lsl #16\nmovk x1, #0x1234, lsl #32");
    a64_mov_i(&x, 1, 0xffff1234ffff5678);
    expect("movn x1, #0xa987\nmovk x1, #0x1234, lsl #32");
    a64_add_i(&x, 1, 2, 0x123456, 17);
    expect("add x1, x2, #0x123000\nadd x1, x1, #0x456");
    a64_add_i(&x, 1, 31, -0x56, 17);
    expect("sub x1, sp, #0x56");
    a64_add_i(&x, 1, 2, 0x1000000, 17);
    expect("mov x17, #0x1000000\nadd x1, x2, x17");
}

/* ---- memory and jumps ------------------------------------------------------------------------ */

static const char *register_of(unsigned bits, bool vector)
{
    static char text[8];
    static const char vectors[] = "bhsdq";

    snprintf(text, sizeof(text), "%c9",
             vector ? vectors[__builtin_ctz(bits / 8)] : letter(bits == 64 ? 64 : 32));
    return text;
}

static void list_accesses(unsigned bits, bool vector)
{
    static const char *const suffixes[] = {"b", "h", "", "", ""};
    const char *suffix = vector ? "" : suffixes[__builtin_ctz(bits / 8)], *r;
    const int32_t bytes = (int32_t)bits / 8, offsets[] = {0, bytes, 4095 * bytes, -1, -256, 255};
    void (*load)(struct q_buffer *, unsigned, unsigned, struct a64_mem) =
        vector ? a64_vload : a64_load;
    void (*store)(struct q_buffer *, unsigned, struct a64_mem, unsigned) =
        vector ? a64_vstore : a64_store;

    r = register_of(bits, vector);
    for (unsigned n = 0; n < ARRAY_SIZE(offsets); n++) {
        bool scaled = offsets[n] >= 0 && offsets[n] % bytes == 0;

        load(&x, bits, 9, a64_at(31, offsets[n]));
        expect("ld%sr%s %s, [sp, #%d]", scaled ? "" : "u", suffix, r, offsets[n]);
        store(&x, bits, a64_at(3, offsets[n]), 9);
        expect("st%sr%s %s, [x3, #%d]", scaled ? "" : "u", suffix, r, offsets[n]);
    }
    load(&x, bits, 9, a64_at_index(26, 4));
    expect("ldr%s %s, [x26, x4]", suffix, r);
    store(&x, bits, a64_at(28, 0x345000 + bytes), 9);
    expect("add x17, x28, #0x345000\nstr%s %s, [x17, #%d]", suffix, r, bytes);
    load(&x, bits, 9, a64_at(28, -0x2000));
    expect("sub x17, x28, #0x2000\nldr%s %s, [x17]", suffix, r);
}

static void list_jumps(void)
{
    uint8_t *jump = a64_b_if(&x, A64_LS), *forward = a64_b(&x);

    a64_patch(a64_b(&x), code, 0);
    a64_patch(a64_bl(&x), code, 0);
    a64_patch(a64_cbz(&x, 64, 5), code, 0);
    a64_bind(&x, jump);
    a64_br(&x, 16);
    a64_bind(&x, forward);
    a64_blr(&x, 17);
    a64_ret(&x);
    expect("b.ls .+20\nb .+20\nb .-8\nbl .-12\ncbz x5, .-16\nbr x16\nblr x17\nret");
    a64_get_system(&x, A64_FPSR, 15);
    a64_set_system(&x, A64_FPSR, A64_ZERO);
    a64_set_system(&x, A64_FPCR, 16);
    expect("mrs x15, fpsr\nmsr fpsr, xzr\nmsr fpcr, x16");
}

/* ---- vectors and floats ---------------------------------------------------------------------- */

static void list_vectors(unsigned class)
{
    static const struct {
        uint32_t op;
        const char *name;
        unsigned classes;
    } three[] = {{A64_VADD, "add", 4},  {A64_VSUB, "sub", 4},  {A64_VMUL, "mul", 3},
                 {A64_CMEQ, "cmeq", 4}, {A64_CMGT, "cmgt", 4}, {A64_CMGE, "cmge", 4},
                 {A64_CMHI, "cmhi", 4}, {A64_CMHS, "cmhs", 4}, {A64_SMAX, "smax", 3},
                 {A64_SMIN, "smin", 3}, {A64_UMAX, "umax", 3}, {A64_UMIN, "umin", 3},
                 {A64_SSHL, "sshl", 4}, {A64_USHL, "ushl", 4}, {A64_VAND, "and", 1},
                 {A64_VBIC, "bic", 1},  {A64_VORR, "orr", 1},  {A64_VEOR, "eor", 1},
                 {A64_BSL, "bsl", 1},   {A64_SABD, "sabd", 3}, {A64_UABD, "uabd", 3},
                 {A64_UZP1, "uzp1", 4}},
      two[] = {{A64_VABS, "abs", 4}, {A64_VNEG, "neg", 4}, {A64_VNOT, "not", 1}};
    static const char *const shapes[] = {"16b", "8h", "4s", "2d"}, *const lanes = "bhsd",
                             *const narrow[] = {"8b", "4h", "2s"};
    const char *shape = shapes[class], lane = lanes[class];
    unsigned bits = 8u << class, last = 128 / bits - 1;
    const char r = letter(bits == 64 ? 64 : 32);

    for (unsigned n = 0; n < ARRAY_SIZE(three); n++) {
        if (class >= three[n].classes)
            continue;
        a64_vvv(&x, three[n].op, class, 1, 20, 30);
        expect("%s v1.%s, v20.%s, v30.%s", three[n].name, shape, shape, shape);
    }
    for (unsigned n = 0; n < ARRAY_SIZE(two); n++) {
        if (class >= two[n].classes)
            continue;
        a64_vv(&x, two[n].op, class, 1, 20);
        expect("%s v1.%s, v20.%s", two[n].name, shape, shape);
    }
    a64_vv(&x, A64_CMEQ_0, class, 1, 2);
    expect("cmeq v1.%s, v2.%s, #0", shape, shape);
    for (unsigned by = 0; by < bits; by++) {
        a64_vshl_i(&x, A64_VSHL, bits, 1, 2, by);
        expect("shl v1.%s, v2.%s, #%u", shape, shape, by);
        a64_vshr_i(&x, A64_SSHR, bits, 1, 2, by + 1);
        expect("sshr v1.%s, v2.%s, #%u", shape, shape, by + 1);
        a64_vshr_i(&x, A64_USHR, bits, 1, 2, by + 1);
        expect("ushr v1.%s, v2.%s, #%u", shape, shape, by + 1);
    }
    a64_dup(&x, class, 1, 2);
    expect("dup v1.%s, %c2", shape, r);
    a64_dup_lane(&x, class, 1, 2, last);
    expect("dup v1.%s, v2.%c[%u]", shape, lane, last);
    a64_insert(&x, class, 1, last, 2);
    expect("ins v1.%c[%u], %c2", lane, last, r);
    a64_insert_low(&x, class, 1, last, 2);
    expect("ins v1.%c[%u], v2.%c[0]", lane, last, lane);
    a64_extract(&x, class, 1, 2, last);
    expect("umov %c1, v2.%c[%u]", r, lane, last);
    if (class == 3)
        return;
    a64_vv(&x, A64_XTN, class, 1, 2);
    expect("xtn v1.%s, v2.%s", narrow[class], shapes[class + 1]);
    a64_vv(&x, A64_SQXTN, class, 1, 2);
    expect("sqxtn v1.%s, v2.%s", narrow[class], shapes[class + 1]);
    a64_vv(&x, A64_SQXTUN, class, 1, 2);
    expect("sqxtun v1.%s, v2.%s", narrow[class], shapes[class + 1]);
    a64_vshl_i(&x, A64_SSHLL, bits, 1, 2, 0);
    expect("sshll v1.%s, v2.%s, #0", shapes[class + 1], narrow[class]);
    a64_vshl_i(&x, A64_USHLL, bits, 1, 2, 0);
    expect("ushll v1.%s, v2.%s, #0", shapes[class + 1], narrow[class]);
}

static void list_floats(unsigned bits)
{
    static const struct {
        uint32_t scalar, vector;
        const char *name;
    } three[] = {{A64_FADD_S, A64_FADD, "fadd"}, {A64_FSUB_S, A64_FSUB, "fsub"},
                 {A64_FMUL_S, A64_FMUL, "fmul"}, {A64_FDIV_S, A64_FDIV, "fdiv"},
                 {A64_FMIN_S, A64_FMIN, "fmin"}, {A64_FMAX_S, A64_FMAX, "fmax"},
                 {0, A64_FMLA, "fmla"},          {0, A64_FMLS, "fmls"},
                 {0, A64_FCMEQ, "fcmeq"},        {0, A64_FCMGE, "fcmge"},
                 {0, A64_FCMGT, "fcmgt"}},
      two[] = {{A64_FNEG_S, A64_VFNEG, "fneg"},
               {A64_FABS_S, A64_VFABS, "fabs"},
               {A64_FSQRT_S, A64_VFSQRT, "fsqrt"},
               {A64_FRINTN_S, A64_VFRINTN, "frintn"},
               {A64_FRINTP_S, A64_VFRINTP, "frintp"},
               {A64_FRINTM_S, A64_VFRINTM, "frintm"},
               {A64_FRINTZ_S, A64_VFRINTZ, "frintz"},
               {0, A64_VSCVTF, "scvtf"},
               {0, A64_VUCVTF, "ucvtf"},
               {0, A64_VFCVTZS, "fcvtzs"},
               {0, A64_VFCVTZU, "fcvtzu"}},
      ints[] = {{A64_FCVTZS, 0, "fcvtzs"}, {A64_FCVTZU, 0, "fcvtzu"}},
      back[] = {{A64_SCVTF, 0, "scvtf"}, {A64_UCVTF, 0, "ucvtf"}};
    const char *shape = bits == 64 ? "2d" : "4s", f = bits == 64 ? 'd' : 's';

    for (unsigned n = 0; n < ARRAY_SIZE(three); n++) {
        a64_vvv(&x, three[n].vector, bits == 64, 1, 2, 3);
        expect("%s v1.%s, v2.%s, v3.%s", three[n].name, shape, shape, shape);
        if (!three[n].scalar)
            continue;
        a64_fff(&x, three[n].scalar, bits, 1, 2, 3);
        expect("%s %c1, %c2, %c3", three[n].name, f, f, f);
    }
    for (unsigned n = 0; n < ARRAY_SIZE(two); n++) {
        a64_vv(&x, two[n].vector, bits == 64, 1, 2);
        expect("%s v1.%s, v2.%s", two[n].name, shape, shape);
        if (!two[n].scalar)
            continue;
        a64_ff(&x, two[n].scalar, bits, 1, 2);
        expect("%s %c1, %c2", two[n].name, f, f);
    }
    for (unsigned wide = 32; wide <= 64; wide += 32) {
        for (unsigned n = 0; n < ARRAY_SIZE(ints); n++) {
            a64_convert(&x, ints[n].scalar, wide, bits, 1, 2);
            expect("%s %c1, %c2", ints[n].name, letter(wide), f);
            a64_convert(&x, back[n].scalar, wide, bits, 1, 2);
            expect("%s %c1, %c2", back[n].name, f, letter(wide));
        }
    }
    a64_fff(&x, a64_third(A64_FMADD, 4), bits, 1, 2, 3);
    expect("fmadd %c1, %c2, %c3, %c4", f, f, f, f);
    a64_fff(&x, a64_third(A64_FMSUB, 4), bits, 1, 2, 3);
    expect("fmsub %c1, %c2, %c3, %c4", f, f, f, f);
    a64_fff(&x, A64_FCMP, bits, 0, 2, 3);
    expect("fcmp %c2, %c3", f, f);
    a64_fff(&x, A64_FCMPE, bits, 0, 2, 3);
    expect("fcmpe %c2, %c3", f, f);
    a64_fmov_from(&x, bits, 1, 2);
    expect("fmov %c1, %c2", f, letter(bits));
    a64_fmov_to(&x, bits, 1, 2);
    expect("fmov %c1, %c2", letter(bits), f);
    a64_fmov(&x, bits, 1, 2);
    expect("fmov %c1, %c2", f, f);
}

static void list_crypto(void)
{
    static const struct {
        uint32_t op;
        const char *name;
    } aes[] = {{A64_AESE, "aese"},
               {A64_AESD, "aesd"},
               {A64_AESMC, "aesmc"},
               {A64_AESIMC, "aesimc"}},
      hash[] = {{A64_SHA256H, "sha256h"}, {A64_SHA256H2, "sha256h2"}};

    for (unsigned n = 0; n < ARRAY_SIZE(aes); n++) {
        a64_vv(&x, aes[n].op, 0, 1, 20);
        expect("%s v1.16b, v20.16b", aes[n].name);
    }
    for (unsigned n = 0; n < ARRAY_SIZE(hash); n++) {
        a64_vvv(&x, hash[n].op, 0, 1, 20, 30);
        expect("%s q1, q20, v30.4s", hash[n].name);
    }
    a64_vvv(&x, A64_PMULL, 0, 1, 20, 30);
    expect("pmull v1.1q, v20.1d, v30.1d");
    a64_vv(&x, A64_SHA256SU0, 0, 1, 20);
    a64_vvv(&x, A64_SHA256SU1, 0, 1, 20, 30);
    expect("sha256su0 v1.4s, v20.4s\nsha256su1 v1.4s, v20.4s, v30.4s");
}

static void list_single(void)
{
    a64_rrr(&x, A64_UMULH, 64, 1, 2, 3);
    a64_rrr(&x, A64_SMULH, 64, 1, 2, 3);
    expect("umulh x1, x2, x3\nsmulh x1, x2, x3");
    a64_vv(&x, A64_CNT, 0, 1, 2);
    a64_vv(&x, A64_ADDV, 0, 1, 2);
    expect("cnt v1.8b, v2.8b\naddv b1, v2.8b");
    a64_vvv(&x, A64_TBL, 0, 1, 20, 30);
    expect("tbl v1.16b, {v20.16b}, v30.16b");
    a64_vvv(&x, A64_EXT(13), 0, 1, 20, 30);
    expect("ext v1.16b, v20.16b, v30.16b, #13");
    list_crypto();
    a64_vv(&x, A64_FCVTL, 0, 1, 2);
    a64_vv(&x, A64_FCVTN, 0, 1, 2);
    expect("fcvtl v1.2d, v2.2s\nfcvtn v1.2s, v2.2d");
    a64_ff(&x, A64_FCVT_D_S, 32, 1, 2);
    a64_ff(&x, A64_FCVT_S_D, 64, 1, 2);
    expect("fcvt d1, s2\nfcvt s1, d2");
    a64_ext(&x, 1, 2, 3, 8);
    a64_vmov(&x, 1, 2);
    a64_vfill(&x, 1, false);
    a64_vfill(&x, 1, true);
    expect("ext v1.16b, v2.16b, v3.16b, #8\nmov v1.16b, v2.16b\nmovi v1.2d, #0\nmovi v1.16b, #255");
}

int main(void)
{
    x = (struct q_buffer){.start = code, .at = code, .end = code + sizeof(code)};
    for (unsigned bits = 32; bits <= 64; bits += 32) {
        list_registers(bits);
        list_immediates(bits);
        list_patterns(bits);
        list_floats(bits);
    }
    list_constants();
    for (unsigned bits = 8; bits <= 128; bits *= 2) {
        list_accesses(bits, true);
        if (bits <= 64)
            list_accesses(bits, false);
    }
    list_jumps();
    for (unsigned class = 0; class < 4; class ++)
        list_vectors(class);
    list_single();
    return 0;
}
