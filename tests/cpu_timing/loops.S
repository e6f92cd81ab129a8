// Loops of ROUNDS rounds for -cpu-timing; the program ends by semihosting.
//   KIND 1  four additions and a branch
//   KIND 2  a chain of pointers, STRIDE bytes apart, round and round through BYTES
//   KIND 3  BYTES read from the first to the last, again and again, a double word a round
    .globl _start
_start:
    ldr x9, =ROUNDS
    ldr x10, =0x90000000
    ldr x11, =BYTES
#if KIND == 2
    mov x0, x10
    add x2, x10, x11
1:  add x1, x0, #STRIDE
    cmp x1, x2
    csel x1, x10, x1, hs
    str x1, [x0]
    add x0, x0, #STRIDE
    cmp x0, x2
    b.lo 1b
    mov x0, x10
#endif
    .balign 64
2:
#if KIND == 1
    add x0, x0, #1
    add x1, x1, #1
    add x2, x2, #1
    subs x9, x9, #1
    b.ne 2b
#elif KIND == 2
    ldr x0, [x0]
    subs x9, x9, #1
    b.ne 2b
#else
    sub x11, x11, #1
    ldr x0, [x10], #8
    subs x9, x9, #1
    b.ne 2b
#endif
    mov w0, #0x18
    adr x1, 3f
    hlt #0xf000
    .balign 8
3:  .quad 0x20026, 0
    .ltorg
    .section .note.GNU-stack, "", %progbits
