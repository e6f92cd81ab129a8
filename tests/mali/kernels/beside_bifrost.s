// out[i] = the number of the thread's shader core, its group's x, y and z (8 bits each), its local x and y, and i; but 7 + global x in
// place of i where i & mask is a number. Arguments: u0 out, u1 mask and number, u2 threads in a line and lines in a plane.
start:
ds(0) nbb ncph
{
    *IMUL.i32 t0, r62, u2.w1
    +IADD.s32 r1:t1, t, r61
    *IMUL.i32 t0, t1, u2.w0
    +IADD.s32 r7:t1, t, r60
    *LSHIFT_OR.i32 r2:t0, t1, #0, 0x00000004
    +NOP t1
    *LSHIFT_AND.i32 t0, r7, u1.w0, #0
    +NOP t1
    *NOP t0
    +ICMP.i32.m1.ne r0:t1, t0, u1.w1
    *NOP t0
    +IADD.s32 r2:t1, u0.w0, r2
}
ds(0) nbb ncph
{
    *LSHIFT_OR.i32 t0, r58, r57, 0x00000008
    +NOP t1
    *LSHIFT_OR.i32 r5:t0, r59, t0, 0x00000010
    +NOP t1
    *MOV.i32 r4:t0, core_id.x
    +NOP t1
    *NOP t0
    +MOV.i32 r3:t1, u0.w1
    *NOP t0
    +MOV.i32 r6:t1, r55
}
ds(0) nbb r_uncond ncph
{
    *NOP t0
    +BRANCHZ.i16.eq t1, r0.h0, other
}
ds(0) nbb store ncph
{
    *NOP t0
    +STORE.i128 t1, r2, r3, @r4
}
ds(0) nbb r_uncond dwb(0)
{
    *NOP t0
    +BRANCHZ.i16.eq t1, r8.h0, #0.x
}
other:
ds(0) eos store
{
    *NOP t0
    +IADD.s32 r7:t1, r60, 0x00000007
    *NOP t0
    +STORE.i128 t1, r2, r3, @r4
}
