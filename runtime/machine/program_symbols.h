/*
 * Which object of a program an address lies in, and which function: its executable, a library, or
 * the kernel's vDSO. The object's ELF header is looked for below the address; its dynamic section
 * leads to its name and its symbols. So neither files nor knowledge of the guest's system are
 * needed, beyond ELF. Objects that several programs have are read once.
 */
#ifndef RUNTIME_MACHINE_PROGRAM_SYMBOLS_H
#define RUNTIME_MACHINE_PROGRAM_SYMBOLS_H

#include "runtime/machine/elf_symbols.h"

struct program_symbols;

struct program_symbols *program_symbols_new(void);
void program_symbols_free(struct program_symbols *s);

struct program_place {
    const char *object; /* name of the library; NULL: it has none, as executables */
    const char *symbol; /* NULL: the object does not export the function */
};

/* The place of an address in the program whose memory `from` reads. False: in no object. The texts
 * are valid until the next call. */
bool program_symbols_find(struct program_symbols *s, const struct guest_reader *from, uint64_t pc,
                          struct program_place *out);

#endif
