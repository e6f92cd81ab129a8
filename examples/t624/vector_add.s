// 001 figs 8.5 and 8.6: i--; x += i; and independent additions of int4.
// A line that ends with //k is used from k additions on; scripts/t624 leaves out the others.
start:
MOV.i32 R0.x, TMP0.x, U0.z
MOV.i32 R1.x, TMP0.x, #8

loop:
SUB.i32 R0.x, R0.x, #1

ADD.i32 R1, R1, R0.xxxx //1
CMP.ne.i32 R31.w, R0.x, #0
ADD.i32 R2, R2, #4 //2

ADD.i32 R3, R3, #6 //3
ADD.i32 R4, R4, #9 //4

ADD.i32 R5, R5, #2 //5
ADD.i32 R6, R6, #7 //6

ADD.i32 R7, R7, #10 //7
ADD.i32 R8, R8, #12 //8

ADD.i32 R9, R9, #2 //9
ADD.i32 R10, R10, #44 //10

ADD.i32 R11, R11, #7 //11
ADD.i32 R12, R12, #7 //12

ADD.i32 R13, R13, #4 //13
ADD.i32 R14, R14, #10 //14
brx.reserved.cond.true loop

MOV.i32 AL0.x, TMP0.x, R1.x
MOV.i64 AL1.x, TMP0.[xx], U0.x.zext

ST.32 AL0.xxxx, AL1.u64.x
