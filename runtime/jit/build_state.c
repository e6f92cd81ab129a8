/*
 * Guest registers as variables of a region, and where they are stored.
 *
 * A register is loaded once, when the region is entered, into an alloca that LLVM promotes to
 * values. It is stored only where code outside of the region may read it: on exits, and before
 * calls, in the cold block if the call is in one. The registers that differ from memory at such a
 * place are known when the whole region has been built; until then the place is only recorded.
 */
#include "runtime/jit/llvm_build.h"

/* ---- struct cpu ------------------------------------------------------------------------------ */

LLVMValueRef build_at(struct jit_build *j, LLVMValueRef base, uint64_t offset, LLVMTypeRef t)
{
    LLVMValueRef index = build_int(j, j->i64, offset);

    base = j->l->BuildGEP2(j->b, j->i8, base, &index, 1, "");
    return j->l->BuildBitCast(j->b, base, j->l->PointerType(t, 0), "");
}

LLVMValueRef build_cpu_load(struct jit_build *j, size_t offset, LLVMTypeRef t)
{
    return build_tag(j, j->l->BuildLoad2(j->b, t, build_at(j, j->cpu, offset, t), ""), MEMORY_CPU);
}

void build_cpu_store(struct jit_build *j, size_t offset, LLVMValueRef v)
{
    build_tag(j, j->l->BuildStore(j->b, v, build_at(j, j->cpu, offset, j->l->TypeOf(v))),
              MEMORY_CPU);
}

LLVMValueRef build_tag(struct jit_build *j, LLVMValueRef access, enum memory_kind kind)
{
    j->l->SetMetadata(access, j->tbaa, j->memory_tag[kind]);
    return access;
}

void build_store_ticks(struct jit_build *j)
{
    LLVMValueRef left = j->l->BuildLoad2(j->b, j->i64, j->ticks_left, "");
    LLVMValueRef high = build_int(j, j->i64, 64 - LOOK_UP_BITS);

    left = j->l->BuildAShr(j->b, j->l->BuildShl(j->b, left, high, ""), high, "");
    build_cpu_store(j, offsetof(struct cpu, ticks), j->l->BuildSub(j->b, j->base, left, ""));
}

jit_value llvm_cpu_read(struct jit_build *j, jit_type t, size_t offset)
{
    return build_cpu_load(j, offset, build_type(j, t));
}

LLVMValueRef build_variable(struct jit_build *j, LLVMTypeRef t)
{
    return j->l->BuildAlloca(j->entry_builder, t, "");
}

/* ---- variables ------------------------------------------------------------------------------- */

static void set_add(struct set *s, unsigned n)
{
    s->bits[n / 64] |= UINT64_C(1) << (n % 64);
}

static bool set_has(const struct set *s, unsigned n)
{
    return s->bits[n / 64] >> (n % 64) & 1;
}

static LLVMTypeRef slot_type(struct jit_build *j, unsigned size)
{
    switch (size) {
    case 1:
        return j->i8;
    case 2:
        return j->i16;
    case 4:
        return j->i32;
    case 8:
        return j->i64;
    default:
        return j->l->VectorType(j->i64, 2);
    }
}

/* Copies a variable from memory (load) or to it, with the given builder. */
static void transfer_variable(struct jit_build *j, LLVMBuilderRef b, const struct variable *v,
                              bool load)
{
    const struct llvm *l = j->l;
    LLVMBuilderRef saved = j->b;
    LLVMValueRef from, to, value, copy;

    j->b = b;
    to = build_at(j, j->cpu, offsetof(struct cpu, state) + v->slot.offset, v->type);
    from = load ? to : v->at;
    to = load ? v->at : to;
    value = l->BuildLoad2(b, v->type, from, "");
    copy = l->BuildStore(b, value, to);
    build_tag(j, load ? value : copy, MEMORY_CPU);
    /* Wide registers are not aligned in the state. */
    if (v->slot.size == 16)
        l->SetAlignment(load ? value : copy, 8);
    j->b = saved;
}

/* The variable with bytes [offset, offset + size) of the state; NULL: there is none. */
static struct variable *variable_of(struct jit_build *j, size_t offset, unsigned size,
                                    unsigned *number)
{
    const struct isa_map *m = j->r->map;
    unsigned slot = offset < m->isa->state_bytes ? m->slot_at[offset] : 0;
    struct variable *v;

    if (!slot || offset + size > m->slots.data[slot - 1].offset + m->slots.data[slot - 1].size)
        return NULL;
    if (!j->var_of[slot - 1]) {
        if (j->var_count == REGION_MAX_SLOTS) {
            build_fail(j, "the region uses too many registers");
            return NULL;
        }
        v = &j->vars[j->var_count++];
        j->var_of[slot - 1] = (uint16_t)j->var_count;
        v->slot = m->slots.data[slot - 1];
        v->type = slot_type(j, v->slot.size);
        v->at = build_variable(j, v->type);
        transfer_variable(j, j->entry_builder, v, true);
    }
    *number = j->var_of[slot - 1] - 1u;
    return &j->vars[*number];
}

/* ---- pieces of a variable -------------------------------------------------------------------- */

/* The type of a 16-byte variable as a vector of integers with `bytes` bytes. */
static LLVMTypeRef as_lanes(struct jit_build *j, unsigned bytes)
{
    return j->l->VectorType(slot_type(j, bytes), 16 / bytes);
}

static LLVMValueRef piece_of_variable(struct jit_build *j, const struct variable *v, unsigned at,
                                      unsigned size)
{
    const struct llvm *l = j->l;
    LLVMValueRef whole = l->BuildLoad2(j->b, v->type, v->at, "");

    if (size == v->slot.size)
        return whole;
    if (v->slot.size == 16) {
        whole = l->BuildBitCast(j->b, whole, as_lanes(j, size), "");
        return l->BuildExtractElement(j->b, whole, build_int(j, j->i32, at / size), "");
    }
    if (at)
        whole = l->BuildLShr(j->b, whole, build_int(j, v->type, 8 * at), "");
    return l->BuildTrunc(j->b, whole, slot_type(j, size), "");
}

static LLVMValueRef with_piece(struct jit_build *j, const struct variable *v, unsigned at,
                               unsigned size, LLVMValueRef value)
{
    const struct llvm *l = j->l;
    LLVMValueRef whole = l->BuildLoad2(j->b, v->type, v->at, "");
    uint64_t mask = size < 8 ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX;

    if (v->slot.size == 16) {
        whole = l->BuildBitCast(j->b, whole, as_lanes(j, size), "");
        whole = l->BuildInsertElement(j->b, whole, value, build_int(j, j->i32, at / size), "");
        return l->BuildBitCast(j->b, whole, v->type, "");
    }
    value = l->BuildZExt(j->b, value, v->type, "");
    if (at)
        value = l->BuildShl(j->b, value, build_int(j, v->type, 8 * at), "");
    whole = l->BuildAnd(j->b, whole, build_int(j, v->type, ~(mask << 8 * at)), "");
    return l->BuildOr(j->b, whole, value, "");
}

/* A value as an integer, or a vector of 16 bytes, of its size; NULL for other sizes. */
static LLVMValueRef as_slot(struct jit_build *j, LLVMValueRef value, unsigned size)
{
    const struct llvm *l = j->l;
    LLVMTypeRef t = l->TypeOf(value);
    LLVMValueRef low;

    if (size > 16 || (size & (size - 1)))
        return NULL;
    /* A zero-extended integer is inserted into a vector, which avoids an integer of 128 bits. */
    if (t == j->i128 && l->IsAInstruction(value) && l->GetInstructionOpcode(value) == LLVMZExt) {
        low = build_resize(j, l->GetOperand(value, 0), j->i64);
        return l->BuildInsertElement(j->b, l->ConstNull(slot_type(j, 16)), low,
                                     build_int(j, j->i32, 0), "");
    }
    return t == slot_type(j, size) ? value : l->BuildBitCast(j->b, value, slot_type(j, size), "");
}

static void write_variable(struct jit_build *j, const struct variable *v, unsigned number,
                           LLVMValueRef value)
{
    j->l->BuildStore(j->b, value, v->at);
    set_add(&j->now.dirty, number);
}

/* ---- registers through memory ---------------------------------------------------------------- */

void build_store_cold(struct jit_build *j)
{
    LLVMValueRef here = j->l->BuildLoad2(j->b, j->i64, j->ticks_left, "");

    vec_push(&j->stores, (struct store_point){here, j->source, j->now});
}

void build_store_all(struct jit_build *j)
{
    build_store_cold(j);
    if (!j->branched) /* otherwise the other branches have not stored anything */
        j->now = (struct changes){.stored = true};
}

static LLVMValueRef state_place(struct jit_build *j, LLVMValueRef offset, LLVMTypeRef t)
{
    LLVMValueRef base = build_at(j, j->cpu, offsetof(struct cpu, state), j->i8);

    base = j->l->BuildGEP2(j->b, j->i8, base, &offset, 1, "");
    return j->l->BuildBitCast(j->b, base, j->l->PointerType(t, 0), "");
}

static LLVMValueRef read_memory(struct jit_build *j, LLVMTypeRef t, LLVMValueRef offset)
{
    LLVMValueRef v;

    build_store_cold(j);
    v = j->l->BuildLoad2(j->b, t, state_place(j, offset, t), "");
    j->l->SetAlignment(build_tag(j, v, MEMORY_CPU), 1);
    return v;
}

static void write_memory(struct jit_build *j, LLVMValueRef offset, LLVMValueRef value)
{
    LLVMValueRef store;

    build_store_cold(j);
    store = j->l->BuildStore(j->b, value, state_place(j, offset, j->l->TypeOf(value)));
    j->l->SetAlignment(build_tag(j, store, MEMORY_CPU), 1);
    build_reload(j, store);
}

/* ---- the interface --------------------------------------------------------------------------- */

static bool piece_fits(const struct variable *v, size_t offset, unsigned size)
{
    return v && !(size & (size - 1)) && (offset - v->slot.offset) % size == 0;
}

static bool is_inside(struct slot slot, size_t offset, unsigned size)
{
    return offset >= slot.offset && offset + size <= (size_t)slot.offset + slot.size;
}

jit_value llvm_reg_read(struct jit_build *j, jit_type t, size_t offset)
{
    LLVMTypeRef type = build_type(j, t);
    unsigned size = type_bits(type, j) / 8, number;
    const struct variable *v;
    LLVMValueRef value;

    if (is_inside(j->r->map->zero, offset, size))
        return j->l->ConstNull(type);
    v = variable_of(j, offset, size, &number);
    if (!piece_fits(v, offset, size))
        return read_memory(j, type, build_int(j, j->i64, offset));
    value = piece_of_variable(j, v, (unsigned)(offset - v->slot.offset), size);
    return j->l->TypeOf(value) == type ? value : j->l->BuildBitCast(j->b, value, type, "");
}

void llvm_reg_write(struct jit_build *j, size_t offset, jit_value value)
{
    unsigned size = type_bits(j->l->TypeOf(value), j) / 8, number;
    const struct variable *v;

    if (is_inside(j->r->map->sink, offset, size))
        return;
    v = variable_of(j, offset, size, &number);
    if (!piece_fits(v, offset, size)) {
        write_memory(j, build_int(j, j->i64, offset), value);
        return;
    }
    value = as_slot(j, value, size);
    if (size != v->slot.size)
        value = with_piece(j, v, (unsigned)(offset - v->slot.offset), size, value);
    write_variable(j, v, number, value);
}

/* Offset of a bank's register, and whether the index is valid; the offset is valid in any case. */
static LLVMValueRef bank_offset(struct jit_build *j, size_t offset, unsigned stride, unsigned count,
                                LLVMValueRef index, LLVMValueRef *inside)
{
    const struct llvm *l = j->l;

    index = build_resize(j, index, j->i64);
    *inside = l->BuildICmp(j->b, LLVMIntULT, index, build_int(j, j->i64, count), "");
    index = l->BuildSelect(j->b, *inside, index, build_int(j, j->i64, 0), "");
    index = l->BuildMul(j->b, index, build_int(j, j->i64, stride), "");
    return l->BuildAdd(j->b, index, build_int(j, j->i64, offset), "");
}

jit_value llvm_bank_read(struct jit_build *j, jit_type t, size_t offset, unsigned stride,
                         unsigned count, jit_value index)
{
    LLVMTypeRef type = build_type(j, t);
    LLVMValueRef inside, at = bank_offset(j, offset, stride, count, index, &inside);

    return j->l->BuildSelect(j->b, inside, read_memory(j, type, at), j->l->ConstNull(type), "");
}

void llvm_bank_write(struct jit_build *j, size_t offset, unsigned stride, unsigned count,
                     jit_value index, jit_value value)
{
    LLVMTypeRef type = j->l->TypeOf(value);
    LLVMValueRef inside, at = bank_offset(j, offset, stride, count, index, &inside), old;

    old = read_memory(j, type, at);
    write_memory(j, at, j->l->BuildSelect(j->b, inside, value, old, ""));
}

/* ---- before and after calls ------------------------------------------------------------------ */

const struct insn *build_insn_address(const struct jit_build *j)
{
    const struct source *s = &j->r->sources[j->source];

    return block_insn(s->block, j->index);
}

static LLVMValueRef constant_address(struct jit_build *j, const void *p)
{
    return j->l->ConstIntToPtr(build_int(j, j->i64, (uintptr_t)p), j->bytes);
}

void build_context(struct jit_build *j)
{
    const struct source *s = &j->r->sources[j->source];

    build_store_all(j);
    build_store_ticks(j);
    build_cpu_store(j, offsetof(struct cpu, block), constant_address(j, s->block));
    build_cpu_store(j, offsetof(struct cpu, block_pc), build_pc(j, s->delta));
}

void build_reload(struct jit_build *j, LLVMValueRef after)
{
    vec_push(&j->reloads, after);
}

/* ---- filling in loads and stores ------------------------------------------------------------- */

static bool set_join(struct set *to, const struct set *more)
{
    bool changed = false;

    for (size_t n = 0; n < ARRAY_SIZE(to->bits); n++) {
        changed |= (more->bits[n] & ~to->bits[n]) != 0;
        to->bits[n] |= more->bits[n];
    }
    return changed;
}

/* Computes the variables that may differ from memory at each block's start: the union over its
 * predecessors. */
static void find_dirty(struct jit_build *j)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (size_t n = 0; n < j->edges.len; n++) {
            const struct per_source *from = &j->of[j->edges.data[n].from];
            struct set *to = &j->of[j->edges.data[n].to].dirty;

            changed |= set_join(to, &from->end.dirty);
            if (!from->end.stored)
                changed |= set_join(to, &from->dirty);
        }
    }
}

static void fill_stores(struct jit_build *j)
{
    for (size_t n = 0; n < j->stores.len; n++) {
        const struct store_point *p = &j->stores.data[n];
        struct set dirty = p->at.dirty;

        if (!p->at.stored)
            set_join(&dirty, &j->of[p->source].dirty);
        j->l->PositionBuilderBefore(j->b, p->before);
        for (unsigned k = 0; k < j->var_count; k++) {
            if (set_has(&dirty, k))
                transfer_variable(j, j->b, &j->vars[k], false);
        }
    }
}

static void fill_reloads(struct jit_build *j)
{
    for (size_t n = 0; n < j->reloads.len; n++) {
        j->l->PositionBuilderBefore(j->b, j->l->GetNextInstruction(j->reloads.data[n]));
        for (unsigned k = 0; k < j->var_count; k++)
            transfer_variable(j, j->b, &j->vars[k], true);
    }
}

void build_transfers(struct jit_build *j)
{
    find_dirty(j);
    fill_stores(j);
    fill_reloads(j);
}
