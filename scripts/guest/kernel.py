"""Debian's kernel package: the kernel image, the Juno device trees, and its modules."""
import lzma
import shutil
from pathlib import Path

from registry import GuestError, run

META_PACKAGE = "linux-image-arm64"
TREES = [f"juno{revision}{scmi}.dtb" for revision in ("", "-r1", "-r2") for scmi in ("", "-scmi")]


def kernel_package(registry):
    """The package behind the meta package: its name changes with each point release."""
    names = [name for name in registry.depends(META_PACKAGE) if name.startswith("linux-image-")]
    if len(names) != 1:
        raise GuestError(f"{META_PACKAGE} depends on {names or 'nothing'}, not on one kernel")
    return registry.describe(names)[0]


class Kernel:
    """An unpacked kernel package."""

    def __init__(self, deb, folder):
        self.folder = Path(folder)
        run(["dpkg-deb", "-x", str(deb), str(folder)])
        # depmod and the module tools look in /lib, which is a link in a Debian system.
        (self.folder / "lib").symlink_to("usr/lib")
        images = list(self.folder.glob("boot/vmlinuz-*"))
        if len(images) != 1:
            raise GuestError(f"{Path(deb).name} holds {len(images)} kernel images, not one")
        self.image = images[0]
        self.version = self.image.name.removeprefix("vmlinuz-")
        self.modules = self.folder / "usr/lib/modules" / self.version
        self.by_name = {module_name(path): path for path in self.modules.rglob("*.ko.xz")}
        built_in = (self.modules / "modules.builtin").read_text().split()
        self.built_in = {module_name(Path(line)) for line in built_in}
        self.needs = self.read_dependencies()

    def read_dependencies(self):
        """modules.dep, by name, in the order of loading."""
        run(["depmod", "-b", str(self.folder), self.version])
        needs = {}
        for line in (self.modules / "modules.dep").read_text().splitlines():
            path, _, others = line.partition(":")
            loading_order = reversed(others.split())
            needs[module_name(Path(path))] = [module_name(Path(one)) for one in loading_order]
        return needs

    def closure(self, names):
        """The modules among these names (others are built in), each after what it needs."""
        order = []
        for name in names:
            if name in self.built_in:
                continue
            if name not in self.by_name:
                raise GuestError(f"Linux {self.version} has no module {name}")
            for module in [*self.needs.get(name, []), name]:
                if module not in order:
                    order.append(module)
        return order

    def module(self, name):
        """The bytes of a module, decompressed."""
        return lzma.decompress(self.by_name[name].read_bytes())


def module_name(path):
    return path.name.split(".")[0].replace("-", "_")


def build_kernel(kernel, output):
    data = kernel.image.read_bytes()
    if data[56:60] != b"ARMd":
        raise GuestError(f"{kernel.image.name} is not an arm64 Image (no ARMd at offset 56)")
    output.write_bytes(data)


def build_trees(kernel, output):
    """Copies the device trees into the folder `output`."""
    output.mkdir(parents=True, exist_ok=True)
    for name in TREES:
        source = kernel.folder / f"usr/lib/linux-image-{kernel.version}/arm" / name
        if not source.is_file() or source.read_bytes()[:4] != b"\xd0\x0d\xfe\xed":
            raise GuestError(f"the kernel package has no device tree {name}")
        shutil.copyfile(source, output / name)
