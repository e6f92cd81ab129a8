/*
 * Memory that each thread has for itself, to which compilers spill registers, and where they keep
 * its arrays. Threads' parts of it lie one behind the other, in the host, too, so the words of a
 * row are found without a lookup where all its parts are in the span of known pages (struct
 * gpu_span).
 *
 * A word that a trace has read or written is not read again while the same lanes are active: no
 * other instruction of the trace has changed it. Writes go to memory at once, so that whoever
 * continues behind the trace finds it as it must be.
 */
#include "runtime/gpu/translate/access.h"

enum { WORD = 4 };

/* ---- words that are known -------------------------------------------------------------------- */

/* The known word at the offset; NULL: none. */
static struct lanes_thread_word *find_word(struct jit_build *j, uint64_t offset)
{
    unsigned n = 0;

    while (n < j->thread_words && j->thread_word[n].offset != offset)
        n++;
    return n < j->thread_words ? &j->thread_word[n] : NULL;
}

LLVMValueRef access_known_word(struct jit_build *j, jit_value address)
{
    const struct lanes_thread_word *w;
    uint64_t offset;

    if (!lanes_thread_offset(j, address, &offset) || lanes_mask(j) || j->decoder->observed)
        return NULL;
    w = find_word(j, offset);
    return w && w->active == j->active && w->kind == j->cost->kinds.read / 2 ? w->v : NULL;
}

void access_note_word(struct jit_build *j, const struct access *a, uint64_t ahead, LLVMValueRef v)
{
    struct lanes_thread_word *w;
    uint64_t offset;

    if (!lanes_thread_offset(j, a->address, &offset) || a->bytes != WORD || a->mask) {
        if (a->write) /* it may be one of the words */
            lanes_forget_words(j);
        return;
    }
    offset += ahead;
    if (offset % WORD) {
        lanes_forget_words(j);
        return;
    }
    w = find_word(j, offset);
    if (!w && j->thread_words == LANES_THREAD_WORDS)
        lanes_forget_words(j);
    if (!w)
        w = &j->thread_word[j->thread_words++];
    *w = (struct lanes_thread_word){offset, v, a->active, a->counter / 2};
}

/* ---- memory of all lanes --------------------------------------------------------------------- */

bool access_is_of_threads(const struct jit_build *j, const struct access *a)
{
    return a->counter == (unsigned)GPU_COUNT_THREAD_READ + a->write &&
           lanes_in_thread_memory(j, a->address);
}

static LLVMValueRef load_span(struct jit_build *j, const struct access *a, size_t member)
{
    size_t of = offsetof(struct gpu_core, span) + a->write * sizeof(struct gpu_span);

    return j->l->BuildLoad2(j->b, j->i64,
                            lanes_at(j, j->core, lanes_int(j->i64, of + member, j), j->i64), "");
}

static LLVMValueRef is_below(struct jit_build *j, LLVMValueRef v, LLVMValueRef end)
{
    return j->l->BuildICmp(j->b, LLVMIntULT, v, end, "");
}

/* Finds the memory of all lanes in the span of known pages; branches to a->next_way if it is not
 * there. access_found.room becomes the largest index that may be added in all lanes. */
static void find_span(struct jit_build *j, struct access *a)
{
    const struct llvm *l = j->l;
    LLVMValueRef first = load_span(j, a, offsetof(struct gpu_span, first));
    LLVMValueRef end = load_span(j, a, offsetof(struct gpu_span, end)), from, last, room, host;
    unsigned bytes = a->bytes * a->words;

    from = lanes_thread_sum(j, a->address, j->thread_first);
    last = lanes_thread_sum(j, a->address, j->thread_last);
    room = l->BuildSub(j->b, l->BuildSub(j->b, end, last, ""), lanes_int(j->i64, 1, j), "");
    room = l->BuildSub(j->b, room, lanes_int(j->i64, bytes - 1, j), "");
    a->found = (struct access_found){.bytes = bytes, .room = room};
    first = is_below(j, l->BuildSub(j->b, from, first, ""), l->BuildSub(j->b, end, first, ""));
    last = is_below(j, room, lanes_int(j->i64, UINT64_C(1) << 32, j));
    access_continue_if(j, l->BuildAnd(j->b, first, last, ""), a->next_way);
    host = l->BuildAdd(j->b, from, load_span(j, a, offsetof(struct gpu_span, distance)), "");
    a->found.threads = l->BuildIntToPtr(j->b, host, j->bytes, "");
}

/* Pointers to `type`, `ahead` bytes behind each lane's address. */
static void place_threads(struct jit_build *j, const struct access_found *found, unsigned ahead,
                          LLVMTypeRef type, LLVMValueRef *place)
{
    enum { AT_ONCE = 4 }; /* hosts can add one, two and four times a number to an address */
    const struct llvm *l = j->l;
    LLVMValueRef from = access_host(j, found, ahead, j->i8), by[AT_ONCE + 1];

    for (unsigned n = 0; n <= AT_ONCE; n++)
        by[n] = l->BuildMul(j->b, j->thread_step, lanes_int(j->i64, n, j), "");
    for (unsigned lane = 0; lane < j->lanes; lane++) {
        if (lane && lane % AT_ONCE == 0)
            from = l->BuildGEP2(j->b, j->i8, from, &by[AT_ONCE], 1, "");
        place[lane] = lanes_at(j, from, by[lane % AT_ONCE], type);
    }
}

LLVMValueRef access_thread_word(struct jit_build *j, const struct access *a, struct access_way *way,
                                unsigned ahead)
{
    LLVMValueRef place[GPU_MAX_LANES], v;

    if (way->quad[0])
        return way->quad[ahead / a->bytes];
    place_threads(j, &way->found, ahead, a->lane, place);
    v = access_load_all(j, a->lane, place);
    if (ahead / a->bytes < ACCESS_QUAD)
        way->gathered[ahead / a->bytes] = v;
    return v;
}

void access_read_thread_quads(struct jit_build *j, struct access_way *way)
{
    LLVMValueRef place[GPU_MAX_LANES];

    place_threads(j, &way->found, 0, j->l->VectorType(j->i32, ACCESS_QUAD), place);
    access_load_quads(j, place, way->quad);
}

void access_read_threads(struct jit_build *j, struct access *a)
{
    find_span(j, a);
    a->found.host = a->found.threads;
    access_way(j, a, access_thread_word, 0);
}

/* Stores a word of each lane. */
static void store_words(struct jit_build *j, const struct access *a, unsigned n)
{
    LLVMValueRef place[GPU_MAX_LANES];

    place_threads(j, &a->found, n * a->bytes, a->lane, place);
    access_store_all(j, place, a->data[n]);
}

void access_write_threads(struct jit_build *j, struct access *a)
{
    LLVMValueRef place[GPU_MAX_LANES];

    access_continue_if(j, access_all_lanes(j, a), a->next_way);
    find_span(j, a);
    a->found.host = a->found.threads;
    if (a->words == ACCESS_QUAD && access_has_quads(j, a)) {
        place_threads(j, &a->found, 0, j->l->VectorType(j->i32, ACCESS_QUAD), place);
        access_store_quads(j, place, a->data);
    } else {
        for (unsigned n = 0; n < a->words; n++)
            store_words(j, a, n);
    }
    access_end(j, a);
}

/* ---- places that differ from lane to lane ---------------------------------------------------- */

/* Whether the lanes of the mask `is`, and perhaps others, are all that access. */
static LLVMValueRef has_all(struct jit_build *j, const struct access *a, LLVMValueRef is)
{
    LLVMValueRef out = j->l->BuildNot(j->b, lanes_bits(j, is), "");

    out = j->l->BuildAnd(j->b, a->bits, out, "");
    return j->l->BuildICmp(j->b, LLVMIntEQ, out, j->l->ConstNull(j->l->TypeOf(out)), "");
}

/* Finds the memory of all lanes if one index is that of all, as of a loop that all execute
 * together; branches to `apart` if it is not, and to a->next_way if that memory is not in the span.
 */
static void find_at_one(struct jit_build *j, struct access *a, LLVMBasicBlockRef apart)
{
    const struct llvm *l = j->l;
    LLVMBasicBlockRef one = lanes_new_block(j);
    LLVMValueRef index, first;
    unsigned scale;

    index = lanes_thread_index(j, a->address, &scale);
    first = l->BuildExtractElement(j->b, index, lanes_int(j->i32, 0, j), "");
    index = l->BuildICmp(j->b, LLVMIntEQ, index, lanes_splat(j, first), "");
    l->BuildCondBr(j->b, has_all(j, a, index), one, apart);
    l->PositionBuilderAtEnd(j->b, one);
    first = l->BuildZExt(j->b, first, j->i64, "");
    first = l->BuildShl(j->b, first, lanes_int(j->i64, scale, j), "");
    access_continue_if(j, l->BuildICmp(j->b, LLVMIntULE, first, a->found.room, ""), a->next_way);
    a->found.host = lanes_at(j, a->found.threads, first, j->i8);
}

/* Does so for indices that differ. What lanes that do not access have for an index may be anything:
 * they get 0. */
static void find_apart(struct jit_build *j, struct access *a)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = lanes_vector(j, j->i32);
    LLVMValueRef index, most, fits, steps;
    unsigned scale;

    a->found.host = NULL;
    index = lanes_thread_index(j, a->address, &scale);
    most = l->BuildLShr(j->b, a->found.room, lanes_int(j->i64, scale, j), "");
    most = lanes_splat(j, l->BuildTrunc(j->b, most, j->i32, ""));
    fits = l->BuildICmp(j->b, LLVMIntULE, index, most, "");
    access_continue_if(j, has_all(j, a, fits), a->next_way);
    index = l->BuildSelect(j->b, fits, index, l->ConstNull(type), "");
    index = l->BuildShl(j->b, index, lanes_splat(j, lanes_int(j->i32, scale, j)), "");
    steps = l->BuildSub(j->b, j->thread_base, lanes_splat(j, j->thread_first), "");
    a->found.index = l->BuildAdd(j->b, index, l->BuildTrunc(j->b, steps, type, ""), "");
}

/* Pointers to `type`, `ahead` bytes behind each lane's address. */
static void place_indexed(struct jit_build *j, const struct access_found *found, unsigned ahead,
                          LLVMTypeRef type, LLVMValueRef *place)
{
    LLVMValueRef from = lanes_at(j, found->threads, lanes_int(j->i64, ahead, j), j->i8), index;

    for (unsigned lane = 0; lane < j->lanes; lane++) {
        index = j->l->BuildExtractElement(j->b, found->index, lanes_int(j->i32, lane, j), "");
        place[lane] = lanes_at(j, from, j->l->BuildZExt(j->b, index, j->i64, ""), type);
    }
}

static LLVMValueRef indexed_word(struct jit_build *j, const struct access *a,
                                 struct access_way *way, unsigned ahead)
{
    LLVMValueRef place[GPU_MAX_LANES];

    place_indexed(j, &way->found, ahead, a->lane, place);
    return access_load_all(j, a->lane, place);
}

void access_read_indexed(struct jit_build *j, struct access *a)
{
    LLVMBasicBlockRef apart = lanes_new_block(j);

    find_span(j, a);
    find_at_one(j, a, apart);
    access_way(j, a, access_thread_word, 0);
    j->l->PositionBuilderAtEnd(j->b, apart);
    find_apart(j, a);
    access_way(j, a, indexed_word, 0);
}

/* Stores the words of some lanes; those of the others go to a variable. */
static void store_some(struct jit_build *j, struct access *a)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = lanes_vector(j, j->i64);
    LLVMValueRef from = l->BuildPtrToInt(j->b, a->found.threads, j->i64, ""), at, ahead;

    at = l->BuildAdd(j->b, l->BuildZExt(j->b, a->found.index, type, ""), lanes_splat(j, from), "");
    for (unsigned n = 0; n < a->words; n++) {
        ahead = lanes_splat(j, lanes_int(j->i64, n * a->bytes, j));
        access_store_each(j, a, l->BuildAdd(j->b, at, ahead, ""), a->data[n]);
    }
    access_end(j, a);
}

void access_write_indexed(struct jit_build *j, struct access *a)
{
    LLVMBasicBlockRef some = lanes_new_block(j), apart = lanes_new_block(j);
    LLVMValueRef place[GPU_MAX_LANES];

    find_span(j, a);
    access_continue_if(j, access_all_lanes(j, a), some);
    find_at_one(j, a, apart);
    for (unsigned n = 0; n < a->words; n++)
        store_words(j, a, n);
    access_end(j, a);
    j->l->PositionBuilderAtEnd(j->b, apart);
    find_apart(j, a);
    for (unsigned n = 0; n < a->words; n++) {
        place_indexed(j, &a->found, n * a->bytes, a->lane, place);
        access_store_all(j, place, a->data[n]);
    }
    access_end(j, a);
    j->l->PositionBuilderAtEnd(j->b, some);
    find_apart(j, a);
    store_some(j, a);
}
