// Each thread copies four words of 16 bytes of its own, `step` bytes behind those of the thread before it. Arguments: u0 from, u1 to,
// u2 step and the first thread's offset.
start:
ds(0) nbb load ncph next_store dwb(0)
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000004
    +NOP t1
    *NOP t0
    +IADD.s32 t1, u0.w0, t0
    *NOP t0
    +LOAD.i128 t1, t1, u0.w1, @r4
}
ds(0) eos store
{
    *IMUL.i32 t0, r60, u2.w0
    +IADD.s32 t1, t, u2.w1
    *NOP t0
    +IADD.s32 t1, u1.w0, t1
    *NOP t0
    +STORE.i128 t1, t1, u1.w1, @r4
}
