/* What left_out.def asks besides fields. */
#ifndef TESTS_RANDOM_A64_LEFT_OUT_HELPERS_H
#define TESTS_RANDOM_A64_LEFT_OUT_HELPERS_H

#include <stdbool.h>
#include <stdint.h>

/* NZCV, FPCR, FPSR, CTR_EL0, DCZID_EL0: bits 20:5 of MSR and MRS. */
static inline bool is_plain_sysreg(uint32_t word)
{
    switch (word >> 5 & 0xffff) {
    case 0xda10:
    case 0xda20:
    case 0xda21:
    case 0xd801:
    case 0xd807:
        return true;
    default:
        return false;
    }
}

#endif
