/* Binary formats, and exact numbers rounded to them. */
#ifndef TESTS_BIFROST_FP_FORMATS_H
#define TESTS_BIFROST_FP_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

typedef __float128 quad;

enum format { FORMAT_F16, FORMAT_F32 };
enum rounding { EVEN, UP, DOWN, TOWARD_ZERO, AWAY, ODD };

double format_value(enum format f, uint32_t bits);
/* x rounded; `sign` is that of a zero. An infinity stays one. */
uint32_t format_round(enum format f, quad x, bool sign, enum rounding mode);
uint32_t format_nan(enum format f);
bool format_is_nan(enum format f, uint32_t bits);

#endif
