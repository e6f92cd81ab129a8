#!/usr/bin/env python3
"""`gencc disasm` and the generated disassembler write the same text of a shader:

    same_text.py PROGRAM GENCC FILE.ac ISA

PROGRAM code writes the shader's bytes, PROGRAM text their disassembly."""
import subprocess
import sys

program, gencc, arch, isa = sys.argv[1:]
code = subprocess.run([program, "code"], capture_output=True, check=True).stdout
text = subprocess.run([program, "text"], capture_output=True, check=True, text=True).stdout
done = subprocess.run([gencc, "disasm", "--arch", arch, "--isa", isa, "-"], input=code,
                      capture_output=True, check=False)
if done.returncode or done.stdout.decode() != text:
    print("generated:", text, "gencc:", done.stdout.decode() + done.stderr.decode(), sep="\n")
    sys.exit(1)
