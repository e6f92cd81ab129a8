// Adds the numbers from 1 to 100 and prints the sum in decimal.
        li x5, 100
        li x6, 0
add:    add x6, x6, x5
        addi x5, x5, -1
        bne x5, x0, add

// The digits of x6, lowest first, on a stack that grows down from 0x2000.
        lui x7, 0x2
        li x8, 10
digit:  li x9, 0                // quotient
        mv x11, x6              // remainder
divide: blt x11, x8, store
        sub x11, x11, x8
        addi x9, x9, 1
        j divide
store:  addi x7, x7, -1
        addi x11, x11, '0'
        sb x11, 0(x7)
        mv x6, x9
        bne x6, x0, digit

// Print them, and a newline.
        lui x12, 0x2
        li x17, 1
print:  lbu x10, 0(x7)
        ecall
        addi x7, x7, 1
        bne x7, x12, print
        li x10, '\n'
        ecall
        li x17, 0
        li x10, 0
        ecall
