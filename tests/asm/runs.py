#!/usr/bin/env python3
"""Assembles what Mesa's disassembler said of shaders, and runs the result in place of the shader.

The snapshot gets one more segment, with the assembled shader, and the renderer state's pointer to the shader is
changed to that. Afterwards memory must be as the snapshot's own shader would leave it: as expected, or, of
kernels that Mesa compiled wrongly (--wrong), so many elements must differ. Shaders that are known not to compute
the same are in KNOWN, with the reason: when one of them does, that fails, too.
"""
import argparse
import concurrent.futures
import os
import re
import struct
import subprocess
import sys
import tempfile

import round_trip

STATE = re.compile(r"renderer state 0x([0-9a-f]+)")
# "word_3:" of a listing, and a branch's "+1 -> alu/4".
BUNDLE = re.compile(r"^word_(\d+):$", re.MULTILINE)
DISTANCE = re.compile(r"([+-]\d+) -> [\w/]+")
SHADER = re.compile(r"^shader at 0x([0-9a-f]+)$", re.MULTILINE)
DIFFER = re.compile(r"^(\d+) elements? differs?$", re.MULTILINE)
# Low bits of the pointer: on Midgard the tag of the first word.
TAG = 15
PAGE = 4096
# Bound of a run, since a wrong shader may be endless.
MAX_CYCLES = "30000000"
LOAD, READ_WRITE_RUN = 1, 7
PROGRAM_HEADER = "<IIQQQQQQ"

# Patterns of names, and the reason why the text does not describe what the shader does.
KNOWN = (
    (r"glbits\.T760", "Mesa's text has numbers from behind the constants: 0xF0F0F0F is missing"),
    (r"(vec4\.T620|gltrig\.T760)", "thought to lack numbers that Mesa read from behind the constants"),
    (r"atomg\.T620", "R1.y.sext is what Mesa writes of two words of a register; the other one is taken"),
    (r"(conv|ids|imix|minmax|nativ|regs|sobel|spillarr|transc)\.T620", "words that read alike; not traced which"),
)


def segments(elf):
    """Returns the program headers of an ELF file."""
    at, = struct.unpack_from("<Q", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 54)
    return [struct.unpack_from(PROGRAM_HEADER, elf, at + i * size) for i in range(count)]


def replace(elf, state, old, code, tagged):
    """Returns the snapshot with another shader."""
    headers = segments(elf)
    loads = [h for h in headers if h[0] == LOAD]
    at = max(h[3] + h[6] for h in loads) + PAGE & -PAGE
    holder = next(h for h in loads if h[3] <= state < h[3] + h[5])
    place = holder[2] + state - holder[3]
    pointer, = struct.unpack_from("<Q", elf, place)
    if pointer & ~TAG != old:
        return None
    out = bytearray(elf)
    struct.pack_into("<Q", out, place, at | (code[0] & TAG if tagged else pointer & TAG))
    out += bytes(-len(out) % 16)
    size = len(code) + PAGE & -PAGE
    headers.append((LOAD, READ_WRITE_RUN, len(out), at, 0, len(code), size, 16))
    out += code
    out += bytes(-len(out) % 16)
    struct.pack_into("<Q", out, 32, len(out))
    struct.pack_into("<H", out, 56, len(headers))
    for header in headers:
        out += struct.pack(PROGRAM_HEADER, *header)
    return bytes(out)


def with_labels(listing, text):
    """Returns the text with labels in place of distances, since the assembled code may be longer or
    shorter than the compiled code."""
    places = [int(place) for place in BUNDLE.findall(listing)]
    bundles = [bundle for bundle in text.split("\n\n") if bundle.strip()]
    if not places or len(places) != len(bundles):
        return text
    ends = dict(zip(places, places[1:]))
    for i, place in enumerate(places):
        def label(distance, end=ends.get(place)):
            target = end + int(distance[1]) if end is not None else None
            return f"word_{target}" if target in places else distance[0]
        bundles[i] = f"word_{place}:\n" + DISTANCE.sub(label, bundles[i].lstrip("\n"))
    return "\n\n".join(bundles) + "\n"


def read_wrong(path):
    """Returns {snapshot: number of elements that differ}."""
    wrong = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            kernel, gpus, count = line.split("#")[0].split() or (None, "", 0)
            wrong.update({f"{kernel}.{gpu}": int(count) for gpu in gpus.split(",") if kernel})
    return wrong


def shaders_of(options, name):
    """Returns the listing that mali-run prints of a snapshot, and the addresses of its shaders."""
    listing = subprocess.run([options.mali_run, os.path.join(options.snapshots, "cases", f"{name}.snap.elf"), "-disasm"],
                             capture_output=True, timeout=60, check=True).stdout.decode()
    return listing, [int(old, 16) for old in SHADER.findall(listing)]


def problem_of_code(options, wrong, name, olds, code):
    """Returns what is wrong with a run of the code in place of the snapshot's shader, or None."""
    case = os.path.join(options.snapshots, "cases", name)
    with open(os.path.join(options.snapshots, "disasm", f"{name}.disasm.txt"), encoding="utf-8") as file:
        state = int(STATE.search(file.readline())[1], 16)
    with open(f"{case}.snap.elf", "rb") as file:
        patched = replace(file.read(), state, olds[0], code, options.tagged)
    if not patched or len(olds) != 1:
        return "no pointer to the shader in the renderer state"
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(options.keep or scratch, f"{name}.snap.elf")
        with open(path, "wb") as file:
            file.write(patched)
        done = subprocess.run([options.mali_run, path, "-expect", f"{case}.expect.elf", "-max-cycles", MAX_CYCLES],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
    said = done.stdout.decode(errors="replace")
    differ = int((DIFFER.search(said) or (0, 0))[1])
    right = wrong.get(name, 0)
    if done.returncode == (1 if right else 0) and differ == right:
        return None
    return f"status {done.returncode}, {differ} elements differ, not {right}: {said.splitlines()[0] if said else ''}"


def problem_of(options, wrong, name, text):
    """Returns what is wrong with a shader's run, or None."""
    listing, olds = shaders_of(options, name)
    made = subprocess.run([options.gencc, "asm", "--arch", options.arch, "--isa", options.isa, "-"],
                          input=with_labels(listing, text).encode(), capture_output=True, timeout=60, check=False)
    if made.returncode:
        return made.stderr.decode().split("\n")[0]
    return problem_of_code(options, wrong, name, olds, made.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gencc", required=True)
    parser.add_argument("--mali-run", required=True)
    parser.add_argument("--arch", required=True)
    parser.add_argument("--isa", required=True)
    parser.add_argument("--snapshots", required=True, help="folder with cases/ and disasm/")
    parser.add_argument("--wrong", required=True, help="of kernels that were compiled wrongly, how many elements differ")
    parser.add_argument("--names", default=".*", help="regular expression")
    parser.add_argument("--gpus", default=".*", help="regular expression")
    parser.add_argument("--tagged", action="store_true", help="the pointer has the first word's tag")
    parser.add_argument("--keep", help="folder for the snapshots with other shaders")
    options = parser.parse_args()
    wrong, right, known, problems = read_wrong(options.wrong), 0, 0, []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        chosen = round_trip.shaders(options)
        for (name, _), problem in zip(chosen, pool.map(lambda one: problem_of(options, wrong, *one), chosen)):
            reason = next((reason for names, reason in KNOWN if re.fullmatch(names, name)), None)
            right += not problem
            known += bool(problem and reason)
            if problem and not reason:
                problems.append(f"{name}: {problem}")
            if reason and not problem:
                problems.append(f"{name} is right, but is in KNOWN: {reason}")
    print(f"{right} shaders leave what is expected, {known} are known not to")
    for problem in problems:
        print(problem)
    return 1 if problems or not right else 0


if __name__ == "__main__":
    sys.exit(main())
