"""Running a shader by hand through mali-run -kernel, for the tests of this folder."""
import os
import struct
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


class Check:
    def __init__(self, program, scratch, llvm):
        self.llvm = llvm
        self.program, self.scratch, self.failed = program, scratch, False

    def path(self, name):
        return os.path.join(self.scratch, name)

    def file(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def assembled(self, name):
        """Returns the code of a text of this folder, since assembly by -kernel itself takes half a
        second each time."""
        gencc, isa = os.path.join(os.path.dirname(self.program), "gencc"), "midgard" if "midgard" in name else "bifrost"
        done = subprocess.run([gencc, "asm", "--isa", isa, source(name)], capture_output=True, check=True)
        return self.file(os.path.basename(name) + ".bin", done.stdout)

    def run(self, kernel, *arguments):
        done = subprocess.run([self.program, "-kernel", kernel, *arguments], capture_output=True, text=True,
                              timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    def expect(self, what, good):
        if not good:
            print(f"failed: {what}")
            self.failed = True

    def good(self, what, kernel, *arguments):
        status, out, err = self.run(kernel, *arguments)
        self.expect(f"{what}: {err or status}", status == 0 and not err)
        return out

    def bad(self, what, text, kernel, *arguments, status=2):
        got, _, err = self.run(kernel, *arguments)
        self.expect(f"{what}: {err!r}", got == status and text in err and err.startswith("mali-run: ") and
                    err.count("\n") == 1)


def source(name):
    return os.path.join(HERE, name)


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)
