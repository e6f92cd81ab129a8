// 001 fig. 8.9: six scalar additions, d += i first, and six of int4.
start:
MOV.i32 R0.x, TMP0.x, U0.z
MOV.i32 R1.x, TMP0.x, #0

loop:
SUB.i32 R0.x, R0.x, #1

ADD.i32 R2, R2, #8
CMP.ne.i32 R31.w, R0.x, #0
ADD.i32 R3, R3, #2
ADD.i32 R1.x, R1.x, R0.x

ADD.i32 R4, R4, #4
ADD.i32 R5.x, R5.x, #2
ADD.i32 R6, R6, #6
ADD.i32 R7.x, R7.x, #2

ADD.i32 R8, R8, #2
ADD.i32 R9.x, R9.x, #7
ADD.i32 R10, R10, #7
ADD.i32 R11.x, R11.x, #1

ADD.i32 R12.x, R12.x, #2
brx.reserved.cond.true loop

MOV.i32 AL0.x, TMP0.x, R1.x
MOV.i64 AL1.x, TMP0.[xx], U0.x.zext

ST.32 AL0.xxxx, AL1.u64.x
