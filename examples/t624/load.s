// 000 12.2: six words per pass that depend on each other, one of them a load. The thesis's figure
// with the source is lost; here it is for (i = 0; i < n && x != 0; i++) x = (x + A[x & 3]) * 5 ^ n;
// with x = 1 and A[1] = 7 at first, as in memory.cl.
start:
MOV.i32 R0.x, TMP0.x, #0
MOV.i32 R1.x, TMP0.x, #1
MOV.i32 AL0.x, TMP0.x, #7
MOV.i64 AL1.x, TMP0.[xx], U0.x.zext

ST.32 AL0.xxxx, AL1.u64.x + 0x4

loop:
AND.i32 AL0.x, R1.x, #3
ADD.i32 R0.x, R0.x, #1

LD.32 R2.x~~~, AL1.u64.x + AL0.u32.x << 2

ADD.i32 R1.x, R1.x, R2.x

MUL.i32 R1.x, R1.x, #5
CMP.lt.i32 R3.x, R0.x, U0.z

XOR.i32 R1.x, R1.x, U0.z

CMP.ne.i32 TMP0.x, R1.x, #0
MOV.i32 TMP0.y, TMP0.x, R3.x
CMP.all.ne.i32 R31.w, TMP0.xyxy, #0
brx.reserved.cond.true loop

MOV.i32 AL0.x, TMP0.x, R1.x
MOV.i64 AL1.x, TMP0.[xx], U0.x.zext

ST.32 AL0.xxxx, AL1.u64.x
