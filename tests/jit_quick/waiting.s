# Shifts, and the sum in an access's address, that are needed by a fault of that access only (RV64): C computes them there.
# The last round's access faults, and the signal's handler tells the interrupted registers by the status.
# nodes 3 cold binary sh
# nodes 1 cold scaled
        .globl _start
_start: li      a0, 11                  # rt_sigaction(SIGSEGV, action, 0, 8)
        la      a1, action
        li      a2, 0
        li      a3, 8
        li      a7, 134
        ecall
        li      s0, 3000
        la      s1, table
        li      s3, 0
1:      mul     a1, s0, s0
        slli    t0, a1, 5
        srli    t1, a1, 3
        addi    s0, s0, -1
        seqz    t4, s0
        slli    t4, t4, 37
        slli    t2, t4, 3               # of 2^40 in the last round, which is not mapped
        add     t3, s1, t2
        ld      a2, 0(t3)
        add     s3, s3, a2
        mv      t0, s3
        mv      t1, s3
        mv      t2, s3
        mv      t3, s3
        bnez    s0, 1b
        li      a0, 0
        li      a7, 93
        ecall
handle: ld      a0, 216(a2)             # T0 of the interrupted program, x5
        ld      a1, 224(a2)             # T1
        ld      a3, 232(a2)             # T2
        ld      a4, 400(a2)             # T3, x28
        slli    a1, a1, 1
        add     a0, a0, a1
        srli    a3, a3, 38
        add     a0, a0, a3
        srli    a5, a4, 36
        xor     a0, a0, a5
        andi    a4, a4, 255
        add     a0, a0, a4
        srli    a5, a0, 8
        xor     a0, a0, a5
        andi    a0, a0, 255
        li      a7, 93
        ecall
        .data
        .balign 8
action: .dword  handle, 4, 0, 0
table:  .dword  77
