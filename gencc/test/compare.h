/*
 * Runs programs on the harness of another simulator, and compares.
 */
#ifndef GENCC_TEST_COMPARE_H
#define GENCC_TEST_COMPARE_H

#include <stdio.h>

#include "gencc/test/generate.h"
#include "gencc/test/harness.h"
#include "gencc/test/process.h"

/* Another simulator. */
struct peer {
    struct process process;
    struct harness *harness;
    const struct left_out *left_out;
    uint8_t *reply;    /* dump, then memory */
    const char *broke; /* why there is no reply; NULL: there is one */
};

/* The number of the signal by which the machine's last instruction left. */
uint32_t signal_expected(const struct frame *f);
/* Starts the peer's process on the harness and lets it begin. */
bool peer_start(struct peer *peer);
/* Runs the program; false: no reply, see peer->broke. */
bool peer_run(struct peer *peer, const struct program *p);
/* The value of the part in the reply. */
u128 peer_part(const struct peer *peer, const struct carried *part);
/* Runs the program; whether it goes another way on the peer, or there is no reply. A program that
 * ends by an access where only the peer has memory does not count. */
bool peer_differs(struct peer *peer, struct program *p);
/* Prints what differs. */
void peer_print(const struct peer *peer, struct program *p, FILE *out);

#endif
