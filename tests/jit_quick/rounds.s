// A block whose first executions are followed by another block, and which then goes round itself: its trace is made
// again, as a loop. The status tells the values of the loop.
        .globl _start
_start: mov     w9, #1000
        mov     x0, #1
1:      mov     w10, #1
        cmp     w9, #600
        b.hi    2f
        mov     w10, #400
2:      add     x0, x0, x0, lsl #3
        eor     x0, x0, x10
        subs    w10, w10, #1
        b.ne    2b
        .rept   140             // too long a way round for a trace
        add     x1, x1, x9
        .endr
        subs    w9, w9, #1
        b.ne    1b
        .include "end.s"
