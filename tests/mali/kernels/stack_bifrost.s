// Each thread writes four words to its own memory, changes half of the second, and reads all four. Then it changes the third by its
// address and reads all again. Both reads go to 32 bytes of u0. Arguments: u0 to, u1 the first thread's memory.
start:
ds(0) nbb ncph next_store dwb(0)
{
    *NOP t0
    +IADD.s32 r4:t1, r60, 0x00000100
    *NOP t0
    +IADD.s32 r5:t1, r60, 0x00000200
    *NOP t0
    +IADD.s32 r6:t1, r60, 0x00000300
    *LSHIFT_AND.i32 t0, r60, 0x0000003f, #0
    +NOP t1
    *LSHIFT_OR.i32 t0, t0, #0, 0x0000000a
    +IADD.s32 r7:t1, r60, 0x00000400
    *NOP t0
    +IADD.s32 r2:t1, u1.w0, t0
}
ds(0) nbb store ncph next_store dwb(0)
{
    *NOP t0
    +STORE.i128.tl t1, 0x00000000, 0x00000000, @r4
}
ds(0) nbb store ncph next_load dwb(0)
{
    *NOP t0
    +STORE.i16.tl t1, 0x00000006, 0x00000000, @r60
}
ds(0) nbb load ncph next_store dwb(0)
{
    *NOP t0
    +LOAD.i128.tl t1, 0x00000000, 0x00000000, @r8
}
ds(0) nbb store ncph next_load dwb(0)
{
    *NOP t0
    +IADD.s32 t1, r2, 0x00000008
    *NOP t0
    +STORE.i32 t1, t1, u1.w1, @r60
}
ds(0) nbb load ncph next_store dwb(0)
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000005
    +NOP t1
    *NOP t0
    +IADD.s32 r2:t1, u0.w0, t0
    *NOP t0
    +LOAD.i128.tl t1, 0x00000000, 0x00000000, @r12
}
ds(0) nbb store ncph next_store dwb(0)
{
    *NOP t0
    +STORE.i128 t1, r2, u0.w1, @r8
}
ds(0) eos store
{
    *NOP t0
    +IADD.s32 t1, r2, 0x00000010
    *NOP t0
    +STORE.i128 t1, t1, u0.w1, @r12
}
