# The same of RISC-V, where gas and gencc both take short words.
        .globl _start
_start: li a0, 5 * 4
        add a1, a0, -1   # less
loop:   add a0, a0, -1
        beqz a0, out
        bnez a1, loop
        blt a0, a1, loop
        j loop
        jal ra, fn
        ld a3, (8 * 2)(sp)
        lui a2, 0x12345
out:    ret
        .space 2600
fn:     sw a0, 4(sp); lbu a4, 0(a0)
        bne a0, a1, loop
        .balign 4, 0
        .word fn - _start, 0x1234
        .asciz "text"
        .balign 4, 0
