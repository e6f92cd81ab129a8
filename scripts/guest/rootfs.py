"""The Debian userland as an ext4 image, made without running any of its programs.

Packages are unpacked, not installed: what their maintainer scripts would have done and matters here
(accounts, alternatives, configuration from templates, dpkg's database) is done by this file.
"""
import hashlib
import shutil
import subprocess
from pathlib import Path

import alternatives
from registry import GuestError, run

HERE = Path(__file__).resolve().parent

PACKAGES = [
    "?essential", "apt", "busybox-static", "debian-archive-keyring", "e2fsprogs", "iproute2",
    "kmod", "less", "libc-bin", "login", "mawk", "mount", "netbase", "openssl", "passwd", "procps",
    "python3", "util-linux", "xz-utils",
]

# Mesa with its drivers for Mali: OpenCL (Rusticl), OpenGL ES without a display; what shows them.
GPU_PACKAGES = PACKAGES + [
    "clinfo", "libegl1", "libgbm1", "libgl1-mesa-dri", "libgles2", "mesa-opencl-icd",
    "mesa-utils-bin", "ocl-icd-libopencl1",
]

MODULES = [
    "virtio_mmio", "virtio_blk", "virtio_net", "virtio_rng", "virtio_gpu", "9pnet_virtio", "9p",
    "crc32c_generic", "ext4", "vfat", "nls_ascii", "nls_cp437", "squashfs", "loop", "overlay",
]

# Documentation has no reader here, and makes half of the files.
EXCLUDED = ["usr/share/man", "usr/share/info", "usr/share/locale", "usr/share/lintian"]

LINKS = {
    "usr/bin/vi": "busybox",
    "usr/sbin/halt": "poweroff",
    "usr/sbin/reboot": "poweroff",
    "etc/mtab": "../proc/self/mounts",
    "etc/localtime": "/usr/share/zoneinfo/Etc/UTC",
}

# The ICD loader takes Mesa's two platforms in no certain order, and one of them has no device.
OPENCL_PROFILE = "export OCL_ICD_VENDORS=/etc/OpenCL/vendors/rusticl.icd\n"

PAM = {
    "common-auth": "auth required pam_unix.so nullok",
    "common-account": "account required pam_unix.so",
    "common-password": "password required pam_unix.so nullok",
    "common-session": "session required pam_unix.so",
    "common-session-noninteractive": "session required pam_unix.so",
}

TEXTS = {
    "etc/hostname": "debian\n",
    "etc/hosts": "127.0.0.1 localhost debian\n::1 localhost ip6-localhost ip6-loopback\n",
    "etc/resolv.conf": "# user-mode networking's own name server\nnameserver 10.0.2.3\n",
    "etc/fstab": "/dev/vda / ext4 errors=remount-ro 0 1\n",
    "etc/default/locale": "LANG=C.UTF-8\n",
    "etc/motd": "",
    "etc/profile.d/autorun.sh": "# What a folder of the host (-virtfs) wants run at login.\n"
                                "for file in /mnt/*/autorun; do\n"
                                "    [ -r \"$file\" ] && . \"$file\"\n"
                                "done\n"
                                "unset file\n",
    "etc/apt/sources.list": "# No archive is set up here. The image is made of trixie's main.\n",
    "etc/dpkg/dpkg.cfg.d/excludes": "".join(f"path-exclude=/{name}/*\n" for name in EXCLUDED),
    "etc/shadow": "root::20000:0:99999:7:::\n",
}


def unpack(debs, root):
    """Unpacks all packages over the links of a merged /usr; returns the contents of each."""
    for name in ("bin", "sbin", "lib"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    return {deb: unpack_one(deb, root) for deb in debs}


def unpack_one(deb, root):
    """Unpacks a package; returns its paths as dpkg keeps them: `/.`, `/usr`, `/usr/bin`, ..."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(deb)], stdout=subprocess.PIPE) as archive:
        names = run(["tar", "-xvpf", "-", "--quoting-style=literal", "--warning=no-timestamp", "-C", str(root)],
                    stdin=archive.stdout)
        archive.stdout.close()
    if archive.returncode:
        raise GuestError(f"dpkg-deb failed with {archive.returncode} on {Path(deb).name}")
    paths = [name.removeprefix(".").rstrip("/") for name in names.splitlines()]
    return "".join(f"{path or '/.'}\n" for path in paths)


def write_dpkg_database(contents, requested, root, scratch):
    """Records every package as installed, as dpkg itself would have; `contents` is what unpack() returns."""
    database = root / "var/lib/dpkg"
    info = database / "info"
    for name in ("info", "updates", "triggers", "parts", "alternatives"):
        (database / name).mkdir(parents=True, exist_ok=True)
    (info / "format").write_text("1\n")
    for name in ("available", "diversions", "statoverride", "triggers/File", "triggers/Unincorp"):
        (database / name).touch()
    status, automatic = [], []
    for index, (deb, paths) in enumerate(contents.items()):
        control = scratch / f"control-{index}"
        run(["dpkg-deb", "-e", str(deb), str(control)])
        fields = (control / "control").read_text(encoding="utf-8").rstrip("\n")
        name = field(fields, "Package")
        label = name
        if field(fields, "Multi-Arch") == "same":
            label += ":" + field(fields, "Architecture")
        for path in control.iterdir():
            if path.name != "control":
                shutil.copy(path, info / f"{label}.{path.name}")
        (info / f"{label}.list").write_text(paths)
        head, _, rest = fields.partition("\n")
        status.append(f"{head}\nStatus: install ok installed\n{rest}\n" + conffiles(control, root))
        if name not in requested and field(fields, "Essential") != "yes":
            automatic.append(f"Package: {name}\nArchitecture: {field(fields, 'Architecture')}\n"
                             "Auto-Installed: 1\n")
    (database / "status").write_text("\n".join(status))
    for name in ("var/lib/apt/lists/partial", "var/cache/apt/archives/partial"):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "var/lib/apt/extended_states").write_text("\n".join(automatic))


def field(fields, name):
    for line in fields.splitlines():
        if line.startswith(f"{name}: "):
            return line.split(": ", 1)[1]
    return ""


def conffiles(control, root):
    """The Conffiles field of a package: the files that an upgrade asks about, with their sums."""
    listed = control / "conffiles"
    if not listed.exists():
        return ""
    lines = ["Conffiles:\n"]
    for line in listed.read_text().splitlines():
        path = root / line.strip().lstrip("/")
        if line.startswith("/") and path.is_file():
            lines.append(f" {line.strip()} {hashlib.md5(path.read_bytes()).hexdigest()}\n")
    return "".join(lines) if len(lines) > 1 else ""


def configure(root):
    """What the packages' own scripts would have set up."""
    for name in ("passwd", "group"):
        shutil.copy(root / f"usr/share/base-passwd/{name}.master", root / "etc" / name)
    for template in ("base-files/profile", "libc-bin/nsswitch.conf"):
        shutil.copy(root / "usr/share" / template, root / "etc" / Path(template).name)
    shutil.copy(root / "etc/skel/.bashrc", root / "root/.bashrc")
    shutil.copy(root / "etc/skel/.profile", root / "root/.profile")
    for name, line in PAM.items():
        (root / "etc/pam.d" / name).write_text(line + "\n")
    for name, text in TEXTS.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "etc/shadow").chmod(0o640)
    for name, target in LINKS.items():
        link = root / name
        if not link.is_symlink() and not link.exists():
            link.symlink_to(target)
    if not (root / "usr/bin/sh").is_symlink():
        (root / "usr/bin/sh").symlink_to("dash")
    for name in ("init", "poweroff"):
        shutil.copyfile(HERE / f"rootfs-{name}", root / "usr/sbin" / name)
        (root / "usr/sbin" / name).chmod(0o755)


def configure_opencl(root):
    """OpenCL's first platform is the one with devices; programs that load libOpenCL.so find it."""
    if (root / "etc/OpenCL/vendors/rusticl.icd").exists():
        (root / "etc/profile.d/opencl.sh").write_text(OPENCL_PROFILE)
    for library in root.glob("usr/lib/*/libOpenCL.so.1"):
        link = library.with_name("libOpenCL.so")
        if not link.is_symlink() and not link.exists():
            link.symlink_to(library.name)


def add_modules(kernel, architecture, root):
    """The modules worth having, and which of them are loaded at the start."""
    kernel.install(MODULES + architecture.board_modules, root)
    (root / "etc/modules").write_text("".join(f"{name}\n" for name in architecture.boot_modules))


def image_megabytes(used, size, power_of_two):
    """The size of an image of `used` MB of files: `size`, or what leaves room to work in."""
    if size and used >= size:
        raise GuestError(f"--size {size}M is too small: there are {used} MB of files")
    megabytes = size or used * 5 // 4 + 320
    if power_of_two and megabytes & (megabytes - 1):
        if size:
            raise GuestError(f"--size {size}M: an SD card's size is a power of two")
        megabytes = 1 << megabytes.bit_length()
    return megabytes


def make_image(root, size, power_of_two, output):
    """Packs the tree into an ext4 image of `size` MB, or of as many as it takes (None)."""
    used = int(run(["du", "-sk", "--apparent-size", str(root)]).split()[0]) // 1024
    megabytes = image_megabytes(used, size, power_of_two)
    output.unlink(missing_ok=True)
    try:
        run(["mke2fs", "-q", "-t", "ext4", "-b", "4096", "-d", str(root), "-L", "debian", "-m", "1",
             "-U", "6b3f1f5e-2d51-4f0e-9e0b-67656e636301",
             "-E", "root_owner=0:0,lazy_itable_init=0,lazy_journal_init=0,"
                   "hash_seed=6b3f1f5e-2d51-4f0e-9e0b-67656e636302",
             str(output), f"{megabytes}M"])
    except GuestError as error:
        raise GuestError(f"{used} MB of files in an image of {megabytes} MB: {error}") from error
    run(["e2fsck", "-fn", str(output)])


def build_rootfs(debs, packages, kernel, architecture, folder, output, size=None):
    """Makes the image of `packages`, whose closure is `debs`, of `size` MB or as many as it takes."""
    root = Path(folder) / "root"
    scratch = Path(folder) / "scratch"
    scratch.mkdir(parents=True)
    contents = unpack(debs, root)
    write_dpkg_database(contents, packages, root, scratch)
    for name in EXCLUDED:
        shutil.rmtree(root / name, ignore_errors=True)
        (root / name).mkdir()
    alternatives.set_up(root)
    configure(root)
    configure_opencl(root)
    add_modules(kernel, architecture, root)
    make_image(root, size, architecture.sd_card, output)
