// Upper halves, single lanes in all lanes of a vector, even and odd lanes of two vectors, and distances: each is one
// operation of a trace, and none goes through a general register. The status tells the results' bits.
// nodes 3 splat .*#[23]$
// nodes 2 splat s16x8 %\d+ #5|splat u16x8 %\d+ #5
// nodes 2 high-pairs u64x2
// nodes 4 even-lanes u8x16
// nodes 2 even-lanes u16x8
// nodes 2 even-lanes u32x4
// nodes 3 distance
// nodes 0 blend|concat
// nodes 0 extract [su]
// nodes 0 bitcast
        .globl _start
_start: mov     w9, #3000
        ldr     x1, =data
        movi    v30.2d, #0
1:      ldp     q0, q1, [x1]
        umull2  v2.8h, v0.16b, v1.16b
        add     v30.16b, v30.16b, v2.16b
        smlal2  v30.4s, v0.8h, v1.8h
        uaddw2  v3.2d, v0.2d, v1.4s
        eor     v30.16b, v30.16b, v3.16b
        dup     v4.4s, v0.s[2]
        add     v30.16b, v30.16b, v4.16b
        dup     v5.8h, v1.h[5]
        eor     v30.16b, v30.16b, v5.16b
        dup     v6.16b, v0.b[3]
        add     v30.16b, v30.16b, v6.16b
        mla     v30.8h, v0.8h, v2.h[5]
        mla     v30.4s, v1.4s, v0.s[3]
        trn2    v16.2d, v0.2d, v1.2d
        eor     v30.16b, v30.16b, v16.16b
        zip2    v17.2d, v1.2d, v0.2d
        add     v30.16b, v30.16b, v17.16b
        uzp1    v18.16b, v0.16b, v1.16b
        eor     v30.16b, v30.16b, v18.16b
        uzp2    v19.16b, v0.16b, v1.16b
        add     v30.16b, v30.16b, v19.16b
        uzp1    v20.8h, v0.8h, v1.8h
        eor     v30.16b, v30.16b, v20.16b
        uzp2    v21.4s, v0.4s, v1.4s
        add     v30.16b, v30.16b, v21.16b
        xtn     v22.8b, v2.8h
        xtn2    v22.16b, v0.8h
        eor     v30.16b, v30.16b, v22.16b
        shrn    v23.8b, v2.8h, #3
        shrn2   v23.16b, v1.8h, #8
        add     v30.16b, v30.16b, v23.16b
        xtn     v24.4h, v0.4s
        xtn2    v24.8h, v1.4s
        eor     v30.16b, v30.16b, v24.16b
        xtn     v25.2s, v0.2d
        xtn2    v25.4s, v1.2d
        add     v30.16b, v30.16b, v25.16b
        uabd    v26.16b, v0.16b, v1.16b
        eor     v30.16b, v30.16b, v26.16b
        sabd    v27.8h, v0.8h, v1.8h
        add     v30.16b, v30.16b, v27.16b
        sabal2  v30.4s, v1.8h, v0.8h
        shl     v28.2d, v30.2d, #7
        ushr    v30.2d, v30.2d, #57
        orr     v30.16b, v30.16b, v28.16b
        subs    w9, w9, #1
        b.ne    1b
        mov     x0, v30.d[0]
        mov     x2, v30.d[1]
        add     x0, x0, x2, lsl #3
        .include "end.s"
        .data
        .balign 16
data:   .byte   3, 250, 127, 128, 0, 255, 77, 1, 200, 9, 129, 126, 64, 192, 31, 5
        .byte   255, 4, 128, 127, 255, 0, 78, 2, 100, 209, 1, 254, 65, 190, 131, 90
