/*
 * Finds out where a peer's kernel puts frames, and which registers its frames carry.
 */
#ifndef GENCC_TEST_CALIBRATE_H
#define GENCC_TEST_CALIBRATE_H

#include "gencc/test/compare.h"

/* Writes the harness to `path`, starts all peers, and marks the parts that one of them loses. All
 * peers must put frames at the same place. Returns false after reporting. */
bool calibrate(struct harness *h, struct peer *peers, unsigned count, struct generator *g,
               const char *path);

#endif
