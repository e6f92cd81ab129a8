// Each thread reads three words by addresses whose halves are computed apart, and stores them, one array behind the other.
// Arguments: u0 a base for indices with sign, u1 the first thread's index and the bytes between the first two words, u2 a base for
// indices without sign, u5 the arrays, u4 where in them the second and the third begin.
start:
ds(0) nbb ncph dwb(0)
{
    *NOP t0
    +IADD.s32 r1:t1, r60, u1.w0
    *LSHIFT_OR.i32 r2:t0, t1, #0, 0x00000002
    +NOP t1
    *ARSHIFT.i32 t0, r1, #0, 0x0000001f
    +NOP t1
    *LSHIFT_OR.i32 r3:t0, t0, #0, 0x00000002
    +NOP t1
    *RSHIFT_OR.i32 t0, r1, #0, 0x0000001e
    +NOP t1
    *LSHIFT_OR.i32 r3:t0, r3, t0, #0
    +NOP t1
}
ds(0) nbb load ncph next_load dwb(0)
{
    *NOP t0
    +IADD.s32 r2:t1, u0.w0, r2
    *NOP t0
    +IADD.s32 r3:t1, u0.w1, r3
    *NOP t0
    +ICMP.u32.gt t1, u0.w0, r2
    *NOP t0
    +IADD.s32 r3:t1, t1, r3
    *NOP t0
    +LOAD.i32 t1, r2, t1, @r5
}
// The low half plus a number of bytes, without the carry into the high half.
ds(0) nbb load ncph next_load dwb(0)
{
    *NOP t0
    +IADD.s32 t1, r2, u1.w1
    *NOP t0
    +LOAD.i32 t1, t1, r3, @r6
}
// (thread * 4 + 3) * 2, without sign
ds(0) nbb ncph dwb(0)
{
    *LSHIFT_OR.i32 r1:t0, r60, #0, 0x00000002
    +NOP t1
    *RSHIFT_OR.i32 r2:t0, r60, #0, 0x0000001e
    +NOP t1
    *NOP t0
    +IADD.s32 r1:t1, 0x00000003, r1
    *NOP t0
    +ICMP.u32.gt t1, 0x00000003, t1
    *NOP t0
    +IADD.s32 r2:t1, t1, r2
    *RSHIFT_OR.i32 r3:t0, r1, #0, 0x0000001f
    +NOP t1
}
ds(0) nbb load ncph next_store dwb(0)
{
    *LSHIFT_OR.i32 r2:t0, r2, r3, 0x00000001
    +NOP t1
    *LSHIFT_OR.i32 t0, r1, #0, 0x00000001
    +NOP t1
    *NOP t0
    +IADD.s32 r1:t1, u2.w0, t0
    *NOP t0
    +IADD.s32 r2:t1, u2.w1, r2
    *NOP t0
    +ICMP.u32.gt t1, u2.w0, r1
    *NOP t0
    +IADD.s32 t1, t1, r2
    *NOP t0
    +LOAD.i32 t1, r1, t1, @r7
}
ds(0) nbb store ncph next_store dwb(0)
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000002
    +NOP t1
    *NOP t0
    +IADD.s32 r2:t1, u5.w0, t0
    *NOP t0
    +STORE.i32 t1, t1, #0.x, @r5
}
ds(0) nbb store ncph next_store dwb(0)
{
    *NOP t0
    +IADD.s32 t1, r2, u4.w0
    *NOP t0
    +STORE.i32 t1, t1, #0.x, @r6
}
ds(0) eos store
{
    *NOP t0
    +IADD.s32 t1, r2, u4.w1
    *NOP t0
    +STORE.i32 t1, t1, #0.x, @r7
}
