// A loop that computes with denormal numbers for a short time, then with others for long.
        .globl _start
_start: mov     x1, #7
        fmov    d1, x1                  // denormal
        fmov    d2, #0.5
        mov     x0, #0
        mov     w10, #2
        mov     w9, #3000
1:      fmul    d0, d1, d2
        fmov    x3, d0
        madd    x0, x0, x1, x3
        fadd    d3, d0, d2
        fmov    x3, d3
        eor     x0, x0, x3, ror #7
        subs    w9, w9, #1
        b.ne    1b
        fmov    d1, #3.0
        ldr     w9, =5000000
        subs    w10, w10, #1
        b.ne    1b
        mrs     x3, fpsr
        add     x0, x0, x3
        .include "end.s"
