// Each thread copies three adjacent words, read one by one, and the one 4096 bytes behind the first, which it reads before them, to
// 16 bytes of its own. Threads' words are side by side. Arguments: u0 from, u1 to, u2.w1 the first thread's offset.
start:
ds(0) nbb load ncph next_load dwb(0)
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000002
    +NOP t1
    *NOP t0
    +IADD.s32 t1, t0, u2.w1
    *NOP t0
    +IADD.s32 r1:t1, u0.w0, t1
    *NOP t0
    +IADD.s32 t1, t1, 0x00001000
    *NOP t0
    +LOAD.i32 t1, t1, u0.w1, @r7
}
ds(0) nbb load ncph next_load dwb(0)
{
    *NOP t0
    +LOAD.i32 t1, r1, u0.w1, @r4
}
ds(0) nbb load ncph next_load dwb(0)
{
    *NOP t0
    +IADD.s32 t1, r1, 0x00000004
    *NOP t0
    +LOAD.i32 t1, t1, u0.w1, @r5
}
ds(0) nbb load ncph next_store dwb(0)
{
    *NOP t0
    +IADD.s32 t1, r1, 0x00000008
    *NOP t0
    +LOAD.i32 t1, t1, u0.w1, @r6
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
