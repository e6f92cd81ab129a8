// Each thread adds the word of u1 with its number to its word of u0 as often as its word of u2 says. Its sum stays in memory. The
// last word of the shader closes the loop: the shader ends there if no thread branches. Addresses are below 4 GB.
word_0:
LDST_MOV R0.x~~~, GLOBAL_THREAD_ID.xyzx

word_1:
MOV.i64 AL0.x, TMP0.[xx], R0.x.zext
MOV.i64 AL0.y, TMP0.[xx], U2.x.zext

word_3:
LD.32 R0.~x~~, AL0.u64.z + AL0.u64.x << 2

word_4:
MOV.i64 AL0.y, TMP0.[xx], U1.x.zext

word_5:
LD.32 R0.~~x~, AL0.u64.z + AL0.u64.x << 2

word_6:
MOV.i64 AL0.y, TMP0.[xx], U0.x.zext

word_7:
FMOV.f32 R1.x, TMP0.x, #0

word_8:
CMP.le.i32 R31.w, R0.y, R1.x
brx.reserved.cond.false +1 -> alu/4

word_10:
brx.reserved.cond.always +4 -> break

word_11:
LD.32 R1.~x~~, AL0.u64.z + AL0.u64.x << 2

word_12:
ADD.i32 AL1.x, R1.y, R0.z

word_13:
ST.32 AL1.xxxx, AL0.u64.z + AL0.u64.x << 2

word_14:
ADD.i32 R1.x, R1.x, #1
brx.reserved.cond.always -8 -> alu/4
