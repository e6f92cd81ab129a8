/* The assembler's calls: instructions with a VEX or EVEX prefix. */
#include "x64_listing.h"

#include "runtime/jit/quick/x64/select_vector.h"

#include <stdio.h>
#include <string.h>

/*
 * One instruction for each kind of encoding. In the text, $d, $a and $b stand for the arguments
 * dst, a and b: suffixed by x and y as XMM and YMM registers, by e and q as general registers of 32
 * and 64 bits; $i is the immediate. `bits` is the size of b in memory, or 0 if b cannot be in
 * memory.
 */
static const struct vector_case {
    x64_vop op;
    unsigned bits;
    const char *text;
} vectors[] = {
    {X64_VOP(0, 1, 0, 0x58), 128, "vaddps $xd,$xa,$xb"},
    {X64_VOP(1, 1, 0, 0xfe), 128, "vpaddd $xd,$xa,$xb"},
    {X64_VOP(2, 1, 0, 0x58), 32, "vaddss $xd,$xa,$xb"},
    {X64_VOP(3, 1, 0, 0x58), 64, "vaddsd $xd,$xa,$xb"},
    {X64_VOP(1, 2, 0, 0x00), 128, "vpshufb $xd,$xa,$xb"},
    {X64_VOP(1, 2, 0, 0xb8), 128, "vfmadd231ps $xd,$xa,$xb"},
    {X64_VOP(1, 2, 1, 0xb8), 128, "vfmadd231pd $xd,$xa,$xb"},
    {X64_VOP(1, 2, 1, 0xb9), 64, "vfmadd231sd $xd,$xa,$xb"},
    {X64_VOP(1, 1, 0, 0x70), 128, "vpshufd $xd,$xb,$i"},
    {X64_VOP(1, 3, 0, 0x0f), 128, "vpalignr $xd,$xa,$xb,$i"},
    {X64_VOP(1, 3, 0, 0x4c), 0, "vpblendvb $xd,$xa,$xb,$xi"},
    {X64_VOP(1, 3, 0, 0x22), 32, "vpinsrd $xd,$xa,$eb,$i"},
    {X64_VOP(1, 3, 1, 0x22), 64, "vpinsrq $xd,$xa,$qb,$i"},
    {X64_VOP(1, 3, 0, 0x16), 32, "vpextrd $eb,$xd,$i"},
    {X64_VOP(1, 3, 1, 0x16), 64, "vpextrq $qb,$xd,$i"},
    {X64_VOP(3, 1, 0, 0x2a), 32, "vcvtsi2sd $xd,$xa,$eb"},
    {X64_VOP(3, 1, 1, 0x2a), 64, "vcvtsi2sd $xd,$xa,$qb"},
    {X64_VOP(2, 1, 0, 0x2c), 32, "vcvttss2si $ed,$xb"},
    {X64_VOP(3, 1, 1, 0x2c), 64, "vcvttsd2si $qd,$xb"},
    {X64_VOP(1, 1, 0, 0xd7), 0, "vpmovmskb $ed,$xb"},
    {X64_VOP(1, 2, 0, 0x1e), 128, "vpabsd $xd,$xb"},
    {X64_VOP(1, 2, 0, 0x17), 128, "vptest $xd,$xb"},
    {X64_VOP(0, 1, 0, 0x2e), 32, "vucomiss $xd,$xb"},
    {X64_VOP(1, 2, 0, 0x30), 64, "vpmovzxbw $xd,$xb"},
    {X64_VOP(3, 2, 0, 0xf5), 32, "pdep $ed,$ea,$eb"},
    {X64_VOP(2, 2, 1, 0xf5), 64, "pext $qd,$qa,$qb"},
    {X64_VOP(3, 2, 1, 0xf6), 64, "mulx $qd,$qa,$qb"},
};

/*
 * Instructions with registers from 16 on, or without a VEX form.
 */
static const struct vector_case evex[] = {
    {VADDPS, 128, "vaddps $xd,$xa,$xb"},
    {VADDPS | X64_VOP(1, 0, 0, 0) | X64_EVEX_W, 128, "vaddpd $xd,$xa,$xb"},
    {VADDPS | X64_VOP(2, 0, 0, 0) | X64_PART(4), 32, "vaddss $xd,$xa,$xb"},
    {VADDPS | X64_VOP(3, 0, 0, 0) | X64_EVEX_W | X64_PART(8), 64, "vaddsd $xd,$xa,$xb"},
    {VPADDB, 128, "vpaddb $xd,$xa,$xb"},
    {VPADDW, 128, "vpaddw $xd,$xa,$xb"},
    {VPADDD, 128, "vpaddd $xd,$xa,$xb"},
    {VPADDQ, 128, "vpaddq $xd,$xa,$xb"},
    {VPSUBD, 128, "vpsubd $xd,$xa,$xb"},
    {VPSUBQ, 128, "vpsubq $xd,$xa,$xb"},
    {VPMULLW, 128, "vpmullw $xd,$xa,$xb"},
    {VPMULHW, 128, "vpmulhw $xd,$xa,$xb"},
    {VPMULHUW, 128, "vpmulhuw $xd,$xa,$xb"},
    {VPMULHRSW, 128, "vpmulhrsw $xd,$xa,$xb"},
    {VPAVGB, 128, "vpavgb $xd,$xa,$xb"},
    {VPAVGW, 128, "vpavgw $xd,$xa,$xb"},
    {VPMULLD, 128, "vpmulld $xd,$xa,$xb"},
    {VPMULUDQ, 128, "vpmuludq $xd,$xa,$xb"},
    {VPMULDQ, 128, "vpmuldq $xd,$xa,$xb"},
    {VPAND, 128, "vpandd $xd,$xa,$xb"},
    {VPANDN, 128, "vpandnd $xd,$xa,$xb"},
    {VPOR, 128, "vpord $xd,$xa,$xb"},
    {VPXOR, 128, "vpxord $xd,$xa,$xb"},
    {VPABSB, 128, "vpabsb $xd,$xb"},
    {VPABSD, 128, "vpabsd $xd,$xb"},
    {VPMINUB, 128, "vpminub $xd,$xa,$xb"},
    {VPMAXSD, 128, "vpmaxsd $xd,$xa,$xb"},
    {VPSHUFB, 128, "vpshufb $xd,$xa,$xb"},
    {VPADDUSB, 128, "vpaddusb $xd,$xa,$xb"},
    {VPSUBSW, 128, "vpsubsw $xd,$xa,$xb"},
    {VPSHUFD, 128, "vpshufd $xd,$xb,$i"},
    {VPSHUFLW, 128, "vpshuflw $xd,$xb,$i"},
    {VPSHUFHW, 128, "vpshufhw $xd,$xb,$i"},
    {VSHUFPS, 128, "vshufps $xd,$xa,$xb,$i"},
    {VPCLMULQDQ, 128, "vpclmulqdq $xd,$xa,$xb,$i"},
    {VROUNDPS, 0, "vrndscaleps $xd,$xb,$i"},
    {VROUNDPD, 0, "vrndscalepd $xd,$xb,$i"},
    {VROUNDSS, 0, "vrndscaless $xd,$xa,$xb,$i"},
    {VROUNDSD, 0, "vrndscalesd $xd,$xa,$xb,$i"},
    {VPALIGNR, 128, "vpalignr $xd,$xa,$xb,$i"},
    {VPACKSSWB, 128, "vpacksswb $xd,$xa,$xb"},
    {VPACKSSDW, 128, "vpackssdw $xd,$xa,$xb"},
    {VPACKUSWB, 128, "vpackuswb $xd,$xa,$xb"},
    {VPACKUSDW, 128, "vpackusdw $xd,$xa,$xb"},
    {VPUNPCKLBW, 128, "vpunpcklbw $xd,$xa,$xb"},
    {VPUNPCKLDQ, 128, "vpunpckldq $xd,$xa,$xb"},
    {VPUNPCKLQDQ, 128, "vpunpcklqdq $xd,$xa,$xb"},
    {VPUNPCKHDQ, 128, "vpunpckhdq $xd,$xa,$xb"},
    {VPUNPCKHQDQ, 128, "vpunpckhqdq $xd,$xa,$xb"},
    {VPMOVSXBW | X64_PART(8), 64, "vpmovsxbw $xd,$xb"},
    {(VPMOVZXBW + 1) | X64_PART(4), 32, "vpmovzxbd $xd,$xb"},
    {(VPMOVZXBW + 2) | X64_PART(2), 16, "vpmovzxbq $xd,$xb"},
    {(VPMOVZXBW + 5) | X64_PART(8), 64, "vpmovzxdq $xd,$xb"},
    {VPBROADCASTB, 8, "vpbroadcastb $xd,$xb"},
    {VPBROADCASTW, 16, "vpbroadcastw $xd,$xb"},
    {VPBROADCASTD, 32, "vpbroadcastd $xd,$xb"},
    {VPBROADCASTQ, 64, "vpbroadcastq $xd,$xb"},
    {VPINSRB, 8, "vpinsrb $xd,$xa,$eb,$i"},
    {VPINSRW, 16, "vpinsrw $xd,$xa,$eb,$i"},
    {VPINSRD, 32, "vpinsrd $xd,$xa,$eb,$i"},
    {VPINSRQ, 64, "vpinsrq $xd,$xa,$qb,$i"},
    {VINSERTPS, 32, "vinsertps $xd,$xa,$xb,$i"},
    {VPEXTRB, 0, "vpextrb $eb,$xd,$i"},
    {VPEXTRW, 0, "vpextrw $eb,$xd,$i"},
    {VPEXTRD, 0, "vpextrd $eb,$xd,$i"},
    {VPEXTRQ, 0, "vpextrq $qb,$xd,$i"},
    {VMOVQ_X, 64, "vmovq $xd,$xb"},
    {VMOVSD, 0, "vmovsd $xd,$xa,$xb"},
    {VPSRLW, 128, "vpsrlw $xd,$xa,$xb"},
    {VPSRLD, 128, "vpsrld $xd,$xa,$xb"},
    {VPSRLQ, 128, "vpsrlq $xd,$xa,$xb"},
    {VPSRAD, 128, "vpsrad $xd,$xa,$xb"},
    {VPSLLQ, 128, "vpsllq $xd,$xa,$xb"},
    {VPSLLVD, 128, "vpsllvd $xd,$xa,$xb"},
    {VPSRLVQ, 128, "vpsrlvq $xd,$xa,$xb"},
    {VPSRAVD, 128, "vpsravd $xd,$xa,$xb"},
    {VSQRTPS, 128, "vsqrtps $xd,$xb"},
    {VUCOMISS, 32, "vucomiss $xd,$xb"},
    {VUCOMISD, 64, "vucomisd $xd,$xb"},
    {VCOMISD, 64, "vcomisd $xd,$xb"},
    {VMOVDDUP, 64, "vmovddup $xd,$xb"},
    {VUNPCKLPS, 128, "vunpcklps $xd,$xa,$xb"},
    {VFMADD231, 128, "vfmadd231ps $xd,$xa,$xb"},
    {VFMADD213 | X64_VOP(0, 0, 1, 0), 128, "vfmadd213pd $xd,$xa,$xb"},
    {VCVTSI2SS, 0, "vcvtsi2ss $xd,$xa,$eb"},
    {VCVTSI2SD | X64_VOP(0, 0, 1, 0), 0, "vcvtsi2sd $xd,$xa,$qb"},
    {VCVTTSS2SI, 0, "vcvttss2si $ed,$xb"},
    {VCVTTSD2SI | X64_VOP(0, 0, 1, 0), 0, "vcvttsd2si $qd,$xb"},
    {VCVTSS2SD, 32, "vcvtss2sd $xd,$xa,$xb"},
    {VCVTSD2SS, 64, "vcvtsd2ss $xd,$xa,$xb"},
    {VCVTDQ2PS, 128, "vcvtdq2ps $xd,$xb"},
    {VCVTTPS2DQ, 128, "vcvttps2dq $xd,$xb"},
    {VCVTPS2PD, 64, "vcvtps2pd $xd,$xb"},
    {VCVTPD2PS, 0, "vcvtpd2ps $xd,$xb"},
    {VPTERNLOGD, 128, "vpternlogd $xd,$xa,$xb,$i"},
    {VPABSQ, 128, "vpabsq $xd,$xb"},
    {VPMULLQ, 128, "vpmullq $xd,$xa,$xb"},
    {VPSLLVW, 128, "vpsllvw $xd,$xa,$xb"},
    {VPSRLVW, 128, "vpsrlvw $xd,$xa,$xb"},
    {VPSRAVW, 128, "vpsravw $xd,$xa,$xb"},
    {VPSRAVQ, 128, "vpsravq $xd,$xa,$xb"},
    {VPSRAQ, 128, "vpsraq $xd,$xa,$xb"},
    {VPMOVWB, 0, "vpmovwb $xb,$xd"},
    {VPMOVWB + 5, 0, "vpmovqd $xb,$xd"},
    {VGF2P8AFFINEQB, 128, "vgf2p8affineqb $xd,$xa,$xb,$i"},
};

/* Comparisons with a register from 16 on: into a mask, and from it into lanes. */
static const struct comparison_case {
    x64_vop op;
    const char *text, *lanes;
} comparisons[] = {
    {VPCMPEQB, "vpcmpeqb k1,$xa,$xb", "vpmovm2b $xd,k1"},
    {VPCMPEQW, "vpcmpeqw k1,$xa,$xb", "vpmovm2w $xd,k1"},
    {VPCMPEQD, "vpcmpeqd k1,$xa,$xb", "vpmovm2d $xd,k1"},
    {VPCMPEQQ, "vpcmpeqq k1,$xa,$xb", "vpmovm2q $xd,k1"},
    {VPCMPGTB, "vpcmpgtb k1,$xa,$xb", "vpmovm2b $xd,k1"},
    {VPCMPGTW, "vpcmpgtw k1,$xa,$xb", "vpmovm2w $xd,k1"},
    {VPCMPGTD, "vpcmpgtd k1,$xa,$xb", "vpmovm2d $xd,k1"},
    {VPCMPGTQ, "vpcmpgtq k1,$xa,$xb", "vpmovm2q $xd,k1"},
    {VCMPPS, "vcmpleps k1,$xa,$xb", "vpmovm2d $xd,k1"},
    {VCMPPS | X64_VOP(1, 0, 0, 0) | X64_EVEX_W, "vcmplepd k1,$xa,$xb", "vpmovm2q $xd,k1"},
    {VCMPPS | X64_VOP(2, 0, 0, 0), "vcmpless k1,$xa,$xb", "vpmovm2d $xd,k1"},
    {VCMPPS | X64_VOP(3, 0, 0, 0) | X64_EVEX_W, "vcmplesd k1,$xa,$xb", "vpmovm2q $xd,k1"},
};

/* Writes the expected text of a case with these operands; b is in memory if `m`. */
static void expect_vector(const struct vector_case *c, unsigned dst, unsigned a, unsigned b,
                          const struct x64_mem *m, unsigned imm)
{
    char out[160];
    size_t n = 0;
    for (const char *s = c->text; *s; s++) {
        if (*s != '$') {
            out[n++] = *s;
            continue;
        }
        char type = *++s;
        if (type == 'i') {
            n += (size_t)sprintf(out + n, "0x%x", imm);
            continue;
        }
        char which = *++s;
        unsigned r = which == 'd' ? dst : which == 'a' ? a : which == 'b' ? b : imm >> 4;
        if (which == 'b' && m)
            n += (size_t)sprintf(out + n, "%s", mem(c->bits, *m).s);
        else if (type == 'x' || type == 'y')
            n += (size_t)sprintf(out + n, "%cmm%u", type, r);
        else
            n += (size_t)sprintf(out + n, "%s", gpr(type == 'q' ? 64 : 32, r));
    }
    out[n] = 0;
    expect("%s", out);
}

static bool has_operand(const struct vector_case *c, char operand)
{
    for (const char *s = c->text; *s; s++)
        if (s[0] == '$' && (s[1] == operand || (s[1] != 'i' && s[2] == operand)))
            return true;
    return false;
}

static void vectors_of_registers(unsigned dst, unsigned b)
{
    for (unsigned a = 0; a < 16; a++) {
        unsigned imm = (dst << 4 | b) ^ a;
        for (size_t i = 0; i < COUNT(vectors); i++) {
            const struct vector_case *c = &vectors[i];
            unsigned vvvv = has_operand(c, 'a') ? a : X64_NO_VVVV;
            if (vvvv != a)
                continue;
            /* The low bits of an immediate that names a register are 0. */
            unsigned value = c->op == X64_VOP(1, 3, 0, 0x4c) ? imm & 0xf0 : imm;
            if (has_operand(c, 'i'))
                x64_v_rrri(&l.x, c->op, dst, vvvv, b, (uint8_t)value);
            else
                x64_v_rrr(&l.x, c->op, dst, vvvv, b);
            expect_vector(c, dst, vvvv, b, NULL, value);
        }
    }
}

static void vectors_of_memory(unsigned dst, struct x64_mem m)
{
    unsigned a = 15 - dst, imm = dst * 17;
    for (size_t i = 0; i < COUNT(vectors); i++) {
        const struct vector_case *c = &vectors[i];
        if (!c->bits)
            continue;
        unsigned vvvv = has_operand(c, 'a') ? a : X64_NO_VVVV;
        if (has_operand(c, 'i'))
            x64_v_rrmi(&l.x, c->op, dst, vvvv, m, (uint8_t)imm);
        else
            x64_v_rrm(&l.x, c->op, dst, vvvv, m);
        expect_vector(c, dst, vvvv, 0, &m, imm);
    }
}

/* Whether the text has registers of that kind and operand. */
static bool has_vector(const struct vector_case *c, char operand)
{
    const char text[] = {'$', 'x', operand, 0};

    return strstr(c->text, text) != NULL;
}

static void emit_case(const struct vector_case *c, unsigned d, unsigned a, unsigned b,
                      const struct x64_mem *m, unsigned imm)
{
    if (m && has_operand(c, 'i'))
        x64_v_rrmi(&l.x, c->op, d, a, *m, (uint8_t)imm);
    else if (m)
        x64_v_rrm(&l.x, c->op, d, a, *m);
    else if (has_operand(c, 'i'))
        x64_v_rrri(&l.x, c->op, d, a, b, (uint8_t)imm);
    else
        x64_v_rrr(&l.x, c->op, d, a, b);
    expect_vector(c, d, a, b, m, imm);
}

/* Each operand in turn in a register from 16 on; the prefix is EVEX then. */
static void evex_of_registers(unsigned low, unsigned high)
{
    for (size_t i = 0; i < COUNT(evex); i++) {
        const struct vector_case *c = &evex[i];
        for (unsigned which = 1; which < 8; which++) {
            unsigned a = has_operand(c, 'a') ? (which & 2 ? high : low) : X64_NO_VVVV;
            bool is_evex = (c->op & X64_EVEX) || (which & 1 && has_vector(c, 'd')) || a == high ||
                           (which & 4 && has_vector(c, 'b'));
            if (is_evex)
                emit_case(c, which & 1 && has_vector(c, 'd') ? high : low, a,
                          which & 4 && has_vector(c, 'b') ? high : low, NULL,
                          low * 8 + 0x40 + which);
        }
    }
}

static void evex_of_memory(unsigned high, struct x64_mem m)
{
    for (size_t i = 0; i < COUNT(evex); i++) {
        const struct vector_case *c = &evex[i];
        bool has_a = has_operand(c, 'a');
        if (c->bits && (has_vector(c, 'd') || has_a))
            emit_case(c, has_vector(c, 'd') ? high : 3, has_a ? high ^ 9 : X64_NO_VVVV, 0, &m,
                      0x5a);
    }
}

static void evex_comparisons(unsigned d, unsigned a, unsigned b)
{
    for (size_t i = 0; i < COUNT(comparisons); i++) {
        const struct comparison_case *c = &comparisons[i];
        uint8_t *end;
        if (c->text[1] == 'c')
            x64_v_rrri(&l.x, c->op, d, a, b, CMP_LE_OS);
        else
            x64_v_rrr(&l.x, c->op, d, a, b);
        end = l.x.at; /* both instructions have 6 bytes, and 7 with an immediate */
        l.x.at = end - 6;
        expect_vector(&(struct vector_case){c->op, 0, c->text}, d, a, b, NULL, 0);
        l.x.at = end;
        expect_vector(&(struct vector_case){c->op, 0, c->lanes}, d, a, b, NULL, 0);
    }
}

static void evex_blends(unsigned d, unsigned a, unsigned b, unsigned mask)
{
    uint8_t *end;
    x64_vblend(&l.x, d, a, b, mask);
    end = l.x.at;
    l.x.at -= 6;
    expect("vpmovb2m k1,xmm%u", mask);
    l.x.at = end;
    expect("vpblendmb xmm%u{k1},xmm%u,xmm%u", d, a, b);
}

static void evex_word_blends(unsigned d, unsigned a, unsigned b)
{
    uint8_t *end;
    x64_vblend_words(&l.x, d, a, b, 0x9a);
    end = l.x.at;
    l.x.at = l.mark + 5;
    expect("mov eax,0x9a");
    l.x.at += 4;
    expect("kmovb k1,eax");
    l.x.at = end;
    expect("vpblendmw xmm%u{k1},xmm%u,xmm%u", d, a, b);
}

static void evex_moves(unsigned d, unsigned s, struct x64_mem m)
{
    x64_vmov(&l.x, d, s);
    expect("vmovdqa32 xmm%u,xmm%u", d, s);
    x64_vmov(&l.x, s, d);
    expect("vmovdqa32 xmm%u,xmm%u", s, d);
    x64_vmov_low(&l.x, d, s);
    expect("vmovq xmm%u,xmm%u", d, s);
    x64_vmov_from_gpr(&l.x, 32, d, s % 16);
    expect("vmovd xmm%u,%s", d, gpr(32, s % 16));
    x64_vmov_to_gpr(&l.x, 64, s % 16, d);
    expect("vmovq %s,xmm%u", gpr(64, s % 16), d);
    x64_vload(&l.x, 128, d, m);
    expect("vmovdqu32 xmm%u,%s", d, mem(128, m).s);
    x64_vstore(&l.x, 64, m, d);
    expect("vmovq %s,xmm%u", mem(64, m).s, d);
    x64_vload(&l.x, 32, d, m);
    expect("vmovd xmm%u,%s", d, mem(32, m).s);
}

/* Low registers have an EVEX prefix where it makes the displacement shorter. */
static void evex_near(unsigned r, int32_t units)
{
    struct x64_mem m = x64_at(R13, units * 16);
    bool near = units * 16 != (int8_t)(units * 16) && units == (int8_t)units;
    l.x.features = X64_AVX512;
    x64_vload(&l.x, 128, r, m);
    expect("vmovdqu%s xmm%u,%s", near ? "32" : "", r, mem(128, m).s);
    m.disp += 4;
    x64_vstore(&l.x, 128, m, r);
    expect("vmovdqu %s,xmm%u", mem(128, m).s, r);
    l.x.features = 0;
    m.disp -= 4;
    x64_vstore(&l.x, 128, m, r);
    expect("vmovdqu %s,xmm%u", mem(128, m).s, r);
}

static void list_evex(void)
{
    for (unsigned high = 16; high < 32; high++) {
        for (unsigned low = high % 4; low < 16; low += 4) {
            evex_of_registers(low, high);
            evex_comparisons(high, low, 31 - low);
            evex_comparisons(low, high, 15 - low);
            evex_blends(high, low, 15 - low, 31 - low);
            evex_blends(low, low, 15 - low, high);
            evex_word_blends(low, low, high);
            evex_word_blends(high, low, 15 - low);
            evex_moves(high, low, mems.some[low]);
            evex_moves(high, 31 - low, mems.some[16 + low]);
        }
        for (size_t i = high % 4; i < mems.some_count; i += 4)
            evex_of_memory(high, mems.some[i]);
        evex_near(high - 16, (int32_t)(high - 16) * 16 - 136);
        evex_near(high - 16, 9);
    }
}

static void vector_loads_and_stores(unsigned r, struct x64_mem m)
{
    static const char *const moves[] = {"vmovd", "vmovq", "vmovdqu"};
    for (unsigned i = 0; i < COUNT(moves); i++) {
        unsigned bits = 32u << i;
        x64_vload(&l.x, bits, r, m);
        expect("%s xmm%u,%s", moves[i], r, mem(bits, m).s);
        x64_vstore(&l.x, bits, m, r);
        expect("%s %s,xmm%u", moves[i], mem(bits, m).s, r);
    }
}

static void vector_moves(unsigned d, unsigned s)
{
    x64_vmov(&l.x, d, s);
    expect("vmovdqa xmm%u,xmm%u", d, s);
    for (unsigned bits = 32; bits <= 64; bits *= 2) {
        const char *name = bits == 32 ? "vmovd" : "vmovq";
        x64_vmov_from_gpr(&l.x, bits, d, s);
        expect("%s xmm%u,%s", name, d, gpr(bits, s));
        x64_vmov_to_gpr(&l.x, bits, d, s);
        expect("%s %s,xmm%u", name, gpr(bits, d), s);
    }
}

static void vector_hashes(unsigned d, unsigned s)
{
    x64_sha(&l.x, X64_SHA256RNDS2, d, s);
    expect("sha256rnds2 xmm%u,xmm%u,xmm0", d, s);
    x64_sha(&l.x, X64_SHA256MSG1, d, s);
    expect("sha256msg1 xmm%u,xmm%u", d, s);
    x64_sha(&l.x, X64_SHA256MSG2, d, s);
    expect("sha256msg2 xmm%u,xmm%u", d, s);
}

void list_vectors(void)
{
    list_evex();
    for (unsigned d = 0; d < 16; d++) {
        for (unsigned s = 0; s < 16; s++) {
            vectors_of_registers(d, s);
            vector_moves(d, s);
            vector_hashes(d, s);
        }
    }
    for (size_t i = 0; i < mems.all_count; i++) {
        x64_vload(&l.x, 128, i % 16, mems.all[i]);
        expect("vmovdqu xmm%zu,%s", i % 16, mem(128, mems.all[i]).s);
    }
    for (size_t i = 0; i < mems.some_count; i++) {
        for (unsigned r = 0; r < 16; r++) {
            vectors_of_memory(r, mems.some[i]);
            vector_loads_and_stores(r, mems.some[i]);
        }
    }
}
