// A loop that has no effects but registers, of rows that leave it in different rounds. Thread i has 1 + u1's low word + (i & its high word)
// rounds, but thread -u2's low word has 4; y is u2's high word with the bits of i << 4. A round computes x = x * y + y and n = n * m + i,
// adds x's bits to m and x to a sum, and, but in the last one, z = x * y + x. The bits of x, n, m, and the sum's + z's go to 16
// bytes of u0.
start:
ds(0) nbb ncph
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000004
    +NOP t1
    *NOP t0
    +IADD.s32 r1:t1, u0.w0, t0
    *LSHIFT_AND.i32 r3:t0, r60, u1.w1, #0
    +NOP t1
    *NOP t0
    +IADD.s32 r3:t1, r3, u1.w0
    *NOP t0
    +IADD.s32 r2:t1, r60, u2.w0
    *LSHIFT_OR.i32 r5:t0, r60, #0, 0x00000004
    +MOV.i32 r4:t1, 0x00000003
    *LSHIFT_OR.i32 r5:t0, r5, u2.w1, #0
    +NOP t1
}
ds(0) nbb ncph
{
    *CSEL.i32.eq r3:t0, r2, #0, r4, r3
    +NOP t1
    *NOP t0
    +MOV.i32 r10:t1, r5
    *NOP t0
    +MOV.i32 r11:t1, r60
    *NOP t0
    +MOV.i32 r12:t1, 0x00000007
    *NOP t0
    +MOV.i32 r13:t1, 0x00000000
    *NOP t0
    +MOV.i32 r6:t1, 0x00000000
}
again:
ds(0) nbb r_uncond ncph
{
    *FMA.f32 r10:t0, r10, r5, r5
    +NOP t1
    *IMUL.i32 r11:t0, r11, r12
    +NOP t1
    *NOP t0
    +IADD.s32 r11:t1, r11, r60
    *NOP t0
    +IADD.s32 r12:t1, r12, r10
    *FADD.f32 r13:t0, r13, r10
    +NOP t1
    *NOP t0
    +BRANCHZ.i32.eq t1, r3, done
}
ds(0) nbb r_uncond ncph
{
    *FMA.f32 r6:t0, r10, r5, r10
    +NOP t1
    *NOP t0
    +IADD.s32 r3:t1, r3, 0xffffffff
    *NOP t0
    +JUMP t1, again
}
done:
ds(0) nbb ncph next_store
{
    *NOP t0
    +IADD.s32 r13:t1, r13, r6
}
ds(0) eos store
{
    *NOP t0
    +STORE.i128 t1, r1, u0.w1, @r10
}
