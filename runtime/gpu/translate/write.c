/* Writes of a row of lanes. */
#include "runtime/gpu/translate/access.h"
#include "runtime/gpu/translate/row.h"

void lanes_op_mem_write(struct jit_build *j, unsigned bits, unsigned iface, jit_value address,
                        jit_value value)
{
    const struct llvm *l = j->l;
    LLVMValueRef v = lanes_wide(j, value), args[5];
    LLVMTypeRef type;
    struct access a;

    (void)iface;
    if (!lanes_takes_effect(j))
        return;
    a = access_begin(j, bits, true, address);
    j->reading = NULL;
    if (j->decoder->observed)
        lanes_note(j, a.bits, lanes_wide(j, address), false, a.bytes, GPU_ACCESS_WRITE);
    access_count(j, &a);
    type = lanes_vector(j, a.lane);
    access_probe(j, &a, access_require_step(j, &a, a.bytes, a.next_way), a.bytes * j->lanes,
                 a.slow);
    l->SetAlignment(l->BuildStore(j->b, v, access_host(j, &a.found, 0, type)), 1);
    access_end(j, &a);
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
