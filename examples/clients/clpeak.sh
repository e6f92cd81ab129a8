#!/bin/sh
# clpeak: the benchmarks that KINDS names. Their numbers are in guest time; the test checks only
# that there are any.
status=0
for kind in ${KINDS-global-bandwidth}; do
    out=$(LD_PRELOAD="$CLAIMS/libOpenCL.so" timeout "${SECONDS_EACH-120}" clpeak -p 0 -d 0 "--$kind" 2>&1)
    code=$?
    echo "$out" | sed -n 's/^ *\([a-z]*[0-9]* *: [0-9.]*\)$/clpeak: \1/p'
    if [ $code != 0 ] || ! echo "$out" | grep -q ' : [0-9]'; then
        echo "clpeak: $kind: status $code"
        status=1
    fi
done
exit $status
