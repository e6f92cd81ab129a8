// 001 App. A, scalars (x of xy: see mult_add), figs A.3 to A.5: i--, and independent pairs y = y *
// x; x = x + y.
// A line that ends with //k is used from k additions on; scripts/t624 leaves out the others.
// The theses report spills from the 6th pair on. Here these pairs are on the stack completely,
// since the spilled values are not known.
start:
MOV.i32 R0.x, TMP0.x, U0.z
MOV.i32 R1.x, TMP0.x, #3
MOV.i32 R2.x, TMP0.x, #4
MOV.i32 R3.x, TMP0.x, #5

MOV.i32 R4.x, TMP0.x, #6
MOV.i32 R5.x, TMP0.x, #7
MOV.i32 R6.x, TMP0.x, #8
MOV.i32 R7.x, TMP0.x, #9

MOV.i32 R8.x, TMP0.x, #10
MOV.i32 R9.x, TMP0.x, #11
MOV.i32 R10.x, TMP0.x, #12

MOV.i32 AL0.x, TMP0.x, #14 //6
MOV.i32 AL1.x, TMP0.x, #13 //6

ST.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x //6
ST.128 AL1.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x10 //6

MOV.i32 AL0.x, TMP0.x, #16 //7
MOV.i32 AL1.x, TMP0.x, #15 //7

ST.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x20 //7
ST.128 AL1.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x30 //7

MOV.i32 AL0.x, TMP0.x, #18 //8
MOV.i32 AL1.x, TMP0.x, #17 //8

ST.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x40 //8
ST.128 AL1.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x50 //8

MOV.i32 AL0.x, TMP0.x, #20 //9
MOV.i32 AL1.x, TMP0.x, #19 //9

ST.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x60 //9
ST.128 AL1.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x70 //9

loop:
SUB.i32 R0.x, R0.x, #1

MUL.i32 TMP0.xy, R1.xy, R2.xy //1
CMP.ne.i32 R31.w, R0.x, #0
ADD.i32 R2.xy, R2.xy, TMP0.xy //1
MOV.i32 R1.x, TMP0.x, TMP0.x //1

LD.128 R12.yxzw, LOCAL_STORAGE_PTR.u64.x //6
LD.128 R11.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x10 //6

MUL.i32 TMP0.xy, R11.xy, R12.xy //6
ADD.i32 AL0.xy, R12.xy, TMP0.xy //6
MOV.i32 AL1.x, TMP0.x, TMP0.x //6

ST.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x //6
ST.128 AL1.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x10 //6

LD.128 R12.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x20 //7
LD.128 R11.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x30 //7

MUL.i32 TMP0.xy, R11.xy, R12.xy //7
ADD.i32 AL0.xy, R12.xy, TMP0.xy //7
MOV.i32 AL1.x, TMP0.x, TMP0.x //7

ST.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x20 //7
ST.128 AL1.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x30 //7

LD.128 R12.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x40 //8
LD.128 R11.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x50 //8

MUL.i32 TMP0.xy, R11.xy, R12.xy //8
ADD.i32 AL0.xy, R12.xy, TMP0.xy //8
MOV.i32 AL1.x, TMP0.x, TMP0.x //8

ST.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x40 //8
ST.128 AL1.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x50 //8

LD.128 R12.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x60 //9
LD.128 R11.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x70 //9

MUL.i32 TMP0.xy, R11.xy, R12.xy //9
ADD.i32 AL0.xy, R12.xy, TMP0.xy //9
MOV.i32 AL1.x, TMP0.x, TMP0.x //9

ST.128 AL0.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x60 //9
ST.128 AL1.yxzw, LOCAL_STORAGE_PTR.u64.x + 0x70 //9

MUL.i32 TMP0.xy, R3.xy, R4.xy //2
ADD.i32 R4.xy, R4.xy, TMP0.xy //2
MOV.i32 R3.x, TMP0.x, TMP0.x //2

MUL.i32 TMP0.xy, R5.xy, R6.xy //3
ADD.i32 R6.xy, R6.xy, TMP0.xy //3
MOV.i32 R5.x, TMP0.x, TMP0.x //3

MUL.i32 TMP0.xy, R7.xy, R8.xy //4
ADD.i32 R8.xy, R8.xy, TMP0.xy //4
MOV.i32 R7.x, TMP0.x, TMP0.x //4

MUL.i32 TMP0.xy, R9.xy, R10.xy //5
ADD.i32 R10.xy, R10.xy, TMP0.xy //5
MOV.i32 R9.x, TMP0.x, TMP0.x //5
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
