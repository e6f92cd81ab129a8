// 001 App. A, int4, figs A.7 to A.9: i--, and independent pairs y = y * x; x = x + y.
// A line that ends with //k is used from k additions on; scripts/t624 leaves out the others.
// The theses report spills from the 6th pair on. Here these pairs are on the stack completely,
// since the spilled values are not known.
start:
MOV.i32 R0.x, TMP0.x, U0.z
MOV.i32 R1, TMP0.xxxx, #3

MOV.i32 R2, TMP0.xxxx, #4
MOV.i32 R3, TMP0.xxxx, #5

MOV.i32 R4, TMP0.xxxx, #6
MOV.i32 R5, TMP0.xxxx, #7

MOV.i32 R6, TMP0.xxxx, #8
MOV.i32 R7, TMP0.xxxx, #9

MOV.i32 R8, TMP0.xxxx, #10
MOV.i32 R9, TMP0.xxxx, #11

MOV.i32 R10, TMP0.xxxx, #12

MOV.i32 AL0, TMP0.xxxx, #14 //6
MOV.i32 AL1, TMP0.xxxx, #13 //6

ST.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x //6
ST.128 AL1.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x10 //6

MOV.i32 AL0, TMP0.xxxx, #16 //7
MOV.i32 AL1, TMP0.xxxx, #15 //7

ST.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x20 //7
ST.128 AL1.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x30 //7

MOV.i32 AL0, TMP0.xxxx, #18 //8
MOV.i32 AL1, TMP0.xxxx, #17 //8

ST.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x40 //8
ST.128 AL1.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x50 //8

MOV.i32 AL0, TMP0.xxxx, #20 //9
MOV.i32 AL1, TMP0.xxxx, #19 //9

ST.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x60 //9
ST.128 AL1.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x70 //9

loop:
SUB.i32 R0.x, R0.x, #1

MUL.i32 TMP0, R1, R2 //1
CMP.ne.i32 R31.w, R0.x, #0
ADD.i32 R2, R2, TMP0 //1
MOV.i32 R1, TMP0, TMP0 //1

LD.128 R12.yxzw, LOCAL_STORAGE_PTR.u64.x //6
LD.128 R11.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x10 //6

MUL.i32 TMP0, R11, R12 //6
ADD.i32 AL0, R12, TMP0 //6
MOV.i32 AL1, TMP0, TMP0 //6

ST.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x //6
ST.128 AL1.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x10 //6

LD.128 R12.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x20 //7
LD.128 R11.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x30 //7

MUL.i32 TMP0, R11, R12 //7
ADD.i32 AL0, R12, TMP0 //7
MOV.i32 AL1, TMP0, TMP0 //7

ST.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x20 //7
ST.128 AL1.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x30 //7

LD.128 R12.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x40 //8
LD.128 R11.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x50 //8

MUL.i32 TMP0, R11, R12 //8
ADD.i32 AL0, R12, TMP0 //8
MOV.i32 AL1, TMP0, TMP0 //8

ST.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x40 //8
ST.128 AL1.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x50 //8

LD.128 R12.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x60 //9
LD.128 R11.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x70 //9

MUL.i32 TMP0, R11, R12 //9
ADD.i32 AL0, R12, TMP0 //9
MOV.i32 AL1, TMP0, TMP0 //9

ST.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x60 //9
ST.128 AL1.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x70 //9

MUL.i32 TMP0, R3, R4 //2
ADD.i32 R4, R4, TMP0 //2
MOV.i32 R3, TMP0, TMP0 //2

MUL.i32 TMP0, R5, R6 //3
ADD.i32 R6, R6, TMP0 //3
MOV.i32 R5, TMP0, TMP0 //3

MUL.i32 TMP0, R7, R8 //4
ADD.i32 R8, R8, TMP0 //4
MOV.i32 R7, TMP0, TMP0 //4

MUL.i32 TMP0, R9, R10 //5
ADD.i32 R10, R10, TMP0 //5
MOV.i32 R9, TMP0, TMP0 //5
brx.reserved.cond.true loop

MOV.i32 AL0.x, TMP0.x, R2.x
MOV.i64 AL1.x, TMP0.[xx], U0.x.zext

ST.32 AL0.xxxx, AL1.u64.x

LD.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x //6

ST.32 AL0.xxxx, AL1.u64.x + 0x4 //6

LD.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x20 //7

ST.32 AL0.xxxx, AL1.u64.x + 0x8 //7

LD.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x40 //8

ST.32 AL0.xxxx, AL1.u64.x + 0xC //8

LD.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x60 //9

ST.32 AL0.xxxx, AL1.u64.x + 0x10 //9
