// Adds the numbers from 1 to 200 by rewriting an instruction of a function each time; ends with the
// sum's low byte. The function is in a page of its own. Flat memory is given up on the way.
li x5, 1
li x6, 0
lui x7, 0x30
addi x7, x7, 787        // addi x6, x6, 0
lui x11, 0x8
addi x11, x11, 103      // jalr x0, 0(x1)
lui x9, 2
sw x11, 4(x9)
slli x8, x5, 20         // 0x1020
add x8, x8, x7
sw x8, 0(x9)
jalr x1, 0(x9)
addi x5, x5, 1
li x10, 201
bne x5, x10, 0x1020
li x17, 0
mv x10, x6
ecall
