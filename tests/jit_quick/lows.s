// A single float, and zeros above it, that goes from a vector register into a general one, which only exits need: they store
// the zeros, too. The status tells all that they have stored.
// nodes 1 cold bitcast u64
        .globl _start
_start: mov     x9, #3000
        mov     x0, #0
        movi    v2.2d, #0
        fmov    s3, #1.5
1:      scvtf   s1, w9
        fmul    s1, s1, s3
        fmov    x10, d1
        tst     x9, #31
        b.ne    2f
        add     x0, x0, x10
        eor     x0, x0, x0, ror #9
2:      sqadd   s2, s2, s1
        fmov    x11, d2
        tst     x9, #7
        b.ne    3f
        add     x0, x0, x11
3:      subs    x9, x9, #1
        b.ne    1b
        add     x0, x0, x10
        add     x0, x0, x11
        .include "end.s"
