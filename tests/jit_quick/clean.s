// What has zeros above by itself is the guest register's value as it is: scalar floats that come from memory, from integers and
// from constants, and 8 bytes of lanes, through operations that keep zeros. A sum of a register that was set before the trace has
// none (its upper half is not zero in the first round), nor has a double that was made narrower. The status tells whole
// registers, also behind a trap.
// nodes 4 ^ +\d+ cold low
// nodes 0 ^ +\d+ low
        .globl _start
_start: ldr     x1, =numbers
        mov     w9, #3000
        mov     x0, #0
        mov     w10, #2
        movi    v29.16b, #0x41
        movi    v31.16b, #0x42
1:      ldp     d0, d1, [x1]
        ldr     s2, [x1, #16]
        fadd    d3, d0, d1
        fmul    d4, d3, d1
        fmadd   d5, d0, d4, d3
        fneg    d6, d5
        fabs    d7, d6
        fsqrt   d16, d7
        fcvt    d17, s2
        fmul    s18, s2, s2
        scvtf   s19, w9
        fsub    s20, s19, s18
        fmov    d22, #1.5
        fmadd   d23, d22, d16, d17
        ldr     d24, [x1, #8]
        add     v25.8b, v24.8b, v24.8b
        mul     v26.4h, v25.4h, v24.4h
        eor     v27.8b, v26.8b, v25.8b
        fcmp    d23, d5
        fcsel   d28, d23, d5, gt
        fneg    s21, s20
        fadd    d29, d29, d0            // these have no zeros of their own
        fmadd   d30, d0, d1, d29
        fcvt    s31, d5
        fsub    s8, s31, s2
        subs    w9, w9, #1
        b.ne    1b
        sub     sp, sp, #512            // all registers but v0 and v1, as they are in memory
        stp     q2, q3, [sp]
        stp     q4, q5, [sp, #32]
        stp     q6, q7, [sp, #64]
        stp     q8, q16, [sp, #96]
        stp     q17, q18, [sp, #128]
        stp     q19, q20, [sp, #160]
        stp     q21, q22, [sp, #192]
        stp     q23, q24, [sp, #224]
        stp     q25, q26, [sp, #256]
        stp     q27, q28, [sp, #288]
        stp     q29, q30, [sp, #320]
        str     q31, [sp, #352]
        mov     x3, #46
2:      sub     x3, x3, #1
        ldr     x4, [sp, x3, lsl #3]
        ror     x0, x0, #9
        add     x0, x4, x0
        cbnz    x3, 2b
        add     sp, sp, #512
        mov     w9, #1                  // once more with a number that is denormal, and traps
        mov     x4, #1
        str     x4, [x1, #8]
        movi    v29.16b, #0x41
        subs    w10, w10, #1
        b.ne    1b
        .include "end.s"

        .data
        .balign 16
numbers: .double 1.25, 0.75, 3.5, 1.0
