# A program for machine mode of a hart without firmware: virt-riscv64's -cpu bare, QEMU's -bios
# none. harts.py runs it; it prints where it is, and ends with status 7.

        .equ UART, 0x10000000
        .equ FINISHER, 0x100000

        .macro say text
        la a0, 9f
        call print
        .section .rodata
9:      .string "\text"
        .text
        .endm

        .text
        .globl _start
_start: la sp, stack
        say "start\n"
        la t0, trap
        csrw mtvec, t0
        csrr t0, mhartid                # an illegal instruction below machine mode
        bnez t0, end
        say "machine mode\n"
        ecall
        li t1, 11                       # a call from machine mode
        bne s0, t1, end
        say "a call from machine mode\n"

        # Supervisor mode may access all memory; MPP holds the mode that MRET enters.
        li t0, -1
        csrw pmpaddr0, t0
        li t0, 0x1f
        csrw pmpcfg0, t0
        li t0, 3 << 11
        csrc mstatus, t0
        li t0, 1 << 11
        csrs mstatus, t0
        la t0, supervisor
        csrw mepc, t0
        mret
supervisor:
        li a7, 93                       # not an SBI extension
        ecall
        li t1, 9                        # a call from supervisor mode
        bne s0, t1, end
        say "a call from supervisor mode\n"
end:    li t0, FINISHER
        li t1, 7 << 16 | 0x3333
        sw t1, 0(t0)
1:      j 1b

# Sets s0 to the cause, and continues after the trap in machine mode.
        .balign 4
trap:   csrr s0, mcause
        csrr t0, mepc
        addi t0, t0, 4
        csrw mepc, t0
        li t0, 3 << 11
        csrs mstatus, t0
        mret

print:  li t0, UART
1:      lbu t1, 0(a0)
        beqz t1, 2f
        sb t1, 0(t0)
        addi a0, a0, 1
        j 1b
2:      ret

        .bss
        .balign 16
        .space 256
stack:
