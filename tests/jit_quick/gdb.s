// A loop that is translated before the debugger looks at it: blocks of one instruction, a store that
// is always done and one that is rare.
    .globl _start
_start:
    adr     x9, variable
    mov     x0, #0
    mov     x1, #0
    mov     x2, #3000
hot:
    add     x0, x0, #1
    mul     x3, x0, x0
    b       single
single:
    b       after
after:
    add     x1, x1, x3
inside:
    ror     x1, x1, #3
    str     x1, [x9, #8]
    and     x4, x0, #1023
    cbnz    x4, often
    str     x0, [x9]
often:
    cmp     x0, x2
    b.ne    hot
warm:
    ldr     x6, [x9]
    add     x2, x2, #3000
    mov     x5, #12000
    cmp     x2, x5
    b.ls    hot
    movz    x0, #0x8400, lsl #16        // PSCI SYSTEM_OFF
    movk    x0, #8
    smc     #0
    .balign 4096 // stores do not touch the page of code
variable:
    .quad   0, 0
