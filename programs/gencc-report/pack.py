#!/usr/bin/env python3
"""Packs modules into a file that python3 runs; the same input gives the same bytes.

    pack.py OUT VERSION FOLDER FILE...    names that are not absolute are of FOLDER and keep their folders
"""
import os
import pathlib
import sys
import zipfile

DATE = (1980, 1, 1, 0, 0, 0)


def main(out, version, folder, *names):
    beside = pathlib.Path(f"{out}.part")
    beside.parent.mkdir(parents=True, exist_ok=True)
    with open(beside, "wb") as f:
        f.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(f, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(zipfile.ZipInfo("version.py", DATE), f'VERSION = "{version}"\n', zipfile.ZIP_DEFLATED)
            for name in sorted(names):
                path = pathlib.Path(name)
                inside = path.name if path.is_absolute() else name
                archive.writestr(zipfile.ZipInfo(inside, DATE), (pathlib.Path(folder) / path).read_bytes(), zipfile.ZIP_DEFLATED)
    os.chmod(beside, 0o755)
    os.replace(beside, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
