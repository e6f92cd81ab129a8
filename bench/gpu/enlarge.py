"""Makes a larger matrix multiplication from the small sgemm snapshot: more work-groups, matrices in
new memory, and the push uniforms that name them changed. The shader stays as Mesa compiled it."""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/gpu"))
from snapshot import Snapshot  # noqa: E402  (it lies beside the programs that leave some)


def packed(numbers):
    """Returns numbers, each minus one, packed one behind the other, and the bit at which each but
    the first begins."""
    value, at, shifts = 0, 0, []
    for number in numbers:
        shifts.append(at)
        value |= (number - 1) << at
        at += (number - 1).bit_length()
    return value, shifts


def enlarge(data, n):
    """sgemm of n by n matrices, n a multiple of 8. Returns the file and the result's address."""
    s = Snapshot(data)
    note = json.loads(s.note[20:].decode().strip())
    small = note["global"][0]
    values = [struct.pack("<f", (i * 7 % 16 - 8) / 8) for i in range(16)]
    matrix = b"".join(values[(i * 5 + i // n) % 16] for i in range(n * n))
    payload = s.entry + 32
    value, shifts = packed(note["local"] + [size * n // small // local if size > 1 else 1
                                            for size, local in zip(note["global"], note["local"])])
    s.put(payload, value)
    high = s.word(payload + 4) & 0xf0000000
    s.put(payload + 4, high | shifts[1] | shifts[2] << 5 | shifts[3] << 10 | shifts[4] << 16 |
          shifts[5] << 22)
    uniforms = s.word(payload + 32 + 48, "<Q")
    moved = {}
    for arg in note["args"]:
        if "va" in arg:
            moved[arg["va"]] = s.add(matrix if arg["kind"] == "in" else bytes(4 * n * n))
            result = moved[arg["va"]]
    for i in range(32):
        at = uniforms + 4 * i
        if s.word(at) == small:
            s.put(at, n)
        if s.word(at) in moved:
            s.put(at, moved[s.word(at)])
    return s.bytes(), result
