/* What guest_main.c needs of guest_a64.c or guest_a32.c: a function an instruction, in order. */
#ifndef TESTS_FP_GUEST_H
#define TESTS_FP_GUEST_H

#include "referee.h"

typedef void (*guest_execute)(const struct request *request, struct reply *reply);

extern const guest_execute guest_ops[];
extern const uint32_t guest_op_count;

#endif
