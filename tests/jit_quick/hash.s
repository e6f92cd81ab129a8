// SHA256H and SHA256H2 of the same rounds share them, and the next rounds take the host's order of the hash as it is.
// Where the host has SHA-256 these are nodes: two bring the hash into its order, four are two rounds each, three bring
// back what is needed of it, and two are of the schedule. The status tells the hash.
// nodes 11 crypto
        .arch   armv8-a+crypto
        .globl _start
_start: ldr     x1, =data
        mov     w9, #1000
        ldp     q0, q1, [x1]
        ldp     q4, q5, [x1, #32]
1:      mov     v2.16b, v0.16b
        sha256h q0, q1, v4.4s
        sha256h2 q1, q2, v4.4s
        sha256su0 v4.4s, v5.4s
        mov     v2.16b, v0.16b
        sha256h q0, q1, v5.4s
        sha256h2 q1, q2, v5.4s
        sha256su1 v4.4s, v5.4s, v1.4s
        subs    w9, w9, #1
        b.ne    1b
        add     v30.16b, v0.16b, v1.16b
        add     v30.16b, v30.16b, v4.16b
        mov     x0, #0
        .include "digest.s"
        .include "end.s"

        .data
        .balign 16
data:   .quad   0xbb67ae856a09e667, 0xa54ff53a3c6ef372, 0x9b05688c510e527f, 0x5be0cd191f83d9ab
        .quad   0x71374491428a2f98, 0xe9b5dba5b5c0fbcf, 0x59f111f13956c25b, 0xab1c5ed5923f82a4
