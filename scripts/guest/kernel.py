"""Debian's kernel package: the kernel image, device trees, and its modules."""
import lzma
import re
import shutil
from pathlib import Path

from registry import GuestError, run


# Checksums that ext4 asks for by name at run time. Newer kernels have them built in, as no module.
CHECKSUMS = {"crc32c_generic", "libcrc32c"}


def kernel_packages(registry, flavour):
    """The packages behind the meta package: their names change with each point release.

    Newer kernels come in parts, which end with the same version."""
    meta_package = f"linux-image-{flavour}"
    names = [name for name in registry.depends(meta_package) if name.startswith("linux-image-")]
    if len(names) != 1:
        raise GuestError(f"{meta_package} depends on {names or 'nothing'}, not on one kernel")
    version = names[0].removeprefix("linux-image")
    parts = [name for name in registry.depends(names[0]) if name.endswith(version)]
    return registry.describe(names + parts)


class Kernel:
    """The unpacked packages of a kernel."""

    def __init__(self, debs, folder):
        self.folder = Path(folder)
        for deb in debs:
            run(["dpkg-deb", "-x", str(deb), str(folder)])
        # depmod and the module tools look in /lib, which is a link in a Debian system.
        (self.folder / "lib").symlink_to("usr/lib")
        images = [*self.folder.glob("boot/vmlinu[xz]-*"),
                  *self.folder.glob("usr/lib/modules/*/vmlinu[xz]")]
        if len(images) != 1:
            raise GuestError(f"{Path(debs[0]).name} holds {len(images)} kernel images, not one")
        self.image = images[0]
        self.version = self.image.name.partition("-")[2] or self.image.parent.name
        self.modules = self.folder / "usr/lib/modules" / self.version
        self.by_name = {module_name(path): path for path in self.modules.rglob("*.ko.xz")}
        built_in = (self.modules / "modules.builtin").read_text().split()
        self.built_in = {module_name(Path(line)) for line in built_in}
        self.known_needs = {}

    def needs(self, name):
        """What a module needs, by name, in the order of loading: as modules.dep would have it, but depmod reads all
        thousands of modules for that."""
        if name not in self.known_needs:
            order = []
            for direct in depends(self.module(name)):
                order += [one for one in [*self.needs(direct), direct] if one not in order]
            self.known_needs[name] = order
        return self.known_needs[name]

    def closure(self, names):
        """The modules among these names (others are built in), each after what it needs."""
        order = []
        for name in names:
            if name in self.built_in or name in CHECKSUMS - self.by_name.keys():
                continue
            if name not in self.by_name:
                raise GuestError(f"Linux {self.version} has no module {name}")
            for module in [*self.needs(name), name]:
                if module not in order:
                    order.append(module)
        return order

    def module(self, name):
        """The bytes of a module, decompressed."""
        return lzma.decompress(self.by_name[name].read_bytes())

    def install(self, names, root):
        """Copies modules and what they need into a tree, and indexes them for modprobe."""
        target = root / "usr/lib/modules" / self.version
        target.mkdir(parents=True, exist_ok=True)  # packages of headers have a link there
        for name in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
            if (self.modules / name).exists():
                shutil.copy(self.modules / name, target / name)
        for name in self.closure(names):
            source = self.by_name[name]
            path = target / source.relative_to(self.modules)
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, path)
        run(["depmod", "-b", str(root), self.version])


def depends(module):
    """The modules that one's bytes name directly, which modpost has put into its section .modinfo."""
    match = re.search(rb"(?<![\w.])depends=([^\0]*)\0", module)
    if not match:
        raise GuestError("a module of the kernel package does not say what it depends on")
    return [name.replace("-", "_") for name in match[1].decode().split(",") if name]


def module_name(path):
    return path.name.split(".")[0].replace("-", "_")


def build_kernel(kernel, architecture, output):
    data = kernel.image.read_bytes()
    offset, magic = architecture.kernel_magic
    if data[offset:offset + len(magic)] != magic:
        raise GuestError(f"{kernel.image.name} is not {architecture.kernel_format} "
                         f"(no {magic} at offset {offset})")
    output.write_bytes(data)


def build_trees(kernel, architecture, folder):
    """Copies the device trees into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in architecture.trees:
        source = kernel.folder / f"usr/lib/linux-image-{kernel.version}" / name
        if not source.is_file() or source.read_bytes()[:4] != b"\xd0\x0d\xfe\xed":
            raise GuestError(f"the kernel package has no device tree {name}")
        shutil.copyfile(source, folder / source.name)
