"""scripts/compare-scenes with a program that draws what a feature's name says, instead of an implementation of OpenGL ES."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts/pictures"))

import ssim  # noqa: E402

# Pixels of a scene are its seed. The referee draws SEED other pixels in `differs`, beginning with the first; `missing` and
# `broken` the GPU does not draw, `nowhere` neither of the two; the GPU's process ends at `ends` of seed 1.
PROGRAM = """
import sys
who, version, *scenes = sys.argv[1:]
if not scenes:
    print("\\n".join(["same", "differs"] if version == "2" else ["same", "differs", "missing", "broken", "nowhere", "ends", "tall"]))
for feature, seed, picture in zip(*[iter(scenes)] * 3):
    if feature == "nowhere" or (feature in ("missing", "broken") and who == "GPU"):
        print(f"{feature} {seed}: {'no luck' if feature == 'broken' else 'not offered: luck'}", flush=True)
        continue
    if (feature, seed, who) == ("ends", "1", "GPU"):
        sys.exit("out of luck")
    pixels = bytearray([int(seed)] * 4 * 64 * (128 if feature == "tall" and who == "GPU" else 64))
    for i in range(int(seed) if (feature, who) == ("differs", "REFEREE") else 0):
        pixels[4 * i] = 200
    open(picture, "wb").write(pixels)
    print(f"{feature} {seed}: drawn", flush=True)
"""


class CompareScenes(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "program.py").write_text(PROGRAM)

    def compare(self, *options):
        """(status, lines printed, the message). The commands' last word tells the program which of the two it is."""
        run = f"{sys.executable} -S {self.folder}/program.py"
        done = subprocess.run([ROOT / "scripts/compare-scenes", "--gpu", run, "--gpu-program", "GPU",
                               "--referee", run, "--referee-program", "REFEREE", *options],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines(), done.stderr.strip()

    def test_features_take_turns(self):
        status, lines, _ = self.compare("--es", "2", "--count", "5", "--seed", "19", "--chunk", "2")
        self.assertEqual((status, lines[0]), (0, "seed 19"))
        self.assertEqual(lines[1:], [
            "same 19: 0 of 4096 pixels differ, by at most 0",
            "differs 19: 19 of 4096 pixels differ, by at most 181",
            "same 20: 0 of 4096 pixels differ, by at most 0",
            "differs 20: 20 of 4096 pixels differ, by at most 180",
            "same 21: 0 of 4096 pixels differ, by at most 0"])

    def test_one_scene_again(self):
        self.assertEqual(self.compare("--features", "differs", "--seed", "21", "--count", "1")[:2],
                         (1, ["seed 21", "DIFFERS differs 21: 21 of 4096 pixels differ, by at most 179"]))

    def test_what_is_not_offered(self):
        status, lines, _ = self.compare("--features", "missing,broken,nowhere,ends,same", "--count", "5")
        self.assertEqual((status, lines[1:]), (1, [
            "missing 1: not compared: not offered: luck",
            "DIFFERS broken 1: gpu: no luck",
            "nowhere 1: not compared: not offered: luck",
            "DIFFERS ends 1: gpu: status 1: out of luck",
            "same 1: 0 of 4096 pixels differ, by at most 0"]))
        self.assertEqual(self.compare("--features", "nowhere,missing", "--count", "2")[0], 0)
        self.assertEqual(self.compare("--features", "same,missing", "--count", "2", "--no-gaps")[:2], (1, [
            "seed 1", "same 1: 0 of 4096 pixels differ, by at most 0",
            "DIFFERS missing 1: not compared: not offered: luck"]))

    def test_pictures_of_two_sizes(self):
        self.assertEqual(self.compare("--features", "tall", "--count", "1")[1][1],
                         "DIFFERS tall 1: 32768 bytes, and the referee's picture has 16384")

    def test_pictures_are_kept(self):
        kept = self.folder / "kept"
        self.compare("--features", "differs", "--seed", "20", "--count", "2", "--keep", kept)
        self.assertEqual(sorted(path.name for path in kept.iterdir()), ["differs-21.gpu.png", "differs-21.referee.png"])
        picture = ssim.read_png(kept / "differs-21.referee.png")
        self.assertEqual((picture.width, picture.height), (64, 64))
        # The first pixel is in the lowest row, which a PNG file has last.
        self.assertEqual(bytes(picture.rows[63][:84]), bytes([200, 21, 21, 21] * 21))
        self.assertEqual(bytes(picture.rows[63][84:] + picture.rows[0]), bytes([21] * (4 * 43 + 256)))
        self.compare("--features", "same", "--count", "1", "--keep", kept, "--all")
        self.assertTrue((kept / "same-1.gpu.png").exists())

    def test_bad_words(self):
        self.assertEqual(self.compare("--es", "2", "--features", "same,tall")[::2],
                         (1, "compare-scenes: no feature tall of OpenGL ES 2: same, differs"))
        status, _, said = self.compare("--referee", "false")
        self.assertEqual((status, said), (1, "compare-scenes: REFEREE names no features: status 1: says nothing"))


if __name__ == "__main__":
    unittest.main()
