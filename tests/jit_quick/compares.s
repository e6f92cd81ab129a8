// Traces whose only operations of floats are comparisons. The first is entered from C, with all exceptions masked;
// those of the second loop behind one of exact sums, which lets inexact results trap. Each 64th comparison is of
// a NaN, which must trap in all of them. The status tells the flags of all comparisons, and FPSR.
// trace 0 ^ +\d+ binary add f64
// trace 9 ^ +\d+ (cold )?binary lt f64
        .globl _start
_start: mov     x1, #0x7ff8000000000000
        mov     w20, #0
        mov     w21, #31
        mov     w9, #2000
        fmov    d1, #1.0
        fmov    d2, #2.0
        fmov    d3, x1
        fmov    d4, #3.0
        b       1f
        .balign 64
1:      tst     w9, #63
        fcsel   d0, d3, d1, eq
        fcmpe   d0, d2
        cset    w1, vs
        cinc    w1, w1, mi
        madd    w20, w20, w21, w1
        subs    w9, w9, #1
        b.ne    1b
        mrs     x1, fpsr
        add     w20, w20, w1
        mov     w9, #3000
        msr     fpsr, xzr
        b       2f
        .balign 64
2:      fadd    d4, d4, d1
        fmov    x4, d4
        add     w20, w20, w4
        eor     x4, x4, x4, lsr #32
        add     w20, w20, w4
        eor     w20, w20, w4, lsl #3
        add     w20, w20, w4
        eor     w20, w20, w4, lsl #5
        add     w20, w20, w4
        eor     w20, w20, w4, lsl #7
        add     w20, w20, w4
        eor     w20, w20, w4, lsl #9
        tst     w9, #63
        fcsel   d0, d3, d1, eq
        tbz     w9, #0, 3f
        fcmpe   d2, d1
        cset    w1, gt
        madd    w20, w20, w21, w1
        subs    w9, w9, #1
        b.ne    2b
        b       4f
3:      fcmpe   d0, d1
        cset    w1, vs
        cinc    w1, w1, mi
        madd    w20, w20, w21, w1
        subs    w9, w9, #1
        b.ne    2b
4:      mrs     x1, fpsr
        add     w0, w20, w1
        .include "end.s"
