"""Programs of user mode, ours and QEMU's, by the name that a suite's folder gives an ISA."""
PROGRAMS = {
    "aarch64": ("aarch64-user", "qemu-aarch64"),
    "a32": ("arm-user", "qemu-arm"),
    "t32": ("arm-user", "qemu-arm"),
    "riscv64": ("riscv64-user", "qemu-riscv64"),
}


def isas(folder):
    """Returns pairs (name, folder) of the ISAs that the user built."""
    return [(isa, folder / isa) for isa in PROGRAMS if (folder / isa).is_dir()]


def commands(isa, programs, file):
    """Returns the command that runs a file on our simulator, and the referee's."""
    ours, theirs = PROGRAMS[isa]
    return [programs / ours, file], [theirs, file]
