# A value's two parts that were shifted apart and or-ed are one rotation (RV64): of 32 bits, of 64, and by one; where the
# parts are of different values, or their amounts do not add up to the width, they are none. The status tells all results.
# nodes 4 binary ror
# nodes 2 binary or
        .globl _start
_start: li      s0, 3000
        li      a0, 0
1:      mulw    a1, s0, s0
        mul     a2, s0, a1
        mul     a2, a2, a2
        srliw   t0, a1, 6
        slliw   t1, a1, 26
        or      t0, t0, t1
        slli    t2, a2, 13
        srli    t3, a2, 51
        or      t2, t2, t3
        srliw   t4, a2, 31
        slliw   t5, a2, 1
        or      t4, t5, t4
        srli    t5, a2, 63
        slli    t6, a2, 1
        or      t5, t5, t6
        srliw   s1, a1, 6
        slliw   s2, a2, 26
        or      s1, s1, s2
        srli    s2, a2, 9
        slli    s3, a2, 56
        or      s2, s2, s3
        addw    a0, a0, t0
        add     a0, a0, t2
        xor     a0, a0, t4
        add     a0, a0, t5
        xor     a0, a0, s1
        add     a0, a0, s2
        addi    s0, s0, -1
        bnez    s0, 1b
        srli    a1, a0, 32
        xor     a0, a0, a1
        srli    a1, a0, 16
        xor     a0, a0, a1
        andi    a0, a0, 255
        li      a7, 93
        ecall
