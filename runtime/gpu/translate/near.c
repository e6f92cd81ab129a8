/*
 * Rows of words near others: neighbours of a point in a picture, for instance. Where the addresses
 * of two reads are the same but for a constant, and the first found its memory as a row, the second
 * finds its own a known distance from there. Whether the first did so shows in a variable, which is
 * NULL after it went another way, and after each slow access, behind which pages may be elsewhere.
 *
 * Two indices differ by a constant if they are sums of the same terms. They are scalars, those of
 * the row's first lane, and sums of 32 bits. The first read has tested that its index is far enough
 * below the end of these numbers.
 *
 * Bounds      LANES_NEAR reads are known at a time; sums of MOST_TERMS terms, MOST_DEPTH
 *             operations deep
 */
#include "runtime/gpu/translate/access.h"

#include <string.h>

enum { MOST_TERMS = 8, MOST_DEPTH = 6, MOST_AHEAD = 64 /* bytes */ };

/* ---- equal values ---------------------------------------------------------------------------- */

static bool is_operation(const struct jit_build *j, LLVMValueRef v)
{
    if (!j->l->IsAInstruction(v))
        return false;
    switch (j->l->GetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMOr:
    case LLVMZExt:
    case LLVMSExt:
        return true;
    default:
        return false;
    }
}

/* Whether two values are equal because they are computed alike. NULL is equal to NULL. */
static bool is_same(const struct jit_build *j, LLVMValueRef a, LLVMValueRef b, unsigned depth)
{
    const struct llvm *l = j->l;

    if (a == b || !a || !b)
        return a == b;
    if (depth == MOST_DEPTH || !is_operation(j, a) || !is_operation(j, b) ||
        l->GetInstructionOpcode(a) != l->GetInstructionOpcode(b) || l->TypeOf(a) != l->TypeOf(b))
        return false;
    for (unsigned n = 0; n < (unsigned)l->GetNumOperands(a); n++)
        if (!is_same(j, l->GetOperand(a, n), l->GetOperand(b, n), depth + 1))
            return false;
    return true;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* A word as a sum of terms and a constant, modulo 2^32. */
struct sum {
    LLVMValueRef term[MOST_TERMS];
    unsigned terms;
    uint32_t constant;
};

static void add_terms(const struct jit_build *j, struct sum *s, LLVMValueRef v, unsigned depth)
{
    const struct llvm *l = j->l;
    LLVMOpcode op = l->IsAInstruction(v) ? l->GetInstructionOpcode(v) : LLVMRet;

    if (l->IsAConstantInt(v)) {
        s->constant += (uint32_t)l->ConstIntGetZExtValue(v);
    } else if (op == LLVMAdd && depth < MOST_DEPTH) {
        add_terms(j, s, l->GetOperand(v, 0), depth + 1);
        add_terms(j, s, l->GetOperand(v, 1), depth + 1);
    } else if (op == LLVMSub && depth < MOST_DEPTH && l->IsAConstantInt(l->GetOperand(v, 1))) {
        add_terms(j, s, l->GetOperand(v, 0), depth + 1);
        s->constant -= (uint32_t)l->ConstIntGetZExtValue(l->GetOperand(v, 1));
    } else {
        if (s->terms < MOST_TERMS)
            s->term[s->terms] = v;
        s->terms++;
    }
}

/* Removes a term that is equal to `v`. false: there is none. */
static bool take_term(const struct jit_build *j, struct sum *s, LLVMValueRef v)
{
    for (unsigned n = 0; n < s->terms; n++)
        if (is_same(j, s->term[n], v, 0)) {
            s->term[n] = s->term[--s->terms];
            return true;
        }
    return false;
}

/* Whether `to` - `from` is a constant; *constant becomes the difference. */
static bool differ_by(const struct jit_build *j, LLVMValueRef from, LLVMValueRef to,
                      uint32_t *constant)
{
    struct sum a = {0}, b = {0};

    add_terms(j, &a, from, 0);
    add_terms(j, &b, to, 0);
    if (a.terms != b.terms || a.terms > MOST_TERMS)
        return false;
    for (unsigned n = 0; n < a.terms; n++)
        if (!take_term(j, &b, a.term[n]))
            return false;
    *constant = b.constant - a.constant;
    return true;
}

/* ---- reads that are near --------------------------------------------------------------------- */

/* The extended word in an address, whose other parts are the same in all lanes; NULL: it has
 * none. */
static const struct lanes_value *extended_word(const struct lanes_value *v)
{
    if (v->is_signed)
        return v;
    if (v->pair_of)
        return v->pair_of;
    return v->low && !v->high ? v : NULL;
}

uint64_t access_stride(const struct jit_build *j, const struct access *a)
{
    const struct lanes_value *word = extended_word(lanes_value_of(a->address));

    if (!word || !word->low->line || a->mask || j->current_block->choice)
        return 0;
    return (uint64_t)word->low->step << word->scale;
}

bool access_is_near(const struct jit_build *j, const struct access *of, const struct access *a,
                    unsigned *ahead)
{
    const struct lanes_value *v = lanes_value_of(of->address), *u = lanes_value_of(a->address);
    const struct lanes_value *from = extended_word(v), *to = extended_word(u);
    uint32_t stride = from->low->step << from->scale, words;
    uint32_t room = stride * j->lanes - from->low->step * (j->lanes - 1);
    uint64_t bytes = to->offset - from->offset;

    if (of->bytes != a->bytes || of->active != a->active || from->low->step != to->low->step ||
        from->scale != to->scale || from->is_signed != to->is_signed || (v == from) != (u == to) ||
        !is_same(j, from->base, to->base, 0) || !is_same(j, v->base, u->base, 0) ||
        !differ_by(j, from->low->line, to->low->line, &words) || words > room)
        return false;
    bytes += ((uint64_t)words << from->scale) + (v == from ? 0 : u->offset - v->offset);
    *ahead = (unsigned)bytes;
    return bytes <= MOST_AHEAD;
}

LLVMValueRef access_condition(const struct access *a)
{
    return extended_word(lanes_value_of(a->address))->only_if;
}

static const struct lanes_near *find_near(const struct jit_build *j, const struct access *a,
                                          unsigned *ahead)
{
    for (unsigned n = 0; n < j->near_count; n++)
        if (access_is_near(j, j->near[n].access, a, ahead))
            return &j->near[n];
    return NULL;
}

/* Builds the way of a read that is near an earlier one. */
static void read_near(struct jit_build *j, struct access *a, const struct lanes_near *near,
                      unsigned ahead, access_word_fn *word)
{
    const struct llvm *l = j->l;
    LLVMBasicBlockRef hit = lanes_new_block(j), miss = lanes_new_block(j);
    LLVMValueRef host = l->BuildLoad2(j->b, j->bytes, near->host, "");
    LLVMValueRef is_known = l->BuildICmp(j->b, LLVMIntNE, host, l->ConstNull(j->bytes), "");
    LLVMValueRef only_if = access_condition(a);
    LLVMValueRef at = lanes_int(j->i64, ahead, j);

    if (only_if)
        is_known = l->BuildAnd(j->b, is_known, only_if, "");
    lanes_branch_likely(j, is_known, hit, miss);
    l->PositionBuilderAtEnd(j->b, hit);
    a->found = (struct access_found){
        .host = l->BuildGEP2(j->b, j->i8, host, &at, 1, ""),
        .room = near->room,
        .limit = true,
        .bytes = ahead + a->bytes * j->lanes,
    };
    access_check_bytes(j, near->room, a->found.bytes);
    access_way(j, a, word, 0);
    l->PositionBuilderAtEnd(j->b, miss);
}

/* Begins a read of which later ones may be near. The oldest one gives its place. */
static struct lanes_near *begin_near(struct jit_build *j, const struct access *a)
{
    struct lanes_near *near;

    if (j->near_count == LANES_NEAR)
        memmove(j->near, j->near + 1, --j->near_count * sizeof(*j->near));
    near = &j->near[j->near_count++];
    *near = (struct lanes_near){.access = a, .host = lanes_variable(j, j->bytes)};
    j->l->BuildStore(j->b, j->l->ConstNull(j->bytes), near->host);
    return near;
}

struct lanes_near *access_find_near(struct jit_build *j, struct access *a, access_word_fn *word)
{
    const struct lanes_near *near;
    unsigned ahead;

    if (access_stride(j, a) != a->bytes)
        return NULL;
    near = find_near(j, a, &ahead);
    if (!near)
        return begin_near(j, a);
    read_near(j, a, near, ahead, word);
    return NULL;
}

void access_note_near(struct jit_build *j, const struct access *a, struct lanes_near *near)
{
    near->room = a->found.room;
    j->l->BuildStore(j->b, a->found.host, near->host);
}
