// What several instructions, or the parts of one, say together: the number of zeros below, by RBIT and CLZ; the
// overflow of a sum, as a difference's; loads whose values only go to vector registers. The status tells flags and results.
// nodes 2 unary ctz
// nodes 0 bitrev|clz
// nodes 1 \d binary overflow s64
// nodes 1 \d binary overflow s32
// nodes 0 binary (xor|and) u(32|64)
// nodes 0 low u128 %\d+ #(40|20)$
        .globl _start
_start: ldr     x1, =data
        mov     w9, #3000
        mov     x0, #0
        mov     x2, #0x7fffffff
        mov     x12, #0x1000000
1:      rbit    x3, x9
        clz     x3, x3
        rbit    w4, w12
        clz     w4, w4
        ldr     s0, [x1]
        ldp     d1, d2, [x1, #8]
        adds    w6, w2, w9
        cset    w7, vs
        add     x0, x0, x7
        adds    x6, x2, x9, lsl #48
        cset    w8, vs
        add     x0, x0, x8
        add     x0, x0, x3
        add     x0, x0, x4
        subs    w9, w9, #1
        b.ne    1b
        fmov    x3, d0
        add     x0, x0, x3, lsr #16
        fmov    x3, d1
        add     x0, x0, x3, lsr #48
        fmov    x3, d2
        add     x0, x0, x3, lsr #48
        add     x0, x0, x0, lsr #8
        and     x0, x0, #0xff
        mov     x8, #93
        svc     #0
        .data
        .balign 16
data:   .float  1.25, 0
        .double 2.5, 3.75
