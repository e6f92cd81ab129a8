// Comparisons of floats without NaNs. The trace compares once, for the trap, and branches by the host's flags. Each flag
// of the guest is computed where the trace is left, at label 3, or by the conditions that read it. At the end some values are
// NaNs and denormal numbers. The status tells the flags of all comparisons, and FPSR.
// nodes 1 guard (gt|le) ordered f64
// nodes 0 ^ +\d+ binary (gt|ge|eq|ne|le|lt) ordered
// nodes 1 trap
// trace 0 bitcast
        .macro  flags                   // mixes N, Z, C and V into W20
        cset    w4, mi
        cinc    w4, w4, eq
        lsl     w4, w4, #1
        cinc    w4, w4, cs
        lsl     w4, w4, #1
        cinc    w4, w4, vs
        madd    w20, w20, w21, w4
        .endm
        .macro  pair                    // D0 and D1 are numbers W9 % 8 and W9 / 8 % 8 of the table at X1
        and     w2, w9, #7
        ubfx    w3, w9, #3, #3
        ldr     d0, [x1, x2, lsl #3]
        ldr     d1, [x1, x3, lsl #3]
        .endm
        .macro  round, to
        subs    w9, w9, #1
        b.ne    \to
        .endm
        .globl _start
_start: ldr     x1, =numbers
        ldr     x10, =others
        ldr     x11, =chosen
        mov     w20, #0
        mov     w21, #31
0:      mov     w9, #4000
        b       1f
        .balign 64
1:      pair                            // a branch, behind which flags are read on one side only
        fcmpe   d0, d1
        b.gt    3f
        add     w20, w20, #1
        fcsel   d2, d0, d1, eq
        str     d2, [x11]
2:      round   1b
        ldr     x4, [x11]
        madd    x20, x20, x21, x4
        b       4f
3:      flags
        b       2b
4:      mov     w9, #4000
5:      pair                            // selects, whose condition is asked again
        fcmp    d0, d1
        fcsel   d2, d0, d1, ls
        fcsel   d3, d1, d0, mi
        fcvt    s4, d2
        fcvt    s5, d3
        fcmpe   s4, s5
        fcsel   s6, s4, s5, ge
        csel    w5, w2, w3, lt
        add     w20, w20, w5
        flags
        fmov    x4, d2
        madd    x20, x20, x21, x4
        fmov    w4, s6
        madd    x20, x20, x21, x4
        eor     x20, x20, x20, lsr #32
        round   5b
        mov     w9, #4000
6:      pair                            // zeros and conditional comparisons
        fcmp    d0, #0.0
        b.eq    7f
        fccmp   d0, d1, #9, pl
        b.hi    7f
        fccmpe  d1, d0, #6, lt
7:      flags
        round   6b
        mov     w9, #4000
8:      pair                            // flags that a branch on something else leaves to the other side
        fcmp    d1, d0
        tbnz    w9, #2, 9f
        round   8b
        b       10f
9:      flags
        round   8b
10:     mov     w9, #4000
11:     pair
        fcvt    s2, d0
        fcvt    s3, d1
        fcmpe   s2, s3
        tbnz    w9, #2, 12f
        round   11b
        b       13f
12:     flags
        round   11b
13:     mrs     x3, fpsr
        add     w20, w20, w3
        cmp     x1, x10                 // then once more, with the others
        mov     x1, x10
        b.ne    0b
        mov     x0, x20
        .include "end.s"

        .data
        .balign 8
numbers:
        .double 1.0, 2.5, -2.5, 0.0, -0.0, 1e300, 0r-inf, 0r+inf
others: .quad   0x3ff0000000000000, 0x7ff8000000000001, 0x0000000000000001, 0x8000000000000000
        .quad   0xfff4000000000000, 0x8008000000000000, 0x4000000000000000, 0x7ff0000000000000
chosen: .quad   0
