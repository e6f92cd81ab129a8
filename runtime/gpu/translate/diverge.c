/*
 * Divergence in a trace whose lanes reconverge or end within it. As in a row, the lanes at the
 * lowest address run and the others wait. A side is a sequence of bundles that the same lanes
 * execute; it is skipped if no lane comes to it. Which lanes go where is known when the function
 * runs, but the addresses are known when it is built: sides are built in the order in which the
 * recorded row executed them. The function exits, with the address of each lane, if lanes come to
 * an address that the recorded row did not reach.
 *
 * Lanes may leave a loop one after the other. They end, or come to an address behind its bundles
 * and wait there until the others have left, too. Their state is stored at once, so that the rounds
 * of the other lanes, which are sides, need not keep their registers.
 *
 * Sides count their lanes and warps. Registers that they write are merged at their end
 * (lanes_end_side()).
 */
#include "runtime/gpu/account.h"
#include "runtime/gpu/translate/row.h"
#include "runtime/gpu/translate/trace.h"

/* ---- counting -------------------------------------------------------------------------------- */

/* Reduces a lane mask to one bit per warp that has any of the lanes: the bit of its first lane. */
static LLVMValueRef warps_of(struct jit_build *j, LLVMValueRef bits)
{
    const struct llvm *l = j->l;
    LLVMTypeRef t = l->TypeOf(bits);
    unsigned width = j->decoder->width;
    uint64_t first = 0;

    for (unsigned by = 1; by < width; by *= 2)
        bits = l->BuildOr(j->b, bits, l->BuildLShr(j->b, bits, lanes_int(t, by, j), ""), "");
    for (unsigned lane = 0; lane < j->lanes; lane += width)
        first |= UINT64_C(1) << lane;
    return l->BuildAnd(j->b, bits, lanes_int(t, first, j), "");
}

static LLVMValueRef count_ones(struct jit_build *j, LLVMValueRef bits)
{
    bits = lanes_intrinsic(j, "llvm.ctpop", j->l->TypeOf(bits), 1, &bits);
    return j->l->BuildZExt(j->b, bits, j->i64, "");
}

/* Adds to a counter of the worker. */
static void add_to_counter(struct jit_build *j, size_t member, LLVMValueRef v)
{
    LLVMValueRef at = lanes_at(j, j->core, lanes_int(j->i64, member, j), j->i64);

    v = j->l->BuildAdd(j->b, j->l->BuildLoad2(j->b, j->i64, at, ""), v, "");
    j->l->BuildStore(j->b, v, at);
}

/* The table entry of gpu_host_context.lane_counts for up to eight lanes from `first` on. */
static LLVMValueRef count_eight(struct jit_build *j, LLVMValueRef bits, unsigned first)
{
    const struct llvm *l = j->l;
    LLVMValueRef at;

    bits = l->BuildLShr(j->b, bits, lanes_int(l->TypeOf(bits), first, j), "");
    if (j->lanes > GPU_COUNTED_LANES)
        bits = l->BuildTrunc(j->b, bits, j->i8, "");
    at = l->BuildMul(j->b, l->BuildZExt(j->b, bits, j->i64, ""),
                     lanes_int(j->i64, sizeof(uint64_t), j), "");
    at = l->BuildAdd(j->b, at, lanes_int(j->i64, offsetof(struct gpu_host_context, lane_counts), j),
                     "");
    return l->BuildLoad2(j->b, j->i64, lanes_at(j, j->core, at, j->i64), "");
}

/* The addend to gpu_worker.counts for an execution of a bundle by the lanes `bits`. */
static LLVMValueRef count_of(struct jit_build *j, LLVMValueRef bits)
{
    LLVMValueRef count = lanes_int(j->i64, GPU_COUNT_WARP, j);

    if (!j->decoder->scalar && j->decoder->width <= GPU_COUNTED_LANES) {
        count = count_eight(j, bits, 0);
        for (unsigned n = GPU_COUNTED_LANES; n < j->lanes; n += GPU_COUNTED_LANES)
            count = j->l->BuildAdd(j->b, count, count_eight(j, bits, n), "");
        return count;
    }
    if (!j->decoder->scalar)
        count = j->l->BuildMul(j->b, count_ones(j, warps_of(j, bits)), count, "");
    return j->l->BuildAdd(j->b, count, count_ones(j, bits), "");
}

static void count_side(struct jit_build *j, unsigned side, LLVMValueRef count)
{
    add_to_counter(j, offsetof(struct gpu_host_context, sides) + (size_t)side * sizeof(uint64_t),
                   count);
}

static void count_way(struct building *b, unsigned n, enum gpu_way_kind kind, uint64_t to,
                      LLVMValueRef count)
{
    struct jit_build *j = b->j;
    struct gpu_trace *t = b->trace;

    if (t->way_count == GPU_TRACE_WAYS) {
        j->failed = true;
        return;
    }
    add_to_counter(j, offsetof(struct gpu_host_context, ways) + t->way_count * sizeof(uint64_t),
                   count);
    if (!j->rows) /* the function for rows has the same ways */
        t->ways[t->way_count] = (struct gpu_trace_way){to, (uint16_t)n, (uint8_t)kind};
    t->way_count++;
}

/* Counts the warps with lanes in both `some` and `rest`. */
static void count_divergent(struct building *b, unsigned n, LLVMValueRef some, LLVMValueRef rest)
{
    struct jit_build *j = b->j;
    LLVMValueRef both;

    if (j->decoder->scalar)
        return;
    both = j->l->BuildAnd(j->b, warps_of(j, some), warps_of(j, rest), "");
    both = j->l->BuildMul(j->b, count_ones(j, both), lanes_int(j->i64, GPU_COUNT_WARP, j), "");
    add_to_counter(j, offsetof(struct gpu_host_context, divergent), both);
    if (b->trace->ways)
        count_way(b, n, GPU_WAY_DIVERGENT, 0, both);
}

/* Counts the divergence that was noted, if there is one. */
static void count_apart(struct building *b)
{
    struct divergence *d = &b->divergence;

    if (d->some)
        count_divergent(b, d->apart_behind, d->some, d->rest);
    d->some = d->rest = NULL;
}

/* Counts the lanes that continue at `to` behind bundle `n`. */
static void count_lanes(struct building *b, unsigned n, uint64_t to, LLVMValueRef bits)
{
    if (b->trace->ways)
        count_way(b, n, GPU_WAY_TO, to, count_of(b->j, bits));
}

/* Counts the lanes of bundle `n`, whose ways are counted. */
static void begin_ways(struct building *b, unsigned n)
{
    if (!b->trace->ways)
        return;
    if (!b->j->rows)
        b->trace->has_ways[n] = true;
    count_way(b, n, GPU_WAY_ALL, 0, count_of(b->j, b->j->active));
}

/* ---- groups ---------------------------------------------------------------------------------- */

static LLVMValueRef load_bits(struct jit_build *j, LLVMValueRef bits)
{
    return j->l->BuildLoad2(j->b, j->l->TypeOf(j->entered), bits, "");
}

/* The variable with the lanes that continue at `address`; a new one is zero where the side that
 * sets it is skipped. */
static LLVMValueRef add_group(struct building *b, uint64_t address)
{
    struct jit_build *j = b->j;
    struct divergence *d = &b->divergence;
    LLVMBasicBlockRef here = j->l->GetInsertBlock(j->b);
    LLVMValueRef bits = lanes_variable(j, j->l->TypeOf(j->entered));

    if (j->side)
        j->l->PositionBuilderBefore(j->b, j->l->GetBasicBlockTerminator(j->side));
    j->l->BuildStore(j->b, j->l->ConstNull(j->l->TypeOf(j->entered)), bits);
    j->l->PositionBuilderAtEnd(j->b, here);
    d->group[d->count++] = (struct diverged_group){address, bits};
    return bits;
}

/* Sets the next address of the lanes `bits`. Calls would make loops keep their vectors in
 * memory. */
static void set_pc(struct jit_build *j, LLVMValueRef bits, uint64_t address)
{
    LLVMTypeRef t = lanes_vector(j, j->i64);
    LLVMValueRef at = lanes_member(j, offsetof(struct gpu_warp, pc), t), pc, store;

    pc = j->l->BuildLoad2(j->b, t, at, "");
    j->l->SetAlignment(pc, 8);
    pc = j->l->BuildSelect(j->b, lanes_from_bits(j, bits),
                           lanes_splat(j, lanes_int(j->i64, address, j)), pc, "");
    store = j->l->BuildStore(j->b, pc, at);
    j->l->SetAlignment(store, 8);
}

/* Marks the lanes `bits` as ended. */
static void end_lanes(struct jit_build *j, LLVMValueRef bits)
{
    LLVMValueRef at = lanes_member(j, offsetof(struct gpu_warp, live), j->i32), live;

    live = j->l->BuildLoad2(j->b, j->i32, at, "");
    bits = j->l->BuildNot(j->b, trace_widened(j, bits), "");
    j->l->BuildStore(j->b, j->l->BuildAnd(j->b, live, bits, ""), at);
}

/* Lets the lanes `bits`, if there are any, leave a loop: to the address, or (0) to their end. */
static void leave_loop(struct building *b, LLVMValueRef bits, uint64_t address)
{
    struct divergence *d = &b->divergence;
    struct jit_build *j = b->j;
    LLVMBasicBlockRef some = lanes_new_block(j), none = lanes_new_block(j);
    LLVMValueRef rest;

    lanes_branch_likely(j, trace_is_none(j, bits), none, some);
    j->l->PositionBuilderAtEnd(j->b, some);
    if (bits == d->some || bits == d->rest)
        count_apart(b);
    if (address) {
        trace_add_point(b, bits);
        set_pc(j, bits, address);
    } else {
        end_lanes(j, bits);
    }
    rest = j->l->BuildAnd(j->b, trace_present(b), j->l->BuildNot(j->b, bits, ""), "");
    j->l->BuildStore(j->b, rest, d->staying);
    j->l->BuildStore(j->b, count_of(j, rest), d->staying_count);
    j->l->BuildBr(j->b, none);
    j->l->PositionBuilderAtEnd(j->b, none);
}

/* Adds the lanes `bits` to those that continue at `address`. */
static void add_lanes(struct building *b, uint64_t address, LLVMValueRef bits)
{
    struct jit_build *j = b->j;
    struct divergence *d = &b->divergence;
    unsigned n = 0;
    LLVMValueRef at;

    if (d->staying && address > d->highest) {
        leave_loop(b, bits, address);
        return;
    }
    while (n < d->count && d->group[n].address != address)
        n++;
    if (n == DIVERGED_GROUPS) {
        j->failed = true;
        return;
    }
    at = n < d->count ? d->group[n].bits : add_group(b, address);
    j->l->BuildStore(j->b, j->l->BuildOr(j->b, load_bits(j, at), bits, ""), at);
}

/* The group at the lowest address; NULL: there is none. */
static struct diverged_group *lowest_group(struct divergence *d)
{
    struct diverged_group *g = d->count ? d->group : NULL;

    for (unsigned n = 1; n < d->count; n++)
        if (d->group[n].address < g->address)
            g = &d->group[n];
    return g;
}

static LLVMValueRef remove_group(struct divergence *d, struct diverged_group *g)
{
    LLVMValueRef bits = g->bits;

    *g = d->group[--d->count];
    return bits;
}

/* All lanes that continue at some address. */
static LLVMValueRef all_groups(struct building *b)
{
    struct jit_build *j = b->j;
    LLVMValueRef all = j->l->ConstNull(j->l->TypeOf(j->entered));

    for (unsigned n = 0; n < b->divergence.count; n++)
        all = j->l->BuildOr(j->b, all, load_bits(j, b->divergence.group[n].bits), "");
    return all;
}

/* ---- ways out -------------------------------------------------------------------------------- */

/* Leaves the trace behind bundle `n` and stores the next address of each lane. */
static void exit_settled(struct building *b, unsigned n)
{
    struct jit_build *j = b->j;
    LLVMValueRef ended;

    for (unsigned k = 0; k < b->divergence.count; k++)
        set_pc(j, load_bits(j, b->divergence.group[k].bits), b->divergence.group[k].address);
    if (b->divergence.ended) {
        ended = j->l->BuildNot(j->b, all_groups(b), "");
        end_lanes(j, j->l->BuildAnd(j->b, j->entered, ended, ""));
    }
    trace_leave(b, n, GPU_TRACE_SETTLED);
}

/* Leaves the trace when all its lanes have ended. The row has ended unless others of its lanes
 * wait. */
static void exit_ended(struct building *b, unsigned n)
{
    struct jit_build *j = b->j;
    LLVMBasicBlockRef others = lanes_new_block(j);
    LLVMValueRef live, last = lanes_int(j->i64, n | GPU_TRACE_ENDED, j);

    j->l->BuildStore(j->b, last, b->last);
    if (j->rows) {
        j->l->BuildBr(j->b, trace_done(b, n, GPU_TRACE_ENDED));
        j->l->DeleteBasicBlock(others);
        return;
    }
    live = j->l->BuildLoad2(j->b, j->i32, lanes_member(j, offsetof(struct gpu_warp, live), j->i32),
                            "");
    live = j->l->BuildICmp(j->b, LLVMIntEQ, live, trace_widened(j, j->entered), "");
    lanes_branch_likely(j, live, trace_done(b, n, GPU_TRACE_ENDED), others);
    j->l->PositionBuilderAtEnd(j->b, others);
    exit_settled(b, n);
}

/* Continues if lanes are left. false: none can be left. */
static bool continue_unless_ended(struct building *b, unsigned n)
{
    struct jit_build *j = b->j;
    LLVMBasicBlockRef ended, next;
    LLVMValueRef none;

    b->divergence.ended = true;
    if (!b->divergence.count) {
        exit_ended(b, n);
        return false;
    }
    ended = lanes_new_block(j);
    next = lanes_new_block(j);
    none = trace_is_none(j, all_groups(b));
    j->l->BuildCondBr(j->b, none, ended, next);
    j->l->PositionBuilderAtEnd(j->b, ended);
    exit_ended(b, n);
    j->l->PositionBuilderAtEnd(j->b, next);
    return true;
}

/* ---- sides ----------------------------------------------------------------------------------- */

/* The count of the lanes that have not left the loop. */
static LLVMValueRef count_staying(struct building *b)
{
    return b->j->l->BuildLoad2(b->j->b, b->j->i64, b->divergence.staying_count, "");
}

/* Activates the lanes of a side and counts it: `count` is theirs. `behind`: the block behind it. */
static void enter_side(struct building *b, LLVMValueRef bits, LLVMValueRef count,
                       LLVMBasicBlockRef behind)
{
    struct jit_build *j = b->j;

    if (b->trace->sides == GPU_TRACE_SIDES) {
        j->failed = true;
        return;
    }
    b->divergence.block_behind = behind;
    j->active = bits;
    count_side(j, b->trace->sides++, count);
}

/* Begins a side behind bundle `n`. */
static void begin_side(struct building *b, LLVMValueRef variable, unsigned n)
{
    struct jit_build *j = b->j;
    LLVMBasicBlockRef before = j->l->GetInsertBlock(j->b), side = lanes_new_block(j);
    LLVMBasicBlockRef skip = lanes_new_block(j);
    LLVMValueRef bits = load_bits(j, variable), some;
    bool alone = b->divergence.staying && !b->divergence.count;

    if (alone) {
        some = j->l->BuildNot(j->b, trace_is_none(j, bits), "");
        lanes_branch_likely(j, some, side, skip);
    } else {
        j->l->BuildCondBr(j->b, trace_is_none(j, bits), skip, side);
    }
    if (alone) { /* all other lanes have left the loop */
        j->l->PositionBuilderAtEnd(j->b, skip);
        exit_settled(b, n);
    }
    j->l->PositionBuilderAtEnd(j->b, side);
    if (alone) {
        enter_side(b, bits, count_staying(b), lanes_new_block(j));
    } else {
        enter_side(b, bits, count_of(j, bits), skip);
        lanes_begin_side(j, before);
    }
}

static void end_side(struct building *b)
{
    struct jit_build *j = b->j;

    if (!b->divergence.block_behind)
        return;
    if (j->side)
        lanes_end_side(j);
    j->l->BuildBr(j->b, b->divergence.block_behind);
    j->l->PositionBuilderAtEnd(j->b, b->divergence.block_behind);
    b->divergence.block_behind = NULL;
    j->active = j->entered;
}

/* Exits if lanes continue at the address of a group, and forgets the group if not. */
static void exit_if_any(struct building *b, struct diverged_group *g, unsigned n)
{
    struct jit_build *j = b->j;
    LLVMBasicBlockRef some = lanes_new_block(j), none = lanes_new_block(j);

    lanes_branch_likely(j, trace_is_none(j, load_bits(j, g->bits)), none, some);
    j->l->PositionBuilderAtEnd(j->b, some);
    exit_settled(b, n);
    j->l->PositionBuilderAtEnd(j->b, none);
    remove_group(&b->divergence, g);
}

/* Activates the lanes at `next`, the next bundle of the trace, if none is at a lower address; exits
 * otherwise. */
static bool enter_next(struct building *b, const struct gpu_code *next, unsigned n)
{
    struct jit_build *j = b->j;
    struct divergence *d = &b->divergence;
    struct diverged_group *g;
    LLVMValueRef bits;

    g = lowest_group(d);
    if (!next || !g || g->address != next->address)
        count_apart(b);
    if (!next) {
        exit_settled(b, n);
        return false;
    }
    while ((g = lowest_group(d)) && g->address < next->address)
        exit_if_any(b, g, n);
    if (!g || g->address != next->address) {
        j->failed = true;
        return false;
    }
    bits = remove_group(d, g);
    d->is_divergent = d->count || d->ended || d->staying;
    if (d->is_divergent)
        begin_side(b, bits, n);
    count_apart(b);
    return true;
}

/* The group of a loop's lanes that are not at its head; NULL: there is none. */
static struct diverged_group *group_elsewhere(struct divergence *d, uint64_t head)
{
    for (unsigned n = 0; n < d->count; n++)
        if (d->group[n].address != head)
            return &d->group[n];
    return NULL;
}

/* Ends a round of a loop that lanes leave: those at its head stay, if there are any. Lanes may be
 * at other addresses to which the recorded row did not come. */
static bool end_round(struct building *b, unsigned n)
{
    struct jit_build *j = b->j;
    struct divergence *d = &b->divergence;
    LLVMBasicBlockRef some, none;
    struct diverged_group *g;

    while ((g = group_elsewhere(d, b->trace->codes[0]->address)))
        exit_if_any(b, g, n);
    if (!d->count) {
        j->failed = true;
        return false;
    }
    some = lanes_new_block(j);
    none = lanes_new_block(j);
    lanes_branch_likely(j, trace_is_none(j, trace_present(b)), none, some);
    j->l->PositionBuilderAtEnd(j->b, none);
    exit_settled(b, n);
    j->l->PositionBuilderAtEnd(j->b, some);
    return true;
}

void diverge_begin_round(struct building *b)
{
    struct jit_build *j = b->j;
    struct divergence *d = &b->divergence;

    for (unsigned n = 0; n < b->trace->count; n++)
        if (b->trace->codes[n]->address > d->highest)
            d->highest = b->trace->codes[n]->address;
    d->staying = lanes_variable(j, j->l->TypeOf(j->entered));
    d->staying_count = lanes_variable(j, j->i64);
    j->l->PositionBuilderBefore(j->b, j->l->GetBasicBlockTerminator(b->start));
    j->l->BuildStore(j->b, j->entered, d->staying);
    j->l->BuildStore(j->b, count_of(j, j->entered), d->staying_count);
    j->l->PositionBuilderAtEnd(j->b, b->head);
    d->is_divergent = true;
    enter_side(b, trace_present(b), count_staying(b), lanes_new_block(j));
}

/* ---- a bundle -------------------------------------------------------------------------------- */

/* Notes a divergence behind bundle `n`. It is counted where lanes of one of its ways leave the loop
 * or begin a side, so that nothing is executed if there are none. It is counted at once if ways are
 * counted, which have an order, or if the masks are values of a side. */
static void note_divergence(struct building *b, unsigned n, LLVMValueRef some, LLVMValueRef rest)
{
    struct divergence *d = &b->divergence;

    d->some = some;
    d->rest = rest;
    d->apart_behind = n;
    if (b->trace->ways || b->j->side)
        count_apart(b);
}

/* Adds the bundle's lanes to the groups at their next addresses, except for those that end. */
static void assign_lanes(struct building *b, const struct gpu_code *code, unsigned n,
                         uint64_t target, LLVMValueRef ending)
{
    struct jit_build *j = b->j;
    const struct llvm *l = j->l;
    LLVMValueRef going = j->active, taken = NULL, rest;

    begin_ways(b, n);
    if (ending) {
        if (b->divergence.staying)
            leave_loop(b, ending, 0);
        count_lanes(b, n, GPU_WAY_END, ending);
        going = l->BuildAnd(j->b, going, l->BuildNot(j->b, ending, ""), "");
    }
    rest = going;
    if (j->branching) {
        taken = l->BuildAnd(j->b, trace_active(j, j->branching), going, "");
        rest = l->BuildAnd(j->b, going, l->BuildNot(j->b, taken, ""), "");
        count_lanes(b, n, target, taken);
    }
    if (code->flags & GPU_BUNDLE_END || (j->branching && trace_is_all(j, j->branching))) {
        if (taken)
            add_lanes(b, target, taken);
        return;
    }
    count_lanes(b, n, code->next, rest);
    if (taken && target != code->next)
        note_divergence(b, n, taken, rest);
    if (taken)
        add_lanes(b, target, taken);
    add_lanes(b, code->next, rest);
}

/* Lanes that end with the bundle; NULL: none. */
static LLVMValueRef ending_of(struct jit_build *j, const struct gpu_code *code)
{
    LLVMValueRef branching = trace_active(j, j->branching);

    if (!(code->flags & GPU_BUNDLE_END))
        return trace_active(j, j->ending);
    if (!branching)
        return j->active;
    return j->l->BuildAnd(j->b, j->active, j->l->BuildNot(j->b, branching, ""), "");
}

/* Whether the trace goes on at one of two addresses. */
static bool goes_on_at(const struct gpu_code *next, uint64_t a, uint64_t b)
{
    return next && (next->address == a || next->address == b);
}

void diverge_exit_together(struct building *b, uint64_t address, unsigned n)
{
    set_pc(b->j, trace_present(b), address);
    trace_leave(b, n, GPU_TRACE_SETTLED);
}

bool diverge_build_transition(struct building *b, const struct gpu_code *code,
                              const struct gpu_code *next, unsigned n)
{
    struct jit_build *j = b->j;
    struct diverged_group *waiting = lowest_group(&b->divergence);
    bool ends_round = b->divergence.staying && n + 1 == b->trace->count;
    LLVMValueRef happened = trace_happened(j), ending;
    uint64_t target = 0;

    if (j->waiting || j->handled || b->control ||
        (j->branching && !trace_known_target(j, &target))) {
        j->failed = true;
        return false;
    }
    if (happened)
        trace_continue_if(b, trace_is_none(j, happened), NULL, n);
    ending = ending_of(j, code);
    if (b->divergence.block_behind && !j->branching && !ending && next && !ends_round &&
        next->address == code->next && (!waiting || waiting->address > code->next))
        return true;
    assign_lanes(b, code, n, target, ending);
    end_side(b);
    if (!goes_on_at(next, target, code->next) || ends_round || ending)
        count_apart(b);
    if (ends_round && next)
        return end_round(b, n);
    if (ending && !b->divergence.staying && !continue_unless_ended(b, n))
        return false;
    return enter_next(b, next, n);
}
