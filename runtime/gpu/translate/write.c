/* Writes of a row of lanes. */
#include "runtime/gpu/translate/access.h"
#include "runtime/gpu/translate/row.h"

/* Writes adjacent words, by a masked store if some lanes do not access. */
static void write_row(struct jit_build *j, struct access *a, LLVMValueRef v)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = lanes_vector(j, a->lane);
    LLVMBasicBlockRef some = lanes_new_block(j);
    LLVMValueRef first = access_require_step(j, a, a->bytes, a->next_way), host;

    access_probe(j, a, first, a->bytes * j->lanes, access_not_in_page(j, a));
    host = access_host(j, &a->found, 0, type);
    access_continue_if(j, access_all_lanes(j, a), some);
    l->SetAlignment(l->BuildStore(j->b, v, host), 1);
    access_end(j, a);
    l->PositionBuilderAtEnd(j->b, some);
    access_store_masked(j, v, host, lanes_from_bits(j, a->bits));
    access_end(j, a);
}

void lanes_op_mem_write(struct jit_build *j, unsigned bits, unsigned iface, jit_value address,
                        jit_value value)
{
    const struct llvm *l = j->l;
    LLVMValueRef v = lanes_wide(j, value), args[5];
    struct access a;

    (void)iface;
    if (!lanes_takes_effect(j))
        return;
    a = access_begin(j, bits, true, address);
    j->reading = NULL;
    if (j->decoder->observed)
        lanes_note(j, a.bits, lanes_wide(j, address), false, a.bytes, GPU_ACCESS_WRITE);
    access_count(j, &a);
    write_row(j, &a, v);
    access_write_strided(j, &a, v);
    access_require_pages(j, &a);
    access_transfer(j, &a, a.found.pages.at, v);
    access_end(j, &a);
    l->PositionBuilderAtEnd(j->b, a.slow);
    access_note_address(j);
    args[0] = j->warp;
    args[1] = access_bits32(j, &a);
    args[2] = access_in_memory(j, lanes_address(j, address));
    args[3] = access_in_memory(j, v);
    args[4] = access_what(j, &a);
    lanes_call_c(j, (const void *)gpu_row_write, l->VoidTypeInContext(j->x), 5, args);
    access_end(j, &a);
    l->PositionBuilderAtEnd(j->b, a.end);
}
