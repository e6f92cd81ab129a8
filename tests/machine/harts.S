# A program for supervisor mode of a RISC-V machine with QEMU's `virt` layout: it tries firmware and
# devices and prints the results, which are the same on every such machine. harts.py runs it.

        .equ UART, 0x10000000
        .equ PLIC, 0x0c000000
        .equ FINISHER, 0x100000
        .equ SBI_TIME, 0x54494d45
        .equ SBI_IPI, 0x735049
        .equ SBI_HSM, 0x48534d

        .macro say text
        la a0, 9f
        call print
        .section .rodata
9:      .string "\text"
        .text
        .endm

        .macro sbi extension, function
        li a7, \extension
        li a6, \function
        ecall
        .endm

        .text
        .globl _start
_start:                                 # a0: the hart's number, a1: the device tree
        la sp, stack
        mv s0, a0
        mv s1, a1
        la t0, trap
        csrw stvec, t0
        csrw sie, zero
        say "start\n"
        lwu t0, 0(s1)
        li t1, 0xedfe0dd0
        bne t0, t1, 1f
        say "a device tree\n"
1:

        # The serial port's transmitter, by the PLIC: this hart's supervisor context is 2n + 1.
        li t0, PLIC
        li t1, 1
        sw t1, 4*10(t0)
        slli t2, s0, 8                  # enables, 0x80 per context
        add t2, t2, t0
        li t3, 0x2080
        add t2, t2, t3
        li t1, 1 << 10
        sw t1, 0(t2)
        slli t2, s0, 13                 # thresholds and claims, 0x1000 per context
        add s2, t2, t0
        li t3, 0x201000
        add s2, s2, t3
        sw zero, 0(s2)
        li t0, UART
        li t1, 2
        sb t1, 1(t0)
        li a0, 1 << 9
        call wait

        # The timer, by firmware: the interrupt comes no earlier than requested.
        csrr s3, time
        li t0, 2000
        add s3, s3, t0
        mv a0, s3
        sbi SBI_TIME, 0
        li a0, 1 << 5
        call wait
        csrr t0, time
        bltu t0, s3, 1f
        say "not too early\n"
1:

        # A software interrupt to the hart itself.
        li a0, 1
        mv a1, s0
        sbi SBI_IPI, 0
        li a0, 1 << 1
        call wait

        # The other hart, which sends an interrupt, and stops.
        xori s4, s0, 1
        mv a0, s4
        sbi SBI_HSM, 2
        li t0, 1
        bne a1, t0, 1f
        say "the other hart is stopped\n"
1:      mv a0, s4
        la a1, other
        li a2, 0x1234
        sbi SBI_HSM, 0
        bnez a0, 1f
        say "and started\n"
1:      li a0, 1 << 1
        call wait
1:      mv a0, s4
        sbi SBI_HSM, 2
        li t0, 1
        bne a1, t0, 1b
        say "and stopped again\n"

        # An exception with its cause and address.
        la t0, misplaced
        csrw stvec, t0
        li t1, -8
        ld t1, 0(t1)
misplaced:
        csrr t0, scause
        li t1, 5                        # a load access fault
        bne t0, t1, 2f
        csrr t0, stval
        li t1, -8
        bne t0, t1, 2f
        say "a fault at its address\n"
2:      li t0, FINISHER
        li t1, 0x5555
        sw t1, 0(t0)
        wfi

# Waits for the interrupt whose bit in sie is a0.
wait:   csrw sie, a0
        mv s5, zero
        csrsi sstatus, 2
1:      beqz s5, 1b
        csrci sstatus, 2
        ret

# Prints which interrupt has come, and clears it.
        .balign 4
trap:   addi sp, sp, -64
        sd ra, 0(sp)
        sd a0, 8(sp)
        sd a6, 16(sp)
        sd a7, 24(sp)
        sd t0, 32(sp)
        sd t1, 40(sp)
        csrr t0, scause
        slli t0, t0, 1
        srli t0, t0, 1
        li t1, 9
        beq t0, t1, external
        li t1, 5
        beq t0, t1, timer
        csrci sip, 2
        say "a software interrupt\n"
        j done
timer:  li a0, -1
        sbi SBI_TIME, 0
        say "a timer interrupt\n"
        j done
external:
        lw s6, 4(s2)
        li t0, UART
        lbu t1, 2(t0)
        sb zero, 1(t0)
        sw s6, 4(s2)
        li t0, 10
        bne s6, t0, done
        say "the serial port's interrupt\n"
done:   li s5, 1
        ld ra, 0(sp)
        ld a0, 8(sp)
        ld a6, 16(sp)
        ld a7, 24(sp)
        ld t0, 32(sp)
        ld t1, 40(sp)
        addi sp, sp, 64
        sret

# The other hart: a0 is its number, a1 the value from the first hart.
other:  la sp, stack2
        mv s0, a0
        li t0, 0x1234
        bne a1, t0, 1f
        say "the other hart is here\n"
1:      xori a1, s0, 1
        li a0, 1
        sbi SBI_IPI, 0
        sbi SBI_HSM, 1

# Prints the string at a0 by the legacy console.
print:  mv t2, a0
1:      lbu a0, 0(t2)
        beqz a0, 2f
        li a7, 1
        ecall
        addi t2, t2, 1
        j 1b
2:      ret

        .bss
        .balign 16
        .space 1024
stack:  .space 1024
stack2:
