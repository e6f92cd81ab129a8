"""Programs of public suites, built for the arm64 guest on the host: from their own makefiles where these name gcc and g++, which
stand for the cross compilers here, else from the sources that they list."""
import pathlib
import re
import shutil
import subprocess
import tempfile
from collections import namedtuple

import cross

IMAGE = "rootfs-arm64-gpu.ext4"  # whose libOpenCL.so is linked
# Of what these suites were written for: C++ before 2017, OpenCL before 2.0. What is not needed is not linked, as the guest may not have it.
FLAGS = "-std=gnu++14 -w -fpermissive -include stdlib.h -DCL_TARGET_OPENCL_VERSION=120 -DCL_USE_DEPRECATED_OPENCL_1_1_APIS -idirafter /usr/include"
WRAPPER = """#!/bin/sh
exec {compiler} {flags} -L{link} -Wl,--as-needed "$@" -lOpenCL -lm -lpthread
"""
Built = namedtuple("Built", "programs failed")  # paths of programs in the suite's folder; a first line of errors by folder


class Builder:
    """A copy of a suite, in which its programs are built."""

    def __init__(self, folder, tools):
        self.folder, self.tools = folder, tools

    def run(self, *words, where):
        done = subprocess.run([str(w) for w in words], cwd=where, capture_output=True, text=True, check=False,
                              env={"PATH": f"{self.tools}:/usr/bin:/bin", "LC_ALL": "C"})
        if not done.returncode:
            return None
        lines = (done.stdout + done.stderr).splitlines()
        telling = [line for line in lines if re.search(r"error|undefined reference|No rule", line)]
        return (telling or lines[-1:] or [f"status {done.returncode}"])[0].strip()

    def compile(self, target, sources, *flags):
        """Objects of C sources lie beside the program until it is linked with the C++ ones."""
        objects = []
        for source in sources:
            if source.suffix == ".c":
                objects.append(target.with_name(f"{source.stem}.{len(objects)}.o"))
                wrong = self.run("gcc", "-O2", *flags, "-c", "-o", objects[-1], source, where=target.parent)
                if wrong:
                    return wrong
        return self.run("g++", "-O2", *flags, *[s for s in sources if s.suffix != ".c"], *objects, "-o", target, where=target.parent)

    def make(self, makefiles, *variables):
        """Builds each folder that has a makefile of its own."""
        failed = {}
        for makefile in sorted(self.folder.glob(makefiles)):
            wrong = self.run("make", *variables, where=makefile.parent)
            if wrong:
                failed[str(makefile.parent.relative_to(self.folder))] = wrong
        return failed

    def rodinia(self):
        return self.make("opencl/*/Makefile", "OPENCL_INC=.", "OPENCL_LIB=.")

    def polybench(self):
        return self.make("OpenCL/**/Makefile")

    def parboil(self):
        failed, common = {}, self.folder / "common"
        runtime = [path for path in (common / "src/parboil_opencl.c", common / "src/args.c") if path.exists()]
        for makefile in sorted((self.folder / "benchmarks").glob("*/src/opencl_base/Makefile")):
            source = makefile.parent
            names = re.search(r"^SRCDIR_OBJS=([^#\n]*)", makefile.read_text(), re.M)
            sources = [path for name in (names[1].split() if names else []) for path in sorted(source.glob(f"{pathlib.Path(name).stem}.c*"))
                       if path.suffix != ".cl"]
            program = source.parents[1] / source.parents[1].name
            more = source.parents[1] / "common_src/convert-dataset"  # which reads the matrices of spmv
            wrong = self.compile(program, [*sources, *(more / name for name in ("convert_dataset.c", "mmio.c") if more.exists()), *runtime], "-ffast-math", f"-I{common}/include", f"-I{source}",
                                 f"-I{more}")
            if wrong:
                failed[str(source.relative_to(self.folder))] = wrong
        return failed

    def shared_objects(self, sources, *flags):
        """Objects of what programs share; a source that is not to be compiled is missing where a program needs it."""
        objects = [source.with_suffix(".shared.o") for source in sources]
        wrong = [self.run("g++", "-O1", *flags, "-c", source, "-o", to, where=source.parent) for source, to in zip(sources, objects)]
        return [to for to, failed in zip(objects, wrong) if not failed]

    def shoc(self):
        """Its configure does not know AArch64; of what it would find, timers are needed."""
        failed, common, opencl = {}, self.folder / "src/common", self.folder / "src/opencl/common"
        (common / "config.h").write_text("#define HAVE_GETTIMEOFDAY 1\n#define restrict __restrict__\n")
        flags = [f"-I{common}", f"-I{opencl}"]
        shared = self.shared_objects([*sorted(common.glob("*.cpp")), *sorted(opencl.glob("*.cpp"))], *flags)
        for folder in sorted({path.parent for path in (self.folder / "src/opencl/level1").glob("*/*.cl")}):
            for kernels in folder.glob("*.cl"):
                text = kernels.read_text().replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n\"\n\"")
                (folder / f"{kernels.stem}_cl.cpp").write_text(f'const char *cl_source_{kernels.stem} = "{text}";\n')
            sources = [path for path in sorted(folder.glob("*.cpp")) if not re.match("tp|MPI", path.name)]
            wrong = self.compile(folder / folder.name, sources, *flags, f"-I{folder}", *shared)
            if wrong:
                failed[str(folder.relative_to(self.folder))] = wrong
        return failed


def is_program(path):
    """An executable for the guest: ELF for AArch64, of a kind that runs."""
    with open(path, "rb") as f:
        head = f.read(20)
    return head[:4] == b"\x7fELF" and head[16] in (2, 3) and head[18:20] == b"\xb7\x00"


def compilers(folder, image):
    """gcc and g++ in a folder, which compile for the guest."""
    tools, link = folder / "tools", folder / "link"
    tools.mkdir()
    link.mkdir()
    cross.library_of_image(image, link, "libOpenCL")
    for name in "gcc", "cc", "g++", "c++":
        compiler = cross.program(cross.COMPILER if "+" in name else cross.C_COMPILER, cross.PACKAGE)
        flags = FLAGS if "+" in name else FLAGS.replace("-std=gnu++14", "-std=gnu11").replace("-fpermissive ", "")
        (tools / name).write_text(WRAPPER.format(compiler=compiler, flags=flags, link=link))
        (tools / name).chmod(0o755)
    return tools


def build(name, folder, image):
    """Builds a suite of scripts/fetch-suite beside its folder, as NAME.arm64."""
    target = folder.with_name(f"{folder.name}.arm64")
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(folder, target, symlinks=True, ignore=shutil.ignore_patterns(".git", ".hg", "cuda", "openmp"))
    with tempfile.TemporaryDirectory(prefix="gencc-suite-") as work:
        failed = getattr(Builder(target, compilers(pathlib.Path(work), image)), name)()
    found = [path for path in target.rglob("*") if path.is_file() and path.suffix not in (".o", ".so") and is_program(path)]
    return Built(sorted(str(path.relative_to(target)) for path in found), failed)
