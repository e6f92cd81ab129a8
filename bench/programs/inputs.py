"""What the programs read: made here, alike on each machine, and shared by all architectures."""
import math
import random
import shutil
import struct
from pathlib import Path

HERE = Path(__file__).resolve().parent


def text(file, chance):
    """Writes lines of words whose frequencies fall as those of a language do."""
    syllables = [a + b for a in ("b", "d", "f", "g", "k", "l", "m", "n", "r", "s", "st", "t", "tr", "v")
                 for b in ("a", "e", "i", "o", "u", "an", "er", "ing")]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(12000)]
    weights = [1 / (rank + 5) for rank in range(len(words))]
    for _ in range(60000):
        line = chance.choices(words, weights, k=chance.randint(6, 14))
        file.write((" ".join(line).capitalize() + f", {chance.randint(0, 9999)}.\n").encode())


def noise(file, chance):
    """Writes bytes without any order."""
    block = chance.randbytes(1 << 20)
    for _ in range(160):
        file.write(block)


def sound(file, _):
    """Writes 30 seconds of two channels at 44.1 kHz: chords that change, and a little hiss."""
    rate, seconds = 44100, 30
    notes = [220 * 2 ** (step / 12) for step in (0, 4, 7, 11, 12, 9, 5, 2)]
    samples = bytearray()
    hiss = 1
    for n in range(rate * seconds):
        t = n / rate
        hiss = (hiss * 1103515245 + 12345) & 0x7fffffff
        chord = int(t * 2) % len(notes)
        left = math.sin(2 * math.pi * notes[chord] * t) + 0.5 * math.sin(2 * math.pi * notes[chord - 3] * t)
        right = math.sin(2 * math.pi * notes[chord - 1] * t) * math.exp(-(t * 2 % 1) * 3)
        samples += struct.pack("<hh", int(left * 9000 + hiss % 300), int(right * 14000 + hiss % 170))
    file.write(b"RIFF" + struct.pack("<I", 36 + len(samples)) + b"WAVEfmt "
               + struct.pack("<IHHIIHH", 16, 1, 2, rate, rate * 4, 4, 16) + b"data" + struct.pack("<I", len(samples)))
    file.write(samples)


def picture(file, chance):
    """Writes 3072 x 2304 pixels: nine times the same gradients, discs and grain."""
    width, height, times = 1024, 768, 3
    discs = [(chance.randrange(width), chance.randrange(height), chance.randrange(20, 120), chance.randbytes(3))
             for _ in range(24)]
    file.write(b"P6\n%d %d\n255\n" % (width * times, height * times))
    rows = []
    for y in range(height):
        row = bytearray()
        for x in range(width):
            row += bytes(((x + y) >> 3 & 255, (x * 3 >> 4) & 255, (y * 5 >> 4) + (x * y >> 9 & 15) & 255))
        for cx, cy, radius, colour in discs:
            reach = radius * radius - (y - cy) ** 2
            if reach > 0:
                half = int(math.sqrt(reach))
                first, last = max(0, cx - half), min(width, cx + half)
                row[3 * first:3 * last] = colour * max(0, last - first)
        rows.append(row * times)
    file.write(b"".join(rows) * times)


def film(file, _):
    """Writes 40 frames of 320 x 240: a pattern that moves over a still one."""
    width, height = 320, 240
    file.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n" % (width, height))
    still = bytes((x * y >> 6) & 255 for y in range(height) for x in range(width))
    for frame in range(40):
        luma = bytearray(still)
        for y in range(60, 160):
            first = y * width + 20 + frame * 4
            luma[first:first + 100] = bytes((x * 5 ^ y * 3 + frame) & 255 for x in range(100))
        chroma = bytes((n + frame) & 127 for n in range(width * height // 4))
        file.write(b"FRAME\n" + luma + chroma + chroma)


def pigeons(file, _, holes=8):
    """Writes, for a solver, that one pigeon more than there are holes finds none."""
    names = [[f"p{p}h{h}" for h in range(holes)] for p in range(holes + 1)]
    lines = [f"(declare-const {name} Bool)" for row in names for name in row]
    lines += [f"(assert (or {' '.join(row)}))" for row in names]
    lines += [f"(assert (not (and {a[h]} {b[h]})))"
              for i, a in enumerate(names) for b in names[i + 1:] for h in range(holes)]
    file.write("\n".join([*lines, "(check-sat)", ""]).encode())


def transport(file, chance, sites=75):
    """Writes a linear program: goods go from depots with limits to shops with needs, some of them whole numbers."""
    routes = [(d, s) for d in range(sites) for s in range(sites)]
    lines = ["min: " + " + ".join(f"{chance.randint(3, 99)} x{d}_{s}" for d, s in routes) + ";"]
    lines += [" + ".join(f"x{d}_{s}" for s in range(sites)) + f" <= {chance.randint(60, 90)};" for d in range(sites)]
    lines += [" + ".join(f"{chance.uniform(0.8, 1.2):.3f} x{d}_{s}" for d in range(sites)) + f" >= {chance.randint(30, 55)};"
              for s in range(sites)]
    lines += ["int " + ", ".join(f"x{d}_{d}" for d in range(0, sites, 9)) + ";"]
    file.write("\n".join([*lines, ""]).encode())


MADE = {"text": text, "noise": noise, "sound.wav": sound, "picture.ppm": picture, "film.y4m": film,
        "pigeons.smt2": pigeons, "transport.lp": transport}


def make(folder):
    """Makes what is missing in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, maker in MADE.items():
        if not (folder / name).exists():
            part = folder / (name + ".part")
            with open(part, "wb") as file:
                maker(file, random.Random(name))
            part.rename(folder / name)


def put_into(root, folder):
    """Puts the files of the folder, and the scripts of interpreters, into `root`/inputs, which programs run in."""
    there = root / "inputs"
    shutil.rmtree(there, ignore_errors=True)
    there.mkdir()
    for script in (HERE / "scripts").iterdir():
        shutil.copyfile(script, there / script.name)
    for name in MADE:
        (there / name).hardlink_to(folder / name)
    return there
