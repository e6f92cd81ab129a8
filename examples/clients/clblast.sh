#!/bin/sh
# clblast-tests: CLBlast's own tests, against a BLAS on the CPU. ROUTINES selects tests.
# They need queues that measure time.
status=0
for routine in ${ROUTINES-xaxpy xdot xscal xasum}; do
    out=$(LD_PRELOAD="$CLAIMS/libOpenCL.so" "clblast_test_$routine" 2>&1)
    sum() {
        echo "$out" | sed -n "s/.* \([0-9]*\) test(s) $1.*/\1/p" | awk '{ n += $1 } END { print n + 0 }'
    }
    passed=$(sum passed) failed=$(sum failed)
    echo "clblast: $routine: $passed passed, $failed failed"
    if [ "$passed" = 0 ] || [ "$failed" != 0 ]; then
        status=1
    fi
done
exit $status
