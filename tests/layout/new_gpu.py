#!/usr/bin/env python3
"""A new GPU needs one new file: adds a variant in a folder of its own to the existing ones, and
looks it up in the table that gencc generates.

    new_gpu.py GENCC SOURCE-FOLDER CC
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

GPU = """AC_GPU(g99) {
    like g52;
    title "Mali-\\"G99\\" MP3";
    product 0x7219;
    cores 3;
    shader_present 0x111;
    warp_width 8;
    register MMU_FEATURES = 0x2827;
}
"""
PROGRAM = r"""#include "runtime/gpu/variant.h"
#include <stdio.h>
int main(void)
{
    const struct gpu_variant *v = gpu_variant_by_name("G99"), *old = gpu_variant_by_name("g52");
    if (!v || !old || v != gpu_variant_by_product(0x7219))
        return 1;
    printf("%s %s %x %u %llx %u", v->name, v->title, v->product, v->cores,
           (unsigned long long)v->shader_present, v->architecture);
    for (unsigned i = 0; i < v->value_count; i++)
        if (v->values[i].offset == 0x14)
            printf(" %x %x", v->values[i].value, old->values[i].value);
    puts("");
    return v->value_count != old->value_count || v->max_threads != old->max_threads;
}
"""
WANT = 'g99 Mali-"G99" MP3 7219 3 111 7 2827 2830\n'


def main(gencc, source, cc):
    source = pathlib.Path(source)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in (source / "descriptions/mali/variants").glob("*.ac"):
            shutil.copy(file, folder)
        (folder / "g99.ac").write_text(GPU)
        (folder / "main.c").write_text(PROGRAM)
        subprocess.run([gencc, "variants", "--layouts", source / "descriptions/mali/layouts/mali.ac",
                        "-o", folder, *sorted(folder.glob("*.ac"))], check=True)
        subprocess.run([cc, "-D_GNU_SOURCE", f"-I{source}", folder / "main.c",
                        folder / "mali_variants.c", source / "runtime/gpu/variant.c", "-o",
                        folder / "main"], check=True)
        got = subprocess.run([folder / "main"], capture_output=True, text=True)
    if got.returncode or got.stdout != WANT:
        print(f"status {got.returncode}\n- {WANT}+ {got.stdout}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
