"""The files that scripts/fetch-guest made, checked by dtc, cpio and e2fsprogs.

usage: test_guest_images.py FOLDER [Kernel | Disk] (files that were not fetched are failures)"""
import gzip
import os
import subprocess
import sys
import unittest
from pathlib import Path

FOLDER = Path(sys.argv.pop(1))
ARCHITECTURES = ("arm64", "armhf", "riscv64")
os.environ["PATH"] += ":/usr/sbin:/sbin"


def output_of(command, **options):
    return subprocess.run(command, check=True, capture_output=True, **options).stdout


class Images(unittest.TestCase):
    def need(self, name):
        path = FOLDER / name
        self.assertTrue(path.exists(), f"{path} is missing: run scripts/fetch-guest")
        return path

    def listing(self, name):
        archive = gzip.decompress(self.need(name).read_bytes())
        return output_of(["cpio", "--quiet", "-tv"], input=archive).decode().splitlines()


class Kernel(Images):
    def test_kernels(self):
        for name, offset, magic in (("arm64", 56, b"ARMd"), ("armmp", 36, b"\x18\x28\x6f\x01"),
                                    ("riscv64", 56, b"RSC\x05")):
            with open(self.need(f"vmlinuz-{name}"), "rb") as file:
                self.assertEqual(file.read(64)[offset:offset + 4], magic, name)

    def test_device_trees(self):
        self.need("dtb")
        trees = [("arm,juno", f"juno{revision}{firmware}")
                 for revision in ("", "-r1", "-r2") for firmware in ("", "-scmi")]
        trees += [("arm,vexpress", f"vexpress-{tile}")
                  for tile in ("v2p-ca15-tc1", "v2p-ca9", "v2f-1xv7-ca53x2")]
        for compatible, name in trees:
            tree = self.need(f"dtb/{name}.dtb")
            text = output_of(["dtc", "-q", "-I", "dtb", "-O", "dts", str(tree)]).decode()
            self.assertIn(compatible, text)

    def test_initramfs(self):
        for architecture in ARCHITECTURES:
            lines = self.listing(f"initramfs-{architecture}.cpio.gz")
            for end in (" init", " bin/busybox", " bin/sh -> busybox", " dev/console"):
                self.assertTrue(any(line.endswith(end) for line in lines), (architecture, end))
            self.assertEqual([line for line in lines if line.split()[2:4] != ["root", "root"]], [])

    def test_busybox_is_of_its_architecture(self):
        for architecture, machine in (("arm64", 183), ("armhf", 40), ("riscv64", 243)):
            archive = gzip.decompress(self.need(f"initramfs-{architecture}.cpio.gz").read_bytes())
            program = output_of(["cpio", "--quiet", "-i", "--to-stdout", "bin/busybox"],
                                input=archive)
            self.assertEqual(int.from_bytes(program[18:20], "little"), machine, architecture)

    def test_modules_of_initramfs(self):
        for architecture, modules in (("armhf", ("smsc911x", "armmmci", "virtio_blk")),
                                      ("riscv64", ("virtio_mmio", "virtio_net"))):
            archive = gzip.decompress(self.need(f"initramfs-{architecture}.cpio.gz").read_bytes())
            index = output_of(["cpio", "--quiet", "-i", "--to-stdout", "lib/modules/*/modules.dep"],
                              input=archive).decode()
            named = {line.partition(":")[0] for line in index.splitlines()}
            self.assertLessEqual({f"{name}.ko" for name in modules}, named)


class Disk(Images):
    def debugfs(self, architecture, command):
        image = self.need(f"rootfs-{architecture}.ext4")
        return output_of(["debugfs", "-R", command, str(image)]).decode()

    def test_disk_initramfs(self):
        for architecture in ARCHITECTURES:
            lines = self.listing(f"initramfs-{architecture}-disk.cpio.gz")
            names = {line.split()[-1] for line in lines}
            self.assertLessEqual({f"modules/{name}" for name in
                                  ("order", "ext4.ko", "virtio_mmio.ko", "virtio_blk.ko")}, names)
            self.assertEqual("modules/armmmci.ko" in names, architecture == "armhf")

    def test_rootfs_programs(self):
        for architecture in ARCHITECTURES:
            for path in ("/usr/bin/bash", "/usr/bin/python3.13", "/usr/bin/openssl", "/usr/bin/xz",
                         "/usr/bin/apt", "/usr/bin/lsblk", "/usr/sbin/init", "/usr/sbin/poweroff"):
                stat = self.debugfs(architecture, f"stat {path}")
                self.assertRegex(stat, r"Type: regular +Mode: +0755", path)
                self.assertRegex(stat, r"User: +0 ", path)

    def test_rootfs_packages(self):
        for architecture in ARCHITECTURES:
            status = self.debugfs(architecture, "cat /var/lib/dpkg/status")
            self.assertGreater(status.count("\nStatus: install ok installed\n"), 80)
            self.assertIn("Package: python3\n", status)
            self.assertIn(f"\nArchitecture: {architecture}\n", status)

    def test_rootfs_file_system(self):
        for architecture in ARCHITECTURES:
            # A stopped guest leaves a journal to replay, which is not our error.
            if "needs_recovery" not in self.debugfs(architecture, "features"):
                output_of(["e2fsck", "-fn", str(self.need(f"rootfs-{architecture}.ext4"))])

    def test_sd_cards(self):
        for name in ("rootfs-armhf.ext4", "rootfs-armhf-gpu.ext4"):
            self.assertEqual(self.need(name).stat().st_size.bit_count(), 1, name)


if __name__ == "__main__":
    unittest.main()
