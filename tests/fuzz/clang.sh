#!/bin/sh
# Usage: clang.sh SOURCE FOLDER
# Builds and runs one harness as scripts/fuzz does, with clang and libFuzzer, in FOLDER. The libraries that name
# instructions of the host are compiled too: compilers differ in what they know of these.
set -eu
source=$1 folder=$2
"$source/scripts/fuzz" --build "$folder" 1 gdb >"$folder.log" 2>&1 || { cat "$folder.log"; exit 1; }
cat "$folder.log"
grep -q '^Done [1-9][0-9]* runs' "$folder.log"
ninja -C "$folder" --quiet runtime_fp runtime_jit
