// Products with integers, or with constants of at least 1, are not tested for being small. The status tells their bits and FPSR.
// nodes 2 trap (nan )?small
// nodes 6 trap
        .globl _start
_start: ldr     x1, =numbers
        mov     w9, #4000
        mov     w11, #-3
        fmov    d20, #2.5
        fmov    v21.4s, #-1.0
        fmov    v22.2d, #0.5
        mov     x0, #0
1:      and     w2, w9, #3
        ldr     d0, [x1, x2, lsl #3]
        fmov    d20, #2.5
        fmov    v21.4s, #-1.0
        fmov    v22.2d, #0.5
        fmul    d1, d0, d20
        fmov    x3, d1
        eor     x0, x3, x0, ror #1
        scvtf   d2, w11
        fmul    d3, d2, d0
        fmov    x3, d3
        eor     x0, x3, x0, ror #3
        ldr     q4, [x1, #32]
        fmul    v5.4s, v4.4s, v21.4s
        fmov    x3, d5
        eor     x0, x3, x0, ror #5
        fmul    v6.2d, v22.2d, v0.2d
        fmov    x3, d6
        eor     x0, x3, x0, ror #7
        fmul    d7, d0, d0
        fmov    x3, d7
        eor     x0, x3, x0, ror #9
        sub     w11, w11, #1
        subs    w9, w9, #1
        b.ne    1b
        mrs     x3, fpsr
        eor     x0, x0, x3
        .include "end.s"

        .data
        .balign 16
numbers:
        .double 1.25, -3.5, 0.0, 1e100
        .word   0x00800000, 0x80800001, 0x3f800000, 0x7f7fffff
