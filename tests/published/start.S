/*
 * The start of a program for a published model, and its end: the result of compute() is written by a system call, which
 * QEMU's user mode does, and stands in a register (Target.result of scripts/published), since the model ends there.
 */
        .section .text.unlikely
        .globl _start
#if defined(__riscv)
_start: la sp, stack_end
        call compute
        la a1, result
        sw a0, 0(a1)
        mv a3, a0
        li a0, 1
        li a2, 8
        li a7, 64
        ecall
        li a0, 0
        li a7, 93
        ecall
#elif defined(__aarch64__)
_start: ldr x0, =stack_end
        mov sp, x0
        bl compute
        ldr x1, =result
        str w0, [x1]
        mov w3, w0
        mov x0, #1
        mov x2, #8
        mov x8, #64
        svc #0
        mov x0, #0
        mov x8, #93
        svc #0
        .ltorg
#elif defined(__arm__)
        .arm
_start: ldr sp, =stack_end
        bl compute
        ldr r1, =result
        str r0, [r1]
        mov r3, r0
        mov r0, #1
        mov r2, #8
        mov r7, #4
        svc #0
        mov r0, #0
        mov r7, #1
        svc #0
        .ltorg
#else
#error "no start for this target"
#endif
        .bss
        .balign 16
        .space 65536
stack_end:
result: .space 8
