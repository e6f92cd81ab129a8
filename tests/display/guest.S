/*
 * A guest for display.py. It paints pixel n of the firmware's frame buffer (64 x 32) with the colour n * 0x10101
 * truncated to 24 bits and of the PL111's (32 x 16, 16 bits, red high) with 0xf800 + n, says 'P', and then says
 * each byte of the keyboard after 'K' and of the mouse after 'M'. The byte of F1 switches the PL111 on, that of
 * Escape (its release) powers off.
 */
        .equ    SERIAL, 0x7ff80000
        .equ    CLCD, 0x1c1f0000
        .equ    KEYS, 0x1c060000
        .equ    MOUSE, 0x1c070000

_start:
        mov     x1, #SERIAL & 0xffff0000
        mov     x2, #CLCD
        mov     x3, #KEYS
        mov     x4, #MOUSE
        mov     x5, #0x87000000
        mov     w6, #0
        mov     w7, #0x0101
        movk    w7, #1, lsl #16
1:      mul     w8, w6, w7
        str     w8, [x5], #4
        add     w6, w6, #1
        cmp     w6, #64 * 32
        b.ne    1b
        mov     x5, #0x86000000
        mov     w6, #0
2:      mov     w8, #0xf800
        add     w8, w8, w6
        strh    w8, [x5], #2
        add     w6, w6, #1
        cmp     w6, #32 * 16
        b.ne    2b
        mov     w8, #4                  /* PL050: on */
        str     w8, [x3]
        str     w8, [x4]
        mov     w8, #0xf4               /* tell of movements */
        str     w8, [x4, #8]
        ldr     w8, [x4, #8]
        mov     w8, #'P'
        str     w8, [x1]
3:      ldr     w8, [x3, #4]
        tbnz    w8, #4, key
        ldr     w8, [x4, #4]
        tbnz    w8, #4, move
        b       3b
key:    ldr     w9, [x3, #8]
        mov     w8, #'K'
        bl      say
        cmp     w9, #0x05
        b.eq    lcd
        cmp     w9, #0x76
        b.ne    3b
        mov     w0, #0x0008             /* SYSTEM_OFF */
        movk    w0, #0x8400, lsl #16
        smc     #0
move:   ldr     w9, [x4, #8]
        mov     w8, #'M'
        bl      say
        b       3b
say:    str     w8, [x1]
        str     w9, [x1]
        ret
lcd:    mov     w8, #1 << 2             /* 32 pixels a line */
        str     w8, [x2, #0]
        mov     w8, #15                 /* 16 lines */
        str     w8, [x2, #4]
        mov     w8, #0x86000000
        str     w8, [x2, #0x10]
        mov     w8, #1 | 6 << 1 | 1 << 8
        orr     w8, w8, #1 << 11
        str     w8, [x2, #0x18]
        b       3b
