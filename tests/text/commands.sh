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

# Targets in a region of any size: 2 KB, as of a jump with 11 bits behind a word of 16.
printf '%s\n' 'AC_ARCH(region) {' 'ac_wordsize 32;' 'ac_regspace(8) { slot PC (uint32, 4, 0) PC; }' \
    'ARCH_CTOR(region) { ac_isa("isa.ac"); set_endian("little"); };' '};' >"$dir/region.ac"
cat >"$dir/isa.ac" <<'END'
AC_ISA(region) {
    ac_fetchsize 16;
    ac_instr ajmp "000100 at:10" { asm "ajmp %region{at * 2, 11}"; behaviour none; }
    ac_instr far "0010 low:12" { asm "far %region{low * 2}"; behaviour none; }
    ISA_CTOR(region) { ac_execute("isa.genc"); };
};
END
echo 'execute(none) { }' >"$dir/isa.genc"
"$gencc" check -Werror "$dir/region.ac" >/dev/null
status "check of regions" 0 $?
printf 'ajmp 0x17fe\najmp l\najmp 0x1802\nl: far 0x20\n' >"$dir/region.s"
"$gencc" asm --arch "$dir/region.ac" --address 0x17fa --hex "$dir/region.s" >"$dir/out" 2>"$dir/err"
status "a target in the region before" 1 $?
grep -q ':2: error: l is out of reach' "$dir/err" || {
    echo "a target outside of the region is not refused:"
    cat "$dir/err"
    failures=$((failures + 1))
}
printf 'ajmp 0x17fe\najmp 0x1000\najmp 0x1802\nl: far 0x20\n' >"$dir/region.s"
"$gencc" asm --arch "$dir/region.ac" --address 0x17fa "$dir/region.s" >"$dir/raw"
"$gencc" disasm --arch "$dir/region.ac" --address 0x17fa "$dir/raw" >"$dir/out"
same "targets in regions" '17fa: 13ff  ajmp 0x17fe
17fc: 1000  ajmp 0x1000
17fe: 1001  ajmp 0x1802
1800: 2010  far 0x20' "$dir/out"

[ $failures = 0 ]
