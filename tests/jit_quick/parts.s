# Double registers of VFP apart from the quad registers that they are halves of, where a trace uses no whole one; a single one
# is a piece. The inner loops are short, so that the guest goes from traces with doubles to traces with quads and back, with
# registers that were changed by the ones and read by the others. The status tells all results.
# trace 0 insert
# trace 0 reg u128
# nodes 3 reg f64
        .syntax unified
        .arch armv7-a
        .fpu neon
        .arm
        .globl _start
_start: mov     r6, #3000
        adr     r7, table
        vldm    r7, {d0-d7}
        vmov.i32 q8, #1
        vmov.i32 q9, #0
        mov     r8, #0
1:      ldr     r7, =place
        mov     r4, #5
2:      vldr    d4, [r7]                @ doubles only
        vmul.f64 d5, d4, d1
        vadd.f64 d4, d5, d0
        vmov    s15, r4
        vcvt.f64.s32 d7, s15
        vadd.f64 d6, d6, d7
        vstr    d4, [r7]
        subs    r4, r4, #1
        bne     2b
        mov     r4, #3
3:      vadd.i32 q9, q9, q2             @ quads
        veor    q10, q3, q9
        vadd.i32 q8, q8, q10
        vext.8  q3, q3, q10, #4
        subs    r4, r4, #1
        bne     3b
        vmov    d6, d1                  @ no signaling NaNs
        vmov    r0, r1, d16
        add     r8, r8, r0
        eor     r8, r8, r1, ror #7
        vmov    r0, r1, d18
        eor     r8, r8, r0
        mov     r4, #4
4:      vadd.f64 d6, d6, d0             @ doubles, and halves of the quads above as integers
        vmov    r0, r1, d20
        eor     r8, r8, r1
        vmov    d18, r8, r0
        vmov.f64 d17, d6
        vmov    s2, s0
        vmov    s0, s1
        vmov    s1, s2
        vmov    s2, r9
        vmov    r9, s3
        vmov    s3, r9
        vmov.f64 d1, #1.5
        vmov.f64 d0, #0.25
        subs    r4, r4, #1
        bne     4b
        subs    r6, r6, #1
        bne     1b
        vmov    r0, r1, d4
        eor     r8, r8, r0
        eor     r8, r8, r1
        eor     r0, r8, r8, lsr #16
        eor     r0, r0, r0, lsr #8
        and     r0, r0, #255
        mov     r7, #1
        svc     #0
        .ltorg
        .balign 8
table:  .double 0.25, 1.5, 1, 2, 3, 4, 5, 6
        .data
        .balign 8
place:  .double 0.75
