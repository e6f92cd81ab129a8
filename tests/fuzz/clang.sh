#!/bin/sh
# Usage: clang.sh SOURCE FOLDER
# Builds and runs one harness in FOLDER with clang and libFuzzer, as scripts/fuzz does. The
# libraries that use host instructions are compiled as well, since compilers differ in the
# instructions that they accept.
set -eu
source=$1 folder=$2
"$source/scripts/fuzz" --build "$folder" 1 gdb >"$folder.log" 2>&1 || { cat "$folder.log"; exit 1; }
cat "$folder.log"
grep -q '^Done [1-9][0-9]* runs' "$folder.log"
ninja -C "$folder" --quiet runtime_fp runtime_jit
