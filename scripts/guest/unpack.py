"""Unpacks the userland of a disk image into a folder, for programs of user mode."""
import os
import shutil
import subprocess
from pathlib import Path

from registry import GuestError

# A file in the folder that names the image it was unpacked from.
STAMP = ".unpacked"


def identity(image):
    stat = image.stat()
    return f"{image.name} {stat.st_size} {stat.st_mtime_ns}\n"


def read_all(image, folder):
    """Reads all files of an ext4 image. They belong to the user, since only root may give them away;
    debugfs says so of each, and its status is 0 whatever happens."""
    done = subprocess.run(["debugfs", "-R", "rdump / .", str(image.resolve())], cwd=folder, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if not (folder / "usr").is_dir() or not (folder / "etc").is_dir():
        raise GuestError(f"{image}: debugfs found no userland: {done.stdout.decode(errors='replace')[-500:]}")


def unpack(image, folder):
    """Unpacks an image into a folder; false: it is there already. A folder that was not unpacked from
    an image is left alone."""
    image, folder = Path(image), Path(os.path.abspath(folder))
    stamp = folder / STAMP
    if stamp.exists() and stamp.read_text() == identity(image):
        return False
    if folder.exists() and not stamp.exists() and any(folder.iterdir()):
        raise GuestError(f"{folder} is there, and not an unpacked userland")
    if not shutil.which("debugfs", path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
        raise GuestError("needs debugfs: run scripts/setup (Debian 12)")
    partial = folder.with_name(folder.name + ".partial")
    for old in (partial, folder):
        shutil.rmtree(old, ignore_errors=True)
    partial.mkdir(parents=True)
    read_all(image, partial)
    (partial / STAMP).write_text(identity(image))
    partial.rename(folder)
    return True
