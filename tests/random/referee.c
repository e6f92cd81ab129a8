/* Sends sequences to the referee process and receives its replies. */

#include "tests/random/referee.h"

#include <stdio.h>
#include <string.h>

#include "tests/referee/pipes.h"

bool referee_send(struct referee *r, const struct request *requests, uint32_t count)
{
    return write_all(r->to, &count, sizeof(count)) &&
           write_all(r->to, requests, count * sizeof(*requests));
}

bool referee_receive(struct referee *r, struct reply *replies, uint32_t count)
{
    return read_all(r->from, replies, count * sizeof(*replies));
}

bool referee_run(struct referee *r, const struct request *request, struct reply *reply)
{
    if (referee_send(r, request, 1) && referee_receive(r, reply, 1))
        return true;
    fprintf(stderr, "the referee ended with status %#x\n", (unsigned)referee_stop(r));
    memset(reply, 0, sizeof(*reply));
    referee_start(r, r->command);
    return false;
}
