// Each thread stores 3, but 7 in one line of them. Threads of the others end by a branch. Arguments: u0 out, u1 the line, u2 threads
// in a line.
start:
ds(0) nbb ncph
{
    *IMUL.i32 t0, r61, u2.w0
    +IADD.s32 r1:t1, t, r60
    *NOP t0
    +ICMP.i32.m1.ne r0:t1, r61, u1.w0
    *NOP t0
    +IADD.s32 r1:t1, u0.w0, r1
}
ds(0) nbb r_uncond ncph
{
    *NOP t0
    +BRANCHZ.i16.eq t1, r0.h0, other
}
ds(0) nbb store ncph
{
    *NOP t0
    +MOV.i32 r2:t1, 0x00000003
    *NOP t0
    +STORE.i8 t1, r1, u0.w1, @r2
}
ds(0) nbb r_uncond dwb(0)
{
    *NOP t0
    +BRANCHZ.i16.eq t1, r3.h0, #0.x
}
other:
ds(0) eos store
{
    *NOP t0
    +MOV.i32 r2:t1, 0x00000007
    *NOP t0
    +STORE.i8 t1, r1, u0.w1, @r2
}
