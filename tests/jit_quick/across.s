// A result across lanes, such as UMAXV's, that UMOV, SMOV or FMOV reads is the integer that it was: each of these
// instructions takes one lane out of a vector. The status tells the results.
// nodes 4 extract
        .globl _start
_start: mov     w9, #3001
        ldr     x1, =data
        mov     x0, #0
1:      ldp     q0, q1, [x1]
        umaxv   b2, v0.16b
        umov    w3, v2.b[0]
        uminv   h4, v0.8h
        umov    w5, v4.h[0]
        smaxv   b6, v1.16b
        smov    w7, v6.b[0]
        umaxv   b16, v1.16b
        fmov    w8, s16
        eor     x0, x0, x3, lsl #3
        add     x0, x0, x5, lsl #7
        eor     x0, x0, x7, ror #11
        add     x0, x0, x8, lsl #17
        subs    w9, w9, #1
        b.ne    1b
        .include "end.s"
        .data
        .balign 16
data:   .quad   0x8123456789abcdef, 0xfedcba9876543210, 0xff9effbcfb8af9f8, 0x8796a5b4c3d2e1f0
