# Floats in guest registers of 64 bits: those that are loaded, computed and stored, and those that the trace begins with, are
# never in general registers; one that is loaded as an integer, too, is moved. The status tells all results.
# nodes 2 reg f64
# nodes 2 load f64
# nodes 1 unary neg f64
# nodes 1 unary abs f64
# nodes 1 load u64
# nodes 1 ^ +\d+ bitcast f64
        .globl _start
_start: li      s0, 3000
        li      s1, 0
        la      s2, table
        fld     fa0, 0(s2)
        fld     fa1, 8(s2)
1:      fld     fa2, 16(s2)
        fld     fa3, 24(s2)
        ld      a0, 8(s2)
        fmadd.d fa2, fa2, fa0, fa3
        fmul.d  fa3, fa2, fa1
        fsd     fa2, 32(s2)
        fneg.d  fa4, fa3
        fabs.d  fa6, fa3
        fmv.d   fa7, fa6
        fadd.d  fa4, fa4, fa0
        fsub.d  fa7, fa7, fa4
        fsd     fa4, 24(s2)
        fsd     fa7, 48(s2)
        add     s1, s1, a0
        fmv.d.x fa5, a0
        fadd.d  fa5, fa5, fa2
        fsd     fa5, 40(s2)
        addi    s0, s0, -1
        bnez    s0, 1b
        ld      a0, 24(s2)
        ld      a1, 40(s2)
        xor     a0, a0, a1
        ld      a1, 48(s2)
        slli    a1, a1, 1
        xor     a0, a0, a1
        xor     a0, a0, s1
        fmv.x.d a1, fa4
        xor     a0, a0, a1
        .include "end_rv64.s"
        .data
        .balign 8
table:  .double 1.0078125, 0.75, 1.37, -2.5, 0, 0, 0
