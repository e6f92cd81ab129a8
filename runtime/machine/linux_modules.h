/*
 * The modules of a Linux kernel in memory, and their functions. The kernel's list of modules is
 * walked; where in an entry the memory and the symbols of a module stand is found by their shape,
 * so the code does not depend on the layout of a version. Kernels of 64 bits only.
 */
#ifndef RUNTIME_MACHINE_LINUX_MODULES_H
#define RUNTIME_MACHINE_LINUX_MODULES_H

#include "runtime/machine/elf_symbols.h"

struct linux_modules;

struct linux_modules *linux_modules_new(void);
void linux_modules_free(struct linux_modules *m);
/* Forgets all modules: another kernel starts. */
void linux_modules_forget(struct linux_modules *m);

struct linux_module_place {
    const char *module, *symbol; /* symbol NULL: not known */
};

/* The place of a kernel address; `list` is the address of the kernel's variable `modules`. False:
 * in no module. The texts are valid until the next call. */
bool linux_modules_find(struct linux_modules *m, const struct guest_reader *from, uint64_t list,
                        uint64_t pc, struct linux_module_place *out);

#endif
