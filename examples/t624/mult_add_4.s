// 000 fig. 9.3, mult_add_4: 4 times y = x * y; x = x + y. Each value has a register, as in fig.
// 11.1: i, i < n, n, and two per pair. TMP0 and R31 hold the operand and the result of &&. Only x
// of xy is used: two elements occupy the vector units, of which the second stage has one, which
// reads the result of the first in TMP0.
start:
MOV.i32 R1.x, TMP0.x, #0
MOV.i32 R3.x, TMP0.x, U0.z
MOV.i32 R13.x, TMP0.x, #38
MOV.i32 R12.x, TMP0.x, #28

loop:
MUL.i32 TMP0.xy, R13.xy, R12.xy
ADD.i32 R1.x, R1.x, #1
ADD.i32 R7.xy, R13.xy, TMP0.xy
MOV.i32 R6.x, TMP0.x, TMP0.x

MUL.i32 TMP0.xy, R7.xy, R6.xy
CMP.lt.i32 R2.x, R1.x, R3.x
ADD.i32 R9.xy, R7.xy, TMP0.xy
MOV.i32 R8.x, TMP0.x, TMP0.x

MUL.i32 TMP0.xy, R9.xy, R8.xy
ADD.i32 R11.xy, R9.xy, TMP0.xy
MOV.i32 R10.x, TMP0.x, TMP0.x

MUL.i32 TMP0.xy, R11.xy, R10.xy
ADD.i32 R13.xy, R11.xy, TMP0.xy
MOV.i32 R12.x, TMP0.x, TMP0.x

MOV.i32 TMP0.x, TMP0.x, R13.x
MOV.i32 TMP0.y, TMP0.x, R2.x
CMP.all.ne.i32 R31.w, TMP0.xyxy, #0
brx.reserved.cond.true loop

MOV.i32 AL0.x, TMP0.x, R13.x
MOV.i64 AL1.x, TMP0.[xx], U0.x.zext

ST.32 AL0.xxxx, AL1.u64.x
