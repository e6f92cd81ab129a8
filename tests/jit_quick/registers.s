// Thirty-two vectors that live through a loop, of integers and of floats, compared, selected, shifted, shuffled, encrypted and
// stored: more than a host without AVX-512 has registers for. Products grow to infinity and NaN, and start again, so that
// exits find vectors in every register. The status tells the results' bits, and FPSR.
        .arch   armv8-a+crypto
        .globl _start
_start: mov     w9, #4000
        adr     x1, data
        ldr     x2, =buffer
        mov     x3, #0
        ldp     q0, q1, [x1]
        ldp     q2, q3, [x1, #32]
        sub     v4.16b, v2.16b, v2.16b
        eor     v5.16b, v4.16b, v0.16b
        add     v6.16b, v1.16b, v5.16b
        eor     v7.16b, v1.16b, v0.16b
        eor     v8.16b, v7.16b, v3.16b
        sub     v9.16b, v8.16b, v1.16b
        sub     v10.16b, v3.16b, v0.16b
        eor     v11.16b, v3.16b, v6.16b
        add     v12.16b, v2.16b, v6.16b
        add     v13.16b, v12.16b, v12.16b
        sub     v14.16b, v2.16b, v9.16b
        add     v15.16b, v7.16b, v2.16b
        add     v16.16b, v0.16b, v0.16b
        add     v17.16b, v6.16b, v5.16b
        add     v18.16b, v9.16b, v10.16b
        add     v19.16b, v17.16b, v6.16b
        eor     v20.16b, v6.16b, v12.16b
        eor     v21.16b, v0.16b, v11.16b
        eor     v22.16b, v5.16b, v4.16b
        eor     v23.16b, v2.16b, v10.16b
        add     v24.16b, v19.16b, v18.16b
        sub     v25.16b, v19.16b, v21.16b
        eor     v26.16b, v10.16b, v2.16b
        eor     v27.16b, v11.16b, v26.16b
        eor     v28.16b, v15.16b, v22.16b
        eor     v29.16b, v5.16b, v15.16b
        add     v30.16b, v22.16b, v5.16b
        add     v31.16b, v8.16b, v30.16b
        fmov    v28.2d, #1.5
        fmov    v29.2d, #1.25
        fmov    v30.4s, #0.75
        fmov    v31.4s, #3.0
1:
        sha256h q5, q17, v26.4s
        uqadd   v23.16b, v26.16b, v13.16b
        tbl     v19.16b, {v5.16b}, v13.16b
        tbl     v12.16b, {v18.16b}, v15.16b
        uqadd   v9.8h, v15.8h, v22.8h
        uqadd   v20.8h, v1.8h, v25.8h
        fmul    v29.2d, v29.2d, v28.2d
        ushr    v3.4s, v22.4s, #2
        zip1    v21.16b, v17.16b, v6.16b
        cmgt    v15.2d, v8.2d, v9.2d
        cmgt    v19.8h, v20.8h, v5.8h
        ldur    q8, [x2, #-8]
        aesimc  v25.16b, v24.16b
        fadd    v30.4s, v30.4s, v31.4s
        ushr    v10.4s, v9.4s, #1
        cmgt    v18.4s, v20.4s, v17.4s
        bit     v11.16b, v26.16b, v8.16b
        ushr    v19.2d, v18.2d, #4
        cmgt    v27.16b, v20.16b, v8.16b
        fmla    v28.2d, v29.2d, v28.2d
        mla     v11.16b, v12.16b, v8.16b
        cmhs    v15.8h, v25.8h, v1.8h
        cmhs    v9.4s, v17.4s, v22.4s
        tbl     v16.16b, {v8.16b}, v24.16b
        cmhs    v19.4s, v8.4s, v23.4s
        stur    q9, [x2, #-3]
        fcmgt   v27.4s, v30.4s, v31.4s
        sha256su1 v17.4s, v3.4s, v12.4s
        mla     v27.8h, v5.8h, v16.8h
        bit     v25.16b, v11.16b, v27.16b
        cmhs    v9.2d, v26.2d, v0.2d
        cmgt    v4.2d, v1.2d, v27.2d
        fsqrt   v31.4s, v31.4s
        sshr    v10.2d, v17.2d, #1
        bsl     v11.16b, v22.16b, v18.16b
        sshr    v23.2d, v11.2d, #4
        aesimc  v3.16b, v23.16b
        ldr     d10, [x2, x3]
        tbl     v23.16b, {v13.16b}, v5.16b
        fmul    v30.4s, v30.4s, v31.4s
        cmgt    v17.4s, v2.4s, v9.4s
        cmhs    v17.4s, v24.4s, v8.4s
        sha256su1 v0.4s, v13.4s, v10.4s
        sha256h2 q21, q3, v0.4s
        bit     v0.16b, v10.16b, v23.16b
        frintm  v31.4s, v30.4s
        zip1    v2.4s, v23.4s, v7.4s
        aesd    v2.16b, v8.16b
        cmhs    v11.4s, v1.4s, v17.4s
        cmgt    v20.4s, v4.4s, v23.4s
        str     q23, [x2, x3]
        ushr    v23.2d, v9.2d, #5
        fadd    v31.4s, v31.4s, v30.4s
        bsl     v19.16b, v6.16b, v3.16b
        sshr    v26.2d, v12.2d, #2
        bsl     v26.16b, v21.16b, v0.16b
        bsl     v10.16b, v16.16b, v19.16b
        cmhs    v26.4s, v16.4s, v20.4s
        fcvtzs  v27.4s, v30.4s
        add     v21.8h, v19.8h, v14.8h
        add     v11.16b, v12.16b, v18.16b
        zip1    v27.16b, v19.16b, v23.16b
        tbl     v1.16b, {v3.16b}, v26.16b
        cmgt    v23.2d, v18.2d, v4.2d
        sub     v11.4s, v27.4s, v15.4s
        mla     v0.4s, v14.4s, v11.4s
        ushr    v5.16b, v15.16b, #3
        cmgt    v14.8h, v11.8h, v10.8h
        cmgt    v26.2d, v17.2d, v5.2d
        uqadd   v27.8h, v23.8h, v6.8h
        sha256su1 v22.4s, v9.4s, v13.4s
        sha256su0 v11.4s, v1.4s
        zip1    v21.2d, v8.2d, v26.2d
        ushr    v4.4s, v1.4s, #6
        mla     v15.8h, v9.8h, v4.8h
        zip1    v8.4s, v16.4s, v25.4s
        mla     v21.16b, v19.16b, v2.16b
        cmeq    v2.2d, v19.2d, v17.2d
        bit     v10.16b, v18.16b, v9.16b
        cmgt    v1.8h, v15.8h, v7.8h
        bit     v17.16b, v4.16b, v10.16b
        sha256su1 v19.4s, v15.4s, v11.4s
        uqadd   v9.4s, v10.4s, v20.4s
        add     x3, x3, #40
        and     x3, x3, #0x1fff
        tst     w9, #127
        b.ne    2f
        fmov    v28.2d, #1.5
        fmov    v29.2d, #1.25
        fmov    v30.4s, #0.75
        fmov    v31.4s, #3.0
2:      subs    w9, w9, #1
        b.ne    1b
        add     v1.16b, v1.16b, v0.16b
        add     v2.16b, v2.16b, v1.16b
        eor     v3.16b, v3.16b, v2.16b
        add     v4.16b, v4.16b, v3.16b
        add     v5.16b, v5.16b, v4.16b
        eor     v6.16b, v6.16b, v5.16b
        add     v7.16b, v7.16b, v6.16b
        add     v8.16b, v8.16b, v7.16b
        eor     v9.16b, v9.16b, v8.16b
        add     v10.16b, v10.16b, v9.16b
        add     v11.16b, v11.16b, v10.16b
        eor     v12.16b, v12.16b, v11.16b
        add     v13.16b, v13.16b, v12.16b
        add     v14.16b, v14.16b, v13.16b
        eor     v15.16b, v15.16b, v14.16b
        add     v16.16b, v16.16b, v15.16b
        add     v17.16b, v17.16b, v16.16b
        eor     v18.16b, v18.16b, v17.16b
        add     v19.16b, v19.16b, v18.16b
        add     v20.16b, v20.16b, v19.16b
        eor     v21.16b, v21.16b, v20.16b
        add     v22.16b, v22.16b, v21.16b
        add     v23.16b, v23.16b, v22.16b
        eor     v24.16b, v24.16b, v23.16b
        add     v25.16b, v25.16b, v24.16b
        add     v26.16b, v26.16b, v25.16b
        eor     v27.16b, v27.16b, v26.16b
        add     v28.16b, v28.16b, v27.16b
        add     v29.16b, v29.16b, v28.16b
        eor     v30.16b, v30.16b, v29.16b
        add     v31.16b, v31.16b, v30.16b
        fmov    x0, d31
        mov     x1, v31.d[1]
        mrs     x2, fpsr
        eor     x0, x0, x1
        add     x0, x0, x2, lsl #3
        .include "end.s"

        .align  4
data:   .quad   0x0123456789abcdef, 0xf0e1d2c3b4a59687, 0x8000000000000000, 0x7f80ff80c0403020
        .quad   0x00ff00ff00ff00ff, 0x1122334455667788, 0xdeadbeefcafebabe, 0x9e3779b97f4a7c15
        .bss
        .align  12
        .space  4096
buffer: .space  16384
