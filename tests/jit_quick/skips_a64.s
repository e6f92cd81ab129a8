// 400,000 rounds with branches over one, two and three instructions that follow the bits of a random number, one over a
// comparison, and one over a store. Writes the sum and the time, which is that of the instructions.
        .globl _start
_start: mov     w19, #400
        mov     w0, #1000
        mul     w19, w19, w0
        ldr     w20, =0x1234567
        mov     w21, #0
        sub     sp, sp, #32
loop:   eor     w20, w20, w20, lsl #13
        eor     w20, w20, w20, lsr #17
        eor     w20, w20, w20, lsl #5
        and     w9, w20, #6
        tbz     w20, #0, one
        add     w21, w21, #3
one:    mov     w10, w21
        cbnz    w9, two
        eor     w21, w21, w20
        add     w10, w10, w9
two:    add     w21, w21, w10
        lsr     w11, w20, #24
        cmp     w21, w20
        b.gt    three
        add     w11, w11, #1
        lsl     w12, w11, #2
        sub     w21, w21, w12
three:  tbnz    w20, #4, four
        cmp     w11, w9, lsl #5
four:   adc     w21, w21, w11
        cset    w12, le
        add     w21, w21, w12
        ands    w9, w20, #8
        b.eq    five
        str     w21, [sp, #16]
five:   subs    w19, w19, #1
        b.ne    loop
        str     w21, [sp]
        mov     w0, #1
        add     x1, sp, #8
        mov     w8, #113
        svc     #0
        mov     w0, #1
        mov     x1, sp
        mov     w2, #24
        mov     w8, #64
        svc     #0
        and     w0, w21, #127
        mov     w8, #93
        svc     #0
