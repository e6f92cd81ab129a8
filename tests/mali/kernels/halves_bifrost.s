// Each thread converts its number, as a half, to single precision, and its word of u0 to a half. The first result, and
// the second twice, go to 8 bytes of u1.
start:
ds(0) nbb load ncph next_store dwb(0)
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000002
    +F16_TO_F32 r4:t1, r60
    *NOP t0
    +IADD.s32 t1, u0.w0, t0
    *NOP t0
    +LOAD.i32 t1, t1, u0.w1, @r5
}
ds(0) eos store
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000003
    +NOP t1
    *V2F32_TO_V2F16 r5:t0, r5, r5
    +IADD.s32 r6:t1, u1.w0, t0
    *NOP t0
    +NOP t1
    *NOP t0
    +STORE.i64 t1, r6, u1.w1, @r4
}
