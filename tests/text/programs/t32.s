@ The same of T32: the narrowest words, and no operation in its two forms.
        .global _start
_start: movs r0, #10 * 2
loop:   cmp r0, #1
        nop
        bne.n loop
        bl fn
        mov r8, r8
        nop.w
        it eq
        nopeq
        mov r1, r9
        b.n end
fn:     push {r4, lr}
        ldmia r0!, {r1, r2, r5}
        pop {r4, pc}
        .balign 4
value:  .word 0x12345678, fn - _start
        .byte 1, 2, 3, 4
        .balign 4
end:    bx lr
        strh.w r1, [r2, #-6]!
        nop
