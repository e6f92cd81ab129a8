// Each thread copies a word, `step` bytes behind that of the thread before it. Arguments: u0 from, u1 to, u2 step and the first
// thread's offset.
start:
ds(0) nbb load ncph next_store dwb(0)
{
    *IMUL.i32 t0, r60, u2.w0
    +IADD.s32 r1:t1, t, u2.w1
    *NOP t0
    +IADD.s32 t1, u0.w0, t1
    *NOP t0
    +LOAD.i32 t1, t1, u0.w1, @r4
}
ds(0) eos store
{
    *NOP t0
    +IADD.s32 t1, u1.w0, r1
    *NOP t0
    +STORE.i32 t1, t1, u1.w1, @r4
}
