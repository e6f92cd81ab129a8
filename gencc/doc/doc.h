/*
 * The reference of descriptions as a folder of static pages (`gencc doc`).
 */
#ifndef GENCC_DOC_DOC_H
#define GENCC_DOC_DOC_H

#include "gencc/doc/site.h"
#include "gencc/model/layout.h"
#include "gencc/model/model.h"

/* Input of a reference */
struct doc_input {
    VEC(const struct model *) models; /* names are unique */
    VEC(const struct layouts *) layouts;
    VEC(const struct gpus *) gpus;
    VEC(const char *) machines; /* paths of compiled device trees */
};

/* Writes the pages into the site's folder. Files that cannot be read or written are reported and
 * set the site's `failed`. */
void doc_write(struct site *s, const struct doc_input *in);

#endif
