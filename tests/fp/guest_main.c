/*
 * The referee's guest: a static Linux program that executes one instruction per request, on an
 * independent emulator or a real processor. See referee.h.
 */
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "guest.h"
#include "tests/referee/pipes.h"

int main(void)
{
    static struct request requests[REFEREE_BATCH];
    static struct reply replies[REFEREE_BATCH];
    uint32_t count;

    while (read_all(STDIN_FILENO, &count, sizeof(count))) {
        if (count > REFEREE_BATCH || !read_all(STDIN_FILENO, requests, count * sizeof(*requests)))
            return 1;
        for (uint32_t i = 0; i < count; i++) {
            if (requests[i].op >= guest_op_count)
                return 1;
            guest_ops[requests[i].op](&requests[i], &replies[i]);
        }
        if (!write_all(STDOUT_FILENO, replies, count * sizeof(*replies)))
            return 1;
    }
    return 0;
}
