/*
 * Which part of a run some code is: the program itself, a compiler, a GPU's driver, or the rest of
 * the kernel. The platform lists in /gencc/linux/parts, as `compiler` and `driver`, how the names
 * of such libraries and kernel modules begin.
 */
#ifndef RUNTIME_MACHINE_CODE_PARTS_H
#define RUNTIME_MACHINE_CODE_PARTS_H

#include <stdbool.h>

#include "runtime/machine/dt.h"

/* The part of code in a library or module; `object` NULL: in an executable, or in the kernel's
 * image. The result is static. */
const char *code_part(const struct dt *dt, bool kernel, const char *object);

#endif
