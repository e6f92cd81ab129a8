start:
ds(0) nbb ncph dwb(0)
{
    *MOV.i32 r2:t0, u1.w0
    +NOP t1
    *LSHIFT_XOR.i32 r3:t0, r60, u1.w1, #0
    +NOP t1
}
loop:
ds(0) nbb load ncph next_load dwb(0)
{
    *IMUL.i32 t0, r2, r3
    +NOP t1
    *RSHIFT_OR.i32 t0, t0, #0, 0x0000000b
    +NOP t1
    *LSHIFT_OR.i32 t0, t0, #0, 0x00000006
    +NOP t1
    *NOP t0
    +IADD.s32 r6:t1, u0.w0, t0
    *NOP t0
    +LOAD.i32 t1, t1, u0.w1, @r4
}
ds(0) nbb ncph
{
    *NOP t0
    +IADD.s32 r2:t1, r2, 0xffffffff
    *NOP t0
    +BRANCHZ.i16.ne t1, t1.h0, loop
}
ds(0) eos store
{
    *NOP t0
    +STORE.i32 t1, r6, u0.w1, @r4
}
