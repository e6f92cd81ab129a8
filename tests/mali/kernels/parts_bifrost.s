// Lanes part in an if with an else and one inside of it, meet, and store; those without a bit end, the others store once more.
// Arguments: u0 out, u1 the bits of a thread's number that part, and inside, u2 those of the threads that go on, u3 the second out.
start:
ds(0) nbb ncph
{
    *LSHIFT_AND.i32 r1:t0, r60, u1.w0, #0
    +NOP t1
    *LSHIFT_AND.i32 r3:t0, r60, u1.w1, #0
    +NOP t1
    *LSHIFT_AND.i32 r5:t0, r60, u2.w0, #0
    +NOP t1
    *NOP t0
    +MOV.i32 r2:t1, 0x00000005
    *NOP t0
    +IADD.s32 r4:t1, u0.w0, r60
    *NOP t0
    +IADD.s32 r6:t1, u3.w0, r60
}
ds(0) nbb r_uncond ncph
{
    *NOP t0
    +BRANCHZ.i16.eq t1, r1.h0, otherwise
}
ds(0) nbb r_uncond ncph
{
    *NOP t0
    +IADD.s32 r2:t1, r2, r60
    *NOP t0
    +BRANCHZ.i16.eq t1, r3.h0, inside
}
ds(0) nbb r_uncond ncph
{
    *NOP t0
    +IADD.s32 r2:t1, r2, 0x00000040
    *NOP t0
    +JUMP t1, join
}
inside:
ds(0) nbb r_uncond ncph
{
    *NOP t0
    +IADD.s32 r2:t1, r2, 0x00000021
    *NOP t0
    +JUMP t1, join
}
otherwise:
ds(0) nbb ncph
{
    *NOP t0
    +IADD.s32 r2:t1, r2, 0x00000003
}
join:
ds(0) nbb store
{
    *NOP t0
    +STORE.i8 t1, r4, u0.w1, @r2
}
ds(0) nbb r_uncond dwb(0)
{
    *NOP t0
    +BRANCHZ.i16.eq t1, r5.h0, #0.x
}
ds(0) eos store
{
    *NOP t0
    +IADD.s32 r2:t1, r2, 0x00000001
    *NOP t0
    +STORE.i8 t1, r6, u3.w1, @r2
}
