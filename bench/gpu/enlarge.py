"""Makes a larger matrix multiplication from the small sgemm snapshot: more work-groups, matrices in
new memory, and the push uniforms that name them changed. The shader stays as Mesa compiled it."""
import json
import struct

PAGE = 4096
PT_LOAD, PT_NOTE = 1, 4


class Snapshot:
    def __init__(self, data):
        self.header = bytearray(data[:64])
        self.entry, = struct.unpack_from("<Q", data, 24)
        count, = struct.unpack_from("<H", data, 56)
        self.pieces = []
        for i in range(count):
            kind, flags, offset, va, _, filesz, memsz, align = struct.unpack_from(
                "<IIQQQQQQ", data, 64 + 56 * i)
            body = bytearray(data[offset:offset + filesz])
            if kind == PT_NOTE:
                self.note = body
            else:
                self.pieces.append([va, memsz, flags, body])

    def piece(self, va):
        for piece in self.pieces:
            if piece[0] <= va < piece[0] + piece[1]:
                return piece, va - piece[0]
        raise SystemExit(f"the snapshot has no memory at {va:#x}")

    def word(self, va, form="<I"):
        piece, at = self.piece(va)
        size = struct.calcsize(form)
        return struct.unpack(form, (piece[3] + bytes(at + size))[at:at + size])[0]

    def put(self, va, value, form="<I"):
        piece, at = self.piece(va)
        piece[3].extend(bytes(max(0, at + struct.calcsize(form) - len(piece[3]))))
        struct.pack_into(form, piece[3], at, value)

    def add(self, body):
        """New memory behind all others; returns its address."""
        last = max(self.pieces)
        va = (last[0] + last[1] + PAGE - 1) // PAGE * PAGE
        self.pieces.append([va, (len(body) + PAGE - 1) // PAGE * PAGE, 6, bytearray(body)])
        return va

    def bytes(self):
        self.pieces.sort(key=lambda piece: piece[0])
        headers, bodies = b"", b""
        at = (64 + 56 * (len(self.pieces) + 1) + 15) // 16 * 16
        start = at
        note = [0, len(self.note), 4, self.note]
        for kind, (va, memsz, flags, body) in ([(PT_NOTE, note)] +
                                               [(PT_LOAD, piece) for piece in self.pieces]):
            headers += struct.pack("<IIQQQQQQ", kind, flags, at, va, 0, len(body), memsz, 16)
            body = bytes(body) + bytes(-len(body) % 16)
            bodies += body
            at += len(body)
        struct.pack_into("<H", self.header, 56, len(self.pieces) + 1)
        return bytes(self.header) + headers.ljust(start - 64, b"\0") + bodies


def packed(numbers):
    """Numbers minus one, one behind the other, and where each but the first begins."""
    value, at, shifts = 0, 0, []
    for number in numbers:
        shifts.append(at)
        value |= (number - 1) << at
        at += (number - 1).bit_length()
    return value, shifts


def enlarge(data, n):
    """sgemm of n by n matrices, n a multiple of 8; returns the file and the result's address."""
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
