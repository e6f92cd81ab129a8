// 000 fig. 9.3, mult_add_8: 8 times y = x * y; x = x + y. As mult_add_5, but only 16 registers are
// named, R24 and R31 included. Of 5 + 2 * 8 values 5 are on the stack: i < n, i, n and pair 1.
// Which values Arm's compiler put there is not known.
start:
MOV.i32 AL0.x, TMP0.x, #0
MOV.i32 AL1.x, TMP0.x, U0.z
MOV.i32 R15.x, TMP0.x, #38
MOV.i32 R14.x, TMP0.x, #28

ST.32 AL0.xxxx, LOCAL_STORAGE_PTR.u64.x + 0x10
ST.32 AL1.xxxx, LOCAL_STORAGE_PTR.u64.x + 0x20

loop:
LD.32 R6.x~~~, LOCAL_STORAGE_PTR.u64.x + 0x10
LD.32 R8.x~~~, LOCAL_STORAGE_PTR.u64.x + 0x20

MUL.i32 TMP0.xy, R15.xy, R14.xy
ADD.i32 R6.x, R6.x, #1
ADD.i32 AL0.xy, R15.xy, TMP0.xy
MOV.i32 AL1.x, TMP0.x, TMP0.x

ST.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x30
ST.128 AL1.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x40

LD.128 R3.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x30
LD.128 R2.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x40

MUL.i32 TMP0.xy, R3.xy, R2.xy
ADD.i32 R3.xy, R3.xy, TMP0.xy
MOV.i32 R2.x, TMP0.x, TMP0.x

MUL.i32 TMP0.xy, R3.xy, R2.xy
CMP.lt.i32 AL0.x, R6.x, R8.x
ADD.i32 R5.xy, R3.xy, TMP0.xy
MOV.i32 AL1.x, TMP0.x, R6.x
MOV.i32 R4.x, TMP0.x, TMP0.x

ST.32 AL0.xxxx, LOCAL_STORAGE_PTR.u64.x
ST.32 AL1.xxxx, LOCAL_STORAGE_PTR.u64.x + 0x10

MUL.i32 TMP0.xy, R5.xy, R4.xy
ADD.i32 R7.xy, R5.xy, TMP0.xy
MOV.i32 R6.x, TMP0.x, TMP0.x

MUL.i32 TMP0.xy, R7.xy, R6.xy
ADD.i32 R9.xy, R7.xy, TMP0.xy
MOV.i32 R8.x, TMP0.x, TMP0.x

MUL.i32 TMP0.xy, R9.xy, R8.xy
ADD.i32 R11.xy, R9.xy, TMP0.xy
MOV.i32 R10.x, TMP0.x, TMP0.x

MUL.i32 TMP0.xy, R11.xy, R10.xy
ADD.i32 R13.xy, R11.xy, TMP0.xy
MOV.i32 R12.x, TMP0.x, TMP0.x

MUL.i32 TMP0.xy, R13.xy, R12.xy
ADD.i32 R15.xy, R13.xy, TMP0.xy
MOV.i32 R14.x, TMP0.x, TMP0.x

LD.32 R4.x~~~, LOCAL_STORAGE_PTR.u64.x

MOV.i32 TMP0.x, TMP0.x, R15.x
MOV.i32 TMP0.y, TMP0.x, R4.x
CMP.all.ne.i32 R31.w, TMP0.xyxy, #0
brx.reserved.cond.true loop

MOV.i32 AL0.x, TMP0.x, R15.x
MOV.i64 AL1.x, TMP0.[xx], U0.x.zext

ST.32 AL0.xxxx, AL1.u64.x
