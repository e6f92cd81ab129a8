"""What scripts/fetch-guest made is what it says: judged by dtc, cpio and e2fsprogs.

usage: test_guest_images.py FOLDER [Kernel | Disk] (what was not fetched is missing: a failure)
"""
import gzip
import os
import subprocess
import sys
import unittest
from pathlib import Path

FOLDER = Path(sys.argv.pop(1))
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
    def test_kernel(self):
        with open(self.need("vmlinuz-arm64"), "rb") as file:
            self.assertEqual(file.read(64)[56:60], b"ARMd")

    def test_device_trees(self):
        self.need("dtb")
        for revision in ("", "-r1", "-r2"):
            for firmware in ("", "-scmi"):
                tree = FOLDER / f"dtb/juno{revision}{firmware}.dtb"
                text = output_of(["dtc", "-q", "-I", "dtb", "-O", "dts", str(tree)]).decode()
                self.assertIn("arm,juno", text)

    def test_initramfs(self):
        lines = self.listing("initramfs-arm64.cpio.gz")
        for end in (" init", " bin/busybox", " bin/sh -> busybox", " dev/console"):
            self.assertTrue(any(line.endswith(end) for line in lines), end)
        self.assertEqual([line for line in lines if line.split()[2:4] != ["root", "root"]], [])


class Disk(Images):
    def debugfs(self, command):
        image = self.need("rootfs-arm64.ext4")
        return output_of(["debugfs", "-R", command, str(image)]).decode()

    def test_disk_initramfs(self):
        lines = self.listing("initramfs-arm64-disk.cpio.gz")
        names = {line.split()[-1] for line in lines}
        self.assertLessEqual({f"modules/{name}" for name in
                              ("order", "ext4.ko", "virtio_mmio.ko", "virtio_blk.ko")}, names)

    def test_rootfs_programs(self):
        for path in ("/usr/bin/bash", "/usr/bin/python3.13", "/usr/bin/openssl", "/usr/bin/xz",
                     "/usr/bin/apt", "/usr/bin/lsblk", "/usr/sbin/init", "/usr/sbin/poweroff"):
            stat = self.debugfs(f"stat {path}")
            self.assertRegex(stat, r"Type: regular +Mode: +0755", path)
            self.assertRegex(stat, r"User: +0 ", path)

    def test_rootfs_packages(self):
        status = self.debugfs("cat /var/lib/dpkg/status")
        self.assertGreater(status.count("\nStatus: install ok installed\n"), 80)
        self.assertIn("Package: python3\n", status)

    def test_rootfs_file_system(self):
        # A guest that was stopped leaves a journal to replay, which is not an error of ours.
        if "needs_recovery" not in self.debugfs("features"):
            output_of(["e2fsck", "-fn", str(self.need("rootfs-arm64.ext4"))])


if __name__ == "__main__":
    unittest.main()
