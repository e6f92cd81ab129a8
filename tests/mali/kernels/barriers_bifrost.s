// Each thread stores 1, waits at one of two barriers, and stores 2 or 3 behind it, or ends there.
// Arguments: u0 out, u1 the bits of the threads that store behind the first barrier, and of those that wait at the other.
start:
ds(0) nbb store ncph
{
    *LSHIFT_OR.i32 r1:t0, r60, #0, 0x00000003
    +NOP t1
    *NOP t0
    +IADD.s32 r1:t1, u0.w0, t0
    *LSHIFT_AND.i32 r3:t0, r60, u1.w0, #0
    +NOP t1
    *LSHIFT_AND.i32 r4:t0, r60, u1.w1, #0
    +NOP t1
    *NOP t0
    +IADD.s32 r5:t1, r5, 0x00000001
    *NOP t0
    +NOP t1
    *NOP t0
    +STORE.i32 t1, r1, u0.w1, @r5
}
ds(0) nbb r_uncond ncph dwb(0)
{
    *NOP t0
    +IADD.s32 r1:t1, r1, 0x00000004
    *NOP t0
    +BRANCHZ.i16.eq t1, r4.h0, first
}
ds(7) osrb nbb barrier ncph
{
    *NOP t0
    +BARRIER t1
}
ds(0) eos store dwb(7)
{
    *NOP t0
    +IADD.s32 r5:t1, r5, 0x00000002
    *NOP t0
    +STORE.i32 t1, r1, u0.w1, @r5
}
first:
ds(7) osrb nbb barrier ncph
{
    *NOP t0
    +BARRIER t1
}
ds(0) nbb r_uncond dwb(7)
{
    *NOP t0
    +BRANCHZ.i16.eq t1, r3.h0, #0.x
}
ds(0) eos store
{
    *NOP t0
    +IADD.s32 r5:t1, r5, 0x00000001
    *NOP t0
    +STORE.i32 t1, r1, u0.w1, @r5
}
