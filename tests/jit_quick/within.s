// Narrowing within limits, bytes of two vectors, and results of all lanes of one: each is one operation of a trace, or
// one per halving. FPSR.QC is set here, so that the trace tests it once, and no lane for it. The status tells the
// results' bits, and QC after lanes that saturate and lanes that do not, with a clear QC before.
// nodes 2 convert within u8x8
// nodes 1 convert within s8x8
// nodes 1 convert within u16x4
// nodes 1 convert within s16x4
// nodes 3 binary bytes u128
// nodes 2 shuffle
// nodes 4 binary shr u128
// nodes 4 binary greatest u8x16
// nodes 1 guard.test
// nodes 0 extract u64x2
        .globl _start
_start: mov     w9, #3000
        ldr     x1, =data
        movi    v30.2d, #0
        mov     x10, #0
        mov     x0, #0
1:      ldp     q0, q1, [x1]
        sqxtun  v2.8b, v0.8h
        sqxtun  v3.8b, v1.8h
        eor     v30.16b, v30.16b, v2.16b
        add     v30.16b, v30.16b, v3.16b
        sqxtn   v4.8b, v0.8h
        eor     v30.16b, v30.16b, v4.16b
        sqxtun  v5.4h, v0.4s
        add     v30.16b, v30.16b, v5.16b
        sqxtn   v6.4h, v1.4s
        eor     v30.16b, v30.16b, v6.16b
        ext     v7.16b, v0.16b, v1.16b, #3
        add     v30.16b, v30.16b, v7.16b
        ext     v16.16b, v30.16b, v0.16b, #8
        eor     v30.16b, v30.16b, v16.16b
        ext     v17.16b, v30.16b, v30.16b, #15
        add     v30.16b, v30.16b, v17.16b
        cnt     v18.16b, v1.16b
        eor     v30.16b, v30.16b, v18.16b
        umaxv   b19, v0.16b
        add     v30.16b, v30.16b, v19.16b
        subs    w9, w9, #1
        b.ne    1b
        mrs     x3, fpsr
        add     x0, x0, x3, lsr #27
        .include "digest.s"
        add     x10, x10, #1            // then with a clear QC: lanes that saturate, lanes that do not, and again
        msr     fpsr, xzr
        mov     w9, #3000
        ldr     x1, =small
        cmp     x10, #2
        b.lo    1b
        ldr     x1, =data
        mov     w9, #1
        b.eq    1b
        cmp     x10, #4
        b.lo    1b
        ext     v2.8b, v30.8b, v0.8b, #3        // halves, sums, and other widths
        uaddlv  h3, v30.16b
        saddlv  s4, v30.8h
        uaddlv  d5, v30.4s
        addv    b6, v30.8b
        addv    h7, v30.8h
        addv    s16, v30.4s
        sminv   b17, v30.16b
        uminv   h18, v30.4h
        smaxv   s19, v30.4s
        saddlv  h20, v30.8b
        cnt     v21.8b, v30.8b
        add     v2.2d, v2.2d, v3.2d
        eor     v2.16b, v2.16b, v4.16b
        add     v2.2d, v2.2d, v5.2d
        eor     v2.16b, v2.16b, v6.16b
        add     v2.2d, v2.2d, v7.2d
        eor     v2.16b, v2.16b, v16.16b
        add     v2.2d, v2.2d, v17.2d
        eor     v2.16b, v2.16b, v18.16b
        add     v2.2d, v2.2d, v19.2d
        eor     v2.16b, v2.16b, v20.16b
        add     v2.2d, v2.2d, v21.2d
        umov    x3, v2.d[0]
        eor     x0, x0, x3, ror #13
        add     x11, x11, #1            // these often, too
        cmp     x11, #999
        b.lo    4f
        .include "end.s"
4:      mov     w9, #1
        mov     x10, #3
        b       1b
        .data
        .balign 16
data:   .quad   0x7fff80007fff8001, 0x1234567887654321, 0x00017fff8001ffff, 0xfedcba9889abcdef
small:  .quad   0x0001000200030004, 0x0005000600070008, 0x0001000200030003, 0x0000000600000008
