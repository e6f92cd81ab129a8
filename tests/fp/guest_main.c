/*
 * The referee's guest: a static Linux program that executes one instruction a request, on an
 * emulator or a processor that nobody here wrote. See referee.h.
 */
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "guest.h"

static bool read_all(void *buffer, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = read(STDIN_FILENO, (char *)buffer + done, size - done);

        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

static bool write_all(const void *buffer, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(STDOUT_FILENO, (const char *)buffer + done, size - done);

        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

int main(void)
{
    static struct request requests[REFEREE_BATCH];
    static struct reply replies[REFEREE_BATCH];
    uint32_t count;

    while (read_all(&count, sizeof(count))) {
        if (count > REFEREE_BATCH || !read_all(requests, count * sizeof(*requests)))
            return 1;
        for (uint32_t i = 0; i < count; i++) {
            if (requests[i].op >= guest_op_count)
                return 1;
            guest_ops[requests[i].op](&requests[i], &replies[i]);
        }
        if (!write_all(replies, count * sizeof(*replies)))
            return 1;
    }
    return 0;
}
