/*
 * Stores of bundles that follow each other, to words side by side: compilers store the parts of a
 * vector one after the other, halves and bytes always. Where the first of them finds its memory as
 * strides of a row, the others are in the same strides, whose memory is known then; and all of them
 * are stored at the place of the last one.
 *
 * A store is moved behind the next one only if no other one is between them, and no exit between
 * them is taken on this way. A read between them that may be of the same bytes lets the words that
 * wait be stored before it, as does one whose place in the host's memory is not known. Whether
 * words wait shows in a variable, as in near.c.
 */
#include "runtime/gpu/translate/access.h"

/* Whether the words of the access may be stored later: all lanes have their place in a stride of a
 * few words, and no access of the bundle may have failed before. */
static bool may_begin(const struct access *a, uint64_t stride)
{
    return a->is_first && stride % a->bytes == 0 && stride / a->bytes > a->words &&
           stride / a->bytes <= ACCESS_MAX_PARTS;
}

/* Stores the words that are collected. */
static void store_collected(struct jit_build *j, LLVMValueRef host)
{
    struct lanes_merging *m = &j->merging;

    m->stored = access_store_parts(j, host, m->data, m->parts);
}

/* Adds the words of an access to those that are collected. */
static void collect(struct lanes_merging *m, const struct access *a, unsigned at)
{
    for (unsigned n = 0; n < a->words; n++)
        m->data[at + n] = a->data[n];
}

/* The place of the access's first word in the strides of the first store; 0: none. */
static unsigned place_behind(const struct jit_build *j, const struct access *a)
{
    const struct lanes_merging *m = &j->merging;
    unsigned ahead;

    if (!m->first || !m->stored || access_stride(j, a) != (uint64_t)m->parts * a->bytes ||
        !access_is_near(j, m->first, a, &ahead) || ahead % a->bytes ||
        ahead / a->bytes + a->words > m->parts)
        return 0;
    return ahead / a->bytes;
}

/* Builds the way of a store whose first word is at place `at` of the strides. */
static void write_behind(struct jit_build *j, struct access *a, unsigned at)
{
    const struct llvm *l = j->l;
    struct lanes_merging *m = &j->merging;
    LLVMBasicBlockRef own = lanes_new_block(j);
    LLVMValueRef host = l->BuildLoad2(j->b, j->bytes, m->host, ""), only_if = access_condition(a);

    access_continue_if(j, l->BuildICmp(j->b, LLVMIntNE, host, l->ConstNull(j->bytes), ""), own);
    if (only_if)
        access_store_unless(j, only_if, host, own); /* the address is not near after all */
    l->InstructionEraseFromParent(m->stored);
    collect(m, a, at);
    store_collected(j, host);
    access_end(j, a);
    l->PositionBuilderAtEnd(j->b, own);
}

void access_begin_merging(struct jit_build *j, struct access *a)
{
    uint64_t stride = access_stride(j, a);
    unsigned at = place_behind(j, a);

    if (at) {
        write_behind(j, a, at);
        return;
    }
    lanes_end_merging(j);
    if (!may_begin(a, stride))
        return;
    j->merging.first = a;
    j->merging.parts = (unsigned)(stride / a->bytes);
    j->merging.host = lanes_variable(j, j->bytes);
    j->l->BuildStore(j->b, j->l->ConstNull(j->bytes), j->merging.host);
    collect(&j->merging, a, 0);
}
