// Each thread copies four halves of its own one by one, `ahead` bytes further on. Arguments: u0 the buffer, u1 ahead.
start:
ds(0) nbb load ncph next_store dwb(0)
{
    *LSHIFT_OR.i32 r0:t0, r60, #0, 0x00000003
    +NOP t1
    *NOP t0
    +NOP t1
    *NOP t0
    +IADD.s32 r1:t1, r0, 0x00000000
    *NOP t0
    +IADD.s32 t1, u0.w0, t1
    *NOP t0
    +LOAD.i16.w0.zext t1, t1, u0.w1, @r4
}
ds(0) nbb store ncph
{
    *NOP t0
    +IADD.s32 t1, u1.w0, r1
    *NOP t0
    +IADD.s32 t1, u0.w0, t1
    *NOP t0
    +STORE.i16 t1, t1, u0.w1, @r4
}
ds(0) nbb load ncph next_store dwb(0)
{
    *NOP t0
    +IADD.s32 r1:t1, r0, 0x00000002
    *NOP t0
    +IADD.s32 t1, u0.w0, t1
    *NOP t0
    +LOAD.i16.w0.zext t1, t1, u0.w1, @r4
}
ds(0) nbb store ncph
{
    *NOP t0
    +IADD.s32 t1, u1.w0, r1
    *NOP t0
    +IADD.s32 t1, u0.w0, t1
    *NOP t0
    +STORE.i16 t1, t1, u0.w1, @r4
}
ds(0) nbb load ncph next_store dwb(0)
{
    *NOP t0
    +IADD.s32 r1:t1, r0, 0x00000004
    *NOP t0
    +IADD.s32 t1, u0.w0, t1
    *NOP t0
    +LOAD.i16.w0.zext t1, t1, u0.w1, @r4
}
ds(0) nbb store ncph
{
    *NOP t0
    +IADD.s32 t1, u1.w0, r1
    *NOP t0
    +IADD.s32 t1, u0.w0, t1
    *NOP t0
    +STORE.i16 t1, t1, u0.w1, @r4
}
ds(0) nbb load ncph next_store dwb(0)
{
    *NOP t0
    +IADD.s32 r1:t1, r0, 0x00000006
    *NOP t0
    +IADD.s32 t1, u0.w0, t1
    *NOP t0
    +LOAD.i16.w0.zext t1, t1, u0.w1, @r4
}
ds(0) eos store
{
    *NOP t0
    +IADD.s32 t1, u1.w0, r1
    *NOP t0
    +IADD.s32 t1, u0.w0, t1
    *NOP t0
    +STORE.i16 t1, t1, u0.w1, @r4
}
