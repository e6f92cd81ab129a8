# Ends a program. Its status is the exclusive or of a0's bytes.
        srli    a1, a0, 32
        xor     a0, a0, a1
        srli    a1, a0, 16
        xor     a0, a0, a1
        srli    a1, a0, 8
        xor     a0, a0, a1
        andi    a0, a0, 255
        li      a7, 93
        ecall
