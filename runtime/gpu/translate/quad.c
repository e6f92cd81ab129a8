/*
 * Reads of up to four adjacent words of each lane, where the lanes' addresses have no order: one
 * load of 128 bits per lane, and a transposition. That is faster than a gather for each word.
 */
#include "runtime/gpu/translate/access.h"

enum { QUAD = ACCESS_QUAD };

static LLVMValueRef const_i32(struct jit_build *j, unsigned n)
{
    return lanes_int(j->i32, n, j);
}

static LLVMTypeRef quad_type(struct jit_build *j)
{
    return j->l->VectorType(j->i32, QUAD);
}

/* Host addresses of all lanes; those of lanes that do not access are of memory that can be read. */
static LLVMValueRef readable_addresses(struct jit_build *j, const struct access *a, LLVMValueRef at)
{
    LLVMValueRef any = j->l->BuildPtrToInt(j->b, j->core, j->i64, "");

    return j->l->BuildSelect(j->b, lanes_from_bits(j, a->bits), at, lanes_splat(j, any), "");
}

static LLVMValueRef load_quad(struct jit_build *j, LLVMValueRef at, unsigned lane)
{
    LLVMTypeRef type = quad_type(j);
    LLVMValueRef v = j->l->BuildExtractElement(j->b, at, const_i32(j, lane), "");

    v = j->l->BuildIntToPtr(j->b, v, j->l->PointerType(type, 0), "");
    v = j->l->BuildLoad2(j->b, type, v, "");
    j->l->SetAlignment(v, 1);
    return v;
}

/* Joins `count` vectors of `size` elements, a power of two, into one. */
static LLVMValueRef join_vectors(struct jit_build *j, LLVMValueRef *v, unsigned count,
                                 unsigned size)
{
    LLVMValueRef which[GPU_MAX_LANES];

    for (; count > 1; count /= 2, size *= 2) {
        for (unsigned n = 0; n < 2 * size; n++)
            which[n] = const_i32(j, n);
        for (unsigned n = 0; n < count / 2; n++)
            v[n] = j->l->BuildShuffleVector(j->b, v[2 * n], v[2 * n + 1],
                                            j->l->ConstVector(which, 2 * size), "");
    }
    return v[0];
}

/* The quads of lanes n, n + 4, n + 8, ... side by side. */
static LLVMValueRef load_every_fourth(struct jit_build *j, LLVMValueRef at, unsigned n)
{
    LLVMValueRef v[GPU_MAX_LANES];

    for (unsigned lane = n; lane < j->lanes; lane += QUAD)
        v[lane / QUAD] = load_quad(j, at, lane);
    return join_vectors(j, v, j->lanes / QUAD, QUAD);
}

/* Takes from each quad of `a`, then from that of `b`, the first or second two words in turns
 * (`unit` 1), or as a pair (`unit` 2). */
static LLVMValueRef interleave(struct jit_build *j, LLVMValueRef a, LLVMValueRef b, unsigned unit,
                               bool second)
{
    LLVMValueRef which[GPU_MAX_LANES];

    for (unsigned n = 0; n < j->lanes; n++) {
        unsigned in_quad = n % QUAD, of_b = in_quad / unit % 2;
        unsigned word = (unit == 1 ? in_quad / 2 : in_quad % 2) + (second ? 2 : 0);

        which[n] = const_i32(j, n - in_quad + word + of_b * j->lanes);
    }
    return j->l->BuildShuffleVector(j->b, a, b, j->l->ConstVector(which, j->lanes), "");
}

bool access_has_quads(const struct jit_build *j, const struct access *a)
{
    return a->lane == j->i32 && j->lanes % QUAD == 0;
}

void access_read_quads(struct jit_build *j, const struct access *a, LLVMValueRef at,
                       LLVMValueRef *words)
{
    LLVMValueRef v[QUAD], low, high;

    at = readable_addresses(j, a, at);
    for (unsigned n = 0; n < QUAD; n++)
        v[n] = load_every_fourth(j, at, n);
    for (unsigned half = 0; half < 2; half++) {
        low = interleave(j, v[0], v[1], 1, half);
        high = interleave(j, v[2], v[3], 1, half);
        words[2 * half] = interleave(j, low, high, 2, false);
        words[2 * half + 1] = interleave(j, low, high, 2, true);
    }
}
