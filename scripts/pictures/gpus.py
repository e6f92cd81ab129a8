"""Numbers of GPUs from their descriptions, descriptions/mali/variants/*.ac and other such files."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Unknown(Exception):
    """No file describes the GPU."""


class Gpu(dict):
    """A GPU's numbers by name, those of `timing` lines included."""

    def peak(self, operations=2):
        """Returns 10^9 operations per second, given `operations` per lane and cycle: 2 if a lane
        multiplies and adds."""
        return self["cores"] * self["engines"] * self["warp_width"] * operations * self["clock_mhz"] / 1000


def numbers_of(text):
    found = re.findall(r"^\s*(?:timing )?(\w+)(?: =)? (0x[0-9a-f]+|[\d.]+)(?: \w+)?(?: \"[^\"]*\")?;", text, re.M)
    return {name: float(value) if "." in value else int(value, 0) for name, value in found}


def read(name, files=()):
    """Reads the GPU, with the numbers that it inherits by `like`."""
    blocks = {}
    for path in [*sorted((ROOT / "descriptions/mali/variants").glob("*.ac")), *files]:
        text = re.sub(r"//[^\n]*", "", pathlib.Path(path).read_text())
        blocks.update(re.findall(r"AC_GPU\((\w+)\) \{(.*?)^\}", text, re.M | re.S))
    if name not in blocks:
        raise Unknown(f"no description has the GPU {name}: there are {' '.join(blocks)}")
    like = re.search(r"\blike (\w+);", blocks[name])
    return Gpu((read(like[1], files) if like else {}) | numbers_of(blocks[name]))
