// Ends a program. Its status is the exclusive or of x0's bytes.
        eor     x0, x0, x0, lsr #32
        eor     x0, x0, x0, lsr #16
        eor     x0, x0, x0, lsr #8
        and     x0, x0, #0xff
        mov     x8, #93
        svc     #0
