/*
 * Memory that each thread has for itself, to which compilers spill registers. Threads' parts of it
 * lie one behind the other, so the words of a row are found by one lookup where all its parts are
 * in one page.
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

/* Finds the memory of all lanes; branches to a->next_way if it is not in one page. */
static void find_threads(struct jit_build *j, struct access *a)
{
    LLVMValueRef first = lanes_thread_sum(j, a->address, j->thread_first);
    LLVMValueRef last = lanes_thread_sum(j, a->address, j->thread_last);

    access_probe_span(j, a, first, last, a->bytes * a->words, a->next_way);
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
    const struct llvm *l = j->l;
    LLVMValueRef v = l->GetUndef(lanes_vector(j, a->lane)), place[GPU_MAX_LANES], one;

    if (way->quad[0])
        return way->quad[ahead / a->bytes];
    place_threads(j, &way->found, ahead, a->lane, place);
    for (unsigned lane = 0; lane < j->lanes; lane++) {
        one = l->BuildLoad2(j->b, a->lane, place[lane], "");
        l->SetAlignment(one, 1);
        v = l->BuildInsertElement(j->b, v, one, lanes_int(j->i32, lane, j), "");
    }
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
    find_threads(j, a);
    access_way(j, a, access_thread_word, 0);
}

/* Stores a word of each lane. */
static void store_words(struct jit_build *j, const struct access *a, unsigned n)
{
    const struct llvm *l = j->l;
    LLVMValueRef place[GPU_MAX_LANES], v;

    place_threads(j, &a->found, n * a->bytes, a->lane, place);
    for (unsigned lane = 0; lane < j->lanes; lane++) {
        v = l->BuildExtractElement(j->b, a->data[n], lanes_int(j->i32, lane, j), "");
        l->SetAlignment(l->BuildStore(j->b, v, place[lane]), 1);
    }
}

void access_write_threads(struct jit_build *j, struct access *a)
{
    LLVMValueRef place[GPU_MAX_LANES];

    access_continue_if(j, access_all_lanes(j, a), a->next_way);
    find_threads(j, a);
    if (a->words == ACCESS_QUAD && access_has_quads(j, a)) {
        place_threads(j, &a->found, 0, j->l->VectorType(j->i32, ACCESS_QUAD), place);
        access_store_quads(j, place, a->data);
    } else {
        for (unsigned n = 0; n < a->words; n++)
            store_words(j, a, n);
    }
    access_end(j, a);
}
