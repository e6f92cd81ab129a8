/* Predictions of a part of long jobs. */
#ifndef RUNTIME_TIMING_CUT_H
#define RUNTIME_TIMING_CUT_H

#include "runtime/timing/model_internal.h"

/* Prepares a model whose member `cut` is set. */
void timing_cut_begin(struct model *m);
/* Called when m->out->bundles has reached m->stop. Returns whether the model ends here. */
bool timing_cut_here(struct model *m);
/* Extends what a model that was cut has found to all bundles, before it is scaled. */
void timing_cut_end(struct model *m);

#endif
