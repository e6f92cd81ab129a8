"""Piglit's programs and the OpenCL tests that they read, as a folder that a guest mounts (-virtfs)."""
import subprocess

from registry import GuestError

PARTS = ["bin/*", "lib/*", "tests/cl/*", "generated_tests/cl/*"]
# Libraries of the programs for OpenGL that the GPU's userland has not.
LIBRARIES = ["libwaffle-1-0", "libxcb-dri2-0"]


def unpack(deb, folder, parts, output):
    """Unpacks the parts of a package's folder into the folder `output`."""
    archive = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(deb)], stdout=subprocess.PIPE)
    done = subprocess.run(["tar", "-x", "-C", str(output), "--wildcards",
                           f"--strip-components={folder.count('/') + 1}",
                           *(f"{folder}/{part}" for part in parts)],
                          stdin=archive.stdout, stderr=subprocess.PIPE, text=True, check=False)
    archive.stdout.close()
    archive.wait()
    if done.returncode:
        raise GuestError(f"{deb.name} holds no {', '.join(parts)}: {done.stderr.strip()[-200:]}")


def build_piglit(deb, libraries, library, output):
    """Unpacks what is needed of the package `deb` and of those of `libraries` into the folder `output`."""
    output.mkdir(parents=True, exist_ok=True)
    unpack(deb, f"./usr/lib/{library}/piglit", PARTS, output)
    for other in libraries:
        unpack(other, f"./usr/lib/{library}", ["*.so.*"], output / "lib")
