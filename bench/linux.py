"""Sources of Linux for a kernel build in a guest: of Debian's package linux-source, which is fetched as
scripts/fetch-guest fetches packages."""
import os
import shutil
import subprocess
import sys
import tarfile

import pairs

sys.path.insert(0, os.path.join(pairs.ROOT, "scripts/guest"))
import registry  # noqa: E402  (it lies in the folder above)

FOLDERS = ("lib/", "kernel/", "io_uring/")
LONGEST = 3  # parts of a path: what the built files include lies no deeper


def package(guest):
    """Returns the file of the package that linux-source stands for."""
    packages = registry.Registry(os.path.join(guest, ".packages"), "arm64")
    packages.ensure_index()
    names = [name for name in packages.depends("linux-source") if name.startswith("linux-source-")]
    return packages.download(packages.describe(names[:1]))[0]


def is_wanted(name):
    return (name.startswith(FOLDERS) and name.count("/") <= LONGEST and
            name.endswith((".c", ".h", "/Makefile")))


def unpack(deb, folder):
    """Writes the files of FOLDERS, which a package has in an archive in its archive."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(deb)], stdout=subprocess.PIPE) as data:
        with tarfile.open(fileobj=data.stdout, mode="r|") as outer:
            for member in outer:
                if not member.name.endswith(".tar.xz"):
                    continue
                with tarfile.open(fileobj=outer.extractfile(member), mode="r|xz") as inner:
                    for file in inner:
                        file.name = file.name.partition("/")[2]
                        if file.isfile() and is_wanted(file.name):
                            inner.extract(file, folder)
                break
        data.stdout.read()


def sources(guest):
    """Returns the folder of sources beside the guest's files, and makes it the first time: some 40 s of
    the processor, and 150 MB to download."""
    folder = os.path.join(guest, "linux")
    if not os.path.isdir(folder):
        making = folder + ".part"
        print("bench: the kernel's sources are fetched and unpacked, once", file=sys.stderr, flush=True)
        shutil.rmtree(making, ignore_errors=True)
        unpack(package(guest), making)
        with open(os.path.join(making, "Kbuild"), "w", encoding="ascii") as file:
            file.write("obj-m += lib/ kernel/\n")
        os.rename(making, folder)
    return folder
