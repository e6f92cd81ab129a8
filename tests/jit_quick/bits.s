// Tests of bits (TBZ, TBNZ, TST) of values that are needed later: none is shifted, at any place of the bit. Loads behind the
// branches let these be guards. The alignment of SP is tested once for all addresses around it. The status tells the flags and which ways were gone.
// trace 0 binary shr
// nodes 1 guard.test eq u64
        .globl _start
_start: mov     w9, #3000
        mov     x0, #0
        mov     x10, sp
1:      mul     x1, x9, x9
        eor     x1, x1, x1, lsl #21
        sub     x1, x1, x1, lsl #42
        str     x1, [sp, #-64]!
        stp     x1, x9, [sp, #16]
        sub     sp, sp, #1024
        ldr     x2, [sp, #1024]
        add     x0, x0, x2
        tbz     x1, #63, 2f
        ldr     x2, [sp, #1024]
        add     x0, x0, #1
2:      tbnz    x1, #31, 3f
        ldr     x2, [sp, #1024]
        add     x0, x0, #2
3:      tbnz    w1, #3, 4f
        ldr     x2, [sp, #1024]
        add     x0, x0, x2, lsl #3
4:      tst     w1, #0x30
        b.eq    5f
        cset    w3, mi
        add     x0, x0, x3
5:      cset    w3, eq
        add     x0, x0, x3, lsl #3
        cset    w3, cs
        add     x0, x0, x3, lsl #4
        mov     sp, x10
        subs    w9, w9, #1
        b.ne    1b
        .include "end.s"
