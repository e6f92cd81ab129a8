/*
 * The functions of arm_crypto.h for which hosts may have instructions (crypto_host.c), in C: for
 * other hosts, and for tests.
 */
#ifndef RUNTIME_FP_CRYPTO_PLAIN_H
#define RUNTIME_FP_CRYPTO_PLAIN_H

#include <stdint.h>

void plain_aese(uint64_t state_lo, uint64_t state_hi, uint64_t key_lo, uint64_t key_hi,
                uint64_t *r_lo, uint64_t *r_hi);
void plain_aesd(uint64_t state_lo, uint64_t state_hi, uint64_t key_lo, uint64_t key_hi,
                uint64_t *r_lo, uint64_t *r_hi);
void plain_aesmc(uint64_t lo, uint64_t hi, uint64_t *r_lo, uint64_t *r_hi);
void plain_aesimc(uint64_t lo, uint64_t hi, uint64_t *r_lo, uint64_t *r_hi);
void plain_sha256h(uint64_t abcd_lo, uint64_t abcd_hi, uint64_t efgh_lo, uint64_t efgh_hi,
                   uint64_t wk_lo, uint64_t wk_hi, uint64_t *r_lo, uint64_t *r_hi);
void plain_sha256h2(uint64_t efgh_lo, uint64_t efgh_hi, uint64_t abcd_lo, uint64_t abcd_hi,
                    uint64_t wk_lo, uint64_t wk_hi, uint64_t *r_lo, uint64_t *r_hi);
void plain_sha256su0(uint64_t d_lo, uint64_t d_hi, uint64_t n_lo, uint64_t n_hi, uint64_t *r_lo,
                     uint64_t *r_hi);
void plain_sha256su1(uint64_t d_lo, uint64_t d_hi, uint64_t n_lo, uint64_t n_hi, uint64_t m_lo,
                     uint64_t m_hi, uint64_t *r_lo, uint64_t *r_hi);

#endif
