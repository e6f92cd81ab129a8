/*
 * Strided accesses, such as those of structures and vectors: each lane accesses one word of two to
 * four adjacent ones. All words are read at once. A write masks the words out that are not written,
 * so that they stay unchanged.
 */
#include "runtime/gpu/translate/access.h"

enum { MAX_PARTS = ACCESS_MAX_PARTS, MAX_BYTES = 4 };

/* The vector type for the words of all lanes' strides. */
static LLVMTypeRef parts_type(struct jit_build *j, const struct access *a, unsigned parts)
{
    return j->l->VectorType(a->lane, j->lanes * parts);
}

/* Continues if each lane's address is `parts` words behind the previous lane's, in memory of the
 * page map; branches to a->next_way otherwise. */
static void require_stride(struct jit_build *j, struct access *a, unsigned parts)
{
    LLVMValueRef first;

    j->l->PositionBuilderAtEnd(j->b, a->next_way);
    a->next_way = lanes_new_block(j);
    first = access_require_step(j, a, a->bytes * parts, a->next_way);
    if (a->write)
        access_continue_if(j, access_all_lanes(j, a), a->next_way);
    access_probe(j, a, first, a->bytes * parts * j->lanes, a->next_way);
}

static LLVMValueRef const_i32(struct jit_build *j, unsigned n)
{
    return lanes_int(j->i32, n, j);
}

/* Reads chunk n of a way, once: lanes * stride_words words, from n * stride_words words behind the
 * first lane's address on. Chunk 0 has the strides of all lanes. */
static LLVMValueRef read_chunk(struct jit_build *j, const struct access *a, struct access_way *way,
                               unsigned n)
{
    LLVMTypeRef type = parts_type(j, a, way->stride_words);
    unsigned bytes = n * way->stride_words * a->bytes;

    if (!way->chunk[n]) {
        way->chunk[n] = j->l->BuildLoad2(j->b, type, access_host(j, &way->found, bytes, type), "");
        j->l->SetAlignment(way->chunk[n], 1);
    }
    return way->chunk[n];
}

static LLVMValueRef read_part(struct jit_build *j, const struct access *a, struct access_way *way,
                              unsigned ahead)
{
    unsigned n = ahead / a->bytes;
    LLVMValueRef v = read_chunk(j, a, way, n / way->stride_words), which[GPU_MAX_LANES];

    for (unsigned k = 0; k < j->lanes; k++)
        which[k] = const_i32(j, k * way->stride_words + n % way->stride_words);
    return j->l->BuildShuffleVector(j->b, v, j->l->GetUndef(j->l->TypeOf(v)),
                                    j->l->ConstVector(which, j->lanes), "");
}

static void read_in_parts(struct jit_build *j, struct access *a, unsigned parts)
{
    require_stride(j, a, parts);
    access_way(j, a, read_part, parts);
}

static LLVMValueRef same_word(struct jit_build *j, const struct access *a, struct access_way *way,
                              unsigned ahead)
{
    return lanes_splat(j, access_one_word(j, a, way, ahead));
}

/* Reads one word for all lanes if their addresses are equal at run time. */
static void read_same(struct jit_build *j, struct access *a)
{
    LLVMValueRef first;

    j->l->PositionBuilderAtEnd(j->b, a->next_way);
    a->next_way = lanes_new_block(j);
    first = access_require_step(j, a, 0, a->next_way);
    access_probe(j, a, first, a->bytes, a->next_way);
    access_way(j, a, same_word, 0);
}

void access_read_strided(struct jit_build *j, struct access *a)
{
    read_same(j, a);
    if (a->bytes > MAX_BYTES)
        return;
    for (unsigned parts = MAX_PARTS; parts > 1; parts--)
        read_in_parts(j, a, parts);
}

/* The words n and n + 1 of each lane, in turns, as one vector; words that are not written are
 * undefined. */
static LLVMValueRef pairs_of(struct jit_build *j, LLVMTypeRef type, const LLVMValueRef *data,
                             unsigned n)
{
    LLVMValueRef none = j->l->GetUndef(type), which[2 * GPU_MAX_LANES];

    for (unsigned k = 0; k < 2 * j->lanes; k++)
        which[k] = const_i32(j, k / 2 + k % 2 * j->lanes);
    return j->l->BuildShuffleVector(j->b, data[n] ? data[n] : none,
                                    data[n + 1] ? data[n + 1] : none,
                                    j->l->ConstVector(which, 2 * j->lanes), "");
}

LLVMValueRef access_store_parts(struct jit_build *j, LLVMValueRef host, const LLVMValueRef *data,
                                unsigned parts)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = l->TypeOf(data[0]);
    unsigned count = j->lanes * parts;
    LLVMValueRef which[GPU_MAX_LANES * MAX_PARTS], mask[GPU_MAX_LANES * MAX_PARTS], v;
    bool all = true;

    for (unsigned n = 0; n < count; n++) {
        unsigned part = n % parts;

        which[n] = data[part] ? const_i32(j, (n / parts * 2 + part % 2) + part / 2 * 2 * j->lanes)
                              : l->GetUndef(j->i32);
        mask[n] = lanes_int(j->i1, data[part] != NULL, j);
        all &= data[part] != NULL;
    }
    v = l->BuildShuffleVector(j->b, pairs_of(j, type, data, 0), pairs_of(j, type, data, 2),
                              l->ConstVector(which, count), "");
    host = l->BuildBitCast(j->b, host, l->PointerType(l->TypeOf(v), 0), "");
    if (!all)
        return access_store_masked(j, v, host, l->ConstVector(mask, count));
    v = l->BuildStore(j->b, v, host);
    l->SetAlignment(v, 1);
    return v;
}

static bool may_wait(const struct jit_build *j, const struct access *a, unsigned parts)
{
    return j->merging.first == a && j->merging.parts == parts;
}

/* Writes the words of the first of several writes (merge.c) to the strides that were found. */
static void store_first(struct jit_build *j, const struct access *a)
{
    struct lanes_merging *m = &j->merging;

    j->l->BuildStore(j->b, a->found.host, m->host);
    m->stored = access_store_parts(j, a->found.host, m->data, m->parts);
}

static void write_in_parts(struct jit_build *j, struct access *a, unsigned parts)
{
    require_stride(j, a, parts);
    if (may_wait(j, a, parts))
        store_first(j, a);
    else
        access_store_parts(j, a->found.host, a->data, parts);
    access_end(j, a);
}

void access_write_strided(struct jit_build *j, struct access *a)
{
    if (a->bytes > MAX_BYTES)
        return;
    if (a->words == MAX_PARTS - 1 || may_wait(j, a, MAX_PARTS - 1))
        write_in_parts(j, a, MAX_PARTS - 1); /* as structures of three words */
    for (unsigned parts = MAX_PARTS; parts > 1 && parts >= a->words; parts /= 2)
        write_in_parts(j, a, parts);
}
