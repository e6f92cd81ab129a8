// A value of a layer per thread. Its weights are three lists, one per level of the multiplier.
//
// Arguments: u0 out, u1 in: pairs of a value from 0 to 255 and the sum it was made of
//            u2 a pair per thread: bytes to its first value of the input, and to its filter's list
//            u3 the lists: bias, number of weights of each level; then the weights in the order of levels, each with
//               its sign in the upper byte, and the bytes to its value in the others
//            u4 from a sum to the fraction of the largest value
start:
ds(0) nbb load ncph dwb(0)
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000003
    +NOP t1
    *NOP t0
    +IADD.s32 t1, u2.w0, t0
    *NOP t0
    +LOAD.i64 t1, t1, u2.w1, @r4
}
ds(0) nbb load ncph dwb(0)
{
    *NOP t0
    +IADD.s32 r6:t1, u1.w0, r4
    *NOP t0
    +IADD.s32 r7:t1, u3.w0, r5
    *NOP t0
    +LOAD.i128 t1, t1, u3.w1, @r8
}
ds(0) nbb ncph
{
    *NOP t0
    +IADD.s32 r7:t1, r7, 0x00000010
}
test0:
ds(0) nbb r_uncond ncph
{
    *NOP t0
    +BRANCHZ.i32.eq t1, r9, test1
}
ds(0) nbb load ncph dwb(0)
{
    *NOP t0
    +LOAD.i32 t1, r7, u3.w1, @r12
}
ds(0) nbb load ncph dwb(0)
{
    *LSHIFT_AND.i32 t0, r12, 0x00ffffff, #0
    +IADD.s32 r7:t1, r7, 0x00000004
    *NOP t0
    +IADD.s32 t1, r6, t0
    *NOP t0
    +LOAD.i32 t1, t1, u1.w1, @r14
}
ds(0) nbb r_uncond ncph
{
    *IMUL_APPROX.i8.lvl0.sext t0, r12.b3, r14
    +IADD.s32 r9:t1, r9, 0xffffffff
    *NOP t0
    +IADD.s32 r8:t1, r8, t0
    *NOP t0
    +JUMP t1, test0
}
test1:
ds(0) nbb r_uncond ncph
{
    *NOP t0
    +BRANCHZ.i32.eq t1, r10, test2
}
ds(0) nbb load ncph dwb(0)
{
    *NOP t0
    +LOAD.i32 t1, r7, u3.w1, @r12
}
ds(0) nbb load ncph dwb(0)
{
    *LSHIFT_AND.i32 t0, r12, 0x00ffffff, #0
    +IADD.s32 r7:t1, r7, 0x00000004
    *NOP t0
    +IADD.s32 t1, r6, t0
    *NOP t0
    +LOAD.i32 t1, t1, u1.w1, @r14
}
ds(0) nbb r_uncond ncph
{
    *IMUL_APPROX.i8.lvl1.pe.sext t0, r12.b3, r14
    +IADD.s32 r10:t1, r10, 0xffffffff
    *NOP t0
    +IADD.s32 r8:t1, r8, t0
    *NOP t0
    +JUMP t1, test1
}
test2:
ds(0) nbb r_uncond ncph
{
    *NOP t0
    +BRANCHZ.i32.eq t1, r11, end
}
ds(0) nbb load ncph dwb(0)
{
    *NOP t0
    +LOAD.i32 t1, r7, u3.w1, @r12
}
ds(0) nbb load ncph dwb(0)
{
    *LSHIFT_AND.i32 t0, r12, 0x00ffffff, #0
    +IADD.s32 r7:t1, r7, 0x00000004
    *NOP t0
    +IADD.s32 t1, r6, t0
    *NOP t0
    +LOAD.i32 t1, t1, u1.w1, @r14
}
ds(0) nbb r_uncond ncph
{
    *IMUL_APPROX.i8.lvl2.pe.sext t0, r12.b3, r14
    +IADD.s32 r11:t1, r11, 0xffffffff
    *NOP t0
    +IADD.s32 r8:t1, r8, t0
    *NOP t0
    +JUMP t1, test2
}
end:
ds(0) nbb ncph
{
    *NOP t0
    +S32_TO_F32 t1, r8
    *FMA.f32.clamp_0_1 t0, t1, u4.w0, #0
    +MOV.i32 r3:t1, r8
    *FMA.f32 t0, t0, 0x437f0000, #0
    +NOP t1
    *NOP t0
    +F32_TO_U32.rtz r2:t1, t0
}
ds(0) eos store
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000003
    +NOP t1
    *NOP t0
    +IADD.s32 t1, u0.w0, t0
    *NOP t0
    +STORE.i64 t1, t1, u0.w1, @r2
}
