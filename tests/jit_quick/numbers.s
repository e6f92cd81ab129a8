// Of results whose operands are shown to be no NaNs, none is tested for being one: here only the product of what was
// loaded, the sum with what was loaded since, and the quotient of a lane. A comparison shows both operands, a conversion
// its operand. FPCR.DN asks for the tests. At the end NaNs are loaded, with and without default NaNs: the status tells
// all results' bits.
// nodes 3 trap nan
// nodes 4 trap (nan )?small
// nodes 17 trap
        .globl _start
_start: ldr     x1, =pairs
        ldr     x2, =wrong
        mov     w9, #3000
        mov     x0, #0
        mov     x10, #0
        mov     w11, #1
        mov     x4, #0x2000000
        msr     fpcr, x4
1:      ldr     d0, [x1]                // may be a NaN
        ldr     d1, [x1, #8]
        fmul    d2, d0, d1              // shows both
        fadd    d3, d2, d0
        fsub    d4, d3, d1
        fmadd   d5, d3, d4, d2
        fsqrt   d6, d0
        scvtf   d7, w11
        fadd    d8, d7, d6
        ldr     d9, [x1, #16]           // may be one again
        fadd    d10, d8, d9
        fneg    d11, d9
        fadd    d12, d11, d10
        fcvt    s13, d12
        fcvt    d13, s13
        fadd    d14, d13, d8
        ldr     q20, [x1, #32]
        mov     d21, v20.d[1]
        fdiv    d22, d21, d14
        ldr     d24, [x1, #32]          // shown by a comparison
        ldr     d25, [x1, #40]
        fcmpe   d24, d25
        fadd    d26, d24, d25
        csinv   x3, x9, x0, gt
        eor     x0, x0, x3, ror #9
        ldr     d27, [x1, #24]          // by a conversion
        fcvtzs  x3, d27
        eor     x0, x0, x3, ror #11
        fsub    d28, d26, d27
        fmov    x3, d28
        eor     x0, x0, x3, ror #13
        fmov    x3, d5
        eor     x0, x0, x3
        fmov    x3, d14
        eor     x0, x0, x3, ror #3
        fmov    x3, d22
        eor     x0, x0, x3, ror #5
        fmov    x3, d10
        eor     x0, x0, x3, ror #7
        subs    w9, w9, #1
        b.ne    1b
        add     w10, w10, #1            // then once with each of the others, with and without FPCR.DN
        mov     w9, #1
        mov     x1, x2
        add     x2, x2, #48
        cmp     w10, #4
        b.lo    1b
        b.ne    2f
        msr     fpcr, xzr
        ldr     x2, =wrong
2:      cmp     w10, #9
        b.lo    1b
        mrs     x3, fpsr
        eor     x0, x0, x3
        .include "end.s"

        .data
        .balign 16
pairs:  .double 1.7, 2.3, 0.1, 0
        .double 1.1, 5.3
wrong:  .quad   0x7ff8000000000123, 0x3ff0000000000000, 0x3ff0000000000000, 0   // a quiet NaN with a payload
        .double 1.1, 5.3
        .quad   0x3ff0000000000000, 0x7ff8000000000456, 0xfff8000000000789, 0
        .double 1.1, 5.3
        .double 1.7, 2.3
        .quad   0x7ff8000000000abc, 0, 0x3ff0000000000000, 0xfff8000000000def
        .double 1.7, 2.3
        .quad   0x7ff0000000000123, 0, 0x3ff0000000000000, 0x7ff0000000000000   // a signalling one
