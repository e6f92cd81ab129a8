/*
 * What intrinsics do on a machine of the tests.
 */
#ifndef GENCC_TEST_INTRINSICS_H
#define GENCC_TEST_INTRINSICS_H

#include "gencc/test/machine.h"

/* As ir_machine.intrinsic and .external; the opaque pointer is a struct machine. */
bool machine_intrinsic(void *opaque, const struct ir_callee *fn, const char *text,
                       const struct ir_data *args, struct ir_data *results);
void (*machine_external(void *opaque, const char *name))(void);

#endif
