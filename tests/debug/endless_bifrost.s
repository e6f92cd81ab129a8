// A thread that never ends.
start:
ds(0) nbb r_uncond ncph
{
    *NOP t0
    +JUMP t1, start
}
