// 000 fig. 12.1: for (i = 0; i < n; i++) A[id] = 38, by one thread.
start:
MOV.i32 R1.x, TMP0.x, #0
MOV.i32 AL0.x, TMP0.x, #38
MOV.i64 AL1.x, TMP0.[xx], U0.x.zext

loop:
ADD.i32 R1.x, R1.x, #1

ST.32 AL0.xxxx, AL1.u64.x

CMP.lt.i32 R31.w, R1.x, U0.z
brx.reserved.cond.true loop

MOV.i32 AL0.x, TMP0.x, R1.x
MOV.i64 AL1.x, TMP0.[xx], U0.x.zext

ST.32 AL0.xxxx, AL1.u64.x
