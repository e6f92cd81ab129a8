"""What differs between the guests' architectures: Debian's names, kernel formats, drivers."""
from collections import namedtuple

Architecture = namedtuple("Architecture", [
    "name",              # Debian's
    "kernel_flavour",    # Debian's: linux-image-FLAVOUR is the meta package, vmlinuz-FLAVOUR ours
    "kernel_format",     # what its image is called
    "kernel_magic",      # (offset, bytes) that tell it
    "trees",             # device trees, below /usr/lib/linux-image-VERSION
    "library",           # the folder of its libraries, below /usr/lib
    "initramfs_modules",  # what modprobe finds in the plain initramfs
    "disk_modules",      # what finds a disk, beside ext4 and virtio
    "board_modules",     # what its boards have, for the userland
    "boot_modules",      # those of them that the userland loads at its start
    "sd_card",           # disk images are SD cards too: their size is a power of two, as QEMU wants
])

VIRTIO = ["virtio_mmio", "virtio_blk", "virtio_net"]

ARM64 = Architecture(
    name="arm64", kernel_flavour="arm64",
    kernel_format="a raw arm64 Image", kernel_magic=(56, b"ARMd"),
    trees=[f"arm/juno{revision}{scmi}.dtb"
           for revision in ("", "-r1", "-r2") for scmi in ("", "-scmi")]
    + ["arm/vexpress-v2f-1xv7-ca53x2.dtb"],
    library="aarch64-linux-gnu",
    initramfs_modules=[], disk_modules=[],
    board_modules=["smsc911x", "armmmci", "mmc_block", "sp805_wdt", "arm_mhu", "arm_mhu_db",
                   "arm_scpi", "clk_scpi", "scpi_pm_domain", "scpi_cpufreq", "scpi_hwmon", "hdlcd",
                   "panfrost"],
    boot_modules=[], sd_card=False)

ARMHF = Architecture(
    name="armhf", kernel_flavour="armmp",
    kernel_format="a zImage", kernel_magic=(0x24, b"\x18\x28\x6f\x01"),
    trees=[f"vexpress-v2p-{tile}.dtb" for tile in ("ca15-tc1", "ca15_a7", "ca5s", "ca9")],
    library="arm-linux-gnueabihf",
    initramfs_modules=[*VIRTIO, "smsc911x", "armmmci"], disk_modules=["armmmci"],
    board_modules=["smsc911x", "armmmci", "mmc_block", "sp805_wdt", "ambakmi", "psmouse", "evdev",
                   "panfrost"],
    boot_modules=["smsc911x"], sd_card=True)

RISCV64 = Architecture(
    name="riscv64", kernel_flavour="riscv64",
    kernel_format="a raw RISC-V Image", kernel_magic=(56, b"RSC\x05"),
    trees=[], library="riscv64-linux-gnu",
    initramfs_modules=VIRTIO, disk_modules=[],
    board_modules=[], boot_modules=[], sd_card=False)

# The last release with MIPS is bookworm (SUITES).
MIPSEL = Architecture(
    name="mipsel", kernel_flavour="4kc-malta",
    kernel_format="an ELF file", kernel_magic=(0, b"\x7fELF\x01\x01"),
    trees=[], library="mipsel-linux-gnu",
    initramfs_modules=[], disk_modules=[],
    board_modules=[], boot_modules=[], sd_card=False)

ARCHITECTURES = [ARM64, ARMHF, RISCV64, MIPSEL]

# The release of an architecture's packages, where it is not that of all others (registry.SUITE).
SUITES = {"mipsel": "bookworm"}
