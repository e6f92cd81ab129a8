# A program for supervisor mode of virt-riscv64: it prints each byte that it receives, and the time
# and the number of passes of its loop at which it came. A `q` ends it. replay.py runs it.

        .equ UART, 0x10000000
        .equ FINISHER, 0x100000
        .equ READY, 1                   # of the line status: a byte has come

        .text
        .globl _start
_start: li s0, UART
        li s1, 0                        # passes
        li s2, 'q'
wait:   addi s1, s1, 1
        lbu t0, 5(s0)
        andi t0, t0, READY
        beqz t0, wait
        lbu s3, 0(s0)
        sb s3, 0(s0)
        rdtime a0
        call print
        mv a0, s1
        call print
        li t0, '\n'
        sb t0, 0(s0)
        bne s3, s2, wait
        li t0, FINISHER
        li t1, 0x5555
        sw t1, 0(t0)
1:      j 1b

# Prints a blank and a0 with 16 digits.
print:  li t0, ' '
        sb t0, 0(s0)
        li t1, 60
1:      srl t0, a0, t1
        andi t0, t0, 15
        addi t0, t0, '0'
        li t2, '9'
        ble t0, t2, 2f
        addi t0, t0, 'a' - '0' - 10
2:      sb t0, 0(s0)
        addi t1, t1, -4
        bgez t1, 1b
        ret
