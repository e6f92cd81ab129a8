#!/usr/bin/env python3
"""Writes C that calls every unpacker and packer of a generated header: fuzz_table.py HEADER OUT.c"""
import pathlib
import re
import sys


def main(header, out):
    text = pathlib.Path(header).read_text()
    names = re.findall(r"^const char \*(\w+)_unpack\(unsigned version", text, re.M)
    lines = [f'#include "{pathlib.Path(header).name}"', "#include <stdlib.h>", '#include "fuzz.h"', ""]
    for name in names:
        lines += [f"static const char *unpack_{name}(unsigned version, const uint8_t *bytes, FILE *f)",
                  "{", f"    struct {name} d;",
                  f"    uint8_t again[{name.upper()}_BYTES];",
                  f"    const char *bad = {name}_unpack(version, bytes, &d);", "",
                  f"    {name}_print(version, f, 2, &d);",
                  f"    if ({name}_pack(version, &d, again) && !bad)",
                  f"        abort(); /* {name}: what was good can be made again */",
                  "    return bad;", "}", ""]
    lines += ["const struct fuzz_layout fuzz_layouts[] = {"]
    lines += [f'    {{"{name}", {name}_bytes, unpack_{name}}},' for name in names]
    lines += ["    {NULL, NULL, NULL},", "};", ""]
    pathlib.Path(out).write_text("\n".join(lines))
    return 0 if names else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
