/*
 * Writes of a row of lanes. Adjacent words that an operation writes one after the other are
 * collected, and written together before its next access or at its end, so that all need one
 * lookup.
 */
#include <string.h>

#include "runtime/gpu/translate/access.h"
#include "runtime/gpu/translate/row.h"

enum { WORD = 4 /* bytes of the words that are written together */ };

/* Whether the host has masks for elements of this size. For others LLVM makes a branch for each
 * lane, which would often be predicted wrongly. */
static bool has_masks(const struct jit_build *j, unsigned bytes)
{
    return bytes >= WORD || strstr(j->t->features, "+avx512bw");
}

/* Writes adjacent bytes or halves of the lanes that access to `host`, those of others elsewhere. */
static void write_some(struct jit_build *j, const struct access *a, LLVMValueRef host)
{
    const struct llvm *l = j->l;
    LLVMValueRef bits = access_bits32(j, a), other = lanes_variable(j, a->lane);
    LLVMValueRef place[GPU_MAX_LANES], lane, bit;

    for (unsigned n = 0; n < j->lanes; n++) {
        lane = lanes_int(j->i32, n, j);
        bit = l->BuildTrunc(j->b, l->BuildLShr(j->b, bits, lane, ""), j->i1, "");
        place[n] =
            l->BuildSelect(j->b, bit, l->BuildGEP2(j->b, a->lane, host, &lane, 1, ""), other, "");
    }
    access_store_all(j, place, a->data[0]);
}

/* Writes adjacent words, by a masked store if some lanes do not access. */
static void write_row(struct jit_build *j, struct access *a)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = lanes_vector(j, a->lane);
    LLVMBasicBlockRef some = lanes_new_block(j);
    LLVMValueRef first = access_require_step(j, a, a->bytes, a->next_way), host;

    access_probe(j, a, first, a->bytes * j->lanes, access_not_in_page(j, a));
    host = access_host(j, &a->found, 0, type);
    access_fetch_ahead(j, a);
    access_continue_if(j, access_all_lanes(j, a), some);
    l->SetAlignment(l->BuildStore(j->b, a->data[0], host), 1);
    access_end(j, a);
    l->PositionBuilderAtEnd(j->b, some);
    if (has_masks(j, a->bytes))
        access_store_masked(j, a->data[0], host, lanes_from_bits(j, a->bits));
    else
        write_some(j, a, l->BuildBitCast(j->b, host, l->PointerType(a->lane, 0), ""));
    access_end(j, a);
}

/* The number of the last lane that accesses; `a->bits` is not 0. */
static LLVMValueRef last_lane(struct jit_build *j, const struct access *a)
{
    LLVMTypeRef type = j->l->TypeOf(a->bits);
    LLVMValueRef args[] = {a->bits, lanes_int(j->i1, 1, j)};

    return j->l->BuildSub(j->b, lanes_int(type, j->lanes - 1, j),
                          lanes_intrinsic(j, "llvm.ctlz", type, 2, args), "");
}

/* Writes to an address that all lanes share. The lanes write one after the other, so the words of
 * the last one stay there. */
static void write_one(struct jit_build *j, struct access *a)
{
    const struct llvm *l = j->l;
    LLVMValueRef none =
        l->BuildICmp(j->b, LLVMIntEQ, a->bits, l->ConstNull(l->TypeOf(a->bits)), "");
    LLVMBasicBlockRef some = lanes_new_block(j);
    LLVMValueRef lane, v;

    l->DeleteBasicBlock(a->next_way);
    l->BuildCondBr(j->b, none, a->end, some);
    l->PositionBuilderAtEnd(j->b, some);
    access_probe(j, a, lanes_scalar(j, a->address), a->bytes * a->words, a->slow);
    lane = last_lane(j, a);
    for (unsigned n = 0; n < a->words; n++) {
        v = l->BuildExtractElement(j->b, a->data[n], lane, "");
        l->SetAlignment(l->BuildStore(j->b, v, access_host(j, &a->found, n * a->bytes, a->lane)),
                        1);
    }
    access_end(j, a);
}

/* The addresses of word `n` of each lane. */
static LLVMValueRef behind(struct jit_build *j, const struct access *a, LLVMValueRef at, unsigned n)
{
    return n ? j->l->BuildAdd(j->b, at, lanes_splat(j, lanes_int(j->i64, n * a->bytes, j)), "")
             : at;
}

/* Writes words of lanes in pages of the page map. */
static void write_in_pages(struct jit_build *j, struct access *a)
{
    access_require_pages(j, a);
    if (a->words == ACCESS_QUAD && access_has_quads(j, a)) {
        access_write_quads(j, a, a->found.at, a->data);
    } else if (a->bytes < WORD) {
        access_store_each(j, a, a->found.at, a->data[0]); /* hosts cannot scatter these */
    } else {
        for (unsigned n = 0; n < a->words; n++)
            access_transfer(j, a, behind(j, a, a->found.at, n), a->data[n]);
    }
    access_end(j, a);
}

/* Writes by the interpreter's functions, for all lanes at once or lane by lane. */
static void write_slowly(struct jit_build *j, struct access *a)
{
    LLVMValueRef args[5];

    j->l->PositionBuilderAtEnd(j->b, a->slow);
    access_note_address(j);
    for (unsigned n = 0; n < a->words; n++) {
        args[0] = j->warp;
        args[1] = access_bits32(j, a);
        args[2] = access_in_memory(j, behind(j, a, lanes_address(j, a->address), n));
        args[3] = access_in_memory(j, a->data[n]);
        args[4] = access_what(j, a);
        lanes_call_c(j, (const void *)gpu_row_write, j->l->VoidTypeInContext(j->x), 5, args);
    }
    access_end(j, a);
}

/* Writes to addresses that differ from lane to lane. */
static void write_lanes(struct jit_build *j, struct access *a)
{
    if (access_is_of_threads(j, a)) {
        lanes_end_merging(j);
        if (lanes_is_indexed(a->address))
            access_write_indexed(j, a);
        else
            access_write_threads(j, a);
    } else {
        access_begin_merging(j, a);
        if (a->words == 1)
            write_row(j, a);
        else
            j->l->BuildBr(j->b, a->next_way);
        access_write_strided(j, a);
    }
    write_in_pages(j, a);
}

void lanes_finish_writes(struct jit_build *j)
{
    struct access *a = j->writing;

    if (!a)
        return;
    j->writing = NULL;
    if (lanes_is_uniform(j, a->address)) {
        lanes_end_merging(j);
        write_one(j, a);
    } else {
        write_lanes(j, a);
    }
    write_slowly(j, a);
    j->l->PositionBuilderAtEnd(j->b, a->end);
    for (unsigned n = 0; n < a->words; n++)
        access_note_word(j, a, n * a->bytes, a->data[n]);
}

/* Whether the word is written together with those that are collected. */
static bool is_next_word(struct jit_build *j, unsigned bytes, jit_value address)
{
    const struct access *a = j->writing;
    uint64_t ahead;

    return a && bytes == WORD && a->bytes == WORD && a->words < ACCESS_QUAD &&
           a->active == j->active && a->mask == lanes_mask(j) &&
           lanes_distance(j, a->address, address, &ahead) && ahead == a->words * WORD;
}

void lanes_op_mem_write(struct jit_build *j, unsigned bits, unsigned iface, jit_value address,
                        jit_value value)
{
    LLVMValueRef v = lanes_wide(j, value);

    (void)iface;
    if (!lanes_takes_effect(j))
        return;
    j->reading = NULL;
    if (!is_next_word(j, bits / 8, address)) {
        lanes_finish_writes(j);
        j->writing = lanes_keep(j, sizeof(*j->writing));
        *j->writing = access_begin(j, bits, true, address);
        j->writing->words = 0;
    }
    j->writing->data[j->writing->words++] = v;
    if (j->decoder->observed)
        lanes_note(j, j->writing->bits, lanes_wide(j, address), false, bits / 8, GPU_ACCESS_WRITE);
    access_count(j, j->writing);
}
