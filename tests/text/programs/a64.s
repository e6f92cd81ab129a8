// Labels, expressions and directives as gas has them too: program.py compares the bytes.
        .equ COUNT, 3
        .global _start
_start: mov x0, #COUNT * 2 + 1
        adr x1, msg
1:      ldrb w3, [x1], #1      /* one
   byte */
        cbz w3, done; sub x0, x0, #1
        b 1b
        bl fn
        b.ne 1f
1:      tbz w0, #3, 1b
        ldr x5, [x1, #(table - msg) * 8]
done:   ret
fn:     ldr x4, value
        tbz x3, #3, fn
        tbnz xzr, #31, value
        tbz w3, #3, fn
        tbz x3, #40, fn
        ret
msg:    .asciz "hi; \"there\"\n"
        .balign 8, 0
value:  .quad _start, . , msg - value, -1
table:  .word 1 << 4 | 3, ~0 & 0xff, (7 % 4) ^ 1
        .byte 'a', '\n', 255
        .hword 0x1234
        .align 4, 0
end:    .space 3
        .org . + 5, 0xff
        .byte end - _start
