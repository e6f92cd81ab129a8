/* Interface of guest_a64.c and guest_a32.c to guest_main.c: a function per row of the .def file. */
#ifndef TESTS_FP_GUEST_H
#define TESTS_FP_GUEST_H

#include "referee.h"

typedef void (*guest_execute)(const struct request *request, struct reply *reply);

extern const guest_execute guest_ops[];
extern const uint32_t guest_op_count;

#endif
