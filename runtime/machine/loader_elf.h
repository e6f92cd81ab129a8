/* ELF kernels, for loaders.c. */
#ifndef RUNTIME_MACHINE_LOADER_ELF_H
#define RUNTIME_MACHINE_LOADER_ELF_H

#include "runtime/machine/loaders.h"

/* Finds entry (as a physical address), start and end of kernel->file. */
bool loader_elf_read(struct kernel *kernel, struct error *err);

/* Copies the loadable segments to their physical addresses; their bss becomes zero. */
bool loader_elf_load(const struct kernel *kernel, struct bus *bus, struct error *err);

#endif
