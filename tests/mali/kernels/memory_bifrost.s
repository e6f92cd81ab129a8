// Each thread writes a word into memory of the work-group and one into its own, and reads both back: what the
// group's keeps is the last thread's. Arguments: u0 out.
start:
ds(0) nbb store ncph next_store dwb(0)
{
    *LSHIFT_OR.i32 r0:t0, r60, #0, 0x00000003
    +IADD.s32 r2:t1, r60, 0x00000100
    *NOP t0
    +IADD.s32 r1:t1, u0.w0, t0
    *NOP t0
    +STORE.i32.wls t1, 0x00000000, 0x00000000, @r2
}
ds(0) nbb store ncph next_load dwb(0)
{
    *NOP t0
    +STORE.i32.tl t1, 0x00000000, 0x00000000, @r60
}
ds(0) nbb load ncph next_load dwb(0)
{
    *NOP t0
    +LOAD.i32.wls t1, 0x00000000, 0x00000000, @r4
}
ds(0) nbb load ncph next_store dwb(0)
{
    *NOP t0
    +LOAD.i32.tl t1, 0x00000000, 0x00000000, @r5
}
ds(0) eos store
{
    *NOP t0
    +STORE.i64 t1, r1, u0.w1, @r4
}
