// 000 fig. 9.1: for (i = 0; i < n && x != 0; i++) x++. The comparison and && are one word: the
// second stage of a word reads the result of the first in TMP0.
start:
MOV.i32 R1.x, TMP0.x, #0
MOV.i32 R2.x, TMP0.x, #38

loop:
ADD.i32 R1.x, R1.x, #1
ADD.i32 R2.x, R2.x, #1

MOV.i32 TMP0.x, TMP0.x, R2.x
CMP.lt.i32 TMP0.y, R1.x, U0.z
CMP.all.ne.i32 R31.w, TMP0.xyxy, #0
brx.reserved.cond.true loop

MOV.i32 AL0.x, TMP0.x, R2.x
MOV.i64 AL1.x, TMP0.[xx], U0.x.zext

ST.32 AL0.xxxx, AL1.u64.x
