// Each thread adds words in a loop: from its own word of u0 on, as many as its word of u2 says. Behind the loop it adds the last one
// again, and stores the sum in its word of u1.
start:
ds(0) nbb ncph next_load dwb(0)
{
    *LSHIFT_OR.i32 r3:t0, r60, #0, 0x00000002
    +NOP t1
    *NOP t0
    +IADD.s32 r0:t1, u0.w0, t0
    *NOP t0
    +IADD.s32 r1:t1, u1.w0, r3
    *NOP t0
    +IADD.s32 r3:t1, u2.w0, r3
}
ds(0) nbb load ncph dwb(0)
{
    *NOP t0
    +LOAD.i32 t1, r3, u2.w1, @r2
}
again:
ds(0) nbb r_uncond ncph dwb(0)
{
    *NOP t0
    +BRANCHZ.i16.ne t1, r2.h0, more
}
out:
ds(0) nbb r_uncond ncph dwb(0)
{
    *NOP t0
    +JUMP t1, behind
}
more:
ds(0) nbb load ncph next_store dwb(0)
{
    *NOP t0
    +LOAD.i32 t1, r0, u0.w1, @r5
}
ds(0) nbb r_uncond ncph dwb(0)
{
    *NOP t0
    +IADD.s32 r4:t1, r4, r5
    *NOP t0
    +IADD.s32 r0:t1, r0, 0x00000004
    *NOP t0
    +IADD.s32 r2:t1, r2, 0xffffffff
    *NOP t0
    +JUMP t1, again
}
behind:
ds(0) nbb ncph next_store dwb(0)
{
    *NOP t0
    +IADD.s32 r4:t1, r4, r5
}
ds(0) eos store
{
    *NOP t0
    +STORE.i32 t1, r1, u1.w1, @r4
}
