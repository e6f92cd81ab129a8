// Minima and maxima of all lanes at once, and conversions from and to integers of all kinds: none takes lanes apart, and none is
// left to its handler. FMLS is one operation, which negates the product. The status tells the results' bits: two zeros, whose
// signs count, are among the lanes.
// nodes 0 extract f32
// nodes 0 insert
// nodes 0 handler
// nodes 0 blend
// nodes 6 binary (least|greatest) f
// nodes 1 fma f32x4 \S+ \S+ \S+ #1
        .globl _start
_start: mov     w9, #3001               // odd, or the signs of zeros cancel out
        ldr     x1, =data
        movi    v30.2d, #0
        mov     x2, #0x10               // FPSR.IXC
        msr     fpsr, x2
1:      ldp     q0, q1, [x1]
        ldp     x3, x4, [x1, #32]
        fmax    v2.4s, v0.4s, v1.4s
        fmin    v3.4s, v0.4s, v1.4s
        fmaxnm  v4.2d, v0.2d, v1.2d
        fminnm  v5.2s, v1.2s, v0.2s
        fmaxnm  v6.2s, v1.2s, v0.2s
        fminnm  v7.4s, v1.4s, v0.4s
        ucvtf   d16, x3
        ucvtf   s17, x4
        ucvtf   d18, x4, #40
        scvtf   s19, x3, #7
        ucvtf   v20.4s, v0.4s
        scvtf   v21.4s, v1.4s, #9
        fcvtzu  x5, d16
        fcvtzu  w6, s19
        fcvtzs  x7, d18, #9
        mov     v31.16b, v3.16b
        fmls    v31.4s, v20.4s, v1.4s
        eor     v30.16b, v30.16b, v2.16b
        add     v30.16b, v30.16b, v31.16b
        add     v30.16b, v30.16b, v3.16b
        eor     v30.16b, v30.16b, v4.16b
        add     v30.16b, v30.16b, v5.16b
        eor     v30.16b, v30.16b, v6.16b
        add     v30.16b, v30.16b, v7.16b
        eor     v30.16b, v30.16b, v16.16b
        add     v30.16b, v30.16b, v17.16b
        eor     v30.16b, v30.16b, v18.16b
        add     v30.16b, v30.16b, v19.16b
        eor     v30.16b, v30.16b, v20.16b
        add     v30.16b, v30.16b, v21.16b
        add     x5, x5, x6
        add     x5, x5, x7
        fmov    d22, x5
        add     v30.8b, v30.8b, v22.8b
        subs    w9, w9, #1
        b.ne    1b
        umov    x0, v30.d[0]
        umov    x3, v30.d[1]
        eor     x0, x0, x3, ror #7
        .include "end.s"
        .data
        .align  4
data:   .float  -0.0, 0.0, 1.5, -2.5, 0.0, -0.0, 3.5, -4.5
        .quad   0x8000000000000400, 0xfedcba9876543210
