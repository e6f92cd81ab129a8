/*
 * The answer to `gencc check -Wslow`: which instructions run slowly on the simulator, and why.
 */
#ifndef GENCC_EMIT_SLOW_H
#define GENCC_EMIT_SLOW_H

#include "gencc/emit/cpu.h"

/* Reports as warnings, unless they are off, which instructions end their block, which are called by
 * their handlers although they have a translator, and which have none; each with the place of the
 * construct that is the reason. To be called after handlers_make() with translators. */
void slow_report(struct emit *e, const handler_list *handlers);

#endif
