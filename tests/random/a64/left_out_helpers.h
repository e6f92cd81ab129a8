/* Functions that conditions in left_out.def call, besides fields. */
#ifndef TESTS_RANDOM_A64_LEFT_OUT_HELPERS_H
#define TESTS_RANDOM_A64_LEFT_OUT_HELPERS_H

#include <stdbool.h>
#include <stdint.h>

/* NZCV, FPCR, FPSR: bits 20:5 of MSR and MRS. */
static inline bool is_fp_sysreg(uint32_t word)
{
    uint32_t code = word >> 5 & 0xffff;

    return code == 0xda10 || code == 0xda20 || code == 0xda21;
}

/* NZCV, FPCR, FPSR, CTR_EL0 and DCZID_EL0. */
static inline bool is_plain_sysreg(uint32_t word)
{
    uint32_t code = word >> 5 & 0xffff;

    return is_fp_sysreg(word) || code == 0xd801 || code == 0xd807;
}

#endif
