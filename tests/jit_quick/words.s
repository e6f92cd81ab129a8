// Vectors of whole words of two others, as TRN1 and TRN2 make them of masks and shifts, and absolute values: each is
// one operation of a trace, beside the shift. Masks that are not of whole words, and lanes that are no signs of the
// same vector, stay. The status tells the results' bits.
// nodes 6 binary words
// nodes 2 binary words u16x4
// nodes 4 unary abs
// nodes 2 binary and u
// nodes 2 binary or u
// nodes 1 binary xor u8x16
        .globl _start
_start: mov     w9, #3000
        ldr     x1, =data
        movi    v30.2d, #0
1:      ldp     q0, q1, [x1]
        trn1    v2.8h, v0.8h, v1.8h
        trn2    v3.8h, v0.8h, v1.8h
        trn1    v4.4s, v0.4s, v1.4s
        trn2    v5.4s, v0.4s, v1.4s
        trn1    v6.4h, v0.4h, v1.4h
        trn2    v7.4h, v1.4h, v0.4h
        trn1    v16.16b, v0.16b, v1.16b         // not of whole words
        mov     v17.16b, v1.16b
        sli     v17.8h, v0.8h, #4               // neither
        abs     v18.8h, v0.8h
        abs     v19.4s, v1.4s
        abs     v20.16b, v0.16b
        abs     v21.2d, v1.2d
        sshr    v22.8h, v1.8h, #15              // the sign of another vector
        eor     v23.16b, v0.16b, v22.16b
        sub     v23.8h, v23.8h, v22.8h
        add     v30.16b, v30.16b, v2.16b
        sub     v30.16b, v30.16b, v3.16b
        add     v30.8h, v30.8h, v4.8h
        sub     v30.8h, v30.8h, v5.8h
        add     v30.4s, v30.4s, v6.4s
        sub     v30.4s, v30.4s, v7.4s
        add     v30.16b, v30.16b, v16.16b
        sub     v30.8h, v30.8h, v17.8h
        add     v30.4s, v30.4s, v18.4s
        sub     v30.16b, v30.16b, v19.16b
        add     v30.8h, v30.8h, v20.8h
        sub     v30.4s, v30.4s, v21.4s
        add     v30.2d, v30.2d, v23.2d
        subs    w9, w9, #1
        b.ne    1b
        fmov    x0, d30
        mov     x1, v30.d[1]
        eor     x0, x0, x1, ror #3
        .include "end.s"
        .data
        .align  4
data:   .quad   0x8000000180ff7f01, 0x00ff80ff00018000, 0x123456789abcdef0, 0x8000000000000000
