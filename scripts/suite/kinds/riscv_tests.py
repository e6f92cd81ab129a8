"""
riscv-tests of RISC-V International, on virt-riscv64.
FOLDER/rv64*-p-NAME and FOLDER/rv64*-v-NAME are its programs of 64 bits, built with an environment that ends a test at SiFive's
test finisher (0x100000) instead of at tohost. Families of extensions that the hart has not are left out.
"""
from suite.model import Case, Check, FAIL, PASS, TIMEOUT

MODES = ("jit", "first", "interp")
OURS = ["-cpu", "bare", "-nographic", "-m", "64M", "-limit", "1", "-kernel"]
QEMU = ["qemu-system-riscv64", "-M", "virt", "-m", "64M", "-bios", "none", "-display", "none", "-monitor", "none", "-serial", "null", "-kernel"]


FAMILIES = ("ui", "um", "ua", "uf", "ud", "uc", "uziccid", "si", "mi")    # RV64GC
LIMIT = 124     # exit status of our programs after -limit


def judge(ended):
    """The status is 2 * the number of the failed check + 1; that of an environment's failure
    too."""
    if ended.status is None or ended.status == LIMIT:
        return [Check("", TIMEOUT, "it does not end")]
    return [Check("", FAIL if ended.status else PASS, f"at check {ended.status >> 1}" if ended.status else "")]


def cases(folder, programs, _work):
    for file in sorted(folder.glob("rv64*-[pv]-*")):
        if not file.suffix and file.name.split("-")[0].removeprefix("rv64") in FAMILIES:
            yield Case(f"virt-riscv64/{file.name}", [programs / "virt-riscv64", *OURS, file], [*QEMU, file], judge, seconds=60)
