/*
 * The referee: a process that executes batches of sequences (guest.c), on an emulator that nobody
 * here wrote.
 */
#ifndef TESTS_A64_RANDOM_REFEREE_H
#define TESTS_A64_RANDOM_REFEREE_H

#include <stdbool.h>

#include "tests/a64_random/protocol.h"

struct referee {
    char **command; /* borrowed; ends with NULL */
    int pid, to, from;
};

/* Starts the command; false after a message. */
bool referee_start(struct referee *r, char **command);
/* Ends it, and says how it ended. */
int referee_stop(struct referee *r);

/* Hands over 1..BATCH requests; then waits for as many replies. False when the process is gone. */
bool referee_send(struct referee *r, const struct request *requests, uint32_t count);
bool referee_receive(struct referee *r, struct reply *replies, uint32_t count);

/* One sequence, by a referee that is restarted when it dies of it (false). */
bool referee_run(struct referee *r, const struct request *request, struct reply *reply);

#endif
