#!/usr/bin/env python3
"""The multiplier with three levels of accuracy (IMUL_APPROX of the GPU g72approx): all products of two bytes, by each
level and error, against partial products that are added here bit by bit; counts by level; and who refuses it."""
import argparse
import array
import json
import pathlib
import subprocess
import sys
import tempfile

# Level, error and sign as the text has them: partial products that are not generated, and the bit in their place.
MODES = {f"lvl0{s}": (0, 0, s) for s in (".zext", ".sext")}
MODES.update({f"lvl{n}{e}{s}": (z, bit, s) for n, z in ((1, 3), (2, 5)) for e, bit in ((".pe", 0), (".ne", 1))
              for s in (".zext", ".sext")})
CLAUSE = """start{n}:
ds(0) {header}
{{
    *LSHIFT_OR.i32 t0, r60, #0, 0x00000002
    +NOP t1
    *IMUL_APPROX.i8.{mode} r4:t0, r60.b1, r60
    +IADD.s32 r3:t1, u{n}.w0, t0
    *NOP t0
    +NOP t1
    *NOP t0
    +STORE.i32 t1, r3, u{n}.w1, @r4
}}
"""
PAIRS = 1 << 16
GOES_ON, ENDS = "nbb store ncph next_store dwb(0)", "eos store"
# Which byte of a word each factor is.
PARTS = [(f"r60{a}", f"r60{b}", i, j) for i, a in enumerate(("", ".b1", ".b2", ".b3"))
         for j, b in enumerate(("", ".b1", ".b2", ".b3"))]


def products(mode):
    """Returns the product of each pair, 256 * first factor + second factor, in 32 bits."""
    removed, bit, sign = MODES[mode]
    expected = array.array("I")
    for first in range(256):
        signed = first - 256 if sign == ".sext" and first > 127 else first
        partial = [signed << i for i in range(8)]
        for second in range(256):
            bits = [bit if i < removed else second >> i & 1 for i in range(8)]
            expected.append(sum(p for p, taken in zip(partial, bits) if taken) & 0xffffffff)
    return expected


def clauses(modes):
    """Returns a shader that stores a product of each mode in a buffer of its own."""
    modes = list(modes)
    return "".join(CLAUSE.format(n=n, mode=mode, header=ENDS if n + 1 == len(modes) else GOES_ON)
                   for n, mode in enumerate(modes))


def run(program, folder, text, threads, buffers, *options):
    (folder / "approximate.s").write_text(text)
    dumps = [word for n in range(buffers) for word in ("-dump", f"{n}={folder / f'{n}.out'}")]
    done = subprocess.run([program, "-kernel", folder / "approximate.s", "-global", str(threads), "-local", "16",
                           *["-arg", f"zero:{4 * threads}"] * buffers, *dumps, *options],
                          capture_output=True, text=True, check=False, timeout=60)
    read = [folder / f"{n}.out" for n in range(buffers)] if done.returncode == 0 else []
    return done.returncode, done.stderr, [array.array("I", path.read_bytes()) for path in read]


def all_products(program, folder):
    text = clauses(MODES)
    status, err, got = run(program, folder, text, PAIRS, len(MODES), "-gpu", "g72approx", "-stats", folder / "stats")
    if status:
        yield f"status {status}: {err}"
        return
    for words, mode in zip(got, MODES):
        wrong = [n for n, (w, e) in enumerate(zip(words, products(mode))) if w != e]
        if wrong:
            yield f"{mode}: {len(wrong)} products differ, first {wrong[0] >> 8} * {wrong[0] & 255}: {words[wrong[0]]}"
    counts = json.loads((folder / "stats/gpu_instructions.json").read_text())["total"]
    for level, modes in ((0, 2), (1, 4), (2, 4)):
        name = f"bifrost_fma/IMUL_APPROX_lvl{level}"
        if counts.get(name) != modes * PAIRS:
            yield f"{name}: {counts.get(name)} executions, not {modes * PAIRS}"
    if sum(counts.values()) != len(MODES) * 4 * PAIRS:
        yield f"all instructions: {sum(counts.values())}"


def parts(program, folder):
    """Each byte of a word may be a factor. Threads are few, so that only their lowest byte is not 0."""
    for n in range(0, len(PARTS), 8):
        some = PARTS[n:n + 8]
        text = clauses(["lvl0.zext"] * len(some))
        for a, b, _, _ in some:
            text = text.replace("r60.b1, r60\n", f"{a} , {b}\n", 1)
        _, err, got = run(program, folder, text, 256, len(some), "-gpu", "g72approx")
        for words, (a, b, i, j) in zip(got, some):
            if words.tolist() != [(t >> 8 * i & 255) * (t >> 8 * j & 255) for t in range(256)]:
                yield f"{a} * {b}: {words[:8]} {err}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mali-run", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gencc-test-") as name:
        folder = pathlib.Path(name)
        wrong = [*all_products(options.mali_run, folder), *parts(options.mali_run, folder)]
        status, err, _ = run(options.mali_run, folder, clauses(["lvl1.pe.sext"]), 16, 1, "-gpu", "g72")
        if status == 0 or "requires the feature APPROXIMATE" not in err:
            wrong.append(f"a Mali-G72 has it: {status} {err}")
    print("\n".join(wrong) or f"{len(MODES) * PAIRS} products as on paper")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
