#!/usr/bin/env python3
"""same_text.py PROGRAM GENCC FILE.ac ISA: PROGRAM code and PROGRAM text give a shader and what the generated
disassembler writes of it; `gencc disasm` writes the same."""
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
