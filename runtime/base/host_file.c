/* Whole ranges of the host's files. */
#include "runtime/base/host_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool host_read_at(int fd, uint8_t *to, uint64_t len, uint64_t at)
{
    while (len) {
        ssize_t n = at > INT64_MAX ? 0 : pread(fd, to, len, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (!n) {
            memset(to, 0, len);
            return true;
        }
        to += n;
        at += (uint64_t)n;
        len -= (uint64_t)n;
    }
    return true;
}

bool host_write_at(int fd, const uint8_t *from, uint64_t len, uint64_t at)
{
    while (len) {
        ssize_t n = at > INT64_MAX ? 0 : pwrite(fd, from, len, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        from += n;
        at += (uint64_t)n;
        len -= (uint64_t)n;
    }
    return true;
}
