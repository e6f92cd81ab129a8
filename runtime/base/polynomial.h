/*
 * Products of polynomials over {0, 1}, whose coefficients are bits: sums do not carry. Arm calls
 * the product PolynomialMult() (DDI 0487, shared/functions/vector), x86 PCLMULQDQ, RISC-V clmul and
 * clmulh.
 */
#ifndef RUNTIME_BASE_POLYNOMIAL_H
#define RUNTIME_BASE_POLYNOMIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/arithmetic.h"

/* The product of two polynomials of 64 bits. */
uint128_t cpu_polymul64(uint64_t a, uint64_t b);

/* The same in C, for hosts without an instruction, and for tests. */
uint128_t cpu_polymul64_plain(uint64_t a, uint64_t b);

/* The product of two polynomials of 8 bits. */
uint16_t cpu_polymul8(uint8_t a, uint8_t b);

/* Whether this host has an instruction for products of 64 bits. */
bool cpu_has_polymul64(void);

#endif
