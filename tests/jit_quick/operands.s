// Operations that take their operands as they are: an AND with a complement, and an access of a table at a fixed address that
// is no displacement. The status tells all results and flags.
// nodes 0 unary not
// nodes 3 binary without
// nodes 1 load u16 %2 %10 #0
        .globl _start
_start: mov     x0, #0x5500000000       // memory for the table
        mov     x1, #16384
        mov     x2, #3
        mov     x3, #0x32
        mov     x4, #-1
        mov     x5, #0
        mov     x8, #222
        svc     #0
        mov     x1, x0
        mov     x9, #64
0:      sub     x9, x9, #1
        strh    w9, [x1, x9, lsl #1]
        cbnz    x9, 0b
        mov     x0, #0
        mov     x9, #3000
1:      mov     x4, #0x5500000000
        eor     x10, x9, x9, lsl #7
        and     x3, x10, #63
        ldrh    w5, [x4, x3, lsl #1]
        bic     x6, x5, x9
        bic     w7, w9, w10, lsr #3
        bics    x14, x9, x10
        cset    w15, eq
        sub     x16, x9, #2048
        and     x17, x10, #0xff
        and     x2, x10, #0xffff
        add     x0, x0, x6
        add     x0, x0, x7, lsl #1
        add     x0, x0, x15, lsl #9
        add     x0, x0, x16
        add     x0, x0, x17, lsl #3
        add     x0, x0, x2, lsl #17
        subs    w9, w9, #1
        b.ne    1b
        .include "end.s"
