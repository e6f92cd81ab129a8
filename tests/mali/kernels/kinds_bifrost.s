// Each thread stores its number plus 1 and reads it back: those that have bits of u1's first word in local memory, which begins at
// the second and has 4 bytes for each of 64 threads, the others at u0, 4 bytes a thread. What they read goes to u2.
start:
ds(0) nbb store ncph next_load dwb(0)
{
    *LSHIFT_AND.i32 r2:t0, r60, u1.w0, #0
    +NOP t1
    *LSHIFT_AND.i32 t0, r60, 0x0000003f, #0
    +NOP t1
    *LSHIFT_OR.i32 t0, t0, #0, 0x00000002
    +NOP t1
    *NOP t0
    +IADD.s32 r1:t1, t0, u1.w1
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000002
    +NOP t1
    *NOP t0
    +IADD.s32 r0:t1, t0, u0.w0
    *NOP t0
    +IADD.s32 r4:t1, r60, 0x00000001
}
ds(0) nbb store ncph next_load dwb(0)
{
    *CSEL.i32.eq r0:t0, r2, #0, r0, r1
    +NOP t1
    *NOP t0
    +NOP t1
    *NOP t0
    +STORE.i32 t1, r0, u0.w1, @r4
}
ds(0) nbb load ncph next_store dwb(0)
{
    *NOP t0
    +LOAD.i32 t1, r0, u0.w1, @r5
}
ds(0) eos store
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000002
    +NOP t1
    *NOP t0
    +IADD.s32 t1, u2.w0, t0
    *NOP t0
    +STORE.i32 t1, t1, u2.w1, @r5
}
