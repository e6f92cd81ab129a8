// Operations on halves of vector registers read no zeros above them, so none are made between operations. What is read as a
// whole has them: the status tells all.
// nodes 0 ^ +\d+ low
        .globl _start
_start: ldr     x1, =pairs
        mov     w9, #3000
        mov     x0, #0
1:      and     w2, w9, #7
        add     x2, x1, x2, lsl #3
        ldr     q9, [x2]
        ldr     d0, [x2]
        add     v0.8b, v0.8b, v9.8b
        urhadd  v2.8b, v0.8b, v9.8b
        add     v3.4h, v2.4h, v0.4h
        sshll   v4.8h, v3.8b, #1
        zip1    v5.8b, v2.8b, v3.8b
        sshl    v6.2s, v5.2s, v3.2s
        abs     v7.8b, v6.8b
        fmov    x3, d7
        eor     x0, x0, x3
        fmov    x3, d5
        add     x0, x0, x3, lsr #5
        fmov    w3, s3
        eor     x0, x0, x3, ror #11
        mov     v4.d[1], v7.d[0]
        str     q4, [x1, #128]
        ldr     x3, [x1, #136]
        eor     x0, x3, x0, ror #9
        subs    w9, w9, #1
        b.ne    1b
        add     v2.2d, v2.2d, v3.2d     // whole registers
        add     v5.2d, v5.2d, v6.2d
        add     v2.2d, v2.2d, v5.2d
        add     v2.2d, v2.2d, v7.2d
        add     v2.2d, v2.2d, v0.2d
        mov     x3, v2.d[1]
        eor     x0, x0, x3
        fmov    x3, d2
        add     x0, x0, x3
        .include "end.s"

        .data
        .balign 16
pairs:  .quad   0x0123456789abcdef, 0xfedcba9876543210, 0x1122334455667788, 0x8081828384858687
        .quad   0x00ff00ff7f7f8080, 0x5555aaaa3333cccc, 0x0000000100000002, 0xffffffff80000000
        .quad   0x123456789, 0x987654321
        .space  96
