// Each thread stores of the float x of u0 three words in u1: 1 / sqrt(x), and x as an integer, with a sign and without.
start:
ds(0) nbb load ncph dwb(0)
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000002
    +NOP t1
    *NOP t0
    +IADD.s32 t1, u0.w0, t0
    *NOP t0
    +LOAD.i32 t1, t1, u0.w1, @r4
}
ds(0) nbb ncph next_store dwb(0)
{
    *IMUL.i32 t0, r60, 0x0000000c
    +NOP t1
    *NOP t0
    +IADD.s32 r1:t1, u1.w0, t0
    *NOP t0
    +FRSQ.f32 r5:t1, r4
    *NOP t0
    +F32_TO_S32.rtz r6:t1, r4
    *NOP t0
    +F32_TO_U32.rtz r7:t1, r4
}
ds(0) eos store
{
    *NOP t0
    +STORE.i96 t1, r1, u1.w1, @r5
}
