# Results of 32 bits, which RV64 has with their sign in registers of 64: operations that read the low half only read the
# value before the extension, and comparisons of two such values compare 32 bits; so neither needs it. One that is added to
# an address does. Zeros above by two shifts are one extension. The status tells all results.
# nodes 1 ^ +\d+ sext
# nodes 1 ^ +\d+ zext u64 %\d+ #20
# nodes 1 guard \S+ [su]32
# nodes 6 binary (xor|and|or) u32
        .globl _start
_start: li      s0, 3000
        li      s1, 0
        la      s2, table
1:      mulw    a1, s0, s0
        addw    a2, a1, s1
        xor     a3, a1, a2              # of 32 bits, as the AND below
        and     a4, a3, a2
        or      a5, a4, a1
        xori    a5, a5, -7
        not     a6, a5
        addw    s1, a6, s1
        slli    t0, s1, 32              # zeros above
        srli    t0, t0, 32
        srli    t1, t0, 5
        subw    t2, s1, a1
        andi    t3, t2, 24
        add     t4, s2, t3
        ld      t5, 0(t4)
        add     s3, s3, t5
        add     s3, s3, t1
        addw    t6, a1, a1
        add     s3, s3, t6              # the extension that stays
        bltu    a5, a2, 2f
        addi    s3, s3, 3
2:      addi    s0, s0, -1
        bnez    s0, 1b
        xor     a0, s1, s3
        .include "end_rv64.s"
        .data
        .balign 8
table:  .dword  0x123456789abcdef0, 0xfedcba9876543210, 5, -3
