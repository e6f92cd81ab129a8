// 000 fig. 10.2: two independent pairs, twice. x, z are R1.xy and y, k R2.xy, so that one
// multiplication serves both.
start:
MOV.i32 R0.x, TMP0.x, #0
MOV.i32 R1.x, TMP0.x, #38
MOV.i32 R2.x, TMP0.x, #28
MOV.i32 R1.y, TMP0.x, #58

MOV.i32 R2.y, TMP0.x, #48

loop:
MUL.i32 TMP0.xy, R2.xy, R1.xy
ADD.i32 R0.x, R0.x, #1
ADD.i32 R2.xy, R2.xy, TMP0.xy
MOV.i32 R1.xy, TMP0.xy, TMP0.xy

MUL.i32 TMP0.xy, R2.xy, R1.xy
CMP.lt.i32 R2.z, R0.x, U0.z
ADD.i32 R2.xy, R2.xy, TMP0.xy
MOV.i32 R1.xy, TMP0.xy, TMP0.xy

CMP.all.ne.i32 R31.w, R2.xyzz, #0
brx.reserved.cond.true loop

MOV.i32 AL0.x, TMP0.x, R2.x
MOV.i64 AL1.x, TMP0.[xx], U0.x.zext

ST.32 AL0.xxxx, AL1.u64.x
