// Three words of each thread, with two barriers between them. Of thread x: a = from[x] + 1; b = a of thread x ^ 16 + from[x] + 4x;
// c = b of thread x ^ 32 + b + from[x]. One thread adds 100 to its from[x] before the first barrier, one adds 1000 to its b before
// the second, and one ends behind it without c.
// Arguments: u0 a, u1 b, u2 c, u3 from, u4 and u5.w0 the numbers of the three threads, negated.
start:
ds(0) nbb ncph next_load dwb(0)
{
    *LSHIFT_OR.i32 r1:t0, r60, #0, 0x00000002
    +NOP t1
    *NOP t0
    +IADD.s32 r0:t1, u3.w0, t0
}
ds(0) nbb load ncph dwb(0)
{
    *NOP t0
    +LOAD.i32 t1, r0, u3.w1, @r2
}
ds(0) nbb ncph next_store dwb(0)
{
    *NOP t0
    +IADD.s32 r3:t1, r2, 0x00000001
    *NOP t0
    +IADD.s32 r0:t1, u0.w0, r1
    *NOP t0
    +IADD.s32 r4:t1, r60, u4.w0
}
ds(0) nbb store ncph dwb(0)
{
    *NOP t0
    +STORE.i32 t1, r0, u0.w1, @r3
}
ds(0) nbb r_uncond ncph dwb(0)
{
    *NOP t0
    +BRANCHZ.i16.ne t1, r4.h0, first
}
ds(0) nbb ncph dwb(0)
{
    *NOP t0
    +IADD.s32 r2:t1, r2, 0x00000064
}
first:
ds(7) osrb nbb barrier ncph
{
    *NOP t0
    +BARRIER t1
}
ds(0) nbb ncph next_load dwb(7)
{
    *LSHIFT_XOR.i32 r0:t0, r1, 0x00000040, #0
    +NOP t1
    *NOP t0
    +IADD.s32 r0:t1, u0.w0, t0
}
ds(0) nbb load ncph dwb(0)
{
    *NOP t0
    +LOAD.i32 t1, r0, u0.w1, @r5
}
ds(0) nbb ncph next_store dwb(0)
{
    *NOP t0
    +IADD.s32 r5:t1, r5, r2
    *NOP t0
    +IADD.s32 r5:t1, t1, r1
    *NOP t0
    +IADD.s32 r0:t1, u1.w0, r1
    *NOP t0
    +IADD.s32 r4:t1, r60, u4.w1
}
ds(0) nbb store ncph dwb(0)
{
    *NOP t0
    +STORE.i32 t1, r0, u1.w1, @r5
}
ds(0) nbb r_uncond ncph dwb(0)
{
    *NOP t0
    +BRANCHZ.i16.ne t1, r4.h0, second
}
ds(0) nbb ncph dwb(0)
{
    *NOP t0
    +IADD.s32 r5:t1, r5, 0x000003e8
}
second:
ds(7) osrb nbb barrier ncph
{
    *NOP t0
    +BARRIER t1
}
ds(0) nbb ncph next_load dwb(7)
{
    *LSHIFT_XOR.i32 r0:t0, r1, 0x00000080, #0
    +NOP t1
    *NOP t0
    +IADD.s32 r0:t1, u1.w0, t0
    *NOP t0
    +IADD.s32 r4:t1, r60, u5.w0
}
ds(0) nbb load ncph dwb(0)
{
    *NOP t0
    +LOAD.i32 t1, r0, u1.w1, @r6
}
ds(0) nbb r_uncond ncph dwb(0)
{
    *NOP t0
    +IADD.s32 r6:t1, r6, r5
    *NOP t0
    +IADD.s32 r6:t1, t1, r2
    *NOP t0
    +IADD.s32 r0:t1, u2.w0, r1
    *NOP t0
    +BRANCHZ.i16.eq t1, r4.h0, #0.x
}
ds(0) eos store dwb(0)
{
    *NOP t0
    +STORE.i32 t1, r0, u2.w1, @r6
}
