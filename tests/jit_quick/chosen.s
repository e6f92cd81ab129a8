// Without FPCR.DN and FPCR.FZ the host's NaN of two operands is the guest's, so none of these results is tested for
// being one; that of three operands is (FABD is the difference that FSUB has). A minimum is tested once. At the end
// NaNs are loaded, of which each operation chooses one, and denormal numbers beside them, with each of the two bits:
// the status tells all results' bits.
// nodes 1 trap nan
// nodes 7 trap small
// nodes 15 trap
        .macro  tell v
        mov     x3, \v\().d[0]
        eor     x0, x3, x0, ror #7
        mov     x3, \v\().d[1]
        eor     x0, x3, x0, ror #7
        .endm

        .globl _start
_start: ldr     x1, =pairs
        ldr     x12, =controls
        mov     w9, #3000
        mov     x0, #0
1:      ldp     q0, q1, [x1]
        ldp     q2, q3, [x1, #32]
        fadd    v4.4s, v0.4s, v1.4s
        fsub    v5.4s, v0.4s, v1.4s
        fmul    v6.4s, v0.4s, v1.4s
        fdiv    v7.4s, v0.4s, v1.4s
        fabd    v16.4s, v0.4s, v1.4s
        fadd    s17, s0, s1
        fnmul   s18, s0, s1
        fsub    v19.2d, v2.2d, v3.2d
        fmul    v20.2d, v2.2d, v3.2d
        fadd    d21, d2, d3
        fmul    d22, d2, d3
        fdiv    d23, d2, d3
        fmul    v24.2s, v0.2s, v1.2s
        fmla    v25.4s, v0.4s, v1.4s
        fmin    v26.4s, v0.4s, v1.4s
        fmaxnm  v27.2d, v2.2d, v3.2d
        .irp    n, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
        tell    v\n
        .endr
        subs    w9, w9, #1
        b.ne    1b
        mrs     x3, fpsr
        eor     x0, x3, x0, ror #11
        movi    v25.4s, #0
        add     x1, x1, #64             // then with each of the others
        mov     w9, #1
        ldr     x3, =end
        cmp     x1, x3
        b.lo    1b
        ldr     x1, =pairs              // and of FPCR's values
        ldr     w4, [x12], #4
        msr     fpcr, x4
        cbnz    w4, 1b
        .include "end.s"

        .data
        .balign 16
pairs:  .float  1.5, 2.5, 3.5, 4.5, 0.25, 1.25, 7, 9
        .double 1.7, 2.3, 1.1, 5.3
        .word   0x7fc00123, 0x3f800000, 0x7fc00456, 0x7fc00111  // quiet ones, with payloads
        .word   0xffc00789, 0xffc00abc, 0x3f800000, 0x00000001
        .quad   0x7ff8000000000123, 0x3ff0000000000000, 0xfff8000000000789, 0xfff8000000000abc
        .word   0x7f800123, 0x7fc00456, 0x00000003, 0x7fc00111  // signalling ones
        .word   0xffc00789, 0xff800abc, 0x7fc00222, 0x7f800333
        .quad   0x7ff0000000000123, 0x7ff8000000000456, 0xfff8000000000789, 0xfff0000000000abc
        .word   0x00000001, 0x7f800000, 0x00000000, 0x3f800000  // invalid operations, and denormal numbers
        .word   0x7fc00789, 0x7f800000, 0x7f800000, 0x00000000
        .quad   0x0000000000000001, 0x7ff0000000000000, 0x7ff8000000000789, 0xfff0000000000000
end:
controls:
        .word   0x2000000, 0x1000000, 0x3000000, 0
