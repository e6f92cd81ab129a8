"""What descriptions say of GPUs: the numbers of descriptions/mali/variants/*.ac and of other such files."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Unknown(Exception):
    """A GPU that no file has."""


class Gpu(dict):
    """Its numbers by name, those of `timing` lines too."""

    def peak(self, operations=2):
        """Thousand millions a second of `operations` a lane and cycle: 2 where a lane multiplies and adds."""
        return self["cores"] * self["engines"] * self["warp_width"] * operations * self["clock_mhz"] / 1000


def numbers_of(text):
    found = re.findall(r"^\s*(?:timing )?(\w+)(?: =)? (0x[0-9a-f]+|[\d.]+)(?: \w+)?(?: \"[^\"]*\")?;", text, re.M)
    return {name: float(value) if "." in value else int(value, 0) for name, value in found}


def read(name, files=()):
    """The GPU, with what it takes over by `like`."""
    blocks = {}
    for path in [*sorted((ROOT / "descriptions/mali/variants").glob("*.ac")), *files]:
        text = re.sub(r"//[^\n]*", "", pathlib.Path(path).read_text())
        blocks.update(re.findall(r"AC_GPU\((\w+)\) \{(.*?)^\}", text, re.M | re.S))
    if name not in blocks:
        raise Unknown(f"no description has the GPU {name}: there are {' '.join(blocks)}")
    like = re.search(r"\blike (\w+);", blocks[name])
    return Gpu((read(like[1], files) if like else {}) | numbers_of(blocks[name]))
