"""The initial RAM file systems: busybox, an /init of ours, and some of the kernel's modules."""
import gzip
from pathlib import Path

from registry import run

HERE = Path(__file__).resolve().parent

# ext4 on virtio-blk. The crc32c modules are asked for by name at run time, not by dependency.
DISK_MODULES = ["crc32c_generic", "libcrc32c", "crc16", "mbcache", "jbd2", "ext4",
                "virtio_mmio", "virtio_blk"]


class Cpio:
    """A cpio archive (newc), all root's and without dates: the same input gives the same bytes."""

    def __init__(self):
        self.entries = []
        self.names = set()

    def add(self, name, mode, data=b"", device=(0, 0)):
        for parent in reversed(Path(name).parents[:-1]):
            if str(parent) not in self.names:
                self.add(str(parent), 0o040755)
        self.names.add(name)
        self.entries.append(self.record(name, mode, data, device))

    def record(self, name, mode, data=b"", device=(0, 0)):
        encoded = name.encode() + b"\0"
        links = 2 if mode & 0o170000 == 0o040000 else 1
        fields = [len(self.entries) + 1, mode, 0, 0, links, 0, len(data), 0, 0, *device,
                  len(encoded), 0]
        header = b"070701" + b"".join(b"%08X" % field for field in fields)
        return pad(header + encoded) + pad(data)

    def directory(self, name, mode=0o755):
        self.add(name, 0o040000 | mode)

    def file(self, name, data, mode=0o644):
        self.add(name, 0o100000 | mode, data)

    def link(self, name, target):
        self.add(name, 0o120777, target.encode())

    def console(self):
        """What the kernel opens for PID 1 before there is a devtmpfs."""
        self.add("dev/console", 0o020600, device=(5, 1))

    def compressed(self):
        archive = b"".join(self.entries) + self.record("TRAILER!!!", 0)
        return gzip.compress(archive, 9, mtime=0)


def pad(data):
    return data + bytes(-len(data) % 4)


def base_archive(busybox_deb, init, folder):
    """busybox and the /init of the given name."""
    run(["dpkg-deb", "-x", str(busybox_deb), str(folder)])
    archive = Cpio()
    for name in ("bin", "dev", "etc", "newroot", "proc", "root", "sbin", "sys"):
        archive.directory(name)
    archive.directory("tmp", 0o1777)
    archive.console()
    archive.file("bin/busybox", (Path(folder) / "usr/bin/busybox").read_bytes(), 0o755)
    archive.link("bin/sh", "busybox")
    archive.file("etc/passwd", b"root:x:0:0:root:/root:/bin/sh\n")
    archive.file("etc/group", b"root:x:0:\n")
    archive.file("init", (HERE / init).read_bytes(), 0o755)
    return archive


def build_initramfs(busybox_deb, kernel, architecture, folder, output):
    """A shell on the console, and modules for `modprobe`."""
    archive = base_archive(busybox_deb, "initramfs-init", folder)
    archive.file("etc/inittab", (HERE / "initramfs-inittab").read_bytes())
    archive.file("etc/session", (HERE / "initramfs-session").read_bytes(), 0o755)
    if architecture.initramfs_modules:
        add_module_tree(archive, kernel, architecture.initramfs_modules)
    output.write_bytes(archive.compressed())


def add_module_tree(archive, kernel, names):
    """The modules where modprobe looks, with what it reads of them."""
    folder = f"lib/modules/{kernel.version}"
    modules = kernel.closure(names)
    for name in modules:
        archive.file(f"{folder}/{name}.ko", kernel.module(name))
    lines = []
    for name in modules:
        needs = reversed(kernel.needs(name))  # modules.dep has what is loaded first last
        lines.append(" ".join([f"{name}.ko:", *(f"{one}.ko" for one in needs)]) + "\n")
    archive.file(f"{folder}/modules.dep", "".join(lines).encode())


def add_indexed_modules(archive, kernel, names, folder):
    """The modules as a userland's modprobe wants them."""
    (folder / "usr/lib").mkdir(parents=True)
    (folder / "lib").symlink_to("usr/lib")
    kernel.install(names, folder)
    modules = folder / "usr/lib/modules"
    for path in sorted(path for path in modules.rglob("*") if path.is_file()):
        archive.file(f"lib/modules/{path.relative_to(modules)}", path.read_bytes())


def build_disk_initramfs(busybox_deb, kernel, architecture, folder, output, userland_modules=()):
    """Loads what a disk with ext4 needs, and starts what is on it.

    A userland of another kernel gets the modules that are named here."""
    archive = base_archive(busybox_deb, "initramfs-disk-init", folder)
    modules = kernel.closure(DISK_MODULES + architecture.disk_modules)
    for name in modules:
        archive.file(f"modules/{name}.ko", kernel.module(name))
    archive.file("modules/order", "".join(f"{name}.ko\n" for name in modules).encode())
    if userland_modules:
        add_indexed_modules(archive, kernel, userland_modules, Path(folder) / "userland")
    output.write_bytes(archive.compressed())
