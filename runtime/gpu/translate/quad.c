/*
 * Accesses to four adjacent words of each lane, where the lanes' addresses have no order: one load
 * or store of 128 bits per lane, and a transposition. That is faster than a gather, or a scatter,
 * for each word.
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

/* Host addresses of all lanes, as pointers to quads; those of lanes that do not access are `other`.
 */
static void place_lanes(struct jit_build *j, const struct access *a, LLVMValueRef at,
                        LLVMValueRef other, LLVMValueRef *place)
{
    LLVMTypeRef type = j->l->PointerType(quad_type(j), 0);

    at = j->l->BuildSelect(j->b, lanes_from_bits(j, a->bits), at, lanes_splat(j, other), "");
    for (unsigned lane = 0; lane < j->lanes; lane++)
        place[lane] = j->l->BuildIntToPtr(
            j->b, j->l->BuildExtractElement(j->b, at, const_i32(j, lane), ""), type, "");
}

static LLVMValueRef load_quad(struct jit_build *j, LLVMValueRef place)
{
    LLVMValueRef v = j->l->BuildLoad2(j->b, quad_type(j), place, "");

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
static LLVMValueRef load_every_fourth(struct jit_build *j, const LLVMValueRef *place, unsigned n)
{
    LLVMValueRef v[GPU_MAX_LANES];

    for (unsigned lane = n; lane < j->lanes; lane += QUAD)
        v[lane / QUAD] = load_quad(j, place[lane]);
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

/* Exchanges rows and columns of the squares of 4 x 4 words that each four lanes have in four
 * vectors: quads of lanes n, n + 4, ... become words n of all lanes, and these become quads. */
static void transpose_quads(struct jit_build *j, const LLVMValueRef *from, LLVMValueRef *to)
{
    LLVMValueRef low, high;

    for (unsigned half = 0; half < 2; half++) {
        low = interleave(j, from[0], from[1], 1, half);
        high = interleave(j, from[2], from[3], 1, half);
        to[2 * half] = interleave(j, low, high, 2, false);
        to[2 * half + 1] = interleave(j, low, high, 2, true);
    }
}

bool access_has_quads(const struct jit_build *j, const struct access *a)
{
    return a->lane == j->i32 && j->lanes % QUAD == 0;
}

void access_load_quads(struct jit_build *j, const LLVMValueRef *place, LLVMValueRef *words)
{
    LLVMValueRef v[QUAD];

    for (unsigned n = 0; n < QUAD; n++)
        v[n] = load_every_fourth(j, place, n);
    transpose_quads(j, v, words);
}

void access_read_quads(struct jit_build *j, const struct access *a, LLVMValueRef at,
                       LLVMValueRef *words)
{
    LLVMValueRef place[GPU_MAX_LANES];

    /* memory that can be read */
    place_lanes(j, a, at, j->l->BuildPtrToInt(j->b, j->core, j->i64, ""), place);
    access_load_quads(j, place, words);
}

void access_store_quads(struct jit_build *j, const LLVMValueRef *place, const LLVMValueRef *words)
{
    LLVMValueRef v[QUAD], which[QUAD], quad;

    transpose_quads(j, words, v);
    for (unsigned lane = 0; lane < j->lanes; lane++) {
        for (unsigned k = 0; k < QUAD; k++)
            which[k] = const_i32(j, lane / QUAD * QUAD + k);
        quad = j->l->BuildShuffleVector(j->b, v[lane % QUAD], j->l->GetUndef(j->l->TypeOf(v[0])),
                                        j->l->ConstVector(which, QUAD), "");
        j->l->SetAlignment(j->l->BuildStore(j->b, quad, place[lane]), 1);
    }
}

void access_write_quads(struct jit_build *j, const struct access *a, LLVMValueRef at,
                        const LLVMValueRef *words)
{
    LLVMValueRef place[GPU_MAX_LANES], unused = lanes_variable(j, quad_type(j));

    place_lanes(j, a, at, j->l->BuildPtrToInt(j->b, unused, j->i64, ""), place);
    access_store_quads(j, place, words);
}
