"""scripts/compare-shaders with a program that draws what a "shader" says, instead of an implementation of OpenGL ES."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A shader is COLOR OTHER COUNT [END]: all pixels have the first number; the referee draws the second in COUNT of them.
# END is GPU or REFEREE, whose process ends there. `refused` and `refused GPU` do not compile.
PROGRAM = """
import sys
who, side, *files = sys.argv[1:]
side = int(side)
for shader, uniforms, picture in zip(*[iter(files)] * 3):
    words = open(shader).read().split()
    if words[0] == "refused" and words[-1] in ("refused", who):
        print(f"{shader}: no such function", flush=True)
        continue
    if words[-1] == who:
        sys.exit("out of luck")
    color, other, count = map(int, words[:3] if words[0] != "refused" else (1, 1, 0))
    pixels = bytearray([color] * 4 * side * side)
    for i in range(count if who == "REFEREE" else 0):
        pixels[4 * i + 2] = other
    open(picture, "wb").write(pixels)
    open(shader + ".seen", "w").write(open(uniforms).read())
    print(f"{shader}: drawn", flush=True)
"""


class CompareShaders(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "program.py").write_text(PROGRAM)

    def add(self, name, text, described=None):
        (self.folder / f"{name}.frag").write_text(text)
        if described:
            (self.folder / f"{name}.json").write_text(described)

    def compare(self, *options):
        """(status, lines printed, sorted). The commands' last word tells the program which of the two it is."""
        run = f"{sys.executable} -S {self.folder}/program.py"
        done = subprocess.run([ROOT / "scripts/compare-shaders", self.folder, "--side", "8",
                               "--gpu", run, "--gpu-program", "GPU",
                               "--referee", run, "--referee-program", "REFEREE", *options],
                              capture_output=True, text=True, check=False)
        return done.returncode, sorted(done.stdout.splitlines())

    def test_pictures_are_compared(self):
        self.add("alike", "100 100 0")
        self.add("close", "100 108 64")
        self.add("few", "100 200 20")
        self.assertEqual(self.compare(), (0, [
            "alike: 0 of 64 pixels differ, by at most 0",
            "close: 0 of 64 pixels differ, by at most 8",
            "few: 20 of 64 pixels differ, by at most 100",
            "seed 1"]))
        self.add("many", "100 91 21")
        status, lines = self.compare()
        self.assertEqual((status, lines[0]), (1, "DIFFERS many: 21 of 64 pixels differ, by at most 9"))
        self.assertEqual(self.compare("--tolerance", "9")[0], 0)

    def test_uniforms_are_given(self):
        self.add("one", "1 1 0", '{"$compute": {}, "t": {"func": "sampler2D", "texture": "DEFAULT"},'
                                 ' "size": {"func": "glUniform2f", "args": [256.0, 0.5]},'
                                 ' "n": {"func": "glUniform1i", "args": [3]}}')
        self.assertEqual(self.compare()[0], 0)
        self.assertEqual((self.folder / "one.frag.seen").read_text(), "size glUniform2f 256.0 0.5\nn glUniform1i 3\n")

    def test_what_one_of_the_two_does_not_draw(self):
        self.add("neither", "refused")
        self.assertEqual(self.compare(), (0, ["neither: not compared: no such function", "seed 1"]))
        self.add("gpu", "refused GPU")
        self.add("referee", "refused REFEREE")
        self.assertEqual(self.compare(), (1, [
            "DIFFERS gpu: gpu: no such function",
            "DIFFERS referee: referee: no such function",
            "neither: not compared: no such function",
            "seed 1"]))

    def test_a_process_that_ends_is_at_fault_for_one_shader(self):
        for i in range(4):
            self.add(f"good{i}", "1 1 0")
        self.add("bad0", "1 1 0 GPU")
        self.add("bad1", "1 1 0 REFEREE")
        status, lines = self.compare()
        self.assertEqual(status, 1)
        self.assertEqual(lines[:2], ["DIFFERS bad0: gpu: status 1: out of luck",
                                     "DIFFERS bad1: referee: status 1: out of luck"])
        self.assertEqual(lines[2:6], [f"good{i}: 0 of 64 pixels differ, by at most 0" for i in range(4)])

    def test_a_seed_chooses(self):
        for i in range(30):
            self.add(f"s{i}", "1 1 0")
        one = self.compare("--seed", "2")
        self.assertEqual(len(one[1]), 21)
        self.assertEqual(one, self.compare("--seed", "2", "--chunk", "20"))
        self.assertNotEqual(one[1], self.compare("--seed", "3")[1])

    def test_a_folder_without_shaders(self):
        self.assertEqual(self.compare()[0], 1)


if __name__ == "__main__":
    unittest.main()
