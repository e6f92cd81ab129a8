"""C++ programs for the arm64 guest, compiled on the host in seconds by Debian's cross compiler (package g++-aarch64-linux-gnu). Headers and
libraries that only the guest has are read from its image, which need not be mounted."""
import pathlib
import shutil
import subprocess
import tempfile

import runs

C_COMPILER, COMPILER, PACKAGE = "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", "g++-aarch64-linux-gnu"
HEADERS, LIBRARIES = "/usr/include/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu"


def program(name, package):
    """A program's path; Trouble names the package if it is missing. Debian's root-only programs count as well."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if not found:
        raise runs.Trouble(f"{name} is missing: apt-get install {package}")
    return found


def of_image(image, requests):
    """Runs commands of debugfs on a file system image, of which nothing is changed; what it printed. It has status 0 in any case."""
    done = subprocess.run([program("debugfs", "e2fsprogs"), "-f", "-", str(image)], input="".join(f"{line}\n" for line in requests),
                          capture_output=True, text=True, check=False)
    wrong = [line for line in done.stderr.splitlines() if not line.startswith("debugfs ")]
    if wrong:
        raise runs.Trouble(f"{image}: {wrong[0]}")
    return done.stdout


def library_of_image(image, folder, library):
    """Copies a library of an image, by its name without a number, into a folder."""
    names = [line.split("/")[5] for line in of_image(image, [f"ls -p {LIBRARIES}"]).splitlines() if line.startswith("/")]
    found = sorted((name for name in names if name.startswith(f"{library}.so.")), key=len)
    if not found:
        raise runs.Trouble(f"{image} has no {library}")
    of_image(image, [f"dump {LIBRARIES}/{found[-1]} {folder}/{library}.so"])


def newer(target, *made_of):
    """Whether a file is there and not older than what it is made of."""
    return target.exists() and all(target.stat().st_mtime >= pathlib.Path(path).stat().st_mtime for path in made_of)


def compile_with_image(source, target, image, headers, library):
    """Compiles a source with a library of an image, unless the target is newer than both. What the library itself needs is not looked for:
    the guest has it."""
    if newer(target, source, image):
        return
    compiler = program(COMPILER, PACKAGE)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="gencc-cross-") as folder:
        include = pathlib.Path(folder) / "include"
        include.mkdir()
        of_image(image, [f"rdump {HEADERS}/{name} {include}" for name in headers])
        library_of_image(image, folder, library)
        done = subprocess.run([compiler, "-O0", "-std=c++17", "-isystem", include, "-o", target, source, f"{folder}/{library}.so",
                               "-Wl,--allow-shlib-undefined"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise runs.Trouble(f"{source}: {done.stderr[-2000:]}")
