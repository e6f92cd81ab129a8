// Each thread stores its number plus 1 in local memory, 4 bytes behind the thread before it; the offset has 32 bits, and overflows.
// Then it copies one of the 8 words that are there at first. Arguments: u0 the first thread's offset and 1, u1 the copies.
start:
ds(0) nbb store ncph next_load dwb(0)
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000002
    +NOP t1
    *NOP t0
    +IADD.s32 r1:t1, u0.w0, t0
    *NOP t0
    +IADD.s32 r4:t1, r60, u0.w1
    *NOP t0
    +STORE.i32.wls t1, r1, #0.x, @r4
}
ds(0) nbb load ncph next_store dwb(0)
{
    *LSHIFT_AND.i32 t0, r60, 0x0000001c, 0x00000002
    +NOP t1
    *NOP t0
    +LOAD.i32.wls t1, t0, #0.x, @r5
}
ds(0) eos store
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000002
    +NOP t1
    *NOP t0
    +IADD.s32 t1, u1.w0, t0
    *NOP t0
    +STORE.i32 t1, t1, u1.w1, @r5
}
