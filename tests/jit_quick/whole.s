// Whether some lane was saturated is asked of the vector as a whole. At the end some are, which sets FPSR.QC. The status
// tells all lanes and FPSR.
// nodes 2 guard.test eq u128
// nodes 1 extract
        .globl _start
_start: ldr     x1, =usual
        ldr     x2, =others
        mov     x0, #0
        mov     w10, #0
        mov     w9, #3000
1:      ldp     q0, q1, [x1]
        sqxtn   v2.4h, v0.4s
        sqadd   v3.8h, v0.8h, v1.8h
        fmov    x3, d2
        eor     x0, x0, x3
        fmov    x3, d3
        add     x0, x0, x3, lsr #3
        mov     x3, v3.d[1]
        eor     x0, x0, x3, ror #9
        ror     x0, x0, #1
        subs    w9, w9, #1
        b.ne    1b
        mrs     x3, fpsr
        eor     x0, x0, x3, ror #5
        msr     fpsr, xzr
        add     w10, w10, #1            // then once with each of the others
        mov     w9, #1
        mov     x1, x2
        add     x2, x2, #32
        cmp     w10, #5
        b.lo    1b
        .include "end.s"

        .data
        .balign 16
usual:  .word   1, -2, 0x1234, -0x4321, 5, 6, 7, 8
others: .word   1, 0x8000, 3, 4, 5, 6, 7, 8
        .word   1, 2, 3, -0x8001, 5, 6, 7, 8
        .word   1, 2, 0x7fff, 4, 5, 6, 1, 8
        .word   1, 2, 3, 0xffff7fff, 5, 6, 7, 0x80000000
