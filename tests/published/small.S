/* The sum of the numbers from 1 to 100, for a model that has little more than addition and branches. */
        .section .text.unlikely
        .globl _start
_start: li a0, 0
        li t0, 100
next:   add a0, a0, t0
        addi t0, t0, -1
        bne t0, zero, next
        la a1, result
        sw a0, 0(a1)
        addi a3, a0, 0
        li a0, 1
        li a2, 8
        li a7, 64
        ecall
        li a0, 0
        li a7, 93
        ecall
        .bss
        .balign 8
result: .space 8
