// Each thread writes bytes, then a word, then a half at places of its own memory that differ from thread to thread, and reads a word, a
// byte and four words at others, which go to 32 bytes of u0, the last two words being 0. Arguments: u0 to, u1 what is added to places.
start:
ds(0) nbb ncph next_store dwb(0)
{
    *LSHIFT_AND.i32 t0, r60, 0x0000000f, #0
    +IADD.s32 r4:t1, r60, 0x00000100
    *MOV.i32 t0, t0
    +IADD.s32 r1:t1, u1.w0, t0
    *LSHIFT_OR.i32 t0, t0, #0, 0x00000002
    +IADD.s32 r5:t1, r60, 0x01020304
    *NOP t0
    +IADD.s32 r2:t1, u1.w0, t0
}
ds(0) nbb store ncph next_store dwb(0)
{
    *NOP t0
    +STORE.i8.tl t1, r1, 0x00000000, @r4
}
ds(0) nbb store ncph next_store dwb(0)
{
    *NOP t0
    +STORE.i32.tl t1, r2, 0x00000000, @r5
}
ds(0) nbb store ncph next_load dwb(0)
{
    *NOP t0
    +IADD.s32 t1, r1, 0x00000007
    *NOP t0
    +STORE.i16.tl t1, t1, 0x00000000, @r60
}
ds(0) nbb load ncph next_load dwb(0)
{
    *NOP t0
    +LOAD.i32.tl t1, r1, 0x00000000, @r8
}
ds(0) nbb load ncph next_load dwb(0)
{
    *NOP t0
    +IADD.s32 t1, r2, 0x00000002
    *NOP t0
    +LOAD.i8.tl.w0.zext t1, t1, 0x00000000, @r9
}
ds(0) nbb load ncph next_store dwb(0)
{
    *NOP t0
    +LOAD.i128.tl t1, r2, 0x00000000, @r12
}
ds(0) nbb store ncph next_store dwb(0)
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000005
    +NOP t1
    *NOP t0
    +IADD.s32 r2:t1, u0.w0, t0
    *NOP t0
    +STORE.i64 t1, t1, u0.w1, @r8
}
ds(0) eos store
{
    *NOP t0
    +IADD.s32 t1, r2, 0x00000010
    *NOP t0
    +STORE.i128 t1, t1, u0.w1, @r12
}
