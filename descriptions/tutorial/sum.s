// Adds the numbers from 1 to 100 and prints the sum in decimal. It is loaded at 0x1000.
li x5, 100
li x6, 0
add x6, x6, x5          // 0x1008
addi x5, x5, -1
bne x5, x0, 0x1008

// The digits of x6, lowest first, on a stack that grows down from 0x2000.
lui x7, 0x2
li x8, 10
li x9, 0                // 0x101c: quotient
mv x11, x6              // remainder
blt x11, x8, 0x1034     // 0x1024
sub x11, x11, x8
addi x9, x9, 1
j 0x1024
addi x7, x7, -1         // 0x1034
addi x11, x11, 48
sb x11, 0(x7)
mv x6, x9
bne x6, x0, 0x101c

// Print them, and a newline.
lui x12, 0x2            // 0x1048
li x17, 1
lbu x10, 0(x7)          // 0x1050
ecall
addi x7, x7, 1
bne x7, x12, 0x1050
li x10, 10
ecall
li x17, 0
li x10, 0
ecall
