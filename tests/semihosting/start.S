// Where a machine enters the program: a stack, no more.
    .globl _start
_start:
#if defined(__aarch64__)
    adr x0, stack_top
    mov sp, x0
    bl run
1:  b 1b
#elif defined(__arm__)
    .syntax unified
    .arm
    ldr sp, 2f
    ldr r0, 3f
    blx r0
1:  b 1b
2:  .word stack_top
3:  .word run
#else
    la sp, stack_top
    call run
1:  j 1b
#endif
    .balign 16
    .space 4096
stack_top:
    .section .note.GNU-stack, "", %progbits
