/* The shader ISAs that a program was built with: its build defines GPU_ISAS, a list of their names. */
#ifndef PROGRAMS_MALI_RUN_ISAS_H
#define PROGRAMS_MALI_RUN_ISAS_H

#include "runtime/gpu/isa.h"

/* The one of that name; NULL: there is none. */
const struct gpu_isa *isa_built_in(const char *name);

#endif
