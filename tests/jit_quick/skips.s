# 400,000 rounds with branches over one, two and three instructions that follow the bits of a random
# number, then one over a store. Writes the sum and the time, which is that of the instructions.
    .set noreorder
    .globl __start
__start:
    li      $s0, 400000
    li      $s1, 0x1234567
    li      $s2, 0
    addiu   $sp, $sp, -32
loop:
    sll     $t0, $s1, 13
    xor     $s1, $s1, $t0
    srl     $t0, $s1, 17
    xor     $s1, $s1, $t0
    sll     $t0, $s1, 5
    xor     $s1, $s1, $t0
    andi    $t1, $s1, 1
    beqz    $t1, one
    andi    $t2, $s1, 6
    addiu   $s2, $s2, 3
one:
    bnez    $t2, two
    move    $t3, $s2
    xor     $s2, $s2, $s1
    addu    $t3, $t3, $t2
two:
    addu    $s2, $s2, $t3
    bltz    $s2, three
    srl     $t4, $s1, 24
    addiu   $t4, $t4, 1
    sll     $t5, $t4, 2
    subu    $s2, $s2, $t5
three:
    addu    $s2, $s2, $t4
    andi    $t1, $s1, 8
    bnez    $t1, four
    addu    $s2, $s2, $t5
    sw      $s2, 16($sp)
four:
    addiu   $s0, $s0, -1
    bnez    $s0, loop
    nop
    sw      $s2, 0($sp)
    li      $a0, 1
    addiu   $a1, $sp, 8
    li      $v0, 4263
    syscall
    li      $a0, 1
    move    $a1, $sp
    li      $a2, 20
    li      $v0, 4004
    syscall
    andi    $a0, $s2, 127
    li      $v0, 4001
    syscall
