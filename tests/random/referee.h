/* The referee, a process that executes batches of sequences (guest.c). */
#ifndef TESTS_RANDOM_REFEREE_H
#define TESTS_RANDOM_REFEREE_H

#include "protocol.h"
#include "tests/referee/process.h"

/* Send requests and receive their replies, 1..BATCH. Return false if the process has ended. */
bool referee_send(struct referee *r, const struct request *requests, uint32_t count);
bool referee_receive(struct referee *r, struct reply *replies, uint32_t count);

/* Runs one sequence on a referee that is restarted if it dies of it (false). */
bool referee_run(struct referee *r, const struct request *request, struct reply *reply);

#endif
