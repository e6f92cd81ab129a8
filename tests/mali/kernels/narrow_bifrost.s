// Each thread i reads a byte at 5 i, 2 bytes there, at odd addresses in every second one, and 2 bytes at 10 i, and writes
// a word of each, and a 0. Arguments: u0 from, u1 to.
start:
ds(0) nbb load ncph next_load dwb(0)
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000002
    +NOP t1
    *NOP t0
    +IADD.s32 r1:t1, t0, r60
    *NOP t0
    +IADD.s32 t1, u0.w0, t1
    *NOP t0
    +LOAD.i8.w0.zext t1, t1, u0.w1, @r4
}
ds(0) nbb load ncph next_load dwb(0)
{
    *NOP t0
    +IADD.s32 t1, u0.w0, r1
    *NOP t0
    +LOAD.i16.w0.zext t1, t1, u0.w1, @r5
}
ds(0) nbb load ncph next_store dwb(0)
{
    *LSHIFT_OR.i32 t0, r1, #0, 0x00000001
    +NOP t1
    *NOP t0
    +IADD.s32 t1, u0.w0, t0
    *NOP t0
    +LOAD.i16.w0.zext t1, t1, u0.w1, @r6
}
ds(0) eos store
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000004
    +NOP t1
    *NOP t0
    +IADD.s32 t1, u1.w0, t0
    *NOP t0
    +STORE.i128 t1, t1, u1.w1, @r4
}
