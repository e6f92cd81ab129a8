/* Constant tables of arm_crypto.c. Internal to runtime/fp. */
#ifndef RUNTIME_FP_CRYPTO_TABLES_H
#define RUNTIME_FP_CRYPTO_TABLES_H

#include <stdint.h>

/* FIPS 197, figures 7 and 14: the S-box and its inverse. */
extern const uint8_t crypto_sbox[256];
extern const uint8_t crypto_inverse_sbox[256];

#endif
