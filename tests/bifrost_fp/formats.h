/* Binary floating-point formats, and rounding of exact numbers to them. */
#ifndef TESTS_BIFROST_FP_FORMATS_H
#define TESTS_BIFROST_FP_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

typedef __float128 quad;

enum format { FORMAT_F16, FORMAT_F32 };
enum rounding { EVEN, UP, DOWN, TOWARD_ZERO, AWAY, ODD };

/* Returns the number with these bits. */
double format_value(enum format f, uint32_t bits);
/* Returns x rounded to the format; `sign` is the sign of a zero result. Infinity stays infinity. */
uint32_t format_round(enum format f, quad x, bool sign, enum rounding mode);
/* Returns the bits of the default NaN. */
uint32_t format_nan(enum format f);
/* Whether these bits are a NaN. */
bool format_is_nan(enum format f, uint32_t bits);

#endif
