// Each thread stores the sum of two numbers. Arguments: u0 out, u1 and u2 the numbers.
start:
ds(0) eos store
{
    *MOV.i32 r4:t0, u1.w0
    +NOP t1
    *NOP t0
    +FADD.f32 r5:t1, t0, u2.w0
    *LSHIFT_OR.i32 r1:t0, r60, #0, 0x00000002
    +NOP t1
    *NOP t0
    +IADD.s32 t1, t0, u0.w0
    *NOP t0
    +STORE.i32 t1, t1, u0.w1, @r5
}
