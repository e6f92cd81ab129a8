// Each thread has two floats, x and y of u0, and w = x. In each round it computes x = x * y + y, adds x's bits to one sum and x * y - x
// to another, and, but in the last round, computes w = w * y + x. The rounds are 1 more than its number and u2's low word say
// together. The bits of x and w and both sums go to 16 bytes of u1.
start:
ds(0) nbb load ncph next_store dwb(0)
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000003
    +NOP t1
    *NOP t0
    +IADD.s32 t1, u0.w0, t0
    *NOP t0
    +LOAD.i64 t1, t1, u0.w1, @r4
}
ds(0) nbb ncph
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000004
    +NOP t1
    *NOP t0
    +IADD.s32 r1:t1, u1.w0, t0
    *LSHIFT_AND.i32 r3:t0, r60, u2.w0, #0
    +NOP t1
    *NOP t0
    +MOV.i32 r10:t1, r4
    *NOP t0
    +MOV.i32 r11:t1, r4
    *NOP t0
    +MOV.i32 r12:t1, 0x00000000
    *NOP t0
    +MOV.i32 r13:t1, 0x00000000
    *NOP t0
    +NOP t1
}
again:
ds(0) nbb r_uncond ncph
{
    *FMA.f32 r10:t0, r10, r5, r5
    +NOP t1
    *FMA.f32 r6:t0, t0, r5, t0.neg
    +NOP t1
    *NOP t0
    +IADD.s32 r12:t1, r12, r10
    *FADD.f32 r13:t0, r13, r6
    +NOP t1
    *NOP t0
    +NOP t1
    *NOP t0
    +BRANCHZ.i32.eq t1, r3, done
}
ds(0) nbb r_uncond ncph
{
    *FMA.f32 r11:t0, r11, r5, r10
    +NOP t1
    *NOP t0
    +IADD.s32 r3:t1, r3, 0xffffffff
    *NOP t0
    +JUMP t1, again
}
done:
ds(0) eos store
{
    *NOP t0
    +STORE.i128 t1, r1, u1.w1, @r10
}
