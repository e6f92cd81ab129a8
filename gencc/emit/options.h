/*
 * What the C of an ISA is to be like.
 */
#ifndef GENCC_EMIT_OPTIONS_H
#define GENCC_EMIT_OPTIONS_H

#include <stdbool.h>

struct emit_options {
    const char *isa;     /* of lanes: only this one; NULL: all */
    const char *dir;     /* where the files go; NULL: nowhere, to see whether they can be made */
    unsigned parts;      /* number of files the handlers are spread over, for parallel compiling */
    const char *include; /* header that declares the external functions, or NULL: declared here */
    bool jit;            /* translators too; not of lanes */
    bool verbose;        /* says how many handlers have one */
};

#endif
