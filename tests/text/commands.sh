#!/bin/sh
# commands.sh GENCC TOY.ac: the commands `asm` and `disasm`, used as on the command line.
set -u
gencc=$1
toy=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failures=0

# same NAME EXPECTED FILE
same()
{
    printf '%s\n' "$2" >"$dir/expected"
    if ! diff -u "$dir/expected" "$3"; then
        echo "$1: not as expected"
        failures=$((failures + 1))
    fi
}

# status NAME EXPECTED GOT
status()
{
    if [ "$2" != "$3" ]; then
        echo "$1: exit status $3, not $2"
        failures=$((failures + 1))
    fi
}

asm() { "$gencc" asm --arch "$toy" --isa toy "$@" 2>"$dir/err"; }
disasm() { "$gencc" disasm --arch "$toy" --isa toy "$@" 2>"$dir/err"; }

cat >"$dir/in.s" <<'END'
// a comment, an empty line

nop
b 0x1008   // from 0x1004
.inst 0xffffffff
END

asm --address 0x1000 --hex "$dir/in.s" >"$dir/out"
status "asm --hex" 0 $?
same "asm --hex" "38000000
0b800001
ffffffff" "$dir/out"

asm --address 0x1000 "$dir/in.s" >"$dir/raw"
status "asm" 0 $?
od -An -tx1 "$dir/raw" >"$dir/out"
same "raw words are little-endian" " 00 00 00 38 01 00 80 0b ff ff ff ff" "$dir/out"

disasm --address 0x1000 "$dir/raw" >"$dir/out"
status "disasm" 0 $?
same "disasm" "1000: 38000000  nop
1004: 0b800001  b 0x1008
1008: ffffffff  .inst 0xffffffff // undefined" "$dir/out"

disasm --bytes "$dir/raw" >"$dir/out"
status "disasm --bytes" 2 $?
grep -q -- '--bytes is for ISAs of bundles' "$dir/err" || failures=$((failures + 1))

disasm --address 0x1000 "$dir/raw" >"$dir/out"
cut -d' ' -f4- "$dir/out" | asm --address 0x1000 - >"$dir/again"
status "asm of what disasm wrote" 0 $?
cmp "$dir/raw" "$dir/again" || failures=$((failures + 1))

disasm - <"$dir/raw" >"$dir/out"
status "disasm of standard input" 0 $?
same "disasm of standard input" "0: 38000000  nop
4: 0b800001  b 0x8
8: ffffffff  .inst 0xffffffff // undefined" "$dir/out"

printf 'nop\nnopp\nadd x0, w1, #1\n' | asm --hex - >"$dir/out"
status "asm with errors" 1 $?
[ ! -s "$dir/out" ] || {
    echo "asm with errors writes a part"
    failures=$((failures + 1))
}
grep -q '^<stdin>:2: error: ' "$dir/err" && grep -q '^<stdin>:3: error: ' "$dir/err" || {
    echo "errors do not name their lines:"
    cat "$dir/err"
    failures=$((failures + 1))
}

printf 'abcde' | disasm - >"$dir/out"
status "disasm of half a word" 2 $?
disasm "$dir/missing" >"$dir/out"
status "disasm of a missing file" 2 $?
asm "$dir/missing" >"$dir/out"
status "asm of a missing file" 2 $?
disasm "$dir/raw" >/dev/full
status "disasm to a full disk" 2 $?

[ $failures = 0 ]
