/* The assembler's blends: one instruction with a VEX prefix, or a mask and one with an EVEX prefix.
 * Encodings: Intel 64 manual, volume 2, the pages of the instructions. */
#include "runtime/jit/quick/x64/assemble.h"

void x64_vblend(struct q_buffer *x, unsigned dst, unsigned a, unsigned b, unsigned mask)
{
    const x64_vop VPBLENDVB = X64_VOP(1, 3, 0, 0x4c), VPMOVB2M = X64_VOP(2, 2, 0, 0x29) | X64_EVEX,
                  VPBLENDMB = X64_VOP(1, 2, 0, 0x66) | X64_EVEX | X64_BY_MASK;

    if ((dst | a | b | mask) < 16) {
        x64_v_rrri(x, VPBLENDVB, dst, a, b, (uint8_t)(mask << 4));
        return;
    }
    x64_v_rrr(x, VPMOVB2M, X64_K1, X64_NO_VVVV, mask);
    x64_v_rrr(x, VPBLENDMB, dst, a, b);
}

void x64_vblend_words(struct q_buffer *x, unsigned dst, unsigned a, unsigned b, uint8_t words)
{
    const x64_vop VPBLENDW = X64_VOP(1, 3, 0, 0x0e), KMOVB = X64_VOP(1, 1, 0, 0x92),
                  VPBLENDMW = X64_VOP(1, 2, 1, 0x66) | X64_EVEX | X64_BY_MASK;

    if ((dst | a | b) < 16) {
        x64_v_rrri(x, VPBLENDW, dst, a, b, words);
        return;
    }
    x64_mov_ri(x, RAX, words);
    x64_v_rrr(x, KMOVB, X64_K1, X64_NO_VVVV, RAX);
    x64_v_rrr(x, VPBLENDMW, dst, a, b);
}
