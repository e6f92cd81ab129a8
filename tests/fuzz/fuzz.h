#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The harness's entry, by libFuzzer's name. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* libFuzzer calls it first, where a harness has one: it may add options. Returns 0. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

#endif
