// 000 fig. 10.5: four pairs, twice. x, z, f, h are R1 and y, k, g, j R2. A word has four
// operations: the first has three pairs and i++, the second the fourth pair, two pairs of the
// second round and the comparison.
start:
MOV.i32 R0.x, TMP0.x, #0
MOV.i32 R1.x, TMP0.x, #38
MOV.i32 R2.x, TMP0.x, #28
MOV.i32 R1.y, TMP0.x, #58

MOV.i32 R2.y, TMP0.x, #48
MOV.i32 R1.z, TMP0.x, #78
MOV.i32 R2.z, TMP0.x, #68
MOV.i32 R1.w, TMP0.x, #98

MOV.i32 R2.w, TMP0.x, #88

loop:
MUL.i32 TMP0.xyz, R2.xyz, R1.xyz
ADD.i32 R0.x, R0.x, #1
ADD.i32 R2.xyz, R2.xyz, TMP0.xyz
MOV.i32 R1.xyz, TMP0.xyz, TMP0.xyz

MUL.i32 TMP0.xyw, R2.xyw, R1.xyw
CMP.lt.i32 R3.x, R0.x, U0.z
ADD.i32 R2.xyw, R2.xyw, TMP0.xyw
MOV.i32 R1.xyw, TMP0.xyw, TMP0.xyw

MUL.i32 TMP0.zw, R2.zw, R1.zw
ADD.i32 R2.zw, R2.zw, TMP0.zw
MOV.i32 R1.zw, TMP0.zw, TMP0.zw

CMP.all.ne.i32 TMP0.x, R2.xyxy, #0
MOV.i32 TMP0.y, TMP0.x, R3.x
CMP.all.ne.i32 R3.y, TMP0.xyxy, #0

CMP.all.ne.i32 TMP0.x, R2.zwzw, #0
MOV.i32 TMP0.y, TMP0.x, R3.y
CMP.all.ne.i32 R31.w, TMP0.xyxy, #0
brx.reserved.cond.true loop

MOV.i32 AL0.x, TMP0.x, R2.x
MOV.i64 AL1.x, TMP0.[xx], U0.x.zext

ST.32 AL0.xxxx, AL1.u64.x
