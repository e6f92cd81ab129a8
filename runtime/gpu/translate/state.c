/*
 * Registers of a trace as variables, and branches inside an operation as masks.
 *
 * Inactive lanes compute like the others, and their results are never stored. Inside an operation
 * with divergent lanes, a register keeps its value in the lanes that do not reach the write.
 */
#include "runtime/base/alloc.h"
#include "runtime/gpu/translate/internal.h"

/* ---- places in memory ------------------------------------------------------------------------ */

LLVMValueRef lanes_at(struct jit_build *j, LLVMValueRef base, LLVMValueRef offset, LLVMTypeRef type)
{
    LLVMValueRef p = j->l->BuildGEP2(j->b, j->i8, base, &offset, 1, "");

    return j->l->BuildBitCast(j->b, p, j->l->PointerType(type, 0), "");
}

LLVMValueRef lanes_member(struct jit_build *j, size_t offset, LLVMTypeRef type)
{
    return lanes_at(j, j->warp, lanes_int(j->i64, offset, j), type);
}

LLVMBasicBlockRef lanes_new_block(struct jit_build *j)
{
    return j->l->AppendBasicBlockInContext(j->x, j->fn, "");
}

LLVMValueRef lanes_variable(struct jit_build *j, LLVMTypeRef t)
{
    return j->l->BuildAlloca(j->entry_builder, t, "");
}

LLVMValueRef lanes_link(struct jit_build *j, uint64_t address)
{
    size_t n = 0;

    while (n < j->link_count && j->link[n] != address)
        n++;
    if (n == j->link_capacity) {
        j->link_capacity = n ? 2 * n : 8;
        j->link = xrealloc(j->link, j->link_capacity, sizeof(*j->link));
    }
    j->link[n] = address;
    if (n == j->link_count)
        j->link_count++;
    return j->l->BuildLoad2(j->b, j->i64,
                            lanes_at(j, j->links, lanes_int(j->i64, 8 * n, j), j->i64), "");
}

LLVMValueRef lanes_call_c(struct jit_build *j, const void *fn, LLVMTypeRef result, unsigned n,
                          LLVMValueRef *args)
{
    const struct llvm *l = j->l;
    LLVMTypeRef types[8], type;
    LLVMValueRef at;

    for (unsigned i = 0; i < n; i++)
        types[i] = l->TypeOf(args[i]);
    type = l->FunctionType(result, types, n, false);
    at = l->BuildIntToPtr(j->b, lanes_link(j, (uintptr_t)fn), l->PointerType(type, 0), "");
    return l->BuildCall2(j->b, type, at, args, n, "");
}

/* Metadata of a branch whose first target is far likelier than the second. */
static LLVMValueRef likely_metadata(struct jit_build *j)
{
    enum { OFTEN = 1000 };
    LLVMMetadataRef node[] = {j->l->MDStringInContext2(j->x, "branch_weights", 14),
                              j->l->ValueAsMetadata(lanes_int(j->i32, OFTEN, j)),
                              j->l->ValueAsMetadata(lanes_int(j->i32, 1, j))};

    return j->l->MetadataAsValue(j->x, j->l->MDNodeInContext2(j->x, node, 3));
}

void lanes_branch_likely(struct jit_build *j, LLVMValueRef cond, LLVMBasicBlockRef yes,
                         LLVMBasicBlockRef no)
{
    LLVMValueRef branch = j->l->BuildCondBr(j->b, cond, yes, no);

    j->l->SetMetadata(branch, j->l->GetMDKindIDInContext(j->x, "prof", 4), likely_metadata(j));
}

/* ---- masks ----------------------------------------------------------------------------------- */

static LLVMTypeRef bits_type(struct jit_build *j)
{
    return j->l->IntTypeInContext(j->x, j->lanes);
}

LLVMValueRef lanes_bits(struct jit_build *j, LLVMValueRef mask)
{
    return j->l->BuildBitCast(j->b, mask, bits_type(j), "");
}

LLVMValueRef lanes_from_bits(struct jit_build *j, LLVMValueRef bits)
{
    return j->l->BuildBitCast(j->b, bits, lanes_vector(j, j->i1), "");
}

static LLVMValueRef and_masks(struct jit_build *j, LLVMValueRef a, LLVMValueRef b)
{
    if (!a || !b)
        return a ? a : b;
    return j->l->BuildAnd(j->b, a, b, "");
}

LLVMValueRef lanes_mask(struct jit_build *j)
{
    return j->current_block->mask;
}

/* ---- registers ------------------------------------------------------------------------------- */

/* The row's value of a slot at the function's start. */
static LLVMValueRef first_value(struct jit_build *j, unsigned slot)
{
    if (j->rows && !j->rows->in_memory)
        return lanes_row_slot(j, slot, &j->known[slot]);
    return lanes_load_slot(j, j->row_builder, slot);
}

LLVMValueRef lanes_slot(struct jit_build *j, size_t offset)
{
    size_t slot = offset / (j->row_lanes * 4);

    if (slot >= LANES_MAX_SLOTS) {
        j->failed = true;
        slot = 0;
    }
    if (!j->slot[slot]) {
        j->slot[slot] = lanes_variable(j, lanes_vector(j, j->i32));
        j->l->BuildStore(j->row_builder, first_value(j, (unsigned)slot), j->slot[slot]);
    }
    return j->slot[slot];
}

static size_t slot_of(const struct jit_build *j, size_t offset)
{
    size_t slot = offset / (j->row_lanes * 4);

    return slot < LANES_MAX_SLOTS ? slot : 0; /* lanes_slot() has failed */
}

LLVMValueRef lanes_read(struct jit_build *j, size_t offset)
{
    size_t slot = slot_of(j, offset);

    j->is_read[slot] = true;
    j->is_carried[slot] |= !j->dirty[slot];
    return j->l->BuildLoad2(j->b, lanes_vector(j, j->i32), lanes_slot(j, offset), "");
}

jit_value lanes_read_value(struct jit_build *j, size_t offset)
{
    size_t slot = slot_of(j, offset);
    LLVMValueRef v = j->value[slot] ? j->value[slot] : lanes_read(j, offset);
    LLVMValueRef known = j->known[slot]; /* a first read determines it */
    jit_value value = lanes_wrap(j, known ? known : v, known != NULL);

    j->is_read[slot] = true;
    if (!j->side)
        j->value[slot] = v; /* code behind a side may not use what the side reads */
    if (!known) {
        lanes_value_of(value)->line = j->line[slot];
        lanes_value_of(value)->packed = j->packed[slot];
        lanes_value_of(value)->sign_of = j->sign_of[slot];
        lanes_value_of(value)->pair = j->pair[slot];
    }
    lanes_value_of(value)->step = known ? 0 : j->step[slot];
    return value;
}

/* Drops what is known of a slot's value. */
static void forget_slot(struct jit_build *j, size_t slot)
{
    j->known[slot] = j->line[slot] = j->value[slot] = j->sign_of[slot] = NULL;
    j->step[slot] = 0;
    j->packed[slot] = false;
    j->pair[slot] = (struct lanes_pair){0};
}

void lanes_forget_values(struct jit_build *j)
{
    memset(j->known, 0, sizeof(j->known));
    memset(j->line, 0, sizeof(j->line));
    memset(j->value, 0, sizeof(j->value));
    memset(j->sign_of, 0, sizeof(j->sign_of));
    memset(j->step, 0, sizeof(j->step));
    memset(j->packed, 0, sizeof(j->packed));
    memset(j->pair, 0, sizeof(j->pair));
    lanes_forget_accesses(j);
}

struct lanes_saved *lanes_save(struct jit_build *j)
{
    struct lanes_saved *s = lanes_keep(j, sizeof(*s));

    memcpy(s->known, j->known, sizeof(s->known));
    memcpy(s->line, j->line, sizeof(s->line));
    memcpy(s->value, j->value, sizeof(s->value));
    memcpy(s->sign_of, j->sign_of, sizeof(s->sign_of));
    memcpy(s->step, j->step, sizeof(s->step));
    memcpy(s->packed, j->packed, sizeof(s->packed));
    return s;
}

void lanes_restore(struct jit_build *j, const struct lanes_saved *s)
{
    lanes_forget_values(j);
    memcpy(j->known, s->known, sizeof(s->known));
    memcpy(j->line, s->line, sizeof(s->line));
    memcpy(j->value, s->value, sizeof(s->value));
    memcpy(j->sign_of, s->sign_of, sizeof(s->sign_of));
    memcpy(j->step, s->step, sizeof(s->step));
    memcpy(j->packed, s->packed, sizeof(s->packed));
}

/* Saves the value of a slot before the first write to it in a side. */
static void save_for_side(struct jit_build *j, size_t slot)
{
    LLVMBasicBlockRef here = j->l->GetInsertBlock(j->b);

    if (!j->side || j->outside[slot])
        return;
    j->l->PositionBuilderBefore(j->b, j->l->GetBasicBlockTerminator(j->side));
    j->outside[slot] = j->l->BuildLoad2(j->b, lanes_vector(j, j->i32), j->slot[slot], "");
    j->l->PositionBuilderAtEnd(j->b, here);
}

void lanes_begin_side(struct jit_build *j, LLVMBasicBlockRef block)
{
    j->side = block;
    lanes_forget_accesses(j);
    memset(j->outside, 0, sizeof(j->outside));
}

void lanes_end_side(struct jit_build *j)
{
    LLVMValueRef mask = lanes_from_bits(j, j->active), v;

    lanes_forget_accesses(j);
    for (unsigned slot = 0; slot < LANES_MAX_SLOTS; slot++) {
        if (!j->outside[slot])
            continue;
        v = j->l->BuildLoad2(j->b, lanes_vector(j, j->i32), j->slot[slot], "");
        v = j->l->BuildSelect(j->b, mask, v, j->outside[slot], "");
        j->l->BuildStore(j->b, v, j->slot[slot]);
        forget_slot(j, slot);
    }
    j->side = NULL;
}

void lanes_write_value(struct jit_build *j, size_t offset, jit_value value, LLVMValueRef mask)
{
    size_t slot = slot_of(j, offset);

    lanes_write(j, offset, lanes_wide(j, value), mask);
    if (mask)
        return;
    if (lanes_is_uniform(j, value))
        j->known[slot] = lanes_scalar(j, value);
    else
        j->value[slot] = lanes_scalar(j, value);
    j->sign_of[slot] = lanes_value_of(value)->sign_of;
    j->line[slot] = lanes_value_of(value)->line;
    j->packed[slot] = lanes_value_of(value)->line && lanes_value_of(value)->packed;
    j->pair[slot] = lanes_value_of(value)->pair;
    j->step[slot] = lanes_value_of(value)->line ? lanes_value_of(value)->step : 0;
}

void lanes_write(struct jit_build *j, size_t offset, LLVMValueRef v, LLVMValueRef mask)
{
    LLVMValueRef at = lanes_slot(j, offset);

    if (mask)
        v = j->l->BuildSelect(j->b, mask, v, lanes_read(j, offset), "");
    save_for_side(j, slot_of(j, offset));
    j->l->BuildStore(j->b, v, at);
    j->dirty[slot_of(j, offset)] = true;
    forget_slot(j, slot_of(j, offset));
}

void lanes_store(struct jit_build *j, LLVMValueRef bits)
{
    const struct llvm *l = j->l;
    LLVMValueRef mask = lanes_from_bits(j, bits);
    LLVMTypeRef t = lanes_vector(j, j->i32);

    for (unsigned slot = 0; slot < LANES_MAX_SLOTS; slot++) {
        LLVMValueRef v, store;

        if (!j->slot[slot] || !j->dirty[slot])
            continue;
        v = l->BuildLoad2(j->b, t, j->slot[slot], "");
        v = l->BuildSelect(j->b, mask, v, lanes_load_slot(j, j->b, slot), "");
        store = l->BuildStore(j->b, v, lanes_slot_pointer(j, j->b, slot, t));
        l->SetAlignment(store, 64);
    }
}

void lanes_reload(struct jit_build *j)
{
    for (unsigned slot = 0; slot < LANES_MAX_SLOTS; slot++)
        if (j->slot[slot])
            j->l->BuildStore(j->b, lanes_load_slot(j, j->b, slot), j->slot[slot]);
}

/* A word of the pool: a constant, or a uniform, which is the same in all lanes. */
static jit_value pool_read(struct jit_build *j, unsigned slot, unsigned index)
{
    const struct gpu_pool_word *word = &j->shader->pool[index];

    if (!word->uniform)
        return lanes_wrap(j, lanes_int(j->i32, word->value, j), true);
    if (!j->uniform[index])
        j->uniform[index] = lanes_load_uniform(j, j->entry_builder, slot);
    return lanes_wrap(j, j->uniform[index], true);
}

jit_value lanes_op_reg_read(struct jit_build *j, jit_type t, size_t offset)
{
    unsigned slot = (unsigned)(offset / (j->row_lanes * 4));
    unsigned pool = gpu_pool_slot(j->decoder->isa) + GPU_SPILL_SLOTS;

    (void)t;
    if (slot >= pool && slot - pool < j->shader->pool_count)
        return pool_read(j, slot, slot - pool);
    return lanes_read_value(j, offset);
}

static bool is_dead(const struct jit_build *j)
{
    return !j->current_block->reached;
}

bool lanes_takes_effect(const struct jit_build *j)
{
    return !is_dead(j) && !j->op_failed;
}

void lanes_op_reg_write(struct jit_build *j, size_t offset, jit_value value)
{
    lanes_wide(j, value); /* made now, which may fail */
    if (!lanes_takes_effect(j))
        return;
    j->op_effects = true;
    lanes_write_value(j, offset, value, lanes_mask(j));
}

jit_value lanes_special(struct jit_build *j, unsigned special)
{
    unsigned slot = j->decoder->isa->register_count + GPU_SLOT_SPECIAL + special;

    return lanes_op_reg_read(j, JIT_U32, gpu_slot_offset(j->row_lanes, slot));
}

jit_value lanes_staging(struct jit_build *j, const struct gpu_op *op, unsigned registers,
                        unsigned k)
{
    size_t row = 4 * (size_t)j->row_lanes, at = op->staging + row * k;

    if (at >= row * registers)
        return lanes_wrap(j, lanes_int(j->i32, 0, j), true);
    return lanes_op_reg_read(j, JIT_U32, at);
}

void lanes_set_staging(struct jit_build *j, const struct gpu_op *op, unsigned registers, unsigned k,
                       jit_value v)
{
    size_t row = 4 * (size_t)j->row_lanes, at = op->staging + row * k;

    if (at < row * registers)
        lanes_op_reg_write(j, at, v);
}

jit_value lanes_local_base(struct jit_build *j)
{
    return lanes_wrap(j, j->local_base, true);
}

static LLVMValueRef thread_base_of(struct jit_build *j, unsigned lane)
{
    return j->l->BuildExtractElement(j->b, j->thread_base, lanes_int(j->i32, lane, j), "");
}

/* Lanes have their memory one behind the other, as set_row() of start.c places it. */
static void note_thread_ends(struct jit_build *j)
{
    j->thread_first = thread_base_of(j, 0);
    j->thread_last = thread_base_of(j, j->lanes - 1);
    j->thread_step = j->l->BuildSub(j->b, thread_base_of(j, 1), j->thread_first, "");
}

jit_value lanes_thread_base(struct jit_build *j)
{
    LLVMTypeRef t = lanes_vector(j, j->i64);
    LLVMBuilderRef here = j->b;

    j->failed |= j->rows && !j->rows->in_memory; /* rows that begin have no slots in memory */
    if (!j->thread_base) {
        j->b = j->row_builder;
        j->thread_base =
            j->l->BuildLoad2(j->b, t, lanes_member(j, offsetof(struct gpu_warp, tls), t), "");
        j->l->SetAlignment(j->thread_base, 8);
        note_thread_ends(j);
        j->b = here;
    }
    return lanes_addable(j, j->thread_base);
}

jit_value lanes_nothing(struct jit_build *j, const jit_value *args)
{
    (void)args;
    lanes_fail_op(j, "what only its handler can do");
    return lanes_wrap(j, lanes_int(j->i64, 0, j), true);
}

/* A member of the worker. `j->core` is not made yet at the function's entry. */
static LLVMValueRef load_of_core(struct jit_build *j, size_t member, LLVMTypeRef type)
{
    LLVMValueRef at = lanes_int(j->i64, offsetof(struct gpu_warp, core), j);
    LLVMValueRef core = lanes_at(j, j->first_warp, at, j->bytes);

    core = j->l->BuildLoad2(j->b, j->bytes, core, "");
    return j->l->BuildLoad2(j->b, type, lanes_at(j, core, lanes_int(j->i64, member, j), type), "");
}

/* A member of a uniform buffer's description. */
static LLVMValueRef load_of_block(struct jit_build *j, LLVMValueRef index, size_t member)
{
    const struct llvm *l = j->l;
    LLVMValueRef at = load_of_core(j, offsetof(struct gpu_core, blocks), j->bytes);

    index = l->BuildMul(j->b, l->BuildZExt(j->b, index, j->i64, ""),
                        lanes_int(j->i64, sizeof(struct gpu_uniform_block), j), "");
    index = l->BuildAdd(j->b, index, lanes_int(j->i64, member, j), "");
    return l->BuildLoad2(j->b, j->i64, lanes_at(j, at, index, j->i64), "");
}

/* As gpu_uniform_buffer(), without its call, which would store all vectors of the function. */
static LLVMValueRef find_uniform_buffer(struct jit_build *j, LLVMValueRef *place)
{
    const struct llvm *l = j->l;
    LLVMValueRef count, exists, index, offset, end, fits;

    count = load_of_core(j, offsetof(struct gpu_core, block_count), j->i32);
    exists = l->BuildICmp(j->b, LLVMIntULT, place[0], count, "");
    index = l->BuildSelect(j->b, exists, place[0], lanes_int(j->i32, 0, j), "");
    offset = l->BuildZExt(j->b, place[1], j->i64, "");
    end = l->BuildAdd(j->b, offset, l->BuildZExt(j->b, place[2], j->i64, ""), "");
    fits = l->BuildICmp(j->b, LLVMIntULE, end,
                        load_of_block(j, index, offsetof(struct gpu_uniform_block, bytes)), "");
    offset = l->BuildAdd(j->b, offset,
                         load_of_block(j, index, offsetof(struct gpu_uniform_block, address)), "");
    return l->BuildSelect(j->b, l->BuildAnd(j->b, exists, fits, ""), offset,
                          lanes_int(j->i64, 0, j), "");
}

/* The address of a constant place in a uniform buffer. It is the same in one job, so the function
 * looks it up once, at its entry. Places are compared by LLVM's constants,
 * each of which exists once. */
static LLVMValueRef find_buffer_place(struct jit_build *j, LLVMValueRef *place)
{
    LLVMBuilderRef here = j->b;
    struct lanes_buffer_place *p = j->buffer_place;
    LLVMValueRef address;

    for (unsigned n = 0; n < j->buffer_place_count; n++, p++)
        if (p->index == place[0] && p->offset == place[1] && p->bytes == place[2])
            return p->address;
    j->b = j->entry_builder;
    address = find_uniform_buffer(j, place);
    j->b = here;
    if (j->buffer_place_count < LANES_BUFFER_PLACES)
        j->buffer_place[j->buffer_place_count++] =
            (struct lanes_buffer_place){place[0], place[1], place[2], address};
    return address;
}

jit_value lanes_uniform_buffer(struct jit_build *j, jit_value index, jit_value offset,
                               jit_value bytes)
{
    LLVMValueRef place[] = {lanes_scalar(j, index), lanes_scalar(j, offset),
                            lanes_scalar(j, bytes)};
    bool constant = true;

    if (!lanes_is_uniform(j, index) || !lanes_is_uniform(j, offset) || !lanes_is_uniform(j, bytes))
        return lanes_nothing(j, NULL);
    if (!j->current_block->reached)
        return lanes_wrap(j, lanes_int(j->i64, 0, j), true);
    for (unsigned n = 0; n < 3; n++)
        constant &= j->l->IsAConstantInt(place[n]) != NULL;
    return lanes_wrap(j, constant ? find_buffer_place(j, place) : find_uniform_buffer(j, place),
                      true);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static struct lanes_block *block_of(jit_block b)
{
    return (struct lanes_block *)(void *)b;
}

void lanes_begin(struct jit_build *j)
{
    j->current_block = lanes_keep(j, sizeof(*j->current_block));
    j->current_block->reached = j->current_block->filled = true;
    j->pending_count = 0;
    j->reading = j->writing = NULL;
    j->op_failed = j->op_effects = false;
}

jit_block lanes_op_block_new(struct jit_build *j)
{
    return (jit_block)lanes_keep(j, sizeof(struct lanes_block));
}

void lanes_op_at(struct jit_build *j, jit_block block)
{
    j->current_block = block_of(block);
    j->current_block->filled = true;
}

jit_value lanes_op_phi(struct jit_build *j, jit_block block, jit_type t)
{
    struct lanes_value *phi = lanes_keep(j, sizeof(*phi));

    phi->block = block_of(block);
    phi->v = lanes_int(j->i32, 0, j); /* a block without predecessors */
    phi->uniform = true;
    (void)t;
    return (jit_value)(void *)phi;
}

void lanes_op_phi_in(struct jit_build *j, jit_value phi, jit_value value)
{
    if (j->pending_count == LANES_MAX_EDGES) {
        lanes_fail_op(j, "too many values on an edge");
        return;
    }
    j->pending[j->pending_count++] =
        (struct lanes_pending){lanes_value_of(phi), lanes_value_of(value)};
}

/* Whether two edges are the sides of one branch with a uniform condition. */
static bool are_sides(const struct lanes_choice *a, const struct lanes_choice *b)
{
    return a && b && a->cond == b->cond && a->on != b->on && a->mask == b->mask &&
           a->outer == b->outer;
}

/* Merges a phi's value with that of the side `choice`, where the sides of a branch meet. */
static void merge_sides(struct jit_build *j, struct lanes_value *phi, jit_value v,
                        const struct lanes_choice *choice)
{
    jit_value old = (jit_value)(void *)phi;
    bool uniform = phi->uniform && lanes_is_uniform(j, v);
    LLVMValueRef a = uniform ? lanes_scalar(j, v) : lanes_wide(j, v);
    LLVMValueRef b = uniform ? phi->v : lanes_wide(j, old);

    phi->v = j->l->BuildSelect(j->b, choice->cond, choice->on ? a : b, choice->on ? b : a, "");
    phi->uniform = uniform;
}

/* Merges a phi's value with that of the lanes of a mask. */
static void merge_lanes(struct jit_build *j, struct lanes_value *phi, jit_value v,
                        LLVMValueRef mask)
{
    phi->v =
        j->l->BuildSelect(j->b, mask, lanes_wide(j, v), lanes_wide(j, (jit_value)(void *)phi), "");
    phi->uniform = false;
}

/* Gives the block's phis their values on the edge; `sides`: the edge and the former one are the
 * sides of a branch. */
static void add_phis(struct jit_build *j, struct lanes_block *to, LLVMValueRef mask,
                     const struct lanes_choice *choice, bool sides)
{
    for (unsigned i = 0; i < j->pending_count; i++) {
        struct lanes_value *phi = j->pending[i].phi;
        jit_value v = (jit_value)(uintptr_t)j->pending[i].value;

        if (phi->block != to)
            continue;
        if (!to->reached || !mask) {
            phi->v = lanes_scalar(j, v);
            phi->uniform = lanes_is_uniform(j, v);
        } else if (sides) {
            merge_sides(j, phi, v, choice);
        } else {
            merge_lanes(j, phi, v, mask);
        }
    }
}

/* Adds an edge to the block for the lanes of the mask (NULL: all current lanes), in the side
 * `choice` (NULL: none). */
static void add_edge(struct jit_build *j, struct lanes_block *to, LLVMValueRef mask,
                     const struct lanes_choice *choice)
{
    bool sides = to->reached && are_sides(to->choice, choice);

    if (is_dead(j))
        return;
    if (to->filled)
        lanes_fail_op(j, "a loop in a behaviour");
    add_phis(j, to, mask, choice, sides);
    if (!to->reached) {
        to->mask = mask;
        to->choice = choice;
    } else if (sides) {
        to->mask = choice->mask;
        to->choice = choice->outer;
    } else {
        to->mask = to->mask && mask ? j->l->BuildOr(j->b, to->mask, mask, "") : NULL;
        to->choice = NULL;
    }
    to->reached = true;
}

void lanes_op_goto(struct jit_build *j, jit_block to)
{
    add_edge(j, block_of(to), lanes_mask(j), j->current_block->choice);
    j->pending_count = 0;
}

/* Adds the edge of a branch for the lanes in which a condition, a scalar or vector of i1, is `on`.
 * Where lanes go different ways, the edge is that of no side: fewer lanes take it than its block
 * has. */
static void add_side(struct jit_build *j, jit_block to, LLVMValueRef cond, bool uniform, bool on)
{
    const struct lanes_block *from = j->current_block;
    struct lanes_choice *choice = uniform ? lanes_keep(j, sizeof(*choice)) : NULL;
    LLVMValueRef bit = on ? cond : j->l->BuildNot(j->b, cond, "");

    if (choice)
        *choice = (struct lanes_choice){cond, on, from->mask, from->choice};
    add_edge(j, block_of(to), and_masks(j, from->mask, uniform ? lanes_splat(j, bit) : bit),
             choice);
}

void lanes_op_branch(struct jit_build *j, jit_value cond, jit_block yes, jit_block no)
{
    const struct llvm *l = j->l;
    bool uniform = lanes_is_uniform(j, cond);
    LLVMValueRef c = lanes_scalar(j, cond);

    if (yes == no) {
        lanes_fail_op(j, "a branch with one target");
    } else if (uniform && l->IsAConstantInt(c)) {
        add_edge(j, block_of(l->ConstIntGetZExtValue(c) ? yes : no), lanes_mask(j),
                 j->current_block->choice);
    } else {
        c = l->BuildICmp(j->b, LLVMIntNE, c, l->ConstNull(l->TypeOf(c)), "");
        add_side(j, yes, c, uniform, true);
        add_side(j, no, c, uniform, false);
    }
    j->pending_count = 0;
}

void lanes_op_switch(struct jit_build *j, jit_value v, jit_block otherwise, unsigned count,
                     const uint64_t *cases, const jit_block *targets)
{
    (void)v, (void)otherwise, (void)count, (void)cases, (void)targets;
    lanes_fail_op(j, "a switch");
    j->pending_count = 0;
}

void lanes_op_done(struct jit_build *j)
{
    (void)j;
}

void lanes_op_unreachable(struct jit_build *j)
{
    (void)j;
}

/* ---- what happens at the end of the bundle --------------------------------------------------- */

static LLVMValueRef here_or_all(struct jit_build *j)
{
    LLVMTypeRef t = lanes_vector(j, j->i1);
    LLVMValueRef mask = lanes_mask(j);

    return mask ? mask : j->l->BuildNot(j->b, j->l->ConstNull(t), "");
}

void lanes_branch(struct jit_build *j, jit_value target)
{
    if (!lanes_takes_effect(j))
        return;
    j->op_effects = true;
    lanes_scalar(j, target);
    if (j->branching)
        j->failed = true; /* a second branch in the bundle */
    j->branching = here_or_all(j);
    j->target = lanes_value_of(target);
}

void lanes_barrier(struct jit_build *j)
{
    if (!lanes_takes_effect(j))
        return;
    if (lanes_mask(j))
        lanes_fail_op(j, "a barrier of some lanes");
    j->op_effects = true;
    j->waiting = true;
}

void lanes_end(struct jit_build *j)
{
    if (!lanes_takes_effect(j))
        return;
    j->op_effects = true;
    if (j->ending)
        j->failed = true;
    j->ending = here_or_all(j);
}
