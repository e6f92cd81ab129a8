# A program for supervisor mode of virt-riscv64, for going back in it (reverse.py). Two harts add to
# cells at addresses that depend on all before: a generator of numbers, timer interrupts that come in
# the midst, and bytes from the serial port, which are printed. Hart 0 counts in `count`; the last
# byte it received is in `last`.

        .equ UART, 0x10000000
        .equ READY, 1                   # of the line status: a byte has come
        .equ CELLS, 64
        .equ TICK, 300                  # of the time base, between two timer interrupts
        .equ SBI_TIME, 0x54494d45
        .equ SBI_HSM, 0x48534d

        .text
        .globl _start, trap, leaf, count, last, cells, loop, called, stored, echo
_start: la sp, stack
        mv s0, a0
        la t0, trap
        csrw stvec, t0
        xori a0, s0, 1                  # the other hart
        la a1, other
        li a2, 0
        li a7, SBI_HSM
        li a6, 0
        ecall
        li s1, 12345
        j begin
other:  la sp, stack2
        mv s0, a0
        la t0, trap
        csrw stvec, t0
        li s1, 54321
begin:  rdtime a0
        addi a0, a0, TICK
        li a7, SBI_TIME
        li a6, 0
        ecall
        li t0, 1 << 5
        csrw sie, t0
        csrsi sstatus, 2
        la s2, cells
        la s3, count
        li s4, UART
        li s5, 1103515245
        la s6, last
loop:   mul s1, s1, s5                  # the next number
        addi s1, s1, 1013
        srli t0, s1, 20
        andi t0, t0, CELLS - 1
        slli t0, t0, 3
        add t0, t0, s2
        ld t1, 0(t0)
        add t1, t1, s1
        sd t1, 0(t0)
called: jal leaf
        bnez s0, loop
        ld t2, 0(s3)
        addi t2, t2, 1
stored: sd t2, 0(s3)
        lbu t3, 5(s4)
        andi t3, t3, READY
        beqz t3, loop
        lbu t3, 0(s4)
echo:   sb t3, 0(s4)
        sd t3, 0(s6)
        add s1, s1, t3
        j loop

leaf:   li t4, 3
1:      addi t4, t4, -1
        bnez t4, 1b
        ret

        .balign 4
trap:   addi sp, sp, -32
        sd a0, 0(sp)
        sd a6, 8(sp)
        sd a7, 16(sp)
        rdtime a0
        add s1, s1, a0
        addi a0, a0, TICK
        li a7, SBI_TIME
        li a6, 0
        ecall
        ld a0, 0(sp)
        ld a6, 8(sp)
        ld a7, 16(sp)
        addi sp, sp, 32
        sret

        .bss
        .balign 16
        .space 1024
stack:  .space 1024
stack2: .balign 4096
count:  .space 8
last:   .space 8
        .balign 4096
cells:  .space 8 * CELLS
