/*
 * Reads of a row of lanes. An operation that reads several adjacent words per lane requests them
 * one after the other. The ways that were built for the first word also read the others, so that
 * all need one lookup.
 */
#include "runtime/gpu/translate/access.h"
#include "runtime/gpu/translate/row.h"

enum { WORD_BITS = 32, MAX_AHEAD = 12 /* most bytes from the first of the words to the last */ };

/* ---- words of the ways ----------------------------------------------------------------------- */

static LLVMValueRef row_word(struct jit_build *j, const struct access *a, struct access_way *way,
                             unsigned ahead)
{
    LLVMTypeRef type = lanes_vector(j, a->lane);
    LLVMValueRef v = j->l->BuildLoad2(j->b, type, access_host(j, &way->found, ahead, type), "");

    j->l->SetAlignment(v, 1);
    return v;
}

static LLVMValueRef pages_word(struct jit_build *j, const struct access *a, struct access_way *way,
                               unsigned ahead)
{
    LLVMValueRef at = way->found.at;

    if (way->quad[0])
        return way->quad[ahead / a->bytes];
    if (ahead)
        at = j->l->BuildAdd(j->b, at, lanes_splat(j, lanes_int(j->i64, ahead, j)), "");
    /* No block can be added where words are added to a way. */
    at = ahead ? access_load_each(j, a, at) : access_transfer(j, a, at, NULL);
    if (ahead / a->bytes < ACCESS_QUAD)
        way->gathered[ahead / a->bytes] = at;
    return at;
}

/* Extracts narrow integers from words that begin with them, or, at the end of a page, from its last
 * word. */
static LLVMValueRef narrow_word(struct jit_build *j, const struct access *a, struct access_way *way,
                                unsigned ahead)
{
    enum { WORD = 4 };
    const struct llvm *l = j->l;
    LLVMTypeRef words = lanes_vector(j, j->i32);
    LLVMValueRef args[] = {way->found.place,
                           lanes_splat(j, lanes_int(j->i64, PAGE_BYTES - WORD, j))};
    struct access word = *a;
    LLVMValueRef behind, shift, v;

    (void)ahead; /* always 0: this way has room for one word */
    word.bytes = WORD;
    word.lane = j->i32;
    behind = lanes_intrinsic(j, "llvm.usub.sat", l->TypeOf(args[0]), 2, args);
    v = access_transfer(j, &word, l->BuildSub(j->b, way->found.at, behind, ""), NULL);
    shift = l->BuildShl(j->b, behind, lanes_splat(j, lanes_int(j->i64, 3, j)), "");
    v = l->BuildLShr(j->b, v, l->BuildTrunc(j->b, shift, words, ""), "");
    return l->BuildTrunc(j->b, v, lanes_vector(j, a->lane), "");
}

/* Reads by the interpreter's functions, for all lanes at once or lane by lane. */
static LLVMValueRef slow_one(struct jit_build *j, const struct access *a, struct access_way *way,
                             unsigned ahead)
{
    LLVMValueRef va =
        j->l->BuildAdd(j->b, lanes_scalar(j, a->address), lanes_int(j->i64, ahead, j), "");
    LLVMValueRef args[] = {j->warp, access_bits32(j, a), va, access_what(j, a)}, v;

    (void)way;
    v = lanes_call_c(j, (const void *)gpu_row_read_one, j->i64, 4, args);
    return a->bytes < 8 ? j->l->BuildTrunc(j->b, v, a->lane, "") : v;
}

static LLVMValueRef slow_row(struct jit_build *j, const struct access *a, struct access_way *way,
                             unsigned ahead)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = lanes_vector(j, a->lane);
    LLVMValueRef out = lanes_variable(j, type);
    LLVMValueRef va = l->BuildAdd(j->b, lanes_address(j, a->address),
                                  lanes_splat(j, lanes_int(j->i64, ahead, j)), "");
    LLVMValueRef args[] = {j->warp, access_bits32(j, a), access_in_memory(j, va),
                           l->BuildBitCast(j->b, out, j->bytes, ""), access_what(j, a)};

    (void)way;
    lanes_call_c(j, (const void *)gpu_row_read, l->VoidTypeInContext(j->x), 5, args);
    return l->BuildLoad2(j->b, type, out, "");
}

/* ---- the first word -------------------------------------------------------------------------- */

/* Joins the values of all ways behind them. Reads of further words are inserted before the code
 * that follows. */
static jit_value join_ways(struct jit_build *j, struct access *a)
{
    bool uniform = lanes_is_uniform(j, a->address);
    LLVMValueRef phi = j->l->BuildPhi(j->b, uniform ? a->lane : lanes_vector(j, a->lane), "");

    for (unsigned n = 0; n < a->ways; n++)
        j->l->AddIncoming(phi, &a->way[n].value, &a->way[n].from, 1);
    return lanes_wrap(j, phi, uniform);
}

static void read_one(struct jit_build *j, struct access *a)
{
    j->l->DeleteBasicBlock(a->next_way);
    access_probe(j, a, lanes_scalar(j, a->address), a->bytes, a->slow);
    access_way(j, a, access_one_word, 0);
}

static void read_row(struct jit_build *j, struct access *a)
{
    struct lanes_near *near;
    LLVMValueRef first;

    if (access_is_of_threads(j, a) && lanes_is_indexed(a->address)) {
        access_read_indexed(j, a);
    } else if (access_is_of_threads(j, a)) {
        access_read_threads(j, a);
    } else {
        near = access_find_near(j, a, row_word);
        first = access_require_step(j, a, a->bytes, a->next_way);
        /* Words of lanes that do not access are read, too: they are in the same page. */
        access_probe(j, a, first, a->bytes * j->lanes, access_not_in_page(j, a));
        access_fetch_ahead(j, a);
        if (near)
            access_note_near(j, a, near);
        access_way(j, a, row_word, 0);
        access_read_strided(j, a);
    }
    access_require_pages(j, a);
    access_way(j, a, access_by_words(j, a) ? narrow_word : pages_word, 0);
}

static jit_value read_first(struct jit_build *j, struct access *a)
{
    bool uniform = lanes_is_uniform(j, a->address);

    if (uniform)
        read_one(j, a);
    else
        read_row(j, a);
    j->l->PositionBuilderAtEnd(j->b, a->slow);
    access_note_address(j);
    a->found = (struct access_found){0};
    access_way(j, a, uniform ? slow_one : slow_row, 0);
    j->l->PositionBuilderAtEnd(j->b, a->end);
    return join_ways(j, a);
}

/* ---- the words behind it --------------------------------------------------------------------- */

/* Whether a way can check for more bytes than it did when it was built. */
static bool can_grow(const struct jit_build *j, const struct access_way *way)
{
    return way->word != narrow_word && (!way->found.room || j->l->IsAInstruction(way->found.room));
}

/* The access whose ways can also read this word, *ahead bytes behind its own; NULL: none. */
static struct access *find_reading(struct jit_build *j, unsigned bytes, jit_value address,
                                   uint64_t *ahead)
{
    struct access *a = j->reading;

    if (!a || a->bytes != bytes || a->active != j->active || a->mask != lanes_mask(j) ||
        !lanes_distance(j, a->address, address, ahead) || *ahead % bytes || *ahead > MAX_AHEAD)
        return NULL;
    for (unsigned n = 0; n < a->ways; n++)
        if (!can_grow(j, &a->way[n]))
            return NULL;
    return a;
}

/* Extends the check to `bytes` bytes more than at first. Words come in any order, so the check may
 * be larger already. */
static void grow_check(struct jit_build *j, struct access_found *f, unsigned bytes)
{
    unsigned all = f->bytes + bytes;
    LLVMValueRef n = lanes_int(j->i64, f->limit ? PAGE_BYTES - all : all - 1, j);

    if (bytes <= f->extra_bytes)
        return;
    f->extra_bytes = bytes;
    if (f->room && f->limit && !f->at)
        access_check_bytes(j, f->room, all);
    else if (f->room)
        j->l->SetOperand(f->room, 1, f->at ? lanes_splat(j, n) : n);
}

/* Makes a way that has gathered one or two words read four at once. */
static void read_quads(struct jit_build *j, const struct access *a, struct access_way *way)
{
    grow_check(j, &way->found, (ACCESS_QUAD - 1) * a->bytes);
    if (way->word == access_thread_word)
        access_read_thread_quads(j, way);
    else
        access_read_quads(j, a, way->found.at, way->quad);
    for (unsigned n = 0; n < ACCESS_QUAD; n++)
        if (way->gathered[n])
            j->l->ReplaceAllUsesWith(way->gathered[n], way->quad[n]);
}

/* Whether a way is better changed to read four words at once, for the word `ahead` bytes behind the
 * first. Two words are gathered: a page may end behind them. */
static bool needs_quads(const struct jit_build *j, const struct access *a,
                        const struct access_way *way, unsigned ahead)
{
    return (way->word == pages_word || way->word == access_thread_word) && !way->quad[0] &&
           ahead >= 2 * a->bytes && access_has_quads(j, a);
}

static jit_value read_behind(struct jit_build *j, struct access *a, unsigned ahead)
{
    LLVMBasicBlockRef here = j->l->GetInsertBlock(j->b);
    jit_value v;

    for (unsigned n = 0; n < a->ways; n++) {
        struct access_way *way = &a->way[n];
        unsigned parts = way->stride_words ? way->stride_words : 1;

        grow_check(j, &way->found, ahead / (parts * a->bytes) * parts * a->bytes);
        j->l->PositionBuilderBefore(j->b, j->l->GetBasicBlockTerminator(way->from));
        if (needs_quads(j, a, way, ahead))
            read_quads(j, a, way);
        way->value = way->word(j, a, way, ahead);
    }
    j->l->PositionBuilderBefore(j->b, j->l->GetFirstInstruction(a->end));
    v = join_ways(j, a);
    j->l->PositionBuilderAtEnd(j->b, here);
    return v;
}

static struct lanes_noted note_read(struct jit_build *j, const struct access *a, jit_value address)
{
    return lanes_note(j, a->bits, lanes_scalar(j, address), lanes_is_uniform(j, address), a->bytes,
                      GPU_ACCESS_READ);
}

/* The read of a word that is known, which is counted all the same. */
static jit_value read_known(struct jit_build *j, LLVMValueRef v)
{
    struct access a = {.counter = j->cost->kinds.read};

    access_count(j, &a);
    return lanes_wrap(j, v, false);
}

jit_value lanes_op_mem_read(struct jit_build *j, unsigned bits, unsigned iface, jit_value address)
{
    LLVMValueRef known;
    struct access *a;
    uint64_t ahead = 0;
    jit_value v;

    (void)iface;
    if (!lanes_takes_effect(j))
        return lanes_wrap(j, lanes_int(j->l->IntTypeInContext(j->x, bits), 0, j), true);
    lanes_finish_writes(j);
    known = bits == WORD_BITS ? access_known_word(j, address) : NULL;
    if (known)
        return read_known(j, known);
    if (find_reading(j, bits / 8, address, &ahead)) {
        access_count(j, j->reading);
        if (j->decoder->observed && !lanes_note_more(j, &j->reading->noted, ahead, bits / 8))
            note_read(j, j->reading, address);
        v = read_behind(j, j->reading, (unsigned)ahead);
        access_note_word(j, j->reading, ahead, lanes_scalar(j, v));
        return v;
    }
    a = lanes_keep(j, sizeof(*a));
    *a = access_begin(j, bits, false, address);
    access_count(j, a);
    if (j->decoder->observed)
        a->noted = note_read(j, a, address);
    j->reading = a;
    v = read_first(j, a);
    access_note_word(j, a, 0, lanes_scalar(j, v));
    return v;
}
