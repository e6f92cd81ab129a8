#!/usr/bin/env python3
"""Writes C that computes each IR operation on the compiler's own types and vector extension.

Every function takes operands and result in memory; a table gives names of operations and types. The
test compares gencc/ir/arith.c with it. Cases that C leaves undefined (wide shifts, division by
zero, conversions out of range) are written out by the rules in the head of gencc/ir/ir.h."""

INTS = [(sign, bits) for bits in (8, 16, 32, 64, 128) for sign in "us"]
FLOATS = [("f", 32), ("f", 64)]


def scalar(sign, bits):
    if sign == "f":
        return "float" if bits == 32 else "double"
    if bits == 128:
        return "unsigned __int128" if sign == "u" else "__int128"
    return ("u" if sign == "u" else "") + f"int{bits}_t"


def irtype(sign, bits, lanes):
    base = {"u": "IR_UINT", "s": "IR_SINT", "f": "IR_FLOAT"}[sign]
    return f"{{{base}, {bits}, {lanes}}}"


def vector(sign, bits):
    return f"v{sign}{bits}"


print('#include "referee.h"\n#include <math.h>\n#include <string.h>\n')
for sign, bits in INTS + FLOATS:
    if bits < 128:
        print(f"typedef {scalar(sign, bits)} {vector(sign, bits)} "
              f"__attribute__((vector_size(16)));")

entries = []


def function(op, result, args, body):
    """Writes one function: `result` and `args` are (C type, IR type); the body sets r from x, y, z.
    """
    name = f"f{len(entries)}"
    print(f"\nstatic void {name}(const void *const *in, void *out)\n{{")
    for i, (ctype, _) in enumerate(args):
        print(f"    {ctype} {'xyz'[i]};")
    print(f"    {result[0]} r;\n")
    for i, (ctype, _) in enumerate(args):
        print(f"    memcpy(&{'xyz'[i]}, in[{i}], sizeof {'xyz'[i]});")
    print(f"    {body}\n    memcpy(out, &r, sizeof r);\n}}")
    kinds = ", ".join(a[1] for a in args)
    entries.append(f"{{IR_{op}, {result[1]}, {len(args)}, {{{kinds}}}, {name}}}")


def loop(lanes, body):
    return f"for (int i = 0; i < {lanes}; i++) {{ {body} }}"


ARITH = {"ADD": "+", "SUB": "-", "MUL": "*", "AND": "&", "OR": "|", "XOR": "^"}
COMPARE = {"EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}


def lane_arith(op, sign, bits, x, y):
    """Returns an expression of the lane's type on the expressions x and y."""
    t, u = scalar(sign, bits), scalar("u", bits)
    least = f"({u})(({u})1 << {bits - 1})"
    if op in ARITH:
        return f"({t})(({u}){x} {ARITH[op]} ({u}){y})"
    if op == "DIV":
        if sign == "s":
            return f"{y} == 0 ? 0 : ({u}){x} == {least} && {y} == -1 ? {x} : ({t})({x} / {y})"
        return f"{y} == 0 ? 0 : ({t})({x} / {y})"
    if op == "MOD":
        if sign == "s":
            return f"{y} == 0 ? {x} : {y} == -1 ? 0 : ({t})({x} % {y})"
        return f"{y} == 0 ? {x} : ({t})({x} % {y})"
    if op == "NEG":
        return f"({t})(0 - ({u}){x})"
    return f"({t})~{x}"


def arith(op, sign, bits, operands):
    s = (scalar(sign, bits), irtype(sign, bits, 1))
    # C promotes operands: multiplied as unsigned, so that overflow is defined
    if op in ARITH and bits < 32:
        body = f"r = ({s[0]})((unsigned)x {ARITH[op]} (unsigned)y);"
    else:
        body = f"r = {lane_arith(op, sign, bits, 'x', 'y')};"
    function(op, s, [s] * operands, body)
    if bits == 128:
        return
    lanes = 128 // bits
    v = (vector(sign, bits), irtype(sign, bits, lanes))
    u = vector("u", bits)
    if op in ARITH:
        body = f"r = ({v[0]})(({u})x {ARITH[op]} ({u})y);"
    elif op in ("NEG", "NOT"):
        body = f"r = ({v[0]}){'-' if op == 'NEG' else '~'}({u})x;"
    else:
        body = loop(lanes, f"r[i] = {lane_arith(op, sign, bits, 'x[i]', 'y[i]')};")
    function(op, v, [v] * operands, body)


def lane_shift(op, sign, bits, x, y):
    t, u = scalar(sign, bits), scalar("u", bits)
    if op == "SHL":
        return f"{y} >= {bits} ? 0 : ({t})(({u}){x} << {y})"
    if op == "SHR":
        past = f"({x} < 0 ? ({t})-1 : 0)" if sign == "s" else "0"
        return f"{y} >= {bits} ? {past} : ({t})({x} >> {y})"
    n = f"({y} % {bits})"
    m = f"(({bits} - {n}) % {bits})"
    left, right = (n, m) if op == "ROL" else (m, n)
    return f"({t})(({u})(({u}){x} << {left}) | ({u})(({u}){x} >> {right}))"


def shift(op, sign, bits):
    s = (scalar(sign, bits), irtype(sign, bits, 1))
    amounts = [("u", 8), ("u", 32), ("u", 64), ("s", 8), ("s", 16)]
    for asign, abits in amounts + [(sign, bits)]:
        a = (scalar(asign, abits), irtype(asign, abits, 1))
        un = scalar("u", abits)
        function(op, s, [s, a], f"r = {lane_shift(op, sign, bits, 'x', f'({un})y')};")
    if bits == 128:
        return
    lanes = 128 // bits
    v = (vector(sign, bits), irtype(sign, bits, lanes))
    a = (vector("u", bits), irtype("u", bits, lanes))
    function(op, v, [v, a], loop(lanes, f"r[i] = {lane_shift(op, sign, bits, 'x[i]', 'y[i]')};"))
    b = ("uint8_t", irtype("u", 8, 1))
    function(op, v, [v, b], loop(lanes, f"r[i] = {lane_shift(op, sign, bits, 'x[i]', 'y')};"))


def compare(op, sign, bits):
    s = (scalar(sign, bits), irtype(sign, bits, 1))
    function(op, ("uint8_t", irtype("u", 8, 1)), [s, s], f"r = x {COMPARE[op]} y;")
    if bits == 128:
        return
    lanes = 128 // bits
    v = (vector(sign, bits), irtype(sign, bits, lanes))
    m = (vector("u", bits), irtype("u", bits, lanes))
    function(op, m, [v, v], f"r = ({m[0]})(x {COMPARE[op]} y);")


def float_arith(bits):
    s = (scalar("f", bits), irtype("f", bits, 1))
    v = (vector("f", bits), irtype("f", bits, 128 // bits))
    rem = "fmodf" if bits == 32 else "fmod"
    for op, c in (("ADD", "+"), ("SUB", "-"), ("MUL", "*"), ("DIV", "/")):
        function(op, s, [s, s], f"r = x {c} y;")
        function(op, v, [v, v], f"r = x {c} y;")
    function("MOD", s, [s, s], f"r = {rem}(x, y);")
    function("NEG", s, [s], "r = -x;")
    function("NEG", v, [v], "r = -x;")


def to_int(f, sign, bits, x):
    """Truncation with saturation, by comparing with the limits as long double."""
    t = scalar(sign, bits)
    low = "0.0L" if sign == "u" else f"-ldexpl(1, {bits - 1})"
    high = f"ldexpl(1, {bits - (sign == 's')})"
    top = f"({t})~({t})0" if sign == "u" else f"({t})~(({scalar('u', bits)})1 << {bits - 1})"
    bottom = "0" if sign == "u" else f"({t})(({scalar('u', bits)})1 << {bits - 1})"
    return (f"isnan({x}) ? 0 : (long double){x} <= {low} ? {bottom} "
            f": (long double){x} >= {high} ? {top} : ({t}){x}")


def convert(a, b):
    s, r = (scalar(*a), irtype(*a, 1)), (scalar(*b), irtype(*b, 1))
    if a[0] == "f" and b[0] != "f":
        body = f"r = {to_int(a, *b, 'x')};"
    else:
        body = f"r = ({r[0]})x;"
    function("CONVERT", r, [s], body)
    if a[1] == b[1] and a[1] < 128 and a != b and "f" not in (a[0], b[0]):
        lanes = 128 // a[1]
        function("CONVERT", (vector(*b), irtype(*b, lanes)), [(vector(*a), irtype(*a, lanes))],
                 f"r = __builtin_convertvector(x, {vector(*b)});")


def vectors(sign, bits):
    lanes = 128 // bits
    s, v = (scalar(sign, bits), irtype(sign, bits, 1)), (vector(sign, bits), irtype(sign, bits, lanes))
    m = (vector("u", bits), irtype("u", bits, lanes))
    i8, c = ("uint8_t", irtype("u", 8, 1)), ("uint8_t", irtype("u", 8, 1))
    i64 = ("int64_t", irtype("s", 64, 1))
    half = f"struct {{ {s[0]} at[{lanes * 2}]; }}"
    function("SELECT", v, [m, v, v], loop(lanes, "r[i] = x[i] ? y[i] : z[i];"))
    function("SELECT", v, [c, v, v], "r = x ? y : z;")
    function("SELECT", s, [c, s, s], "r = x ? y : z;")
    function("SPLAT", v, [s], loop(lanes, "r[i] = x;"))
    function("EXTRACT", s, [v, i8], f"r = x[y % {lanes}];")
    function("EXTRACT", s, [v, i64], f"r = x[(uint64_t)y % {lanes}];")
    function("INSERT", v, [v, i8, s], f"r = x; r[y % {lanes}] = z;")
    function("BUILD", (f"struct {{ {s[0]} at[2]; }}", irtype(sign, bits, 2)), [s, s],
             "r.at[0] = x; r.at[1] = y;")
    function("CONCAT", (half, irtype(sign, bits, lanes * 2)), [v, v],
             "memcpy(&r, &x, sizeof x); memcpy((char *)&r + sizeof x, &y, sizeof y);")
    for other in INTS + FLOATS:
        if other[1] < 128:
            w = (vector(*other), irtype(*other, 128 // other[1]))
            function("BITCAST", w, [v], f"r = ({w[0]})x;")
    whole = ("unsigned __int128", irtype("u", 128, 1))
    function("BITCAST", whole, [v], f"r = (unsigned __int128)x;")
    function("BITCAST", v, [whole], f"r = ({v[0]})x;")


for sign, bits in INTS:
    for op in ("ADD", "SUB", "MUL", "DIV", "MOD", "AND", "OR", "XOR"):
        arith(op, sign, bits, 2)
    for op in ("NEG", "NOT"):
        arith(op, sign, bits, 1)
    for op in ("SHL", "SHR", "ROL", "ROR"):
        shift(op, sign, bits)
for sign, bits in INTS + FLOATS:
    for op in COMPARE:
        compare(op, sign, bits)
    if bits < 128:
        vectors(sign, bits)
    for other in INTS + FLOATS:
        convert((sign, bits), other)
for _, bits in FLOATS:
    float_arith(bits)

print("\nconst struct referee referees[] = {")
for e in entries:
    print(f"    {e},")
print("};\nconst unsigned referee_count = sizeof referees / sizeof *referees;")
