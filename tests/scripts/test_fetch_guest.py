"""scripts/fetch-guest: the names that --only and --packages accept, and when an artifact counts as
made."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
SCRIPT = Path(__file__).resolve().parents[2] / "scripts/fetch-guest"
loader = importlib.machinery.SourceFileLoader("fetch_guest", str(SCRIPT))
fetch_guest = importlib.util.module_from_spec(importlib.util.spec_from_loader("fetch_guest", loader))
loader.exec_module(fetch_guest)


class Chosen(unittest.TestCase):
    def test_one(self):
        self.assertEqual(fetch_guest.chosen("rootfs-arm64"), ["rootfs-arm64"])
        self.assertEqual(fetch_guest.chosen("rootfs-gpu-armhf"), ["rootfs-gpu-armhf"])

    def test_kind(self):
        self.assertEqual(fetch_guest.chosen("rootfs"),
                         ["rootfs-arm64", "rootfs-armhf", "rootfs-riscv64"])
        self.assertEqual(fetch_guest.chosen("dtb"), ["dtb-arm64", "dtb-armhf"])

    def test_architecture(self):
        self.assertEqual(fetch_guest.chosen("riscv64"),
                         ["kernel-riscv64", "initramfs-riscv64", "initramfs-disk-riscv64",
                          "rootfs-riscv64"])

    def test_nothing(self):
        self.assertEqual(fetch_guest.chosen("rootfs-gpu-riscv64"), [])

    def test_outputs(self):
        self.assertEqual(fetch_guest.ARTIFACTS["kernel-armhf"].output, "vmlinuz-armmp")
        self.assertEqual(fetch_guest.ARTIFACTS["rootfs-gpu-armhf"].output, "rootfs-armhf-gpu.ext4")


class Own(unittest.TestCase):
    """The user's own userlands: --packages, --name, --size, --arch."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)
        artifacts = mock.patch.dict(fetch_guest.ARTIFACTS)
        artifacts.start()
        self.addCleanup(artifacts.stop)

    def arguments(self, *words):
        return fetch_guest.arguments(["--dir", str(self.directory), *words])

    def refused(self, *words):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as end:
            self.arguments(*words)
        self.assertEqual(end.exception.code, 2)
        return said.getvalue()

    def test_alone(self):
        args = self.arguments("--packages", "clpeak,clinfo", "--name", "clients", "--size", "3G")
        self.assertEqual(args.names, ["rootfs-clients-arm64"])
        artifact = fetch_guest.ARTIFACTS["rootfs-clients-arm64"]
        self.assertEqual(artifact.output, "rootfs-arm64-clients.ext4")
        self.assertEqual(artifact.image, (["clinfo", "clpeak"], 3072))

    def test_with_others(self):
        args = self.arguments("--packages", "clpeak", "--arch", "armhf", "--only", "dtb-armhf")
        self.assertEqual(args.names, ["rootfs-own-armhf", "dtb-armhf"])
        self.assertIn("rootfs-arm64", self.arguments().names)

    def test_refused(self):
        self.assertIn("'--oops' is no name", self.refused("--packages=--oops"))
        self.assertIn("'gpu' is not free", self.refused("--packages", "clpeak", "--name", "gpu"))
        self.assertIn("'../x' is not free", self.refused("--packages", "clpeak", "--name", "../x"))
        self.assertIn("'3' is no size", self.refused("--packages", "clpeak", "--size", "3"))
        self.assertIn("nothing is to be made", self.refused("--only", ","))
        self.assertIn("rootfs-clients is not among", self.refused("--only", "rootfs-clients"))

    def test_other_packages_or_another_size_are_another_recipe(self):
        recipes = set()
        for words in (("clpeak",), ("clpeak,clinfo",), ("clpeak", "--size", "900M")):
            self.arguments("--packages", *words)
            recipes.add(fetch_guest.recipe_of("rootfs-own-arm64"))
        self.assertEqual(len(recipes), 3)

    def test_made_with_its_packages_and_recalled(self):
        shop = mock.Mock(architecture=fetch_guest.ARTIFACTS["rootfs-arm64"].architecture,
                         folder=lambda name: self.directory / "scratch" / name,
                         suite="trixie", kernel_version=lambda: "6.12")

        def build(debs, packages, kernel, architecture, folder, output, size):
            folder.mkdir(parents=True)
            output.write_text(f"{packages[-1]} {size}")
        (self.directory / ".stamps").mkdir()
        self.arguments("--packages", "clpeak", "--name", "clients", "--size", "900M")
        with mock.patch.object(fetch_guest.rootfs, "build_rootfs", build):
            fetch_guest.make(shop, self.directory, "rootfs-clients-arm64")
        self.assertEqual((self.directory / "rootfs-arm64-clients.ext4").read_text(), "clpeak 900")
        asked, = shop.registry.closure.call_args.args
        self.assertLess({"mesa-opencl-icd", "clpeak"}, set(asked))
        del fetch_guest.ARTIFACTS["rootfs-clients-arm64"]
        self.assertEqual(self.arguments("--only", "rootfs-clients").names, ["rootfs-clients-arm64"])
        self.assertTrue(fetch_guest.is_current(self.directory, "rootfs-clients-arm64"))
        shop.kernel_version = lambda: "6.13"
        self.assertEqual(fetch_guest.of_another_kernel(self.directory, shop), ["rootfs-clients-arm64"])

    def test_sizes(self):
        size = fetch_guest.rootfs.image_megabytes
        self.assertEqual(size(400, None, False), 820)
        self.assertEqual(size(400, None, True), 1024)
        self.assertEqual(size(400, 500, False), 500)
        for wrong in ((400, 400, False), (400, 900, True)):
            with self.assertRaises(fetch_guest.GuestError):
                size(*wrong)


class Kernel(unittest.TestCase):
    """Debian's packages of a kernel, and the modules of a kernel."""

    def packages(self, depends):
        shop = mock.Mock()
        shop.depends = depends.get
        shop.describe = list
        return fetch_guest.kernel.kernel_packages(shop, "arm64")

    def test_one_package(self):
        self.assertEqual(self.packages({"linux-image-arm64": ["linux-image-6.12-arm64"],
                                        "linux-image-6.12-arm64": ["kmod", "linux-base"]}),
                         ["linux-image-6.12-arm64"])

    def test_in_parts(self):
        self.assertEqual(
            self.packages({"linux-image-arm64": ["linux-base-arm64", "linux-image-7.3-arm64"],
                           "linux-image-7.3-arm64": ["linux-base", "linux-binary-7.3-arm64",
                                                     "linux-modules-7.3-arm64"]}),
            ["linux-image-7.3-arm64", "linux-binary-7.3-arm64", "linux-modules-7.3-arm64"])

    def test_checksums_may_be_built_in(self):
        kernel = mock.Mock(built_in={"crc16"}, by_name={"ext4": Path("ext4.ko.xz")},
                           needs=lambda name: [], version="7.3")
        names = fetch_guest.kernel.Kernel.closure(kernel, ["crc32c_generic", "crc16", "ext4"])
        self.assertEqual(names, ["ext4"])
        with self.assertRaisesRegex(fetch_guest.GuestError, "no module panfrost"):
            fetch_guest.kernel.Kernel.closure(kernel, ["panfrost"])


    def test_needs_are_in_the_order_of_loading(self):
        says = {"ext4": b"jbd2,mbcache,crc16", "jbd2": b"crc16", "mbcache": b"", "crc16": b"",
                "sch_fq": b"a-b", "a_b": b""}

        class Modules(fetch_guest.kernel.Kernel):
            def __init__(self):  # nothing is unpacked
                self.known_needs = {}

            def module(self, name):
                return b"ELF\0softdepends=x\0depends=" + says[name] + b"\0name=" + name.encode() + b"\0"
        self.assertEqual(Modules().needs("ext4"), ["crc16", "jbd2", "mbcache"])
        self.assertEqual(Modules().needs("sch_fq"), ["a_b"])
        with self.assertRaisesRegex(fetch_guest.GuestError, "does not say"):
            fetch_guest.kernel.depends(b"ELF\0name=x\0")


    def test_headers_have_made_the_folder(self):
        with tempfile.TemporaryDirectory() as scratch:
            root, modules = Path(scratch) / "root", Path(scratch) / "kernel"
            (root / "usr/lib/modules/7.3").mkdir(parents=True)
            (modules / "fs").mkdir(parents=True)
            (modules / "fs/ext4.ko.xz").write_text("a module")
            kernel = mock.Mock(modules=modules, version="7.3", closure=list,
                               by_name={"ext4": modules / "fs/ext4.ko.xz"})
            with mock.patch.object(fetch_guest.kernel, "run"):
                fetch_guest.kernel.Kernel.install(kernel, ["ext4"], root)
            self.assertEqual((root / "usr/lib/modules/7.3/fs/ext4.ko.xz").read_text(), "a module")


class OpenCl(unittest.TestCase):
    """Files that the ICD loader, and programs that load libOpenCL.so, find."""

    def test_both(self):
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch)
            for name in ("etc/OpenCL/vendors/rusticl.icd", "etc/profile.d/x",
                         "usr/lib/aarch64-linux-gnu/libOpenCL.so.1"):
                (root / name).parent.mkdir(parents=True)
                (root / name).touch()
            fetch_guest.rootfs.configure_opencl(root)
            link = root / "usr/lib/aarch64-linux-gnu/libOpenCL.so"
            self.assertEqual(str(link.readlink()), "libOpenCL.so.1")
            self.assertIn("OCL_ICD_VENDORS=/etc/OpenCL/vendors/rusticl.icd",
                          (root / "etc/profile.d/opencl.sh").read_text())


class Shop:
    """Stands for a Workshop whose registry always delivers."""

    def __init__(self, scratch, version):
        self.scratch = scratch
        self.version = version
        self.architecture = fetch_guest.ARTIFACTS["dtb-armhf"].architecture
        self.suite = "trixie"

    def folder(self, name):
        return self.scratch / name

    def kernel_version(self):
        return self.version


class Making(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name) / "guest"
        (self.directory / ".stamps").mkdir(parents=True)
        self.shop = Shop(Path(scratch.name) / "scratch", "6.12")
        (self.directory / "dtb").mkdir()
        (self.directory / "dtb/juno.dtb").write_text("of another architecture")

    def make(self, *names):
        def maker(_, output):
            output.mkdir()
            for name in names:
                (output / name).write_text(name)
        artifact = fetch_guest.ARTIFACTS["dtb-armhf"]
        fetch_guest.ARTIFACTS["dtb-armhf"] = artifact._replace(maker=maker)
        self.addCleanup(fetch_guest.ARTIFACTS.__setitem__, "dtb-armhf", artifact)
        return fetch_guest.make(self.shop, self.directory, "dtb-armhf")

    def current(self):
        return fetch_guest.is_current(self.directory, "dtb-armhf")

    def test_folders_are_shared(self):
        self.assertFalse(self.current())
        self.assertEqual(self.make("a.dtb", "bc.dtb"), 11)
        self.assertTrue(self.current())
        self.assertEqual(sorted(path.name for path in (self.directory / "dtb").iterdir()),
                         ["a.dtb", "bc.dtb", "juno.dtb"])

    def test_what_is_no_longer_made_goes(self):
        self.make("a.dtb", "bc.dtb")
        self.make("a.dtb")
        self.assertEqual(sorted(path.name for path in (self.directory / "dtb").iterdir()),
                         ["a.dtb", "juno.dtb"])

    def test_a_file_cut_short_is_made_anew(self):
        self.make("a.dtb")
        (self.directory / "dtb/a.dtb").write_text("")
        self.assertFalse(self.current())

    def test_a_change_of_the_recipe_is_noticed(self):
        self.make("a.dtb")
        stamp = self.directory / ".stamps/dtb-armhf"
        stamp.write_text(json.dumps(dict(json.loads(stamp.read_text()), recipe="")))
        self.assertFalse(self.current())

    def test_newer_kernel(self):
        self.make("a.dtb")
        self.assertEqual(fetch_guest.of_another_kernel(self.directory, self.shop), [])
        self.shop.version = "6.13"
        self.assertEqual(fetch_guest.of_another_kernel(self.directory, self.shop), ["dtb-armhf"])
        self.shop.suite = "trixie-backports"
        self.assertEqual(fetch_guest.of_another_kernel(self.directory, self.shop), [],
                         "a kernel of backports makes nothing stale of the release's own")


if __name__ == "__main__":
    unittest.main()
