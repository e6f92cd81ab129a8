// sum[i] = a[i] + scale * b[i]. Arguments: u0 a, u1 b, u2 scale, u3 sum.
start:
ds(0) nbb load ncph next_load dwb(0)
{
    *LSHIFT_OR.i32 r0:t0, r60, #0, 0x00000002
    +NOP t1
    *NOP t0
    +IADD.s32 t1, u0.w0, t0
    *NOP t0
    +LOAD.i32 t1, t1, u0.w1, @r4
}
ds(0) nbb load ncph next_store dwb(0)
{
    *NOP t0
    +IADD.s32 t1, u1.w0, r0
    *NOP t0
    +LOAD.i32 t1, t1, u1.w1, @r5
}
ds(0) eos store
{
    *FMA.f32 r4:t0, r5, u2.w0, r4
    +NOP t1
    *NOP t0
    +IADD.s32 t1, u3.w0, r0
    *NOP t0
    +STORE.i32 t1, t1, u3.w1, @r4
}
