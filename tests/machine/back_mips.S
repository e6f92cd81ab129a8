# back.S for a MIPS 4Kc of the Malta, with its one CPU. The handler stands where the CPU expects it.

        .set noreorder
        .set noat
        .equ UART, 0xb80003f8
        .equ READY, 1                   # of the line status: a byte has come
        .equ CELLS, 64
        .equ TICK, 3000                 # of Count, between two timer interrupts
        .equ VECTOR, 0x80000180

        .text
        .globl _start, trap, leaf, count, last, cells, loop, called, stored, echo
        .ent _start
_start: la $sp, stack                 # GDB finds no caller without one
        la $s0, VECTOR
        la $s1, enter
        lw $t0, 0($s1)
        sw $t0, 0($s0)
        lw $t0, 4($s1)
        sw $t0, 4($s0)
        lw $t0, 8($s1)
        sw $t0, 8($s0)
        lw $t0, 12($s1)
        sw $t0, 12($s0)
        mtc0 $zero, $13                 # Cause: no vectors of their own
        mfc0 $t0, $9                    # Count
        addiu $t0, $t0, TICK
        mtc0 $t0, $11                   # Compare
        li $t0, 0x8001                  # Status: interrupt 7, enabled
        li $s1, 12345
        la $s2, cells
        la $s3, count
        li $s4, UART
        li $s5, 1103515245
        la $s6, last
        move $s0, $zero
        mtc0 $t0, $12
loop:   mul $s1, $s1, $s5               # the next number
        addiu $s1, $s1, 1013
        srl $t0, $s1, 20
        andi $t0, $t0, CELLS - 1
        sll $t0, $t0, 3
        addu $t0, $t0, $s2
        lw $t1, 0($t0)
        addu $t1, $t1, $s1
        sw $t1, 0($t0)
called: jal leaf
        nop
        lw $t2, 0($s3)
        addiu $t2, $t2, 1
stored: sw $t2, 0($s3)
        lbu $t3, 5($s4)
        andi $t3, $t3, READY
        beqz $t3, loop
        nop
        lbu $t3, 0($s4)
echo:   sb $t3, 0($s4)
        sw $t3, 0($s6)
        b loop
        addu $s1, $s1, $t3
        .end _start

        .ent leaf
leaf:   li $t4, 3
1:      addiu $t4, $t4, -1
        bnez $t4, 1b
        nop
        jr $ra
        nop
        .end leaf

enter:  la $k0, trap
        jr $k0
        nop

        .ent trap
trap:   mfc0 $k0, $9
        addu $s1, $s1, $k0
        addiu $k0, $k0, TICK
        mtc0 $k0, $11
        eret
        .end trap

        .bss
        .space 1024
stack:  .balign 4096
count:  .space 8
last:   .space 8
        .balign 4096
cells:  .space 8 * CELLS
