#!/usr/bin/env python3
"""The loader and the kernels of examples/tophub: lines in both formats of AutoTVM's logs, written for this test; the kernels
as C on the host, beside a convolution by its definition; results that the study expects of single launches."""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "examples/tophub"))
import kernels
import logs
import rank
import study

COMPILER = sys.argv.pop(1) if len(sys.argv) > 1 else "cc"


def line(c, tiles, reduction=("none", "none"), spatial=("none", "none", "none"), order=(7, 8, 9), new=True, kind="float32", seconds=0.001):
    """A line of a log. c: as logs.Convolution."""
    data, weights = [1, c.inputs, c.rows, c.columns], [c.outputs, c.inputs, c.high, c.wide]
    entities = [["tile_co", "sp", tiles[0]], ["tile_oh", "sp", tiles[1]], ["tile_ow", "sp", tiles[2]],
                ["reorder_0", "re", [*range(7), *order]], ["ann_reduce", "an", reduction], ["ann_spatial", "an", spatial]]
    arguments = [["TENSOR", data, kind], ["TENSOR", weights, kind], c.strides]
    if new:
        return json.dumps({"input": ["opencl -device=mali", logs.SPATIAL_PACK, [*arguments, c.padding, [1, 1], kind], {}],
                           "config": {"index": 1, "entity": entities}, "result": [[seconds], 0, 1.0, 2.0], "version": 0.2})
    return json.dumps({"i": ["opencl -device=mali", "topi_nn_conv2d", [*arguments, c.padding[:2], "NCHW", kind], {}, [],
                             {"i": 1, "e": entities, "t": "direct"}], "r": [[seconds], 0, 1.0, 2.0], "v": 0.1})


PLAIN = logs.Convolution(3, 6, 8, 4, 3, 3, (1, 1), (1, 1, 1, 1))
PLAIN_TILES = [[1, 1, 4], [3, 1, 2], [2, 2, 2]]
# Convolution, tiles, loops of the filter, of a thread, and their order: vectors over outputs, columns, rows; strides; uneven
# padding; loops that stay.
CASES = [
    (PLAIN, PLAIN_TILES, ("unroll", "unroll"), ("unroll", "unroll", "vec"), (7, 8, 9)),
    (PLAIN, [[2, 2, 1], [6, 1, 1], [1, 2, 4]], ("none", "unroll"), ("none", "vec", "none"), (9, 7, 8)),
    (logs.Convolution(2, 9, 7, 6, 3, 3, (2, 2), (1, 0, 1, 0)), [[3, 1, 2], [1, 1, 5], [3, 1, 1]], ("none", "none"),
     ("none", "unroll", "vec"), (9, 7, 8)),
    (logs.Convolution(2, 8, 8, 4, 3, 3, (2, 2), (1, 1, 1, 1)), [[1, 2, 2], [1, 1, 4], [2, 2, 1]], ("unroll", "none"),
     ("vec", "unroll", "unroll"), (9, 7, 8)),
    (logs.Convolution(5, 4, 4, 16, 1, 1, (1, 1), (0, 0, 0, 0)), [[1, 1, 16], [2, 2, 1], [2, 1, 2]], ("unroll", "unroll"),
     ("none", "none", "vec"), (7, 8, 9))]


def record(case, number=1):
    return logs.read_line(line(*case), number)


def convolved(c, data, weights):
    """The convolution, by its definition."""
    out = []
    for z in range(c.outputs):
        for y in range(logs.out_rows(c)):
            for x in range(logs.out_columns(c)):
                total = 0.0
                for i in range(c.inputs):
                    for v in range(c.high):
                        for h in range(c.wide):
                            row, column = y * c.strides[0] + v - c.padding[0], x * c.strides[1] + h - c.padding[1]
                            if 0 <= row < c.rows and 0 <= column < c.columns:
                                total += data[(i * c.rows + row) * c.columns + column] * \
                                    weights[((z * c.inputs + i) * c.high + v) * c.wide + h]
                out.append(total)
    return out


def program(r):
    """A C program: input and packed filter from the input, results of both forms to the output."""
    text = re.sub(r"\)\.s([0-9a-f])\b", lambda m: f")[{int(m[1], 16)}]", kernels.source(r))
    text = re.sub(r"\((float\d+)\)\(([^()]*)\)", r"((\1){\2})", text)
    text = re.sub(r"(float\d+) (s\d\S*) = 0;", r"\1 \2 = {0};", text)
    n, threads = kernels.counts(r), {step: ", ".join(map(str, kernels.sizes(r, step)[0])) for step in kernels.STEPS}
    return (f'#include "host.h"\n{text}\nint main(void)\n{{\n    static float in[{n["in"]}], data[{n["data"]}], filter[{n["filter"]}] '
            f'__attribute__((aligned(64))), sums[{n["out"]}] __attribute__((aligned(64))), out[{n["out"]}];\n'
            f"    if (fread(in, sizeof(in), 1, stdin) != 1 || fread(filter, sizeof(filter), 1, stdin) != 1)\n        return 1;\n"
            f"    EACH_THREAD({threads['pack']}) pack(in, data);\n" +
            "".join(f"    EACH_THREAD({threads[form]}) {form}(data, filter, sums);\n    EACH_THREAD({threads['unpack']}) unpack(sums, out);\n"
                    f"    if (fwrite(out, sizeof(out), 1, stdout) != 1)\n        return 1;\n" for form in kernels.FORMS) + "    return 0;\n}\n")


class Loader(unittest.TestCase):
    def test_both_formats(self):
        new = logs.read_line(line(PLAIN, PLAIN_TILES, seconds=0.25), 7)
        old = logs.read_line(line(PLAIN, PLAIN_TILES, seconds=0.25, new=False), 7)
        self.assertEqual((new.convolution, new.schedule, new.seconds, new.type, new.line), (PLAIN, old.schedule, 0.25, "float32", 7))
        self.assertEqual(new.schedule.columns, logs.Tile(2, 2, 2))
        self.assertEqual(old.convolution, PLAIN)
        self.assertEqual(logs.products(PLAIN), 3 * 4 * 9 * 48)

    def test_others_are_left_out(self):
        other = json.loads(line(PLAIN, PLAIN_TILES))
        other["input"][1] = "conv2d_nchw_winograd.mali"
        self.assertIsNone(logs.read_line(json.dumps(other), 1))
        failed = json.loads(line(PLAIN, PLAIN_TILES))
        failed["result"][1] = 4
        self.assertIsNone(logs.read_line(json.dumps(failed), 1))

    def test_damaged_lines(self):
        for text in "{", "[]", "{}", '{"input": [1]}', line(PLAIN, [[1, 1, 2], [3, 1, 2], [2, 2, 2]]):
            with self.assertRaisesRegex(logs.Trouble, "line 3: "):
                logs.read_line(text, 3)

    def test_choice(self):
        records = [logs.read_line(line(PLAIN._replace(inputs=n), PLAIN_TILES), n) for n in range(1, 11)]
        records.append(logs.read_line(line(PLAIN, PLAIN_TILES, kind="float16"), 11))
        most = logs.products(PLAIN._replace(inputs=8))
        self.assertEqual([r.line for r in study.choose(records, 4, most)], [1, 3, 5, 7])


class Kernels(unittest.TestCase):
    def test_convolution(self):
        with tempfile.TemporaryDirectory() as folder:
            for at, case in enumerate(CASES):
                r = record(case)
                c, each = r.convolution, r.schedule.outputs.each
                data = [study.number(1, k) for k in range(c.inputs * c.rows * c.columns)]
                plain = [study.number(3, k) for k in range(c.outputs * c.inputs * c.high * c.wide)]
                taps = c.inputs * c.high * c.wide
                packed = [plain[(z * each + k) * taps + n] for z in range(c.outputs // each) for n in range(taps) for k in range(each)]
                source, binary = pathlib.Path(folder) / "k.c", pathlib.Path(folder) / "k"
                source.write_text(program(r))
                subprocess.run([COMPILER, "-O0", "-w", "-I", HERE, "-o", binary, source], check=True, timeout=60)
                out = subprocess.run([binary], input=struct.pack(f"<{len(data) + len(packed)}f", *data, *packed),
                                     stdout=subprocess.PIPE, check=True, timeout=60).stdout
                for g, w in zip(struct.unpack(f"<{len(out) // 4}f", out), 2 * convolved(c, data, plain), strict=True):
                    self.assertAlmostEqual(g, w, places=4, msg=f"case {at}")

    def test_vectors_and_loops(self):
        text = kernels.source(record(CASES[0]))
        self.assertIn("__global const float4 *)w)[", text)
        self.assertNotIn("for (int k", text)
        self.assertEqual(kernels.source(record(CASES[2])).count("for (int k = 0; k < 3"), 4)

    def test_launches(self):
        lines = list(kernels.lines(record(CASES[0])))
        self.assertEqual([text.split()[2:5] for text in lines],
                         [["pack", "3x4x3", "1x1x1"], ["registers", "4x3x1", "2x1x1"], ["memory", "4x3x1", "2x1x1"],
                          ["unpack", "8x6x4", "2x1x1"]])


class Results(unittest.TestCase):
    def test_numbers(self):
        x, out = (5 * 2654435761 + 1) % 2 ** 32, []
        for _ in range(4):
            x = (x * 1664525 + 1013904223) % 2 ** 32
            out.append((x >> 8) * 2.0 ** -24)
        self.assertEqual([study.number(5, k) for k in range(4)], out)

    def test_wanted(self):
        """What single launches must leave fits together: the sums of packed data are those of the convolution."""
        r = record(CASES[2])
        count = kernels.counts(r)
        content = struct.pack(f"<{count['data']}f", *(study.wanted(r, "pack", k) for k in range(count["data"])))
        study.check(r, "pack", content)
        with self.assertRaises(study.Trouble):
            study.check(r, "pack", content[:-4] + b"\0\0\x80\x3f" if len(content) // 4 <= study.CHECKED else b"\0\0\x80\x3f" + content[4:])
        places = [round(study.wanted(r, "unpack", k) * 2 ** 24) for k in range(count["out"])]
        self.assertEqual(sorted(places), sorted(round(study.number(4, k) * 2 ** 24) for k in range(count["out"])))

    def test_table(self):
        """The third with the smallest traces is for training."""
        records = [record(CASES[n], n) for n in range(3)]
        with tempfile.TemporaryDirectory() as folder:
            for r, size in zip(records, (30, 10, 20)):
                study.trace_of(pathlib.Path(folder), r, "memory").write_bytes(bytes(size))
            rows = study.table(records, "memory", pathlib.Path(folder), rank.STEPS).splitlines()
        self.assertEqual([row.split(",")[3] for row in rows], ["set", "test", "train", "test"])
        self.assertEqual(re.findall(r"\.(\w+)\.trace", rows[1]), ["pack", "memory", "unpack"])
        self.assertEqual(rows[1].split(",")[2], "1000.000")


class Ranks(unittest.TestCase):
    def test_by_hand(self):
        self.assertEqual(rank.ranks([3, 1, 3, 2]), [3.5, 1, 3.5, 2])
        self.assertAlmostEqual(rank.spearman([1, 2, 3, 4], [10, 100, 50, 1000]), 0.8)  # 1 - 6 * 2 / (4 * 15)
        self.assertAlmostEqual(rank.spearman([1, 2, 3], [3, 2, 1]), -1)
        self.assertEqual(rank.spearman([1, 2], [5, 5]), 0)
        self.assertAlmostEqual(rank.mape([2, 4], [3, 3]), 37.5)

    def test_accesses(self):
        """Per step of 3 channels by 9: 2 rows by 2 columns of the input and a vector of 4 taps; at the end 4 vectors."""
        self.assertEqual(rank.accesses(record(CASES[0])), 27 * (4 + 1) + 4)
        self.assertEqual(rank.accesses(record(CASES[4])), 5 * (2 + 4) + 8)


if __name__ == "__main__":
    unittest.main()
