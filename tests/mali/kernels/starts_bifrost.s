// Each thread adds words of u0 in a loop: from the byte that its word of u2 says on, as many as its word of u3 says. It stores the sum
// in its word of u1. Lanes without words do not come to the loop.
start:
ds(0) nbb ncph next_load dwb(0)
{
    *LSHIFT_OR.i32 r3:t0, r60, #0, 0x00000002
    +NOP t1
    *NOP t0
    +IADD.s32 r1:t1, u1.w0, t0
    *NOP t0
    +IADD.s32 r5:t1, u2.w0, r3
    *NOP t0
    +IADD.s32 r3:t1, u3.w0, r3
}
ds(0) nbb load ncph next_load dwb(0)
{
    *NOP t0
    +LOAD.i32 t1, r5, u2.w1, @r0
}
ds(0) nbb load ncph dwb(0)
{
    *NOP t0
    +LOAD.i32 t1, r3, u3.w1, @r2
}
ds(0) nbb r_uncond ncph dwb(0)
{
    *NOP t0
    +IADD.s32 r0:t1, u0.w0, r0
    *NOP t0
    +BRANCHZ.i16.eq t1, r2.h0, behind
}
again:
ds(0) nbb r_uncond ncph dwb(0)
{
    *NOP t0
    +BRANCHZ.i16.ne t1, r2.h0, more
}
ds(0) nbb r_uncond ncph dwb(0)
{
    *NOP t0
    +JUMP t1, behind
}
more:
ds(0) nbb load ncph next_store dwb(0)
{
    *NOP t0
    +LOAD.i32 t1, r0, u0.w1, @r6
}
ds(0) nbb r_uncond ncph dwb(0)
{
    *NOP t0
    +IADD.s32 r4:t1, r4, r6
    *NOP t0
    +IADD.s32 r0:t1, r0, 0x00000004
    *NOP t0
    +IADD.s32 r2:t1, r2, 0xffffffff
    *NOP t0
    +JUMP t1, again
}
behind:
ds(0) eos store
{
    *NOP t0
    +STORE.i32 t1, r1, u1.w1, @r4
}
