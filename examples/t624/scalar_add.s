// 001 fig. 8.2: i--; x += i; and independent additions.
// A line that ends with //k is used from k additions on; scripts/t624 leaves out the others.
start:
MOV.i32 R0.x, TMP0.x, U0.z
MOV.i32 R1.x, TMP0.x, #0

loop:
SUB.i32 R0.x, R0.x, #1

ADD.i32 R1.x, R1.x, R0.x //1
CMP.ne.i32 R31.w, R0.x, #0
ADD.i32 R2.x, R2.x, #9 //2
ADD.i32 R3.x, R3.x, #2 //3

ADD.i32 R4.x, R4.x, #4 //4
ADD.i32 R5.x, R5.x, #6 //5
ADD.i32 R6.x, R6.x, #2 //6
ADD.i32 R7.x, R7.x, #10 //7

ADD.i32 R8.x, R8.x, #12 //8
ADD.i32 R9.x, R9.x, #3 //9
ADD.i32 R10.x, R10.x, #20 //10
ADD.i32 R11.x, R11.x, #9 //11

ADD.i32 R12.x, R12.x, #8 //12
ADD.i32 R13.x, R13.x, #3 //13
brx.reserved.cond.true loop

MOV.i32 AL0.x, TMP0.x, R1.x
MOV.i64 AL1.x, TMP0.[xx], U0.x.zext

ST.32 AL0.xxxx, AL1.u64.x
