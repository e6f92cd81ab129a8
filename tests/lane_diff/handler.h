/*
 * The generated handlers, one side of the comparison, and the parts of an engine that they need.
 */
#ifndef TESTS_LANE_DIFF_HANDLER_H
#define TESTS_LANE_DIFF_HANDLER_H

#include "runtime/gpu/lane.h"
#include "programs/mali-fuzz/situation.h"

/* Returns the unit of that name; NULL if it was not compiled in. */
const struct gpu_unit *handler_unit(const char *name);
/* Returns the address of an external function of the descriptions; NULL if unknown. */
void (*handler_external(const char *name))(void);

extern const struct situation_world handler_world;

/*
 * Decodes a word for the situation and the host level. Returns false if it is not an instruction.
 */
bool handler_decode(const struct gpu_unit *u, const struct situation *s, unsigned level,
                    uint32_t word, struct gpu_op *op);

/* Decodes and executes. */
void handler_run(const struct gpu_unit *u, unsigned level, uint32_t word, struct situation *s);

#endif
