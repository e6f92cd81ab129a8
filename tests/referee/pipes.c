/* Transfers whole buffers over pipes. */

#include "tests/referee/pipes.h"

#include <unistd.h>

bool read_all(int fd, void *buffer, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = read(fd, (char *)buffer + done, size - done);

        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

bool write_all(int fd, const void *buffer, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, (const char *)buffer + done, size - done);

        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}
