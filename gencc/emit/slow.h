/*
 * The warnings of `gencc check -Wslow`: which instructions run slowly on the simulator, and why.
 */
#ifndef GENCC_EMIT_SLOW_H
#define GENCC_EMIT_SLOW_H

#include "gencc/emit/cpu.h"

/* Warns of three kinds of instructions, at the construct that is the reason: those that end their
 * block, those that a trace leaves to their handler, and those without a translator. Does nothing
 * if WARN_SLOW is off. To be called after handlers_make() with translators. */
void slow_report(struct emit *e, const handler_list *handlers);

#endif
