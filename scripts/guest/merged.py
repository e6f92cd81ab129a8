"""Packages of releases that had /bin and /lib apart from /usr, as those of later ones are."""
from pathlib import Path

from registry import run


def merge(debs, folder):
    """Packs the packages again with the files of /bin, /lib and /sbin in /usr; returns the new files."""
    packed = []
    Path(folder).mkdir(parents=True, exist_ok=True)
    for deb in debs:
        root = Path(folder) / Path(deb).name
        run(["dpkg-deb", "-R", str(deb), str(root)])
        for name in ("bin", "lib", "sbin"):
            if (root / name).is_dir():
                move_into(root / name, root / "usr" / name)
        output = root.with_suffix(".merged.deb")
        run(["dpkg-deb", "-Znone", "-b", str(root), str(output)])
        packed.append(output)
    return packed


def move_into(source, target):
    """Moves a folder's files into another, which may have folders of the same names."""
    target.mkdir(parents=True, exist_ok=True)
    for path in source.iterdir():
        if path.is_dir() and not path.is_symlink():
            move_into(path, target / path.name)
        else:
            path.rename(target / path.name)
    source.rmdir()
