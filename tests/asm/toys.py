"""Copies of a toy ISA in which one thing is another."""
import shutil
from pathlib import Path


def changed_toy(toys, folder, file, right, wrong):
    """Copies tests/bundle's toy ISA `single` with one text of a file replaced. Returns the architecture's path."""
    for path in Path(toys).glob("single*"):
        shutil.copy(path, folder)
    path = Path(folder) / file
    source = path.read_text()
    assert source.count(right) == 1
    path.write_text(source.replace(right, wrong))
    return Path(folder) / "single.ac"
