/*
 * Options of the generated C.
 */
#ifndef GENCC_EMIT_OPTIONS_H
#define GENCC_EMIT_OPTIONS_H

#include <stdbool.h>

struct emit_options {
    const char *isa;     /* lane ISA that is written; NULL: all */
    const char *dir;     /* output folder; NULL: write nothing, only check */
    unsigned parts;      /* number of files with handlers, for parallel compilation */
    const char *include; /* header with the external functions; NULL: they are declared here */
    bool jit;            /* also write translators; not of lanes */
    bool verbose;        /* print how many handlers have a translator */
};

#endif
