// Roundings of vectors, conversions to integers and square roots are one operation for all lanes. Rounding looks at its
// operand by a comparison that traps for NaNs and denormal numbers, and is known to hold. FPSR.IXC is set at first, so
// whether a result is inexact is not asked, and that FPCR has neither FZ nor a rounding mode is not asked as a whole again.
// The status tells the results' bits.
// nodes 1 round.down f32x4
// nodes 1 round.up f32x2
// nodes 1 round.even f64x2
// nodes 1 sqrt f32x4
// nodes 4 convert s32x4
// nodes 1 round.down f64
// nodes 1 convert s64
// nodes 0 unary not
// nodes 1 guard.test eq u128
// nodes 0 ^ +\d+ binary (?:eq|ne|or|and) [su](?:8|32|64) 
// nodes 2 guard.test eq u32
// nodes 0 extract
// nodes 0 insert
        .globl _start
_start: mov     w9, #3000
        ldr     x1, =data
        mov     x3, #0x10
        msr     fpsr, x3
        movi    v30.2d, #0
        mov     x5, #0
1:      ldp     q0, q1, [x1]
        frintx  s19, s0                 // the first to ask for the rounding mode
        frintm  v3.4s, v0.4s
        frintp  v4.2s, v0.2s
        frintn  v5.2d, v1.2d
        fabs    v6.4s, v0.4s
        fsqrt   v6.4s, v6.4s
        fcvtzs  v7.4s, v0.4s
        fcvtms  v16.4s, v0.4s
        fcvtzs  v17.4s, v0.4s, #7
        fcvtzu  v18.4s, v6.4s
        fcvtms  x4, d1
        add     v30.4s, v30.4s, v3.4s
        eor     v30.16b, v30.16b, v4.16b
        add     v30.4s, v30.4s, v5.4s
        eor     v30.16b, v30.16b, v6.16b
        add     v30.4s, v30.4s, v7.4s
        eor     v30.16b, v30.16b, v16.16b
        add     v30.4s, v30.4s, v17.4s
        eor     v30.16b, v30.16b, v18.16b
        eor     x5, x4, x5, ror #3
        fmov    w4, s19
        add     x5, x5, x4
        subs    w9, w9, #1
        b.ne    1b
        mov     x0, x5
        .include "digest.s"
        .include "end.s"
        .data
        .balign 16
data:   .single 2.5, -3.75, 1234.5, -0.25
        .double -7.5, 1000.25
