// Each thread counts from 0 up to the bits of its number that the mask has, and stores the count; or up to a limit, if that comes first,
// and stores 256 more. The loop begins in its middle and is left at two places. Arguments: u0 out, u1 mask and limit.
start:
ds(0) nbb r_uncond ncph
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000002
    +NOP t1
    *NOP t0
    +IADD.s32 r1:t1, u0.w0, t0
    *LSHIFT_AND.i32 r2:t0, r60, u1.w0, #0
    +NOP t1
    *NOP t0
    +JUMP t1, middle
}
again:
ds(0) nbb r_uncond ncph
{
    *NOP t0
    +ICMP.s32.m1.ge t1, r0, u1.w1
    *NOP t0
    +BRANCHZ.i16.eq t1, t1.h0, middle
}
ds(0) nbb r_uncond ncph
{
    *NOP t0
    +MOV.i32 r4:t1, 0x00000100
    *NOP t0
    +JUMP t1, behind
}
middle:
ds(0) nbb r_uncond ncph
{
    *NOP t0
    +ICMP.i32.m1.eq t1, r0, r2
    *NOP t0
    +BRANCHZ.i16.eq t1, t1.h0, more
}
ds(0) nbb r_uncond ncph
{
    *NOP t0
    +JUMP t1, behind
}
more:
ds(0) nbb r_uncond ncph
{
    *NOP t0
    +IADD.s32 r0:t1, r0, 0x00000001
    *NOP t0
    +JUMP t1, again
}
behind:
ds(0) nbb ncph next_store dwb(0)
{
    *NOP t0
    +IADD.s32 r4:t1, r4, r0
}
ds(0) eos store
{
    *NOP t0
    +STORE.i32 t1, r1, u0.w1, @r4
}
