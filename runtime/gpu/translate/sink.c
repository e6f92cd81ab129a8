/*
 * Values that only unlikely blocks use, such as vectors of addresses of which the likely way needs
 * the first lane alone, are computed in these blocks. LLVM's own passes move a value into one block
 * at most.
 *
 * A region is an unlikely block with the unlikely blocks that it dominates. Each region that uses a
 * value gets a copy at its start.
 *
 * Bounds      values with uses in more than MOST_REGIONS regions stay where they are
 */
#include "runtime/gpu/translate/internal.h"

#include <limits.h>
#include <stdlib.h>

#include "runtime/base/alloc.h"

enum { MOST_REGIONS = 24, UNLIKELY = 100 /* ratio of branch weights */ };

struct block {
    LLVMBasicBlockRef block;
    unsigned order;  /* in postorder; the entry has the highest number */
    unsigned parent; /* index of the immediate dominator; the entry's is itself */
    unsigned region; /* index of the first block of its region; of a likely block: its own */
    bool reached, likely;
};

struct sink {
    struct jit_build *j;
    struct block *blocks; /* sorted by address */
    unsigned count, entry;
    unsigned *in_order; /* indices of reached blocks, in postorder */
    unsigned ordered;
    unsigned prof; /* kind of metadata */
};

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct block *)a)->block;
    uintptr_t y = (uintptr_t)((const struct block *)b)->block;

    return x < y ? -1 : x > y;
}

static unsigned index_of(const struct sink *s, LLVMBasicBlockRef block)
{
    struct block key = {.block = block};
    const struct block *found = bsearch(&key, s->blocks, s->count, sizeof(*s->blocks), by_address);

    return (unsigned)(found - s->blocks);
}

static void collect_blocks(struct sink *s)
{
    const struct llvm *l = s->j->l;
    LLVMBasicBlockRef b;

    for (b = l->GetFirstBasicBlock(s->j->fn); b; b = l->GetNextBasicBlock(b))
        s->count++;
    s->blocks = xcalloc(s->count, sizeof(*s->blocks));
    s->in_order = xcalloc(s->count, sizeof(*s->in_order));
    s->count = 0;
    for (b = l->GetFirstBasicBlock(s->j->fn); b; b = l->GetNextBasicBlock(b))
        s->blocks[s->count++].block = b;
    qsort(s->blocks, s->count, sizeof(*s->blocks), by_address);
}

/* ---- likely blocks --------------------------------------------------------------------------- */

static uint64_t branch_weight(const struct sink *s, LLVMValueRef terminator, unsigned n)
{
    LLVMValueRef node = s->j->l->GetMetadata(terminator, s->prof), part[3];

    if (!node || s->j->l->GetMDNodeNumOperands(node) != 3)
        return 1;
    s->j->l->GetMDNodeOperands(node, part);
    return s->j->l->IsAConstantInt(part[1 + n]) ? s->j->l->ConstIntGetZExtValue(part[1 + n]) : 1;
}

static bool is_unlikely(const struct sink *s, LLVMValueRef terminator, unsigned n)
{
    const struct llvm *l = s->j->l;

    return l->IsABranchInst(terminator) && l->IsConditional(terminator) &&
           branch_weight(s, terminator, n) * UNLIKELY <= branch_weight(s, terminator, !n);
}

/* Visits what is reached from block `n`, by likely branches alone or by all, in depth first order;
 * `stack` has room for all blocks, and for the number of the next branch of each. */
static void visit_from(struct sink *s, unsigned n, bool likely, unsigned *stack)
{
    const struct llvm *l = s->j->l;
    unsigned *next = stack + s->count, depth = 0;

    stack[0] = n;
    next[0] = 0;
    while (true) {
        struct block *b = &s->blocks[stack[depth]], *to;
        LLVMValueRef end = l->GetBasicBlockTerminator(b->block);

        *(likely ? &b->likely : &b->reached) = true;
        while (next[depth] < l->GetNumSuccessors(end)) {
            unsigned way = next[depth]++, at = index_of(s, l->GetSuccessor(end, way));

            to = &s->blocks[at];
            if ((likely ? to->likely : to->reached) || (likely && is_unlikely(s, end, way)))
                continue;
            stack[++depth] = at;
            next[depth] = 0;
            break;
        }
        if (stack[depth] != (unsigned)(b - s->blocks))
            continue;
        if (!likely) {
            b->order = s->ordered;
            s->in_order[s->ordered++] = stack[depth];
        }
        if (!depth--)
            return;
    }
}

/* ---- unlikely branches ----------------------------------------------------------------------- */

/* Puts a block into each unlikely branch from a likely block to `to`, so that values of the phis
 * there have an unlikely block to be computed in. Returns the number of branches; `from` and `by`
 * become their blocks, and the new ones. */
static unsigned split_branches(const struct sink *s, LLVMBasicBlockRef to, LLVMBasicBlockRef *from,
                               LLVMBasicBlockRef *by)
{
    const struct llvm *l = s->j->l;
    unsigned count = 0;

    for (unsigned n = s->ordered; n-- > 0;) {
        const struct block *b = &s->blocks[s->in_order[n]];
        LLVMValueRef end = l->GetBasicBlockTerminator(b->block);

        for (unsigned way = 0; b->likely && way < l->GetNumSuccessors(end); way++) {
            if (l->GetSuccessor(end, way) != to || !is_unlikely(s, end, way))
                continue;
            from[count] = b->block;
            by[count] = l->AppendBasicBlockInContext(s->j->x, s->j->fn, "");
            l->PositionBuilderAtEnd(s->j->b, by[count]);
            l->BuildBr(s->j->b, to);
            l->SetSuccessor(end, way, by[count++]);
        }
    }
    return count;
}

/* Replaces a phi by one whose values come by the new blocks. */
static void move_phi(const struct sink *s, LLVMValueRef phi, const LLVMBasicBlockRef *from,
                     const LLVMBasicBlockRef *by, unsigned count)
{
    const struct llvm *l = s->j->l;
    LLVMValueRef moved, v;

    l->PositionBuilderBefore(s->j->b, phi);
    moved = l->BuildPhi(s->j->b, l->TypeOf(phi), "");
    for (unsigned n = 0; n < l->CountIncoming(phi); n++) {
        LLVMBasicBlockRef block = l->GetIncomingBlock(phi, n);

        for (unsigned i = 0; i < count; i++)
            if (from[i] == block)
                block = by[i];
        v = l->GetIncomingValue(phi, n);
        v = v == phi ? moved : v;
        l->AddIncoming(moved, &v, &block, 1);
    }
    l->ReplaceAllUsesWith(phi, moved);
    l->InstructionEraseFromParent(phi);
}

/* Goes by the order of execution, so that the same function becomes the same code in every run.
 * Returns whether a branch has got a block. */
static bool split_all(const struct sink *s)
{
    const struct llvm *l = s->j->l;
    LLVMBasicBlockRef *blocks = xcalloc(2 * s->count, sizeof(LLVMBasicBlockRef));
    bool any = false;

    for (unsigned n = s->ordered; n-- > 0;) {
        LLVMBasicBlockRef to = s->blocks[s->in_order[n]].block;
        LLVMValueRef phi = l->GetFirstInstruction(to), next;
        unsigned count;

        if (!l->IsAPHINode(phi))
            continue;
        count = split_branches(s, to, blocks, blocks + s->count);
        any |= count != 0;
        for (; count && l->IsAPHINode(phi); phi = next) {
            next = l->GetNextInstruction(phi);
            move_phi(s, phi, blocks, blocks + s->count, count);
        }
    }
    free(blocks);
    return any;
}

/* ---- dominators (Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm) ------------- */

static unsigned common_dominator(const struct sink *s, unsigned a, unsigned b)
{
    while (a != b)
        if (s->blocks[a].order < s->blocks[b].order)
            a = s->blocks[a].parent;
        else
            b = s->blocks[b].parent;
    return a;
}

/* Moves the dominators of the blocks behind block `n` up, to what dominates it, too. */
static bool raise_dominators(struct sink *s, unsigned n)
{
    const struct llvm *l = s->j->l;
    LLVMValueRef end = l->GetBasicBlockTerminator(s->blocks[n].block);
    bool changed = false;

    for (unsigned way = 0; way < l->GetNumSuccessors(end); way++) {
        struct block *to = &s->blocks[index_of(s, l->GetSuccessor(end, way))];
        unsigned parent = to->parent == UINT_MAX ? n : common_dominator(s, to->parent, n);

        changed |= parent != to->parent;
        to->parent = parent;
    }
    return changed;
}

static void find_dominators(struct sink *s)
{
    bool changed = true;

    for (unsigned n = 0; n < s->count; n++)
        s->blocks[n].parent = UINT_MAX;
    s->blocks[s->entry].parent = s->entry;
    while (changed) {
        changed = false;
        for (unsigned n = s->ordered; n-- > 0;)
            changed |= raise_dominators(s, s->in_order[n]);
    }
    for (unsigned n = s->ordered; n-- > 0;) {
        struct block *b = &s->blocks[s->in_order[n]];
        const struct block *parent = &s->blocks[b->parent];

        b->region = b->likely || parent->likely ? s->in_order[n] : parent->region;
    }
}

static bool dominates(const struct sink *s, unsigned a, unsigned b)
{
    while (s->blocks[b].order < s->blocks[a].order)
        b = s->blocks[b].parent;
    return a == b;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Whether a copy of the instruction elsewhere has the same result. */
static bool is_pure(const struct sink *s, LLVMValueRef v)
{
    switch (s->j->l->GetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMFNeg:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMSelect:
    case LLVMBitCast:
    case LLVMIntToPtr:
    case LLVMPtrToInt:
    case LLVMGetElementPtr:
    case LLVMInsertElement:
    case LLVMExtractElement:
    case LLVMShuffleVector:
        return true;
    default:
        return false;
    }
}

/* The block in which operand `n` of the user is needed. */
static unsigned place_of_use(const struct sink *s, LLVMValueRef user, unsigned n)
{
    const struct llvm *l = s->j->l;

    return index_of(s, l->IsAPHINode(user) ? l->GetIncomingBlock(user, n)
                                           : l->GetInstructionParent(user));
}

/* Adds the regions of a use to a list. false: it is in a likely block, or the list is full. */
static bool add_regions(const struct sink *s, LLVMValueRef v, LLVMValueRef user,
                        unsigned regions[MOST_REGIONS], unsigned *count)
{
    for (unsigned n = 0; n < (unsigned)s->j->l->GetNumOperands(user); n++) {
        const struct block *b;
        unsigned i = 0;

        if (s->j->l->GetOperand(user, n) != v)
            continue;
        b = &s->blocks[place_of_use(s, user, n)];
        if (b->likely || !b->reached)
            return false;
        while (i < *count && regions[i] != b->region)
            i++;
        if (i == MOST_REGIONS)
            return false;
        if (i == *count)
            regions[(*count)++] = b->region;
    }
    return true;
}

/* Finds the regions with uses of v. Returns their number; 0: v stays where it is. */
static unsigned regions_of(const struct sink *s, LLVMValueRef v, unsigned home,
                           unsigned regions[MOST_REGIONS])
{
    const struct llvm *l = s->j->l;
    unsigned count = 0;

    for (LLVMUseRef u = l->GetFirstUse(v); u; u = l->GetNextUse(u))
        if (!add_regions(s, v, l->GetUser(u), regions, &count))
            return 0;
    for (unsigned i = 0; i < count; i++)
        if (!dominates(s, home, regions[i]))
            return 0;
    return count;
}

/* Replaces one use of v in the region. false: there is none. */
static bool replace_use(const struct sink *s, LLVMValueRef v, unsigned region, LLVMValueRef copy)
{
    const struct llvm *l = s->j->l;

    for (LLVMUseRef u = l->GetFirstUse(v); u; u = l->GetNextUse(u)) {
        LLVMValueRef user = l->GetUser(u);

        for (unsigned n = 0; n < (unsigned)l->GetNumOperands(user); n++)
            if (l->GetOperand(user, n) == v &&
                s->blocks[place_of_use(s, user, n)].region == region) {
                l->SetOperand(user, n, copy);
                return true;
            }
    }
    return false;
}

static void copy_into(const struct sink *s, LLVMValueRef v, unsigned region)
{
    const struct llvm *l = s->j->l;
    LLVMValueRef first = l->GetFirstInstruction(s->blocks[region].block);
    LLVMValueRef copy = l->InstructionClone(v);

    while (l->IsAPHINode(first))
        first = l->GetNextInstruction(first);
    l->PositionBuilderBefore(s->j->b, first);
    l->InsertIntoBuilder(s->j->b, copy);
    while (replace_use(s, v, region, copy))
        ;
}

/* The last values first, since values that only these use then have unlikely uses alone. */
static void sink_block(const struct sink *s, unsigned home)
{
    const struct llvm *l = s->j->l;
    LLVMValueRef v = l->GetLastInstruction(s->blocks[home].block), before;
    unsigned regions[MOST_REGIONS], count;

    for (; v; v = before) {
        before = l->GetPreviousInstruction(v);
        count = is_pure(s, v) ? regions_of(s, v, home, regions) : 0;
        for (unsigned i = 0; i < count; i++)
            copy_into(s, v, regions[i]);
        if (count)
            l->InstructionEraseFromParent(v);
    }
}

/* Collects the function's blocks, and finds out which are likely. */
static void inspect(struct sink *s)
{
    unsigned *stack;

    s->count = s->ordered = 0;
    free(s->in_order);
    free(s->blocks);
    collect_blocks(s);
    s->entry = index_of(s, s->j->l->GetFirstBasicBlock(s->j->fn));
    stack = xcalloc(2 * s->count, sizeof(*stack));
    visit_from(s, s->entry, false, stack);
    visit_from(s, s->entry, true, stack);
    free(stack);
}

void lanes_sink(struct jit_build *j)
{
    struct sink s = {.j = j, .prof = j->l->GetMDKindIDInContext(j->x, "prof", 4)};

    inspect(&s);
    if (split_all(&s))
        inspect(&s);
    find_dominators(&s);
    for (unsigned n = 0; n < s.ordered; n++)
        if (s.blocks[s.in_order[n]].likely)
            sink_block(&s, s.in_order[n]);
    free(s.in_order);
    free(s.blocks);
}
