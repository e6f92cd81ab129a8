/* A32 as the subject of the comparison. */
#include "tests/eval_diff/subject_aarch32.inc"

const struct subject subject = {
    .cpu = &armv7a_isa,
    .isa = "a32",
    .lines = 7,
    .mode = 0,
    .random_registers = random_registers,
    .aim = aim_access,
    .likely_word = make_likely,
};
