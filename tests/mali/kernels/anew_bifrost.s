// Each thread counts a register that nothing has written, once on either side of a barrier, and stores it there: 1, then 2.
// Arguments: u0 out.
start:
ds(0) nbb store ncph next_store dwb(0)
{
    *LSHIFT_OR.i32 r1:t0, r60, #0, 0x00000003
    +IADD.s32 r5:t1, r5, 0x00000001
    *NOP t0
    +IADD.s32 r1:t1, u0.w0, t0
    *NOP t0
    +STORE.i32 t1, t1, u0.w1, @r5
}
ds(7) osrb nbb barrier ncph next_load dwb(0, 7)
{
    *NOP t0
    +BARRIER t1
}
ds(0) eos store
{
    *NOP t0
    +IADD.s32 r5:t1, r5, 0x00000001
    *NOP t0
    +IADD.s32 t1, r1, 0x00000004
    *NOP t0
    +STORE.i32 t1, t1, u0.w1, @r5
}
