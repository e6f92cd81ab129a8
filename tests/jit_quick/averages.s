// Averages, doubled products that are rounded, and look-ups of eight bytes: each is one operation of a trace. A shift
// that rounds is a difference of two. FPSR.QC is clear at first, and tested once per product. The status tells the
// results' bits, and QC.
// nodes 1 average u8x16
// nodes 1 average u16x8
// nodes 1 average u8x8
// nodes 2 rounded-product s16x8
// nodes 4 binary sub [us](16|32)x
// nodes 3 shuffle
// nodes 0 extract
// nodes 0 insert
        .globl _start
_start: mov     w9, #3000
        ldr     x1, =data
        movi    v30.2d, #0
1:      ldp     q0, q1, [x1]
        ldp     d2, d3, [x1]
        urhadd  v4.16b, v0.16b, v1.16b
        urhadd  v5.8h, v1.8h, v0.8h
        urhadd  v6.8b, v0.8b, v1.8b
        sqrdmulh v7.8h, v0.8h, v1.8h
        sqrdmulh v16.8h, v0.8h, v1.h[3]
        urshr   v17.8h, v0.8h, #5
        srshr   v18.8h, v0.8h, #16
        srshr   v19.4s, v0.4s, #7
        urshr   v20.4s, v0.4s, #32
        tbl     v21.8b, {v1.16b}, v5.8b
        tbl     v22.8b, {v1.16b}, v2.8b
        tbl     v23.8b, {v0.16b}, v6.8b
        add     v30.16b, v30.16b, v4.16b
        eor     v30.16b, v30.16b, v5.16b
        add     v30.16b, v30.16b, v6.16b
        eor     v30.16b, v30.16b, v7.16b
        add     v30.16b, v30.16b, v16.16b
        eor     v30.16b, v30.16b, v17.16b
        add     v30.16b, v30.16b, v18.16b
        eor     v30.16b, v30.16b, v19.16b
        add     v30.16b, v30.16b, v20.16b
        eor     v30.16b, v30.16b, v21.16b
        add     v30.16b, v30.16b, v22.16b
        eor     v30.16b, v30.16b, v23.16b
        subs    w9, w9, #1
        b.ne    1b
        mrs     x0, fpsr
        ubfx    x0, x0, #27, #1
        ldr     x1, =least
        ldp     q0, q1, [x1]
        sqrdmulh v7.8h, v0.8h, v1.8h
        eor     v30.16b, v30.16b, v7.16b
        mrs     x3, fpsr
        add     x0, x0, x3, lsr #26
        .include "digest.s"
        .include "end.s"
        .data
        .balign 16
data:   .quad   0x0f02800103ff8001, 0x1234567887654321, 0x00017fff8001ffff, 0xfedcba9889abcdef
least:  .quad   0x7fff80008000ffff, 0x8000800080008000, 0x80007fff8000ffff, 0x8000000080007fff
