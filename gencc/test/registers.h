/*
 * Registers of a machine by the names that an ABI uses.
 */
#ifndef GENCC_TEST_REGISTERS_H
#define GENCC_TEST_REGISTERS_H

#include "gencc/test/machine.h"

/* A register: an element of a view, or a system register. */
struct place {
    const struct reg_view *view; /* NULL: a system register without storage */
    unsigned index;
    const struct sysreg *sysreg; /* NULL: none */
    unsigned bytes;
};

/* Finds a register by name, as abi.ac names it. Returns false if there is none. */
bool place_find(const struct machine *m, const char *name, struct place *place);
u128 place_read(struct machine *m, const struct place *place);
/* Returns false if the description refuses the write. */
bool place_write(struct machine *m, const struct place *place, u128 value);

/* Puts the CPU into the state in which Linux starts a program. Returns NULL, or an error text. */
const char *machine_reset(struct machine *m);

#endif
