/* The operand bytes of an instruction, and its copy to the buffer. Encodings: Intel 64 manual,
 * volume 2, chapter 2. */
#include "runtime/jit/quick/x64/assemble_insn.h"

void x64_put_modrm(struct insn *i, unsigned reg, struct x64_mem rm)
{
    x64_put_modrm_scaled(i, reg, rm, 0);
}

void x64_put_modrm_scaled(struct insn *i, unsigned reg, struct x64_mem rm, unsigned scale)
{
    int32_t units = rm.disp >> scale;
    bool is_short = rm.disp == (int32_t)((uint32_t)units << scale) && fits_8(units);
    unsigned low = (reg & 7) << 3;
    unsigned base = rm.base & 7u;
    if (rm.index == IN_REGISTER) {
        put_byte(i, 0xc0 | low | base);
        return;
    }
    /* Without displacement, base 5 means RIP or no base. */
    unsigned disp_bytes = rm.disp == 0 && base != RBP ? 0 : is_short ? 1 : 4;
    unsigned mod = disp_bytes == 0 ? 0 : disp_bytes == 1 ? 0x40 : 0x80;
    if (rm.index != X64_NO_INDEX || base == RSP) {
        /* In the SIB byte, index 4 means no index. */
        unsigned index = rm.index != X64_NO_INDEX ? rm.index & 7u : 4u;
        put_byte(i, mod | low | 4);
        put_byte(i, (rm.scale & 3u) << 6 | index << 3 | base);
    } else {
        put_byte(i, mod | low | base);
    }
    put_value(i, (uint32_t)(is_short ? units : rm.disp), disp_bytes);
}

uint8_t *x64_commit(struct q_buffer *x, const struct insn *i)
{
    if (x->full || (size_t)(x->end - x->at) < i->n) {
        x->full = true;
        return NULL;
    }
    memcpy(x->at + x->write, i->bytes, i->n);
    x->at += i->n;
    return x->at;
}
