// A 32-bit choice of two constants, of which only the exits of the loop need the register: its upper half is 0.
    .globl _start
_start:
    mov x9, #2000
loop:
    mov x11, #-11
    cmp x9, #1000
    csneg w6, w11, wzr, cc
    sub x10, sp, #64
    str x9, [x10]
    subs x9, x9, #1
    b.ne loop
    lsr x0, x6, #32             // not 0 if the choice kept x11's upper half
    cmp w6, #-11
    cinc x0, x0, ne
    and x0, x0, #127
    add x0, x0, #3
    mov x8, #93
    svc #0
