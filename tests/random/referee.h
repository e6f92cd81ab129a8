/*
 * The referee executes batches of sequences (guest.c).
 */
#ifndef TESTS_RANDOM_REFEREE_H
#define TESTS_RANDOM_REFEREE_H

#include "protocol.h"
#include "tests/referee/process.h"

/* Hands over 1..BATCH requests; then waits for as many replies. False when the process is gone. */
bool referee_send(struct referee *r, const struct request *requests, uint32_t count);
bool referee_receive(struct referee *r, struct reply *replies, uint32_t count);

/* One sequence, by a referee that is restarted when it dies of it (false). */
bool referee_run(struct referee *r, const struct request *request, struct reply *reply);

#endif
