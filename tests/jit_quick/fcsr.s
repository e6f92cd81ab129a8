# Flags and rounding mode of floats, read and written inside a trace. FSFLAGS mostly writes what is there, as around a
# comparison that may not be signaling: a guard, and no write of FFLAGS. Every 64th round has a NaN, whose flag FSFLAGS takes
# back, and another rounding mode. The status tells all results and flags.
# nodes 1 binary lt f64
# nodes 1 guard eq s32 %13 %\d+
# nodes 0 write %\d+ #4[67]
# trace 5 binary lt f64
        .globl _start
_start: li      s0, 3000
        li      s1, 0
        li      a0, 3
        fcvt.d.l fs0, a0
        fmv.d.x fs1, zero
        fdiv.d  fs2, fs0, fs0
        fdiv.d  fs3, fs2, fs0           # sets NX
1:      fcvt.d.l fa0, s0
        frflags a4
        flt.d   a5, fa0, fs0
        fsflags a4
        add     s1, s1, a5
        fmul.d  fa1, fa0, fs3
        fadd.d  fs1, fs1, fa1
        frcsr   a6
        add     s1, s1, a6
        andi    t0, s0, 63
        bnez    t0, 2f
        fdiv.d  fa2, fs4, fs4           # 0 / 0: NV and a NaN
        frflags a4
        fle.d   a5, fa2, fs0
        slli    t1, s0, 57
        srai    t1, t1, 63
        andi    t1, t1, 3
        fsflagsi a7, 1
        fsrm    t2, t1
        add     s1, s1, a4
        add     s1, s1, a7
        add     s1, s1, t2
        csrrsi  t3, fcsr, 6
        csrrci  t4, fflags, 4
        csrrs   t5, frm, zero
        csrrc   t6, fcsr, t1
        slli    t3, t3, 8
        slli    t4, t4, 16
        slli    t5, t5, 24
        xor     s1, s1, t3
        xor     s1, s1, t4
        xor     s1, s1, t5
        add     s1, s1, t6
        fsrmi   t3, 3
        fdiv.d  fa3, fs2, fa0
        fsrm    t4, t3
        csrw    fflags, a4
        fmv.x.d t5, fa3
        xor     s1, s1, t4
        xor     s1, s1, t5
2:      addi    s0, s0, -1
        bnez    s0, 1b
        fmv.x.d a0, fs1
        xor     a0, a0, s1
        .include "end_rv64.s"
