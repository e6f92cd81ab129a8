// Loops of floats: one of sums, whose way round is a bridge; then two traces by turns, of which the first one adds up inexactly
// while FPSR.IXC is set and clears it, and the second one adds up exactly while it is clear, but for one round. The status
// tells the sums' bits and the flags.
        .globl _start
_start: mov     x3, #0x10
        msr     fpsr, x3
        fmov    d1, #1.25
        fmov    d2, #0.75
        fmov    d4, #3.0
        movi    d0, #0
        mov     w9, #3000
1:      fadd    d0, d0, d1
        fmul    d3, d0, d2
        fsub    d0, d3, d1
        subs    w9, w9, #1
        b.ne    1b
        fdiv    d5, d2, d4
        fdiv    d7, d1, d4
        movi    d6, #0
        movi    d16, #0
        mov     x4, #0x10
        mov     x0, #0
        mov     w9, #4000
2:      fadd    d6, d6, d7              // inexact
        .rept   90                      // too long for a trace of both
        add     x1, x1, x9
        .endr
        msr     fpsr, xzr
        b       3f
3:      cmp     w9, #50
        fcsel   d17, d7, d1, eq
        fadd    d16, d16, d17
        .rept   90
        add     x1, x1, x9
        .endr
        mrs     x3, fpsr
        add     x0, x0, x3
        msr     fpsr, x4
        subs    w9, w9, #1
        b.ne    2b
        fmov    x3, d0
        eor     x0, x0, x3
        fmov    x3, d6
        eor     x0, x0, x3
        fmov    x3, d16
        eor     x0, x0, x3
        .include "end.s"
