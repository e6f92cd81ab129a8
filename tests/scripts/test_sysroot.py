"""scripts/sysroot: which packages a build for another architecture links with, and when QEMU is too old."""
import importlib.machinery
import importlib.util
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
SCRIPT = Path(__file__).resolve().parents[2] / "scripts/sysroot"
loader = importlib.machinery.SourceFileLoader("sysroot", str(SCRIPT))
sysroot = importlib.util.module_from_spec(importlib.util.spec_from_loader("sysroot", loader))
loader.exec_module(sysroot)


class Sysroot(unittest.TestCase):
    def test_packages_are_those_with_headers(self):
        names = sysroot.packages()
        for name in ("libc6-dev", "libffi-dev", "zlib1g-dev", "libslirp-dev", "libcmocka-dev", sysroot.LLVM):
            self.assertIn(name, names)
        for name in set(names) - {sysroot.LLVM}:
            self.assertRegex(name, r"-dev$")  # the cross compiler's own packages end otherwise

    def has_new_qemu(self, text):
        with mock.patch.object(sysroot.registry, "run", return_value=text):
            return sysroot.has_new_qemu()

    def test_qemu_is_new_from_8_1_on(self):
        self.assertFalse(self.has_new_qemu("qemu-aarch64 version 7.2.22 (Debian 1:7.2+dfsg)"))
        self.assertFalse(self.has_new_qemu("qemu-aarch64 version 8.0.5"))
        self.assertTrue(self.has_new_qemu("qemu-aarch64 version 8.1.0"))
        self.assertTrue(self.has_new_qemu("qemu-aarch64 version 10.0.13 (Debian 1:10.0.13)"))

    def test_no_qemu_is_none(self):
        with mock.patch.object(sysroot.registry, "run", side_effect=FileNotFoundError):
            self.assertFalse(sysroot.has_new_qemu())

    def test_an_unknown_option_is_refused(self):
        done = subprocess.run([sys.executable, SCRIPT, "--bad"], capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)


unittest.main()
