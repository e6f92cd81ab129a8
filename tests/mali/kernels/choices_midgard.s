// Each thread has a float x of u0 and one of u1, y. It stores the larger one's product, c = y < x ? x * x : x * y, to u2, and d = c * y
// to u3. Addresses are below 4 GB.
word_0:
LDST_MOV R0.x~~~, GLOBAL_THREAD_ID.xyzx

word_1:
MOV.i64 AL0.x, TMP0.[xx], R0.x.zext
MOV.i64 AL0.y, TMP0.[xx], U0.x.zext

word_3:
LD.32 R1.x~~~, AL0.u64.z + AL0.u64.x << 2

word_4:
MOV.i64 AL0.y, TMP0.[xx], U1.x.zext

word_5:
LD.32 R1.~x~~, AL0.u64.z + AL0.u64.x << 2

word_6:
FMUL.f32 R2.x, R1.x, R1.x

word_7:
FMUL.f32 R2.y, R1.x, R1.y

word_8:
FCMP.lt.i32 R31.w, R1.y, R1.x
CSEL.scalar.i32 R2.z, R2.x, R2.y

word_9:
FMUL.f32 R3.x, R2.z, R1.y

word_10:
MOV.i64 AL0.y, TMP0.[xx], U2.x.zext
MOV.i32 AL1.x, TMP0.x, R2.z

word_11:
ST.32 AL1.xxxx, AL0.u64.z + AL0.u64.x << 2

word_12:
MOV.i64 AL0.y, TMP0.[xx], U3.x.zext
MOV.i32 AL1.x, TMP0.x, R3.x

word_13:
ST.32 AL1.xxxx, AL0.u64.z + AL0.u64.x << 2
