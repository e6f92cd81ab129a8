"""Memory snapshots of a GPU as `mali-run` takes them: read, changed, written."""
import json
import struct

PAGE = 4096
PT_LOAD, PT_NOTE = 1, 4
HEADER, ENTRY = 64, 56  # bytes of the file's header, and of a program header


class Snapshot:
    def __init__(self, data):
        self.header = bytearray(data[:HEADER])
        self.entry, = struct.unpack_from("<Q", data, 24)
        count, = struct.unpack_from("<H", data, 56)
        self.pieces = []
        for i in range(count):
            kind, flags, offset, va, _, filesz, memsz, _ = struct.unpack_from(
                "<IIQQQQQQ", data, HEADER + ENTRY * i)
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
        """Adds memory behind all other; returns its address."""
        last = max(self.pieces)
        va = (last[0] + last[1] + PAGE - 1) // PAGE * PAGE
        self.pieces.append([va, (len(body) + PAGE - 1) // PAGE * PAGE, 6, bytearray(body)])
        return va

    def find(self, content):
        """Returns the address of the only place with this content; None if there is none, or more
        than one."""
        found = [va + at for va, _, _, body in self.pieces if (at := body.find(content)) >= 0]
        return found[0] if len(found) == 1 else None

    def describe(self, name, value):
        """Sets a member of the note."""
        length, = struct.unpack_from("<I", self.note, 4)
        text = json.dumps(json.loads(self.note[20:20 + length]) | {name: value}).encode()
        text += b" " * (-len(text) % 4)
        self.note = struct.pack("<III", 5, len(text), 1) + b"MALI\0\0\0\0" + text

    def bytes(self):
        return elf(self.header, self.note, [(va, memsz, flags, body, 16)
                                            for va, memsz, flags, body in sorted(self.pieces)])


def elf(header, note, pieces):
    """Builds the file from a header, a note, and pieces (address, size, flags, body, alignment)."""
    header, headers, bodies = bytearray(header), b"", b""
    at = start = (HEADER + ENTRY * (len(pieces) + 1) + 15) // 16 * 16
    for kind, (va, memsz, flags, body, align) in ([(PT_NOTE, (0, len(note), 4, note, 16))] +
                                                  [(PT_LOAD, piece) for piece in pieces]):
        headers += struct.pack("<IIQQQQQQ", kind, flags, at, va, 0, len(body), memsz, align)
        body = bytes(body) + bytes(-len(body) % 16)
        bodies += body
        at += len(body)
    struct.pack_into("<H", header, 56, len(pieces) + 1)
    return bytes(header) + headers.ljust(start - HEADER, b"\0") + bodies


def expectation(header, results):
    """Builds the file for -expect: the expected contents of memory. `results`: (address, bytes,
    type, relative tolerance)."""
    results = sorted(results)
    text = json.dumps([{"va": va, "size": len(body), "type": kind, "abs_tol": tolerance / 100, "rel_tol": tolerance}
                       for va, body, kind, tolerance in results]).encode()
    text += b" " * (-len(text) % 4)
    note = struct.pack("<III", 5, len(text), 1) + b"MALI\0\0\0\0" + text
    return elf(header, note, [(va, len(body), 4, body, 1) for va, body, _, _ in results])
