// Calls a function 11 times from a loop whose slots all do something: the call's slot passes an
// argument, the return's slot adds it, and a likely branch skips its slot at the end. The result is
// the square of 11. A load from an odd multiple of pages is a delay slot too.
        li $16, 1               // odd numbers
        li $17, 0               // their sum
        li $18, 11
        li $19, 0x2000
        sw $16, 0($19)
loop:   li $31, back
        li $20, square
        jr $20
        addu $4, $16, $0
back:   addiu $16, $16, 2
        addiu $18, $18, -1
        bne $18, $0, loop
        lw $21, 0($19)
        li $22, 5
spin:   addiu $22, $22, -1
        bnel $22, $0, spin
        addiu $17, $17, 7       // four times, taken back below
        addiu $17, $17, -28
        li $2, 0
        addu $4, $17, $0
        syscall
square: jr $31
        addu $17, $17, $4
