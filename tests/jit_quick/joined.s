// Loads by a pair of registers that only stores of a pair read are one access each, and so are those stores. Pairs of which
// something else is computed, that are stored apart or in the other order, or that were stored one by one, are not. The
// status tells what was stored.
// nodes 2 ^ +\d+ load u128 
// nodes 2 ^ +\d+ store u128 
// nodes 2 ^ +\d+ cold extract u64x2 
// nodes 8 ^ +\d+ load u64 
// nodes 9 ^ +\d+ store u64 
        .globl _start
_start: ldr     x1, =from
        ldr     x2, =to
        mov     w9, #3000
        mov     x0, #0
1:      ldp     x3, x4, [x1]
        ldp     x5, x6, [x1, #16]
        stp     x3, x4, [x2, #24]
        stp     x5, x6, [x2, #40]
        ldp     x7, x8, [x1, #32]       // computed with
        stp     x7, x8, [x2]
        add     x0, x0, x8
        ldp     x10, x11, [x1, #40]     // apart
        str     x10, [x2, #64]
        str     x11, [x2, #72]
        ldp     x12, x13, [x1, #8]      // the other way round
        stp     x13, x12, [x2, #80]
        str     x9, [x1, #56]           // stored before
        ldp     x14, x15, [x1, #48]
        stp     x14, x15, [x2, #96]
        subs    w9, w9, #1
        b.ne    1b
        eor     x0, x0, x3              // the halves behind the loop
        add     x0, x0, x4, lsl #8
        add     x0, x0, x5, lsl #16
        eor     x0, x0, x6, ror #24
        mov     w9, #14
2:      ldr     x3, [x2], #8
        eor     x0, x3, x0, ror #7
        subs    w9, w9, #1
        b.ne    2b
        .include "end.s"

        .data
        .balign 16
from:   .quad   0x0123456789abcdef, 0xfedcba9876543210, 0x1122334455667788, 0x8081828384858687
        .quad   0x00ff00ff7f7f8080, 0x5555aaaa3333cccc, 0x0000000100000002, 0xffffffff80000000
to:     .space  112
