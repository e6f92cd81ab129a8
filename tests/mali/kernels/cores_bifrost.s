// out[i] = the number of the thread's shader core, its global x, and u1.
// Arguments: u0 out, a number of 64 bits in u1.
start:
ds(0) nbb load ncph next_store dwb(0)
{
    *LSHIFT_OR.i32 r0:t0, r60, #0, 0x00000004
    +NOP t1
    *NOP t0
    +IADD.s32 t1, u0.w0, t0
    *MOV.i32 r2:t0, t1
    +MOV.i32 r3:t1, u0.w1
    *MOV.i32 r4:t0, core_id.x
    +MOV.i32 r5:t1, r60
    *NOP t0
    +MOV.i32 r6:t1, u1.w0
    *NOP t0
    +MOV.i32 r7:t1, u1.w1
}
ds(0) eos store
{
    *NOP t0
    +STORE.i128 t1, r2, r3, @r4
}
