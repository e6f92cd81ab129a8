#!/usr/bin/env python3
"""commands.py BUILD: only files that translate by LLVM are compiled with its headers or definitions.

All others have the same command in a build without LLVM, so that CI compiles them once (.ci/run): ccache finds a file by
its command.
"""

import json
import pathlib
import re
import sys

OF_LLVM = re.compile(r"/llvm-\d+/include|-D\S*LLVM")
MAY = re.compile(r"(runtime/jit/\w+|runtime/gpu/translate/[\w/]+|tests/[\w/]+)\.c$")


def main():
    """Returns 1 when other files are compiled with LLVM's, else 0."""
    folder = pathlib.Path(sys.argv[1])
    commands = json.loads((folder / "compile_commands.json").read_text())
    wrong = [c["file"] for c in commands if OF_LLVM.search(c["command"].replace(c["file"], "")) and not MAY.search(c["file"])]
    for file in wrong:
        print(f"{file}: is compiled with LLVM's headers or definitions; see use_llvm() in cmake/Llvm.cmake")
    if not commands:
        print(f"commands.py: {folder} has no commands")
    return 1 if wrong or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
