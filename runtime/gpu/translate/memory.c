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

static LLVMValueRef entry_member(struct jit_build *j, const struct access *a, size_t offset,
                                 LLVMTypeRef type)
{
    return lanes_at(j, a->found.entry, const_i64(j, offset), type);
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

/* A constant of the type of `like`: one number, or one for each lane. */
static LLVMValueRef number_like(struct jit_build *j, LLVMValueRef like, uint64_t number)
{
    LLVMValueRef value = const_i64(j, number);

    return j->l->TypeOf(like) == j->i64 ? value : lanes_splat(j, value);
}

/* The number of a page, or of those of all lanes, as the soft TLB of the group has it: that of an
 * observed group marks all. */
static LLVMValueRef held_number(struct jit_build *j, LLVMValueRef page)
{
    LLVMValueRef hidden;

    if (!j->decoder->observed)
        return page;
    hidden = j->l->BuildLoad2(j->b, j->i64,
                              log_member(j, offsetof(struct gpu_access_log, hidden), j->i64), "");
    if (j->l->TypeOf(page) != j->i64)
        hidden = lanes_splat(j, hidden);
    return j->l->BuildOr(j->b, page, hidden, "");
}

static size_t table_of(const struct access *a)
{
    return a->write ? offsetof(struct gpu_core, write) : offsetof(struct gpu_core, read);
}

/* Where the entry at the first or second place of a page lies behind `core`, which gpu_tlb_index()
 * and gpu_tlb_second() say; for one page, or for those of all lanes. */
static LLVMValueRef place_of(struct jit_build *j, const struct access *a, LLVMValueRef page,
                             bool second)
{
    const struct llvm *l = j->l;
    size_t table = table_of(a) + (second ? GPU_TLB_ENTRIES * sizeof(struct gpu_tlb_entry) : 0);
    LLVMValueRef last = number_like(j, page, GPU_TLB_ENTRIES - 1), place;

    place = l->BuildLShr(j->b, page, number_like(j, page, GPU_TLB_MIX_SHIFT), "");
    if (second) {
        place = l->BuildAnd(j->b, place, last, ""); /* hosts multiply narrow numbers faster */
        place = l->BuildMul(j->b, place, number_like(j, page, GPU_TLB_MIX), "");
    }
    place = l->BuildAnd(j->b, l->BuildAdd(j->b, page, place, ""), last, "");
    place = l->BuildMul(j->b, place, number_like(j, page, sizeof(struct gpu_tlb_entry)), "");
    return l->BuildAdd(j->b, place, number_like(j, page, table), "");
}

/* Finds the entry of `page` at one of its places and compares it with `last`: the same page, or the
 * next one, which the entry never holds. */
static LLVMValueRef compare_entry(struct jit_build *j, struct access *a, LLVMValueRef page,
                                  LLVMValueRef last, bool second)
{
    size_t page_of_kind = offsetof(struct gpu_tlb_entry, page_of_kind[a->counter / 2]);
    LLVMValueRef at = place_of(j, a, page, second);

    a->found.entry = j->l->BuildGEP2(j->b, j->i8, j->core, &at, 1, "");
    return j->l->BuildICmp(
        j->b, LLVMIntEQ,
        j->l->BuildLoad2(j->b, j->i64, entry_member(j, a, page_of_kind, j->i64), ""), last, "");
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

/* Finds the entry of a page at its first or second place. Continues if it holds `last`; branches to
 * `otherwise` if not. */
static void find_entry(struct jit_build *j, struct access *a, LLVMValueRef page, LLVMValueRef last,
                       LLVMBasicBlockRef otherwise)
{
    LLVMBasicBlockRef at_first = lanes_new_block(j), apart = lanes_new_block(j);
    LLVMValueRef first;

    last = held_number(j, last);
    lanes_branch_likely(j, compare_entry(j, a, page, last, false), at_first, apart);
    first = a->found.entry;
    j->l->PositionBuilderAtEnd(j->b, apart);
    access_continue_if(j, compare_entry(j, a, page, last, true), otherwise);
    a->found.entry = join_values(j, a->found.entry, first, at_first);
}

static LLVMValueRef entry_host(struct jit_build *j, const struct access *a)
{
    return j->l->BuildLoad2(j->b, j->bytes,
                            entry_member(j, a, offsetof(struct gpu_tlb_entry, host), j->bytes), "");
}

void access_probe(struct jit_build *j, struct access *a, LLVMValueRef va, unsigned bytes,
                  LLVMBasicBlockRef otherwise)
{
    const struct llvm *l = j->l;
    LLVMValueRef at;

    a->found = (struct access_found){.bytes = bytes};
    a->found.room = l->BuildAdd(j->b, va, const_i64(j, bytes - 1), "");
    find_entry(j, a, page_of(j, va), page_of(j, a->found.room), otherwise);
    at = l->BuildAnd(j->b, va, const_i64(j, (1u << GPU_TLB_PAGE_SHIFT) - 1), "");
    a->found.host = entry_host(j, a);
    a->found.host = l->BuildGEP2(j->b, j->i8, a->found.host, &at, 1, "");
}

void access_probe_span(struct jit_build *j, struct access *a, LLVMValueRef first, LLVMValueRef last,
                       unsigned bytes, LLVMBasicBlockRef otherwise)
{
    const struct llvm *l = j->l;
    LLVMValueRef page = page_of(j, first), at;

    a->found = (struct access_found){.bytes = bytes};
    a->found.room = l->BuildAdd(j->b, last, const_i64(j, bytes - 1), "");
    /* An entry may hold a page far behind the one that is looked up. */
    access_continue_if(j, l->BuildICmp(j->b, LLVMIntEQ, page, page_of(j, a->found.room), ""),
                       otherwise);
    find_entry(j, a, page, page, otherwise);
    at = l->BuildAnd(j->b, first, const_i64(j, (1u << GPU_TLB_PAGE_SHIFT) - 1), "");
    a->found.host = entry_host(j, a);
    a->found.host = l->BuildGEP2(j->b, j->i8, a->found.host, &at, 1, "");
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

void access_note_address(struct jit_build *j)
{
    j->l->BuildStore(j->b, const_i64(j, j->address),
                     lanes_member(j, offsetof(struct gpu_warp, address), j->i64));
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

/* Where a loop accesses memory ROUNDS_AHEAD rounds later, if it goes on by as many bytes per round as
 * since the last. Any address is allowed, as it is only fetched. */
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

static LLVMValueRef lowest_lane(struct jit_build *j, LLVMValueRef bits)
{
    LLVMValueRef args[] = {bits, lanes_int(j->i1, 0, j)};

    return lanes_intrinsic(j, "llvm.cttz", j->l->TypeOf(bits), 2, args);
}

/* The page of the lowest of the lanes `bits`, its host memory as an integer, and the mask of the
 * lanes in it. Branches to `otherwise` if the page is not at its first place. */
static LLVMValueRef take_page(struct jit_build *j, struct access *a, LLVMValueRef pages,
                              LLVMValueRef bits, LLVMBasicBlockRef otherwise, LLVMValueRef *host)
{
    const struct llvm *l = j->l;
    LLVMValueRef lane =
        l->BuildAnd(j->b, lowest_lane(j, bits), lanes_int(l->TypeOf(bits), j->lanes - 1, j), "");
    LLVMValueRef page = l->BuildExtractElement(j->b, pages, lane, "");

    access_continue_if(j, compare_entry(j, a, page, held_number(j, page), false), otherwise);
    *host = l->BuildPtrToInt(j->b, entry_host(j, a), j->i64, "");
    return l->BuildICmp(j->b, LLVMIntEQ, pages, lanes_splat(j, page), "");
}

bool access_by_words(const struct access *a)
{
    return !a->write && a->bytes < WORD;
}

/* Mask of the lanes whose access stays within a page; for narrow integers, within a word. */
static LLVMValueRef is_inside(struct jit_build *j, struct access *a, LLVMValueRef in_page)
{
    const struct llvm *l = j->l;
    LLVMValueRef low;

    if (!access_by_words(a)) {
        a->found.room = l->BuildICmp(
            j->b, LLVMIntULE, in_page,
            lanes_splat(j, const_i64(j, (1u << GPU_TLB_PAGE_SHIFT) - a->bytes * a->words)), "");
        return a->found.room;
    }
    low = l->BuildAnd(j->b, in_page, lanes_splat(j, const_i64(j, a->bytes - 1)), "");
    return l->BuildICmp(j->b, LLVMIntEQ, low, l->ConstNull(l->TypeOf(low)), "");
}

/* Finds the one or two pages of all lanes that access; branches to `more` if there are more, or if
 * one is not at its first place. Returns the host memory of each lane's page. */
static LLVMValueRef find_pages(struct jit_build *j, struct access *a, LLVMValueRef pages,
                               LLVMBasicBlockRef more)
{
    const struct llvm *l = j->l;
    struct access_pages *t = &a->found.pages;
    LLVMValueRef rest, second, host[2];

    t->first = take_page(j, a, pages, a->bits, more, &host[0]);
    /* If there is only one page, it is used as the second page, too. */
    rest = l->BuildAnd(j->b, a->bits, l->BuildNot(j->b, lanes_bits(j, t->first), ""), "");
    rest = l->BuildSelect(j->b, is_zero(j, rest), a->bits, rest, "");
    second = take_page(j, a, pages, rest, more, &host[1]);
    rest = lanes_bits(j, l->BuildOr(j->b, t->first, second, ""));
    rest = l->BuildAnd(j->b, a->bits, l->BuildNot(j->b, rest, ""), "");
    access_continue_if(j, is_zero(j, rest), more);
    return l->BuildSelect(j->b, t->first, lanes_splat(j, host[0]), lanes_splat(j, host[1]), "");
}

/* A word of 64 bits of each lane that accesses, from a vector of addresses in `core`. */
static LLVMValueRef gather_of_core(struct jit_build *j, const struct access *a, LLVMValueRef at)
{
    struct access word = *a;
    LLVMValueRef core = j->l->BuildPtrToInt(j->b, j->core, j->i64, "");

    word.lane = j->i64;
    at = j->l->BuildAdd(j->b, at, lanes_splat(j, core), "");
    return access_transfer(j, &word, at, NULL);
}

/* Mask of the lanes whose entries do not hold their pages. */
static LLVMValueRef misses(struct jit_build *j, const struct access *a, LLVMValueRef entries,
                           LLVMValueRef pages)
{
    size_t member = offsetof(struct gpu_tlb_entry, page_of_kind[a->counter / 2]);
    LLVMValueRef at = j->l->BuildAdd(j->b, entries, lanes_splat(j, const_i64(j, member)), "");

    return j->l->BuildICmp(j->b, LLVMIntNE, gather_of_core(j, a, at), pages, "");
}

/* Finds the pages of all lanes in the soft TLB, however many there are. Returns the host memory of
 * each lane's page. */
static LLVMValueRef find_each_page(struct jit_build *j, struct access *a, LLVMValueRef pages)
{
    const struct llvm *l = j->l;
    LLVMBasicBlockRef at_first = lanes_new_block(j), apart = lanes_new_block(j);
    LLVMValueRef first, second, entries, held = held_number(j, pages), missed, left, host;

    first = place_of(j, a, pages, false);
    missed = misses(j, a, first, held);
    left = l->BuildAnd(j->b, lanes_bits(j, missed), a->bits, "");
    lanes_branch_likely(j, is_zero(j, left), at_first, apart);
    l->PositionBuilderAtEnd(j->b, apart);
    second = place_of(j, a, pages, true);
    left = l->BuildAnd(j->b, lanes_bits(j, misses(j, a, second, held)), left, "");
    access_continue_if(j, is_zero(j, left), a->slow);
    entries = join_values(j, l->BuildSelect(j->b, missed, second, first, ""), first, at_first);
    host = lanes_splat(j, const_i64(j, offsetof(struct gpu_tlb_entry, host)));
    return gather_of_core(j, a, l->BuildAdd(j->b, entries, host, ""));
}

/* The host memory of each lane's page, however many pages there are. */
static LLVMValueRef find_in_table(struct jit_build *j, struct access *a, LLVMValueRef pages)
{
    LLVMBasicBlockRef more = lanes_new_block(j), few;
    LLVMValueRef of_few = find_pages(j, a, pages, more);

    few = j->l->GetInsertBlock(j->b);
    j->l->PositionBuilderAtEnd(j->b, more);
    return join_values(j, find_each_page(j, a, pages), of_few, few);
}

/* What an access of a loop found in the round before: variables for the pages, their host memory,
 * and the number of slow accesses at that time, after which pages may be elsewhere. */
struct pages_before {
    LLVMValueRef pages, host, slow;
};

static struct pages_before no_pages_before(struct jit_build *j)
{
    LLVMTypeRef type = lanes_vector(j, j->i64);
    LLVMValueRef none = j->l->BuildNot(j->b, j->l->ConstNull(type), "");
    struct pages_before b = {lanes_variable(j, type), lanes_variable(j, type),
                             lanes_variable(j, j->i32)};

    j->l->BuildStore(j->entry_builder, none, b.pages);
    j->l->BuildStore(j->entry_builder, none, b.host);
    j->l->BuildStore(j->entry_builder, lanes_int(j->i32, 0, j), b.slow);
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
    LLVMValueRef slow = l->BuildLoad2(j->b, j->i32, slow_accesses(j), ""), same, other, host;

    other = l->BuildLoad2(j->b, l->TypeOf(pages), b.pages, "");
    other = lanes_bits(j, l->BuildICmp(j->b, LLVMIntNE, pages, other, ""));
    same = is_zero(j, l->BuildAnd(j->b, other, a->bits, ""));
    other = l->BuildICmp(j->b, LLVMIntEQ, l->BuildLoad2(j->b, j->i32, b.slow, ""), slow, "");
    l->BuildCondBr(j->b, l->BuildAnd(j->b, same, other, ""), known, unknown);
    l->PositionBuilderAtEnd(j->b, unknown);
    host = find_in_table(j, a, pages);
    other = l->BuildNot(j->b, l->ConstNull(l->TypeOf(pages)), "");
    l->BuildStore(j->b, l->BuildSelect(j->b, lanes_from_bits(j, a->bits), pages, other, ""),
                  b.pages);
    l->BuildStore(j->b, host, b.host);
    l->BuildStore(j->b, slow, b.slow);
    unknown = l->GetInsertBlock(j->b);
    l->PositionBuilderAtEnd(j->b, known);
    return join_values(j, l->BuildLoad2(j->b, l->TypeOf(pages), b.host, ""), host, unknown);
}

void access_require_pages(struct jit_build *j, struct access *a)
{
    const struct llvm *l = j->l;
    LLVMValueRef va, pages, in_page, fits, host;

    l->PositionBuilderAtEnd(j->b, a->next_way);
    a->found = (struct access_found){0};
    va = lanes_address(j, a->address);
    pages = l->BuildLShr(j->b, va, lanes_splat(j, const_i64(j, GPU_TLB_PAGE_SHIFT)), "");
    in_page =
        l->BuildAnd(j->b, va, lanes_splat(j, const_i64(j, (1u << GPU_TLB_PAGE_SHIFT) - 1)), "");
    fits = is_inside(j, a, in_page);
    fits = l->BuildAnd(j->b, a->bits, l->BuildNot(j->b, lanes_bits(j, fits), ""), "");
    access_continue_if(j, is_zero(j, fits), a->slow);
    host = j->loops ? find_as_before(j, a, pages) : find_in_table(j, a, pages);
    a->found.pages.at = l->BuildAdd(j->b, host, in_page, "");
}

LLVMValueRef access_transfer(struct jit_build *j, const struct access *a, LLVMValueRef at,
                             LLVMValueRef store)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = lanes_vector(j, a->lane);
    LLVMTypeRef overloads[] = {type, lanes_vector(j, l->PointerType(a->lane, 0))};
    const char *name = store ? "llvm.masked.scatter" : "llvm.masked.gather";
    unsigned id = l->LookupIntrinsicID(name, strlen(name));
    LLVMValueRef one = lanes_int(j->i32, 1, j), mask = lanes_from_bits(j, a->bits);
    LLVMValueRef read[] = {NULL, one, mask, l->GetUndef(type)}, write[] = {store, NULL, one, mask};

    read[0] = write[1] = l->BuildIntToPtr(j->b, at, overloads[1], "");
    return l->BuildCall2(j->b, l->IntrinsicGetType(j->x, id, overloads, 2),
                         l->GetIntrinsicDeclaration(j->module, id, overloads, 2),
                         store ? write : read, 4, "");
}

void access_store_masked(struct jit_build *j, LLVMValueRef v, LLVMValueRef to, LLVMValueRef mask)
{
    const struct llvm *l = j->l;
    LLVMTypeRef overloads[] = {l->TypeOf(v), l->TypeOf(to)};
    const char *name = "llvm.masked.store";
    unsigned id = l->LookupIntrinsicID(name, strlen(name));
    LLVMValueRef args[] = {v, to, lanes_int(j->i32, 1, j), mask};

    l->BuildCall2(j->b, l->IntrinsicGetType(j->x, id, overloads, 2),
                  l->GetIntrinsicDeclaration(j->module, id, overloads, 2), args, 4, "");
}

/* ---- ways of a read -------------------------------------------------------------------------- */

void access_way(struct jit_build *j, struct access *a, access_word_fn *word, unsigned parts)
{
    struct access_way *way = &a->way[a->ways++];

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
