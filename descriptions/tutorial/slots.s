// Sums the words of a table, whose end the slot of the branch counts down, and prints the sum.
        li $4, 4                // words
        li $5, table
        li $6, 0
loop:   lw $7, 0($5)
        addiu $4, $4, -1
        addu $6, $6, $7
        bne $4, $0, loop
        addiu $5, $5, 4         // also in the last round

// The highest byte of a word is the first in memory: 't' of "then".
        li $9, text
        lbu $8, 0($9)

// The slot of a likely branch counts rounds, not exits.
        li $10, 3
        li $11, 0
again:  addiu $10, $10, -1
        bnel $10, $0, again
        addiu $11, $11, 1

        li $2, 0
        addu $4, $6, $0
        syscall
table:  .word 1, 2, 3, 30
text:   .word 0x7468656e
