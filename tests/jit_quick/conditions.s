// Flags that are set under a condition (CCMP) are those of one comparison where the condition holds; what they were before is
// not asked. The status tells which ways were gone.
// nodes 3 binary and
// nodes 1 binary or
        .globl _start
_start: mov     w9, #3000
        mov     x0, #0
1:      mul     w1, w9, w9
        and     w2, w1, #7
        and     w3, w9, #7
        cmp     w2, #4
        ccmp    w3, #6, #0, eq
        b.ls    2f
        add     x0, x0, #1
2:      cmp     w2, #4
        ccmp    w3, #6, #8, ne
        b.lt    3f
        add     x0, x0, #1
        add     x0, x0, #1
        add     x0, x0, #1
        add     x0, x0, #1
3:        subs    w9, w9, #1
        b.ne    1b
        .include "end.s"
