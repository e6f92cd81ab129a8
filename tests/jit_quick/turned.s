// Lanes that are turned by whole bytes, as those of REV16, REV32, REV64 and of SHL with USRA or SRI are, are one shuffle
// each, whatever the number of steps. Those that are turned by other numbers, shifted with their sign, or of two vectors
// are not. The status tells the bytes.
// nodes 7 shuffle
// nodes 3 binary or u
        .globl _start
_start: mov     w9, #3001
        ldr     x1, =data
        movi    v30.2d, #0
        mov     x0, #0
1:      ldp     q0, q1, [x1]
        rev16   v2.16b, v0.16b
        rev32   v3.16b, v0.16b
        rev64   v4.16b, v0.16b
        rev32   v5.8h, v1.8h
        rev64   v6.8h, v1.8h
        shl     v7.4s, v0.4s, #8
        ushr    v16.4s, v0.4s, #24
        orr     v7.16b, v7.16b, v16.16b
        rev32   v16.16b, v7.16b         // of a shuffle
        shl     v17.4s, v0.4s, #12      // no bytes
        ushr    v18.4s, v0.4s, #20
        orr     v17.16b, v17.16b, v18.16b
        shl     v18.4s, v0.4s, #16      // with the sign
        sshr    v19.4s, v0.4s, #16
        orr     v18.16b, v18.16b, v19.16b
        shl     v19.4s, v0.4s, #24      // of two vectors
        ushr    v20.4s, v1.4s, #8
        orr     v19.16b, v19.16b, v20.16b
        .irp    n, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19
        eor     v30.16b, v30.16b, v\n\().16b
        add     v30.2d, v30.2d, v\n\().2d
        .endr
        subs    w9, w9, #1
        b.ne    1b
        .include "digest.s"
        .include "end.s"
        .data
        .balign 16
data:   .quad   0x8123456789abcdef, 0xfedcba9876543210, 0x0f1e2d3c4b5a6978, 0x8796a5b4c3d2e1f0
