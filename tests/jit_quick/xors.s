// An XOR with what is in an XOR already cancels both, unless the inner one is narrower: then the upper half of the outer
// one stays. The status tells the results' bits.
// nodes 1 binary xor u64
// nodes 1 binary xor u32
        .globl _start
_start: mov     w9, #3000
        ldr     x11, =0x497f4b4da9240001
        mov     w12, #0x5a5a
        mov     x13, #0xabcd
        mov     x0, #0
1:      eor     w1, w9, w11
        eor     x1, x1, x11                     // the upper half of x11
        madd    x0, x0, x13, x1
        eor     x2, x9, x11
        eor     w3, w2, w11                     // w9
        madd    x0, x0, x13, x3
        eor     x2, x11, x2                     // x9
        madd    x0, x0, x13, x2
        eor     w4, w12, w11
        eor     w4, w12, w4                     // w11
        madd    x0, x0, x13, x4
        mov     x2, #0
        subs    w9, w9, #1
        b.ne    1b
        .include "end.s"
