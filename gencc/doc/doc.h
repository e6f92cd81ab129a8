/*
 * The reference of descriptions as a folder of static pages: `gencc doc`.
 */
#ifndef GENCC_DOC_DOC_H
#define GENCC_DOC_DOC_H

#include "gencc/doc/site.h"
#include "gencc/model/layout.h"
#include "gencc/model/model.h"

/* What a reference is made of. */
struct doc_input {
    VEC(const struct model *) models; /* with different names */
    VEC(const struct layouts *) layouts;
    VEC(const struct gpus *) gpus;
    VEC(const char *) machines; /* paths of device trees, compiled */
};

/* Writes the pages into the site's folder. What cannot be read or written is reported and makes the
 * site's `failed` true. */
void doc_write(struct site *s, const struct doc_input *in);

#endif
