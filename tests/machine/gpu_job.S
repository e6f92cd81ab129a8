/*
 * A driver of one compute job on Juno's GPU, without an operating system. The test's memory image has
 * tables of the GPU's MMU and the job's memory; job.inc says where. Four times the CPU writes the
 * round's number to a word of the output, and the GPU runs the job.
 */
#include "job.inc"

#define GPU 0x2d000000

        .macro  set, offset, value
        ldr     w1, =\value
        str     w1, [x0, #\offset]
        .endm

        .text
        .global _start
_start:
        ldr     x0, =GPU
        set     0x30, 1                 // GPU_COMMAND: soft reset
1:      ldr     w1, [x0, #0x20]         // GPU_IRQ_RAWSTAT: reset completed
        tbz     w1, #8, 1b
        set     0x1a0, 1                // L2_PWRON, SHADER_PWRON, TILER_PWRON
        set     0x180, 0xfff
        set     0x190, 1
2:      ldr     w1, [x0, #0x140]        // SHADER_READY
        ldr     w2, [x0, #0x160]        // L2_READY
        cbz     w1, 2b
        cbz     w2, 2b
        ldr     x0, =GPU + 0x2400       // AS0: TRANSTAB, MEMATTR, UPDATE
        set     0x00, TABLE + 7
        set     0x04, 0
        set     0x08, 0x8d8d8d8d
        set     0x0c, 0x8d8d8d8d
        set     0x18, 1
        ldr     x0, =GPU + 0x1880       // job slot 1
        ldr     x3, =GPU + 0x1000       // job interrupts
        ldr     x4, =OUT
        ldr     x5, =HEADER
        mov     w6, #1
round:
        str     xzr, [x5]               // the header's status and fault address
        str     xzr, [x5, #8]
        .global stored
stored:
        str     w6, [x4]
        set     0x40, HEAD              // HEAD_NEXT, AFFINITY_NEXT, CONFIG_NEXT, COMMAND_NEXT
        set     0x44, 0
        set     0x50, 0xfff
        set     0x54, 0
        set     0x58, 0x3000
        set     0x60, 1
3:      ldr     w1, [x3]
        cbz     w1, 3b
        str     w1, [x3, #4]
        add     w6, w6, #1
        cmp     w6, #ROUNDS
        b.le    round
        .global done
done:
        ldr     w7, [x4]
        b       done

        .section .memory, "aw"
        .incbin "job.bin"
