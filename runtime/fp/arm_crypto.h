/*
 * Numeric helpers other than floating point: the AES, SHA-1 and SHA-256 functions of the Arm
 * Architecture Reference Manual (DDI 0487, shared/functions/crypto), which follow FIPS 197 and FIPS
 * 180-4.
 *
 * A 128-bit vector is two halves, `lo` being bits 63:0; its element 0 is in the lowest bits.
 * Results of 128 bits are stored through `r_lo` and `r_hi`, which must be valid. All are pure
 * functions: no state, no errors, safe on any thread.
 */
#ifndef RUNTIME_FP_ARM_CRYPTO_H
#define RUNTIME_FP_ARM_CRYPTO_H

#include <stdint.h>

/* AESE: AESSubBytes(AESShiftRows(state EOR key)). */
void arm_aese(uint64_t state_lo, uint64_t state_hi, uint64_t key_lo, uint64_t key_hi,
              uint64_t *r_lo, uint64_t *r_hi);

/* AESD: AESInvSubBytes(AESInvShiftRows(state EOR key)). */
void arm_aesd(uint64_t state_lo, uint64_t state_hi, uint64_t key_lo, uint64_t key_hi,
              uint64_t *r_lo, uint64_t *r_hi);

/* AESMC: AESMixColumns(). */
void arm_aesmc(uint64_t lo, uint64_t hi, uint64_t *r_lo, uint64_t *r_hi);

/* AESIMC: AESInvMixColumns(). */
void arm_aesimc(uint64_t lo, uint64_t hi, uint64_t *r_lo, uint64_t *r_hi);

/*
 * SHA1C, SHA1P, SHA1M: four rounds with SHAchoose(), SHAparity() or SHAmajority(). abcd is the
 * hash's first four words (Qd), e the fifth (Sn), wk four schedule words with the constant added
 * (Vm).
 */
void arm_sha1c(uint64_t abcd_lo, uint64_t abcd_hi, uint32_t e, uint64_t wk_lo, uint64_t wk_hi,
               uint64_t *r_lo, uint64_t *r_hi);
void arm_sha1p(uint64_t abcd_lo, uint64_t abcd_hi, uint32_t e, uint64_t wk_lo, uint64_t wk_hi,
               uint64_t *r_lo, uint64_t *r_hi);
void arm_sha1m(uint64_t abcd_lo, uint64_t abcd_hi, uint32_t e, uint64_t wk_lo, uint64_t wk_hi,
               uint64_t *r_lo, uint64_t *r_hi);

/* SHA1H: ROL(a, 30). */
uint32_t arm_sha1h(uint32_t a);

/* SHA1SU0 of (Vd, Vn, Vm) and SHA1SU1 of (Vd, Vn): the message schedule. */
void arm_sha1su0(uint64_t d_lo, uint64_t d_hi, uint64_t n_lo, uint64_t n_hi, uint64_t m_lo,
                 uint64_t m_hi, uint64_t *r_lo, uint64_t *r_hi);
void arm_sha1su1(uint64_t d_lo, uint64_t d_hi, uint64_t n_lo, uint64_t n_hi, uint64_t *r_lo,
                 uint64_t *r_hi);

/*
 * SHA256hash(): four rounds. SHA256H gives the new ABCD of (Qd = abcd, Qn = efgh, Vm = wk);
 * SHA256H2 the new EFGH of (Qd = efgh, Qn = abcd, Vm = wk).
 */
void arm_sha256h(uint64_t abcd_lo, uint64_t abcd_hi, uint64_t efgh_lo, uint64_t efgh_hi,
                 uint64_t wk_lo, uint64_t wk_hi, uint64_t *r_lo, uint64_t *r_hi);
void arm_sha256h2(uint64_t efgh_lo, uint64_t efgh_hi, uint64_t abcd_lo, uint64_t abcd_hi,
                  uint64_t wk_lo, uint64_t wk_hi, uint64_t *r_lo, uint64_t *r_hi);

/* SHA256SU0 of (Vd, Vn) and SHA256SU1 of (Vd, Vn, Vm): the message schedule. */
void arm_sha256su0(uint64_t d_lo, uint64_t d_hi, uint64_t n_lo, uint64_t n_hi, uint64_t *r_lo,
                   uint64_t *r_hi);
void arm_sha256su1(uint64_t d_lo, uint64_t d_hi, uint64_t n_lo, uint64_t n_hi, uint64_t m_lo,
                   uint64_t m_hi, uint64_t *r_lo, uint64_t *r_hi);

#endif
