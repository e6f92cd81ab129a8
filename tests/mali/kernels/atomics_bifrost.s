// Each thread i adds i to one word, and counts in one of eight words behind it; what it gets goes to 16 bytes of u0, each old value and 0.
// Arguments: u0 to, u1 the words.
start:
ds(0) nbb ncph next_atomic dwb(0)
{
    *LSHIFT_AND.i32 t0, r60, 0x00000007, #0
    +NOP t1
    *LSHIFT_OR.i32 t0, t0, #0, 0x00000002
    +NOP t1
    *NOP t0
    +IADD.s32 t1, u1.w0, t0
    *NOP t0
    +IADD.s32 r3:t1, t1, 0x00000004
}
ds(0) nbb atomic ncph next_atomic dwb(0)
{
    *ATOM_C_RETURN.i32.aadd t0, u1.w0, u1.w1, r60
    +ATOM_CX t1, u1.w0, u1.w1, r60, @r4
}
ds(0) nbb atomic ncph next_store dwb(0)
{
    *ATOM_C1_RETURN.i32.ainc t0, r3, u1.w1
    +ATOM_CX t1, r3, u1.w1, t0, @r6
}
ds(0) eos store
{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000004
    +NOP t1
    *NOP t0
    +IADD.s32 t1, u0.w0, t0
    *NOP t0
    +STORE.i128 t1, t1, u0.w1, @r4
}
