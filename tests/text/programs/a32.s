@ The same of A32.
        .global _start
_start: mov r0, #10 * 2
loop:   subs r0, r0, #1
        bne loop
        bl fn
        ldr r1, [pc, #value - . - 8]      @ near
        ldr r2, [pc, #(8 + 4) / 3]
        b end
fn:     push {r4, lr}
        ldm r0!, {r1, r2, r5}
        pop {r4, pc}
value:  .word 0x12345678, fn - _start
        .byte 1, 2
        .balign 4
end:    bx lr
        strh r1, [r2, #-6]!
