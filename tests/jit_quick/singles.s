// Single floats in vector registers: a chain of sums, with lanes of sums and of products; and doubles, of which
// one is a lane. The status tells the sums' bits.
        .globl _start
_start: mov     w9, #2000
        movi    v0.2d, #0
        movi    v6.2d, #0
        fmov    v1.4s, #1.25
        fmov    s7, #0.5
        mov     v1.s[2], v7.s[0]
        fmov    v5.2d, #1.75
1:      fmul    v3.4s, v1.4s, v1.4s
        fadd    v4.4s, v3.4s, v1.4s
        fmul    v16.4s, v4.4s, v4.4s
        fadd    s0, s0, s4
        mov     s2, v4.s[2]
        fadd    s0, s0, s2
        mov     s2, v4.s[3]
        fmul    s2, s2, s7
        fadd    s0, s2, s0
        mov     s2, v16.s[1]
        fadd    s0, s0, s2
        mov     d2, v5.d[1]
        fadd    d6, d6, d2
        fmul    d2, d2, d6
        subs    w9, w9, #1
        b.ne    1b
        fmov    w0, s0
        fmov    x1, d6
        fmov    x2, d2
        eor     x1, x1, x2
        eor     x0, x0, x1
        .include "end.s"
