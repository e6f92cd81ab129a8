# Sums 3 or 5 in 3,000 rounds; a store in the delay slot of the branch that chooses which can fault.
    .set noreorder
    .globl __start
__start:
    li      $t0, 3000
    li      $t2, 0
loop:
    andi    $t1, $t0, 1
    beqz    $t1, even
    sw      $t2, -8($sp)
    addiu   $t2, $t2, 3
    b       next
    nop
even:
    addiu   $t2, $t2, 5
next:
    addiu   $t0, $t0, -1
    bnez    $t0, loop
    nop
    andi    $a0, $t2, 127
    li      $v0, 4001
    syscall
