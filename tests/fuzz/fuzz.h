#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The harness's entry, by libFuzzer's name. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* libFuzzer calls it first, where a harness has one: it may add options. Returns 0. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/*
 * What LLVMFuzzerInitialize() of a harness that keeps memory from one input to the next is. libFuzzer looks for leaks,
 * which takes longer than a hundred inputs, after each that allocates more than it frees; there that is most. The
 * sanitized test over the corpus finds leaks.
 */
int fuzz_without_leaks(int *argc, char ***argv);

#endif
