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
    if (rm.index == IN_POOL) { /* RIP and a distance that x64_emit_pool() sets */
        put_byte(i, low | 5);
        i->distance = i->n;
        i->constant = (uint32_t)rm.disp;
        put_value(i, 0, 4);
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
    if (i->distance)
        vec_push(&x->pool->uses,
                 (struct q_pool_use){x->at + i->distance, x->at + i->n, i->constant});
    x->at += i->n;
    return x->at;
}

bool x64_pooled(struct q_buffer *x, uint64_t low, uint64_t high, struct x64_mem *m)
{
    struct q_pool *pool = x->pool;
    uint32_t n;

    if (!pool)
        return false;
    for (n = 0; n < pool->constants.len; n++)
        if (pool->constants.data[n].w[0] == low && pool->constants.data[n].w[1] == high)
            break;
    if (n == pool->constants.len)
        vec_push(&pool->constants, (struct q_pooled){{low, high}});
    *m = (struct x64_mem){0, IN_POOL, 0, (int32_t)n};
    return true;
}

void x64_emit_pool(struct q_buffer *x)
{
    const struct q_pool *pool = x->pool;
    size_t bytes = pool->constants.len * sizeof(*pool->constants.data);
    uint8_t *at = (uint8_t *)(((uintptr_t)x->at + 15) & ~(uintptr_t)15);

    if (x->full || !bytes)
        return;
    if (at > x->end || (size_t)(x->end - at) < bytes) {
        x->full = true;
        return;
    }
    memcpy(at + x->write, pool->constants.data, bytes);
    vec_for_each (&pool->uses, use) {
        int32_t distance = (int32_t)(at + 16 * use->constant - use->end);

        memcpy(use->distance + x->write, &distance, sizeof(distance));
    }
    x->at = at + bytes;
}
