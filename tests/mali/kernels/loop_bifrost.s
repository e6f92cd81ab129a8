// Each thread adds words in a loop: the first is u2's low word times the thread's number behind u0, each further one u2's high word
// behind the one before. u3 is their number. The sum goes to the thread's word of u1.
start:
ds(0) nbb ncph next_load dwb(0)
{
    *IMUL.i32 t0, r60, u2.w0
    +NOP t1
    *NOP t0
    +IADD.s32 r0:t1, u0.w0, t0
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000002
    +NOP t1
    *NOP t0
    +IADD.s32 r1:t1, u1.w0, t0
    *NOP t0
    +MOV.i32 r2:t1, u3.w0
}
again:
ds(0) nbb load ncph next_store dwb(0)
{
    *NOP t0
    +LOAD.i32 t1, r0, u0.w1, @r5
}
ds(0) nbb r_uncond ncph dwb(0)
{
    *NOP t0
    +IADD.s32 r4:t1, r4, r5
    *NOP t0
    +IADD.s32 r0:t1, r0, u2.w1
    *NOP t0
    +IADD.s32 r2:t1, r2, 0xffffffff
    *NOP t0
    +NOP t1
    *NOP t0
    +BRANCHZ.i16.ne t1, r2.h0, again
}
ds(0) eos store
{
    *NOP t0
    +STORE.i32 t1, r1, u1.w1, @r4
}
