/* Extrapolation of long jobs from a simulated part of them (struct timing_cut). */
#ifndef RUNTIME_TIMING_CUT_H
#define RUNTIME_TIMING_CUT_H

#include "runtime/timing/model_internal.h"

/* Prepares a model whose member `cut` is set. */
void timing_cut_begin(struct model *m);
/* Called when m->out->bundles has reached m->stop. At half of the part it keeps the results so far.
 * Returns whether the model ends here. */
bool timing_cut_here(struct model *m);
/* Called when a group has ended and others have been assigned. */
void timing_cut_at_retirement(struct model *m);
/* If the model was cut, extrapolates its results to m->cut.all bundles. Called before results are
 * scaled from sampled to all groups. */
void timing_cut_end(struct model *m);

#endif
