/*
 * Accesses of a row of lanes. Adjacent words in one page of the soft TLB need one lookup and one
 * access; a uniform address needs one access of one word. Other accesses go lane by lane, as in
 * handlers (row.h). This file finds memory and counts; reads are in read.c, writes in write.c.
 */
#include "runtime/gpu/translate/access.h"
#include "runtime/gpu/translate/row.h"

#include <string.h>

enum { WORD = 4 /* bytes of the words that hosts can gather */ };

static LLVMValueRef const_i64(struct jit_build *j, uint64_t v)
{
    return lanes_int(j->i64, v, j);
}

static LLVMValueRef is_zero(struct jit_build *j, LLVMValueRef bits)
{
    return j->l->BuildICmp(j->b, LLVMIntEQ, bits, j->l->ConstNull(j->l->TypeOf(bits)), "");
}

static LLVMValueRef lanes_that_access(struct jit_build *j)
{
    LLVMValueRef mask = lanes_mask(j);

    return mask ? j->l->BuildAnd(j->b, j->active, lanes_bits(j, mask), "") : j->active;
}

void access_continue_if(struct jit_build *j, LLVMValueRef cond, LLVMBasicBlockRef otherwise)
{
    LLVMBasicBlockRef next = lanes_new_block(j);

    lanes_branch_likely(j, cond, next, otherwise);
    j->l->PositionBuilderAtEnd(j->b, next);
}

static LLVMValueRef page_of(struct jit_build *j, LLVMValueRef va)
{
    return j->l->BuildLShr(j->b, va, const_i64(j, GPU_TLB_PAGE_SHIFT), "");
}

static LLVMValueRef log_member(struct jit_build *j, size_t offset, LLVMTypeRef type)
{
    return lanes_at(j, j->core, const_i64(j, offsetof(struct gpu_host_context, log) + offset),
                    type);
}

struct lanes_noted lanes_note(struct jit_build *j, LLVMValueRef bits, LLVMValueRef va, bool uniform,
                              unsigned bytes, unsigned access)
{
    const struct llvm *l = j->l;
    bool one = !va || uniform;
    size_t size = sizeof(struct gpu_access_note) + (one ? 0 : j->lanes * sizeof(uint64_t));
    LLVMValueRef on, at_member, at, head, store, next;
    struct lanes_noted noted = {.bytes = bytes};
    struct gpu_access_note note = {
        .bytes = (uint8_t)bytes, .access = (uint8_t)access, .is_uniform = one};
    LLVMBasicBlockRef behind = lanes_new_block(j);
    uint64_t rest;

    memcpy(&rest, &note, sizeof(rest)); /* with the lanes set to 0 */
    on = l->BuildLoad2(j->b, j->i8,
                       log_member(j, offsetof(struct gpu_access_log, host_notes), j->i8), "");
    access_continue_if(j, l->BuildICmp(j->b, LLVMIntNE, on, lanes_int(j->i8, 0, j), ""), behind);
    at_member = log_member(j, offsetof(struct gpu_access_log, at), j->bytes);
    at = l->BuildLoad2(j->b, j->bytes, at_member, "");
    head = l->BuildOr(j->b, bits ? l->BuildZExt(j->b, bits, j->i64, "") : const_i64(j, 0),
                      const_i64(j, rest), "");
    noted.head = head;
    noted.store = l->BuildStore(j->b, head, lanes_at(j, at, const_i64(j, 0), j->i64));
    l->SetAlignment(noted.store, 8);
    if (va && one)
        l->SetAlignment(
            l->BuildStore(
                j->b, va,
                lanes_at(j, at, const_i64(j, offsetof(struct gpu_access_note, address)), j->i64)),
            8);
    if (!one) {
        LLVMTypeRef t = lanes_vector(j, j->i64);

        store = l->BuildStore(j->b, va,
                              lanes_at(j, at, const_i64(j, sizeof(struct gpu_access_note)), t));
        l->SetAlignment(store, 8);
    }
    next = const_i64(j, size);
    next = l->BuildGEP2(j->b, j->i8, at, &next, 1, "");
    l->BuildStore(j->b, next, at_member);
    l->BuildBr(j->b, behind);
    l->PositionBuilderAtEnd(j->b, behind);
    j->note_count++;
    j->note_bytes += size;
    return noted;
}

bool lanes_note_more(struct jit_build *j, struct lanes_noted *noted, uint64_t ahead, unsigned bytes)
{
    enum { BYTES_SHIFT = 8 * offsetof(struct gpu_access_note, bytes) };
    LLVMBasicBlockRef here = j->l->GetInsertBlock(j->b);

    if (ahead != noted->bytes || noted->bytes + bytes > UINT8_MAX)
        return false;
    j->l->PositionBuilderBefore(j->b, noted->store);
    noted->bytes += bytes;
    noted->head =
        j->l->BuildAdd(j->b, noted->head, const_i64(j, (uint64_t)bytes << BYTES_SHIFT), "");
    j->l->SetOperand(noted->store, 0, noted->head);
    j->l->PositionBuilderAtEnd(j->b, here);
    return true;
}

/* A number, or one for each lane if `like` is a vector. */
static LLVMValueRef number_like(struct jit_build *j, LLVMValueRef like, LLVMValueRef number)
{
    return j->l->TypeOf(like) == j->i64 ? number : lanes_splat(j, number);
}

/* The place of an address, or of those of all lanes, in its page; a large number if the page cannot
 * be in the map. */
static LLVMValueRef place_in_page(struct jit_build *j, LLVMValueRef va)
{
    return j->l->BuildAnd(j->b, va, number_like(j, va, j->place_bits), "");
}

/* The element of the page map for page number `page`, or for those of all lanes; 0: unknown. */
static LLVMValueRef element_of(struct jit_build *j, const struct access *a, LLVMValueRef page)
{
    LLVMValueRef at = j->l->BuildAdd(
        j->b, page, number_like(j, page, const_i64(j, a->counter * (uint64_t)GPU_MAP_STRIDE)), "");

    return j->l->BuildGEP2(j->b, j->i64, j->map, &at, 1, "");
}

static LLVMValueRef distance_of(struct jit_build *j, const struct access *a, LLVMValueRef page)
{
    return j->l->BuildLoad2(j->b, j->i64, element_of(j, a, page), "");
}

/* Joins a value with one that another block made, and continues behind both. */
static LLVMValueRef join_values(struct jit_build *j, LLVMValueRef here, LLVMValueRef other,
                                LLVMBasicBlockRef other_from)
{
    LLVMBasicBlockRef from = j->l->GetInsertBlock(j->b), next = lanes_new_block(j);
    LLVMValueRef phi;

    j->l->BuildBr(j->b, next);
    j->l->PositionBuilderAtEnd(j->b, other_from);
    j->l->BuildBr(j->b, next);
    j->l->PositionBuilderAtEnd(j->b, next);
    phi = j->l->BuildPhi(j->b, j->l->TypeOf(here), "");
    j->l->AddIncoming(phi, &here, &from, 1);
    j->l->AddIncoming(phi, &other, &other_from, 1);
    return phi;
}

/* The distance to the host memory of an access that ends in the page behind `page`, if the host has
 * both side by side. Words that begin in one page and end in the other are counted byte by byte, so
 * they go the slow way. Branches to `otherwise` if it has not. */
static LLVMValueRef distance_across(struct jit_build *j, const struct access *a, LLVMValueRef va,
                                    LLVMValueRef page, LLVMBasicBlockRef otherwise)
{
    const struct llvm *l = j->l;
    LLVMValueRef distance, behind, words, high;

    words = l->BuildAnd(j->b, va, const_i64(j, a->bytes - 1), "");
    high = l->BuildLShr(j->b, va, const_i64(j, GPU_MAP_BITS), "");
    words = l->BuildOr(j->b, words, high, "");
    access_continue_if(j, l->BuildICmp(j->b, LLVMIntEQ, words, const_i64(j, 0), ""), otherwise);
    distance = distance_of(j, a, page);
    behind = distance_of(j, a, l->BuildAdd(j->b, page, const_i64(j, 1), ""));
    access_continue_if(j, l->BuildICmp(j->b, LLVMIntEQ, distance, behind, ""), otherwise);
    return distance;
}

/* Sets the host memory of the access at `va`, `distance` bytes further on. Branches to `otherwise`
 * if that is 0. */
static void set_host(struct jit_build *j, struct access *a, LLVMValueRef va, LLVMValueRef distance,
                     LLVMBasicBlockRef otherwise)
{
    LLVMValueRef known = j->l->BuildICmp(j->b, LLVMIntNE, distance, const_i64(j, 0), "");

    access_continue_if(j, known, otherwise);
    a->found.host = j->l->BuildIntToPtr(j->b, j->l->BuildAdd(j->b, va, distance, ""), j->bytes, "");
}

void access_probe(struct jit_build *j, struct access *a, LLVMValueRef va, unsigned bytes,
                  LLVMBasicBlockRef otherwise)
{
    const struct llvm *l = j->l;
    LLVMBasicBlockRef inside = lanes_new_block(j), across = lanes_new_block(j);
    LLVMValueRef page = page_of(j, va), distance;

    a->found = (struct access_found){.bytes = bytes, .limit = true};
    a->found.room =
        l->BuildICmp(j->b, LLVMIntULE, place_in_page(j, va), const_i64(j, PAGE_BYTES - bytes), "");
    lanes_branch_likely(j, a->found.room, inside, across);
    l->PositionBuilderAtEnd(j->b, inside);
    distance = distance_of(j, a, page);
    l->PositionBuilderAtEnd(j->b, across);
    distance = join_values(j, distance_across(j, a, va, page, otherwise), distance, inside);
    set_host(j, a, va, distance, otherwise);
}

void access_check_bytes(struct jit_build *j, LLVMValueRef room, unsigned bytes)
{
    unsigned limit = PAGE_BYTES - bytes;

    if (j->l->ConstIntGetZExtValue(j->l->GetOperand(room, 1)) > limit)
        j->l->SetOperand(room, 1, const_i64(j, limit));
}

void access_count(struct jit_build *j, const struct access *a)
{
    size_t member = offsetof(struct gpu_core, accesses) + a->counter * sizeof(uint64_t);
    LLVMValueRef at, bits, sum;

    if (!a->mask) {
        j->failed |= ++j->cost->accesses[a->counter] == UINT8_MAX;
        return;
    }
    at = lanes_at(j, j->core, const_i64(j, member), j->i64);
    bits = access_bits32(j, a);
    sum = j->l->BuildZExt(j->b, lanes_intrinsic(j, "llvm.ctpop", j->i32, 1, &bits), j->i64, "");
    sum = j->l->BuildAdd(j->b, j->l->BuildLoad2(j->b, j->i64, at, ""), sum, "");
    j->l->BuildStore(j->b, sum, at);
}

LLVMValueRef access_what(struct jit_build *j, const struct access *a)
{
    return lanes_int(j->i32, a->bytes | a->counter << GPU_ROW_COUNTER, j);
}

struct access access_begin(struct jit_build *j, unsigned bits, bool write, jit_value address)
{
    struct access a = {.bytes = bits / 8, .words = 1, .write = write, .address = address};

    a.counter = write ? j->cost->kinds.write : j->cost->kinds.read;
    a.active = j->active;
    a.mask = lanes_mask(j);
    a.lane = j->l->IntTypeInContext(j->x, bits);
    a.bits = lanes_that_access(j);
    a.slow = lanes_new_block(j);
    a.next_way = lanes_new_block(j);
    a.end = lanes_new_block(j);
    a.is_first = !j->memory && !j->handled;
    j->memory = true;
    j->op_effects = true;
    j->access_count++;
    return a;
}

LLVMValueRef access_require_step(struct jit_build *j, const struct access *a, unsigned step,
                                 LLVMBasicBlockRef otherwise)
{
    const struct llvm *l = j->l;
    LLVMBasicBlockRef next = lanes_new_block(j);
    LLVMValueRef first, only_if = NULL, others;

    others = lanes_bits(j, lanes_in_step(j, a->address, step, &first, &only_if));
    others = is_zero(j, l->BuildAnd(j->b, l->BuildNot(j->b, others, ""), a->bits, ""));
    if (only_if)
        lanes_branch_likely(j, l->BuildAnd(j->b, only_if, others, ""), next, otherwise);
    else
        l->BuildCondBr(j->b, others, next, otherwise);
    l->PositionBuilderAtEnd(j->b, next);
    return first;
}

LLVMValueRef access_all_lanes(struct jit_build *j, const struct access *a)
{
    return is_zero(j, j->l->BuildNot(j->b, a->bits, ""));
}

LLVMBasicBlockRef access_not_in_page(struct jit_build *j, const struct access *a)
{
    LLVMBasicBlockRef here = j->l->GetInsertBlock(j->b), block = lanes_new_block(j);

    j->l->PositionBuilderAtEnd(j->b, block);
    j->l->BuildCondBr(j->b, access_all_lanes(j, a), a->slow, a->next_way);
    j->l->PositionBuilderAtEnd(j->b, here);
    return block;
}

LLVMValueRef access_bits32(struct jit_build *j, const struct access *a)
{
    return j->lanes == 32 ? a->bits : j->l->BuildZExt(j->b, a->bits, j->i32, "");
}

/* Forgets at run time where the rows of near.c are. */
static void forget_near(struct jit_build *j)
{
    for (unsigned n = 0; n < j->near_count; n++)
        j->l->BuildStore(j->b, j->l->ConstNull(j->bytes), j->near[n].host);
}

void access_note_address(struct jit_build *j)
{
    j->l->BuildStore(j->b, const_i64(j, j->address),
                     lanes_member(j, offsetof(struct gpu_warp, address), j->i64));
    forget_near(j);
    if (j->loops)
        lanes_count_slow(j);
}

LLVMValueRef access_in_memory(struct jit_build *j, LLVMValueRef v)
{
    LLVMValueRef at = lanes_variable(j, j->l->TypeOf(v));

    j->l->BuildStore(j->b, v, at);
    return j->l->BuildBitCast(j->b, at, j->bytes, "");
}

void access_end(struct jit_build *j, struct access *a)
{
    j->l->BuildBr(j->b, a->end);
}

LLVMValueRef access_host(struct jit_build *j, const struct access_found *found, unsigned ahead,
                         LLVMTypeRef t)
{
    return lanes_at(j, found->host, const_i64(j, ahead), t);
}

/* Where a loop accesses memory ROUNDS_AHEAD rounds later, if it goes on by as many bytes per round
 * as since the last. Any address is allowed, as it is only fetched. */
static LLVMValueRef ahead_in_loop(struct jit_build *j, const struct access *a)
{
    enum { ROUNDS_AHEAD = 4 };
    const struct llvm *l = j->l;
    LLVMValueRef last = lanes_variable(j, j->i64), step;
    LLVMValueRef here = l->BuildPtrToInt(j->b, access_host(j, &a->found, 0, j->i8), j->i64, "");

    l->BuildStore(j->entry_builder, const_i64(j, 0), last);
    step = l->BuildSub(j->b, here, l->BuildLoad2(j->b, j->i64, last, ""), "");
    l->BuildStore(j->b, here, last);
    step = l->BuildMul(j->b, step, const_i64(j, ROUNDS_AHEAD), "");
    return lanes_at(j, access_host(j, &a->found, 0, j->i8), step, j->i8);
}

void access_fetch_ahead(struct jit_build *j, const struct access *a)
{
    enum { BYTES_AHEAD = 256, KEPT = 3, OF_DATA = 1 };
    const struct llvm *l = j->l;
    unsigned id = l->LookupIntrinsicID("llvm.prefetch", strlen("llvm.prefetch"));
    LLVMValueRef ahead =
        j->loops ? ahead_in_loop(j, a) : access_host(j, &a->found, BYTES_AHEAD, j->i8);
    LLVMValueRef args[] = {ahead, lanes_int(j->i32, a->write, j), lanes_int(j->i32, KEPT, j),
                           lanes_int(j->i32, OF_DATA, j)};

    l->BuildCall2(j->b, l->IntrinsicGetType(j->x, id, &j->bytes, 1),
                  l->GetIntrinsicDeclaration(j->module, id, &j->bytes, 1), args, 4, "");
}

/* ---- lanes apart ----------------------------------------------------------------------------- */

bool access_by_words(const struct jit_build *j, const struct access *a)
{
    return j->t->gathers && !a->write && a->bytes < WORD;
}

/* Mask of the lanes whose access is in one page of the map. */
static LLVMValueRef is_inside(struct jit_build *j, struct access *a, LLVMValueRef va)
{
    a->found = (struct access_found){.bytes = a->bytes * a->words, .limit = true};
    a->found.place = place_in_page(j, va);
    a->found.room = j->l->BuildICmp(j->b, LLVMIntULE, a->found.place,
                                    lanes_splat(j, const_i64(j, PAGE_BYTES - a->found.bytes)), "");
    return a->found.room;
}

/* The distances of the pages of all lanes that access; branches to the slow way if one is
 * unknown. */
static LLVMValueRef find_in_map(struct jit_build *j, const struct access *a, LLVMValueRef pages)
{
    const struct llvm *l = j->l;
    struct access word = *a;
    LLVMValueRef distance, unknown;

    word.lane = j->i64;
    distance = access_transfer(j, &word, element_of(j, a, pages), NULL);
    unknown = l->BuildICmp(j->b, LLVMIntEQ, distance, l->ConstNull(l->TypeOf(distance)), "");
    unknown = l->BuildAnd(j->b, lanes_bits(j, unknown), a->bits, "");
    access_continue_if(j, is_zero(j, unknown), a->slow);
    return distance;
}

/* What an access of a loop found in the round before: variables for the pages, their distances, and
 * the number of slow accesses at that time, after which pages may be elsewhere. */
struct pages_before {
    LLVMValueRef pages, distance, slow;
};

static struct pages_before no_pages_before(struct jit_build *j)
{
    LLVMTypeRef type = lanes_vector(j, j->i64);
    struct pages_before b = {lanes_variable(j, type), lanes_variable(j, type),
                             lanes_variable(j, j->i32)};

    /* no number of slow accesses, so that the two vectors are not used */
    j->l->BuildStore(j->entry_builder, lanes_int(j->i32, UINT32_MAX, j), b.slow);
    return b;
}

static LLVMValueRef slow_accesses(struct jit_build *j)
{
    if (!j->slow_accesses) {
        j->slow_accesses = lanes_variable(j, j->i32);
        j->l->BuildStore(j->entry_builder, lanes_int(j->i32, 0, j), j->slow_accesses);
    }
    return j->slow_accesses;
}

void lanes_count_slow(struct jit_build *j)
{
    LLVMValueRef at = slow_accesses(j), n = j->l->BuildLoad2(j->b, j->i32, at, "");

    j->l->BuildStore(j->b, j->l->BuildAdd(j->b, n, lanes_int(j->i32, 1, j), ""), at);
}

/* Lanes of a loop usually stay in their pages for many rounds, in rows of a matrix for instance.
 * The pages are looked up where that is not so. */
static LLVMValueRef find_as_before(struct jit_build *j, struct access *a, LLVMValueRef pages)
{
    const struct llvm *l = j->l;
    struct pages_before b = no_pages_before(j);
    LLVMBasicBlockRef known = lanes_new_block(j), unknown = lanes_new_block(j);
    LLVMValueRef slow = l->BuildLoad2(j->b, j->i32, slow_accesses(j), ""), same, other, distance;

    other = l->BuildLoad2(j->b, l->TypeOf(pages), b.pages, "");
    other = lanes_bits(j, l->BuildICmp(j->b, LLVMIntNE, pages, other, ""));
    same = is_zero(j, l->BuildAnd(j->b, other, a->bits, ""));
    other = l->BuildICmp(j->b, LLVMIntEQ, l->BuildLoad2(j->b, j->i32, b.slow, ""), slow, "");
    l->BuildCondBr(j->b, l->BuildAnd(j->b, same, other, ""), known, unknown);
    l->PositionBuilderAtEnd(j->b, unknown);
    distance = find_in_map(j, a, pages);
    other = l->BuildNot(j->b, l->ConstNull(l->TypeOf(pages)), "");
    l->BuildStore(j->b, l->BuildSelect(j->b, lanes_from_bits(j, a->bits), pages, other, ""),
                  b.pages);
    l->BuildStore(j->b, distance, b.distance);
    l->BuildStore(j->b, slow, b.slow);
    unknown = l->GetInsertBlock(j->b);
    l->PositionBuilderAtEnd(j->b, known);
    return join_values(j, l->BuildLoad2(j->b, l->TypeOf(pages), b.distance, ""), distance, unknown);
}

/* ---- regions --------------------------------------------------------------------------------- */

/* A member of the access's region. */
static LLVMValueRef region_member(struct jit_build *j, LLVMValueRef region, size_t member,
                                  LLVMTypeRef type)
{
    return lanes_at(j, region, const_i64(j, member), type);
}

/* The region of an access to global memory; NULL: there is none. Those of different functions share
 * regions. */
static LLVMValueRef region_of(struct jit_build *j, const struct access *a)
{
    unsigned n = j->region_count % GPU_REGIONS + a->counter * GPU_REGIONS;

    if (a->counter >= GPU_REGION_TABLES)
        return NULL;
    j->region_count++;
    return lanes_at(j, j->regions, const_i64(j, n * sizeof(struct gpu_region)), j->i8);
}

static LLVMValueRef load_region(struct jit_build *j, LLVMValueRef region, size_t member)
{
    LLVMValueRef at = region_member(j, region, member, j->i64);

    return lanes_splat(j, j->l->BuildLoad2(j->b, j->i64, at, ""));
}

/* Counts a row whose pages are known, but not all in the region. After some of them the region
 * around one of its pages is looked for. */
static void miss_region(struct jit_build *j, const struct access *a, LLVMValueRef region,
                        LLVMValueRef pages)
{
    const struct llvm *l = j->l;
    LLVMValueRef at = region_member(j, region, offsetof(struct gpu_region, misses), j->i32);
    LLVMValueRef left = l->BuildLoad2(j->b, j->i32, at, ""), args[3];
    LLVMValueRef count[] = {a->bits, lanes_int(j->i1, 1, j)};
    LLVMBasicBlockRef look = lanes_new_block(j), behind = lanes_new_block(j);

    left = l->BuildSub(j->b, left, lanes_int(j->i32, 1, j), "");
    l->BuildStore(j->b, left, at);
    lanes_branch_likely(j, l->BuildICmp(j->b, LLVMIntNE, left, lanes_int(j->i32, 0, j), ""), behind,
                        look);
    l->PositionBuilderAtEnd(j->b, look);
    args[0] = region;
    args[1] = l->BuildBitCast(j->b, element_of(j, a, const_i64(j, 0)), j->bytes, "");
    args[2] = lanes_intrinsic(j, "llvm.cttz", l->TypeOf(a->bits), 2, count);
    args[2] = l->BuildExtractElement(j->b, pages, args[2], "");
    lanes_call_c(j, (const void *)gpu_region_look, l->VoidTypeInContext(j->x), 3, args);
    l->BuildBr(j->b, behind);
    l->PositionBuilderAtEnd(j->b, behind);
}

/* The distances of the pages of all lanes; `fits`: lanes whose access is in one page. */
static LLVMValueRef find_pages(struct jit_build *j, struct access *a, LLVMValueRef pages,
                               LLVMValueRef fits)
{
    fits = j->l->BuildAnd(j->b, a->bits, j->l->BuildNot(j->b, lanes_bits(j, fits), ""), "");
    access_continue_if(j, is_zero(j, fits), a->slow);
    return j->loops ? find_as_before(j, a, pages) : find_in_map(j, a, pages);
}

/* Does the same where all lanes may be in a region. */
static LLVMValueRef find_in_region(struct jit_build *j, struct access *a, LLVMValueRef va,
                                   LLVMValueRef pages, LLVMValueRef fits)
{
    const struct llvm *l = j->l;
    LLVMValueRef region = region_of(j, a), within, distance;
    LLVMBasicBlockRef inside, outside;

    if (!region)
        return find_pages(j, a, pages, fits);
    inside = lanes_new_block(j);
    outside = lanes_new_block(j);
    within = load_region(j, region, offsetof(struct gpu_region, first));
    within = l->BuildICmp(j->b, LLVMIntULT, l->BuildSub(j->b, va, within, ""),
                          load_region(j, region, offsetof(struct gpu_region, bytes)), "");
    within = l->BuildNot(j->b, lanes_bits(j, l->BuildAnd(j->b, within, fits, "")), "");
    within = is_zero(j, l->BuildAnd(j->b, a->bits, within, ""));
    if (j->patterned) /* values of its rounds are not to be moved to the other way (sink.c) */
        l->BuildCondBr(j->b, within, inside, outside);
    else
        lanes_branch_likely(j, within, inside, outside);
    l->PositionBuilderAtEnd(j->b, outside);
    distance = find_pages(j, a, pages, fits);
    miss_region(j, a, region, pages);
    outside = l->GetInsertBlock(j->b);
    l->PositionBuilderAtEnd(j->b, inside);
    return join_values(j, load_region(j, region, offsetof(struct gpu_region, distance)), distance,
                       outside);
}

void access_require_pages(struct jit_build *j, struct access *a)
{
    const struct llvm *l = j->l;
    LLVMValueRef va, pages, fits;

    l->PositionBuilderAtEnd(j->b, a->next_way);
    a->found = (struct access_found){0};
    va = lanes_address(j, a->address);
    pages = l->BuildLShr(j->b, va, lanes_splat(j, const_i64(j, GPU_TLB_PAGE_SHIFT)), "");
    fits = is_inside(j, a, va);
    a->found.at = l->BuildAdd(j->b, va, find_in_region(j, a, va, pages, fits), "");
}

static LLVMValueRef transfer_at_once(struct jit_build *j, const struct access *a, LLVMValueRef at,
                                     LLVMValueRef store)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = lanes_vector(j, a->lane);
    LLVMTypeRef overloads[] = {type, lanes_vector(j, l->PointerType(a->lane, 0))};
    bool is_number = l->TypeOf(at) != overloads[1];
    const char *name = store ? "llvm.masked.scatter" : "llvm.masked.gather";
    unsigned id = l->LookupIntrinsicID(name, strlen(name));
    LLVMValueRef one = lanes_int(j->i32, 1, j), mask = lanes_from_bits(j, a->bits);
    LLVMValueRef read[] = {NULL, one, mask, l->GetUndef(type)}, write[] = {store, NULL, one, mask};

    read[0] = write[1] = is_number ? l->BuildIntToPtr(j->b, at, overloads[1], "") : at;
    return l->BuildCall2(j->b, l->IntrinsicGetType(j->x, id, overloads, 2),
                         l->GetIntrinsicDeclaration(j->module, id, overloads, 2),
                         store ? write : read, 4, "");
}

/* The lanes that access, as a mask for numbers of 64 bits. LLVM takes bit by bit from a number for
 * hosts whose registers have no masks of a bit per lane. */
static LLVMValueRef mask_of_lanes(struct jit_build *j, const struct access *a)
{
    LLVMValueRef bit[GPU_MAX_LANES], bits;

    if (j->t->gathers)
        return lanes_from_bits(j, a->bits);
    for (unsigned n = 0; n < j->lanes; n++)
        bit[n] = const_i64(j, UINT64_C(1) << n);
    bits = j->l->ConstVector(bit, j->lanes);
    bits =
        j->l->BuildAnd(j->b, lanes_splat(j, j->l->BuildZExt(j->b, a->bits, j->i64, "")), bits, "");
    return j->l->BuildICmp(j->b, LLVMIntNE, bits, j->l->ConstNull(j->l->TypeOf(bits)), "");
}

/* Host addresses of all lanes as integers. */
static LLVMValueRef as_numbers(struct jit_build *j, LLVMValueRef at)
{
    LLVMTypeRef numbers = lanes_vector(j, j->i64);

    return j->l->TypeOf(at) == numbers ? at : j->l->BuildPtrToInt(j->b, at, numbers, "");
}

/* Pointers to words of each lane at host addresses, integers or pointers; those of lanes that do
 * not access are `other`, or, if that is NULL, all do. */
static void place_each(struct jit_build *j, const struct access *a, LLVMValueRef at,
                       LLVMValueRef other, LLVMValueRef *place)
{
    const struct llvm *l = j->l;
    LLVMTypeRef pointer = l->PointerType(a->lane, 0);

    at = as_numbers(j, at);
    if (other) {
        other = lanes_splat(j, l->BuildPtrToInt(j->b, other, j->i64, ""));
        at = l->BuildSelect(j->b, mask_of_lanes(j, a), at, other, "");
    }
    for (unsigned n = 0; n < j->lanes; n++)
        place[n] = l->BuildIntToPtr(
            j->b, l->BuildExtractElement(j->b, at, lanes_int(j->i32, n, j), ""), pointer, "");
}

LLVMValueRef access_load_all(struct jit_build *j, LLVMTypeRef type, const LLVMValueRef *place)
{
    LLVMValueRef v = j->l->GetUndef(lanes_vector(j, type)), one;

    for (unsigned n = 0; n < j->lanes; n++) {
        one = j->l->BuildLoad2(j->b, type, place[n], "");
        j->l->SetAlignment(one, 1);
        v = j->l->BuildInsertElement(j->b, v, one, lanes_int(j->i32, n, j), "");
    }
    return v;
}

void access_store_all(struct jit_build *j, const LLVMValueRef *place, LLVMValueRef words)
{
    LLVMValueRef one;

    for (unsigned n = 0; n < j->lanes; n++) {
        one = j->l->BuildExtractElement(j->b, words, lanes_int(j->i32, n, j), "");
        j->l->SetAlignment(j->l->BuildStore(j->b, one, place[n]), 1);
    }
}

void access_store_each(struct jit_build *j, const struct access *a, LLVMValueRef at,
                       LLVMValueRef words)
{
    LLVMValueRef place[GPU_MAX_LANES];

    /* A branch for each lane would often be predicted wrongly. */
    place_each(j, a, at, lanes_variable(j, a->lane), place);
    access_store_all(j, place, words);
}

LLVMValueRef access_load_each(struct jit_build *j, const struct access *a, LLVMValueRef at)
{
    LLVMValueRef place[GPU_MAX_LANES];

    if (j->t->gathers)
        return transfer_at_once(j, a, at, NULL);
    place_each(j, a, at, lanes_variable(j, a->lane), place);
    return access_load_all(j, a->lane, place);
}

/* Copies one lane's word from the host address at index `lane` of `places` to that of `words`, or
 * back. */
static void transfer_one(struct jit_build *j, const struct access *a, LLVMValueRef lane,
                         LLVMValueRef places, LLVMValueRef words, bool store)
{
    const struct llvm *l = j->l;
    LLVMTypeRef pointer = l->PointerType(a->lane, 0);
    LLVMValueRef at, word, host;

    at = l->BuildBitCast(j->b, places, l->PointerType(j->i64, 0), "");
    at = l->BuildLoad2(j->b, j->i64, l->BuildGEP2(j->b, j->i64, at, &lane, 1, ""), "");
    host = l->BuildIntToPtr(j->b, at, pointer, "");
    word = l->BuildBitCast(j->b, words, pointer, "");
    word = l->BuildGEP2(j->b, a->lane, word, &lane, 1, "");
    at = l->BuildLoad2(j->b, a->lane, store ? word : host, "");
    l->SetAlignment(at, 1);
    l->SetAlignment(l->BuildStore(j->b, at, store ? host : word), 1);
}

/* Transfers words of the lanes that access, in a loop over them: LLVM's code for masks is a branch
 * for each lane, and takes long to make. */
static LLVMValueRef transfer_some(struct jit_build *j, const struct access *a, LLVMValueRef at,
                                  LLVMValueRef store)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = lanes_vector(j, a->lane);
    LLVMValueRef places = lanes_variable(j, lanes_vector(j, j->i64)), words;
    LLVMBasicBlockRef round = lanes_new_block(j), end = lanes_new_block(j), from[2];
    LLVMValueRef left[2], phi, count[2], lane;

    words = lanes_variable(j, type);
    l->BuildStore(j->b, as_numbers(j, at), places);
    if (store)
        l->BuildStore(j->b, store, words);
    left[0] = access_bits32(j, a);
    from[0] = l->GetInsertBlock(j->b);
    from[1] = round;
    l->BuildCondBr(j->b, is_zero(j, left[0]), end, round);
    l->PositionBuilderAtEnd(j->b, round);
    phi = l->BuildPhi(j->b, j->i32, "");
    count[0] = phi;
    count[1] = lanes_int(j->i1, 1, j); /* it is not zero */
    lane = lanes_intrinsic(j, "llvm.cttz", j->i32, 2, count);
    transfer_one(j, a, l->BuildZExt(j->b, lane, j->i64, ""), places, words, store);
    left[1] = l->BuildSub(j->b, phi, lanes_int(j->i32, 1, j), "");
    left[1] = l->BuildAnd(j->b, phi, left[1], "");
    l->AddIncoming(phi, left, from, 2);
    l->BuildCondBr(j->b, is_zero(j, left[1]), end, round);
    l->PositionBuilderAtEnd(j->b, end);
    return store ? NULL : l->BuildLoad2(j->b, type, words, "");
}

static LLVMValueRef transfer_each(struct jit_build *j, const struct access *a, LLVMValueRef at,
                                  LLVMValueRef store)
{
    const struct llvm *l = j->l;
    LLVMBasicBlockRef some = lanes_new_block(j), end = lanes_new_block(j), from[2];
    LLVMValueRef place[GPU_MAX_LANES], v[2] = {NULL}, phi;

    access_continue_if(j, access_all_lanes(j, a), some);
    place_each(j, a, at, NULL, place);
    if (store)
        access_store_all(j, place, store);
    else
        v[0] = access_load_all(j, a->lane, place);
    from[0] = l->GetInsertBlock(j->b);
    l->BuildBr(j->b, end);
    l->PositionBuilderAtEnd(j->b, some);
    v[1] = transfer_some(j, a, at, store);
    from[1] = l->GetInsertBlock(j->b);
    l->BuildBr(j->b, end);
    l->PositionBuilderAtEnd(j->b, end);
    if (store)
        return NULL;
    phi = l->BuildPhi(j->b, lanes_vector(j, a->lane), "");
    l->AddIncoming(phi, v, from, 2);
    return phi;
}

LLVMValueRef access_transfer(struct jit_build *j, const struct access *a, LLVMValueRef at,
                             LLVMValueRef store)
{
    return j->t->gathers ? transfer_at_once(j, a, at, store) : transfer_each(j, a, at, store);
}

LLVMValueRef access_store_masked(struct jit_build *j, LLVMValueRef v, LLVMValueRef to,
                                 LLVMValueRef mask)
{
    const struct llvm *l = j->l;
    LLVMTypeRef overloads[] = {l->TypeOf(v), l->TypeOf(to)};
    const char *name = "llvm.masked.store";
    unsigned id = l->LookupIntrinsicID(name, strlen(name));
    LLVMValueRef args[] = {v, to, lanes_int(j->i32, 1, j), mask};

    return l->BuildCall2(j->b, l->IntrinsicGetType(j->x, id, overloads, 2),
                         l->GetIntrinsicDeclaration(j->module, id, overloads, 2), args, 4, "");
}

/* ---- words that wait (merge.c) --------------------------------------------------------------- */

enum {
    READ_BEHIND = 16 /* most bytes that a read is made longer later, by words behind the first */
};

/* Stores the words that wait, from `host` on, before another access. */
static void store_waiting(struct jit_build *j, LLVMValueRef host)
{
    const struct lanes_merging *m = &j->merging;
    unsigned bytes = m->first->bytes;
    LLVMValueRef args[3], ahead;

    args[2] = lanes_int(j->i32, GPU_ROW_PARTS(j->lanes, bytes, bytes * m->parts), j);
    for (unsigned n = 0; n < m->parts; n++) {
        if (!m->data[n])
            continue;
        ahead = lanes_int(j->i64, n * bytes, j);
        args[0] = j->l->BuildGEP2(j->b, j->i8, host, &ahead, 1, "");
        args[1] = access_in_memory(j, m->data[n]);
        lanes_call_c(j, (const void *)gpu_row_store_part, j->l->VoidTypeInContext(j->x), 3, args);
    }
    j->l->BuildStore(j->b, j->l->ConstNull(j->bytes), m->host);
}

void access_store_unless(struct jit_build *j, LLVMValueRef cond, LLVMValueRef host,
                         LLVMBasicBlockRef otherwise)
{
    LLVMBasicBlockRef next = lanes_new_block(j), apart = lanes_new_block(j);

    lanes_branch_likely(j, cond, next, apart);
    j->l->PositionBuilderAtEnd(j->b, apart);
    store_waiting(j, host);
    j->l->BuildBr(j->b, otherwise ? otherwise : next);
    j->l->PositionBuilderAtEnd(j->b, next);
}

void access_store_before(struct jit_build *j, const struct access_found *found)
{
    const struct llvm *l = j->l;
    const struct lanes_merging *m = &j->merging;
    LLVMValueRef host, from, cond;
    uint64_t bytes, read = found->bytes + READ_BEHIND - 1;

    if (!m->stored)
        return;
    host = l->BuildLoad2(j->b, j->bytes, m->host, "");
    if (!found->host) {
        cond = l->BuildICmp(j->b, LLVMIntEQ, host, l->ConstNull(j->bytes), "");
        access_store_unless(j, cond, host, NULL);
        return;
    }
    bytes = (uint64_t)m->first->bytes * m->parts * j->lanes;
    from = l->BuildSub(j->b, l->BuildPtrToInt(j->b, found->host, j->i64, ""),
                       l->BuildPtrToInt(j->b, host, j->i64, ""), "");
    from = l->BuildAdd(j->b, from, lanes_int(j->i64, read, j), "");
    cond = l->BuildICmp(j->b, LLVMIntUGE, from, lanes_int(j->i64, read + bytes, j), "");
    access_store_unless(j, cond, host, NULL);
}

/* ---- ways of a read -------------------------------------------------------------------------- */

void access_way(struct jit_build *j, struct access *a, access_word_fn *word, unsigned parts)
{
    struct access_way *way = &a->way[a->ways++];

    access_store_before(j, &a->found);
    *way = (struct access_way){.word = word, .found = a->found, .stride_words = parts};
    way->value = word(j, a, way, 0);
    way->from = j->l->GetInsertBlock(j->b);
    access_end(j, a);
}

LLVMValueRef access_one_word(struct jit_build *j, const struct access *a, struct access_way *way,
                             unsigned ahead)
{
    LLVMValueRef v =
        j->l->BuildLoad2(j->b, a->lane, access_host(j, &way->found, ahead, a->lane), "");

    j->l->SetAlignment(v, 1);
    return v;
}
