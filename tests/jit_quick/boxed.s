# Single floats, which RV64 has with ones above: results are known to be such, the ones are added for exits only, and what was
# read at the trace's start is tested once. A double read as a single is a NaN. The status tells all results.
# trace 2 select ge u32
# trace 0 ^ +\d+ binary or u64 %\d+ %\d+ #0$
# nodes 1 fma f32
        .globl _start
_start: li      s0, 3000
        li      s1, 0
        la      s2, table
        flw     fa0, 0(s2)
        flw     fa1, 4(s2)
1:      flw     fa2, 8(s2)
        flw     fa3, 12(s2)
        fmul.s  fa4, fa3, fa1
        fmadd.s fa2, fa2, fa0, fa4
        fsw     fa2, 16(s2)
        fcvt.d.s fa5, fa2
        andi    a0, s0, 127
        bnez    a0, 2f
        fadd.s  fa6, fa5, fa2           # fa5 is no single
        fmv.x.w a1, fa6
        add     s1, s1, a1
        fsd     fa4, 24(s2)
        ld      a1, 24(s2)
        add     s1, s1, a1
        fmv.d   fa0, fa5                # nor is fa0 in one round
        fmul.s  fa7, fa0, fa2
        fmv.x.d a1, fa7
        xor     s1, s1, a1
        flw     fa0, 0(s2)
2:      addi    s0, s0, -1
        bnez    s0, 1b
        lw      a0, 16(s2)
        xor     a0, a0, s1
        .include "end_rv64.s"
        .data
        .balign 8
table:  .float 1.0078125, 0.75, 1.37, -2.5, 0, 0, 0, 0
