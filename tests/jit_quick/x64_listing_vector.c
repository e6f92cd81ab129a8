/* The assembler's calls: instructions with a VEX prefix. */
#include "x64_listing.h"

#include <stdio.h>

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
