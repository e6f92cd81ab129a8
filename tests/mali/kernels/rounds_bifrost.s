// Rounds with two barriers in each. In a round thread x adds a of thread x ^ m and 4x to its word, which begins as x, and stores it in
// b; behind the first barrier it adds b of thread x ^ n, and stores the word in a. One thread of each round adds 100 before it stores b:
// that for which x + 16 k = number, where k counts the rounds down to 1.
// Arguments: u0 a, u1 b, u2 the number of rounds and the number, negated, u3 4m and 4n.
start:
ds(0) nbb ncph next_store dwb(0)
{
    *LSHIFT_OR.i32 r1:t0, r60, #0, 0x00000002
    +MOV.i32 r2:t1, r60
    *NOP t0
    +IADD.s32 r0:t1, u0.w0, t0
    *NOP t0
    +MOV.i32 r7:t1, u2.w0
}
ds(0) nbb store ncph dwb(0)
{
    *NOP t0
    +STORE.i32 t1, r0, u0.w1, @r2
}
ds(7) osrb nbb barrier ncph
{
    *NOP t0
    +BARRIER t1
}
round:
ds(0) nbb ncph next_load dwb(7)
{
    *LSHIFT_XOR.i32 r0:t0, r1, u3.w0, #0
    +NOP t1
    *NOP t0
    +IADD.s32 r0:t1, u0.w0, t0
}
ds(0) nbb load ncph dwb(0)
{
    *NOP t0
    +LOAD.i32 t1, r0, u0.w1, @r5
}
ds(0) nbb r_uncond ncph dwb(0)
{
    *NOP t0
    +IADD.s32 r2:t1, r5, r2
    *LSHIFT_OR.i32 r4:t0, r7, #0, 0x00000004
    +IADD.s32 r2:t1, t1, r1
    *NOP t0
    +IADD.s32 r4:t1, t0, r60
    *NOP t0
    +IADD.s32 r4:t1, t1, u2.w1
    *NOP t0
    +BRANCHZ.i16.ne t1, t1.h0, others
}
ds(0) nbb ncph dwb(0)
{
    *NOP t0
    +IADD.s32 r2:t1, r2, 0x00000064
}
others:
ds(0) nbb ncph next_store dwb(0)
{
    *NOP t0
    +IADD.s32 r0:t1, u1.w0, r1
}
ds(0) nbb store ncph dwb(0)
{
    *NOP t0
    +STORE.i32 t1, r0, u1.w1, @r2
}
ds(7) osrb nbb barrier ncph
{
    *NOP t0
    +BARRIER t1
}
ds(0) nbb ncph next_load dwb(7)
{
    *LSHIFT_XOR.i32 r0:t0, r1, u3.w1, #0
    +NOP t1
    *NOP t0
    +IADD.s32 r0:t1, u1.w0, t0
}
ds(0) nbb load ncph dwb(0)
{
    *NOP t0
    +LOAD.i32 t1, r0, u1.w1, @r5
}
ds(0) nbb ncph next_store dwb(0)
{
    *NOP t0
    +IADD.s32 r2:t1, r5, r2
    *NOP t0
    +IADD.s32 r0:t1, u0.w0, r1
    *NOP t0
    +IADD.s32 r7:t1, r7, 0xffffffff
}
ds(0) nbb store ncph dwb(0)
{
    *NOP t0
    +STORE.i32 t1, r0, u0.w1, @r2
}
ds(7) osrb nbb barrier ncph
{
    *NOP t0
    +BARRIER t1
}
ds(0) nbb r_uncond dwb(7)
{
    *NOP t0
    +BRANCHZ.i16.ne t1, r7.h0, round
}
ds(0) eos ncph dwb(0)
{
    *NOP t0
    +NOP t1
}
