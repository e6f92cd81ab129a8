#!/bin/sh
# hashcat: finds three digits by their MD5 sum, after its self-test unless SELFTEST is no.
cd /tmp || exit 1
[ "${SELFTEST-}" = no ] && set -- --self-test-disable
hash=$(printf 123 | md5sum | cut -d ' ' -f 1)
# The number of threads is fixed and small: otherwise hashcat measures the GPU first.
LD_LIBRARY_PATH="$CLAIMS" hashcat --quiet --force --potfile-disable --logfile-disable -D 1,2,3 -m 0 -a 3 \
    -n 1 -u 1 -T 32 "$@" "$hash" '?d?d?d' >hashcat.out 2>&1
tail -n 5 hashcat.out
grep -q "^$hash:123" hashcat.out
