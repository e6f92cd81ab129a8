/* Turns libFuzzer's search for leaks off, which stops a process per input. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

int fuzz_without_leaks(int *argc, char ***argv)
{
    static char off[] = "-detect_leaks=0";
    static char *args[64];
    int n = *argc < 62 ? *argc : 62;

    memcpy(args, *argv, (size_t)n * sizeof(*args));
    args[n] = off;
    *argc = n + 1;
    *argv = args;
    return 0;
}
