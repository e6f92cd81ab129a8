/* The shader ISAs built into a program, whose build defines GPU_ISAS as the list of their names. */
#ifndef PROGRAMS_MALI_RUN_ISAS_H
#define PROGRAMS_MALI_RUN_ISAS_H

#include "runtime/gpu/isa.h"

/* The built-in ISA of that name; NULL: there is none. */
const struct gpu_isa *isa_built_in(const char *name);

#endif
