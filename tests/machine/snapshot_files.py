"""Reads and forges files of snapshots (runtime/machine/snapshot_file.h), independently of the simulator."""
import ctypes
import ctypes.util
import struct
import zlib

HEAD, NAME = 24, 32
ZSTD = ctypes.CDLL(ctypes.util.find_library("zstd"))
ZSTD.ZSTD_compressBound.restype = ZSTD.ZSTD_compress.restype = ZSTD.ZSTD_decompress.restype = ctypes.c_size_t


def sections(path, only=None):
    """The sections of a file by name, in their order; or one of them alone."""
    data = path.read_bytes()
    count = struct.unpack_from("<Q", data, 16)[0]
    found, place = {}, HEAD + count * (NAME + 24) + 8
    for i in range(count):
        name, size, packed, _ = struct.unpack_from("<32sQQQ", data, HEAD + i * (NAME + 24))
        name = name.rstrip(b"\0").decode()
        if only not in (None, name):
            place += packed
            continue
        out = ctypes.create_string_buffer(size + 1)
        frame = data[place:place + packed]
        if ZSTD.ZSTD_decompress(out, ctypes.c_size_t(size), frame, ctypes.c_size_t(packed)) != size:
            raise ValueError(f"{path}: section {name}")
        found[name] = out.raw[:size]
        place += packed
    return found


def write(path, parts, version=2):
    """Writes sections as a file whose checksums are right."""
    table, frames = b"gencc-vm" + struct.pack("<QQ", version, len(parts)), b""
    for name, content in parts.items():
        room = ZSTD.ZSTD_compressBound(ctypes.c_size_t(len(content)))
        out = ctypes.create_string_buffer(room)
        size = ZSTD.ZSTD_compress(out, ctypes.c_size_t(room), content, ctypes.c_size_t(len(content)), 1)
        frame = out.raw[:size]
        table += struct.pack("<32sQQQ", name.encode(), len(content), size, zlib.crc32(frame))
        frames += frame
    path.write_bytes(table + struct.pack("<Q", zlib.crc32(table)) + frames)


def groups(state):
    """Places (offset, length) of the bytes of the sections "groups" in a section "state"."""
    mark, found, at = b"\6groups", [], -1
    while (at := state.find(mark, at + 1)) >= 0:
        body = at + len(mark) + 4
        if state[body:body + 6] == b"\5bytes":
            found.append((body + 10, struct.unpack_from("<I", state, body + 6)[0]))
    return found


def records(data):
    """The named records of a state, in their order: name, place of the record, place of its content, end."""
    at = 0
    while at < len(data):
        name = data[at + 1:at + 1 + data[at]]
        body = at + 5 + data[at]
        end = body + struct.unpack_from("<I", data, body - 4)[0]
        if end > len(data):
            raise ValueError("the state is damaged")
        yield name.decode(), at, body, end
        at = end


def fields(state):
    """The fields of a section "state": ((object, field), bytes)."""
    for section, _, body, end in records(state):
        for name, _, start, stop in records(state[body:end]):
            yield (section, name), state[body + start:body + stop]


def without(state, key):
    """The state without a field, whose key names the sections that it is in, and itself."""
    for name, at, body, end in records(state):
        if name != key[0]:
            continue
        if len(key) == 1:
            return state[:at] + state[end:]
        inner = without(state[body:end], key[1:])
        return state[:body - 4] + struct.pack("<I", len(inner)) + inner + state[end:]
    raise ValueError(f"no field {key}")
