// Lanes that have been shown to be no NaNs are none where they are moved to, so only the first product and the last sum are tested
// here. At the end each lane of what is loaded is a NaN once: the status tells all results' bits.
// nodes 2 trap nan
// nodes 5 trap
        .globl _start
_start: ldr     x1, =usual
        ldr     x5, =places
        mov     w9, #3000
        mov     x0, #0
        mov     w10, #0
        mov     x4, #0x2000000          // FPCR.DN asks for the tests
        msr     fpcr, x4
1:      ldp     q0, q1, [x1]
        fmul    v2.4s, v0.4s, v1.4s     // shows both
        ext     v3.16b, v0.16b, v1.16b, #4
        dup     v4.4s, v1.s[2]
        fmla    v2.4s, v3.4s, v4.4s
        zip1    v5.4s, v0.4s, v2.4s
        zip2    v6.4s, v1.4s, v3.4s
        fadd    v5.4s, v5.4s, v6.4s
        mov     v5.s[3], v0.s[1]
        fsub    v7.4s, v5.4s, v2.4s
        ldr     q8, [x1, #32]           // may have NaNs
        ext     v9.16b, v7.16b, v8.16b, #12
        fadd    v9.4s, v9.4s, v7.4s
        fmov    x3, d7
        eor     x0, x0, x3
        mov     x3, v7.d[1]
        eor     x0, x3, x0, ror #7
        fmov    x3, d9
        eor     x0, x0, x3
        mov     x3, v9.d[1]
        eor     x0, x3, x0, ror #9
        subs    w9, w9, #1
        b.ne    1b
        mov     w9, #1                  // then once with a NaN in each lane
        cmp     w10, #24
        b.eq    4f
        ldp     q10, q11, [x1]
        ldr     q12, [x1, #32]
        cbnz    w10, 2f
        stp     q10, q11, [x5, #48]
        str     q12, [x5, #80]
2:      ldp     q10, q11, [x5, #48]
        ldr     q12, [x5, #80]
        stp     q10, q11, [x5]
        str     q12, [x5, #32]
        mov     w6, #0x7fc0
        add     w6, w10, w6, lsl #16
        cmp     w10, #12
        sub     w7, w10, #12
        csel    w7, w10, w7, lo
        str     w6, [x5, w7, uxtw #2]
        add     w10, w10, #1
        mov     x1, x5
        b.lo    1b
        msr     fpcr, xzr               // without FPCR.DN
        orr     w6, w6, #0x80000000     // negative, and a second one
        str     w6, [x5, w7, uxtw #2]
        add     w6, w6, #64
        str     w6, [x5, #8]
        b       1b
4:      .include "end.s"

        .data
        .balign 16
usual:  .float  1.5, 2.25, -3.0, 4.0, 0.5, 6.0, 7.5, -8.0, 9.0, 10.0, 11.5, 12.0

places: .space  96
