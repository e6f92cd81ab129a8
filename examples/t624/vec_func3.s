// 000 figs 10.6 and 10.7: int4, one pair per word. x, z, f are R1, R3, R5 and y, k, g R2, R4, R6.
// The figure's lines make five words, as those of fig. 10.4 do, with two operations of && in a
// word.
start:
MOV.i32 R0.x, TMP0.x, #0
MOV.i32 R1, TMP0.xxxx, #38

MOV.i32 R2, TMP0.xxxx, #28
MOV.i32 R3, TMP0.xxxx, #58

MOV.i32 R4, TMP0.xxxx, #48
MOV.i32 R5, TMP0.xxxx, #78

MOV.i32 R6, TMP0.xxxx, #68

loop:
MUL.i32 TMP0, R2, R1
ADD.i32 R0.x, R0.x, #1
ADD.i32 R2, R2, TMP0
MOV.i32 R1, TMP0, TMP0

MUL.i32 TMP0, R4, R3
CMP.lt.i32 R7.x, R0.x, U0.z
ADD.i32 R4, R4, TMP0
MOV.i32 R3, TMP0, TMP0

MUL.i32 TMP0, R6, R5
ADD.i32 R6, R6, TMP0
MOV.i32 R5, TMP0, TMP0

CMP.all.ne.i32 TMP0.x, R2, #0
CMP.all.ne.i32 R7.y, R4, #0
AND.i32 R7.x, TMP0.x, R7.x

CMP.all.ne.i32 TMP0.x, R6, #0
AND.i32 TMP0.y, R7.x, R7.y
CMP.all.ne.i32 R31.w, TMP0.xyxy, #0
brx.reserved.cond.true loop

MOV.i32 AL0.x, TMP0.x, R2.x
MOV.i32 AL0.y, TMP0.x, R4.x
MOV.i32 AL0.z, TMP0.x, R6.x
MOV.i64 AL1.x, TMP0.[xx], U0.x.zext

ST.32 AL0.xxxx, AL1.u64.x
ST.32 AL0.yyyy, AL1.u64.x + 0x4

ST.32 AL0.zzzz, AL1.u64.x + 0x8
