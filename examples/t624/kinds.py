"""mult_add of other types, made of that of uint: only the instructions that compute x and y change,
the loop is the same. Each kind is a list of patterns and replacements, in order. x and y begin as
38 and 28."""

VECTOR = [
    (r"(?m)^(MUL|ADD)\.i32 (\S+)\.xy, (\S+)\.xy, (\S+)\.xy$", r"\1.i32 \2, \3, \4"),
    (r"(?m)^MOV\.i32 (\S+)\.x, TMP0\.x, TMP0\.x$", r"MOV.i32 \1, TMP0, TMP0"),
    (r"MOV\.i32 (R\d+)\.x, TMP0\.x, #([23]8)", r"MOV.i32 \1, TMP0.xxxx, #\2"),
    (r"MOV\.i32 TMP0\.x, TMP0\.x, (R\d+)\.x", r"CMP.all.ne.i32 TMP0.x, \1, #0"),
    (r"MOV\.i32 AL0\.x, TMP0\.x, (R\d+)\.x", r"MOV.i32 AL0, TMP0, \1"),
    (r"ST\.32 AL0\.xxxx, AL1", "ST.128 AL0.yxzw, AL1"),
]
FLOAT = [
    (r"MUL\.i32", "FMUL.f32"),
    (r"ADD\.i32 (\S+), (\S+), (TMP0\S*)", r"FADD.f32 \1, \2, \3"),
    (r"MOV\.i32 (R\S+), (\S+), #([23]8)", r"FMOV.f32 \1, \2, #\3"),
]
# Both doubles of a register: Mesa's text does not distinguish .X of one double from other words.
DOUBLE = [
    (r"MUL\.i32 (\S+)\.xy, (\S+)\.xy, (\S+)\.xy", r"FMUL.f64 \1, \2, \3"),
    (r"ADD\.i32 (\S+)\.xy, (\S+)\.xy, (\S+)\.xy", r"FADD.f64 \1, \2, \3"),
    (r"(?m)^MOV\.i32 (\S+)\.x, TMP0\.x, TMP0\.x$", r"MOV.i64 \1, TMP0, TMP0"),
    (r"MOV\.i32 (R\d+)\.x, TMP0\.x, #([23]8)", r"FMOV.f64 \1.x, TMP0.[xx], #\2"),
    (r"MOV\.i32 TMP0\.x, TMP0\.x, (R\d+)\.x", r"FCMP.ne.i64 TMP0.x, \1, #0"),
    (r"MOV\.i32 TMP0\.y", "MOV.i32 TMP0.z"),
    (r"TMP0\.xyxy", "TMP0.xzxz"),
    (r"MOV\.i32 AL0\.x, TMP0\.x, (R\d+)\.x", r"MOV.i64 AL0, TMP0, \1"),
    (r"ST\.32 AL0\.xxxx, AL1", "ST.64 AL0.xyxy, AL1"),
]
# All ones, the result of i < n, are a NaN, which is not 0 either.
KINDS = {
    None: [], "int4": VECTOR, "double": DOUBLE,
    "float": FLOAT + [(r"CMP\.all\.ne\.i32 R31", "FCMP.all.ne.i32 R31")],
    "float4": VECTOR + FLOAT + [(r"CMP\.all\.ne\.i32 TMP0", "FCMP.all.ne.i32 TMP0")],
}
