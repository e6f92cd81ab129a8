"""Piglit's OpenCL tests, as a folder that a guest mounts (-virtfs): binaries, libraries, programs."""
import subprocess

from registry import GuestError

PARTS = ["bin/cl-*", "lib/libpiglitutil.so*", "lib/libpiglitutil_cl.so*", "tests/cl/*",
         "generated_tests/cl/*"]


def build_piglit(deb, library, output):
    """Unpacks what OpenCL needs of the package into the folder `output`."""
    root = f"./usr/lib/{library}/piglit"
    output.mkdir(parents=True, exist_ok=True)
    archive = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(deb)], stdout=subprocess.PIPE)
    done = subprocess.run(["tar", "-x", "-C", str(output), "--wildcards",
                           f"--strip-components={root.count('/') + 1}",
                           *(f"{root}/{part}" for part in PARTS)],
                          stdin=archive.stdout, stderr=subprocess.PIPE, text=True, check=False)
    archive.stdout.close()
    archive.wait()
    if done.returncode or not (output / "bin/cl-program-tester").exists():
        raise GuestError("the piglit package holds no OpenCL tests: " + done.stderr.strip()[-200:])
