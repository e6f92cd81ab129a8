@ back.S for one CPU of a Cortex-A15, in A32, or in T32 with T32 defined. Exceptions are taken in A32.

        .syntax unified
        .arch armv7ve
        .equ GICD, 0x2c001000
        .equ GICC, 0x2c002000
        .equ UART, 0x1c090000
        .equ EMPTY, 1 << 4              @ of the flag register: no byte has come
        .equ CELLS, 64
        .equ TICK, 720                  @ of the timer, between two interrupts
        .equ TIMER, 27                  @ the virtual timer's interrupt

        .text
        .globl _start, trap, leaf, count, last, cells, loop, called, stored, echo
        .arm
_start: mrs r0, cpsr                    @ from Hyp mode, if it begins there, to Supervisor mode
        and r1, r0, #0x1f
        cmp r1, #0x1a
        bne 1f
        mov r0, #0xd3
        msr spsr_hyp, r0
        ldr r0, =1f
        msr elr_hyp, r0
        eret
1:      cps #0x12                       @ the stack of interrupts
        ldr sp, =stack
        cps #0x13
        ldr sp, =stack2                 @ GDB finds no caller without one
        ldr r0, =vectors
        mcr p15, 0, r0, c12, c0, 0      @ VBAR
        ldr r0, =GICD
        mov r1, #1 << TIMER
        str r1, [r0, #0x100]
        mov r1, #1
        str r1, [r0]
        ldr r0, =GICC
        mov r1, #0xff
        str r1, [r0, #4]
        mov r1, #1
        str r1, [r0]
        ldr r0, =TICK
        mcr p15, 0, r0, c14, c3, 0      @ CNTV_TVAL
        mcr p15, 0, r1, c14, c3, 1      @ CNTV_CTL
        ldr r4, =12345
        ldr r5, =1103515245
        ldr r6, =cells
        ldr r7, =count
        ldr r8, =UART
        ldr r1, =0x301                  @ UARTCR: on, both ways
        str r1, [r8, #0x30]
        ldr r9, =last
        ldr r10, =1013
        mov r11, #0
        cpsie i
        ldr r0, =loop
        bx r0

        .ifdef T32
        .thumb
        .thumb_func
        .endif
        .type loop, %function
loop:   mul r4, r4, r5                  @ the next number
        add r4, r4, r10
        ubfx r0, r4, #20, #6
        add r0, r6, r0, lsl #3
        ldr r1, [r0]
        tst r4, #4
        itet eq
        addeq r1, r1, r4
        subne r1, r1, r4
        eoreq r1, r1, r0
        str r1, [r0]
called: bl leaf
        ldr r2, [r7]
        adds r2, r2, #1
stored: str r2, [r7]
        ldr r3, [r8, #0x18]
        tst r3, #EMPTY
        bne loop
        ldr r3, [r8]
echo:   str r3, [r8]
        str r3, [r9]
        adds r4, r4, r3
        b loop

        .ifdef T32
        .thumb_func
        .endif
        .type leaf, %function
leaf:   movs r2, #3
2:      subs r2, r2, #1
        bne 2b
        bx lr
        .ltorg

        .arm
        .balign 4
trap:   push {r0, r1}
        mrrc p15, 1, r0, r1, c14        @ CNTVCT
        add r4, r4, r0
        ldr r0, =TICK
        mcr p15, 0, r0, c14, c3, 0
        ldr r1, =GICC
        ldr r0, [r1, #0xc]
        str r0, [r1, #0x10]
        pop {r0, r1}
        subs pc, lr, #4
        .ltorg

        .balign 32
vectors:
        b .
        b .
        b .
        b .
        b .
        b .
        b trap
        b .

        .bss
        .balign 16
        .space 1024
stack:  .space 1024
stack2: .balign 4096
count:  .space 8
last:   .space 8
        .balign 4096
cells:  .space 8 * CELLS
