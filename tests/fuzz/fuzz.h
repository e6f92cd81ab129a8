#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The harness's entry, by libFuzzer's name. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Optional in a harness: libFuzzer calls it first, and it may add options. Returns 0. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/*
 * LLVMFuzzerInitialize() of a harness that keeps memory from one input to the next: adds
 * -detect_leaks=0. libFuzzer searches for leaks after each input that allocates more than it frees;
 * such a harness has mostly these, and a search takes longer than 100 inputs. The sanitized test
 * over the corpus finds leaks. Returns 0.
 */
int fuzz_without_leaks(int *argc, char ***argv);

#endif
