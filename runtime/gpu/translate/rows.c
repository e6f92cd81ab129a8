/*
 * Initial registers of threads in rows that begin in host code: positions in the work-group, from
 * the job's tables, and 0 in all other registers. Behind a barrier: what was kept there.
 */
#include "runtime/gpu/translate/internal.h"

LLVMValueRef lanes_rows_member(struct jit_build *j, LLVMBuilderRef b, size_t offset,
                               LLVMTypeRef type)
{
    LLVMValueRef at = lanes_int(j->i64, offset, j);
    LLVMValueRef p = j->l->BuildGEP2(b, j->i8, j->row_range, &at, 1, "");

    return j->l->BuildBitCast(b, p, j->l->PointerType(type, 0), "");
}

/* Word `index` of the array to which a member of struct gpu_row_range points; `type` is that of one
 * word, or of a vector of words from there on. */
static LLVMValueRef load_word(struct jit_build *j, LLVMBuilderRef b, LLVMValueRef words,
                              LLVMValueRef index, LLVMTypeRef type)
{
    LLVMValueRef at = j->l->BuildGEP2(b, j->i32, words, &index, 1, ""), v;

    at = j->l->BuildBitCast(b, at, j->l->PointerType(type, 0), "");
    v = j->l->BuildLoad2(b, type, at, "");
    j->l->SetAlignment(v, 4);
    return v;
}

static LLVMValueRef load_pointer(struct jit_build *j, size_t member)
{
    LLVMTypeRef words = j->l->PointerType(j->i32, 0);

    return j->l->BuildLoad2(j->entry_builder, words,
                            lanes_rows_member(j, j->entry_builder, member, words), "");
}

/* The table of a position, by thread. */
static LLVMValueRef place_table(struct jit_build *j, enum gpu_place place)
{
    LLVMTypeRef words = j->l->PointerType(j->i32, 0), tables = j->l->PointerType(words, 0);
    LLVMValueRef at = lanes_int(j->i64, place, j), all;

    all = j->l->BuildLoad2(
        j->entry_builder, tables,
        lanes_rows_member(j, j->entry_builder, offsetof(struct gpu_row_range, place), tables), "");
    all = j->l->BuildGEP2(j->entry_builder, words, all, &at, 1, "");
    return j->l->BuildLoad2(j->entry_builder, words, all, "");
}

static LLVMValueRef splat_scalar(struct jit_build *j, LLVMBuilderRef b, LLVMValueRef scalar)
{
    LLVMBuilderRef here = j->b;
    LLVMValueRef v;

    j->b = b;
    v = lanes_splat(j, scalar);
    j->b = here;
    return v;
}

/* Whether the position is the same in all lanes of each row. */
static bool is_common(const struct jit_build *j, enum gpu_place place)
{
    return j->rows->in_line && (place == GPU_PLACE_Y || place == GPU_PLACE_Z);
}

/* Notes that x grows by 1 per lane where a row's threads are in one line. The x of its first lane
 * is a multiple of the number of lanes, so x does not carry into a packed y. */
static void note_line(struct jit_build *j, unsigned slot, enum gpu_place place, LLVMValueRef v)
{
    if ((place != GPU_PLACE_X && place != GPU_PLACE_XY) || !j->rows->in_line ||
        j->decoder->row != j->lanes)
        return;
    j->line[slot] = j->l->BuildExtractElement(j->row_builder, v, lanes_int(j->i32, 0, j), "");
    j->step[slot] = 1;
    j->packed[slot] = place == GPU_PLACE_XY;
}

/* The positions of the row's threads plus the base of their group. */
static LLVMValueRef position_plus_base(struct jit_build *j, unsigned slot, enum gpu_place place,
                                       enum gpu_base base, LLVMValueRef *known)
{
    LLVMBuilderRef b = j->row_builder;
    LLVMValueRef words = place_table(j, place), v, origin;

    v = load_word(j, b, words, j->thread, is_common(j, place) ? j->i32 : lanes_vector(j, j->i32));
    if (base != GPU_BASE_NONE) {
        origin =
            load_word(j, j->entry_builder, load_pointer(j, offsetof(struct gpu_row_range, origin)),
                      lanes_int(j->i64, base, j), j->i32);
        if (!is_common(j, place))
            origin = splat_scalar(j, j->entry_builder, origin);
        v = j->l->BuildAdd(b, v, origin, "");
    }
    if (!is_common(j, place)) {
        note_line(j, slot, place, v);
        return v;
    }
    *known = v;
    return splat_scalar(j, b, v);
}

/* Finds the value that the job preloads into a register. false: none. */
static bool find_preloaded(const struct jit_build *j, unsigned slot, unsigned *what)
{
    for (*what = 0; *what < GPU_PRELOAD_COUNT; ++*what)
        if (j->decoder->preload[*what] == slot && j->rows->preload >> *what & 1)
            return true;
    return false;
}

/* The value of a register that is the same in all rows of the group, from the memory of the first
 * row. */
static LLVMValueRef load_group_value(struct jit_build *j, unsigned slot, LLVMValueRef *known)
{
    *known = lanes_load_uniform(j, j->entry_builder, slot);
    return splat_scalar(j, j->entry_builder, *known);
}

static LLVMValueRef preloaded_value(struct jit_build *j, unsigned slot, unsigned what,
                                    LLVMValueRef *known)
{
    const struct gpu_preload_source *source = gpu_preload_source_of(what);

    if (source)
        return position_plus_base(j, slot, source->place, source->base, known);
    switch (what) {
    case GPU_PRELOAD_GROUP_ID_X:
    case GPU_PRELOAD_GROUP_ID_Y:
    case GPU_PRELOAD_GROUP_ID_Z:
        return load_group_value(j, slot, known);
    default:
        return lanes_load_slot(j, j->entry_builder, slot);
    }
}

LLVMValueRef lanes_kept_place(struct jit_build *j, LLVMBuilderRef b, unsigned number,
                              LLVMTypeRef type)
{
    const struct llvm *l = j->l;
    LLVMBuilderRef entry = j->entry_builder;
    uint64_t bytes = (uint64_t)number * j->lanes * sizeof(uint32_t);
    LLVMValueRef all, pitch, at;

    all = l->BuildLoad2(entry, j->bytes,
                        lanes_rows_member(j, entry, offsetof(struct gpu_row_range, kept), j->bytes),
                        "");
    pitch = l->BuildLoad2(
        entry, j->i64,
        lanes_rows_member(j, entry, offsetof(struct gpu_row_range, kept_pitch), j->i64), "");
    at = l->BuildMul(b, j->row, pitch, "");
    at = l->BuildAdd(b, at, lanes_int(j->i64, bytes, j), "");
    at = l->BuildGEP2(b, j->i8, all, &at, 1, "");
    return l->BuildBitCast(b, at, l->PointerType(type, 0), "");
}

/* The words of all lanes that grow by `step` from the first lane's word on. */
static LLVMValueRef words_in_line(struct jit_build *j, LLVMBuilderRef b, LLVMValueRef first,
                                  uint32_t step)
{
    LLVMValueRef ahead[GPU_MAX_LANES], v = splat_scalar(j, b, first);

    for (unsigned lane = 0; lane < j->lanes; lane++)
        ahead[lane] = lanes_int(j->i32, (uint32_t)(lane * step), j);
    return step ? j->l->BuildAdd(b, v, j->l->ConstVector(ahead, j->lanes), "") : v;
}

/* The words of a slot that were kept at the last barrier. *known becomes their scalar if they are
 * uniform. */
static LLVMValueRef kept_slot(struct jit_build *j, unsigned slot, LLVMValueRef *known)
{
    const struct lanes_kept *kept = &j->kept[slot];
    LLVMTypeRef type = lanes_keeps_first(kept) ? j->i32 : lanes_vector(j, j->i32);
    LLVMBuilderRef b = j->row_builder;
    LLVMValueRef v = j->l->BuildLoad2(b, type, lanes_kept_place(j, b, kept->number - 1, type), "");

    j->l->SetAlignment(v, 64);
    if (!lanes_keeps_first(kept))
        return v;
    if (kept->is_uniform) {
        *known = v;
    } else {
        j->line[slot] = v;
        j->step[slot] = kept->step;
    }
    return words_in_line(j, b, v, kept->step);
}

LLVMValueRef lanes_row_slot(struct jit_build *j, unsigned slot, LLVMValueRef *known)
{
    unsigned registers = j->decoder->isa->register_count, what;

    if (j->kept[slot].number)
        return kept_slot(j, slot, known);
    if (slot < registers && find_preloaded(j, slot, &what))
        return preloaded_value(j, slot, what, known);
    if (slot == registers + GPU_SLOT_SPECIAL + GPU_SPECIAL_WARP_ID)
        return position_plus_base(j, slot, GPU_PLACE_WARP, GPU_BASE_NONE, known);
    if (slot == registers + GPU_SLOT_SPECIAL + GPU_SPECIAL_CORE_ID)
        return load_group_value(j, slot, known);
    if (slot == registers + GPU_SLOT_ACTIVE ||
        (slot >= registers + GPU_SLOT_SPECIAL && slot < registers + GPU_SLOT_RESULT))
        return lanes_load_slot(j, j->entry_builder, slot);
    *known = lanes_int(j->i32, 0, j);
    return j->l->ConstNull(lanes_vector(j, j->i32));
}
